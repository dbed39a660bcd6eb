#include "text/vocabulary/listed_vocabulary.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr std::string_view kBlank = "▁";
constexpr const char* kSpecial[] = {"<unk>", "<s>", "</s>"};
constexpr int32_t kSpecials = 3;

// The text of a piece of a character vocabulary: the inverse of shown_character.
std::string character_of(const std::string& piece) {
  if (piece == kBlank) return " ";
  if (piece.size() != 6 || !piece.starts_with("\\u")) return piece;
  uint32_t c = 0;
  const auto [end, error] = std::from_chars(piece.data() + 2, piece.data() + 6, c, 16);
  if (error != std::errc() || end != piece.data() + 6) return piece;
  if (c == 0x2581) return std::string(kBlank);
  if (c >= 0xA0) return piece;
  return c < 0x80 ? std::string(1, static_cast<char>(c)) : fmt::format("\xC2{}", static_cast<char>(c));
}

std::string shown_byte(uint8_t byte) {
  if (byte > ' ' && byte < 0x7F) return std::string(1, static_cast<char>(byte));
  return byte == ' ' ? std::string(kBlank) : fmt::format("<0x{:02X}>", byte);
}

// Texts as they are, or with what is not UTF-8 replaced: bytes need not make characters.
std::string finished(std::string text, VocabularyKind kind) {
  return kind == VocabularyKind::byte && find_invalid_utf8(text) ? replace_invalid_utf8(text) : text;
}

}  // namespace

std::string shown_character(char32_t c, std::string_view bytes) {
  if (c == ' ') return std::string(kBlank);
  if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2581)
    return fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
  return std::string(bytes);
}

ListedVocabulary::ListedVocabulary(VocabularyKind kind, std::vector<ListedToken> tokens, WordEnds ends)
    : kind_(kind), ends_(ends) {
  tokens_.reserve(tokens.size() + kSpecials);
  for (const char* symbol : kSpecial) tokens_.push_back({symbol, 0, false});
  for (ListedToken& token : tokens) tokens_.push_back(std::move(token));
  for (size_t i = 0; i < tokens_.size(); ++i) {
    user_symbols_ += tokens_[i].user;
    check(index_.emplace(tokens_[i].piece, static_cast<int32_t>(i)).second, "vocabulary: '{}' appears twice",
          tokens_[i].piece);
  }
}

// Text that spells a special symbol is not that symbol.
int32_t ListedVocabulary::lookup(std::string_view piece) const {
  const auto found = index_.find(piece);
  return found == index_.end() || found->second < kSpecials ? unk() : found->second;
}

const ListedToken* ListedVocabulary::user_symbol_at(std::string_view text) const {
  const ListedToken* longest = nullptr;
  for (size_t i = kSpecials; i < kSpecials + user_symbols_; ++i)
    if (text.starts_with(tokens_[i].piece) &&
        (longest == nullptr || tokens_[i].piece.size() > longest->piece.size()))
      longest = &tokens_[i];
  return longest;
}

template <class Take>
void ListedVocabulary::for_tokens(std::string_view text, const Take& take) const {
  switch (kind_) {
    case VocabularyKind::word: return for_words(text, take);
    case VocabularyKind::byte: return for_bytes(text, take);
    default: return for_characters(text, take);
  }
}

template <class Take>
void ListedVocabulary::for_words(std::string_view text, const Take& take) const {
  const char* begin = text.data();
  const auto end_at = [&](const char* end) {
    if (begin < end) take(lookup({begin, end}), std::string_view(begin, end));
  };
  for (Utf8Reader reader(text); const auto c = reader.next();)
    if (ends_ == WordEnds::blanks ? c->value == ' ' : is_white_space(c->value)) {
      end_at(c->bytes.data());
      begin = c->bytes.data() + c->bytes.size();
    }
  end_at(text.data() + text.size());
}

template <class Take>
void ListedVocabulary::for_characters(std::string_view text, const Take& take) const {
  while (!text.empty()) {
    if (const ListedToken* symbol = user_symbol_at(text)) {
      take(static_cast<int32_t>(symbol - tokens_.data()), text.substr(0, symbol->piece.size()));
      text.remove_prefix(symbol->piece.size());
    } else {
      const CodePoint c = *Utf8Reader(text).next();
      take(lookup(shown_character(c.value, c.bytes)), c.bytes);
      text.remove_prefix(c.bytes.size());
    }
  }
}

template <class Take>
void ListedVocabulary::for_bytes(std::string_view text, const Take& take) const {
  const auto first = static_cast<int32_t>(kSpecials + user_symbols_);
  while (!text.empty()) {
    const ListedToken* symbol = user_symbol_at(text);
    const size_t size = symbol != nullptr ? symbol->piece.size() : 1;
    take(symbol != nullptr ? static_cast<int32_t>(symbol - tokens_.data())
                           : first + static_cast<uint8_t>(text[0]),
         text.substr(0, size));
    text.remove_prefix(size);
  }
}

std::optional<uint8_t> ListedVocabulary::byte(int32_t id) const {
  const auto first = static_cast<int32_t>(kSpecials + user_symbols_);
  if (kind_ != VocabularyKind::byte || id < first || id >= size()) return {};
  return static_cast<uint8_t>(id - first);
}

std::string ListedVocabulary::text_of(int32_t id) const {
  const ListedToken& token = tokens_[static_cast<size_t>(id)];
  if (token.user) return token.piece;
  if (const auto b = byte(id)) return std::string(1, static_cast<char>(*b));
  return character_of(token.piece);
}

std::vector<int32_t> ListedVocabulary::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  for_tokens(text, [&](int32_t id, std::string_view) { ids.push_back(id); });
  return ids;
}

std::vector<size_t> ListedVocabulary::begins(std::string_view text) const {
  std::vector<size_t> all;
  for_tokens(text, [&](int32_t, std::string_view token) {
    all.push_back(static_cast<size_t>(token.data() - text.data()));
  });
  return all;
}

std::vector<std::string> ListedVocabulary::pieces(std::string_view text) const {
  std::vector<std::string> shown;
  for_tokens(text, [&](int32_t id, std::string_view token) {
    if (id != unk())
      shown.push_back(piece(id));
    else if (kind_ == VocabularyKind::word)
      shown.emplace_back(token);
    else
      shown.push_back(shown_character(Utf8Reader(token).next()->value, token));
  });
  return shown;
}

std::string ListedVocabulary::join(const std::vector<std::string>& pieces) const {
  const bool by_word = kind_ == VocabularyKind::word;
  std::string text;
  for (const std::string& piece : pieces) {
    const auto known = id(piece);
    if (known == bos() || known == eos()) continue;
    if (by_word && !text.empty()) text += ' ';
    text += by_word ? piece : known ? text_of(*known) : character_of(piece);
  }
  return finished(std::move(text), kind_);
}

std::string ListedVocabulary::decode(std::span<const int32_t> ids) const {
  const bool by_word = kind_ == VocabularyKind::word;
  std::string text;
  bool first = true;
  for (const int32_t id : ids) {
    const std::string token = piece(id);
    if (id == bos() || id == eos()) continue;
    if (by_word && !first) text += ' ';
    first = false;
    text += by_word ? token : id == unk() ? "⁇" : text_of(id);
  }
  return finished(std::move(text), kind_);
}

std::string ListedVocabulary::piece(int32_t id) const {
  check(id >= 0 && id < size(), "vocabulary: token {} does not exist, only 0 to {}", id, size() - 1);
  return tokens_[static_cast<size_t>(id)].piece;
}

std::optional<int32_t> ListedVocabulary::id(std::string_view piece) const {
  const auto found = index_.find(piece);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

// ---- The file: a header with the number of tokens, then "TOKEN<tab>COUNT", with `special` or `user` in
// place of the count for symbols that were not counted. Line n + 2 is token n.
namespace {

constexpr std::string_view kMagic = "attune vocabulary ", kByBlanks = "word-by-blanks";

struct Line {
  std::string_view text;
  int64_t number;
};

class ListParser {
 public:
  ListParser(std::string_view content, const std::string& name) : rest_(content), name_(name) {}

  std::unique_ptr<Vocabulary> parse() {
    const auto [kind, ends, count] = header();
    for (const char* symbol : kSpecial)
      if (const Line line = next(); line.text != fmt::format("{}\tspecial", symbol))
        refuse("this line should be '{}', a tab and 'special'", symbol);
    std::vector<ListedToken> tokens;
    while (!rest_.empty()) tokens.push_back(token(next(), tokens.empty() || tokens.back().user));
    if (kind == VocabularyKind::byte) check_bytes(tokens);
    if (const auto there = static_cast<int64_t>(tokens.size()) + kSpecials; there != count)
      refuse("there are {} tokens, but the first line says {}; the file was cut off or edited", there, count);
    return std::make_unique<ListedVocabulary>(kind, std::move(tokens), ends);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw UsageError(
        fmt::format("{}:{}: {}", name_, number_, fmt::format(text, std::forward<Args>(args)...)));
  }

  Line next() {
    ++number_;
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) refuse("the file ends within or before this line; it was cut off");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (const auto bad = find_invalid_utf8(text)) refuse("byte {} is not UTF-8", *bad + 1);
    return {text, number_};
  }

  int64_t number(std::string_view digits) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
      refuse("'{}' should be a number", digits);
    return value;
  }

  struct Head {
    VocabularyKind kind;
    WordEnds ends;
    int64_t count;
  };

  // "attune vocabulary 1 word 5003"; "word-by-blanks" if only blanks separate words
  Head header() {
    std::string_view text = next().text.substr(kMagic.size());
    const auto field = [&text] {
      const std::string_view first = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), first.size() + 1));
      return first;
    };
    if (const auto version = field(); version != "1")
      refuse("the format is version '{}', but this attune reads version 1; use a newer attune", version);
    const auto kind = field();
    if (kind == kByBlanks) return {VocabularyKind::word, WordEnds::blanks, number(field())};
    for (const VocabularyKind known : {VocabularyKind::word, VocabularyKind::character, VocabularyKind::byte})
      if (kind == name_of(known)) return {known, WordEnds::white_space, number(field())};
    refuse("'{}' should be word, char or byte", kind);
  }

  void check_bytes(std::span<const ListedToken> tokens) const {
    const auto bytes = std::ranges::find(tokens, false, &ListedToken::user) - tokens.begin();
    bool all = tokens.size() - static_cast<size_t>(bytes) == 256;
    for (size_t i = 0; all && i < 256; ++i)
      all = tokens[static_cast<size_t>(bytes) + i].piece == shown_byte(static_cast<uint8_t>(i));
    if (!all) refuse("the 256 bytes should follow the symbols in their order");
  }

  ListedToken token(const Line& line, bool may_be_user) {
    const size_t tab = line.text.rfind('\t');
    if (tab == std::string_view::npos || tab == 0) refuse("this line should be a token, a tab and its count");
    ListedToken token{std::string(line.text.substr(0, tab)), 0, line.text.substr(tab + 1) == "user"};
    if (token.user && !may_be_user) refuse("user symbols must come before the counted tokens");
    if (!token.user) token.count = number(line.text.substr(tab + 1));
    if (const auto [first, fresh] = seen_.emplace(token.piece, line.number); !fresh)
      refuse("'{}' is also in line {}", token.piece, first->second);
    if (std::ranges::find(kSpecial, token.piece) != std::end(kSpecial))
      refuse("'{}' is a special symbol", token.piece);
    return token;
  }

  std::string_view rest_;
  const std::string& name_;
  int64_t number_ = 0;
  std::unordered_map<std::string, int64_t> seen_;
};

}  // namespace

std::string ListedVocabulary::serialized() const {
  std::string content = fmt::format("{}1 {} {}\n", kMagic,
                                    ends_ == WordEnds::blanks ? kByBlanks : name_of(kind_), tokens_.size());
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const ListedToken& token = tokens_[i];
    const std::string count = i < kSpecials ? "special"
                              : token.user  ? "user"
                                            : fmt::format("{}", token.count);
    content += fmt::format("{}\t{}\n", token.piece, count);
  }
  return content;
}

bool is_listed_vocabulary(std::string_view content) { return content.starts_with(kMagic); }

std::unique_ptr<Vocabulary> parse_listed_vocabulary(std::string_view content, const std::string& name) {
  return ListParser(content, name).parse();
}

std::unique_ptr<Vocabulary> byte_vocabulary(const std::vector<std::string>& user_symbols) {
  std::vector<ListedToken> tokens;
  for (const std::string& symbol : user_symbols) tokens.push_back({symbol, 0, true});
  for (int byte = 0; byte < 256; ++byte) tokens.push_back({shown_byte(static_cast<uint8_t>(byte)), 0, false});
  return std::make_unique<ListedVocabulary>(VocabularyKind::byte, std::move(tokens));
}

}  // namespace attune
