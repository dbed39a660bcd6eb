#include "nn/attention/key_values.h"

#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "attune/random.h"
#include "testing/op_check.h"

namespace attune {
namespace {

// Sentences as plain lists: the key of each token is a number, its value is the negative number.
using Lists = std::vector<std::vector<float>>;

void expect_holds(const KeyValues& cache, const Lists& lists) {
  ASSERT_EQ(cache.rows.count(), static_cast<int64_t>(lists.size()));
  for (size_t s = 0; s < lists.size(); ++s) {
    const auto sentence = static_cast<int64_t>(s);
    ASSERT_EQ(cache.rows.length(sentence), static_cast<int64_t>(lists[s].size()));
    for (size_t t = 0; t < lists[s].size(); ++t) {
      const int64_t i = cache.rows.begin(sentence) + static_cast<int64_t>(t),
                    place = cache.places ? cache.places.data<int32_t>()[i] : i;
      EXPECT_EQ(cache.keys.row<float>(place)[0], lists[s][t]);
      EXPECT_EQ(cache.values.row<float>(place)[0], -lists[s][t]);
    }
  }
}

void append(KeyValues& cache, Lists& lists, const std::vector<int64_t>& lengths, float& next) {
  const Rows more(lengths);
  const Tensor keys({more.total(), 1}), values({more.total(), 1});
  for (int64_t s = 0, i = 0; s < more.count(); ++s)
    for (int64_t t = 0; t < more.length(s); ++t, ++i) {
      lists[static_cast<size_t>(s)].push_back(next);
      keys.data<float>()[i] = next;
      values.data<float>()[i] = -next;
      next += 1;
    }
  cache.append(keys, values, more);
}

KeyValues none(int64_t sentences) { return {.keys = {}, .values = {}, .rows = Rows::uniform(sentences, 0)}; }

Lists chosen(const Lists& lists, const std::vector<int64_t>& sentences) {
  Lists result;
  for (const int64_t s : sentences) result.push_back(lists[static_cast<size_t>(s)]);
  return result;
}

TEST(KeyValues, hold_what_plain_lists_hold_after_any_steps) {
  const Random random(4);
  for (uint64_t trial = 0; trial < 20; ++trial) {
    const Random draw = random.stream(trial);
    uint64_t draws = 0;
    KeyValues cache = none(3);
    Lists lists(3);
    float next = 1;
    for (int step = 0; step < 30; ++step) {
      std::vector<int64_t> lengths, sentences;
      for (size_t s = 0; s < lists.size(); ++s)
        lengths.push_back(static_cast<int64_t>(draw.below(3, draws++)));
      append(cache, lists, lengths, next);
      expect_holds(cache, lists);
      const uint64_t count = 1 + draw.below(5, draws++);
      for (uint64_t i = 0; i < count; ++i)
        sentences.push_back(static_cast<int64_t>(draw.below(lists.size(), draws++)));
      cache = cache.select(sentences);
      lists = chosen(lists, sentences);
      expect_holds(cache, lists);
    }
  }
}

TEST(KeyValues, two_selections_of_one_go_on_independently) {
  KeyValues first = none(2);
  Lists first_lists(2);
  float next = 1;
  append(first, first_lists, {2, 1}, next);
  append(first, first_lists, {1, 1}, next);  // now there is spare room
  const std::vector<int64_t> sentences{1, 1, 0};
  KeyValues second = first.select(sentences);
  Lists second_lists = chosen(first_lists, sentences);
  for (int step = 0; step < 5; ++step) {
    append(first, first_lists, {1, 1}, next);
    append(second, second_lists, {1, 0, 1}, next);
  }
  expect_holds(first, first_lists);
  expect_holds(second, second_lists);
}

TEST(KeyValues, selecting_copies_no_keys_and_the_room_stays_small) {
  KeyValues cache = none(1);
  Lists lists(1);
  float next = 1;
  append(cache, lists, {1}, next);
  for (int step = 0; step < 100; ++step) {
    append(cache, lists, std::vector<int64_t>(lists.size(), 1), next);
    const std::vector<int64_t> sentences(4, static_cast<int64_t>(lists.size()) - 1);  // all continue one
    const KeyValues before = cache;
    cache = cache.select(sentences);
    EXPECT_EQ(cache.keys.storage(), before.keys.storage());
    lists = chosen(lists, sentences);
  }
  expect_holds(cache, lists);
  // 101 tokens are shared by all four; without sharing there would be 404 rows, and 401 were ever added.
  EXPECT_LT(cache.keys.rows(), 300);
}

TEST(KeyValues, refuse_gradients_through_a_continued_sentence) {
  KeyValues cache = none(1);
  const Tensor x = leaf(Tensor::zeros({1, 1}));
  cache.append(x, x, {1});
  testing::expect_error([&] { cache.append(x, x, {1}); }, "cannot have gradients");
}

}  // namespace
}  // namespace attune
