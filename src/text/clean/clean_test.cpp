#include <gtest/gtest.h>

#include "text/clean/clean_rules.h"

namespace attune {
namespace {

CleanRules rules(std::set<std::string> off = {}, std::vector<ScriptCheck> scripts = {}) {
  return CleanRules({.off = std::move(off)}, std::move(scripts));
}

std::string broken(const std::vector<std::string>& columns) {
  return rules().broken(columns).value_or("none");
}

TEST(CleanRules, each_finds_its_fault) {
  EXPECT_EQ(broken({"A good pair.", "Une bonne paire."}), "none");
  EXPECT_EQ(broken({"a", "\xFF"}), "utf8");
  EXPECT_EQ(broken({"a", "\u3000 "}), "empty");
  EXPECT_EQ(broken({"a\x01", "b"}), "control");
  EXPECT_EQ(broken({"a", "b\uFFFD"}), "control");
  EXPECT_EQ(broken({"a", std::string(1001, 'b')}), "long");
  EXPECT_EQ(broken({"same", "same"}), "identical");
  EXPECT_EQ(broken({"short", "this one is a good deal longer than the other"}), "ratio");
}

TEST(CleanRules, markup_is_what_looks_like_a_tag_or_an_entity) {
  for (const char* text : {"a <b>c", "</p>", "<br/>", "<a href=\"x\">", "x &amp; y", "&#8217;", "&#x2019;"})
    EXPECT_EQ(broken({text, "other"}), "markup") << text;
  for (const char* text : {"a < b > c", "1 <2", "AT&T; no", "R&D", "<3", "a <- b", "x & y;"})
    EXPECT_NE(broken({text, "other"}), "markup") << text;
}

TEST(CleanRules, lengths_of_chinese_count_as_letters_do) {
  EXPECT_EQ(broken({"He came to Beijing last year to study medicine", "他去年来北京学医"}), "none");
  EXPECT_EQ(broken({"OK", "D'accord"}), "none") << "short ones vary";
}

TEST(CleanRules, numbers_are_compared_however_they_are_written) {
  EXPECT_EQ(broken({"1,000 of 25", "25 von 1.000"}), "none");
  EXPECT_EQ(broken({"in 1999", "عام ١٩٩٩"}), "none");
  EXPECT_EQ(broken({"2 files", "deux fichiers"}), "none") << "it may be spelt out";
  EXPECT_EQ(broken({"$1,000.50", "1000,50 $"}), "none");
  EXPECT_EQ(broken({"on 05/03/2020", "am 3.5.2020"}), "none");
  EXPECT_EQ(broken({"３ Tage", "3 days"}), "none");
  EXPECT_EQ(broken({"in 1999", "en 1998"}), "numbers");
  EXPECT_EQ(broken({"in 1984", "en 1948"}), "numbers");
}

TEST(CleanRules, scripts_are_those_of_the_language_or_of_most_text) {
  const ScriptCheck russian = ScriptCheck::of_language("ru"), chinese = ScriptCheck::of_language("zh-TW"),
                    japanese = ScriptCheck::of_language("ja"), unknown = ScriptCheck::of_language("xx");
  EXPECT_TRUE(russian.accepts("Привет, Bob"));
  EXPECT_FALSE(russian.accepts("Hello, Боб"));
  EXPECT_TRUE(chinese.accepts("使用 Linux 系統和軟體"));
  EXPECT_FALSE(chinese.accepts("hello"));
  EXPECT_TRUE(japanese.accepts("カタカナとひらがなと漢字"));
  EXPECT_TRUE(japanese.accepts("12 - 34"));
  EXPECT_TRUE(unknown.accepts("anything"));
  const ScriptCheck most = ScriptCheck::of_text({"Всё по-русски", "и это тоже", "x"});
  EXPECT_TRUE(most.accepts("ещё"));
  EXPECT_FALSE(most.accepts("English"));
  EXPECT_EQ(rules({}, {ScriptCheck::of_language("en"), russian}).broken({"Hello", "Hello!"}), "script");
}

TEST(CleanRules, rows_that_came_before_are_duplicates_unless_they_are_kept) {
  CleanRules asked = rules(), not_asked = rules({"duplicates", "identical"});
  EXPECT_EQ(asked.broken({"a", "b"}), std::nullopt);
  EXPECT_EQ(asked.broken({"a", "c"}), std::nullopt);
  EXPECT_EQ(asked.broken({"a", "b"}), "duplicates");
  EXPECT_EQ(not_asked.broken({"a", "a"}), std::nullopt);
  EXPECT_EQ(not_asked.broken({"a", "a"}), std::nullopt);
}

TEST(HashSet, knows_what_it_has_seen) {
  HashSet set;
  for (uint64_t round = 0; round < 2; ++round)
    for (uint64_t i = 2; i < 50'000; ++i) EXPECT_EQ(set.insert(i * 0x9E3779B97F4A7C15U), round == 0);
  EXPECT_TRUE(set.insert(0));
  EXPECT_FALSE(set.insert(0));
}

}  // namespace
}  // namespace attune
