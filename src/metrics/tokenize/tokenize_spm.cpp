// spm, flores101, flores200: pieces of a SentencePiece model, whose file is given.
#include <fmt/core.h>

#include <memory>

#include "attune/error.h"
#include "metrics/tokenize/tokenize.h"
#include "text/vocabulary/vocabulary.h"

namespace attune::metrics {
namespace {

Tokenizer by_model(std::string_view name, const TokenizerOptions& options) {
  if (options.spm_model.empty())
    throw UsageError(fmt::format(
        "the tokeniser {} needs the file of its SentencePiece model: `attune evaluate --tokenize {} "
        "--spm-model FILE`",
        name, name));
  const std::shared_ptr<const Vocabulary> model = load_vocabulary(options.spm_model);
  if (model->is_listed())
    throw UsageError(fmt::format("{}: this is not a SentencePiece model", options.spm_model));
  const auto apply = [model](std::string_view line) {
    std::string tokens;
    for (const std::string& piece : model->pieces(line))
      tokens.append(tokens.empty() ? "" : " ").append(piece);
    return tokens;
  };
  return {apply, std::string(name)};
}

const RegisterTokenizer spm("spm", [](const TokenizerOptions&options) { return by_model("spm", options); }),
    flores101("flores101", [](const TokenizerOptions&options) { return by_model("flores101", options); }),
    flores200("flores200", [](const TokenizerOptions&options) { return by_model("flores200", options); });

}  // namespace
}  // namespace attune::metrics
