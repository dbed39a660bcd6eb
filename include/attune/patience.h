// Patience: how long the work of a thread is wanted. Work of many steps checks it at each step.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "attune/error.h"

namespace attune {

// The work ended because nobody is waiting for it any more.
struct GivenUp : Error {
  using Error::Error;
};

// Applies to a scope, like ThreadCount: the work of the calling thread in it is wanted until the given
// moment. Of nested scopes, the one that ends first counts.
class Patience {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Patience(std::stop_token life);        // until a stop is requested
  explicit Patience(Time until);                  // until that time
  explicit Patience(std::function<bool()> over);  // until it returns true; called at every step
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  static void check();            // throws GivenUp if it is over
  static std::stop_token life();  // of the calling thread's innermost scope that has one, for code that waits

 private:
  Patience(std::stop_token life, std::function<bool()> over);

  std::stop_token life_;
  std::function<bool()> over_;
  const Patience* outer_;
};

}  // namespace attune
