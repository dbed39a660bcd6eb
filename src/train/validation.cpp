#include "train/validation.h"

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "config/rules.h"
#include "decode/translator.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/word_errors.h"
#include "train/feed.h"
#include "train/guidance.h"

namespace attune {
namespace {

bool needs_outputs(const std::string& metric) {
  return metric == "bleu" || metric == "chrf" || metric == "exact";
}

double of_sums(const std::string& metric, const Learner::Sums& sums) {
  const auto tokens = static_cast<double>(std::max<int64_t>(sums.tokens, 1));
  if (metric == "accuracy") return 100 * static_cast<double>(sums.correct) / tokens;
  return metric == "perplexity" ? std::exp(sums.nll / tokens) : sums.nll / tokens;
}

}  // namespace

bool higher_is_better(const std::string& metric) { return needs_outputs(metric) || metric == "accuracy"; }

std::vector<std::string> default_metrics(TaskKind task) {
  switch (task) {
    case TaskKind::translate: return {"bleu", "chrf", "perplexity"};
    case TaskKind::tag:
    case TaskKind::classify: return {"accuracy", "loss"};
    case TaskKind::write:
    case TaskKind::fill: break;
  }
  return {"perplexity", "accuracy"};
}

Validator::Validator(const TrainConfig& config, const ModelConfig& model, const Vocabularies& vocabularies,
                     const Task& task)
    : config_(config),
      vocabularies_(vocabularies),
      task_(task),
      kind_(model.task()),
      longest_(model.longest()),
      longest_side_(longest_side(config, model)),
      metrics_(config.valid_metrics.empty() ? default_metrics(kind_) : config.valid_metrics),
      corpus_(validation_corpus(config, kind_)) {
  const bool writes = corpus_.columns() == 2 && (kind_ == TaskKind::translate || kind_ == TaskKind::write);
  for (const std::string& metric : metrics_)
    require(writes || !needs_outputs(metric), "valid_metrics",
            "'{}' compares outputs with references: it needs a model that writes, and two columns", metric);
  for (int64_t line = 0; writes && line < corpus_.lines(); ++line) {
    sources_.push_back(corpus_.column(line, 0));
    references_.push_back(corpus_.column(line, 1));
  }
}

Learner::Sums Validator::forced(const Model& model) const {
  BatchReader reader(
      corpus_, make_examples(task_, nullptr),
      {.mini_batch_words = config_.mini_batch_words, .max_length = longest_side_, .shuffle = false});
  Learner::Sums sums;
  while (const auto tokens = reader.next()) {
    Pass pass;
    const CrossEntropy result = model.loss(task_.batch(*tokens), 0, pass);
    double nll = 0;
    for (const float x : result.nll.span<float>()) nll += x;
    sums += {nll, nll, result.counted, result.correct};
  }
  return sums;
}

std::vector<std::string> Validator::written(const Writer& model) const {
  TranslatorSetup setup{.task = kind_, .vocabularies = vocabularies_, .longest = longest_, .search = {}};
  setup.search.beam_size = config_.valid_beam_size;
  const Translator translator(Ensemble(model), setup);
  std::vector<std::string> texts = sources_;
  for (std::string& text : texts)
    if (longest_ > 0 && static_cast<int64_t>(translator.tokens(text).size()) > longest_) text.clear();
  return translator.translate(texts);
}

Validation Validator::operator()(const Model& model) const {
  const NoGrad no_grad;
  Validation result;
  const Learner::Sums sums = forced(model);
  std::vector<std::string> outputs;
  const bool wanted =
      !sources_.empty() && (config_.valid_samples > 0 || std::ranges::any_of(metrics_, needs_outputs));
  if (wanted) outputs = written(dynamic_cast<const Writer&>(model));
  for (const std::string& metric : metrics_) {
    double value = 0;
    if (metric == "bleu")
      value =
          metrics::corpus_score(metrics::Bleu({.tokenize = config_.valid_tokenize}), outputs, {references_})
              .value;
    else if (metric == "chrf")
      value = metrics::corpus_score(metrics::Chrf(), outputs, {references_}).value;
    else if (metric == "exact")
      value = metrics::corpus_score(metrics::ExactMatch(), outputs, {references_}).value;
    else
      value = of_sums(metric, sums);
    result.values.push_back({metric, value});
  }
  const auto count = std::min<size_t>(static_cast<size_t>(config_.valid_samples), outputs.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t line = i * outputs.size() / count;
    result.samples.push_back({sources_[line], references_[line], outputs[line]});
  }
  return result;
}

}  // namespace attune
