#include "text/corpus/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "attune/error.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::ScratchFolder;

// Line i is its number, repeated `length` times, so that a batch shows which line each token came from.
std::string numbered_lines(int count, const std::function<int(int)>& length) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < length(i); ++j) text.append(std::to_string(i)).append(" ");
    text.back() = '\n';
  }
  return text;
}

TokenIds read_numbers(const std::string& text) {
  TokenIds ids;
  for (size_t at = 0; at < text.size(); at = std::min(text.size(), text.find(' ', at)) + 1)
    ids.push_back(std::stoi(text.substr(at)));
  return ids;
}

Example numbers(const CorpusLine& line) {
  std::vector<TokenIds> sides;
  for (const std::string& column : line.columns) sides.push_back(read_numbers(column));
  return {sides};
}

struct Fixture : ::testing::Test {
  static constexpr int kLines = 500;
  ScratchFolder folder;
  Corpus corpus{{{{folder.write("a", numbered_lines(kLines, [](int i) { return 1 + i * 7919 % 29; })),
                   folder.write("b", numbered_lines(kLines, [](int i) { return 1 + i * 7907 % 31; }))}}}};
  BatchOptions options{.mini_batch_words = 100, .window = 90, .seed = 3};
};
using BatchesFromThread = Fixture;

struct Read {
  BatchPosition before;
  std::optional<Examples> batch;
};

std::vector<int64_t> lines_of(const Examples& batch) {
  std::vector<int64_t> lines;
  for (const Example& example : batch) lines.push_back(example.line);
  return lines;
}

std::vector<Read> read(BatchReader& reader, int epochs) {
  std::vector<Read> all;
  while (epochs > 0) {
    const BatchPosition before = reader.position();
    all.push_back({before, reader.next()});
    epochs -= !all.back().batch;
  }
  return all;
}

std::vector<int64_t> order(const std::vector<Read>& reads) {
  std::vector<int64_t> lines;
  for (const Read& one : reads)
    if (one.batch) std::ranges::copy(lines_of(*one.batch), std::back_inserter(lines));
  return lines;
}

void expect_same(const std::optional<Examples>& a, const std::optional<Examples>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  ASSERT_EQ(lines_of(*a), lines_of(*b));
  for (size_t i = 0; i < a->size(); ++i) ASSERT_EQ((*a)[i].sides, (*b)[i].sides);
}

TEST_F(BatchesFromThread, an_epoch_has_every_line_once_within_the_budget) {
  BatchReader reader(corpus, numbers, options);
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::vector<Read> reads = read(reader, 1);
    std::vector<int64_t> lines = order(reads);
    std::ranges::sort(lines);
    ASSERT_EQ(lines.size(), size_t{kLines});
    for (int64_t i = 0; i < kLines; ++i) ASSERT_EQ(lines[static_cast<size_t>(i)], i);
    for (const Read& one : reads) {
      if (!one.batch) continue;
      std::array<size_t, 2> tokens{};
      for (const Example& example : *one.batch) {
        ASSERT_EQ(example.sides.size(), 2u);
        for (size_t side = 0; side < 2; ++side) {
          const TokenIds& ids = example.sides[side];
          ASSERT_EQ(ids, TokenIds(ids.size(), static_cast<int32_t>(example.line)));
          tokens[side] += ids.size();
        }
      }
      ASSERT_LE(std::ranges::max(tokens), 100u);
    }
  }
  EXPECT_EQ(reader.statistics().examples, 3 * kLines);
}

TEST_F(BatchesFromThread, the_order_depends_on_seed_and_epoch_alone) {
  BatchReader one(corpus, numbers, options), two(corpus, numbers, options);
  const auto first = read(one, 2), second = read(two, 2);
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) expect_same(first[i].batch, second[i].batch);
  EXPECT_NE(order(read(one, 1)), order(first));
  options.seed = 4;
  BatchReader three(corpus, numbers, options);
  EXPECT_NE(order(read(three, 2)), order(first));
}

TEST_F(BatchesFromThread, a_batch_holds_sentences_of_like_length_and_batches_are_shuffled) {
  BatchReader reader(corpus, numbers, options);
  double within = 0, steps = 0, count = 0, changes = 0;
  int64_t last = 0;
  for (const Read& one : read(reader, 1)) {
    if (!one.batch) continue;
    std::vector<int64_t> lengths;
    for (const Example& example : *one.batch) lengths.push_back(std::ssize(example.sides[1]));
    const auto [low, high] = std::ranges::minmax(lengths);
    within += static_cast<double>(high - low);
    steps += high > last ? 1 : -1;
    changes += static_cast<double>(std::abs(high - last));
    last = high;
    ++count;
  }
  EXPECT_LT(within / count, 4);             // of lengths 1 to 31
  EXPECT_GT(changes / count, 6);            // neighbours differ
  EXPECT_LT(std::abs(steps) / count, 0.3);  // and neither grow nor shrink
}

// What resuming relies on: every position of two epochs.
TEST_F(BatchesFromThread, a_reader_started_anywhere_goes_on_as_the_first_would_have) {
  BatchReader whole(corpus, numbers, options);
  const std::vector<Read> reads = read(whole, 2);
  for (size_t i = 0; i < reads.size(); i += 3) {
    BatchReader resumed(corpus, numbers, options, reads[i].before);
    for (size_t j = i; j < std::min(i + 12, reads.size()); ++j) expect_same(resumed.next(), reads[j].batch);
  }
}

TEST_F(BatchesFromThread, resuming_tokenises_no_window_before_the_position) {
  std::mutex mutex;
  std::set<int64_t> seen;
  BatchReader whole(corpus, numbers, options);
  std::vector<Read> reads = read(whole, 1);
  const BatchPosition late = reads[reads.size() - 2].before;
  ASSERT_EQ(late.window, 5);
  std::set<int64_t> last_window;
  for (const Read& one : reads)
    if (one.batch && one.before.window == 5)
      for (const Example& example : *one.batch) last_window.insert(example.line);
  {
    std::atomic<int> calls = 0;
    BatchReader resumed(
        corpus,
        [&](const CorpusLine& line) {
          if (++calls <= 50) {  // 500 lines: five windows of 90 and one of 50
            const std::lock_guard lock(mutex);
            seen.insert(line.number);
          }
          return numbers(line);
        },
        options, late);
    ASSERT_TRUE(resumed.next());
  }
  EXPECT_EQ(seen, last_window);
}

TEST_F(BatchesFromThread, without_shuffling_the_lines_come_in_order) {
  options.shuffle = false;
  options.mini_batch = 7;
  BatchReader reader(corpus, numbers, options);
  const std::vector<Read> reads = read(reader, 1);
  std::vector<int64_t> lines(kLines);
  std::iota(lines.begin(), lines.end(), 0);
  EXPECT_EQ(order(reads), lines);
  for (const Read& one : reads) EXPECT_LE(one.batch ? one.batch->size() : 0, 7u);
}

TEST_F(BatchesFromThread, long_and_empty_examples_are_dropped_and_counted) {
  const Corpus odd({{{folder.write("c", "1\n\n1 1 1 1\n1 1 1\n"), folder.write("d", "1\n1\n1\n1\n")}}});
  options.max_length = 3;
  BatchReader reader(odd, numbers, options);
  std::vector<int64_t> lines = order(read(reader, 1));
  std::ranges::sort(lines);
  EXPECT_EQ(lines, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(reader.statistics().empty, 1);
  EXPECT_EQ(reader.statistics().too_long, 1);
  EXPECT_EQ(reader.statistics().examples, 2);
  EXPECT_EQ(reader.statistics().tokens, 6);
}

TEST_F(BatchesFromThread, a_sentence_above_the_budget_is_a_batch_of_its_own) {
  options.mini_batch_words = 1;
  BatchReader reader(corpus, numbers, options);
  for (const Read& one : read(reader, 1)) EXPECT_LE(one.batch ? one.batch->size() : 0, 1u);
}

TEST_F(BatchesFromThread, an_epoch_without_examples_is_refused) {
  options.max_length = 3;
  const std::string path = folder.write("c", "1 1 1 1\n\n1 1 1 1\n");
  const Corpus useless({{{path}}});
  BatchReader reader(useless, numbers, options);
  try {
    reader.next();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), path +
                                ": no examples are left: 1 have an empty side and 2 are longer than "
                                "3 tokens");
  }
}

TEST_F(BatchesFromThread, an_exception_in_the_thread_reaches_the_reader_after_what_came_before) {
  std::atomic<int> calls = 0;
  BatchReader reader(
      corpus,
      [&](const CorpusLine& line) {
        if (++calls == 200) throw UsageError("line 200");
        return numbers(line);
      },
      options);
  int64_t given = 0;
  try {
    for (;;) given += static_cast<int64_t>(reader.next()->size());
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "line 200");
  }
  EXPECT_EQ(given, 180);
  EXPECT_THROW(reader.next(), UsageError);
}

TEST_F(BatchesFromThread, a_reader_whose_thread_waits_can_be_left_at_any_time) {
  for (int i = 0; i < 20; ++i) {
    BatchReader reader(corpus, numbers, options);
    for (int j = 0; j < i; ++j) reader.next();
  }
}

TEST_F(BatchesFromThread, each_line_has_random_numbers_of_its_own_in_each_epoch) {
  const auto draw = [](const CorpusLine& line) {
    return Example{{{static_cast<int32_t>(line.random.bits(0) >> 33)}}};
  };
  const auto drawn = [&] {
    BatchReader reader(corpus, draw, options);
    std::map<int64_t, std::vector<int32_t>> numbers_of;
    for (const Read& one : read(reader, 2))
      if (one.batch)
        for (const Example& example : *one.batch) numbers_of[example.line].push_back(example.sides[0][0]);
    return numbers_of;
  };
  const auto first = drawn();
  EXPECT_EQ(first, drawn());
  std::set<int32_t> different;
  for (const auto& [line, values] : first) different.insert(values.begin(), values.end());
  EXPECT_GT(different.size(), size_t{2 * kLines - 5});
}

TEST_F(BatchesFromThread, senseless_options_are_refused) {
  options.mini_batch_words = 0;
  EXPECT_THROW(BatchReader(corpus, numbers, options), UsageError);
  options.mini_batch_words = 10;
  EXPECT_THROW(BatchReader(corpus, numbers, options, {.epoch = -1}), UsageError);
}

}  // namespace
}  // namespace attune
