#include "demo/dates.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "attune/random.h"
#include "demo/date_links.h"
#include "demo/languages.h"

namespace attune::demo {
namespace {

using std::chrono::sys_days;

constexpr sys_days kFirst = std::chrono::January / 1 / 1950, kEnd = std::chrono::January / 1 / 2050;

// A sequence of random choices.
class Dice {
 public:
  explicit Dice(const Random& random) : random_(random) {}
  int below(size_t bound) { return static_cast<int>(random_.below(bound, next_++)); }
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[static_cast<size_t>(below(items.size()))];
  }

 private:
  Random random_;
  uint64_t next_ = 0;
};

std::string iso_day(sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

// A third of the dates have no time of day.
DatePair write(sys_days day, const Language& language, Dice dice) {
  const std::chrono::year_month_day date(day);
  Moment moment{static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
                static_cast<int>(static_cast<unsigned>(date.day())),
                static_cast<int>(std::chrono::weekday(day).c_encoding())};
  const Filled said = fill(dice.one_of(language.dates), language, moment);
  DatePair pair{language.name, said.text, iso_day(day)};
  if (dice.below(3) == 0) {
    pair.links = date_links(pair.iso, said, {});
    return pair;
  }
  const TimePattern& time = dice.one_of(language.times);
  moment.hour = dice.below(24);
  moment.minute = time.minute >= 0 ? time.minute : dice.below(60);
  const Filled said_time = fill(time.text, language, moment);
  pair.written += said_time.text;
  pair.iso += fmt::format(" {:02}:{:02}", moment.hour, moment.minute);
  pair.links = date_links(pair.iso, said, said_time);
  return pair;
}

}  // namespace

std::vector<DatePair> showcase() {
  return {{"English", "Sunday, November 15, 2026 at 6:30 pm", "2026-11-15 18:30"},
          {"中文", "二〇二六年十一月十六日下午三点半", "2026-11-16 15:30"},
          {"Deutsch", "Dienstag, den 9. März 1999 um halb acht abends", "1999-03-09 19:30"},
          {"Français", "le jeudi 1er août 2030 à 9 h 05", "2030-08-01 09:05"},
          {"Español", "20 de julio de 1969 a las 8 de la noche", "1969-07-20 20:00"},
          {"日本語", "1985年3月17日（日）午後2時45分", "1985-03-17 14:45"}};
}

DateSets make_dates(uint64_t seed, const DateCounts& counts) {
  const Random random(seed);
  std::vector<int64_t> days(static_cast<size_t>((kEnd - kFirst).count()));
  std::iota(days.begin(), days.end(), 0);
  const std::vector<DatePair> shown = showcase();
  std::erase_if(days, [&](int64_t day) {
    const std::string iso = iso_day(kFirst + std::chrono::days(day));
    return std::ranges::any_of(shown, [&](const DatePair& pair) { return pair.iso.starts_with(iso); });
  });
  random.stream(0).shuffle(days);

  const auto make = [&](int64_t count, size_t first_day, size_t day_count, uint64_t stream) {
    std::vector<DatePair> pairs;
    for (int64_t i = 0; i < count; ++i) {
      const Random own = random.stream(stream).stream(static_cast<uint64_t>(i));
      const size_t day = first_day + own.stream(0).below(day_count, 0);
      const Language& language = languages()[static_cast<size_t>(i) % languages().size()];
      pairs.push_back(write(kFirst + std::chrono::days(days[day]), language, Dice(own.stream(1))));
    }
    return pairs;
  };
  const auto valid = static_cast<size_t>(counts.valid), test = static_cast<size_t>(counts.test);
  return {.train = make(counts.train, valid + test, days.size() - valid - test, 1),
          .valid = make(counts.valid, 0, valid, 2),
          .test = make(counts.test, valid, test, 3)};
}

}  // namespace attune::demo
