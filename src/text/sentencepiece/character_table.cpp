#include "text/sentencepiece/character_table.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/ascii.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr int kMostValuesOnAPath = 32;  // the limit of SentencePiece's buffer
constexpr int kLongestKey = 256;        // far more than there is; only a trie with a cycle exceeds it

size_t count_of(std::string_view units) { return units.size() / sizeof(uint32_t); }

uint32_t unit(std::string_view units, uint32_t position) {
  uint32_t bits = 0;
  std::memcpy(&bits, units.data() + size_t{position} * sizeof bits, sizeof bits);
  return bits;
}

uint32_t children_of(std::string_view units, uint32_t position) {
  const uint32_t bits = unit(units, position);
  return position ^ ((bits >> 10) << ((bits & (1u << 9)) >> 6));
}

bool has_value(std::string_view units, uint32_t position) { return (unit(units, position) >> 8 & 1) != 0; }
bool has_label(std::string_view units, uint32_t position, uint32_t label) {
  return (unit(units, position) & 0x800000FFu) == label;
}
uint32_t value(std::string_view units, uint32_t position) { return unit(units, position) & 0x7FFFFFFFu; }

struct Parts {
  std::string_view units, pool;
};

Parts parts_of(std::string_view table) {
  uint32_t size = 0;
  if (table.size() <= sizeof size) return {};
  std::memcpy(&size, table.data(), sizeof size);
  table.remove_prefix(sizeof size);
  if (size >= table.size()) return {};
  return {table.substr(0, size), table.substr(size)};
}

class TrieCheck {
 public:
  explicit TrieCheck(const Parts& parts) : parts_(parts), most_values_(count_of(parts.units), kUnknown) {}

  // Why it cannot be used; empty if every key leads to a string of the pool.
  const char* fault() {
    if (most_values_.empty()) return "its trie is empty";
    most_values(0, 0);
    return fault_;
  }

 private:
  static constexpr int kUnknown = -1;

  // The most values on a path down from the unit. Ends of keys may be shared, so units can be visited again.
  int most_values(uint32_t position, int depth) {
    if (most_values_[position] != kUnknown) return most_values_[position];
    const uint32_t children = children_of(parts_.units, position);
    const bool ends_a_key = depth > 0 && has_value(parts_.units, position);
    if ((children | 0xFFu) >= most_values_.size()) return fail("its trie points outside itself");
    if (ends_a_key && value(parts_.units, children) >= parts_.pool.size())
      return fail("its trie points outside its strings");
    if (depth == kLongestKey) return fail("its trie has a cycle");
    int most = 0;
    for (uint32_t label = 1; label < 256 && fault_ == nullptr; ++label)
      if (const uint32_t child = children ^ label; has_label(parts_.units, child, label))
        most = std::max(most, most_values(child, depth + 1));
    most += ends_a_key ? 1 : 0;
    if (most > kMostValuesOnAPath) return fail("its trie has too many values on a path");
    return most_values_[position] = most;
  }

  int fail(const char* fault) {
    if (fault_ == nullptr) fault_ = fault;
    return 0;
  }

  Parts parts_;
  std::vector<int> most_values_;  // of the visited units
  const char* fault_ = nullptr;
};

}  // namespace

std::string fault_of_character_table(std::string_view table) {
  const Parts parts = parts_of(table);
  if (parts.pool.empty()) return "it is cut off";
  if (parts.pool.back() != '\0') return "its last string has no end";
  if (find_invalid_utf8(parts.pool)) return "its strings are not UTF-8";
  const char* fault = TrieCheck(parts).fault();
  return fault == nullptr ? "" : fault;
}

CharacterTable::CharacterTable(std::string_view table)
    : units_(parts_of(table).units), pool_(parts_of(table).pool) {}

CharacterTable::Match CharacterTable::match(std::string_view text) const {
  Match longest;
  if (units_.empty()) return longest;
  uint32_t position = 0;
  for (size_t length = 0; length < text.size() && text[length] != '\0';) {
    const uint32_t label = byte_of(text[length++]);
    position = children_of(units_, position) ^ label;
    if (!has_label(units_, position, label)) break;
    if (has_value(units_, position))
      longest = {length, pool_.data() + value(units_, children_of(units_, position))};
  }
  return longest;
}

}  // namespace attune
