#include "serve/markup/cut_document.h"

#include <gtest/gtest.h>

namespace attune::serve {
namespace {

std::vector<int32_t> one_token(const std::string&) { return {3}; }

TEST(CutDocument, all_but_the_sentences_stays) {
  const std::string text = "\n  One two. Three!\r\n---\n\tFour \n\n12 345\n";
  const auto lines = cut_document(text, 0, one_token);
  std::vector<std::string> sentences;
  for (const CutLine& line : lines)
    for (const CutPart& part : line.parts) sentences.push_back(part.text);
  EXPECT_EQ(sentences, (std::vector<std::string>{"One two.", "Three!", "Four"}));
  EXPECT_EQ(join_document(lines, sentences), text);
  EXPECT_EQ(join_document(lines, {"A.", "B!", "C"}), "\n  A. B!\r\n---\n\tC \n\n12 345\n");
  EXPECT_TRUE(cut_document("", 0, one_token).empty());
}

}  // namespace
}  // namespace attune::serve
