// Tags and placeholders find their places.
#include "serve/markup/place_markup.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attune/random.h"
#include "text/boundaries.h"
#include "text/utf8.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune::serve {
namespace {

std::string same(std::string_view text) { return std::string(text); }

// A sentence of words whose translation has them in another order, each with a prime.
struct Reordered {
  std::string sentence;
  AlignedOutput output;

  Reordered(const std::string& words, const std::vector<size_t>& order) : sentence(words) {
    std::vector<std::pair<size_t, size_t>> places;
    for (size_t begin = 0; begin < words.size();) {
      const size_t end = std::min(words.find(' ', begin), words.size());
      places.emplace_back(begin, end);
      begin = end + 1;
    }
    for (const size_t i : order) {
      const size_t begin = output.text.size();
      output.text +=
          (begin == 0 ? "" : " ") + words.substr(places[i].first, places[i].second - places[i].first) + "'";
      output.tokens.push_back({begin, output.text.size(), places[i].first, places[i].second});
    }
  }
  std::string operator()(const std::vector<MarkupSpan>& marks) const {
    return place_markup(sentence, marks, output, same);
  }
};

TEST(PlaceMarkup, go_where_their_words_went) {
  const Reordered swapped("aa bb cc dd", {2, 3, 0, 1});
  EXPECT_EQ(swapped({}), "cc' dd' aa' bb'");
  EXPECT_EQ(swapped({{0, 2, "<b>", "</b>"}}), "cc' dd' <b>aa'</b> bb'");
  EXPECT_EQ(swapped({{0, 5, "<b>", "</b>"}, {6, 8, "<i>", "</i>"}}), "<i>cc'</i> dd' <b>aa' bb'</b>");
  EXPECT_EQ(swapped({{0, 5, "<b>", "</b>"}, {3, 5, "<i>", "</i>"}}), "cc' dd' <b>aa' <i>bb'</i></b>");
  EXPECT_EQ(swapped({{0, 11, "<p>", "</p>"}, {9, 11, "<i>", "</i>"}}), "<p>cc' <i>dd'</i> aa' bb'</p>");
  EXPECT_EQ(swapped({{3, 5, "{x}", "", true}}), "cc' dd' aa' {x}");
}

TEST(PlaceMarkup, survive_when_nothing_became_of_their_words) {
  const Reordered lost("aa bb cc", {2, 0});
  EXPECT_EQ(lost({{3, 5, "<b>", "</b>"}}), "<b></b>cc' aa'");
  EXPECT_EQ(lost({{3, 5, "{x}", "", true}, {6, 6, "<img>", ""}}), "{x}<img> cc' aa'");
  const Reordered nothing("aa bb", {});
  EXPECT_EQ(nothing({{0, 2, "<b>", "</b>"}, {3, 5, "%s", "", true}}), "<b></b>%s");
}

TEST(PlaceMarkup, a_part_that_was_scattered_takes_its_longest_piece) {
  const Reordered scattered("aa bb cc dd", {0, 3, 1, 2});
  EXPECT_EQ(scattered({{0, 8, "<b>", "</b>"}}), "aa' dd' <b>bb' cc'</b>");
}

TEST(PlaceMarkup, tokens_of_vocabularies_have_their_places) {
  const std::shared_ptr<const Vocabulary> words =
      train_vocabulary({{1, [](int64_t) { return "one two drei vier"; }}}, {.kind = VocabularyKind::word});
  const Hypothesis output{.words = words->encode("vier drei"),
                          .alignment = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};
  const AlignedOutput aligned = aligned_output({words, words}, "one two", words->encode("one two"), output);
  EXPECT_EQ(aligned.text, "vier drei");
  ASSERT_EQ(aligned.tokens.size(), 2u);
  EXPECT_EQ(place_markup("one two", {{4, 7, "<b>", "</b>"}}, aligned, same), "<b>vier</b> drei");
  EXPECT_EQ(place_markup("one two", {{0, 3, "<b>", "</b>"}}, aligned, same), "vier <b>drei</b>");
}

// An output of pieces, each with the part of the sentence that it looked at.
AlignedOutput pieces(const std::string& sentence,
                     const std::vector<std::pair<std::string, std::string>>& looks) {
  AlignedOutput output;
  for (const auto& [piece, source] : looks) {
    const size_t begin = output.text.size(), from = sentence.find(source);
    output.text += piece;
    output.tokens.push_back({begin, output.text.size(), from, from + source.size()});
  }
  return output;
}

MarkupSpan around(const std::string& sentence, const std::string& part, const std::string& before,
                  const std::string& after) {
  return {sentence.find(part), sentence.find(part) + part.size(), before, after};
}
MarkupSpan literal(const std::string& sentence, const std::string& part) {
  return {sentence.find(part), sentence.find(part) + part.size(), part, "", true};
}

TEST(PlaceMarkup, do_not_divide_words_that_were_whole) {
  const std::string sentence = "A dog making noise";
  const AlignedOutput output =
      pieces(sentence, {{"Un chien", "dog"}, {" fais", "making"}, {"ant", "noise"}, {" du bruit", "noise"}});
  EXPECT_EQ(place_markup(sentence, {around(sentence, "making", "<b>", "</b>")}, output, same),
            "Un chien <b>faisant</b> du bruit");
  EXPECT_EQ(place_markup(sentence, {around(sentence, "noise", "<b>", "</b>")}, output, same),
            "Un chien faisant <b>du bruit</b>");
  MarkupSpan alone{sentence.find("noise"), sentence.find("noise"), "<img>", ""};
  EXPECT_EQ(place_markup(sentence, {alone}, output, same), "Un chien <img>faisant du bruit");
  const std::string greek = "Το μεγάλο σπίτι";
  EXPECT_EQ(
      place_markup(greek, {around(greek, "μεγάλο", "<b>", "</b>")},
                   pieces(greek, {{"das", "Το"}, {" gro", "μεγάλο"}, {"ße", "σπίτι"}, {" Haus", "σπίτι"}}),
                   same),
      "das <b>große</b> Haus");
}

// Pieces of a text, cut anywhere between characters, that look at random words of the sentence.
AlignedOutput random_pieces(const std::string& text, const std::string& sentence, const Random& random) {
  const auto words = word_boundaries(sentence);
  AlignedOutput output{text, {}};
  size_t at = 0;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const size_t end = at + c->bytes.size();
    if (output.tokens.empty() || random.below(3, 2 * at) == 0) {
      const size_t word = random.below(words.size() - 1, 2 * at + 1);
      output.tokens.push_back({at, end, words[word], words[word + 1]});
    }
    output.tokens.back().end = at = end;
  }
  return output;
}

TEST(PlaceMarkup, stand_between_words_whatever_was_looked_at) {
  const std::string sentence = "one two three, four {x} five";
  const std::string text = "Der große Häuserblock, бежит быстро l'eau 大きな家 end.";
  const auto words = word_boundaries(text);
  const MarkupSpan placeholder = literal(sentence, "{x}");
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const AlignedOutput output = random_pieces(text, sentence, Random(seed));
    const std::vector<MarkupSpan> tags{
        {0, 13, "<", ">"}, {4, 7, "<", ">"}, {15, 15, "<", ">"}, {15, 19, "<", ">"}};
    std::string plain;
    for (const char c : place_markup(sentence, tags, output, same)) {
      if (c != '<' && c != '>')
        plain += c;
      else
        EXPECT_TRUE(std::ranges::binary_search(words, plain.size())) << seed << ": " << plain;
    }
    EXPECT_EQ(plain, text);
    const std::string with = place_markup(sentence, {placeholder}, output, same);
    const size_t at = with.find("{x}");
    ASSERT_NE(at, std::string::npos) << with;
    const std::string_view before = std::string_view(with).substr(0, at),
                           behind = std::string_view(with).substr(at + 3);
    EXPECT_TRUE(!ends_in_word(before) || ends_without_blank(before)) << with;
    EXPECT_TRUE(!begins_in_word(behind) || begins_without_blank(behind)) << with;
  }
}

TEST(PlaceMarkup, divide_a_word_where_they_did_in_the_sentence) {
  EXPECT_EQ(place_markup("unbelievable", {{0, 2, "<b>", "</b>"}},
                         AlignedOutput{"unglaublich", {{0, 2, 0, 2}, {2, 11, 2, 12}}}, same),
            "<b>un</b>glaublich");
}

TEST(PlaceMarkup, placeholders_stay_apart_from_words_as_they_were) {
  const std::string sentence = "Hello {name}, see https://x.org now";
  EXPECT_EQ(place_markup(sentence, {literal(sentence, "{name}"), literal(sentence, "https://x.org")},
                         pieces(sentence, {{"Bonjour", "Hello"},
                                           {" d", "Hello"},
                                           {"e", "{name}"},
                                           {",", ","},
                                           {" l'a", "see"},
                                           {"b", "https://x.org"},
                                           {" ici", "now"}}),
                         same),
            "Bonjour {name}, https://x.org l'ab ici");
  // The model wrote them itself, but glued.
  EXPECT_EQ(place_markup(sentence, {literal(sentence, "{name}"), literal(sentence, "https://x.org")},
                         pieces(sentence, {{"Salut d", "Hello"},
                                           {"{name}", "{name}"},
                                           {", l'a", ","},
                                           {"https://x.org", "https://x.org"}}),
                         same),
            "Salut d {name}, l'a https://x.org");
  const std::string growing = "a %s house";
  EXPECT_EQ(
      place_markup(growing, {literal(growing, "%s")},
                   pieces(growing, {{"un", "a"}, {" gr", "%s"}, {"andis", "house"}, {" maison", "house"}}),
                   same),
      "un %s grandis maison");
  const std::string unit = "{n}px wide";
  EXPECT_EQ(place_markup(unit, {literal(unit, "{n}")},
                         pieces(unit, {{"{n}", "{n}"}, {"px", "px"}, {" breit", "wide"}}), same),
            "{n}px breit");
  const std::string chinese = "你好{имя}，再见";
  EXPECT_EQ(place_markup(chinese, {literal(chinese, "{имя}")},
                         pieces(chinese, {{"Hello", "你好"}, {" x", "{имя}"}, {", bye", "再见"}}), same),
            "Hello {имя}, bye");
  EXPECT_EQ(place_markup(growing, {literal(growing, "%s")},
                         pieces(growing, {{"一座", "a"}, {"大", "%s"}, {"房子", "house"}}), same),
            "一座%s房子");
}

TEST(PlaceMarkup, each_placeholder_comes_once) {
  const std::string sentence = "{a} {b} {a}";
  const std::vector<MarkupSpan> marks{
      {0, 3, "{a}", "", true}, {4, 7, "{b}", "", true}, {8, 11, "{a}", "", true}};
  EXPECT_EQ(
      place_markup(sentence, marks, pieces(sentence, {{"{b}", "{b}"}, {" {a}", "{a}"}, {" x", "{b}"}}), same),
      "{b} {a} x {a}");
  const std::vector<MarkupSpan> inside{{0, 3, "<b>", "</b>"}, {0, 3, "{a}", "", true}};
  EXPECT_EQ(
      place_markup(sentence, inside, pieces(sentence, {{"y", "{a}"}, {" x", "{b}"}, {" {a}", "{b}"}}), same),
      "<b>y x {a}</b>");
}

}  // namespace
}  // namespace attune::serve
