// Shapes and types in messages: check(..., "got {}", tensor.shape()) costs nothing while the condition holds.
#pragma once

#include <fmt/core.h>

#include <algorithm>

#include "attune/tensor.h"

template <>
struct fmt::formatter<attune::Shape> : fmt::formatter<std::string_view> {
  auto format(const attune::Shape& shape, fmt::format_context& context) const {
    return std::ranges::copy(shape.str(), context.out()).out;
  }
};

template <>
struct fmt::formatter<attune::DType> : fmt::formatter<std::string_view> {
  auto format(attune::DType dtype, fmt::format_context& context) const {
    return std::ranges::copy(std::string_view(attune::name(dtype)), context.out()).out;
  }
};
