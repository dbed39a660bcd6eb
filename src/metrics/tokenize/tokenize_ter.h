// The tokenisation of TER: tercom's Normalizer, in sacreBLEU's version.
#pragma once

#include <string>
#include <string_view>

namespace attune::metrics {

struct TerOptions {
  bool normalized = false;     // tokenise by the Western rules
  bool no_punct = false;       // drop punctuation
  bool asian_support = false;  // with the two above: separate Chinese characters, drop Asian punctuation too
  bool case_sensitive = false;
};

// A line with one space between its tokens.
std::string tokenize_ter(std::string_view line, const TerOptions& options);

}  // namespace attune::metrics
