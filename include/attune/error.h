// Every failure that attune reports is an Error whose text says what went wrong, where, and what to do.
#pragma once

#include <stdexcept>

namespace attune {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Wrong use or bad input, as opposed to work that failed: the command line ends with 2 instead of 1.
struct UsageError : Error {
  using Error::Error;
};

}  // namespace attune
