#include "text/corpus/token_stream.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/scratch.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using testing::ScratchFolder;

// The tokens of its blocks as text, with | for the end of a document.
std::vector<std::string> blocks_of(const TokenStream& stream, const Vocabulary& vocabulary, int32_t end) {
  std::vector<std::string> blocks;
  for (int64_t i = 0; i < stream.blocks(); ++i) {
    std::string& text = blocks.emplace_back();
    for (const int32_t id : stream.block(i)) text += id == end ? "|" : vocabulary.decode(std::vector{id});
  }
  return blocks;
}

TEST(TokenStream, blocks_go_over_the_ends_of_lines_and_documents) {
  const ScratchFolder folder;
  const Corpus corpus({{.files = {folder.write("a", "天地\n玄黄\n\n宇宙洪荒\n")}, .paragraphs = true},
                       {.files = {folder.write("b", "\nab\n\n\ncd e\n")}, .paragraphs = true}});
  const auto vocabulary =
      train_vocabulary(columns_of(corpus), {.kind = VocabularyKind::character, .size = 100});
  const int32_t end = vocabulary->eos();
  const TokenStream stream(corpus, *vocabulary, end, 4);
  EXPECT_EQ(stream.tokens(), 6 + 5 + 3 + 5);
  EXPECT_EQ(blocks_of(stream, *vocabulary, end),
            (std::vector<std::string>{"天地\n玄", "黄|宇宙", "洪荒|", "ab|c", "d e|"}));
}

TEST(TokenStream, weights_repeat_the_blocks_of_a_source) {
  const ScratchFolder folder;
  const std::string text = "abcdefgh\n";
  const Corpus corpus({{.files = {folder.write("a", text)}, .weight = 2, .paragraphs = true},
                       {.files = {folder.write("b", text)}, .weight = 0.5, .paragraphs = true}});
  const auto vocabulary = train_vocabulary(columns_of(corpus), {.kind = VocabularyKind::byte});
  const TokenStream stream(corpus, *vocabulary, vocabulary->eos(), 2);
  EXPECT_EQ(stream.blocks(), 10);  // 9 tokens each
  const std::vector<int64_t> epoch = stream.epoch(Random(1));
  EXPECT_EQ(epoch.size(), 13U);
  for (int64_t block = 0; block < 5; ++block) EXPECT_EQ(std::ranges::count(epoch, block), 2);
  EXPECT_EQ(epoch, stream.epoch(Random(1)));
}

TEST(TokenStream, names_the_line_of_bytes_that_are_not_text) {
  const ScratchFolder folder;
  const Corpus corpus({{.files = {folder.write("a", "a\n\nb\nc\xFF\n")}, .paragraphs = true}});
  const auto vocabulary = train_vocabulary({}, {.kind = VocabularyKind::byte});
  try {
    const TokenStream stream(corpus, *vocabulary, vocabulary->eos(), 2);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("a:3: byte 4 is not UTF-8"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace attune
