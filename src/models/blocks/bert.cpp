#include "models/blocks/bert.h"

#include "base/check.h"
#include "config/rules.h"

namespace attune {
namespace {

const RegisterModel<BertConfig, Bert> registered("bert");

std::vector<int64_t> first_tokens(const Rows& rows) {
  std::vector<int64_t> tokens;
  for (int64_t s = 0; s < rows.count(); ++s) {
    check(rows.length(s) > 0, "bert: text {} is empty, so it has no first token", s);
    tokens.push_back(rows.begin(s));
  }
  return tokens;
}

// Of the rows of each sample: attention that is the same for all of them.
Tensor means(const Tensor& h, const Rows& rows) {
  const Tensor weights({rows.total()}, h.dtype());
  for (int64_t s = 0; s < rows.count(); ++s)
    weights.view({rows.total(), 1})
        .view_rows(rows.begin(s), rows.end(s))
        .fill(1 / static_cast<double>(rows.length(s)));
  return ragged_mix(weights, h, Rows::uniform(rows.count(), 1), rows);
}

}  // namespace

std::span<const char* const> enum_names(BertTask) {
  static constexpr const char* kWords[] = {"mask", "classify", "tag", "answer", "predict"};
  return kWords;
}

std::span<const char* const> enum_names(ErrorKind) {
  static constexpr const char* kWords[] = {"squared", "absolute"};
  return kWords;
}

const Task& BertConfig::model_task() const {
  switch (task) {
    case BertTask::mask: return fill_task();
    case BertTask::classify: return classify_task();
    case BertTask::tag: return label_task();
    case BertTask::answer: return answer_task();
    case BertTask::predict: break;
  }
  return predict_task(error);
}

BertConfig::BertConfig() {
  activation = FeedForwardKind::gelu;
  positions = PositionKind::learned;
}

void BertConfig::fields(FieldsOf<BertConfig> f) {
  f("task", &BertConfig::task,
    "fill in masked words, classify texts, tag words, answer questions from a text, or predict numbers");
  f("layers", &BertConfig::layers, "layers");
  f("segments", &BertConfig::segments, "kinds of text in one input, each with its own vector");
  f("embedding_norm", &BertConfig::embedding_norm, "a norm before the first layer");
  f("error", &BertConfig::error, "task predict: which errors are made small");
  BlockConfig::fields(f);
}

Entries BertConfig::of_size(Size size) {
  Entries entries = BlockConfig::of_size(size);
  entries.push_back(entry("layers", block_size(size).layers));
  return entries;
}

void BertConfig::validate() const {
  require_positive({{"layers", layers}, {"segments", segments}});
  require_at_most(kMostLayers, {{"layers", layers}, {"segments", segments}});
  BlockConfig::validate();
}

// The mask head ends with the embeddings; the others have a layer of their own.
Bert::Bert(const Scope& p, const BertConfig& config, const Words& words)
    : embedding_scale_(config.embedding_scale()),
      input_(p / "words", words.sources(), config.d_model, config.convolution),
      encoder_(p / "encoder", config,
               {.name = AttentionName::encoder,
                .layers = config.layers,
                .norm_first = config.embedding_norm,
                .places = words.places}) {
  if (!words.vectors) segments_.emplace(p / "segments", config.segments, config.d_model);
  if (config.task == BertTask::mask) {
    require(!words.vectors, "task", "'mask' fills in words; vectors have none");
    require_joint("task", true, words);
    head_.emplace(p / "mask", config.d_model, config.d_model);
    head_norm_.emplace(p / "mask" / "norm", config.norm_kind, config.d_model, config.norm_epsilon);
    output_weight_ = input_.words().weight;
    output_bias_ = (p / "mask").param("output_bias", {words.target}, zeros());
    return;
  }
  if (config.task == BertTask::classify) head_.emplace(p / "pool", config.d_model, config.d_model);
  require(!words.vectors || config.task != BertTask::answer, "task", "'answer' reads texts, not vectors");
  const bool spans = config.task == BertTask::answer;
  const Scope output = p / (spans ? "span" : config.task == BertTask::predict ? "numbers" : "classes");
  const int64_t outputs = spans ? 2 : words.target;
  output_weight_ = output.param("weight", {outputs, config.d_model}, glorot());
  output_bias_ = output.param("bias", {outputs}, zeros());
}

// mask:          norm(gelu(W h_t))   for every token
// classify:      tanh(W h_[CLS])     for every text; of others than words, the mean of all h_t
// tag, answer, predict:  h_t                 for every token
Tensor Bert::features(const Batch& batch, Pass& pass) const {
  const Ragged& text = batch.source;
  Tensor x = input_(text, embedding_scale_);
  if (segments_)
    x = add(x,
            (*segments_)(batch.segments ? batch.segments : Tensor::zeros({text.rows.total()}, DType::i32)));
  StackState reading = encoder_.start(text);
  const Tensor h = encoder_(x, text.rows, reading, pass);
  if (!head_) return h;
  if (head_norm_) return (*head_norm_)((*head_)(h, Activation::gelu));
  return (*head_)(text.has_words() ? take_rows(h, first_tokens(text.rows)) : means(h, text.rows),
                  Activation::tanh);
}

}  // namespace attune
