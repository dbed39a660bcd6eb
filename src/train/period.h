// Period: a span of training, in Marian's notation: 500u (updates), 10Mt (target tokens), 2e (epochs); and
// 30s, 10min, 1h30min of the time that the run takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attune {

// How far training has come.
struct Progress {
  int64_t updates = 0, tokens = 0;  // target tokens
  int64_t epochs = 0;               // complete ones
  double share_of_epoch = 0;        // of the one that is under way
  double seconds = 0;               // of updates, validations and checkpoints
};

struct Period {
  enum class Unit : uint8_t { updates, tokens, epochs, seconds, share };
  double amount = 0;  // 0: never
  Unit unit = Unit::updates;

  explicit operator bool() const { return amount > 0; }
  double of(const Progress& progress) const;  // in this unit
  // The number of whole periods that have passed.
  int64_t passed(const Progress& progress) const;
  double share(const Progress& progress) const { return of(progress) / amount; }  // that has passed
};

// A number without a unit means updates; "0" and "" mean never. Anything else is a UsageError that names the
// key.
Period read_period(std::string_view key, std::string_view text);

// The same, or a share of the whole run: 5%.
Period read_period_or_share(std::string_view key, std::string_view text);

}  // namespace attune
