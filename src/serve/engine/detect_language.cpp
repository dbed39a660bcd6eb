#include "serve/engine/detect_language.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "text/boundaries.h"
#include "text/utf8.h"

namespace attune::serve {
namespace {

constexpr size_t kSample = 4096;  // bytes of a text that are looked at

// What is seldom in other languages of the same script.
struct Profile {
  std::string_view words, letters;
};

const std::map<std::string_view, Profile>& profiles() {
  static const std::map<std::string_view, Profile> all{
      {"en", {"the of and to is was for that it with are this you not have from they his her which", ""}},
      {"de",
       {"der die das und ist nicht ein eine zu den von mit sich auf dem des für es ich sie wir", "äöüß"}},
      {"fr",
       {"le la les et est des une un que qui dans pour pas sur ne du au vous nous avec ce", "àâçèéêëîïôùûœ"}},
      {"es", {"el la los las y es de que en un una por con no para su se lo como más pero", "ñáéíóú¿¡"}},
      {"it", {"il lo la gli e è di che un una per non con sono si del della nel ho come più", "àèéìòù"}},
      {"pt", {"o a os as e é de que um uma não em para com do da no na se por mais", "ãõçáâêéíóú"}},
      {"nl", {"de het een en van is niet dat op te zijn met voor er aan ook je wij hij ik", "ĳ"}},
      {"sv", {"och att det en ett är inte som på av för med den till har jag de om vi", "åäö"}},
      {"da", {"og at det en et er ikke som på af for med den til har jeg de om vi", "æøå"}},
      {"nb", {"og å det en et er ikke som på av for med den til har jeg de om vi", "æøå"}},
      {"fi", {"ja on ei se että en hän mutta oli tämä kun niin ovat minä sinä mitä", "äö"}},
      {"pl", {"i w na nie się z do to że jest jak co ale po od za tak o", "ąćęłńóśźż"}},
      {"cs", {"a v na se je že to s do o i k ale za jako po by jsem", "áčďéěíňóřšťúůýž"}},
      {"ro", {"și în de la nu cu un o este pe că pentru din mai care ce", "ăâîșț"}},
      {"hu", {"a az és hogy nem is egy ez van de meg csak mint volt már", "áéíóöőúüű"}},
      {"tr", {"ve bir bu da de için ile çok ne var mi ben o gibi daha", "çğıöşü"}},
      {"vi", {"là và của có không một được cho người trong này các với", "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽ"}},
      {"id", {"yang dan di ini itu dengan untuk tidak dari dalam akan pada ke ada", ""}},
      {"ru", {"и в не на что он я с как это по но из у за так же", "ыэё"}},
      {"uk", {"і в не на що він я з як це по але із у за так та", "іїєґ"}},
      {"bg", {"и в не на че той аз с как това по но от за се да е", "ъ"}},
  };
  return all;
}

std::set<UScriptCode> scripts_of(const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  UScriptCode codes[8];
  const int32_t count = uscript_getCode(language.c_str(), codes, 8, &status);
  if (U_FAILURE(status)) return {};
  return {codes, codes + count};
}

using Words = std::set<std::string, std::less<>>;

const Words& frequent_words(std::string_view language) {
  static const std::map<std::string_view, Words> all = [] {
    std::map<std::string_view, Words> lists;
    for (const auto& [code, profile] : profiles())
      for (const TextPart& part : words_of(profile.words)) lists[code].insert(part.text);
    return lists;
  }();
  return all.at(language);
}

// The beginning of a text, which says enough, in whole characters.
std::string_view sample(std::string_view text) {
  return text.size() <= kSample ? text : text.substr(0, code_point_begin(text, kSample));
}

struct Text {
  std::map<UScriptCode, double> scripts;  // letters of each
  double letters = 0;
  std::vector<std::string> words;  // in small letters
};

Text read(std::string_view text) {
  Text result;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    if (!u_isalpha(static_cast<UChar32>(c->value))) continue;
    UErrorCode status = U_ZERO_ERROR;
    result.scripts[uscript_getScript(static_cast<UChar32>(c->value), &status)] += 1;
    result.letters += 1;
  }
  std::string small;
  icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())))
      .toLower()
      .toUTF8String(small);
  for (const TextPart& part : words_of(small)) result.words.push_back(part.text);
  return result;
}

// The share of letters in scripts that the language is written in. Kana beside Han is Japanese.
double script_share(const Text& text, const std::string& language) {
  const auto scripts = scripts_of(language);
  double share = 0;
  for (const auto& [script, letters] : text.scripts)
    if (scripts.contains(script)) share += letters / text.letters;
  const bool kana = text.scripts.contains(USCRIPT_HIRAGANA) || text.scripts.contains(USCRIPT_KATAKANA);
  if (scripts.contains(USCRIPT_HIRAGANA) && !kana) share *= 0.5;
  return share;
}

// How often its words and letters come, for a word of the text.
double profile_score(const Text& text, const std::string& language) {
  const auto found = profiles().find(std::string_view(language).substr(0, 2));
  if (found == profiles().end() || text.words.empty()) return 0;
  const Words& frequent = frequent_words(found->first);
  double score = 0;
  for (const std::string& word : text.words) {
    if (frequent.contains(word)) score += 1;
    for (Utf8Reader reader(found->second.letters); const auto c = reader.next();)
      if (word.find(c->bytes) != std::string::npos) {
        score += 0.5;
        break;
      }
  }
  return score / static_cast<double>(text.words.size());
}

// The languages with a profile that are not among the candidates, so that a text can be in none of these.
std::vector<std::string> others(const std::vector<std::string>& candidates) {
  std::vector<std::string> languages;
  for (const auto& profile : profiles()) {
    const std::string_view code = profile.first;
    if (std::ranges::none_of(candidates, [code](const std::string& c) { return c.substr(0, 2) == code; }))
      languages.emplace_back(code);
  }
  return languages;
}

}  // namespace

std::vector<Detected> detect_language(std::string_view text, const std::vector<std::string>& candidates) {
  const Text read_text = read(sample(text));
  if (read_text.letters == 0) return {};
  const auto weight = [&](const std::string& language) {
    return script_share(read_text, language) * std::exp(8 * profile_score(read_text, language));
  };
  std::vector<Detected> all;
  double sum = 0;
  for (const std::string& language : candidates) {
    all.push_back({language, weight(language)});
    sum += all.back().confidence;
  }
  for (const std::string& language : others(candidates)) sum += weight(language);
  for (Detected& each : all) {
    const double share = sum > 0 ? each.confidence / sum : 0;
    each.confidence = std::round(1000 * share * script_share(read_text, each.language)) / 10;
  }
  std::ranges::stable_sort(all, std::greater(), &Detected::confidence);
  return all;
}

}  // namespace attune::serve
