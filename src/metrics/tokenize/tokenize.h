// BLEU's tokenisers by sacreBLEU's names. Each is a file that registers itself.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::metrics {

// Puts white space between the tokens of a line; split() then returns them. May be called from several
// threads.
struct Tokenizer {
  std::function<std::string(std::string_view)> apply;
  std::string signature;  // "13a"; of programs of others with their version: "ja-mecab-0.996-IPA"

  std::string operator()(std::string_view line) const { return apply(line); }
};

struct TokenizerOptions {
  std::string spm_model = {};  // for spm, flores101 and flores200: the file of the SentencePiece model
};

// A UsageError if there is none of that name, or what it needs is not there.
Tokenizer find_tokenizer(std::string_view name, const TokenizerOptions& options = {});
std::vector<std::string> tokenizer_names();

// The name of the one that suits the text: zh for Chinese, char for other text without spaces between words,
// such as Japanese and Thai, otherwise 13a.
std::string suitable_tokenizer(std::span<const std::string> lines);

struct RegisterTokenizer {
  using Make = Tokenizer (*)(const TokenizerOptions& options);
  RegisterTokenizer(std::string_view name, std::string (*apply)(std::string_view line));
  RegisterTokenizer(std::string_view name, Make make);
};

}  // namespace attune::metrics
