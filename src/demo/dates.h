// Dates and times as people write them in several languages, each with its ISO form: data for the demo,
// without a download and with one right answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attune::demo {

struct DatePair {
  std::string language, written, iso;  // "English", "Nov 15, 2026 at 6:30 pm", "2026-11-15 18:30"
  std::string links = {};              // which character of `written` says which of `iso` (date_links.h)
};

struct DateSets {
  std::vector<DatePair> train, valid, test;
};

struct DateCounts {
  int64_t train = 30'000, valid = 300, test = 1'000;
};

// One per language, written by hand; their days occur in no set.
std::vector<DatePair> showcase();

// Days from 1950 to 2049. No day of `valid` or `test` occurs in another set, and all languages are equally
// frequent.
DateSets make_dates(uint64_t seed, const DateCounts& counts = {});

}  // namespace attune::demo
