#include "decode/word_choice/shortlist.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "attune/autograd.h"
#include "decode/search/search_fixture.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

using testing::expect_error, testing::Ids, testing::RandomModel;

Vocabularies joint(int words) {
  std::vector<ListedToken> tokens;
  for (int i = 0; i < words - 3; ++i) tokens.push_back({fmt::format("w{}", i), 1, false});
  const auto both = std::make_shared<ListedVocabulary>(VocabularyKind::word, tokens);
  return {both, both};
}

TEST(Shortlist, has_translations_frequent_words_and_the_word_itself) {
  const Vocabularies vocabularies = joint(10);
  const Vocabulary& target = *vocabularies.target;
  std::vector<SentencePair> pairs;
  for (int i = 0; i < 4; ++i) pairs.push_back({{4}, {7, 9}});
  pairs.push_back({{5}, {8, 9}});
  const Shortlist list = Shortlist::learn(pairs, vocabularies, 2, 1);
  Ids expected{target.unk(), target.bos(), target.eos(), 4, 7, 9};  // 7: of equal ones the first
  std::ranges::sort(expected);
  EXPECT_EQ(list.words(Ids{4, 4}), expected);
  EXPECT_EQ(list.words(Ids{}).size(), 4U);
  EXPECT_EQ(std::ranges::count(list.words(Ids{5}), 8), 1);
}

TEST(Shortlist, comes_back_from_its_file) {
  const testing::ScratchFolder folder;
  const Vocabularies vocabularies = joint(6);
  const Shortlist list({{}, {}, {}, {5, 4}, {3}, {}}, {2, 0});
  list.save(folder / "list");
  const Shortlist loaded = Shortlist::load(folder / "list", vocabularies);
  EXPECT_EQ(loaded.words(Ids{3, 4}), (Ids{0, 2, 3, 4, 5}));
  EXPECT_EQ(loaded.words(Ids{5}), (Ids{0, 2}));
  expect_error([&] { Shortlist::load(folder / "list", joint(5)); }, "does not fit the model's vocabulary");
  Shortlist({{}, {}, {}, {6}, {3}, {}}, {2, 0}).save(folder / "wrong");
  expect_error([&] { Shortlist::load(folder / "wrong", vocabularies); }, "make a new one");
}

// Searching all words with logits of -inf outside the list gives the same.
TEST(Shortlist, search_with_lists_is_search_among_their_words) {
  const int64_t words = 20;
  for (const std::string& type : testing::attending_types()) {
    RandomModel model(type, words, 5), narrow(type, words, 5);
    const std::vector<Ids> sources{{3, 9, 2}, {5, 6, 7, 8, 2}};
    const Ids list{2, 4, 5, 11, 17, 19};
    for (int32_t word = 0; word < words; ++word)
      if (!std::ranges::binary_search(list, word))
        narrow.parameters.at("output.bias").data<double>()[word] = -1e30;
    const SearchOptions options{.beam_size = 3, .n_best = 3, .max_length = 6};
    SearchInput input{.source = ragged(sources), .allowed = {list, list}};
    const auto found = search(Ensemble(model.writer()), input, {}, options);
    input.allowed.clear();
    const auto expected = search(Ensemble(narrow.writer()), input, {}, options);
    for (size_t s = 0; s < sources.size(); ++s) {
      ASSERT_EQ(found[s].size(), expected[s].size()) << type;
      for (size_t i = 0; i < found[s].size(); ++i) {
        EXPECT_EQ(found[s][i].words, expected[s][i].words) << type;
        EXPECT_NEAR(found[s][i].score, expected[s][i].score, 1e-9) << type;
      }
    }
  }
}

TEST(Shortlist, a_sentence_has_the_same_output_beside_any_others) {
  const RandomModel model(
      "type: transformer\nencoder_layers: 1\ndecoder_layers: 1\nd_model: 32\nheads: 2\n"
      "feed_forward: 64\ndropout: 0\n",
      300, 3, DType::f32);
  std::vector<Ids> sources, lists;
  for (uint64_t s = 0; s < 20; ++s) {
    sources.emplace_back();
    lists.emplace_back();
    const Random random = Random(1).stream(s);
    for (uint64_t i = 0; i < 1 + s % 7; ++i)
      sources.back().push_back(static_cast<int32_t>(3 + random.below(290, i)));
    for (uint64_t i = 0; i < 10 + 7 * s; ++i)
      lists.back().push_back(static_cast<int32_t>(random.below(300, 100 + i)));
    std::ranges::sort(lists.back());
    lists.back().erase(std::unique(lists.back().begin(), lists.back().end()), lists.back().end());
  }
  for (const bool sampling : {false, true}) {
    const SearchOptions options{
        .beam_size = 3, .n_best = 3, .max_length = 8, .sampling = sampling, .top_k = sampling ? 5 : 0};
    SearchInput all{.source = ragged(sources), .allowed = lists};
    const auto together = search(Ensemble(model.writer()), all, {}, options);
    for (size_t s = 0; s < sources.size(); ++s) {
      const auto alone =
          search(Ensemble(model.writer()),
                 {.source = ragged({sources[s]}), .allowed = {lists[s]}, .numbers = {s}}, {}, options);
      ASSERT_EQ(alone[0].size(), together[s].size());
      for (size_t i = 0; i < alone[0].size(); ++i) {
        EXPECT_EQ(alone[0][i].words, together[s][i].words);
        EXPECT_EQ(alone[0][i].score, together[s][i].score) << "bit for bit";
        for (const int32_t word : alone[0][i].words) EXPECT_TRUE(std::ranges::binary_search(lists[s], word));
      }
    }
  }
}

TEST(Shortlist, lists_that_do_not_fit_are_refused_and_prefixes_need_not_be_in_them) {
  const RandomModel model(testing::attending_types()[0], 20, 5);
  SearchInput input{.source = ragged({{3, 2}}), .allowed = {{4}, {5}}};
  const auto run = [&] { return search(Ensemble(model.writer()), input, {}, {.max_length = 5}); };
  expect_error(run, "there are 2 lists of words, but 1 sentences");
  input.allowed = {{20}};
  expect_error(run, "the list of sentence 1 has a word that the model does not know");
  input.allowed = {{4}};
  input.prefixes = {{7}};
  EXPECT_EQ(run()[0][0].words[0], 7);
}

}  // namespace
}  // namespace attune
