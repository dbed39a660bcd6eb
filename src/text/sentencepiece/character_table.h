// The table of a SentencePiece model that replaces characters: u32 size of a double-array trie in bytes, the
// trie, and a pool of strings that end in NUL. The trie's keys are byte strings, its values places in the
// pool.
//
// A unit of the trie (Darts-clone) is 32 bits: label in bits 0-7 (bit 31 marks a value), bit 8 "a value
// follows", bits 10-30 the offset, shifted left by 8 if bit 9 is set. The children of the unit at position p
// are at (p ^ offset) ^ label, its value at p ^ offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attune {

// Why a table cannot be used; empty if it can.
std::string fault_of_character_table(std::string_view table);

class CharacterTable {
 public:
  CharacterTable() = default;                       // replaces nothing
  explicit CharacterTable(std::string_view table);  // without faults; its bytes must stay

  struct Match {
    size_t length = 0;  // of the longest key that the text begins with; 0: none
    std::string_view replacement;
  };
  Match match(std::string_view text) const;

 private:
  std::string_view units_, pool_;
};

}  // namespace attune
