#include "demo/dates.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "demo/date_links.h"
#include "demo/languages.h"
#include "text/utf8.h"

namespace attune::demo {
namespace {

const Language& language(const std::string& name) {
  for (const Language& one : languages())
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

std::string text(const char* pattern, const Language& language, const Moment& moment) {
  return fill(pattern, language, moment).text;
}

constexpr Moment kEvening{2026, 11, 15, 0, 18, 30}, kNight{2008, 2, 1, 5, 0, 5};

std::set<std::string> split(const std::string& links) {
  std::istringstream words(links);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(DemoLanguages, fill_patterns_as_people_write) {
  EXPECT_EQ(text("{weekday}, {month} {d}, {y} at {h}:{min} {part}", language("English"), kEvening),
            "Sunday, November 15, 2026 at 6:30 pm");
  EXPECT_EQ(text("{Y}年{M}月{D}日{part}{zh}点{zmin}分", language("中文"), kEvening),
            "二〇二六年十一月十五日晚上六点三十分");
  EXPECT_EQ(text("{dd}.{mm}.{y} um halb {next_hour} {part}", language("Deutsch"), kEvening),
            "15.11.2026 um halb sieben abends");
  EXPECT_EQ(text("le {weekday} {er} {month} {y} à {H} h {min}", language("Français"), kNight),
            "le vendredi 1er février 2008 à 0 h 05");
  EXPECT_EQ(text("{y}年{m}月{d}日（{weekday}）{part}{h0}時{min}分", language("日本語"), kNight),
            "2008年2月1日（金）午前0時05分");
  EXPECT_EQ(text("{part}{zh}点{zmin}分", language("中文"), kNight), "凌晨零点零五分");
}

TEST(DemoLanguages, say_hours_and_ordinals_by_the_rules) {
  const Language& english = language("English");
  const auto day = [&](int d) { return text("{th}", english, {2000, 1, d, 0}); };
  EXPECT_EQ(
      day(1) + day(2) + day(3) + day(4) + day(11) + day(12) + day(13) + day(21) + day(22) + day(23) + day(31),
      "1st2nd3rd4th11th12th13th21st22nd23rd31st");
  const auto time = [&](int hour) { return text("{h} {part}", english, {2000, 1, 1, 0, hour}); };
  EXPECT_EQ(time(0) + ' ' + time(11) + ' ' + time(12) + ' ' + time(23), "12 am 11 am 12 pm 11 pm");
  EXPECT_EQ(text("{las} {h}", language("Español"), {2000, 1, 1, 0, 13}), "la 1");
}

TEST(DemoDates, the_days_of_a_set_are_in_no_other) {
  const DateSets sets = make_dates(3, {.train = 2000, .valid = 100, .test = 200});
  std::map<std::string, std::set<int>> places;
  for (const auto& [place, pairs] : {std::pair{0, &sets.train}, {1, &sets.valid}, {2, &sets.test}})
    for (const DatePair& pair : *pairs) places[pair.iso.substr(0, 10)].insert(place);
  for (const DatePair& pair : showcase()) places[pair.iso.substr(0, 10)].insert(3);
  for (const auto& [day, in] : places) EXPECT_EQ(in.size(), 1) << day;
}

TEST(DemoDates, no_text_means_two_things) {
  std::map<std::string, std::string> meaning;
  for (const DatePair& pair : make_dates(4).train)
    EXPECT_EQ(meaning.emplace(pair.written, pair.iso).first->second, pair.iso) << pair.written;
}

TEST(DemoDates, are_the_same_for_the_same_seed_and_others_for_another) {
  const auto written = [](uint64_t seed) {
    std::string all;
    for (const DatePair& pair : make_dates(seed, {.train = 60, .valid = 6, .test = 6}).train)
      all += pair.written + '\n';
    return all;
  };
  EXPECT_EQ(written(1), written(1));
  EXPECT_NE(written(1), written(2));
}

TEST(DemoLinks, digits_are_sure_and_the_rest_of_a_field_is_possible) {
  const Moment moment{2026, 3, 5, 0, 18, 30};
  const Filled date = fill("{d}. {month} {y}", language("Deutsch"), moment);
  EXPECT_EQ(date.text, "5. März 2026");
  const std::set<std::string> links = split(date_links("2026-03-05", date, {}));
  for (const char* sure : {"8-0", "9-1", "10-2", "11-3", "0-9"}) EXPECT_TRUE(links.contains(sure)) << sure;
  for (const char* possible : {"8p1", "3p5", "6p6", "0p8", "1p4", "11p7"})
    EXPECT_TRUE(links.contains(possible)) << possible;
  for (const char* wrong : {"1p8", "2p5", "0p5", "3p9"}) EXPECT_FALSE(links.contains(wrong)) << wrong;
}

TEST(DemoLinks, hours_of_twelve_are_possible_and_half_is_said_by_the_time) {
  const Moment moment{2026, 11, 15, 0, 18, 30};
  const Filled date = fill("{y}/{mm}/{dd}", language("中文"), moment);
  const Filled time = fill("{part}{zh}点半", language("中文"), moment);
  const std::set<std::string> links = split(date_links("2026-11-15 18:30", date, time));
  EXPECT_TRUE(links.contains("10p11"));  // 晚: the evening makes 六 18
  EXPECT_TRUE(links.contains("12p12"));
  EXPECT_TRUE(links.contains("14p14"));  // 半
  EXPECT_TRUE(links.contains("5-5"));
  EXPECT_FALSE(links.contains("12-12"));
}

TEST(DemoLinks, every_link_is_between_characters_that_exist) {
  for (const DatePair& pair : make_dates(5, {.train = 300, .valid = 6, .test = 6}).train)
    for (const std::string& link : split(pair.links)) {
      const size_t sign = link.find_first_of("-p");
      EXPECT_LT(std::stoul(link.substr(0, sign)), count_code_points(pair.written)) << pair.written;
      EXPECT_LT(std::stoul(link.substr(sign + 1)), pair.iso.size()) << pair.iso;
    }
}

TEST(DemoDates, every_language_comes_equally_often) {
  std::map<std::string, int> count;
  for (const DatePair& pair : make_dates(1, {.train = 600, .valid = 6, .test = 6}).train)
    ++count[pair.language];
  EXPECT_EQ(count.size(), languages().size());
  for (const auto& [name, times] : count) EXPECT_EQ(times, 100) << name;
}

}  // namespace
}  // namespace attune::demo
