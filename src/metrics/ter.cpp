#include "metrics/ter.h"

#include <algorithm>
#include <limits>

#include "metrics/ngrams.h"
#include "metrics/ter_shifts.h"
#include "metrics/tokenize/unicode.h"

namespace attune::metrics {

Signature Ter::options() const {
  return {{"case", options_.case_sensitive ? "mixed" : "lc"},
          {"tok", "tercom"},
          {"norm", yes_or_no(options_.normalized)},
          {"punct", yes_or_no(!options_.no_punct)},
          {"asian", yes_or_no(options_.asian_support)}};
}

Statistics Ter::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  WordNumbers numbers;
  const std::string text = tokenize_ter(hypothesis, options_);
  const std::vector<uint32_t> hyp = numbers(split(text));
  double edits = std::numeric_limits<double>::infinity(), lengths = 0;
  for (const std::string& reference : references) {
    // Twice, as sacreBLEU tokenises references: the second pass splits what the first has prepared ("it's.").
    const std::string tokens = tokenize_ter(tokenize_ter(reference, options_), options_);
    const std::vector<uint32_t> ref = numbers(split(tokens));
    edits = std::min(edits, static_cast<double>(edits_with_shifts(hyp, ref)));
    lengths += static_cast<double>(ref.size());
  }
  return {edits, lengths / static_cast<double>(references.size())};
}

double Ter::value(const Statistics& totals) const {
  const double edits = totals[0], length = totals[1];
  if (length > 0) return 100 * (edits / length);
  return edits > 0 ? 100 : 0;
}

}  // namespace attune::metrics
