#include "metrics/rouge/rouge.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/ascii.h"
#include "metrics/ngrams.h"
#include "metrics/rouge/porter_stemmer.h"
#include "metrics/tokenize/unicode.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune::metrics {
namespace {

using Words = std::vector<uint32_t>;
using Sentence = std::span<const uint32_t>;

std::string stem(const std::string& token) {
  return token.size() > 3 && std::ranges::all_of(token, is_ascii_visible) ? porter_stem(token) : token;
}

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  bool inside = false;
  for (const char32_t c : decode(lower(text))) {
    const bool alone = is_unspaced(c), part = is_letter(c) || is_number(c);
    if (part && (alone || !inside)) tokens.emplace_back();
    if (part) append_utf8(tokens.back(), c);
    inside = part && !alone;
  }
  return tokens;
}

// Cuts at newlines, and at \n.
std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> sentences;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t newline = std::min(text.find('\n', begin), text.size());
    const size_t written = std::min(text.find("\\n", begin), text.size());
    sentences.push_back(text.substr(begin, std::min(newline, written) - begin));
    begin = newline < written ? newline + 1 : written + 2;
  }
  return sentences;
}

Words joined(const std::vector<Words>& sentences) {
  Words all;
  for (const Words& sentence : sentences) all.insert(all.end(), sentence.begin(), sentence.end());
  return all;
}

size_t longest_common_subsequence(Sentence a, Sentence b) {
  std::vector<size_t> row(b.size() + 1);
  for (const uint32_t word : a) {
    size_t diagonal = 0;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = word == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

// Sets `found` at the places of a that are in its longest common subsequence with b. Of several, the one that
// rouge-score takes.
void mark_longest(Sentence a, Sentence b, std::vector<bool>& found) {
  std::vector lengths(a.size() + 1, Words(b.size() + 1));  // [i][j]: of the first i words and the first j
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j)
      lengths[i][j] =
          a[i - 1] == b[j - 1] ? lengths[i - 1][j - 1] + 1 : std::max(lengths[i - 1][j], lengths[i][j - 1]);
  for (size_t i = a.size(), j = b.size(); i > 0 && j > 0;)
    if (a[i - 1] == b[j - 1]) {
      found[--i] = true;
      --j;
    } else if (lengths[i][j - 1] > lengths[i - 1][j]) {
      --j;
    } else {
      --i;
    }
}

struct Overlap {
  size_t common, hypothesis, reference;
};

Overlap overlap_of_ngrams(Sentence hypothesis, Sentence reference, int order) {
  NgramNumbers numbers;
  const Ngrams hyp = numbers(hypothesis, order), ref = numbers(reference, order);
  return {static_cast<size_t>(matches(hyp, count(ref, numbers.size())).back()), hyp.back().size(),
          ref.back().size()};
}

Overlap overlap_of_longest(Sentence hypothesis, Sentence reference) {
  return {longest_common_subsequence(hypothesis, reference), hypothesis.size(), reference.size()};
}

// A word counts at most as often as the hypothesis has it.
Overlap overlap_of_sentences(const std::vector<Words>& hypothesis, const std::vector<Words>& reference) {
  const Words written = joined(hypothesis);
  std::unordered_map<uint32_t, size_t> left;
  for (const uint32_t word : written) ++left[word];
  size_t common = 0, words = 0;
  for (const Words& sentence : reference) {
    std::vector<bool> found(sentence.size());
    for (const Words& other : hypothesis) mark_longest(sentence, other, found);
    for (size_t i = 0; i < sentence.size(); ++i)
      if (found[i] && left[sentence[i]] > 0) {
        --left[sentence[i]];
        ++common;
      }
    words += sentence.size();
  }
  return {common, written.size(), words};
}

}  // namespace

std::string Rouge::name() const {
  switch (kind_) {
    case Kind::unigrams: return "ROUGE-1";
    case Kind::bigrams: return "ROUGE-2";
    case Kind::longest: return "ROUGE-L";
    default: return "ROUGE-Lsum";
  }
}

Signature Rouge::options() const {
  return {{"case", "lc"}, {"tok", "rouge"}, {"stem", options_.stemmer ? "porter" : "no"}};
}

Statistics Rouge::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  WordNumbers numbers;
  const auto words = [&](std::string_view text) {
    std::vector<Words> sentences;
    for (const std::string_view sentence : sentences_of(text)) {
      std::vector<std::string> tokens = tokens_of(sentence);
      if (options_.stemmer) std::ranges::transform(tokens, tokens.begin(), stem);
      sentences.push_back(numbers(std::vector<std::string_view>(tokens.begin(), tokens.end())));
    }
    return sentences;
  };
  const auto overlap_of = [&](const std::vector<Words>& hyp, const std::vector<Words>& ref) {
    switch (kind_) {
      case Kind::unigrams: return overlap_of_ngrams(joined(hyp), joined(ref), 1);
      case Kind::bigrams: return overlap_of_ngrams(joined(hyp), joined(ref), 2);
      case Kind::longest: return overlap_of_longest(joined(hyp), joined(ref));
      default: return overlap_of_sentences(hyp, ref);
    }
  };
  const std::vector<Words> hyp = words(hypothesis);
  Statistics best{-1, 0, 0, 1};
  for (const std::string& reference : references) {
    const Overlap overlap = overlap_of(hyp, words(reference));
    const auto common = static_cast<double>(overlap.common);
    const double precision = common / static_cast<double>(std::max<size_t>(overlap.hypothesis, 1));
    const double recall = common / static_cast<double>(std::max<size_t>(overlap.reference, 1));
    const double f1 = common > 0 ? 2 * precision * recall / (precision + recall) : 0;
    if (f1 > best[0]) best = {f1, precision, recall, 1};
  }
  return best;
}

double Rouge::value(const Statistics& totals) const { return 100 * totals[0] / totals[3]; }

std::string Rouge::verbose(const Statistics& totals) const {
  const Parts p = parts(totals);
  return fmt::format("(precision = {:.1f} recall = {:.1f})", p[0].second, p[1].second);
}

Parts Rouge::parts(const Statistics& totals) const {
  return {{"precision", 100 * totals[1] / totals[3]}, {"recall", 100 * totals[2] / totals[3]}};
}

}  // namespace attune::metrics
