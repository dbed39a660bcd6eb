// Every failure that attune reports is an Error whose text says what went wrong, where, and what to do.
#pragma once

#include <stdexcept>

namespace attune {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace attune
