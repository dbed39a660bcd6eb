#include "train/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "config/rules.h"
#include "decode/translator.h"
#include "metrics/make_metric.h"
#include "metrics/tokenize/tokenize.h"
#include "train/data/corpora.h"
#include "train/data/examples.h"

namespace attune {
namespace {

bool needs_outputs(const std::string& metric) {
  return metric != "loss" && metric != "perplexity" && metric != "accuracy";
}

double of_sums(const std::string& metric, const Learner::Sums& sums) {
  const auto tokens = static_cast<double>(std::max<int64_t>(sums.tokens, 1));
  if (metric == "accuracy") return 100 * static_cast<double>(sums.correct) / tokens;
  return metric == "perplexity" ? std::exp(sums.nll / tokens) : sums.nll / tokens;
}

// Texts in one string, each preceded by its length.
std::string packed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += std::to_string(text.size()) + ' ' + text;
  return all;
}

std::vector<std::string> unpacked(const std::string& all) {
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size();) {
    const size_t space = all.find(' ', at), size = std::stoul(all.substr(at, space - at));
    texts.push_back(all.substr(space + 1, size));
    at = space + 1 + size;
  }
  return texts;
}

}  // namespace

bool higher_is_better(const std::string& metric) {
  return needs_outputs(metric) ? metrics::make_metrics(metric).front()->higher_is_better()
                               : metric == "accuracy";
}

Validator::Validator(const TrainConfig& config, const ModelConfig& model, const Vocabularies& vocabularies,
                     Ranks& ranks)
    : config_(config),
      model_config_(model),
      vocabularies_(vocabularies),
      task_(model.task()),
      ranks_(ranks),
      longest_(model.longest()),
      longest_side_(longest_side(config, model)),
      metrics_(config.valid_metrics.empty() ? task_.default_metrics() : config.valid_metrics),
      corpus_(validation_corpus(config, task_)) {
  const bool writes = corpus_.columns() == 2 && task_.writes_text();
  for (const std::string& metric : metrics_)
    require(writes || !needs_outputs(metric), "valid_metrics",
            "'{}' compares outputs with references, so it needs a model that writes text, and two columns",
            metric);
  for (int64_t line = 0; writes && line < corpus_.lines(); ++line) {
    sources_.push_back(corpus_.column(line, 0));
    references_.push_back(corpus_.column(line, 1));
  }
  if (config_.valid_tokenize == "auto") {
    config_.valid_tokenize = metrics::suitable_tokenizer(references_);
    if (std::ranges::find(metrics_, "bleu") != metrics_.end())
      choice_ =
          fmt::format("BLEU of validations: tokeniser {} (valid_tokenize: auto)", config_.valid_tokenize);
  }
}

Learner::Sums Validator::forced(const Model& model) const {
  BatchReader reader(
      corpus_, make_examples(task_, vocabularies_, nullptr),
      {.mini_batch_words = config_.mini_batch_words, .max_length = longest_side_, .shuffle = false});
  double nll_sum = 0, counted = 0, correct = 0;
  for (int64_t number = 0; const auto examples = reader.next(); ++number) {
    if (number % ranks_.size() != ranks_.rank()) continue;
    Pass pass;
    const CrossEntropy result = model.loss(task_.batch(vocabularies_, *examples), 0, pass);
    double nll = 0;
    for (const float x : result.nll.span<float>()) nll += x;
    nll_sum += nll;
    counted += static_cast<double>(result.counted);
    correct += static_cast<double>(result.correct);
  }
  double all[] = {nll_sum, counted, correct};
  ranks_.sum(all);
  return {all[0], all[0], static_cast<int64_t>(all[1]), static_cast<int64_t>(all[2])};
}

std::vector<std::string> Validator::written(const Model& model) const {
  const Translator translator(std::make_shared<const TextModel>(model, model_config_, vocabularies_, true),
                              {.search = {.beam_size = config_.valid_beam_size}});
  const auto ranks = static_cast<size_t>(ranks_.size());
  std::vector<std::string> texts;
  for (size_t i = static_cast<size_t>(ranks_.rank()); i < sources_.size(); i += ranks) {
    const bool fits =
        longest_ == 0 || static_cast<int64_t>(translator.tokens(sources_[i]).size()) <= longest_;
    texts.push_back(fits ? sources_[i] : "");
  }
  const std::vector<std::string> own = translator.translate(texts);
  if (ranks_.alone()) return own;
  const auto parts = ranks_.gather(packed(own));
  std::vector<std::string> outputs(sources_.size());
  for (size_t r = 0; r < ranks; ++r) {
    size_t line = r;
    for (std::string& text : unpacked(parts[r])) {
      outputs[line] = std::move(text);
      line += ranks;
    }
  }
  return outputs;
}

double Validator::of_outputs(const std::string& metric, const std::vector<std::string>& outputs) const {
  const auto made = metrics::make_metrics(metric, {.bleu = {.tokenize = config_.valid_tokenize}});
  return metrics::corpus_score(*made.front(), outputs, {references_}).value;
}

Validation Validator::operator()(const Model& model) const {
  const NoGrad no_grad;
  Validation result;
  const Learner::Sums sums = forced(model);
  std::vector<std::string> outputs;
  const bool wanted =
      !sources_.empty() && (config_.valid_samples > 0 || std::ranges::any_of(metrics_, needs_outputs));
  if (wanted) outputs = written(model);
  for (const std::string& metric : metrics_) {
    result.values.push_back(
        {metric, needs_outputs(metric) ? of_outputs(metric, outputs) : of_sums(metric, sums)});
  }
  const auto count = std::min<size_t>(static_cast<size_t>(config_.valid_samples), outputs.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t line = i * outputs.size() / count;
    result.samples.push_back({sources_[line], references_[line], outputs[line]});
  }
  return result;
}

}  // namespace attune
