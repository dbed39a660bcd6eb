// Cutting a text into parts that a model can read: at sentences, or where one is too long at words; and
// putting what became of them together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace attune {

struct CutOptions {
  int64_t longest = 0;     // tokens of a part; 0: any number
  bool sentences = false;  // each sentence by itself, even where several would fit
};

// A part as the model reads it: it was made into tokens to see whether it fits, and need not be again.
struct CutPart {
  std::string text, space;  // and the white space behind it
  std::vector<int32_t> tokens = {};
};

struct CutText {
  std::vector<CutPart> parts;
  bool too_long = false;  // it had to be cut
};

using MakeTokens = std::function<std::vector<int32_t>(const std::string&)>;
CutText cut_text(const std::string& text, const CutOptions& options, const MakeTokens& tokens);

// Outputs of the parts with the spaces of the source between them, but none behind Chinese and Japanese; a
// blank where the source had none and neither output is Chinese or Japanese there.
std::string join_outputs(std::span<const CutPart> parts, std::span<const std::string> outputs);

}  // namespace attune
