#include "text/vocabulary/several_sources.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using Texts = std::vector<std::string>;

std::shared_ptr<const Vocabulary> words(const std::string& line) {
  VocabularyOptions options;
  options.kind = VocabularyKind::word;
  return train_vocabulary({{1, [&](int64_t) { return line; }}}, options);
}

TEST(SeveralSources, tokens_of_one_source_after_another_each_with_its_end) {
  const auto first = words("wo ist 猫"), second = words("a b c");
  const auto both = several_sources({first, second});
  const auto ids = both->encode("ist 猫\tb a");
  EXPECT_EQ(both->pieces("ist 猫\tb a"), (Texts{"ist", "猫", "</s>", "b", "a", "</s>"}));
  EXPECT_EQ(both->begins("ist 猫\tb a").size(), ids.size());
  std::vector<int32_t> own = first->encode("ist 猫");
  own.push_back(first->eos());
  EXPECT_EQ(tokens_of_source(*both, ids, 0), own);
  EXPECT_EQ(tokens_of_source(*both, ids, 1).size(), 3u);
  EXPECT_TRUE(both->encode("").empty());
  EXPECT_TRUE(both->encode("ist\t").empty());  // an example without a source is left out
  EXPECT_EQ(joined_sources(Texts{"ist", "b"}), "ist\tb");
}

TEST(SeveralSources, comes_back_from_its_file) {
  const auto both = several_sources({words("x ü"), words("a b")});
  const auto read = parse_vocabulary(both->serialized(), "both.parts");
  EXPECT_EQ(read->parts().size(), 2u);
  EXPECT_EQ(read->encode("ü\tb"), both->encode("ü\tb"));
  EXPECT_EQ(read->serialized(), both->serialized());
}

TEST(SeveralSources, what_is_missing_or_damaged_is_refused) {
  const auto both = several_sources({words("x"), words("a")});
  testing::expect_error([&] { both->encode("x"); },
                        "the model reads 2 sources with tabs between them, but there is one in 'x'");
  testing::expect_error([&] { both->encode("x\ta\tb"); }, "but there are 3");
  const std::string whole = both->serialized();
  for (size_t length = 19; length < whole.size(); ++length)
    testing::expect_error([&] { parse_vocabulary(whole.substr(0, length), "cut.parts"); }, "cut.parts");
}

}  // namespace
}  // namespace attune
