#include "look/attention_probe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attune/error.h"
#include "decode/search/search_fixture.h"
#include "look/attention_lens.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

using testing::RandomModel;
using view::AttentionKind;

constexpr int64_t kWords = 9;

Vocabularies words() {
  std::vector<ListedToken> tokens;
  for (const char* word : {"a", "b", "c", "d", "e", "f"}) tokens.push_back({word});
  const auto vocabulary = std::make_shared<ListedVocabulary>(VocabularyKind::word, tokens);
  return {vocabulary, vocabulary};
}

ModelFacts facts(const Task& task) {
  return {.task = task, .name = "m", .type = "some", .vocabularies = words()};
}

std::shared_ptr<const TextModel> text_model(const RandomModel& model, const ModelFacts& facts) {
  return std::make_shared<const TextModel>(std::vector<WeightedModel>{{model.model.get()}}, facts);
}

std::shared_ptr<const TextModel> probed(const RandomModel& model, const Task& task) {
  return text_model(model, facts(task));
}

ProbeOptions short_search() { return {.search = {.beam_size = 3, .max_length = 6}}; }

void expect_rows_sum_to_one(const view::Attention& seen) {
  for (const auto& layer : seen.layers)
    for (size_t row = 0; row < layer.matrices() * layer.queries; ++row) {
      float sum = 0;
      for (size_t k = 0; k < layer.keys; ++k) sum += layer.weights[row * layer.keys + k];
      EXPECT_NEAR(sum, 1, 1e-5);
    }
}

// In every model that attends to a source, the probe finds the attention that search itself reports.
TEST(AttentionProbe, sees_in_one_pass_what_search_saw_step_by_step) {
  for (const std::string& type : testing::attending_types()) {
    const RandomModel model(type, kWords, 3);
    const AttentionProbe probe(probed(model, translate_task()), short_search());
    const view::Attention seen = probe.look("a b c d");
    EXPECT_EQ(seen.encoder_tokens, (std::vector<std::string>{"a", "b", "c", "d", "</s>"})) << type;
    expect_rows_sum_to_one(seen);

    SearchOptions options = short_search().search;
    options.alignment = true;
    const auto best = search(Ensemble(model.writer()), {ragged({{3, 4, 5, 6, 2}})},
                             {.begin = 1, .end = 2, .suppressed = {1}}, options)[0][0];
    const view::AttentionMatrix matrix = choose(seen, {.kind = AttentionKind::cross});
    ASSERT_EQ(matrix.weights.size(), best.alignment.size()) << type;
    for (size_t i = 0; i < matrix.weights.size(); ++i)
      for (size_t j = 0; j < 5; ++j) EXPECT_NEAR(matrix.weights[i][j], best.alignment[i][j], 1e-5) << type;
  }
}

TEST(AttentionProbe, keeps_the_tree_of_the_search_and_its_candidates) {
  const RandomModel model(testing::attending_types()[0], kWords, 3);
  const view::Attention seen = AttentionProbe(probed(model, translate_task()), short_search()).look("a b");
  std::vector<std::string> written;
  double score = 0;
  for (const view::SearchNode& node : seen.tree) {
    if (node.parent >= 0) {
      EXPECT_NEAR(node.score, seen.tree[static_cast<size_t>(node.parent)].score + node.log_p, 1e-9);
      if (node.on_result) {
        EXPECT_TRUE(seen.tree[static_cast<size_t>(node.parent)].on_result);
        written.push_back(node.token);
        score = node.score;
      }
    }
    double sum = 0;
    for (const auto& [token, p] : node.candidates) sum += p;
    EXPECT_LE(sum, 1 + 1e-9);
  }
  EXPECT_EQ(written, seen.decoder_outputs);

  const std::string found = seen.target;
  const view::Attention forced =
      AttentionProbe(probed(model, translate_task()), short_search()).look("a b", found);
  EXPECT_TRUE(forced.forced);
  EXPECT_EQ(forced.decoder_tokens[0], "<s>");
  ASSERT_GT(forced.tree.size(), written.size());
  EXPECT_NEAR(forced.tree[written.size()].score, score, 1e-6);
}

TEST(AttentionProbe, a_decoder_alone_looks_at_prompt_and_text) {
  const RandomModel model("type: gpt\nlayers: 2\nd_model: 8\nheads: 2\nfeed_forward: 8\n", kWords, 3);
  const AttentionProbe probe(probed(model, write_task()), short_search());
  const view::Attention seen = probe.look("a b", "c");
  EXPECT_EQ(seen.decoder_tokens, (std::vector<std::string>{"a", "b", "<s>", "c"}));
  ASSERT_EQ(seen.layers.size(), 2);
  EXPECT_EQ(seen.layers[0].kind, AttentionKind::decoder);
  EXPECT_EQ(seen.layers[0].weights[1], 0) << "the future";
  expect_rows_sum_to_one(seen);
}

// A model trained on one column reads <s> first, and a prompt is the beginning of its text.
TEST(AttentionProbe, a_model_that_continues_text_writes_the_prompt_behind_its_start) {
  const RandomModel model("type: gpt\nlayers: 2\nd_model: 8\nheads: 2\nfeed_forward: 8\n", kWords, 3);
  ModelFacts continuing = facts(write_task());
  continuing.answers = false;
  const auto whom = text_model(model, continuing);
  const view::Attention forced = AttentionProbe(whom, short_search()).look("a b", "c");
  EXPECT_EQ(forced.decoder_tokens, (std::vector<std::string>{"<s>", "a", "b", "c"}));
  EXPECT_EQ(forced.decoder_outputs, (std::vector<std::string>{"a", "b", "c", "</s>"}));
  EXPECT_EQ(forced.target, "a b c");
  expect_rows_sum_to_one(forced);

  const view::Attention found = AttentionProbe(whom, short_search()).look("a b");
  const SearchInput input{.source = ragged({{}}), .prefixes = {{3, 4}}};
  SearchOptions options = short_search().search;
  options.max_length += 2;
  const auto best =
      search(Ensemble(model.writer()), input, {.begin = 1, .end = 2, .suppressed = {1}}, options)[0][0];
  std::vector<std::string> written;
  for (const int32_t word : best.words) written.push_back(words().target->piece(word));
  if (best.ended) written.emplace_back("</s>");
  EXPECT_EQ(found.decoder_outputs, written);
  EXPECT_EQ(found.decoder_tokens[0], "<s>");
}

// It could only write <s>, which is never written.
TEST(AttentionProbe, a_model_whose_words_have_no_probability_gives_nothing_to_see) {
  const RandomModel model(testing::attending_types()[0], kWords, 3);
  const auto bias = model.model->output_bias().span<double>();
  for (size_t word = 0; word < bias.size(); ++word)
    if (word != 1) bias[word] = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(
      AttentionProbe(probed(model, translate_task()), short_search()).look("a").decoder_tokens.empty());
}

TEST(AttentionProbe, an_empty_source_gives_nothing_and_long_ones_are_refused) {
  const RandomModel model(testing::attending_types()[0], kWords, 3);
  EXPECT_TRUE(AttentionProbe(probed(model, translate_task()), {}).look("").layers.empty());
  ModelFacts small = facts(translate_task());
  small.longest = 3;
  EXPECT_THROW(AttentionProbe(text_model(model, small), {}).look("a b c"), UsageError);
  EXPECT_THROW(AttentionProbe(probed(model, tag_task()), {}), UsageError);
}

TEST(AttentionProbe, a_model_without_attention_is_refused) {
  for (const std::string& type : testing::all_types()) {
    if (type.find("none") == std::string::npos) continue;
    const RandomModel model(type, kWords, 3);
    EXPECT_THROW(AttentionProbe(probed(model, translate_task()), short_search()).look("a"), UsageError)
        << type;
  }
}

TEST(AttentionLens, long_layers_become_the_mean_of_their_heads_unless_one_is_wanted) {
  const int64_t n = 1500;  // two heads have 4.5 million weights
  const Tensor weights({2 * n * n}, DType::f32);
  const auto all = weights.span<float>();
  std::fill(all.begin(), all.begin() + n * n, 0.25F);
  std::fill(all.begin() + n * n, all.end(), 0.75F);
  AttentionLens mean, second(1);
  for (AttentionLens* lens : {&mean, &second})
    lens->attention({AttentionName::encoder, 3, AttentionName::self}, weights, Rows{n}, Rows{n}, 2);
  EXPECT_TRUE(mean.layers()[0].heads.empty());
  EXPECT_EQ(mean.layers()[0].number, 3);
  EXPECT_FLOAT_EQ(mean.layers()[0].weights[7], 0.5F);
  EXPECT_EQ(second.layers()[0].heads, std::vector<int64_t>{1});
  EXPECT_FLOAT_EQ(second.layers()[0].weights[7], 0.75F);
}

TEST(AttentionLens, refuses_weights_that_are_no_numbers_and_heads_that_are_not_there) {
  const Tensor bad = Tensor::of<float>({2}, {0.5F, std::numeric_limits<float>::quiet_NaN()});
  AttentionLens lens, third(2);
  const AttentionName cross{.kind = AttentionName::cross};
  EXPECT_THROW(lens.attention(cross, bad, Rows{1}, Rows{2}, 1), Error);
  EXPECT_THROW(third.attention(cross, Tensor::of<float>({2}, {0.5F, 0.5F}), Rows{1}, Rows{2}, 1), UsageError);
}

}  // namespace
}  // namespace attune
