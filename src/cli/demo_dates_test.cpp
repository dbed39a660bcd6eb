#include "cli/demo_dates.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cli/demo_languages.h"

namespace attune::cli {
namespace {

const Language& language(const std::string& name) {
  for (const Language& one : languages())
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

constexpr Moment kEvening{2026, 11, 15, 0, 18, 30}, kNight{2008, 2, 1, 5, 0, 5};

TEST(DemoLanguages, fill_patterns_as_people_write) {
  EXPECT_EQ(fill("{weekday}, {month} {d}, {y} at {h}:{min} {part}", language("English"), kEvening),
            "Sunday, November 15, 2026 at 6:30 pm");
  EXPECT_EQ(fill("{Y}年{M}月{D}日{part}{zh}点{zmin}分", language("中文"), kEvening),
            "二〇二六年十一月十五日晚上六点三十分");
  EXPECT_EQ(fill("{dd}.{mm}.{y} um halb {next_hour} {part}", language("Deutsch"), kEvening),
            "15.11.2026 um halb sieben abends");
  EXPECT_EQ(fill("le {weekday} {er} {month} {y} à {H} h {min}", language("Français"), kNight),
            "le vendredi 1er février 2008 à 0 h 05");
  EXPECT_EQ(fill("{y}年{m}月{d}日（{weekday}）{part}{h0}時{min}分", language("日本語"), kNight),
            "2008年2月1日（金）午前0時05分");
  EXPECT_EQ(fill("{part}{zh}点{zmin}分", language("中文"), kNight), "凌晨零点零五分");
}

TEST(DemoLanguages, say_hours_and_ordinals_by_the_rules) {
  const Language& english = language("English");
  const auto day = [&](int d) { return fill("{th}", english, {2000, 1, d, 0}); };
  EXPECT_EQ(
      day(1) + day(2) + day(3) + day(4) + day(11) + day(12) + day(13) + day(21) + day(22) + day(23) + day(31),
      "1st2nd3rd4th11th12th13th21st22nd23rd31st");
  const auto time = [&](int hour) { return fill("{h} {part}", english, {2000, 1, 1, 0, hour}); };
  EXPECT_EQ(time(0) + ' ' + time(11) + ' ' + time(12) + ' ' + time(23), "12 am 11 am 12 pm 11 pm");
  EXPECT_EQ(fill("{las} {h}", language("Español"), {2000, 1, 1, 0, 13}), "la 1");
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

TEST(DemoDates, every_language_comes_equally_often) {
  std::map<std::string, int> count;
  for (const DatePair& pair : make_dates(1, {.train = 600, .valid = 6, .test = 6}).train)
    ++count[pair.language];
  EXPECT_EQ(count.size(), languages().size());
  for (const auto& [name, times] : count) EXPECT_EQ(times, 100) << name;
}

}  // namespace
}  // namespace attune::cli
