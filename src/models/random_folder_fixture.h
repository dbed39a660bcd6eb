// For tests: a model folder with random weights over the words a .. h, like those written by training.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "config/yaml.h"
#include "models/model_files.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune::testing {

struct RandomDecoding {
  int64_t beam_size = 3, max_length = 12;
  void fields(Fields& f) const {
    f("beam_size", beam_size, "");
    f("max_length", max_length, "");
  }
};

struct RandomTrained {
  std::vector<std::string> train_sets{"data/train.en", "data/train.de.gz"};
  std::vector<std::string> languages = {};  // directions of a multilingual model
  std::vector<std::string> symbols = {};    // of its vocabulary
  void fields(Fields& f) const {
    f("train_sets", train_sets, "");
    f("languages", languages, "");
  }
};

inline void save_random_model(const std::filesystem::path& path, const std::string& configuration,
                              uint64_t seed, const RandomTrained& trained = {}) {
  const std::shared_ptr<const Vocabulary> vocabulary =
      train_vocabulary({{1, [](int64_t) { return "a b c d e f g h"; }}},
                       {.kind = VocabularyKind::word, .user_symbols = trained.symbols});
  const auto config = read_model_config(read_yaml(configuration, "test.yml"));
  Parameters parameters;
  const auto model = config->make(Scope(parameters, Random(seed)), {vocabulary->size(), vocabulary->size()});
  const RandomDecoding decoding;
  save_model_folder(path, *config, {vocabulary, vocabulary}, parameters, fields_of(decoding),
                    fields_of(trained));
}

}  // namespace attune::testing
