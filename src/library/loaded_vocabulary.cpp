#include "attune/loaded_vocabulary.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "base/known_names.h"
#include "config/fields.h"
#include "io/files/file.h"
#include "text/utf8.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

void require_text(const std::string& text, const std::string& where) {
  if (const auto invalid = find_invalid_utf8(text))
    throw UsageError(fmt::format("{}: byte {} is not UTF-8", where, *invalid + 1));
}

VocabularyKind kind_of(const std::string& name) {
  const auto kinds = enum_names(VocabularyKind{});
  const auto found = std::ranges::find(kinds, name);
  if (found == kinds.end())
    throw UsageError(fmt::format("kind: it takes {}, but '{}' was given",
                                 comma_separated(words_of<VocabularyKind>()), name));
  return static_cast<VocabularyKind>(found - kinds.begin());
}

}  // namespace

LoadedVocabulary::LoadedVocabulary(const std::filesystem::path& file)
    : vocabulary_(load_vocabulary(file.string())) {}

LoadedVocabulary::LoadedVocabulary(std::shared_ptr<const Vocabulary> vocabulary)
    : vocabulary_(std::move(vocabulary)) {}

LoadedVocabulary LoadedVocabulary::learn(std::span<const std::string> lines,
                                         const VocabularyLearning& options) {
  for (size_t i = 0; i < lines.size(); ++i) require_text(lines[i], fmt::format("line {}", i + 1));
  const TextLines text{static_cast<int64_t>(lines.size()),
                       [&](int64_t i) { return lines[static_cast<size_t>(i)]; }};
  return LoadedVocabulary(train_vocabulary(
      {text}, {.kind = kind_of(options.kind), .size = options.size, .user_symbols = options.user_symbols}));
}

std::string LoadedVocabulary::kind() const { return name_of(vocabulary_->kind()); }
int64_t LoadedVocabulary::size() const { return vocabulary_->size(); }

std::vector<int32_t> LoadedVocabulary::encode(const std::string& text) const {
  require_text(text, "encode");
  return vocabulary_->encode(text);
}
std::string LoadedVocabulary::decode(std::span<const int32_t> ids) const { return vocabulary_->decode(ids); }
std::vector<std::string> LoadedVocabulary::pieces(const std::string& text) const {
  require_text(text, "pieces");
  return vocabulary_->pieces(text);
}
std::string LoadedVocabulary::join(const std::vector<std::string>& pieces) const {
  return vocabulary_->join(pieces);
}

std::string LoadedVocabulary::piece(int32_t id) const {
  if (id < 0 || id >= vocabulary_->size())
    throw Error(fmt::format("piece: there is no token {}; the vocabulary has {}", id, vocabulary_->size()));
  return vocabulary_->piece(id);
}
std::optional<int32_t> LoadedVocabulary::id(const std::string& piece) const { return vocabulary_->id(piece); }
int32_t LoadedVocabulary::unk() const { return vocabulary_->unk(); }
int32_t LoadedVocabulary::bos() const { return vocabulary_->bos(); }
int32_t LoadedVocabulary::eos() const { return vocabulary_->eos(); }

void LoadedVocabulary::save(const std::filesystem::path& file) const {
  write_file_atomically(file, vocabulary_->serialized());
}

}  // namespace attune
