// Cutting a text into parts that a model can read: at sentences, or where one is too long at words; and
// putting what became of them together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "text/boundaries.h"

namespace attune {

struct CutOptions {
  int64_t longest = 0;     // tokens of a part; 0: any number
  bool sentences = false;  // each sentence by itself, even where several would fit
};

struct CutText {
  std::vector<TextPart> parts;
  bool too_long = false;  // it had to be cut
};

using CountTokens = std::function<int64_t(const std::string&)>;
CutText cut_text(const std::string& text, const CutOptions& options, const CountTokens& tokens);

// Outputs of the parts with the spaces of the source between them, but none behind Chinese and Japanese; a
// blank where the source had none and neither output is Chinese or Japanese there.
std::string join_outputs(std::span<const TextPart> parts, std::span<const std::string> outputs);

}  // namespace attune
