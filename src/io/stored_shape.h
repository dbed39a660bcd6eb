// The shape that a file says its tensor has.
#pragma once

#include <cstdint>
#include <span>

#include "attune/error.h"
#include "attune/shape.h"

namespace attune {

// `refuse(reason)` throws the reader's own error. Sizes beside a 0 claim no bytes, but may still be no shape.
template <class Refuse>
Shape stored_shape(std::span<const int64_t> sizes, const Refuse& refuse) {
  try {
    return Shape(sizes);
  } catch (const Error& error) {
    refuse(error.what());
    throw;
  }
}

}  // namespace attune
