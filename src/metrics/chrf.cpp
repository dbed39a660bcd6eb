#include "metrics/chrf.h"

#include <fmt/core.h>

#include "metrics/ngrams.h"
#include "metrics/tokenize/unicode.h"

namespace attune::metrics {
namespace {

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::vector<uint32_t> characters(std::u32string_view text, bool whitespace) {
  std::vector<uint32_t> symbols;
  symbols.reserve(text.size());
  for (const char32_t c : text)
    if (whitespace || !is_space(c)) symbols.push_back(c);
  return symbols;
}

// Words, with one punctuation mark split off: the last character if it is one, otherwise the first.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text)) {
    size_t cut = 0;
    if (word.size() > 1 && is_ascii_punctuation(static_cast<unsigned char>(word.back())))
      cut = word.size() - 1;
    else if (word.size() > 1 && is_ascii_punctuation(static_cast<unsigned char>(word.front())))
      cut = 1;
    if (cut > 0) words.push_back(word.substr(0, cut));
    words.push_back(word.substr(cut));
  }
  return words;
}

// (hypothesis, reference, matches) for each order. If the reference has no n-grams of an order, those of the
// hypothesis do not count either.
void add_statistics(const Ngrams& hyp, const Ngrams& ref, uint32_t size, Statistics& result) {
  const std::vector<int64_t> matched = matches(hyp, count(ref, size));
  for (size_t n = 0; n < hyp.size(); ++n) {
    result.push_back(ref[n].empty() ? 0 : static_cast<double>(hyp[n].size()));
    result.push_back(static_cast<double>(ref[n].size()));
    result.push_back(static_cast<double>(matched[n]));
  }
}

}  // namespace

std::string Chrf::name() const {
  return fmt::format("chrF{}{}", options_.beta, std::string(static_cast<size_t>(options_.word_order), '+'));
}

Signature Chrf::options() const {
  return {{"case", options_.lowercase ? "lc" : "mixed"},
          {"eff", yes_or_no(!options_.eps_smoothing)},
          {"nc", std::to_string(options_.char_order)},
          {"nw", std::to_string(options_.word_order)},
          {"space", yes_or_no(options_.whitespace)}};
}

Statistics Chrf::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  struct Side {
    Ngrams characters, words;
  };
  WordNumbers numbers_of_words;
  NgramNumbers character_ngrams, word_ngrams;
  const auto side = [&](std::string_view line) {
    const std::string text = options_.lowercase ? lower(line) : std::string(line);
    Side result;
    result.characters = character_ngrams(characters(decode(text), options_.whitespace), options_.char_order);
    if (options_.word_order > 0)
      result.words = word_ngrams(numbers_of_words(words_of(text)), options_.word_order);
    return result;
  };
  const Side hyp = side(hypothesis);
  Statistics best;
  double highest = -1;
  for (const std::string& reference : references) {
    const Side ref = side(reference);
    Statistics statistics;
    add_statistics(hyp.characters, ref.characters, character_ngrams.size(), statistics);
    add_statistics(hyp.words, ref.words, word_ngrams.size(), statistics);
    if (const double f = value(statistics); f > highest) {
      highest = f;
      best = std::move(statistics);
    }
  }
  return best;
}

// F = (1 + beta^2) P R / (beta^2 P + R), where P and R are means over the orders for which both sides have
// n-grams.
double Chrf::value(const Statistics& totals) const {
  constexpr double kEpsilon = 1e-16;
  const double factor = options_.beta * options_.beta;
  const auto f_score = [&](double precision, double recall, double undefined) {
    const double denominator = factor * precision + recall;
    return denominator > 0 ? (1 + factor) * precision * recall / denominator : undefined;
  };
  double precisions = 0, recalls = 0, f_scores = 0, orders = 0;
  for (size_t k = 0; k < totals.size(); k += 3) {
    const double hyp = totals[k], ref = totals[k + 1], matched = totals[k + 2];
    const double precision = hyp > 0 ? matched / hyp : kEpsilon, recall = ref > 0 ? matched / ref : kEpsilon;
    f_scores += f_score(precision, recall, kEpsilon);
    if (hyp > 0 && ref > 0) {
      precisions += precision;
      recalls += recall;
      ++orders;
    }
  }
  if (options_.eps_smoothing) return 100 * f_scores / (options_.char_order + options_.word_order);
  return orders == 0 ? 0 : 100 * f_score(precisions / orders, recalls / orders, 0);
}

}  // namespace attune::metrics
