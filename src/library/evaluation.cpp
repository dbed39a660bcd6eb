#include "attune/evaluation.h"

#include <fmt/core.h>

#include "attune/error.h"
#include "metrics/make_metric.h"

namespace attune {
namespace {

metrics::MetricOptions metric_options(const EvaluationOptions& options) {
  return {.bleu = {.tokenize = options.tokenize,
                   .lowercase = options.lowercase,
                   .smoothing = metrics::smoothing_of(options.smooth_method),
                   .smooth_value = options.smooth_value,
                   .effective_order = options.effective_order},
          .chrf = {.char_order = static_cast<int>(options.chrf_char_order),
                   .word_order = static_cast<int>(options.chrf_word_order),
                   .lowercase = options.chrf_lowercase},
          .ter = {.normalized = options.ter_normalized,
                  .no_punct = options.ter_no_punct,
                  .asian_support = options.ter_asian_support,
                  .case_sensitive = options.ter_case_sensitive},
          .rouge = {.stemmer = options.rouge_stemmer}};
}

}  // namespace

std::vector<MetricScore> evaluate(std::span<const std::string> hypotheses,
                                  std::span<const std::vector<std::string>> references,
                                  const EvaluationOptions& options) {
  if (references.empty()) throw UsageError("evaluate: there are no references");
  for (size_t r = 0; r < references.size(); ++r)
    if (references[r].size() != hypotheses.size())
      throw UsageError(fmt::format("evaluate: there are {} hypotheses, but {} texts in reference {}",
                                   hypotheses.size(), references[r].size(), r + 1));
  if (hypotheses.empty()) throw UsageError("evaluate: there are no hypotheses");
  const metrics::Sentences texts(hypotheses.begin(), hypotheses.end());
  const metrics::References expected(references.begin(), references.end());
  std::vector<MetricScore> scores;
  for (const std::string& name : options.metrics)
    for (const auto& metric : metrics::make_metrics(name, metric_options(options))) {
      const metrics::Score found = metrics::corpus_score(*metric, texts, expected);
      scores.push_back(
          {.name = found.name,
           .score = found.value,
           .signature = metrics::to_string(metrics::full_signature(references.size(), {}, metric->options())),
           .verbose = found.verbose,
           .higher_is_better = metric->higher_is_better()});
    }
  return scores;
}

std::vector<std::string> metric_names() { return metrics::metric_names(); }

}  // namespace attune
