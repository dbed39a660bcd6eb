// Unit: what a file of any format has one of after the other: a translation unit of a TMX file, a row of a
// table, a line of JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

struct Field {
  std::string name;  // a language or a column; empty: it may be any that no other field is
  std::string text;
};

enum class UnitState : uint8_t {
  good,
  omitted,  // as the format itself says: a translation that is not finished, say
  bad       // it should not be so
};

struct Unit {
  int64_t line = 0;  // on which it begins, from 1
  std::vector<Field> fields = {};
  UnitState state = UnitState::good;
  std::string reason = {};  // unless it is good
};

using TakeUnit = std::function<void(Unit&&)>;

constexpr size_t kLongestUnit = 16 << 20;  // bytes

// Text on one line: line ends and tabs become blanks, those at the ends go.
std::string on_one_line(std::string_view text);

}  // namespace attune
