#include "train/train_config.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/rules.h"
#include "metrics/make_metric.h"
#include "metrics/tokenize/tokenize.h"
#include "models/model_files.h"
#include "text/directions/direction.h"

namespace attune {

std::span<const char* const> enum_names(TextReading) {
  static constexpr const char* kWords[] = {"line", "paragraph", "stream"};
  return kWords;
}

std::span<const char* const> enum_names(SamplingGrowth) {
  static constexpr const char* kWords[] = {"none", "linear", "exponential", "sigmoid"};
  return kWords;
}

std::span<const char* const> enum_names(Optimizer) {
  static constexpr const char* kWords[] = {"adam", "adamw"};
  return kWords;
}

std::span<const char* const> enum_names(AlignmentCost) {
  static constexpr const char* kWords[] = {"ce", "mult", "mse"};
  return kWords;
}

std::vector<std::string> validation_metric_names() {
  std::vector<std::string> names{"loss", "perplexity"};
  for (const std::string& name : metrics::metric_names())
    if (metrics::make_metrics(name).size() == 1 && name != "aer") names.push_back(name);
  return names;
}

void TrainConfig::fields(FieldsOf<TrainConfig> f) {
  f("model", &TrainConfig::model, "folder of the run, for its checkpoints, logs and models");
  f("pretrained_model", &TrainConfig::pretrained_model,
    "model folder to start from, with its vocabulary (fine-tuning)");

  f("freeze", &TrainConfig::freeze,
    "parameters of the pretrained model that stay as they are: embeddings, or parts of their names (encoder, "
    "norm, decoder.layer0, *bias)");
  f("lora_rank", &TrainConfig::lora_rank,
    "train low-rank adapters (LoRA) of this rank over the pretrained model instead of its weights; 0: none");
  f("lora_alpha", &TrainConfig::lora_alpha, "their output is multiplied by alpha / rank; 0: twice the rank");
  f("lora_places", &TrainConfig::lora_places,
    "the linear layers that get one, by parts of their names (self.qkv, decoder, cross); none: all");

  f("size", &TrainConfig::size,
    "size of the model: tiny, small, base, big; auto: what data, machine and time allow");
  f("time", &TrainConfig::time, "how long the run may take: 30min, 2h; size and schedule are chosen for it");

  f("train_sets", &TrainConfig::train_sets,
    "training files, one per column (source, target); list several corpora one after another");
  f("train_weights", &TrainConfig::train_weights, "for each corpus, how often an epoch repeats its lines");
  f("valid_sets", &TrainConfig::valid_sets, "validation files");
  f("languages", &TrainConfig::languages,
    "source and target language in TMX, XLIFF and PO files, for example en fr; also the extensions of files "
    "that are named without one. Directions, for example en-fr en-de de-en, make a multilingual model: each "
    "takes the files that have both languages");
  f("columns", &TrainConfig::columns,
    "source and target column in CSV, TSV and JSON files, by name or by number from 1");
  f("tsv", &TrainConfig::tsv, "each file holds all columns, separated by tabs");
  f("text_unit", &TrainConfig::text_unit,
    "what a text is read by: line, paragraph (up to a blank line), or stream: blocks of max_length tokens "
    "over "
    "the ends of lines and paragraphs");
  f("text_pairs", &TrainConfig::text_pairs,
    "gpt, rnn_lm: two text files are prompts and answers; bert: they are pairs of texts; otherwise each file "
    "is "
    "a text of its own");
  f("replace_invalid_utf8", &TrainConfig::replace_invalid_utf8,
    "replace bytes that are not UTF-8 instead of stopping");
  f("bad_lines", &TrainConfig::bad_lines,
    "lines that are not UTF-8 or lack columns: stop at the first, or skip them all and list them in "
    "left-out.tsv");
  f("source", &TrainConfig::source,
    "what the first column is: text, or vectors: each line names a file (a picture, a recording, a table of "
    "numbers, a graph); several words: as many columns are sources");
  VectorReading::fields(f);
  f("max_length", &TrainConfig::max_length, "most tokens per side; longer examples are left out");
  f("mini_batch_words", &TrainConfig::mini_batch_words, "tokens per batch, counted on its larger side");
  f("mini_batch", &TrainConfig::mini_batch, "most sentences per batch; 0: no limit");
  f("shuffle_window", &TrainConfig::shuffle_window, "how many examples are sorted by length at a time");

  f("vocabs", &TrainConfig::vocabs,
    "vocabulary files, one joint or one per side; made from the training files if missing");
  f("joint_vocab", &TrainConfig::joint_vocab, "one vocabulary for source and target");
  f("vocab_kind", &TrainConfig::vocab_kind, "how text is split into tokens");
  f("vocab_size", &TrainConfig::vocab_size, "size of a new vocabulary, in tokens");
  f("vocab_symbols", &TrainConfig::vocab_symbols, "symbols that are never split");

  f("optimizer", &TrainConfig::optimizer, "Adam, or Adam with decoupled weight decay");
  f("learning_rate", &TrainConfig::learning_rate, "highest learning rate (schedule transformer: a factor)");
  f("lr_schedule", &TrainConfig::lr_schedule, "how the learning rate changes after the warmup");
  f("lr_warmup", &TrainConfig::lr_warmup,
    "how long the learning rate grows: updates, or a share of the run (5%)");
  f("lr_end", &TrainConfig::lr_end, "cosine, linear: when the learning rate reaches 0; empty: at `after`");
  f("lr_factor", &TrainConfig::lr_factor, "plateau: what the learning rate is multiplied by");
  f("lr_patience", &TrainConfig::lr_patience, "plateau: validations without improvement before that");
  f("adam_beta1", &TrainConfig::adam_beta1, "decay of the first moment");
  f("adam_beta2", &TrainConfig::adam_beta2, "decay of the second moment");
  f("adam_epsilon", &TrainConfig::adam_epsilon, "added to the root of the second moment");
  f("weight_decay", &TrainConfig::weight_decay, "adamw: decay of the weights, times the learning rate");
  f("l2", &TrainConfig::l2, "weight of the squared weights, divided by 2, in the loss");
  f("clip_norm", &TrainConfig::clip_norm, "largest norm of the gradient; 0: no limit");
  f("label_smoothing", &TrainConfig::label_smoothing,
    "share of the probability that is spread evenly over all words");
  f("optimizer_delay", &TrainConfig::optimizer_delay,
    "batches whose gradients each rank adds up for one update (several ranks: docs/scaling.md)");
  f("shard_optimizer", &TrainConfig::shard_optimizer,
    "several ranks: each rank keeps only a part of Adam's moments");
  f("exponential_smoothing", &TrainConfig::exponential_smoothing,
    "weight of each update in the moving average of the parameters; 0: no average");
  f("average_last", &TrainConfig::average_last,
    "how many of the last checkpoints to average at the end; 0: none");
  f("dropout_src", &TrainConfig::dropout_src,
    "share of source tokens that become <unk>; of vectors, share of numbers that become 0");
  f("dropout_trg", &TrainConfig::dropout_trg, "share of the given target tokens that become <unk>");
  f("scheduled_sampling", &TrainConfig::scheduled_sampling,
    "share of the given target tokens that are replaced by the model's own predictions");
  f("sampling_growth", &TrainConfig::sampling_growth,
    "how the share of scheduled_sampling grows: none: it is there from the beginning");
  f("sampling_batches", &TrainConfig::sampling_batches,
    "over how many batches it grows; exponential, sigmoid: k of Bengio et al. 2015");
  f("subword_sampling", &TrainConfig::subword_sampling,
    "split text into other tokens each time: bpe: share of merges left out (0.1); unigram: how strongly "
    "likely splits are preferred (0.1: weakly, 0.9: strongly); 0: always the best split");
  f("consistency", &TrainConfig::consistency,
    "weight of how far two passes with different dropout are apart (R-Drop); takes twice the time; 0: one "
    "pass");
  f("teacher", &TrainConfig::teacher,
    "model folder whose probabilities the model learns from, too (knowledge distillation); its vocabulary is "
    "used");
  f("teacher_weight", &TrainConfig::teacher_weight,
    "share of the loss that compares with the teacher; the rest compares with the text");
  f("guided_alignment", &TrainConfig::guided_alignment,
    "file of word alignments of the training files (0-0 1-2 per line) that the attention learns to follow");
  f("guided_alignment_cost", &TrainConfig::guided_alignment_cost,
    "loss function for attention that differs from the alignment");
  f("guided_alignment_weight", &TrainConfig::guided_alignment_weight,
    "weight of the alignment loss, relative to the loss of the words");

  f("after", &TrainConfig::after, "when to stop: 20e, 50000u, 2h; empty: only by early_stopping");
  f("valid_freq", &TrainConfig::valid_freq, "how often to validate");
  f("valid_metrics", &TrainConfig::valid_metrics,
    "loss, perplexity, accuracy, or bleu, chrf, exact and other metrics of `evaluate`; early_stopping "
    "follows the first");
  f("early_stopping", &TrainConfig::early_stopping,
    "stop after this many validations without improvement; 0: never");
  f("valid_beam_size", &TrainConfig::valid_beam_size,
    "beam size for outputs that are scored by metrics of `evaluate`");
  f("valid_tokenize", &TrainConfig::valid_tokenize,
    "BLEU's tokeniser: 13a, zh, intl, char, ja-mecab, ko-mecab, none; auto: zh for Chinese, char for other "
    "text without spaces, otherwise 13a");
  f("valid_samples", &TrainConfig::valid_samples, "translations to show at each validation");
  f("attend_sentence", &TrainConfig::attend_sentence,
    "a source, or a source, a tab and a target, whose attention is kept after each validation (multilingual "
    "models: in the first direction)");
  f("save_freq", &TrainConfig::save_freq, "how often to write a checkpoint");
  f("keep_checkpoints", &TrainConfig::keep_checkpoints, "how many checkpoints to keep");
  f("disp_freq", &TrainConfig::disp_freq, "how often to log a line");
  f("tensorboard", &TrainConfig::tensorboard, "write event files for TensorBoard");

  f("seed", &TrainConfig::seed, "seed of all random numbers");
  f("precision", &TrainConfig::precision,
    "numbers in products: f32; bf16: 16 bits, with sums in f32; auto: bf16 if the CPU is faster with it");
  f("cpu_threads", &TrainConfig::cpu_threads, "threads; 0: one per core");
}

RunPeriods TrainConfig::periods() const {
  return {read_period("after", after), read_period("valid_freq", valid_freq),
          read_period("save_freq", save_freq), read_period("disp_freq", disp_freq)};
}

void TrainConfig::validate() const {
  require(!model.empty(), "model",
          "say where to keep the run: -m runs/first, or model: runs/first in a configuration");
  std::vector<std::string> sizes = words_of<Size>();
  sizes.insert(sizes.begin(), "auto");
  require_word("size", size, sizes);
  const Period budget = read_period("time", time);
  require(!budget || budget.unit == Period::Unit::seconds, "time",
          "'{}' is not a time: write 30min or 1h30min. To stop after updates or epochs, use `after`", time);
  require(!train_sets.empty(), "train_sets", "name the files to train on");
  require_positive({{"max_length", max_length},
                    {"mini_batch_words", mini_batch_words},
                    {"shuffle_window", shuffle_window},
                    {"vocab_size", vocab_size},
                    {"optimizer_delay", optimizer_delay},
                    {"sampling_batches", sampling_batches},
                    {"valid_beam_size", valid_beam_size},
                    {"keep_checkpoints", keep_checkpoints}});
  require_at_most(kMostWords, {{"vocab_size", vocab_size}});
  require_not_negative({{"lora_rank", lora_rank}});
  require_at_most(kMostNumbers, {{"lora_rank", lora_rank}});
  require(lora_alpha >= 0, "lora_alpha", "must not be negative, but is {}", lora_alpha);
  require(freeze.empty() || !pretrained_model.empty(), "freeze",
          "it keeps what a pretrained model has learnt: give pretrained_model");
  require(lora_rank == 0 || !pretrained_model.empty(), "lora_rank",
          "adapters stand over a pretrained model: give pretrained_model");
  require(freeze.empty() || lora_rank == 0, "freeze",
          "with lora_rank all weights stay as they are: leave it out");
  require(lora_rank > 0 || (lora_alpha == 0 && lora_places.empty()),
          lora_alpha > 0 ? "lora_alpha" : "lora_places", "it belongs to lora_rank, which is not given");
  VectorReading::validate();
  require(!source.empty(), "source", "say what is read: text or vectors");
  for (const std::string& kind : source) require_word("source", kind, {"text", "vectors"});
  require(reads_words() || guided_alignment.empty(), "guided_alignment", "it is for words, not for vectors");
  require_at_most(kMostThreads, {{"cpu_threads", cpu_threads}});
  require_at_most(kMostPositions, {{"max_length", max_length}, {"valid_beam_size", valid_beam_size}});
  require_not_negative({{"mini_batch", mini_batch},
                        {"average_last", average_last},
                        {"early_stopping", early_stopping},
                        {"lr_patience", lr_patience},
                        {"valid_samples", valid_samples},
                        {"cpu_threads", cpu_threads},
                        {"seed", seed}});
  for (const auto& [key, value] : {std::pair{"label_smoothing", label_smoothing},
                                   {"exponential_smoothing", exponential_smoothing},
                                   {"subword_sampling", subword_sampling},
                                   {"dropout_src", dropout_src},
                                   {"dropout_trg", dropout_trg},
                                   {"scheduled_sampling", scheduled_sampling},
                                   {"adam_beta1", adam_beta1},
                                   {"adam_beta2", adam_beta2}})
    require_share(key, value);
  for (const auto& [key, value] : {std::pair{"learning_rate", learning_rate},
                                   {"adam_epsilon", adam_epsilon},
                                   {"guided_alignment_weight", guided_alignment_weight}})
    require(value > 0, key, "must be positive, but is {}", value);
  require(teacher_weight >= 0 && teacher_weight <= 1, "teacher_weight", "must be 0 to 1, but is {}",
          teacher_weight);
  for (const auto& [key, value] : {std::pair{"clip_norm", clip_norm},
                                   {"weight_decay", weight_decay},
                                   {"consistency", consistency},
                                   {"l2", l2}})
    require(value >= 0, key, "must not be negative, but is {}", value);
  require(lr_factor > 0 && lr_factor < 1, "lr_factor", "must be between 0 and 1, but is {}", lr_factor);
  require(average_last <= keep_checkpoints, "average_last",
          "{} checkpoints cannot be averaged when keep_checkpoints is {}", average_last, keep_checkpoints);
  require(bad_lines == BadLines::stop || !replace_invalid_utf8, "bad_lines",
          "bytes that are not UTF-8 are either replaced or skipped with their line; choose one");
  require(bad_lines == BadLines::stop || guided_alignment.empty(), "bad_lines",
          "lines cannot be left out when guided_alignment has a line for each");
  require(text_unit == TextReading::line || !text_pairs, "text_unit",
          "'{}' is for texts without pairs; leave out text_pairs",
          enum_names(text_unit)[static_cast<size_t>(text_unit)]);
  if (const auto directions = read_directions(languages); !directions.empty()) {
    for (size_t i = 0; i < directions.size(); ++i)
      require(std::ranges::count(directions, directions[i]) == 1, "languages", "{} is given twice",
              directions[i].text());
    require(columns.empty(), "columns", "with directions ({}), columns are found by the names of languages",
            languages[0]);
    require(joint_vocab && vocabs.size() <= 1, "joint_vocab",
            "a multilingual model has one vocabulary for all languages");
  }
  require(subword_sampling == 0 || guided_alignment.empty(), "subword_sampling",
          "guided_alignment needs text that is always split the same way");
  require(subword_sampling == 0 || text_unit != TextReading::stream, "subword_sampling",
          "text_unit 'stream' is split once, before training");
  require(vocabs.size() <= 2, "vocabs", "at most two can be given, not {}", vocabs.size());
  for (const std::string& metric : valid_metrics)
    require_word("valid_metrics", metric, validation_metric_names());
  std::vector<std::string> tokenizers = metrics::tokenizer_names();
  tokenizers.insert(tokenizers.begin(), "auto");
  require_word("valid_tokenize", valid_tokenize, tokenizers);

  const Period stop = read_period("after", after), warmup = read_period_or_share("lr_warmup", lr_warmup),
               end = read_period("lr_end", lr_end);
  for (const auto& [key, text] :
       {std::pair{"valid_freq", valid_freq}, {"save_freq", save_freq}, {"disp_freq", disp_freq}})
    read_period(key, text);
  const bool warms_by_share = warmup.unit == Period::Unit::share;
  require(!warmup || warms_by_share || warmup.unit == Period::Unit::updates, "lr_warmup",
          "write a number of updates, as in 1000u, or a share of the run, as in 5%");
  require(!warms_by_share || warmup.amount < 1, "lr_warmup", "{} is the whole run or more", lr_warmup);
  require(!warms_by_share || end || stop, "lr_warmup",
          "{} of the run is known only if its end is: set `after` or lr_end", lr_warmup);
  const bool ends = lr_schedule == ScheduleKind::cosine || lr_schedule == ScheduleKind::linear;
  require(!ends || end || stop, "lr_end",
          "the schedule needs to know when the learning rate reaches 0: set lr_end or `after`");
  require(stop || (early_stopping > 0 && !valid_sets.empty()), "after",
          "say when to stop, for example after: 20e, or give valid_sets for early_stopping");
  require(lr_schedule != ScheduleKind::plateau || !valid_sets.empty(), "lr_schedule",
          "'plateau' needs validations: give valid_sets");
}

bool may_change(std::string_view key) {
  static const std::set<std::string_view> keys{"after",           "early_stopping",
                                               "valid_freq",      "valid_samples",
                                               "save_freq",       "keep_checkpoints",
                                               "disp_freq",       "tensorboard",
                                               "average_last",    "model",
                                               "valid_beam_size", "cpu_threads",
                                               "optimizer_delay", "shard_optimizer",
                                               "attend_sentence", "time",
                                               "precision"};
  return keys.contains(key) || steers(key);
}

bool steers(std::string_view key) {
  static const std::set<std::string_view> keys{"learning_rate", "lr_warmup", "clip_norm",
                                               "replace_invalid_utf8"};
  return keys.contains(key);
}

}  // namespace attune
