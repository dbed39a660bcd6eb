// Compared with sacreBLEU itself: tests/golden/metrics.py made the values. Numbers are equal to the last
// bits, except resampled ones, which sacreBLEU computes in f32.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "metrics/make_metric.h"
#include "metrics/numpy_random.h"
#include "metrics/significance.h"
#include "metrics/tokenize/unicode.h"
#include "testing/golden.h"

namespace attune::metrics {
namespace {

using nlohmann::json;

const json& golden() {
  static const json values = json::parse(std::ifstream(testing::golden("metrics.json")));
  return values;
}

std::string joined(std::string_view text) {
  std::string result;
  for (const std::string_view word : split(text)) {
    if (!result.empty()) result += ' ';
    result += word;
  }
  return result;
}

std::unique_ptr<Metric> metric_of(const std::string& name, const json& options = json::object()) {
  MetricOptions all;
  const auto flag = [&](const char* key) { return options.value(key, false); };
  if (name == "bleu") {
    all.bleu = {.tokenize = options.value("tokenize", "13a"),
                .lowercase = flag("lowercase"),
                .smoothing = smoothing_of(options.value("smooth_method", "exp")),
                .effective_order = flag("effective_order")};
    if (options.contains("smooth_value") && !options["smooth_value"].is_null())
      all.bleu.smooth_value = options["smooth_value"].get<double>();
  }
  if (name == "chrf")
    all.chrf = {options.value("char_order", 6),
                options.value("word_order", 0),
                options.value("beta", 2),
                flag("lowercase"),
                flag("whitespace"),
                flag("eps_smoothing")};
  if (name == "ter")
    all.ter = {flag("normalized"), flag("no_punct"), flag("asian_support"), flag("case_sensitive")};
  return std::move(make_metrics(name, all).front());
}

References first_references(const json& entry) {
  const References all = golden()["references"];
  return {all.begin(), all.begin() + entry["references"].get<int>()};
}

Sentences system_of(const std::string& name) { return golden()["systems"][name]; }

std::string signature_without_version(size_t references, const Resampling& resampling, const Metric& metric) {
  Signature signature = full_signature(references, resampling, metric.options());
  EXPECT_EQ(signature.back().first, "version");
  signature.pop_back();
  return to_string(signature);
}

TEST(MetricsGolden, lower_case_is_that_of_python) {
  for (size_t i = 0; i < golden()["lines"].size(); ++i)
    EXPECT_EQ(lower(golden()["lines"][i].get<std::string>()), golden()["lower"][i].get<std::string>());
}

TEST(MetricsGolden, tokens_are_those_of_sacrebleu) {
  for (const auto& [name, expected] : golden()["tokens"].items()) {
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string line = golden()["lines"][i];
      std::string tokens;
      if (name.starts_with("ter ")) {
        const auto flag = [&name = name](size_t at) { return name[4 + at] == '1'; };
        tokens = tokenize_ter(line, {flag(0), flag(1), flag(2), flag(3)});
      } else {
        tokens = joined(find_tokenizer(name)(strip_end(line)));
      }
      EXPECT_EQ(tokens, expected[i].get<std::string>()) << name << ": " << line;
    }
  }
}

TEST(MetricsGolden, scores_and_signatures_are_those_of_sacrebleu) {
  ASSERT_GE(golden()["scores"].size(), 200U);
  for (const json& entry : golden()["scores"]) {
    const auto metric = metric_of(entry["metric"], entry["options"]);
    const References references = first_references(entry);
    const Sentences hypotheses = system_of(entry["system"]);
    const Score score = corpus_score(*metric, hypotheses, references);
    EXPECT_EQ(score.name, entry["name"].get<std::string>());
    EXPECT_DOUBLE_EQ(score.value, entry["score"].get<double>()) << entry["options"];
    EXPECT_EQ(score.verbose, entry["verbose"].get<std::string>());
    EXPECT_EQ(signature_without_version(references.size(), {}, *metric),
              entry["signature"].get<std::string>());
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      Sentences refs;
      for (const Sentences& reference : references) refs.push_back(reference[i]);
      EXPECT_DOUBLE_EQ(sentence_score(*metric, hypotheses[i], refs).value,
                       entry["sentences"][i].get<double>())
          << entry["options"] << " line " << i;
    }
  }
}

TEST(MetricsGolden, resampling_gives_the_intervals_and_p_values_of_sacrebleu) {
  for (const json& entry : golden()["significance"]) {
    const auto metric = metric_of(entry["metric"]);
    const References references = first_references(entry);
    const auto a = sentence_statistics(*metric, system_of("a"), references);
    const auto b = sentence_statistics(*metric, system_of("b"), references);
    const auto expect_interval = [&](const Interval& interval, const json& expected) {
      EXPECT_NEAR(interval.mean, expected[0].get<double>(), 2e-5) << metric->name();
      EXPECT_NEAR(interval.half_width, expected[1].get<double>(), 2e-5) << metric->name();
    };
    const auto samples = entry["bs"]["samples"].get<int64_t>(),
               trials = entry["ar"]["samples"].get<int64_t>();
    const Comparison bootstrap = paired_bootstrap(*metric, a, b, samples, kSacrebleuSeed);
    const Comparison randomized = paired_randomization(*metric, a, b, trials, kSacrebleuSeed);
    EXPECT_DOUBLE_EQ(bootstrap.p_value, entry["bs"]["p_value"].get<double>()) << metric->name();
    EXPECT_DOUBLE_EQ(randomized.p_value, entry["ar"]["p_value"].get<double>()) << metric->name();
    expect_interval(bootstrap_interval(*metric, a, samples, kSacrebleuSeed), entry["intervals"][0]);
    expect_interval(bootstrap.interval.value(), entry["intervals"][1]);
    EXPECT_FALSE(randomized.interval);
    for (const auto& [kind, count] : {std::pair("bs", samples), std::pair("ar", trials)})
      EXPECT_EQ(signature_without_version(references.size(), {kind, count, kSacrebleuSeed}, *metric),
                entry[kind]["signature"].get<std::string>());
  }
}

TEST(MetricsGolden, random_numbers_are_those_of_numpy) {
  for (const json& entry : golden()["random"]) {
    const auto seed = entry["seed"].get<uint64_t>();
    for (const auto& [n, expected] : entry["below"].items()) {
      NumpyRandom random(seed);
      for (const json& value : expected)
        EXPECT_EQ(random.below(static_cast<uint32_t>(std::stoul(n))), value.get<uint32_t>()) << n;
    }
    NumpyRandom random(seed);
    for (const char coin : entry["coins"].get<std::string>()) EXPECT_EQ(random.coin(), coin == '1');
  }
}

}  // namespace
}  // namespace attune::metrics
