#include "compare/report/differences.h"

#include <algorithm>

#include "metrics/tokenize/unicode.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune::compare {
namespace {

enum class Kind : uint8_t { blank, letters, digits, single };

Kind kind_of(char32_t c) {
  if (metrics::is_space(c)) return Kind::blank;
  if (is_unspaced(c)) return Kind::single;
  if (metrics::is_letter(c) || c == '\'' || c == U'’') return Kind::letters;
  return metrics::is_number(c) ? Kind::digits : Kind::single;
}

std::string_view bare(const std::string& word) { return metrics::strip_end(word); }

}  // namespace

std::vector<std::string> cut_into_words(std::string_view text) {
  std::vector<std::string> words;
  Kind before = Kind::single;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const Kind kind = kind_of(c->value);
    const bool goes_on = kind == Kind::blank || (kind == before && kind != Kind::single);
    if (words.empty() || !goes_on) words.emplace_back();
    words.back() += c->bytes;
    before = kind;
  }
  return words;
}

std::vector<Stretch> differences(std::string_view output, std::string_view reference) {
  const std::vector<std::string> a = cut_into_words(output), b = cut_into_words(reference);
  // longest[i][j]: the length of the longest common subsequence of a[i..] and b[j..]
  std::vector<std::vector<int>> longest(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;)
      longest[i][j] = bare(a[i]) == bare(b[j]) ? longest[i + 1][j + 1] + 1
                                               : std::max(longest[i + 1][j], longest[i][j + 1]);
  std::vector<Stretch> stretches;
  const auto add = [&](const std::string& word, bool same) {
    if (stretches.empty() || stretches.back().same != same) stretches.push_back({"", same});
    stretches.back().text += word;
  };
  for (size_t i = 0, j = 0; i < a.size();) {
    if (j < b.size() && bare(a[i]) == bare(b[j])) {
      add(a[i++], true);
      ++j;
    } else if (j < b.size() && longest[i][j + 1] >= longest[i + 1][j]) {
      ++j;
    } else {
      add(a[i++], false);
    }
  }
  return stretches;
}

}  // namespace attune::compare
