// Scores of texts against references, with the numbers and signatures of `attune evaluate` (and sacreBLEU).
//
//   double bleu = attune::evaluate(hypotheses, references)[0].score;
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune {

// Names are those of `attune evaluate`'s options.
struct EvaluationOptions {
  std::vector<std::string> metrics = {"bleu"};
  std::string tokenize = "13a";
  bool lowercase = false, effective_order = false;
  std::string smooth_method = "exp";
  std::optional<double> smooth_value = {};
  int64_t chrf_char_order = 6, chrf_word_order = 0;
  bool chrf_lowercase = false;
  bool ter_case_sensitive = false, ter_normalized = false, ter_no_punct = false, ter_asian_support = false;
  bool rouge_stemmer = false;
};

struct MetricScore {
  std::string name;  // "BLEU"
  double score = 0;
  std::string signature;  // what the score depends on: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|..."
  std::string verbose;    // details, as sacreBLEU prints them; may be empty
  bool higher_is_better = true;
};

// references[r][i] is the r-th reference of hypotheses[i].
std::vector<MetricScore> evaluate(std::span<const std::string> hypotheses,
                                  std::span<const std::vector<std::string>> references,
                                  const EvaluationOptions& options = {});

std::vector<std::string> metric_names();

}  // namespace attune
