#include "text/sentencepiece_writer.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

std::unique_ptr<Vocabulary> vocabulary(VocabularyKind kind) {
  const std::vector<SentencePiece> pieces{{"<unk>", 0, PieceType::unknown},
                                          {"<s>", 0, PieceType::control},
                                          {"</s>", 0, PieceType::control},
                                          {"<0xC3>", 0, PieceType::byte},
                                          {"<0xA9>", 0, PieceType::byte},
                                          {"▁ab", -1},
                                          {"▁", -2},
                                          {"a", -3},
                                          {"b", -4},
                                          {"ab", -1.5}};
  return parse_vocabulary(sentencepiece_model(pieces, kind), "test");
}

TEST(SentencePieceWriter, gives_a_model_that_cuts_text) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const auto words = vocabulary(kind);
    EXPECT_EQ(words->kind(), kind);
    EXPECT_EQ(words->size(), 10);
    EXPECT_EQ(words->bos(), 1);
    EXPECT_EQ(words->eos(), 2);
    EXPECT_EQ(words->pieces("abab"), (std::vector<std::string>{"▁ab", "ab"}));
    EXPECT_EQ(words->pieces("é"), (std::vector<std::string>{"▁", "<0xC3>", "<0xA9>"}));
    EXPECT_EQ(words->decode(words->encode("ab é  b")), "ab é  b");
  }
}

}  // namespace
}  // namespace attune
