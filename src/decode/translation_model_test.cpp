#include "attune/translation_model.h"

#include <gtest/gtest.h>

#include <numeric>

#include "attune/error.h"
#include "decode/translator.h"
#include "models/random_folder_fixture.h"
#include "testing/scratch.h"

namespace attune {
namespace {

struct Saved {
  testing::ScratchFolder scratch;
  std::filesystem::path path = scratch / "model";

  explicit Saved(const std::string& configuration = "type: rnn\nembedding: 8\nhidden: 8\n") {
    testing::save_random_model(path, configuration, 5);
  }
};

TEST(TranslationModel, gives_what_the_translator_gives_with_the_folders_defaults) {
  const Saved saved;
  const ModelFiles folder = load_model_files(saved.path);
  const Translator translator(
      Ensemble(dynamic_cast<const Writer&>(*folder.model)),
      {.vocabularies = folder.vocabularies, .search = {.beam_size = 3, .max_length = 12}});
  const TranslationModel model(saved.path);
  const std::vector<std::string> sentences{"a b c", "", "f", "d e a b"};
  EXPECT_EQ(model.translate(sentences), translator.translate(sentences));
  EXPECT_EQ(model.translate("d e a b"), translator.translate(sentences)[3]);
}

TEST(TranslationModel, tells_all_of_its_outputs) {
  const Saved saved;
  const TranslationModel model(saved.path, {.beam_size = 4, .n_best = 3, .alignment = true});
  const std::vector<std::string> sentences{"a b c"};
  const auto outputs = model.outputs(sentences)[0];
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].text, model.translate("a b c"));
  EXPECT_EQ(model.source_tokens("a b c"), (std::vector<std::string>{"a", "b", "c", "</s>"}));
  for (const Translation& output : outputs) {
    EXPECT_LE(output.normalised, outputs[0].normalised);
    EXPECT_NEAR(std::accumulate(output.word_scores.begin(), output.word_scores.end(), 0.0), output.score,
                1e-9);
    EXPECT_EQ(output.word_scores.size(), output.tokens.size() + (output.ended ? 1 : 0));
    ASSERT_EQ(output.alignment.size(), output.word_scores.size());
    for (const auto& weights : output.alignment) {
      EXPECT_EQ(weights.size(), 4u);
      EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-5);
    }
  }
  const TranslationModel greedy(saved.path, {.beam_size = 1, .max_length = 2});
  EXPECT_LE(greedy.outputs(sentences)[0][0].word_scores.size(), 2u);
}

TEST(TranslationModel, samples_the_same_outputs_whether_all_is_asked_of_them_or_not) {
  const Saved saved;
  const auto file = saved.path / "config.json";
  std::string config = testing::get(file);
  config.replace(config.find("\"max_length\": 12"), 16, "\"max_length\": 12, \"sampling\": true");
  testing::put(file, config);
  const TranslationModel model(saved.path);
  const std::vector<std::string> sentences{"a b c", "a b c", "a b c", "a b c"};
  std::vector<std::string> texts;
  for (const auto& outputs : model.outputs(sentences)) texts.push_back(outputs[0].text);
  EXPECT_EQ(texts, model.translate(sentences));
}

TEST(TranslationModel, refuses_what_it_cannot_do) {
  const Saved saved;
  EXPECT_THROW(TranslationModel(saved.scratch / "none"), UsageError);
  EXPECT_THROW(TranslationModel(saved.path, {.beam_size = 0}), UsageError);
  EXPECT_THROW(TranslationModel(saved.path, {.beam_size = 2, .n_best = 3}), UsageError);
  const Saved language_model("type: gpt\nlayers: 1\nd_model: 8\nheads: 2\nfeed_forward: 8\n");
  EXPECT_THROW(TranslationModel(language_model.path, {}), UsageError);
}

}  // namespace
}  // namespace attune
