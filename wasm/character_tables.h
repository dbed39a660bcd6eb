// The tables of stand_ins/characters.cpp. make_tables.cpp writes their numbers into character_numbers.h.
#pragma once

#include <cstdint>

namespace attune {

// From here to the next run all characters are alike. `bits`: character_bits.h.
struct CharacterRun {
  char32_t begin;
  uint16_t bits;
};
struct SmallLetter {
  char32_t of, is;
};
struct Decomposed {
  char32_t of;
  uint16_t begin, count;  // of kParts
};

#include "character_numbers.h"

}  // namespace attune
