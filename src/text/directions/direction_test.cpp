#include "text/directions/direction.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "text/directions/directed_vocabulary.h"
#include "text/vocabulary/vocabulary_trainer.h"
#include "text/word_links.h"

namespace attune {
namespace {

using Names = std::vector<std::string>;

TEST(Direction, names_are_directions_or_languages) {
  const auto read = [](const Names& names) { return read_directions(names); };
  EXPECT_EQ(read({"en-fr", "de-en"}), (std::vector<Direction>{{"en", "fr"}, {"de", "en"}}));
  EXPECT_EQ(read({"pt-BR-zh-Hans"}), (std::vector<Direction>{{"pt-BR", "zh-Hans"}}));
  EXPECT_EQ(read({"es-419-fil"}), (std::vector<Direction>{{"es-419", "fil"}}));
  for (const Names& languages : {Names{},
                                 {"en", "fr"},
                                 {"en-US", "fr-FR"},
                                 {"en", "pt-br"},
                                 {"en_us"},
                                 {"en-en"},
                                 {"en-fr-de"},
                                 {"-fr"},
                                 {"en-"},
                                 {"english-french"},
                                 {"en-ﬀ"}})
    EXPECT_TRUE(read(languages).empty()) << (languages.empty() ? "" : languages[0]);
}

TEST(Direction, each_language_once) {
  const auto all = read_directions(Names{"en-fr", "en-de", "de-fr"});
  EXPECT_EQ(languages_of(all), (Names{"en", "fr", "de"}));
  EXPECT_EQ(targets_of(all), (Names{"fr", "de"}));
}

struct Directed : ::testing::TestWithParam<VocabularyKind> {
  std::shared_ptr<const Vocabulary> plain =
      train_vocabulary({{1, [](int64_t) { return "good morning schöne Grüße 早上好"; }}},
                       {.kind = GetParam(), .size = 400, .user_symbols = {">>fr<<", ">>zh-Hans<<"}});
  Vocabularies french = towards({plain, plain}, "fr");
};

TEST_P(Directed, the_token_comes_first_and_is_no_text) {
  const std::string text = "good morning 早上好";
  const auto ids = french.source->encode(text);
  ASSERT_EQ(ids.size(), plain->encode(text).size() + 1);
  EXPECT_EQ(french.source->piece(ids[0]), ">>fr<<");
  EXPECT_EQ(std::vector(ids.begin() + 1, ids.end()), plain->encode(text));
  EXPECT_EQ(french.source->decode(ids), plain->decode(plain->encode(text)));
  EXPECT_EQ(french.source->pieces(text).size(), ids.size());
  EXPECT_EQ(french.source->begins(text).size(), ids.size());
  const auto words = words_of_tokens(*french.source, text);
  EXPECT_EQ(words[0], -1);
  EXPECT_EQ(words[1], 0);
  EXPECT_EQ(french.target, plain);
}

TEST_P(Directed, a_text_without_tokens_stays_empty) {
  EXPECT_TRUE(french.source->encode("").empty());
  EXPECT_TRUE(french.source->pieces("").empty());
}

TEST_P(Directed, languages_are_known_by_their_tokens) {
  EXPECT_EQ(languages_with_token(*plain), (Names{"fr", "zh-Hans"}));
  EXPECT_THROW(towards({plain, plain}, "de"), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Directed,
                         ::testing::Values(VocabularyKind::unigram, VocabularyKind::bpe, VocabularyKind::word,
                                           VocabularyKind::character, VocabularyKind::byte),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace attune
