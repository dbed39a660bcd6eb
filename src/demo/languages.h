// How languages write dates and times: patterns with fields in braces.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::demo {

struct Moment {
  int year, month, day;  // month and day from 1
  int weekday;           // 0 is Sunday
  int hour = 0, minute = 0;
};

struct TimePattern {
  const char* text;
  int minute = -1;  // the only one that it can express; -1: it has a field for it
};

struct Language {
  const char* name;
  std::array<const char*, 7> weekdays;  // from Sunday
  std::array<const char*, 12> months, short_months;
  std::array<const char*, 12> hours;               // one, two, ..; for the fields hour and next_hour
  std::vector<std::pair<int, const char*>> parts;  // of the day: from which hour on, its name
  std::vector<const char*> dates;
  std::vector<TimePattern> times;  // written directly after a date
};

std::span<const Language> languages();

// A pattern with its fields filled in:
//   {y} {m} {d}               2026, 11, 5             {Y} {M} {D}         二〇二六, 十一, 五
//   {mm} {dd}                 11, 05                  {th} {er}           5th, and 1er in French
//   {month} {mon} {weekday}   names of the language   {part}              of the day: pm, 下午
//   {H} {HH}                  8, 08 (20, 20)          {min} {zmin}        05, 零五
//   {h} {h0} {zh}             of twelve hours: 12, 0, 零 at midnight      {las}  la before 1, las
//   {hour} {next_hour}        six, seven
struct Filled {
  // The characters from `begin` to before `end` that express a part of the moment.
  struct Field {
    std::string name;
    size_t begin, end;
  };
  std::string text;
  std::vector<Field> fields;
};
Filled fill(const char* pattern, const Language& language, const Moment& moment);

}  // namespace attune::demo
