#include "train/data/examples.h"

#include <algorithm>

namespace attune {

MakeExample make_examples(const Task& task, const Vocabularies& vocabularies, const Guidance* guidance) {
  return [&task, &vocabularies, guidance](const CorpusLine& line) {
    Example example{task.example(vocabularies, line)};
    if (guidance != nullptr) example.links = guidance->links(line);
    return example;
  };
}

int64_t longest_side(const TrainConfig& config, const ModelConfig& model) {
  return model.longest() > 0 ? std::min(config.max_length, model.longest()) : config.max_length;
}

BatchOptions batch_options(const TrainConfig& config, const ModelConfig& model) {
  return {.mini_batch_words = config.mini_batch_words,
          .mini_batch = config.mini_batch,
          .max_length = longest_side(config, model),
          .window = config.shuffle_window,
          .seed = static_cast<uint64_t>(config.seed)};
}

}  // namespace attune
