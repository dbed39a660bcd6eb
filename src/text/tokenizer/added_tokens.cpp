#include "text/tokenizer/added_tokens.h"

#include <algorithm>

#include "text/characters.h"
#include "text/utf8.h"

namespace attune {
namespace {

bool is_word(char32_t c) { return c == '_' || is_in(c, kLetters | kNumbers | kMarks); }

bool begins_with_word(std::string_view text) {
  Utf8Reader reader(text);
  const auto first = reader.next();
  return first && is_word(first->value);
}

bool ends_with_word(std::string_view text) {
  return !text.empty() && begins_with_word(text.substr(code_point_begin(text, text.size() - 1)));
}

size_t blank_end(std::string_view text, size_t begin) {
  for (Utf8Reader reader(text.substr(begin)); const auto c = reader.next();) {
    if (!is_white_space(c->value)) break;
    begin += c->bytes.size();
  }
  return begin;
}

size_t blank_begin(std::string_view text, size_t end) {
  while (end > 0) {
    const size_t at = code_point_begin(text, end - 1);
    if (!is_blank(text.substr(at, end - at))) break;
    end = at;
  }
  return end;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)), first_bytes_(256) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.text.empty(); });
  std::ranges::stable_sort(tokens_, std::greater<>(), [](const AddedToken& t) { return t.text.size(); });
  for (const AddedToken& token : tokens_) first_bytes_[static_cast<uint8_t>(token.text[0])] = true;
}

const AddedToken* AddedTokens::at(std::string_view text, size_t position) const {
  if (!first_bytes_[static_cast<uint8_t>(text[position])]) return nullptr;
  const std::string_view rest = text.substr(position);
  for (const AddedToken& token : tokens_) {
    if (!rest.starts_with(token.text)) continue;
    if (token.alone &&
        (ends_with_word(text.substr(0, position)) || begins_with_word(rest.substr(token.text.size()))))
      continue;
    return &token;
  }
  return nullptr;
}

std::vector<MarkedPart> AddedTokens::split(std::string_view text) const {
  std::vector<MarkedPart> parts;
  size_t begin = 0;
  const auto add_text = [&](size_t end) {
    if (begin < end) parts.push_back({text.substr(begin, end - begin)});
  };
  for (size_t i = 0; i < text.size() && !tokens_.empty();) {
    const AddedToken* token = at(text, i);
    if (token == nullptr) {
      ++i;
      continue;
    }
    const size_t first = token->left ? std::max(begin, blank_begin(text, i)) : i;
    const size_t behind = i + token->text.size(), last = token->right ? blank_end(text, behind) : behind;
    add_text(first);
    parts.push_back({text.substr(first, last - first), token->id});
    begin = i = last;
  }
  add_text(text.size());
  return parts;
}

}  // namespace attune
