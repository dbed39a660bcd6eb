// The normalisation table of a SentencePiece model: u32 size of a double-array trie in bytes, the trie, and a
// pool of strings that end in NUL. The trie's keys are byte strings, its values places in the pool.
//
// A unit of the trie (Darts-clone) is 32 bits: label in bits 0-7 (bit 31 marks a value), bit 8 "a value
// follows", bits 10-30 the offset, shifted left by 8 if bit 9 is set. The children of the unit at position p
// are at (p ^ offset) ^ label, its value at p ^ offset.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "text/utf8.h"
#include "text/vocabulary/sentencepiece_model.h"

namespace attune {
namespace {

constexpr int kMostValuesOnAPath = 32;  // the limit of SentencePiece's buffer
constexpr int kLongestKey = 256;        // far more than there is; only a trie with a cycle exceeds it

class Trie {
 public:
  Trie(std::string_view units, std::string_view pool)
      : units_(units), pool_(pool), most_values_(size(), kUnknown) {}

  // Why it cannot be used; empty if every key leads to a string of the pool.
  const char* fault() {
    if (size() == 0) return "its trie is empty";
    most_values(0, 0);
    return fault_;
  }

 private:
  static constexpr int8_t kUnknown = -1;

  // The most values on a path down from the unit. Ends of keys may be shared, so units can be visited again.
  int8_t most_values(uint32_t position, int depth) {
    if (most_values_[position] != kUnknown) return most_values_[position];
    const uint32_t children = position ^ offset(unit(position));
    const bool has_value = depth > 0 && (unit(position) >> 8 & 1) != 0;
    if ((children | 0xFFu) >= size()) return fail("its trie points outside itself");
    if (has_value && value(children) >= pool_.size()) return fail("its trie points outside its strings");
    if (depth == kLongestKey) return fail("its trie has a cycle");
    int8_t most = 0;
    for (uint32_t label = 1; label < 256 && fault_ == nullptr; ++label)
      if (const uint32_t child = children ^ label; (unit(child) & 0x800000FFu) == label)
        most = std::max(most, most_values(child, depth + 1));
    most = static_cast<int8_t>(most + has_value);
    if (most > kMostValuesOnAPath) return fail("its trie has too many values on a path");
    return most_values_[position] = most;
  }

  int8_t fail(const char* fault) {
    if (fault_ == nullptr) fault_ = fault;
    return 0;
  }

  size_t size() const { return units_.size() / sizeof(uint32_t); }
  uint32_t unit(uint32_t position) const {
    uint32_t bits = 0;
    std::memcpy(&bits, units_.data() + size_t{position} * sizeof bits, sizeof bits);
    return bits;
  }
  static uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }
  uint32_t value(uint32_t position) const { return unit(position) & 0x7FFFFFFFu; }

  std::string_view units_, pool_;
  std::vector<int8_t> most_values_;  // of the visited units
  const char* fault_ = nullptr;
};

}  // namespace

std::string fault_of_charsmap(std::string_view table) {
  uint32_t size = 0;
  if (table.size() <= sizeof size) return "it is cut off";
  std::memcpy(&size, table.data(), sizeof size);
  table.remove_prefix(sizeof size);
  if (size >= table.size()) return "it is cut off";
  const std::string_view pool = table.substr(size);
  if (pool.back() != '\0') return "its last string has no end";
  if (find_invalid_utf8(pool)) return "its strings are not UTF-8";
  const char* fault = Trie(table.substr(0, size), pool).fault();
  return fault == nullptr ? "" : fault;
}

}  // namespace attune
