#include "text/vocabulary/vocabulary.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "attune/error.h"
#include "text/sentencepiece/vocabulary.h"
#include "text/tokenizer/tokenizer_vocabulary.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

constexpr uintmax_t kLargestFile = 256 << 20;

std::string read_whole(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw UsageError(fmt::format("{}: there is no such vocabulary file", path));
  if (!fs::is_regular_file(status)) throw UsageError(fmt::format("{}: this is not a file", path));
  const uintmax_t size = fs::file_size(path, error);
  if (size > kLargestFile)
    throw UsageError(fmt::format("{}: this file has {} MB, too much for a vocabulary", path, size >> 20));
  std::ifstream file(path, std::ios::binary);
  std::string content(static_cast<size_t>(size), '\0');
  if (!file.read(content.data(), static_cast<std::streamsize>(size)))
    throw UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return content;
}

std::vector<VocabularyFormat>& formats() {
  static std::vector<VocabularyFormat> all;
  return all;
}

}  // namespace

RegisterVocabularyFormat::RegisterVocabularyFormat(const VocabularyFormat& format) {
  formats().push_back(format);
}

std::span<const char* const> enum_names(VocabularyKind) {
  static constexpr const char* kWords[] = {"unigram", "bpe", "word", "char", "byte"};
  return kWords;
}

const char* name_of(VocabularyKind kind) {
  if (kind == VocabularyKind::several) return "several sources";
  return kind == VocabularyKind::vectors ? "vectors" : enum_names(kind)[static_cast<size_t>(kind)];
}

int32_t Vocabulary::required(std::string_view symbol) const {
  if (const auto found = id(symbol)) return *found;
  throw UsageError(fmt::format(
      "the vocabulary has no symbol '{}'; make it with `attune vocab --user-symbols '{}'`", symbol, symbol));
}

std::unique_ptr<Vocabulary> load_vocabulary(const std::string& path) {
  return parse_vocabulary(read_whole(path), path);
}

std::unique_ptr<Vocabulary> parse_vocabulary(std::string content, const std::string& name) {
  if (content.empty()) throw UsageError(fmt::format("{}: the file is empty", name));
  if (is_tokenizer_file(content)) return parse_tokenizer_vocabulary(std::move(content), name);
  if (is_listed_vocabulary(content)) return parse_listed_vocabulary(content, name);
  for (const VocabularyFormat& format : formats())
    if (format.recognises(content)) return format.parse(std::move(content), name);
  return parse_sentencepiece_vocabulary(std::move(content), name);
}

}  // namespace attune
