// Tokens that a tokenizer finds in the text before anything else, such as [MASK].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

struct AddedToken {
  std::string text;
  int32_t id = 0;
  bool normalized = false;           // it is looked for in the normalised text
  bool left = false, right = false;  // it takes the white space before or after it
  bool alone = false;                // letters and digits must not touch it
};

// A part of the text: such a token, or what is between two of them.
struct MarkedPart {
  std::string_view text;
  std::optional<int32_t> id = {};
};

class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  // Consecutive parts of the text; where several tokens begin, the longest counts.
  std::vector<MarkedPart> split(std::string_view text) const;

 private:
  const AddedToken* at(std::string_view text, size_t position) const;

  std::vector<AddedToken> tokens_;  // the longest first
  std::vector<bool> first_bytes_;   // whether a token begins with this byte
};

}  // namespace attune
