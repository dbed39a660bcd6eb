#include "train/validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "models/random_folder_fixture.h"
#include "testing/scratch.h"
#include "train/train_config.h"

namespace attune {
namespace {

// What a model writes in a validation whose weights are all 0: of words that are alike, <unk> comes first.
std::string output(const SearchOptions& decoding) {
  const testing::ScratchFolder scratch;
  const std::string path = (scratch / "base").string(), text = (scratch / "text").string();
  testing::save_random_model(
      path,
      "{type: transformer, d_model: 8, heads: 2, feed_forward: 12, encoder_layers: 1, decoder_layers: 1}", 3);
  const ModelFiles files = load_model_files(path, WeightsIn::memory);
  Parameters parameters;
  files.config->make(Scope(parameters, Random(1)), words_of(files.vocabularies));
  const testing::RandomTrained trained;
  save_model_folder(path, *files.config, files.vocabularies, parameters, fields_of(decoding),
                    fields_of(trained));
  std::ofstream(text) << "a b c d\n";
  const RunConfig run = read_run_config(read_yaml("{train_sets: [a, b], valid_sets: [" + text + ", " + text +
                                                      "], model: run, pretrained_model: " + path + "}",
                                                  "test"),
                                        {});
  Learner learner(*run.model, words_of(files.vocabularies), run.train);
  std::ranges::fill(learner.parameters().values().span<float>(), 0.0F);
  return Validator(run.train, *run.model, files.vocabularies)(learner.model()).samples.at(0).output;
}

TEST(Validation, writes_as_the_pretrained_model_does) {
  EXPECT_EQ(output({.max_length = 3}), "<unk> <unk> <unk>");
  EXPECT_EQ(output({.beam_size = 4, .n_best = 4, .max_length = 3, .unk = UnknownWords::suppress}), "");
}

}  // namespace
}  // namespace attune
