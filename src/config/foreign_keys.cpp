#include "config/foreign_keys.h"

#include <map>

#include "config/entries.h"

namespace attune {
namespace {

// Our keys are in backquotes. Of Marian, OpenNMT-py, fairseq, Sockeye, JoeyNMT and Hugging Face.
const std::map<std::string_view, std::string_view>& advice() {
  static constexpr std::string_view
      kEpochs = "write `after: 5e` for five epochs",
      kUpdates = "write `after: 10000u` for so many updates",
      kTokens = "write `mini_batch_words` for tokens, or `mini_batch` for sentences",
      kThreads = "attune runs on CPUs; `cpu_threads` sets how many threads it uses",
      kWidth = "write `d_model` (Transformer, GPT, BERT) or `embedding` (rnn, rnn_lm)",
      kLayers = "write `encoder_layers` and `decoder_layers`, or `layers` for gpt, bert, rnn_lm",
      kSource = "list source and target files in `train_sets`",
      kFolder = "write `model`, the folder of the run";
  static const std::map<std::string_view, std::string_view> all{
      {"epochs", kEpochs},
      {"max_epoch", kEpochs},
      {"max_epochs", kEpochs},
      {"num_train_epochs", kEpochs},
      {"after_epochs", kEpochs},
      {"updates", kUpdates},
      {"max_update", kUpdates},
      {"max_updates", kUpdates},
      {"max_steps", kUpdates},
      {"steps", kUpdates},
      {"train_steps", kUpdates},
      {"after_batches", kUpdates},
      {"batch_size", kTokens},
      {"max_tokens", kTokens},
      {"per_device_train_batch_size", kTokens},
      {"maxi_batch", "write `shuffle_window`, the examples that are sorted by length together"},
      {"lr", "write `learning_rate`"},
      {"learn_rate", "write `learning_rate`"},
      {"lr_scheduler", "write `lr_schedule`"},
      {"lr_scheduler_type", "write `lr_schedule`"},
      {"lr_decay_inv_sqrt", "write `lr_schedule: inverse_sqrt`"},
      {"scheduling", "write `lr_schedule`"},
      {"warmup", "write `lr_warmup`"},
      {"warmup_steps", "write `lr_warmup`"},
      {"warmup_updates", "write `lr_warmup`"},
      {"learning_rate_warmup", "write `lr_warmup`"},
      {"gpu", kThreads},
      {"gpus", kThreads},
      {"gpu_ranks", kThreads},
      {"device", kThreads},
      {"devices", kThreads},
      {"use_cpu", kThreads},
      {"use_cuda", kThreads},
      {"cuda", kThreads},
      {"fp16", kThreads},
      {"workspace", "attune takes the memory that it needs; a smaller `mini_batch_words` needs less"},
      {"threads", "write `cpu_threads`"},
      {"num_threads", "write `cpu_threads`"},
      {"workers", "write `cpu_threads`"},
      {"dim_emb", kWidth},
      {"hidden_size", "write `d_model` (Transformer, GPT, BERT) or `hidden` (rnn, rnn_lm)"},
      {"rnn_size", "write `hidden`"},
      {"dim_rnn", "write `hidden`"},
      {"word_vec_size", kWidth},
      {"emb_size", kWidth},
      {"embedding_dim", kWidth},
      {"n_embd", kWidth},
      {"enc_depth", "write `encoder_layers`"},
      {"dec_depth", "write `decoder_layers`"},
      {"enc_layers", "write `encoder_layers`"},
      {"dec_layers", "write `decoder_layers`"},
      {"num_layers", kLayers},
      {"n_layer", kLayers},
      {"transformer_heads", "write `heads`"},
      {"num_heads", "write `heads`"},
      {"n_head", "write `heads`"},
      {"transformer_dim_ffn", "write `feed_forward`"},
      {"transformer_ff", "write `feed_forward`"},
      {"ff_size", "write `feed_forward`"},
      {"ffn_dim", "write `feed_forward`"},
      {"transformer_dropout", "write `dropout`"},
      {"enc_cell", "write `cell`"},
      {"dec_cell", "write `cell`"},
      {"arch", "write `type`, and `size` (tiny, small, base or big)"},
      {"src", kSource},
      {"tgt", kSource},
      {"train_src", kSource},
      {"train_tgt", kSource},
      {"source", kSource},
      {"target", kSource},
      {"dev_sets", "write `valid_sets`"},
      {"validation_file", "write `valid_sets`"},
      {"save_dir", kFolder},
      {"save_model", kFolder},
      {"model_dir", kFolder},
      {"output_dir", kFolder},
      {"valid_steps", "write `valid_freq: 1000u`"},
      {"validate_interval_updates", "write `valid_freq: 1000u`"},
      {"eval_steps", "write `valid_freq: 1000u`"},
      {"valid_mini_batch", "attune chooses the batches of validation by itself"},
      {"save_checkpoint_steps", "write `save_freq: 1000u`"},
      {"save_steps", "write `save_freq: 1000u`"},
      {"log_interval", "write `disp_freq: 100u`"},
      {"report_every", "write `disp_freq: 100u`"},
      {"logging_steps", "write `disp_freq: 100u`"},
      {"patience", "write `early_stopping`"},
      {"dim_vocabs", "write `vocab_size`"},
      {"src_vocab_size", "write `vocab_size`"},
      {"share_vocab", "write `joint_vocab: true`"},
      {"shared_vocab", "write `joint_vocab: true`"},
      {"tied_embeddings_all", "write `tied_embeddings: true` and `tied_output: true`"},
      {"share_all_embeddings", "write `tied_embeddings: true` and `tied_output: true`"},
      {"share_decoder_embeddings", "write `tied_output: true`"},
      {"accum_count", "write `optimizer_delay`"},
      {"update_freq", "write `optimizer_delay`"},
      {"gradient_accumulation_steps", "write `optimizer_delay`"},
      {"max_new_tokens", "write `max_length`"},
      {"num_return_sequences", "write `num_samples`"},
      {"do_sample", "write `sampling`"},
      {"max_grad_norm", "write `clip_norm`"},
      {"cost_type", "write `valid_metrics`"},
      {"global_attention", "write `attention` (additive, dot or general)"},
      {"train_from", "write `pretrained_model`; a run in the same folder resumes by itself"},
      {"finetune_from_model", "write `pretrained_model`"},
      {"overwrite_output_dir", "use --overwrite"}};
  return all;
}

// `after: 5e` becomes `--after 5e`.
std::string with_options(std::string_view text) {
  std::string result;
  bool quoted = false, in_key = false;
  for (const char c : text) {
    if (c == '`') {
      quoted = in_key = !quoted;
      result += quoted ? "`--" : "`";
    } else if (in_key && c == ':') {
      in_key = false;
    } else {
      result += in_key && c == '_' ? '-' : c;
    }
  }
  return result;
}

}  // namespace

std::string foreign_key_advice(std::string_view key) {
  const bool is_option = key.starts_with('-');
  while (key.starts_with('-')) key.remove_prefix(1);
  const auto found = advice().find(canonical_key(key));
  if (found == advice().end()) return "";
  return ": " + (is_option ? with_options(found->second) : std::string(found->second));
}

}  // namespace attune
