// Patience: how long somebody waits for what a thread does. Work that takes many steps asks at each whether
// it is still wanted.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "attune/error.h"

namespace attune {

// Work that was ended because nobody waits for it any more.
struct GivenUp : Error {
  using Error::Error;
};

// For a scope, as ThreadCount: what the calling thread does there is wanted until then. Scopes within others
// end with the first of them.
class Patience {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Patience(std::stop_token life);        // until a stop is asked for
  explicit Patience(Time until);                  // until that time
  explicit Patience(std::function<bool()> over);  // until it says true; asked at every step
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  static void check();            // throws GivenUp if it is over
  static std::stop_token life();  // of the calling thread's innermost scope that has one, for those who wait

 private:
  Patience(std::stop_token life, std::function<bool()> over);

  std::stop_token life_;
  std::function<bool()> over_;
  const Patience* outer_;
};

}  // namespace attune
