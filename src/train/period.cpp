#include "train/period.h"

#include <charconv>
#include <map>

#include "config/rules.h"

namespace attune {
namespace {

struct Suffix {
  double factor;
  Period::Unit unit;
};

const std::map<std::string_view, Suffix>& suffixes() {
  using enum Period::Unit;
  static const std::map<std::string_view, Suffix> known{
      {"", {1, updates}}, {"u", {1, updates}},   {"ku", {1e3, updates}}, {"Mu", {1e6, updates}},
      {"t", {1, tokens}}, {"kt", {1e3, tokens}}, {"Mt", {1e6, tokens}},  {"Gt", {1e9, tokens}},
      {"e", {1, epochs}}, {"s", {1, seconds}},   {"min", {60, seconds}}, {"h", {3600, seconds}}};
  return known;
}

}  // namespace

double Period::of(const Progress& progress) const {
  switch (unit) {
    case Unit::updates: return static_cast<double>(progress.updates);
    case Unit::tokens: return static_cast<double>(progress.tokens);
    case Unit::epochs: return static_cast<double>(progress.epochs);
    case Unit::seconds: return progress.seconds;
  }
  return 0;
}

int64_t Period::passed(const Progress& progress) const {
  return amount > 0 ? static_cast<int64_t>(of(progress) / amount) : 0;
}

Period read_period(std::string_view key, std::string_view text) {
  if (text.empty()) return {};
  Period period;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), period.amount);
  const auto suffix = suffixes().find(text.substr(static_cast<size_t>(end - text.data())));
  require(
      error == std::errc() && suffix != suffixes().end() && period.amount >= 0, key,
      "'{}' is not a period: write 500u (updates), 10Mt (target tokens), 2e (epochs), 30min or 2h; 0 means "
      "never",
      text);
  period.amount *= suffix->second.factor;
  period.unit = suffix->second.unit;
  return period;
}

}  // namespace attune
