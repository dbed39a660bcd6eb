#include "models/task.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

std::shared_ptr<const Vocabulary> word_vocabulary(const std::vector<std::string>& lines,
                                                  const std::vector<std::string>& symbols = {}) {
  const TextLines text{static_cast<int64_t>(lines.size()),
                       [lines](int64_t i) { return lines[static_cast<size_t>(i)]; }};
  return train_vocabulary({text}, {.kind = VocabularyKind::word, .user_symbols = symbols});
}

// A batch of some lines.
Batch batch_of(const Task& task, const Vocabularies& vocabularies,
               const std::vector<std::vector<std::string>>& lines) {
  Examples examples;
  for (size_t i = 0; i < lines.size(); ++i)
    examples.push_back(
        {task.example(vocabularies, {static_cast<int64_t>(i), lines[i], Random(7).stream(i)})});
  return task.batch(vocabularies, examples);
}

std::vector<std::string> shown(const Vocabulary& vocabulary, const Tensor& ids) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids.span<int32_t>()) pieces.push_back(id == kIgnore ? "-" : vocabulary.piece(id));
  return pieces;
}

using Words = std::vector<std::string>;

TEST(Task, translate_gives_the_target_behind_a_begin_and_expects_an_end) {
  const auto source = word_vocabulary({"a b c"}), target = word_vocabulary({"x y z"});
  const Task& task = translate_task();
  const Vocabularies vocabularies{source, target};
  const Batch batch = batch_of(task, vocabularies, {{"a b", "x y z"}, {"c", "z"}});
  EXPECT_EQ(shown(*source, batch.source.ids), (Words{"a", "b", "</s>", "c", "</s>"}));
  EXPECT_EQ(shown(*target, batch.given.ids), (Words{"<s>", "x", "y", "z", "<s>", "z"}));
  EXPECT_EQ(shown(*target, batch.expected), (Words{"x", "y", "z", "</s>", "z", "</s>"}));
  EXPECT_EQ(batch.source.rows, (Rows{3, 2}));
  EXPECT_EQ(batch.given.rows, (Rows{4, 2}));
}

TEST(Task, write_expects_the_text_or_the_answer_alone) {
  const auto words = word_vocabulary({"a b c d"});
  const Task& task = write_task();
  const Vocabularies vocabularies{words, words};
  const Batch text = batch_of(task, vocabularies, {{"a b"}});
  EXPECT_EQ(text.source.rows, (Rows{0}));
  EXPECT_EQ(shown(*words, text.given.ids), (Words{"<s>", "a", "b"}));
  const Batch answer = batch_of(task, vocabularies, {{"a b", "c d"}});
  EXPECT_EQ(shown(*words, answer.source.ids), (Words{"a", "b"}));
  EXPECT_EQ(shown(*words, answer.given.ids), (Words{"<s>", "c", "d"}));
  EXPECT_EQ(shown(*words, answer.expected), (Words{"c", "d", "</s>"}));
}

TEST(Task, tag_needs_a_tag_for_every_token) {
  const auto words = word_vocabulary({"a b c"}), tags = word_vocabulary({"N V"});
  const Task& task = tag_task();
  const Vocabularies vocabularies{words, tags};
  const Batch batch = batch_of(task, vocabularies, {{"a b c", "N V N"}});
  EXPECT_EQ(shown(*words, batch.given.ids), (Words{"a", "b", "c"}));
  EXPECT_EQ(shown(*tags, batch.expected), (Words{"N", "V", "N"}));
  testing::expect_error(
      [&] {
        batch_of(task, vocabularies, {{"a b", "N V"}, {"a b", "N"}});
      },
      "line 2: there are 2 tokens but 1 tags");
}

TEST(Task, fill_masks_words_and_no_symbols) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += " w" + std::to_string(i);
  const auto words = word_vocabulary({text}, {"[CLS]", "[SEP]", "[MASK]"});
  const Task& task = fill_task();
  const Vocabularies vocabularies{words, words};
  const Batch batch = batch_of(task, vocabularies, {{text, "w1 w2"}});
  const auto read = shown(*words, batch.source.ids), expected = shown(*words, batch.expected);
  ASSERT_EQ(read.size(), 205u);
  EXPECT_EQ(read.front(), "[CLS]");
  EXPECT_EQ(read[201], "[SEP]");
  EXPECT_EQ(read.back(), "[SEP]");
  int masked = 0;
  for (size_t i = 0; i < read.size(); ++i) {
    if (read[i] != "[MASK]") continue;
    ++masked;
    EXPECT_EQ(expected[i][0], 'w');
  }
  EXPECT_GT(masked, 10);
  EXPECT_LT(masked, 45);
  EXPECT_EQ(batch.segments.span<int32_t>()[201], 0);
  EXPECT_EQ(batch.segments.span<int32_t>()[202], 1);
}

TEST(Task, classify_expects_one_class_a_text) {
  const auto words = word_vocabulary({"a b c"}, {"[CLS]", "[SEP]", "[MASK]"}),
             classes = word_vocabulary({"good bad"});
  const Task& task = classify_task();
  const Vocabularies vocabularies{words, classes};
  const Batch batch = batch_of(task, vocabularies, {{"a b", "good"}, {"c", "bad"}});
  EXPECT_EQ(shown(*words, batch.source.ids), (Words{"[CLS]", "a", "b", "[SEP]", "[CLS]", "c", "[SEP]"}));
  EXPECT_EQ(shown(*classes, batch.expected), (Words{"good", "bad"}));
  testing::expect_error(
      [&] {
        batch_of(task, vocabularies, {{"a", "very good"}});
      },
      "a class must be one word");
}

TEST(Task, a_vocabulary_without_the_symbols_is_refused) {
  const auto words = word_vocabulary({"a b"});
  testing::expect_error([&] { fill_task().check({words, words}); }, "[MASK]");
}

TEST(Task, a_question_has_no_answer_and_its_batch_expects_none) {
  const auto words = word_vocabulary({"a b c"}, {"[CLS]", "[SEP]", "[MASK]"}),
             classes = word_vocabulary({"x y"});
  const Vocabularies vocabularies{words, classes};
  const Words texts{"a b", "c"};
  for (const Task* task : {&tag_task(), &fill_task(), &classify_task()}) {
    const auto sides = task->question(vocabularies, texts);
    EXPECT_FALSE(task->batch(vocabularies, {{sides}}).expected) << task->does();
    EXPECT_TRUE(task->question(vocabularies, Words{""})[0].empty()) << task->does();
  }
  EXPECT_EQ(tag_task().answer_rows(vocabularies, {{4, 5, 6}}), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(classify_task().answer_rows(vocabularies, {{4, 5, 6}}), std::vector<int64_t>{0});
}

TEST(Task, a_question_that_is_too_long_loses_its_end_but_not_its_last_symbol) {
  const auto words = word_vocabulary({"a b c d"}, {"[CLS]", "[SEP]", "[MASK]"});
  const Vocabularies vocabularies{words, words};
  auto sides = classify_task().question(vocabularies, Words{"a b c d"});
  EXPECT_EQ(classify_task().cut(sides, 6), 0);
  EXPECT_EQ(classify_task().cut(sides, 4), 2);
  EXPECT_EQ(sides[0], words->encode("[CLS] a b [SEP]"));
  EXPECT_EQ(sides[1], TokenIds(4, 0));
}

TEST(Task, fill_answers_where_the_masks_are_and_scores_one_word_at_a_time) {
  const auto words = word_vocabulary({"a b c"}, {"[CLS]", "[SEP]", "[MASK]"});
  const Vocabularies vocabularies{words, words};
  const TokenIds read = fill_task().question(vocabularies, Words{"a [MASK] c"})[0];
  EXPECT_EQ(fill_task().answer_rows(vocabularies, {read}), std::vector<int64_t>{2});
  EXPECT_EQ(fill_task().answer_text(vocabularies, read, words->encode("b")), "a b c");

  const Words line{"a unheard c"};
  const LineToScore asked = fill_task().to_score(vocabularies, {0, line, Random(0)}, true);
  EXPECT_EQ(asked.tokens, words->encode("a c"));
  ASSERT_EQ(fill_task().scored_examples(asked), 2u);
  const auto last = fill_task().scored_example(vocabularies, asked, 1);
  EXPECT_EQ(last[0], words->encode("[CLS] a unheard [MASK] [SEP]"));
  EXPECT_EQ(last[2], (TokenIds{kIgnore, kIgnore, kIgnore, *words->id("c"), kIgnore}));
}

TEST(Task, blocks_of_continuous_text_become_examples) {
  const auto words = word_vocabulary({"a b c"}, {"[CLS]", "[SEP]", "[MASK]"});
  const Vocabularies vocabularies{words, words};
  EXPECT_EQ(translate_task().document_end(vocabularies), std::nullopt);
  EXPECT_EQ(write_task().document_end(vocabularies), words->eos());
  const TokenIds block = words->encode("a b c");
  EXPECT_EQ(write_task().block_example(vocabularies, block, Random(0)), (std::vector<TokenIds>{block}));

  EXPECT_EQ(fill_task().block_length(8), 6);
  const auto filled = fill_task().block_example(vocabularies, block, Random(0));
  ASSERT_EQ(filled.size(), 3u);
  EXPECT_EQ(filled[0].front(), *words->id("[CLS]"));
  EXPECT_EQ(filled[0].back(), *words->id("[SEP]"));
  EXPECT_EQ(filled[1], TokenIds(5, 0));
  const TokenIds ended = words->encode("a b [SEP]");
  EXPECT_EQ(fill_task().block_example(vocabularies, ended, Random(0))[0].size(), 4u)
      << "[SEP] is not doubled";
}

}  // namespace
}  // namespace attune
