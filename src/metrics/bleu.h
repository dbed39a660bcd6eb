// BLEU (Papineni et al. 2002), identical to sacreBLEU 2 to the last digit.
#pragma once

#include <optional>

#include "metrics/metric.h"
#include "metrics/tokenize/tokenize.h"

namespace attune::metrics {

// What replaces a precision of zero (Chen and Cherry 2014):
enum class Smoothing {
  none,   // zero, and BLEU is then zero
  floor,  // value / number of n-grams
  add_k,  // value is added to matches and n-grams of the orders above 1
  exp,    // 1 / (2^k number of n-grams) for the k-th zero, as in mteval-v13a.pl
};

Smoothing smoothing_of(std::string_view name);
std::string_view name_of(Smoothing smoothing);

struct BleuOptions {
  std::string tokenize = "13a";
  TokenizerOptions tokenizer = {};
  bool lowercase = false;
  Smoothing smoothing = Smoothing::exp;
  std::optional<double> smooth_value = {};  // 0.1 for floor, 1 for add-k unless given
  bool effective_order =
      false;  // leave out orders for which a hypothesis has no n-grams: for single sentences
};

// Statistics: lengths of the hypothesis and of the closest reference, matches of order 1 to 4, n-grams of
// order 1 to 4.
class Bleu final : public Metric {
 public:
  explicit Bleu(BleuOptions options = {});

  std::string name() const override { return "BLEU"; }
  Signature options() const override;
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
  std::string verbose(const Statistics& totals) const override;

 private:
  struct Factors;
  Factors factors(const Statistics& totals) const;
  double smooth_value() const;

  BleuOptions options_;
  Tokenizer tokenizer_;
};

}  // namespace attune::metrics
