#include "text/word_links.h"

#include <algorithm>
#include <charconv>

namespace attune {

std::optional<WordLink> read_link(std::string_view text) {
  const char* const end = text.data() + text.size();
  WordLink link{};
  const auto first = std::from_chars(text.data(), end, link.source);
  if (first.ec != std::errc{} || first.ptr == end || (*first.ptr != '-' && *first.ptr != 'p')) return {};
  link.sure = *first.ptr == '-';
  const auto second = std::from_chars(first.ptr + 1, end, link.target);
  if (second.ec != std::errc{} || second.ptr != end || link.source < 0 || link.target < 0) return {};
  return link;
}

std::vector<std::string_view> blank_separated(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> words;
  for (size_t begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::vector<int32_t> words_of_tokens(const Vocabulary& vocabulary, std::string_view text) {
  std::vector<size_t> ends;
  for (const std::string_view word : blank_separated(text))
    ends.push_back(static_cast<size_t>(word.data() - text.data()) + word.size());
  std::vector<int32_t> numbers;
  for (const size_t begin : vocabulary.begins(text)) {
    const auto word = std::ranges::upper_bound(ends, begin);  // the first that ends after it
    numbers.push_back(word == ends.end() ? -1 : static_cast<int32_t>(word - ends.begin()));
  }
  return numbers;
}

}  // namespace attune
