// BLEU's tokenisers by sacreBLEU's names. Each is a file that registers itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::metrics {

// Puts white space between the tokens of a line; split() then returns them.
using Tokenizer = std::string (*)(std::string_view line);

Tokenizer find_tokenizer(std::string_view name);
std::vector<std::string> tokenizer_names();

// The name of the one that suits the text: zh for Chinese, char for other text without spaces between words,
// such as Japanese and Thai, otherwise 13a.
std::string suitable_tokenizer(std::span<const std::string> lines);

struct RegisterTokenizer {
  RegisterTokenizer(std::string_view name, Tokenizer tokenizer);
};

}  // namespace attune::metrics
