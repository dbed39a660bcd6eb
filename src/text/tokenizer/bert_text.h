// BERT's treatment of text before WordPiece looks for tokens (Devlin et al. 2019): control characters are
// dropped, Chinese characters stand alone, letters become small and lose their accents; then white space and
// punctuation separate words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune {

struct BertRules {
  bool clean = true, chinese = true, lowercase = true, strip_accents = true;
};

// A text that was changed, and for each of its bytes the byte of the original that it comes from.
struct TracedText {
  std::string text;
  std::vector<size_t> origins;

  void add(std::string_view bytes, size_t origin) {
    text += bytes;
    origins.resize(text.size(), origin);
  }
};

TracedText bert_normalized(std::string_view text, const BertRules& rules);
// NFC of Unicode.
TracedText composed(std::string_view text);
TracedText unchanged(std::string_view text);

// Words and single punctuation marks, without white space.
std::vector<std::string_view> bert_words(std::string_view text);

}  // namespace attune
