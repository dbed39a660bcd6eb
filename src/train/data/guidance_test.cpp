#include "train/data/guidance.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "testing/op_check.h"
#include "testing/scratch.h"
#include "text/corpus/text_lines.h"
#include "text/vocabulary/vocabulary_trainer.h"
#include "train/data/examples.h"

namespace attune {
namespace {

using testing::expect_error;
using testing::ScratchFolder;

struct Fixture : ::testing::Test {
  ScratchFolder folder;
  Vocabularies vocabularies;

  Corpus corpus_of(const std::string& source, const std::string& target, VocabularyKind kind) {
    Corpus corpus({{{folder.write("a", source), folder.write("b", target)}}});
    vocabularies.source = vocabularies.target =
        train_vocabulary({column_of(corpus, 0), column_of(corpus, 1)}, {.kind = kind, .size = 300});
    return corpus;
  }
  std::vector<TokenLink> links_of_line(const Guidance& guidance, const Corpus& corpus, int64_t line) const {
    return guidance.links({line, corpus.line(line), Random(1)}, vocabularies);
  }
  Guidance guidance(const Corpus& corpus, const std::string& links) {
    TrainConfig config;
    config.guided_alignment = folder.write("links", links);
    return {config, corpus};
  }
};
using GuidanceFile = Fixture;

TEST_F(GuidanceFile, a_word_of_several_tokens_is_linked_with_all_of_them) {
  const Corpus corpus = corpus_of("ab c\nc\n", "d ef\ne\n", VocabularyKind::character);
  const Guidance guide = guidance(corpus, "0-1 1-0\n\n");
  // a b ▁ c  and  d ▁ e f: a space goes with the word after it.
  const std::vector<TokenLink> expected{{0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 0}, {3, 0}};
  EXPECT_EQ(links_of_line(guide, corpus, 0), expected);
  EXPECT_TRUE(links_of_line(guide, corpus, 1).empty());
}

TEST_F(GuidanceFile, says_which_line_does_not_fit) {
  const Corpus corpus = corpus_of("a b\nc\n", "d\ne f\n", VocabularyKind::word);
  const std::string file = (folder / "links").string();
  expect_error([&] { guidance(corpus, "0-0\n"); }, file + " has 1 lines, but");
  expect_error([&] { guidance(corpus, "0-0\n0-x\n"); }, file + ":2: '0-x' is not a link");
  expect_error([&] { guidance(corpus, "0-0\n0p0\n"); }, file + ":2: '0p0' is not a link");
  expect_error([&] { guidance(corpus, "0-0\n1-0\n"); },
               file + ":2: 1-0 links word 1, but " + (folder / "a").string() + ":2 has 1 words");
  expect_error([&] { guidance(corpus, "0-1\n0-0\n"); },
               file + ":1: 0-1 links word 1, but " + (folder / "b").string() + ":1 has 1 words");
  guidance(corpus, "1-0\n0-1\n");
}

// Each line has its own number of words, each linked to the word in the same position.
TEST_F(GuidanceFile, links_stay_with_their_lines_when_batches_are_shuffled) {
  std::string text, links;
  constexpr int64_t kLines = 60;
  for (int64_t i = 0; i < kLines; ++i)
    for (int64_t w = 0; w <= i % 7; ++w) {
      const std::string end = w == i % 7 ? "\n" : " ";
      text += "w" + std::to_string(i) + end;
      links += fmt::format("{}-{}{}", w, w, i % 5 == 0 ? " " : end) +
               (i % 5 == 0 ? "0-" + std::to_string(w) + end : "");
    }
  const Corpus corpus = corpus_of(text, text, VocabularyKind::word);
  const Guidance guide = guidance(corpus, links);
  BatchReader reader(corpus, make_examples(translate_task(), {{}, corpus, vocabularies}, &guide),
                     {.mini_batch_words = 40, .window = 25, .seed = 3});
  int64_t lines = 0;
  bool in_order = true;
  while (const auto batch = reader.next()) {
    const auto matrix = link_matrix(*batch);
    const float* at = matrix.data<float>();
    for (const Example& example : *batch) {
      const int64_t line = example.line;
      const int64_t tokens = line % 7 + 2;  // with </s>
      for (int64_t t = 0; t < tokens; ++t)
        for (int64_t s = 0; s < tokens; ++s) {
          const bool linked = t < tokens - 1 && (s == t || (line % 5 == 0 && s == 0));
          ASSERT_EQ(*at++, linked ? 1 : 0) << "line " << line << ", source " << s << ", target " << t;
        }
      in_order = in_order && line == lines;
      ++lines;
    }
    EXPECT_EQ(at, matrix.data<float>() + matrix.size());
  }
  EXPECT_EQ(lines, kLines);
  EXPECT_FALSE(in_order);
}

}  // namespace
}  // namespace attune
