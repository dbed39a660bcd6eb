// Vocabulary: text to token ids and back. Raw text goes in and raw text comes out; how it is split is up to
// the vocabulary. All functions are const and may be called from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/random.h"

namespace attune {

class VectorSource;

enum class VocabularyKind { unigram, bpe, word, character, byte, vectors, several };
std::span<const char* const> enum_names(VocabularyKind);  // of those that are learned from text
const char* name_of(VocabularyKind kind);

class Vocabulary {
 public:
  virtual ~Vocabulary() = default;

  virtual VocabularyKind kind() const = 0;
  // Tokens are words, characters or bytes as in the text; otherwise they are pieces of words.
  virtual bool is_listed() const = 0;
  virtual int32_t size() const = 0;

  // Of valid UTF-8, without <s> and </s>.
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;

  // The same text in other tokens by chance (subword sampling): unigram vocabularies draw one of all ways to
  // split it with a probability that is proportional to p^rate; BPE vocabularies leave out each merge with
  // the probability `rate`. Vocabularies whose texts can be split in one way only do as encode().
  virtual std::vector<int32_t> sample(std::string_view text, double /*rate*/,
                                      const Random& /*random*/) const {
    return encode(text);
  }

  // The byte of the text at which each token of encode() begins; white space may precede its first letter.
  // kNotInText for a token that stands for the target language.
  static constexpr size_t kNotInText = static_cast<size_t>(-1);
  virtual std::vector<size_t> begins(std::string_view text) const = 0;

  // <s> and </s> are dropped, user symbols are text. An id that is out of range is an Error.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  // How a token is shown: "▁the", where ▁ stands for a space.
  virtual std::string piece(int32_t id) const = 0;
  virtual std::optional<int32_t> id(std::string_view piece) const = 0;

  virtual int32_t unk() const = 0;
  virtual int32_t bos() const = 0;  // </s> if a foreign SentencePiece model has no <s>, like Marian's
  virtual int32_t eos() const = 0;

  // The byte that the token is: in a byte vocabulary, or of a character that has no piece of its own.
  virtual std::optional<uint8_t> byte(int32_t /*id*/) const { return {}; }
  bool is_byte(int32_t id) const { return byte(id).has_value(); }
  // The bytes of a token that are not whole characters; empty for all others.
  virtual std::string_view fragment(int32_t /*id*/) const { return {}; }

  // Null if tokens are words. The size of a vocabulary of vectors is their width.
  virtual const VectorSource* vectors() const { return nullptr; }
  // Of several sources (several_sources.h): the vocabulary of each; otherwise none.
  virtual std::span<const std::shared_ptr<const Vocabulary>> parts() const { return {}; }
  bool several() const { return !parts().empty(); }

  // The content of a file that load_vocabulary reads.
  virtual std::string serialized() const = 0;

  // The tokens of encode() as they are shown; an unknown one is shown as its text.
  virtual std::vector<std::string> pieces(std::string_view text) const = 0;
  // The text of such tokens.
  virtual std::string join(const std::vector<std::string>& pieces) const = 0;

  // The extension of its file: ".txt", ".spm", ".json".
  virtual const char* file_ending() const { return is_listed() ? ".txt" : ".spm"; }

  // The id of a symbol that a task requires, such as [MASK]; a UsageError says how to get it.
  int32_t required(std::string_view symbol) const;
};

// Recognises the kind by the content. Files that are damaged, truncated or of another kind are UsageErrors
// that say what is wrong and where; `name` is the name of the file in them.
std::unique_ptr<Vocabulary> load_vocabulary(const std::string& path);
std::unique_ptr<Vocabulary> parse_vocabulary(std::string content, const std::string& name);

// A kind of vocabulary that is defined elsewhere.
struct VocabularyFormat {
  bool (*recognises)(std::string_view content);
  std::unique_ptr<Vocabulary> (*parse)(std::string content, const std::string& name);
};
struct RegisterVocabularyFormat {
  explicit RegisterVocabularyFormat(const VocabularyFormat& format);
};

}  // namespace attune
