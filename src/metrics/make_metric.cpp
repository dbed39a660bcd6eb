#include "metrics/make_metric.h"

#include <fmt/core.h>

#include <map>

#include "attune/error.h"
#include "base/nearest.h"
#include "metrics/alignment_error.h"
#include "metrics/rouge.h"
#include "metrics/word_errors.h"

namespace attune::metrics {
namespace {

using Made = std::vector<std::unique_ptr<Metric>>;
using Factory = Made (*)(const MetricOptions&);

template <class M, class... Args>
Made one(Args&&... args) {
  Made made;
  made.push_back(std::make_unique<M>(std::forward<Args>(args)...));
  return made;
}

Made chrf_plus_plus(const MetricOptions& options) {
  ChrfOptions chrf = options.chrf;
  chrf.word_order = 2;
  return one<Chrf>(chrf);
}

Made all_rouge(const MetricOptions&) {
  Made made;
  for (const auto kind : {Rouge::Kind::unigrams, Rouge::Kind::bigrams, Rouge::Kind::longest})
    made.push_back(std::make_unique<Rouge>(kind));
  return made;
}

const std::map<std::string, Factory, std::less<>>& factories() {
  static const std::map<std::string, Factory, std::less<>> factories{
      {"bleu", [](const MetricOptions& options) { return one<Bleu>(options.bleu); }},
      {"chrf", [](const MetricOptions& options) { return one<Chrf>(options.chrf); }},
      {"chrf++", chrf_plus_plus},
      {"ter", [](const MetricOptions& options) { return one<Ter>(options.ter); }},
      {"rouge", all_rouge},
      {"wer", [](const MetricOptions&) { return one<ErrorRate>(ErrorRate::Unit::word); }},
      {"cer", [](const MetricOptions&) { return one<ErrorRate>(ErrorRate::Unit::character); }},
      {"exact", [](const MetricOptions&) { return one<ExactMatch>(); }},
      {"aer", [](const MetricOptions&) { return one<AlignmentError>(); }},
  };
  return factories;
}

}  // namespace

std::vector<std::unique_ptr<Metric>> make_metrics(std::string_view name, const MetricOptions& options) {
  const auto entry = factories().find(name);
  if (entry == factories().end())
    throw UsageError(fmt::format("unknown metric '{}'{}", name, did_you_mean(name, metric_names())));
  return entry->second(options);
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : factories()) names.push_back(name);
  return names;
}

}  // namespace attune::metrics
