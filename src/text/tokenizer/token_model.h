// The part of a tokenizer that knows its tokens: how text is split into them, and how they become text again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/bert_text.h"
#include "text/tokenizer/tokenizer_file.h"

namespace attune {

struct CutToken {
  int32_t id;
  std::string_view text;  // the part of the text that it stands for
};

class TokenModel {
 public:
  TokenModel() = default;
  TokenModel(const TokenModel&) = delete;
  TokenModel& operator=(const TokenModel&) = delete;
  virtual ~TokenModel() = default;

  // What happens to the text before it is cut.
  virtual TracedText normalized(std::string_view text) const = 0;
  virtual std::vector<CutToken> cut(std::string_view normalized) const = 0;
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  virtual std::string shown(int32_t id) const = 0;  // ▁ for a space
  virtual std::string shown_unknown(std::string_view text) const = 0;
  virtual std::string_view fragment(int32_t id) const = 0;  // see Vocabulary
  virtual int32_t unk() const = 0;
};

// `name` is that of the file.
std::unique_ptr<TokenModel> make_byte_bpe(const TokenizerFile& file, const std::string& name);
std::unique_ptr<TokenModel> make_wordpiece(const TokenizerFile& file);

}  // namespace attune
