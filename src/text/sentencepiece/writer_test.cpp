#include "text/sentencepiece/writer.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace attune {
namespace {

std::unique_ptr<Vocabulary> vocabulary(VocabularyKind kind) {
  std::vector<SentencePiece> pieces{
      {"<unk>", 0, PieceType::unknown}, {"<s>", 0, PieceType::control}, {"</s>", 0, PieceType::control}};
  for (int i = 0; i < 256; ++i) pieces.push_back({fmt::format("<0x{:02X}>", i), 0, PieceType::byte});
  for (const auto& [text, score] :
       {std::pair("▁ab", -1.f), {"▁", -2.f}, {"a", -3.f}, {"b", -4.f}, {"ab", -1.5f}})
    pieces.push_back({text, score});
  return parse_vocabulary(sentencepiece_model(pieces, kind), "test");
}

TEST(SentencePieceWriter, gives_a_model_that_cuts_text) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const auto words = vocabulary(kind);
    EXPECT_EQ(words->kind(), kind);
    EXPECT_EQ(words->size(), 3 + 256 + 5);
    EXPECT_EQ(words->bos(), 1);
    EXPECT_EQ(words->eos(), 2);
    EXPECT_EQ(words->pieces("abab"), (std::vector<std::string>{"▁ab", "ab"}));
    EXPECT_EQ(words->pieces("é"), (std::vector<std::string>{"▁", "<0xC3>", "<0xA9>"}));
    EXPECT_EQ(words->decode(words->encode("ab é  b")), "ab é  b");
  }
}

}  // namespace
}  // namespace attune
