#include "serve/markup/share_document.h"

#include <gtest/gtest.h>

#include <numeric>

#include "text/boundaries.h"

namespace attune::serve {
namespace {

// A token for each word.
std::vector<int32_t> words(const std::string& text) { return std::vector<int32_t>(words_of(text).size(), 3); }

std::vector<std::string> sentences(std::string_view text, int64_t longest) {
  std::vector<std::string> all;
  for (const CutLine& line : cut_document(text, longest, words))
    for (const CutPart& part : line.parts) all.push_back(part.text);
  return all;
}

TEST(ShareDocument, shares_are_the_text_and_have_its_sentences) {
  const std::string text =
      "\n  One two. Three!\r\n---\n\tFour five six seven eight nine ten. \n\n12 "
      "345\n今天天气很好。我们去公园吧！Ça va? "
      "Oui.\n...";
  for (const int64_t longest : {0, 3})
    for (size_t most = 1; most < 9; ++most) {
      const auto shares = share_document(cut_document(text, longest, words), most);
      EXPECT_LE(shares.size(), most);
      EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::string()), text);
      std::vector<std::string> all;
      for (const std::string& share : shares)
        for (const std::string& sentence : sentences(share, longest)) all.push_back(sentence);
      EXPECT_EQ(all, sentences(text, longest)) << most;
    }
}

TEST(ShareDocument, shares_are_about_as_long) {
  const auto lines =
      cut_document("One two three. Four five six. Seven. Eight nine.\nTen eleven twelve.", 0, words);
  EXPECT_EQ(share_document(lines, 2), (std::vector<std::string>{"One two three. Four five six. ",
                                                                "Seven. Eight nine.\nTen eleven twelve."}));
}

TEST(ShareDocument, a_text_without_sentences_is_one_share) {
  EXPECT_EQ(share_document(cut_document("12\n...\n", 0, words), 4), (std::vector<std::string>{"12\n...\n"}));
  EXPECT_EQ(share_document({}, 4), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace attune::serve
