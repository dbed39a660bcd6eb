// Which of a few languages a text is written in, if any: by its script, and among languages of one script by
// their most frequent words and their own letters. Only the first 4096 bytes of a text count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune::serve {

struct Detected {
  std::string language;
  double confidence = 0;  // 0 to 100
};

// The candidates, likeliest first; none for a text without letters. A text in a language that is none of them
// gives each a low confidence.
std::vector<Detected> detect_language(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace attune::serve
