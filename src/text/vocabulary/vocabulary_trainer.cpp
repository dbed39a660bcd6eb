#include "text/vocabulary/vocabulary_trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "attune/error.h"
#include "text/sentencepiece/trainer.h"
#include "text/utf8.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

void check_user_symbols(const VocabularyOptions& options) {
  std::set<std::string> seen{"<unk>", "<s>", "</s>"};
  for (const std::string& symbol : options.user_symbols) {
    if (symbol.empty()) throw UsageError("user symbols: one of them is empty");
    if (find_invalid_utf8(symbol)) throw UsageError(fmt::format("user symbols: '{}' is not UTF-8", symbol));
    for (Utf8Reader reader(symbol); const auto c = reader.next();)
      if (is_white_space(c->value) || c->value < 0x20 || c->value == 0x2581)
        throw UsageError(
            fmt::format("user symbols: '{}' contains white space, a control character or ▁", symbol));
    if (!seen.insert(symbol).second)
      throw UsageError(fmt::format("user symbols: '{}' appears twice or is a special symbol", symbol));
  }
}

void check_options(const VocabularyOptions& options) {
  check_user_symbols(options);
  if (options.size < 1 || options.size > 100'000'000)
    throw UsageError(fmt::format("size: must be 1 to 100000000, but is {}", options.size));
  const double coverage = options.character_coverage;
  if (coverage != 0 && !(coverage >= kLeastCharacterCoverage && coverage <= 1))
    throw UsageError(fmt::format("character-coverage: must be {} to 1, or 0 for automatic, but is {}",
                                 kLeastCharacterCoverage, coverage));
  if (options.sentences < 1) throw UsageError("sentences: must be at least 1");
}

std::unique_ptr<Vocabulary> list_tokens(const std::vector<TextLines>& text,
                                        const VocabularyOptions& options) {
  const auto symbols = static_cast<int64_t>(options.user_symbols.size()) + 3;
  if (options.size < symbols)
    throw UsageError(
        fmt::format("size: {} special and user symbols do not fit in {}", symbols, options.size));
  std::vector<ListedToken> tokens;
  for (const std::string& symbol : options.user_symbols) tokens.push_back({symbol, 0, true});
  const bool by_word = options.kind == VocabularyKind::word;
  const std::set<std::string, std::less<>> user(options.user_symbols.begin(), options.user_symbols.end());

  std::unordered_map<std::string, int64_t> counts;
  const auto count = [&](std::string token) {
    if (!user.contains(token) && token != "<unk>" && token != "<s>" && token != "</s>")
      ++counts[std::move(token)];
  };
  for (const TextLines& lines : text)
    for (int64_t i = 0; i < lines.count; ++i) {
      const std::string line = lines.line(i);
      std::string word;
      for (Utf8Reader reader(line); const auto c = reader.next();)
        if (!by_word) {
          count(shown_character(c->value, c->bytes));
        } else if (!is_white_space(c->value)) {
          word += c->bytes;
        } else if (!word.empty()) {
          count(std::exchange(word, {}));
        }
      if (!word.empty()) count(std::move(word));
    }
  if (counts.empty()) throw UsageError("the text for the vocabulary has no words");

  std::vector<ListedToken> learned;
  for (const auto& [token, n] : counts)
    if (n >= options.min_frequency) learned.push_back({token, n, false});
  std::ranges::sort(learned, [](const ListedToken& a, const ListedToken& b) {
    return a.count != b.count ? a.count > b.count : a.piece < b.piece;
  });
  const auto room = static_cast<size_t>(options.size - symbols);
  if (learned.size() > room) learned.resize(room);
  tokens.insert(tokens.end(), learned.begin(), learned.end());
  return std::make_unique<ListedVocabulary>(options.kind, std::move(tokens));
}

}  // namespace

std::span<const char* const> enum_names(Normalisation) {
  static constexpr const char* kWords[] = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "none"};
  return kWords;
}

std::unique_ptr<Vocabulary> train_vocabulary(const std::vector<TextLines>& text,
                                             const VocabularyOptions& options) {
  check_options(options);
  if (options.kind == VocabularyKind::word || options.kind == VocabularyKind::character)
    return list_tokens(text, options);
  if (options.kind == VocabularyKind::byte) return byte_vocabulary(options.user_symbols);
  return train_sentencepiece(text, options);
}

}  // namespace attune
