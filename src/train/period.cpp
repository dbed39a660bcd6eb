#include "train/period.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

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
      {"", {1, updates}},      {"u", {1, updates}},   {"ku", {1e3, updates}}, {"Mu", {1e6, updates}},
      {"t", {1, tokens}},      {"kt", {1e3, tokens}}, {"Mt", {1e6, tokens}},  {"Gt", {1e9, tokens}},
      {"e", {1, epochs}},      {"s", {1, seconds}},   {"min", {60, seconds}}, {"h", {3600, seconds}},
      {"d", {86400, seconds}}, {"%", {0.01, share}}};
  return known;
}

// A number and its unit from the beginning of the text, which is cut off there.
std::optional<Period> take_part(std::string_view& text) {
  Period part;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), part.amount, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(part.amount) || part.amount < 0) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  const size_t letters = std::min(text.find_first_of("0123456789."), text.size());
  const auto suffix = suffixes().find(text.substr(0, letters));
  if (suffix == suffixes().end()) return {};
  text.remove_prefix(letters);
  return Period{part.amount * suffix->second.factor, suffix->second.unit};
}

// Parts add up if they are times: 1h30min.
std::optional<Period> take_all(std::string_view text) {
  std::optional<Period> sum = take_part(text);
  while (sum && !text.empty()) {
    const std::optional<Period> part = take_part(text);
    if (!part || part->unit != Period::Unit::seconds || sum->unit != Period::Unit::seconds) return {};
    sum->amount += part->amount;
  }
  return sum;
}

}  // namespace

double Period::of(const Progress& progress) const {
  switch (unit) {
    case Unit::updates: return static_cast<double>(progress.updates);
    case Unit::tokens: return static_cast<double>(progress.tokens);
    case Unit::epochs: return static_cast<double>(progress.epochs) + progress.share_of_epoch;
    case Unit::seconds: return progress.seconds;
    case Unit::share: return 0;
  }
  return 0;
}

int64_t Period::passed(const Progress& progress) const {
  return amount > 0 ? static_cast<int64_t>(of(progress) / amount) : 0;
}

Period read_period_or_share(std::string_view key, std::string_view text) {
  if (text.empty()) return {};
  const std::optional<Period> period = take_all(text);
  require(
      period.has_value(), key,
      "'{}' is not a period; write 500u (updates), 10Mt (target tokens), 2e (epochs), 30min or 1h30min; 0 "
      "means never",
      text);
  return *period;
}

Period read_period(std::string_view key, std::string_view text) {
  const Period period = read_period_or_share(key, text);
  require(period.unit != Period::Unit::share, key,
          "'{}' is a share of the run; write a period here, such as 500u, 2e or 30min", text);
  return period;
}

}  // namespace attune
