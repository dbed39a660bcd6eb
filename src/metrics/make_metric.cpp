#include "metrics/make_metric.h"

#include <map>

#include "attune/error.h"
#include "base/known_names.h"
#include "metrics/alignment_error.h"
#include "metrics/answers/answer_match.h"
#include "metrics/answers/entity_f1.h"
#include "metrics/answers/label_accuracy.h"
#include "metrics/answers/number_errors.h"
#include "metrics/answers/word_errors.h"

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

template <Rouge::Kind... kinds>
Made rouge(const MetricOptions& options) {
  Made made;
  (made.push_back(std::make_unique<Rouge>(kinds, options.rouge)), ...);
  return made;
}

template <ErrorRate::Unit unit>
Made errors(const MetricOptions&) {
  return one<ErrorRate>(unit);
}

const std::map<std::string, Factory, std::less<>>& factories() {
  static const std::map<std::string, Factory, std::less<>> factories{
      {"bleu", [](const MetricOptions& options) { return one<Bleu>(options.bleu); }},
      {"chrf", [](const MetricOptions& options) { return one<Chrf>(options.chrf); }},
      {"chrf++", chrf_plus_plus},
      {"ter", [](const MetricOptions& options) { return one<Ter>(options.ter); }},
      {"rouge", rouge<Rouge::Kind::unigrams, Rouge::Kind::bigrams, Rouge::Kind::longest>},
      {"rouge1", rouge<Rouge::Kind::unigrams>},
      {"rouge2", rouge<Rouge::Kind::bigrams>},
      {"rougeL", rouge<Rouge::Kind::longest>},
      {"rougeLsum", rouge<Rouge::Kind::longest_of_sentences>},
      {"wer", errors<ErrorRate::Unit::word>},
      {"cer", errors<ErrorRate::Unit::character>},
      {"cer-noblank", errors<ErrorRate::Unit::character_noblank>},
      {"exact", [](const MetricOptions&) { return one<ExactMatch>(); }},
      {"accuracy", [](const MetricOptions&) { return one<LabelAccuracy>(); }},
      {"entity_f1", [](const MetricOptions&) { return one<EntityF1>(); }},
      {"answer_exact", [](const MetricOptions&) { return one<AnswerExact>(); }},
      {"answer_f1", [](const MetricOptions&) { return one<AnswerF1>(); }},
      {"mse", [](const MetricOptions&) { return one<NumberErrors>(NumberErrors::Kind::squared); }},
      {"mae", [](const MetricOptions&) { return one<NumberErrors>(NumberErrors::Kind::absolute); }},
      {"aer", [](const MetricOptions&) { return one<AlignmentError>(); }},
  };
  return factories;
}

}  // namespace

std::vector<std::unique_ptr<Metric>> make_metrics(std::string_view name, const MetricOptions& options) {
  const auto entry = factories().find(name);
  if (entry == factories().end()) throw UsageError(unknown_name("metric", name, metric_names()));
  return entry->second(options);
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : factories()) names.push_back(name);
  return names;
}

}  // namespace attune::metrics
