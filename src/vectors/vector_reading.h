// VectorReading: how files become rows of numbers.
#pragma once

#include <cstdint>

#include "config/fields.h"
#include "text/vocabulary/vector_source.h"

namespace attune {

struct VectorReading {
  int64_t patch = 4, channels = 1;
  int64_t mel_bands = 40;
  bool transposed = false;
  int64_t stacked = 1;
  Standardise standardise = Standardise::no;
  bool both_ways = true;
  Places places = Places::index;

  static void fields(FieldsOf<VectorReading> f);
  void validate() const;  // a UsageError names the key
};

}  // namespace attune
