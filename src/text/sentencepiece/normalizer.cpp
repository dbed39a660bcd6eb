#include "text/sentencepiece/normalizer.h"

#include <algorithm>

#include "base/ascii.h"
#include "text/sentencepiece/segmenter.h"
#include "text/utf8.h"

namespace attune {

// A byte that is not UTF-8 becomes U+FFFD.
Normalizer::Step Normalizer::next(std::string_view text) const {
  if (const size_t length = symbol_ ? symbol_(text) : 0; length > 0) return {text.substr(0, length), length};
  if (const auto [length, replacement] = table_.match(text); length > 0) return {replacement, length};
  const std::string_view one = text.substr(0, character_length(text));
  if (find_invalid_utf8(one)) return {"\uFFFD", 1};
  return {one, one.size()};
}

NormalizedText Normalizer::normalize(std::string_view text) const {
  NormalizedText done;
  size_t place = 0;
  const auto write = [&](char c) {
    const std::string_view bytes =
        c == ' ' && rules_.escaped_blanks ? kEscapedBlank : std::string_view(&c, 1);
    done.text += bytes;
    done.places.insert(done.places.end(), bytes.size(), place);
  };
  if (rules_.single_blanks)
    while (place < text.size()) {
      const Step step = next(text.substr(place));
      if (step.written != " ") break;
      place += step.length;
    }
  if (place == text.size()) return {{}, {place}};
  if (rules_.blank_first && !blanks_behind_) write(' ');
  bool after_blank = rules_.single_blanks;
  while (place < text.size()) {
    auto [written, length] = next(text.substr(place));
    while (after_blank && written.starts_with(' ')) written.remove_prefix(1);
    for (const char c : written) write(c);
    if (!written.empty()) after_blank = rules_.single_blanks && written.ends_with(' ');
    place += length;
  }
  if (rules_.single_blanks) {
    const std::string_view blank = rules_.escaped_blanks ? kEscapedBlank : " ";
    while (done.text.ends_with(blank)) {
      done.text.resize(done.text.size() - blank.size());
      place = done.places[done.text.size()];
      done.places.resize(done.text.size());
    }
  }
  if (rules_.blank_first && blanks_behind_) write(' ');
  done.places.push_back(place);
  return done;
}

}  // namespace attune
