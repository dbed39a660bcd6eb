// Hugging Face's tokenizer.json as far as attune's vocabularies go: byte-level BPE and WordPiece. A section
// of attune's own may be in it:
//   "attune": {"bos": "<s>", "eos": "</s>", "size": 32000}
// the names of the tokens that begin and end a text, and how many tokens the model has, if those are more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer/added_tokens.h"
#include "text/tokenizer/bert_text.h"
#include "text/tokenizer/split_words.h"

namespace attune {

struct TokenizerFile {
  enum class Model : uint8_t { byte_bpe, wordpiece };

  Model model = Model::byte_bpe;
  std::vector<std::string> tokens;  // by id, as in the file; an id without a token has a name as "<unused7>"
  std::vector<AddedToken> added;
  int32_t bos = 0, eos = 0;

  struct Bpe {
    std::vector<std::pair<std::string, std::string>> merges = {};  // the first comes first
    bool whole_words = false;                                      // a word that is a token is not split
    bool compose = false;                                          // to NFC
    bool space_first = false;                                      // a text begins with a space
    std::optional<WordExpression> words = {};                      // none: a text is not split
    std::optional<bool> digits = {};                               // split before that; true: each
  } bpe = {};

  struct WordPiece {
    BertRules text = {};
    std::string prefix = "##";   // of tokens that continue a word
    int64_t longest_word = 100;  // in characters; a longer one is unknown
    int32_t unk = 0;
  } wordpiece = {};
};

bool is_tokenizer_file(std::string_view content);

// Anything that attune's vocabularies do not do is a UsageError that names it; `name` is that of the file.
TokenizerFile parse_tokenizer_file(std::string_view content, const std::string& name);

}  // namespace attune
