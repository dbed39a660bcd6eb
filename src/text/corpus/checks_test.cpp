#include "text/corpus/checks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attune/random.h"
#include "testing/scratch.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using Lines = std::vector<std::string>;
using Lengths = std::vector<int32_t>;

TextLines text_of(const Lines& lines) {
  return {static_cast<int64_t>(lines.size()), [lines](int64_t i) { return lines[static_cast<size_t>(i)]; }};
}

int64_t characters(const std::string& line) { return static_cast<int64_t>(line.size()); }

TEST(Checks, a_column_is_counted_with_the_first_places_of_each_fault) {
  const ColumnReport report =
      check_column(text_of({"a", "", "too long", "f\xFCr", " \t\u3000", "\xFF", "b"}), characters, 5);
  EXPECT_EQ(report.lines, 7);
  EXPECT_EQ(report.empty, 2);
  EXPECT_EQ(report.first_empty, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(report.too_long, 1);
  EXPECT_EQ(report.first_too_long, std::vector<int64_t>{2});
  EXPECT_EQ(report.invalid, 2);
  ASSERT_EQ(report.first_invalid.size(), 2u);
  EXPECT_EQ(report.first_invalid[0].line, 3);
  EXPECT_EQ(report.first_invalid[0].byte, 1u);
  EXPECT_EQ(report.longest, 8);
  const ColumnReport many = check_column(text_of(Lines(100, "")), characters, 0);
  EXPECT_EQ(many.empty, 100);
  EXPECT_EQ(many.first_empty.size(), kShownPlaces);
}

TEST(Checks, rows_that_two_corpora_share_are_found) {
  const testing::ScratchFolder folder;
  const Corpus train({{{folder.write("a", "1\n2\n3\n"), folder.write("b", "x\ny\nz\n")}}});
  const Corpus valid({{{folder.write("c.tsv", "2\ty\n3\ty\n1\tx\n\t\n")}, true}});
  const SharedLines rows = find_shared_lines(rows_of(train), rows_of(valid));
  EXPECT_EQ(rows.count, 2);
  EXPECT_EQ(rows.first, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(find_shared_lines(column_of(train, 0), column_of(valid, 0)).count, 3);
}

TEST(Checks, coverage_names_what_is_missing) {
  const Lines train(20, "the quick brown fox jumps over the lazy dog"),
      other = {"the Fox ate 狐 the 狐", "ate X"};
  const auto measure = [&](VocabularyKind kind, bool byte_fallback) {
    VocabularyOptions options;
    options.kind = kind;
    options.byte_fallback = byte_fallback;
    return measure_coverage(*train_vocabulary({text_of(train)}, options), text_of(other));
  };
  using Missing = std::vector<std::pair<std::string, int64_t>>;
  const Coverage words = measure(VocabularyKind::word, false);
  EXPECT_EQ(words.tokens, 8);
  EXPECT_EQ(words.unknown, 6);
  EXPECT_EQ(words.missing, (Missing{{"ate", 2}, {"狐", 2}, {"Fox", 1}, {"X", 1}}));
  const Missing letters{{"狐", 2}, {"F", 1}, {"X", 1}};
  for (const VocabularyKind kind :
       {VocabularyKind::unigram, VocabularyKind::bpe, VocabularyKind::character}) {
    const Coverage coverage = measure(kind, false);
    EXPECT_EQ(coverage.unknown, 4) << name_of(kind);
    EXPECT_EQ(coverage.missing, letters) << name_of(kind);
  }
  const Coverage bytes = measure(VocabularyKind::unigram, true);
  EXPECT_EQ(bytes.unknown, 0);
  EXPECT_EQ(bytes.bytes, 2 * 3 + 2);
  EXPECT_EQ(bytes.missing, letters);
}

TEST(Checks, coverage_may_be_of_some_lines_only) {
  VocabularyOptions options;
  options.kind = VocabularyKind::character;
  const auto vocabulary = train_vocabulary({text_of({"a"})}, options);
  int64_t read = 0;
  const TextLines text{1000, [&](int64_t i) {
                         ++read;
                         return std::string(i < 500 ? "a" : "b");
                       }};
  const Coverage coverage = measure_coverage(*vocabulary, text, 10);
  EXPECT_EQ(read, 10);
  EXPECT_EQ(coverage.tokens, 10);
  EXPECT_EQ(coverage.lines, 10);
  EXPECT_EQ(coverage.of_lines, text.count);
  EXPECT_EQ(coverage.unknown, 5);
}

// ---- Shifts

struct Pair {
  Lengths first, second;
};

// Lengths of sentences and their translations: log-normal, with `noise` between the two sides.
Pair parallel_lengths(uint64_t seed, size_t lines, double noise) {
  const Random random(seed);
  Pair pair;
  for (size_t i = 0; i < lines; ++i) {
    const double length = 4 + 0.5 * random.normal(2 * i);
    pair.first.push_back(static_cast<int32_t>(std::exp(length)));
    pair.second.push_back(static_cast<int32_t>(1.2 * std::exp(length + noise * random.normal(2 * i + 1))));
  }
  return pair;
}

TEST(Checks, parallel_texts_have_no_shift) {
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const double noise : {0.0, 0.15, 0.3, 0.6, 2.0}) {
      const Pair pair = parallel_lengths(seed, 1500, noise);
      EXPECT_FALSE(find_shift(pair.first, pair.second)) << seed << " " << noise;
    }
}

TEST(Checks, the_line_is_found_from_which_on_a_text_is_shifted) {
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (const int64_t line : {0, 40, 700, 1400})
      for (const int missing : {1, 2, 3}) {
        Pair pair = parallel_lengths(seed, 1500, 0.15);
        const auto cut = pair.second.begin() + line;
        pair.second.erase(cut, cut + missing);
        const auto shift = find_shift(pair.first, pair.second);
        ASSERT_TRUE(shift) << seed << " " << line << " " << missing;
        EXPECT_EQ(shift->offset, -missing);
        EXPECT_NEAR(static_cast<double>(shift->line), static_cast<double>(line + missing), 10);
        const auto other = find_shift(pair.second, pair.first);
        ASSERT_TRUE(other);
        EXPECT_EQ(other->offset, missing);
        EXPECT_NEAR(static_cast<double>(other->line), static_cast<double>(line), 10);
      }
}

TEST(Checks, the_first_of_several_shifts_is_found) {
  Pair pair = parallel_lengths(5, 3000, 0.2);
  pair.second.erase(pair.second.begin() + 2000);
  pair.second.erase(pair.second.begin() + 500);
  const auto shift = find_shift(pair.first, pair.second);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->offset, -1);
  EXPECT_NEAR(static_cast<double>(shift->line), 501, 10);
}

TEST(Checks, lengths_that_say_nothing_give_no_shift) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Pair one = parallel_lengths(seed, 1000, 0.1), two = parallel_lengths(seed + 1000, 1000, 0.1);
    EXPECT_FALSE(find_shift(one.first, two.second)) << seed;
  }
  const Lengths equal(1000, 7), none;
  EXPECT_FALSE(find_shift(equal, equal));
  EXPECT_FALSE(find_shift(none, none));
  EXPECT_FALSE(find_shift(none, equal));
}

TEST(Checks, lengths_are_of_characters) { EXPECT_EQ(line_lengths(text_of({"", "日本 ü"})), (Lengths{0, 4})); }

}  // namespace
}  // namespace attune
