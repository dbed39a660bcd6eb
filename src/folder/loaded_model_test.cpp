#include "attune/loaded_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "attune/error.h"
#include "folder/model_folder.h"
#include "models/random_folder_fixture.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using Texts = std::vector<std::string>;

struct Saved {
  testing::ScratchFolder scratch;
  std::filesystem::path path = scratch / "model";

  explicit Saved(const std::string& configuration = "type: rnn\nembedding: 8\nhidden: 8\n") {
    testing::save_random_model(path, configuration, 5);
  }
};

const char* const kGpt = "type: gpt\nlayers: 1\nd_model: 8\nheads: 2\nfeed_forward: 8\n";

double sum(const std::vector<double>& scores) { return std::accumulate(scores.begin(), scores.end(), 0.0); }

TEST(LoadedModel, gives_what_the_translator_gives_with_the_folders_defaults) {
  const Saved saved;
  const Translator translator =
      ModelFolder(saved.path).translator({.search = {.beam_size = 3, .max_length = 12}});
  const LoadedModel model(saved.path);
  const Texts sentences{"a b c", "", "f", "d e a b"};
  EXPECT_EQ(model.translate(sentences), translator.translate(sentences));
  EXPECT_EQ(model.translate("d e a b"), translator.translate(sentences)[3]);
  EXPECT_EQ(model.type(), "rnn");
  EXPECT_EQ(model.path(), saved.path);
  const Texts twice{saved.path.string(), saved.path.string()};
  EXPECT_EQ(LoadedModel(twice).translate("d e a b"), model.translate("d e a b"));
}

TEST(LoadedModel, tells_all_of_its_outputs) {
  const Saved saved;
  const LoadedModel model(saved.path);
  const Texts sentences{"a b c"};
  const auto outputs = model.outputs(sentences, {.beam_size = 4, .n_best = 3, .alignment = true})[0];
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].text, model.translate("a b c", {.beam_size = 4}));
  EXPECT_EQ(model.source_tokens("a b c"), (Texts{"a", "b", "c", "</s>"}));
  for (const ModelOutput& output : outputs) {
    EXPECT_LE(output.normalised, outputs[0].normalised);
    EXPECT_NEAR(sum(output.word_scores), output.score, 1e-9);
    EXPECT_EQ(output.word_scores.size(), output.tokens.size() + (output.ended ? 1 : 0));
    ASSERT_EQ(output.alignment.size(), output.word_scores.size());
    for (const auto& weights : output.alignment) {
      EXPECT_EQ(weights.size(), 4u);
      EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-5);
    }
  }
  EXPECT_LE(model.outputs(sentences, {.beam_size = 1, .max_length = 2})[0][0].word_scores.size(), 2u);
}

TEST(LoadedModel, samples_the_same_outputs_whether_all_is_asked_of_them_or_not) {
  const Saved saved;
  const LoadedModel model(saved.path);
  const Texts sentences{"a b c", "a b c", "a b c", "a b c"};
  Texts texts;
  for (const auto& outputs : model.outputs(sentences, {.sampling = true})) texts.push_back(outputs[0].text);
  EXPECT_EQ(texts, model.translate(sentences, {.sampling = true}));
  EXPECT_NE(texts, model.translate(sentences, {.sampling = true, .seed = 2}));
}

TEST(LoadedModel, generates_from_a_prompt_and_shows_what_it_writes) {
  const Saved saved(kGpt);
  const LoadedModel model(saved.path);
  const auto outputs = model.generate("a b", {.decoding = {.beam_size = 3, .max_length = 5, .n_best = 2}});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_GE(outputs[0].normalised, outputs[1].normalised);
  for (const ModelOutput& output : outputs) EXPECT_TRUE(output.text.starts_with("a b")) << output.text;

  const GenerationOptions greedy{.decoding = {.beam_size = 1, .max_length = 5}};
  std::string shown;
  const ModelOutput output = model.generate("a b", greedy, [&](const std::string& part) {
    shown += part;
    return true;
  });
  EXPECT_EQ("a b" + shown, output.text);
  EXPECT_EQ(output.text, model.generate("a b", greedy)[0].text);
  EXPECT_NEAR(sum(output.word_scores), output.score, 1e-9);
}

TEST(LoadedModel, scores_what_it_wrote_as_its_search_did) {
  const Saved saved;
  const LoadedModel model(saved.path);
  const Texts sentences{"a b c"};
  const ModelOutput output = model.outputs(sentences)[0][0];
  const std::vector<Texts> rows{{"a b c", output.text}, {"", ""}};
  const auto scores = model.score(rows);
  ASSERT_FALSE(output.word_scores.empty());  // with </s> only if it ended
  ASSERT_EQ(scores[0].word_scores.size(), output.tokens.size() + 1);
  for (size_t i = 0; i < output.word_scores.size(); ++i)
    EXPECT_NEAR(scores[0].word_scores[i], output.word_scores[i], 1e-4) << i;
  EXPECT_NEAR(scores[0].log_p, sum(scores[0].word_scores), 1e-9);
  EXPECT_EQ(scores[0].tokens.size(), scores[0].word_scores.size());
  EXPECT_EQ(scores[0].tokens.back(), "</s>");
  EXPECT_TRUE(scores[1].tokens.empty());
  const std::vector<Texts> three{{"a", "b", "c"}};
  EXPECT_THROW(model.score(three), UsageError);
}

TEST(LoadedModel, tells_its_attention_as_json) {
  const Saved saved;
  const LoadedModel model(saved.path);
  const auto seen = nlohmann::json::parse(model.attend("a b c", "d e").json());
  EXPECT_EQ(seen["encoder_tokens"], (Texts{"a", "b", "c", "</s>"}));
  EXPECT_EQ(seen["cross_attention"][0][0].size(), 3u) << "d e </s>";
  EXPECT_EQ(nlohmann::json::parse(model.attend("a b c").json())["target"], model.translate("a b c"));
}

TEST(LoadedModel, refuses_what_it_cannot_do) {
  const Saved saved;
  const LoadedModel model(saved.path);
  EXPECT_THROW(LoadedModel(saved.scratch / "none"), UsageError);
  EXPECT_THROW(model.translate("a", {.beam_size = 0}), UsageError);
  EXPECT_THROW(model.translate("a", {.beam_size = 2, .n_best = 3}), UsageError);
  EXPECT_THROW(model.generate("a"), UsageError);
  const Saved language_model(kGpt);
  EXPECT_THROW(LoadedModel(language_model.path).translate("a"), UsageError);
}

}  // namespace
}  // namespace attune
