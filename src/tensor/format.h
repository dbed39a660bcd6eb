// Shapes and types in messages: check(..., "got {}", tensor.shape()) costs nothing while the condition holds.
#pragma once

#include <fmt/core.h>

#include "attune/tensor.h"

template <>
struct fmt::formatter<attune::Shape> : fmt::formatter<std::string_view> {
  auto format(const attune::Shape& shape, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{}", shape.str());
  }
};

template <>
struct fmt::formatter<attune::DType> : fmt::formatter<std::string_view> {
  auto format(attune::DType dtype, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{}", attune::name(dtype));
  }
};
