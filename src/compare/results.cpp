#include "compare/results.h"

#include <fmt/core.h>

#include <cmath>

#include "attune/error.h"
#include "compare/results_json.h"
#include "io/files/file.h"

namespace attune::compare {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Score, value, low, high, deviation, p_value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TestResult, scores, by_length)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunResult, seed, training, outcome, decodings, looks, alignments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelResult, name, about, changes, type, runs, tests)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LengthGroup, label, sentences)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TestInfo, name, sentences, groups)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MetricInfo, name, signature, higher_is_better)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Sample, source, reference, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Results, format, title, text, budget, length_unit, length_unit_suits, made,
                                   metrics, tests, golds, looked_at, samples, models)

namespace {

// JSON has no NaN; it would become null.
void require_finite(const Json& json, const std::string& place) {
  if (json.is_number_float() && !std::isfinite(json.get<double>()))
    throw Error(
        fmt::format("{} is {}, not a finite number: no results were written", place, json.get<double>()));
  if (json.is_structured())
    for (const auto& [key, value] : json.items())
      require_finite(value, place + (place.empty() ? "" : ".") + key);
}

void require_whole(const Results& results, const std::filesystem::path& path) {
  bool whole = !results.models.empty() && !results.tests.empty() && !results.metrics.empty();
  for (const ModelResult& model : results.models) {
    whole = whole && model.tests.size() == results.tests.size() && !model.runs.empty();
    for (size_t t = 0; whole && t < model.tests.size(); ++t)
      whole = model.tests[t].scores.size() == results.metrics.size() &&
              model.tests[t].by_length.size() == results.tests[t].groups.size();
    for (const RunResult& run : model.runs) {
      whole = whole && run.decodings.size() == results.tests.size() &&
              run.looks.size() == results.looked_at.size() && run.alignments.size() == results.golds.size();
      for (size_t t = 0; whole && t < run.decodings.size(); ++t)
        whole = static_cast<int64_t>(run.decodings[t].outputs.size()) == results.tests[t].sentences;
    }
  }
  for (const Sample& sample : results.samples)
    whole = whole && sample.line >= 0 && !results.tests.empty() && sample.line < results.tests[0].sentences;
  if (!whole)
    throw UsageError(fmt::format(
        "{}: its parts are inconsistent; remove the file and run attune compare again", path.string()));
}

}  // namespace

Results read_results(const std::filesystem::path& path) {
  Results results;
  try {
    const Json json = Json::parse(read_file(path));
    if (json.at("format").get<int64_t>() != results.format)
      throw UsageError(fmt::format("{}: another version of attune wrote this file; run attune compare again",
                                   path.string()));
    results = json.get<Results>();
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(
        fmt::format("{}: this file was not written by attune compare: {}", path.string(), error.what()));
  }
  require_whole(results, path);
  return results;
}

void write_results(const std::filesystem::path& path, const Results& results) {
  const Json json = results;
  require_finite(json, "");
  write_file_atomically(path, json.dump(1) + "\n");
}

}  // namespace attune::compare
