// The tokenizers of Hugging Face's folders as vocabularies: tokenizer.json, or the older files that say the
// same.
#pragma once

#include <filesystem>
#include <memory>

#include "text/tokenizer/json_fields.h"
#include "text/vocabulary/vocabulary.h"

namespace attune::huggingface {

// tokenizer.json, vocab.json and merges.txt, or SentencePiece's tokenizer.model. `config` (config.json) names
// the tokens that begin and end a text; the model has `rows` tokens, perhaps more than the tokenizer.
std::shared_ptr<const Vocabulary> read_byte_bpe(const std::filesystem::path& folder, const JsonFields& config,
                                                int64_t rows);

// tokenizer.json, vocab.txt and tokenizer_config.json, or tokenizer.model.
std::shared_ptr<const Vocabulary> read_wordpiece(const std::filesystem::path& folder, int64_t rows);

}  // namespace attune::huggingface
