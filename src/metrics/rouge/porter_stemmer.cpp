#include "metrics/rouge/porter_stemmer.h"

#include <span>
#include <utility>

namespace attune::metrics {
namespace {

bool is_consonant(std::string_view word, size_t i) {
  if (word[i] == 'y') return i == 0 || !is_consonant(word, i - 1);
  return std::string_view("aeiou").find(word[i]) == std::string_view::npos;
}

bool has_vowel(std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i)
    if (!is_consonant(word, i)) return true;
  return false;
}

// m of a word [C](VC)^m[V], where C and V are runs of consonants and of vowels.
int measure(std::string_view word) {
  int m = 0;
  for (size_t i = 1; i < word.size(); ++i) m += !is_consonant(word, i - 1) && is_consonant(word, i) ? 1 : 0;
  return m;
}

bool ends_with_double_consonant(std::string_view word) {
  const size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && is_consonant(word, n - 1);
}

// Consonant, vowel, consonant other than w, x, y, as in "hop"; of two letters, vowel and consonant.
bool ends_short(std::string_view word) {
  const size_t n = word.size();
  if (n == 2) return !is_consonant(word, 0) && is_consonant(word, 1);
  return n >= 3 && is_consonant(word, n - 3) && !is_consonant(word, n - 2) && is_consonant(word, n - 1) &&
         std::string_view("wxy").find(word[n - 1]) == std::string_view::npos;
}

// Without the last n letters.
std::string_view without(std::string_view word, size_t n) { return word.substr(0, word.size() - n); }

struct Rule {
  std::string_view suffix, replacement;
};

// The first rule whose suffix the word has is applied if what comes before it fits; no other is tried.
template <class Fits>
std::string apply(std::string_view word, std::span<const Rule> rules, const Fits& fits) {
  for (const auto& [suffix, replacement] : rules)
    if (word.ends_with(suffix)) {
      const std::string_view stem = without(word, suffix.size());
      return fits(stem, suffix) ? std::string(stem).append(replacement) : std::string(word);
    }
  return std::string(word);
}

bool has_measure(std::string_view stem, std::string_view) { return measure(stem) > 0; }

// Plurals.
std::string step_1a(std::string_view word) {
  if (word.size() == 4 && word.ends_with("ies")) return std::string(without(word, 1));
  static constexpr Rule kRules[] = {{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}};
  return apply(word, kRules, [](auto...) { return true; });
}

// -ed and -ing.
std::string step_1b(std::string_view word) {
  if (word.ends_with("ied")) return std::string(without(word, word.size() == 4 ? 1 : 2));
  if (word.ends_with("eed")) return std::string(measure(without(word, 3)) > 0 ? without(word, 1) : word);
  std::string_view stem = word;
  for (const std::string_view suffix : {"ed", "ing"})
    if (stem == word && word.ends_with(suffix) && has_vowel(without(word, suffix.size())))
      stem = without(word, suffix.size());
  if (stem == word) return std::string(word);
  for (const std::string_view ending : {"at", "bl", "iz"})
    if (stem.ends_with(ending)) return std::string(stem) + "e";
  if (ends_with_double_consonant(stem))
    return std::string(std::string_view("lsz").find(stem.back()) == std::string_view::npos ? without(stem, 1)
                                                                                           : stem);
  return std::string(stem).append(measure(stem) == 1 && ends_short(stem) ? "e" : "");
}

std::string step_1c(std::string_view word) {
  static constexpr Rule kRules[] = {{"y", "i"}};
  return apply(word, kRules, [](std::string_view stem, std::string_view) {
    return stem.size() > 1 && is_consonant(stem, stem.size() - 1);
  });
}

std::string step_2(std::string_view word) {
  if (word.ends_with("alli") && measure(without(word, 4)) > 0) return step_2(without(word, 2));
  static constexpr Rule kRules[] = {
      {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
      {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
      {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
      {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
      {"fulli", "ful"},   {"logi", "log"}};
  return apply(word, kRules, [&](std::string_view stem, std::string_view suffix) {
    return measure(suffix == "logi" ? without(word, 3) : stem) > 0;
  });
}

std::string step_3(std::string_view word) {
  static constexpr Rule kRules[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                    {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
  return apply(word, kRules, has_measure);
}

std::string step_4(std::string_view word) {
  static constexpr Rule kRules[] = {{"al", ""},   {"ance", ""}, {"ence", ""}, {"er", ""},    {"ic", ""},
                                    {"able", ""}, {"ible", ""}, {"ant", ""},  {"ement", ""}, {"ment", ""},
                                    {"ent", ""},  {"ion", ""},  {"ou", ""},   {"ism", ""},   {"ate", ""},
                                    {"iti", ""},  {"ous", ""},  {"ive", ""},  {"ize", ""}};
  return apply(word, kRules, [](std::string_view stem, std::string_view suffix) {
    return measure(stem) > 1 && (suffix != "ion" || stem.back() == 's' || stem.back() == 't');
  });
}

std::string step_5(std::string_view word) {
  if (word.ends_with('e')) {
    const std::string_view stem = without(word, 1);
    const int m = measure(stem);
    if (m > 1 || (m == 1 && !ends_short(stem))) word = stem;
  }
  return std::string(word.ends_with("ll") && measure(without(word, 1)) > 1 ? without(word, 1) : word);
}

// Words for which the rules do not hold.
constexpr std::pair<std::string_view, std::string_view> kIrregular[] = {
    {"sky", "sky"},        {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},
    {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
    {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
    {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"}};

}  // namespace

std::string porter_stem(std::string_view word) {
  for (const auto& [irregular, stem] : kIrregular)
    if (word == irregular) return std::string(stem);
  std::string stem(word);
  if (word.size() <= 2) return stem;
  for (const auto step : {step_1a, step_1b, step_1c, step_2, step_3, step_4, step_5}) stem = step(stem);
  return stem;
}

}  // namespace attune::metrics
