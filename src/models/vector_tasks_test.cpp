// Tasks over rows of numbers, over words that are parts, and over spans.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "models/model_config.h"
#include "models/read_tokens.h"
#include "testing/op_check.h"
#include "text/vocabulary/several_sources.h"
#include "text/vocabulary/vector_source.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using testing::expect_error;

// Samples by name: rows of numbers, with edges or without.
class Table final : public Vocabulary, public VectorSource {
 public:
  Table(int64_t width, Standardise how, std::map<std::string, std::vector<float>, std::less<>> samples)
      : width_(width), how_(how), samples_(std::move(samples)) {}

  VocabularyKind kind() const override { return VocabularyKind::vectors; }
  bool is_listed() const override { return true; }
  int32_t size() const override { return static_cast<int32_t>(width_); }
  const VectorSource* vectors() const override { return this; }
  std::vector<int32_t> encode(std::string_view name) const override {
    int32_t first = 0;
    for (const auto& [other, numbers] : samples_) {
      const auto rows = static_cast<int32_t>(numbers.size()) / static_cast<int32_t>(width_);
      if (other != name) {
        first += rows;
        continue;
      }
      std::vector<int32_t> ids;
      for (int32_t i = 0; i < rows; ++i) ids.push_back(first + i);
      return ids;
    }
    return {};
  }
  int64_t width() const override { return width_; }
  Standardise standardise() const override { return how_; }
  bool has_edges() const override { return has_edges_; }
  bool transposed() const override { return false; }
  Places places() const override { return places_; }
  void read_places(std::span<const int32_t> ids, std::span<float> to) const override {
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(ids[i * ids.size() / to.size()]);
  }
  PatchShape patches(int32_t) const override { return {}; }
  void read(std::span<const int32_t> ids, std::span<float> to) const override {
    std::vector<float> all;
    for (const auto& [name, numbers] : samples_) all.insert(all.end(), numbers.begin(), numbers.end());
    for (size_t i = 0; i < ids.size(); ++i)
      std::copy_n(all.begin() + ids[i] * width_, width_, to.begin() + static_cast<int64_t>(i) * width_);
  }
  std::vector<NodeEdge> edges(int32_t) const override { return {{0, 1, 2}, {1, 0, 1}}; }

  std::string piece(int32_t id) const override { return std::to_string(id); }
  std::vector<std::string> pieces(std::string_view) const override { return {}; }
  std::vector<size_t> begins(std::string_view name) const override {
    return std::vector<size_t>(encode(name).size());
  }
  std::optional<int32_t> id(std::string_view) const override { return {}; }
  std::string decode(std::span<const int32_t>) const override { return ""; }
  std::string join(const std::vector<std::string>&) const override { return ""; }
  int32_t unk() const override { return -1; }
  int32_t bos() const override { return -1; }
  int32_t eos() const override { return -1; }
  std::string serialized() const override { return ""; }

  bool has_edges_ = false;
  Places places_ = Places::index;

 private:
  int64_t width_;
  Standardise how_;
  std::map<std::string, std::vector<float>, std::less<>> samples_;
};

std::shared_ptr<const Vocabulary> words_of_text(const std::vector<std::string>& lines, VocabularyKind kind,
                                                std::vector<std::string> symbols = {}) {
  VocabularyOptions options;
  options.kind = kind;
  options.size = 280;
  options.user_symbols = std::move(symbols);
  return train_vocabulary(
      {{static_cast<int64_t>(lines.size()), [&](int64_t i) { return lines[static_cast<size_t>(i)]; }}},
      options);
}

Example example(const Task& task, const Vocabularies& vocabularies, const std::vector<std::string>& columns) {
  return {task.example(vocabularies, {0, columns, Random(1)})};
}

TEST(ReadTokens, samples_are_standardised_by_rows_or_columns) {
  const std::map<std::string, std::vector<float>, std::less<>> samples{{"a", {1, 3, 5, 7}}, {"b", {2, 4}}};
  const auto read = [&](Standardise how) {
    const Table table(2, how, samples);
    return read_numbers(table, {table.encode("a"), table.encode("b")});
  };
  EXPECT_EQ(read(Standardise::no).tokens.vectors.span<float>()[3], 7);
  EXPECT_FALSE(read(Standardise::no).mean);
  for (const Standardise how : {Standardise::rows, Standardise::columns}) {
    const ReadNumbers all = read(how);
    const std::vector<float> raw{1, 3, 5, 7, 2, 4};
    for (size_t i = 0; i < raw.size(); ++i)
      EXPECT_NEAR(all.mean.span<float>()[i] + all.unit.span<float>()[i] * all.tokens.vectors.span<float>()[i],
                  raw[i], 1e-5);
    EXPECT_NEAR(all.tokens.vectors.span<float>()[0], -1, 1e-4);
    EXPECT_NEAR(all.mean.span<float>()[0], how == Standardise::rows ? 2 : 3, 1e-6);
  }
}

TEST(ReadTokens, every_node_sees_itself_and_its_neighbours) {
  Table table(1, Standardise::no, {{"a", {1, 2, 3}}});
  table.has_edges_ = true;
  const Ragged graphs = read_tokens(table, {table.encode("a"), table.encode("a")});
  ASSERT_TRUE(graphs.edges);
  EXPECT_EQ(graphs.edges->rows, (Rows{2, 2, 1, 2, 2, 1}));
  const auto to = graphs.edges->to.span<int32_t>(), kinds = graphs.edges->kinds.span<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(to.begin(), to.end()), (std::vector<int32_t>{0, 1, 1, 0, 2, 3, 4, 4, 3, 5}));
  EXPECT_EQ(std::vector<int32_t>(kinds.begin(), kinds.end()),
            (std::vector<int32_t>{0, 2, 0, 1, 0, 0, 2, 0, 1, 0}));
}

TEST(LabelTask, a_tag_for_the_first_token_of_each_word) {
  const auto source = words_of_text({"singen singt 唱歌 lauter", "laut singt singen"}, VocabularyKind::bpe);
  const auto tags = words_of_text({"V A N"}, VocabularyKind::word);
  const Vocabularies vocabularies{source, tags};
  const std::string text = "singt lauter 唱歌";
  const Example one = example(label_task(), vocabularies, {text, "V _ N"});
  ASSERT_GT(one.sides[0].size(), 3u);  // parts of words
  const auto rows = label_task().answer_rows(vocabularies, one.sides);
  ASSERT_EQ(rows.size(), 3u);
  const auto at = [&](size_t i) { return one.sides[2][static_cast<size_t>(rows[i])]; };
  EXPECT_EQ(at(0), *tags->id("V"));
  EXPECT_EQ(at(1), kIgnore);
  EXPECT_EQ(at(2), *tags->id("N"));
  EXPECT_EQ(std::ranges::count(one.sides[2], kIgnore), std::ssize(one.sides[0]) - 2);
  expect_error(
      [&] {
        example(label_task(), vocabularies, {text, "V N"});
      },
      "line 1: there are 3 words but 2 tags");
}

TEST(PredictTask, answers_are_in_units_of_what_was_read) {
  const auto source = std::make_shared<Table>(
      2, Standardise::rows, std::map<std::string, std::vector<float>, std::less<>>{{"a", {1, 3, 10, 30}}});
  const auto target = std::make_shared<Table>(
      3, Standardise::no,
      std::map<std::string, std::vector<float>, std::less<>>{{"b", {2, 3, 4, 20, 30, 40}}, {"c", {1, 2, 3}}});
  const Vocabularies vocabularies{source, target};
  const Task& task = predict_task(ErrorKind::squared);
  task.check(vocabularies);
  const Batch batch = task.batch(vocabularies, {example(task, vocabularies, {"a", "b"})});
  const float expected[] = {0, 1, 2, 0, 1, 2};  // means 2 and 20, deviations 1 and 10
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(batch.numbers.span<float>()[i], expected[i], 1e-4);
  EXPECT_NEAR(batch.unit.span<float>()[5], 10, 1e-3);
  expect_error(
      [&] {
        example(task, vocabularies, {"a", "c"});
      },
      "line 1: there are 2 rows to read but 1 to predict");
  const Vocabularies wide{std::make_shared<Table>(2, Standardise::columns,
                                                  std::map<std::string, std::vector<float>, std::less<>>{}),
                          target};
  expect_error([&] { task.check(wide); },
               "standardise: with 'columns' the answers need as many columns as the source");
}

TEST(AnswerTask, the_tokens_that_an_answer_covers) {
  const auto words = words_of_text({"wer singt ? der Vogel auf dem Dach singt"}, VocabularyKind::word,
                                   {"[CLS]", "[SEP]", "[MASK]"});
  const Vocabularies vocabularies{words, words};
  const Example one =
      example(answer_task(), vocabularies, {"wer singt ?", "der Vogel auf dem Dach singt", "Vogel auf"});
  // [CLS] wer singt ? [SEP] der Vogel auf ..
  EXPECT_EQ(one.sides[2], (TokenIds{6, 7}));
  const Example later =
      example(answer_task(), vocabularies, {"wer singt ?", "dem Vogelhaus singt der Vogel", "Vogel"});
  EXPECT_EQ(later.sides[2], (TokenIds{9, 9}));
  const Batch batch = answer_task().batch(vocabularies, {one, one});
  EXPECT_EQ(batch.span_first.span<float>()[6], 1);
  EXPECT_EQ(batch.span_last.span<float>()[static_cast<size_t>(batch.source.rows.begin(1)) + 7], 1);
  expect_error(
      [&] {
        example(answer_task(), vocabularies, {"wer ?", "der Vogel", "Katze"});
      },
      "line 1: the answer is not a part of the passage");
}

// A question in words and a table of numbers.
struct WordsAndNumbers {
  std::shared_ptr<Table> table = std::make_shared<Table>(
      2, Standardise::no,
      std::map<std::string, std::vector<float>, std::less<>>{{"a", {1, 3, 5, 7}}, {"b", {2, 4}}});
  std::shared_ptr<const Vocabulary> text = words_of_text({"wie viel 多少"}, VocabularyKind::word);
  std::shared_ptr<const Vocabulary> both = several_sources({text, table});
  Vocabularies vocabularies{both, words_of_text({"x y"}, VocabularyKind::word)};

  Batch batch(const std::vector<std::vector<std::string>>& lines) const {
    Examples examples;
    for (const auto& line : lines) examples.push_back(example(translate_task(), vocabularies, line));
    return translate_task().batch(vocabularies, examples);
  }
};

TEST(SeveralSources, are_read_one_after_another_with_places_of_their_own) {
  const WordsAndNumbers two;
  const Ragged read = two.batch({{"wie viel\ta", "x"}, {"多少\tb", "y"}}).source;
  ASSERT_EQ(read.parts.size(), 2u);
  EXPECT_EQ(read.rows.length(0), 5);  // wie viel </s>, two rows
  EXPECT_EQ(read.rows.length(1), 3);
  EXPECT_FALSE(read.has_words());
  EXPECT_EQ(read.parts[1].vectors.span<float>()[4], 2);
  const std::vector<float> places{0, 1, 2, 0, 1, 0, 1, 0};
  EXPECT_TRUE(std::ranges::equal(read.places.span<float>(), places));
  EXPECT_EQ(words_of(two.vocabularies).sources().size(), 2u);
}

TEST(SeveralSources, a_text_is_a_grid_of_one_line) {
  const WordsAndNumbers two;
  two.table->places_ = Places::grid;
  const Ragged read = two.batch({{"wie viel\tb", "x"}}).source;
  EXPECT_EQ(places_of(*two.both), Places::grid);
  EXPECT_TRUE(std::ranges::equal(read.places.span<float>().first(6), std::vector<float>{0, 0, 0, 1, 0, 2}));
}

// A sample means the same alone and beside others, and each source counts.
TEST(SeveralSources, models_read_both_and_no_other_samples) {
  const WordsAndNumbers two;
  for (const std::string config :
       {"type: transformer\nencoder_layers: 1\ndecoder_layers: 1\nd_model: 8\nheads: 2\nfeed_forward: 8\n",
        "type: rnn\nembedding: 4\nhidden: 6\n", "type: rnn\nembedding: 4\nhidden: 6\nconvolution: 3\n"}) {
    Parameters parameters;
    const auto model = read_model_config(read_yaml(config + "dropout: 0\n", "t"))
                           ->make(Scope(parameters, Random(2)), words_of(two.vocabularies));
    const auto logits = [&](const std::vector<std::vector<std::string>>& lines) {
      Pass pass;
      return model->logits(model->features(two.batch(lines), pass));
    };
    const Tensor together = logits({{"wie viel\ta", "x"}, {"多少\tb", "y"}}),
                 alone = logits({{"多少\tb", "y"}});
    testing::expect_close(together.view_rows(2, 4), alone, 1e-5, config);
    for (const std::string other : {"wie\tb", "多少\ta"}) {
      const Tensor changed = logits({{other, "y"}});
      EXPECT_GT(std::abs(changed.data<float>()[0] - alone.data<float>()[0]), 1e-6) << config << other;
    }
  }
}

TEST(SeveralSources, tasks_with_an_answer_for_each_token_refuse_them) {
  const WordsAndNumbers two;
  expect_error([&] { label_task().check(two.vocabularies); },
               "source: a model that tags words reads one source");
  expect_error([&] { answer_task().check(two.vocabularies); }, "reads one source");
  expect_error([&] { predict_task(ErrorKind::squared).check(two.vocabularies); }, "source: ");
}

// Gradients of the losses of numbers and spans through a whole model, against differences.
TEST(Losses, of_numbers_and_spans_have_gradients) {
  for (const std::string task :
       {"predict", "predict\nattention: autocorrelation", "predict\nconvolution: 3", "answer"}) {
    Parameters parameters(DType::f64);
    const auto config = read_model_config(
        read_yaml("type: bert\ntask: " + task +
                      "\nlayers: 1\nd_model: 4\nheads: 2\nfeed_forward: 4\npositions: none\ndropout: 0\n",
                  "t"));
    const bool numbers = task != "answer";
    const auto model = config->make(Scope(parameters, Random(2)), numbers ? Words{3, 2, true} : Words{9, 9});
    Batch batch{.source = ragged({{1, 2, 3}, {4, 5}}), .given = {}, .segments = {}, .expected = {}};
    if (numbers) {
      batch.source.vectors = testing::random_tensor({5, 3}, 1);
      batch.numbers = testing::random_tensor({5, 2}, 2);
      batch.unit = testing::random_tensor({5, 2}, 3);
    } else {
      batch.span_first = Tensor::of<double>({5}, {0, 1, 0, 1, 0});
      batch.span_last = Tensor::of<double>({5}, {0, 0, 1, 1, 0});
    }
    const auto loss = [&] {
      Pass pass;
      return model->loss(batch, 0, pass);
    };
    parameters.zero_gradients();
    backward(loss().loss);
    const auto values = parameters.values().span<double>(), gradients = parameters.gradients().span<double>();
    for (size_t i = 0; i < values.size(); i += 7) {
      constexpr double kStep = 1e-6;
      const double kept = values[i];
      values[i] = kept + kStep;
      const double above = loss().loss.item();
      values[i] = kept - kStep;
      const double below = loss().loss.item();
      values[i] = kept;
      EXPECT_NEAR(gradients[i], (above - below) / (2 * kStep), 1e-5) << task << " " << i;
    }
  }
}

}  // namespace
}  // namespace attune
