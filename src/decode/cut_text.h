// Cuts a text into parts that a model can read, at sentences or, in long sentences, at words; and joins their
// outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace attune {

struct CutOptions {
  int64_t longest = 0;     // most tokens per part; 0: any number
  bool sentences = false;  // each sentence by itself, even if several would fit
};

// A part with its tokens, which were needed to see whether it fits.
struct CutPart {
  std::string text, space;  // the part, and the white space after it
  std::vector<int32_t> tokens = {};
};

struct CutText {
  std::vector<CutPart> parts;
  bool too_long = false;  // the text had to be cut to fit
};

using MakeTokens = std::function<std::vector<int32_t>(const std::string&)>;
CutText cut_text(const std::string& text, const CutOptions& options, const MakeTokens& tokens);

// Joins the outputs with the spaces of the source between them, but none after Chinese and Japanese; adds a
// space where the source had none and neither output is Chinese or Japanese there.
std::string join_outputs(std::span<const CutPart> parts, std::span<const std::string> outputs);

}  // namespace attune
