// For tests: a small vocabulary of pieces like SentencePiece's, with the two bytes of é (C3 A9).
#pragma once

#include <string>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace attune::testing {

class Pieces final : public Vocabulary {
 public:
  VocabularyKind kind() const override { return VocabularyKind::unigram; }
  bool is_listed() const override { return false; }
  int32_t size() const override { return static_cast<int32_t>(pieces_.size()); }
  // The longest piece each time.
  std::vector<int32_t> encode(std::string_view text) const override {
    std::string rest = "▁";
    for (const char c : text) rest += c == ' ' ? "▁" : std::string(1, c);
    while (rest.ends_with("▁")) rest.resize(rest.size() - 3);
    std::vector<int32_t> ids;
    while (!rest.empty()) {
      int32_t best = unk();
      for (int32_t i = 3; i < size(); ++i)
        if (!is_byte(i) && rest.starts_with(piece(i)) &&
            (best == unk() || piece(i).size() > piece(best).size()))
          best = i;
      ids.push_back(best);
      rest.erase(0, best == unk() ? 1 : piece(best).size());
    }
    return ids;
  }
  std::vector<size_t> begins(std::string_view) const override { return {}; }
  std::string decode(std::span<const int32_t> ids) const override {
    decoded_ += ids.size();
    std::string text, bytes;
    const auto flush = [&] {
      text += bytes.size() == 2 ? bytes : bytes.empty() ? "" : "\xEF\xBF\xBD";
      bytes.clear();
    };
    for (const int32_t id : ids) {
      if (is_byte(id)) {
        bytes += id == 3 ? "\xC3" : "\xA9";
        continue;
      }
      flush();
      std::string shown = id == unk() ? "⁇" : piece(id);
      if (shown.starts_with("▁")) shown = (text.empty() ? "" : " ") + shown.substr(3);
      text += shown;
    }
    flush();
    return text;
  }
  std::string piece(int32_t id) const override { return pieces_[static_cast<size_t>(id)]; }
  std::optional<int32_t> id(std::string_view) const override { return {}; }
  int32_t unk() const override { return 0; }
  int32_t bos() const override { return 1; }
  int32_t eos() const override { return 2; }
  std::optional<uint8_t> byte(int32_t id) const override {
    return id == 3 ? std::optional<uint8_t>(0xC3) : id == 4 ? std::optional<uint8_t>(0xA9) : std::nullopt;
  }
  std::string serialized() const override { return ""; }
  std::vector<std::string> pieces(std::string_view) const override { return {}; }
  std::string join(const std::vector<std::string>&) const override { return ""; }

  size_t decoded() const { return decoded_; }  // tokens, so far

 private:
  mutable size_t decoded_ = 0;
  std::vector<std::string> pieces_{"<unk>", "<s>",    "</s>", "<0xC3>", "<0xA9>", "▁inter", "▁international",
                                   "▁in",   "nation", "▁a",   "▁",      "t",      "e",      "r",
                                   "i",     "n",      "▁the", "re",     "al"};
};

}  // namespace attune::testing
