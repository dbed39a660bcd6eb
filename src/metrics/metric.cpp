#include "metrics/metric.h"

#include "attune/error.h"
#include "base/check.h"
#include "base/threads/parallel.h"

namespace attune::metrics {

std::vector<Statistics> sentence_statistics(const Metric& metric, const Sentences& hypotheses,
                                            const References& references, size_t first) {
  if (hypotheses.empty()) throw UsageError(metric.name() + ": there are no hypotheses");
  if (references.empty()) throw UsageError(metric.name() + ": there are no references");
  for (const Sentences& reference : references)
    if (reference.size() != hypotheses.size())
      throw UsageError(fmt::format("{}: {} hypotheses but {} references", metric.name(), hypotheses.size(),
                                   reference.size()));
  std::vector<Statistics> statistics(hypotheses.size());
  parallel_for(static_cast<int64_t>(hypotheses.size()), 64, [&](int64_t begin, int64_t end) {
    Sentences of_sentence(references.size());
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      for (size_t r = 0; r < references.size(); ++r) of_sentence[r] = references[r][i];
      try {
        statistics[i] = metric.statistics(hypotheses[i], of_sentence);
      } catch (const UsageError& error) {
        throw UsageError(fmt::format("line {}: {}", first + i + 1, error.what()));
      }
    }
  });
  return statistics;
}

Statistics sum(std::span<const Statistics> statistics) {
  Statistics totals;
  add_to(totals, statistics);
  return totals;
}

void add_to(Statistics& totals, std::span<const Statistics> statistics) {
  for (const Statistics& sentence : statistics) {
    totals.resize(sentence.size());
    for (size_t k = 0; k < totals.size(); ++k) totals[k] += sentence[k];
  }
}

Score score(const Metric& metric, const Statistics& totals) {
  return {metric.name(), metric.value(totals), metric.verbose(totals), metric.parts(totals)};
}

Score corpus_score(const Metric& metric, const Sentences& hypotheses, const References& references) {
  return score(metric, sum(sentence_statistics(metric, hypotheses, references)));
}

Score sentence_score(const Metric& metric, std::string_view hypothesis,
                     std::span<const std::string> references) {
  return score(metric, metric.statistics(hypothesis, references));
}

}  // namespace attune::metrics
