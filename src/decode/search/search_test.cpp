// Compares search with its definition, computed without caches, batches or early ends, for every type of
// model.
#include "decode/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attune/threads.h"
#include "decode/search/search_fixture.h"

namespace attune {
namespace {

using testing::all_outputs;
using testing::expect_same;
using testing::Ids;
using testing::plain_beam_search;
using testing::RandomModel;

const std::vector<Ids> kSources{{3, 4, 5, 2}, {6, 2}, {5, 5, 3, 6, 2}};

std::vector<std::vector<Hypothesis>> run(const Ensemble& models, const std::vector<Ids>& sources,
                                         const SearchOptions& options,
                                         const std::vector<Ids>& prefixes = {}) {
  return search(models, {ragged(sources), prefixes}, {}, options);
}

// Options in many combinations; some need attention.
std::vector<SearchOptions> many_options(bool attention) {
  std::vector<SearchOptions> all{
      {.beam_size = 1, .max_length = 9},
      {.beam_size = 2, .normalize = 0, .n_best = 2, .max_length = 8},
      {.beam_size = 3, .normalize = 1, .n_best = 1, .max_length = 12, .max_length_factor = 0},
      {.beam_size = 4, .normalize = 0.6, .n_best = 2, .max_length_factor = 2},
      {.beam_size = 5, .normalize = 2, .length_penalty = LengthPenalty::google, .n_best = 5, .max_length = 7},
      {.beam_size = 3, .normalize = -0.5, .n_best = 3, .max_length = 6},
      {.beam_size = 4, .n_best = 4, .max_length = 9, .no_repeat_ngram = 1},
      {.beam_size = 2, .n_best = 2, .max_length = 9, .no_repeat_ngram = 2}};
  if (attention) {
    all.push_back({.beam_size = 4, .n_best = 3, .max_length = 7, .coverage_penalty = 0.4, .alignment = true});
    all.push_back({.beam_size = 3,
                   .n_best = 3,
                   .max_length = 7,
                   .coverage_penalty = 2,
                   .alignment = true,
                   .attention_layer = 0});
    all.push_back({.n_best = 2, .max_length = 6, .alignment = true, .attention_layer = -1});
  }
  return all;
}

TEST(Search, a_wide_beam_finds_what_trying_everything_finds) {
  for (const std::string& type : testing::all_types())
    for (uint64_t seed = 1; seed <= 2; ++seed)
      for (const double normalize : {0.0, 0.6, 1.5}) {
        const RandomModel model(type, 4, seed);
        const Ensemble models(model.writer());
        const SearchOptions options{.beam_size = 1 << 12,
                                    .normalize = normalize,
                                    .n_best = 4,
                                    .max_length = 4,
                                    .max_length_factor = 0};
        expect_same(run(models, {{3, 0, 2}}, options)[0], all_outputs(models, {3, 0, 2}, {}, options), 1e-10,
                    type);
      }
}

TEST(Search, every_type_of_model_with_many_options_is_as_defined) {
  for (const std::string& type : testing::all_types()) {
    const bool attends = std::ranges::count(testing::attending_types(), type) > 0;
    const RandomModel model(type, 8, 1);
    const Ensemble models(model.writer());
    for (const SearchOptions& options : many_options(attends)) {
      const auto found = run(models, kSources, options);
      for (size_t s = 0; s < kSources.size(); ++s)
        expect_same(found[s], plain_beam_search(models, kSources[s], {}, {}, options), 1e-10,
                    type + "sentence " + std::to_string(s) + ", ");
    }
  }
}

TEST(Search, a_prefix_is_written_scored_and_continued) {
  const std::vector<Ids> prefixes{{5}, {}, {3, 3, 7}};
  for (const std::string& type : testing::all_types()) {
    const RandomModel model(type, 8, 4);
    const Ensemble models(model.writer());
    const SearchOptions options{.beam_size = 3, .n_best = 3, .max_length = 8, .no_repeat_ngram = 2};
    const auto found = run(models, kSources, options, prefixes);
    for (size_t s = 0; s < kSources.size(); ++s) {
      expect_same(found[s], plain_beam_search(models, kSources[s], prefixes[s], {}, options), 1e-10, type);
      for (const Hypothesis& h : found[s])
        EXPECT_EQ(Ids(h.words.begin(), h.words.begin() + static_cast<std::ptrdiff_t>(prefixes[s].size())),
                  prefixes[s]);
    }
  }
}

TEST(Search, suppressed_words_are_not_written_and_other_scores_stay) {
  const RandomModel model(testing::all_types()[0], 8, 5);
  const Ensemble models(model.writer());
  const SearchOptions options{.beam_size = 4, .n_best = 4, .max_length = 8};
  const SearchWords words{.suppressed = {0, 3, 6}};
  const auto found = search(models, {ragged(kSources)}, words, options);
  for (size_t s = 0; s < kSources.size(); ++s) {
    expect_same(found[s], plain_beam_search(models, kSources[s], {}, words, options), 1e-10, "");
    for (const Hypothesis& h : found[s])
      for (const int32_t word : h.words) EXPECT_TRUE(word != 0 && word != 3 && word != 6);
  }
}

TEST(Search, a_sentence_has_the_same_outputs_alone_and_in_every_batch_for_any_threads) {
  for (const std::string& type : testing::all_types())
    for (const DType dtype : {DType::f64, DType::f32}) {
      const RandomModel model(type, 8, 6, dtype);
      const Ensemble models(model.writer());
      for (SearchOptions options : many_options(false)) {
        for (options.sampling = false;; options.sampling = true) {
          const auto all = run(models, kSources, options);
          const std::vector<Ids> backwards(kSources.rbegin(), kSources.rend());
          const std::vector<uint64_t> numbers{2, 1, 0};
          const ThreadCount threads(3);
          const auto other = search(models, {.source = ragged(backwards), .numbers = numbers}, {}, options);
          for (uint64_t s = 0; s < kSources.size(); ++s) {
            expect_same(other[kSources.size() - 1 - s], all[s], 0, type);
            expect_same(search(models, {.source = ragged({kSources[s]}), .numbers = {s}}, {}, options)[0],
                        all[s], 0, type);
          }
          if (options.sampling) break;
        }
      }
    }
}

TEST(Search, alignments_are_in_the_order_of_the_source_for_a_model_that_reads_it_from_the_end) {
  const SearchOptions options{.beam_size = 2, .n_best = 2, .max_length = 6, .alignment = true};
  for (const std::string& type : testing::attending_types()) {
    if (type.find("type: rnn") == std::string::npos) continue;
    const RandomModel straight(type, 8, 3), reversing(type + "reverse_source: true\n", 8, 3);
    const auto expected = run(Ensemble(straight.writer()), {{2, 5, 4, 3}}, options)[0];
    auto found = run(Ensemble(reversing.writer()), {{3, 4, 5, 2}}, options)[0];
    for (Hypothesis& h : found)
      for (auto& row : h.alignment) std::ranges::reverse(row);
    expect_same(found, expected, 0, type);
  }
}

TEST(Search, an_ensemble_is_the_mean_of_its_models_probabilities) {
  const auto types = testing::all_types();
  const RandomModel transformer(types[0], 8, 1), rnn(types[4], 8, 2), gpt(types.back(), 8, 3);
  const Ensemble models({{&transformer.writer(), 2}, {&rnn.writer(), 1}, {&gpt.writer(), 0.5}});
  for (const SearchOptions& options : many_options(true)) {
    const auto found = run(models, kSources, options);
    for (size_t s = 0; s < kSources.size(); ++s)
      expect_same(found[s], plain_beam_search(models, kSources[s], {}, {}, options), 1e-10, "");
  }
}

TEST(Search, equal_models_together_are_the_single_model) {
  for (const DType dtype : {DType::f64, DType::f32}) {
    const RandomModel model(testing::all_types()[0], 8, 1, dtype);
    const SearchOptions options{.n_best = 4, .max_length = 9, .alignment = true};
    const auto one = run(Ensemble(model.writer()), kSources, options),
               two = run(Ensemble({{&model.writer(), 3}, {&model.writer(), 3}}), kSources, options);
    for (size_t s = 0; s < kSources.size(); ++s)
      expect_same(two[s], one[s], dtype == DType::f64 ? 1e-12 : 1e-5, "");
  }
}

TEST(Search, a_language_model_writes_without_a_source) {
  for (const std::string& type : testing::writing_types()) {
    const RandomModel model(type, 8, 2);
    const Ensemble models(model.writer());
    const SearchOptions options{.beam_size = 2, .n_best = 2, .max_length = 5};
    const auto found = run(models, {{}, kSources[0]}, options);
    expect_same(found[0], plain_beam_search(models, {}, {}, {}, options), 1e-10, type);
    expect_same(found[1], run(models, {kSources[0]}, options)[0], 0, type);
  }
}

// Positions end at 30; without that limit these models would not stop.
TEST(Search, outputs_end_where_the_model_has_no_more_positions) {
  for (const std::string& type : {testing::attending_types()[0], testing::writing_types()[1]}) {
    const RandomModel model(type, 8, 2);
    model.parameters.at("output.bias").data<double>()[2] = -1e3;  // </s>
    const auto found = run(Ensemble(model.writer()), {{3, 4, 5, 2}}, {.max_length_factor = 0})[0];
    EXPECT_FALSE(found[0].ended);
    EXPECT_EQ(found[0].words.size(), type.find("gpt") == std::string::npos ? 30 : 26);
  }
}

TEST(Search, no_sentences_give_no_outputs) {
  const RandomModel model(testing::all_types()[0], 8, 2);
  EXPECT_TRUE(run(Ensemble(model.writer()), {}, {}).empty());
}

}  // namespace
}  // namespace attune
