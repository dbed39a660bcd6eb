#include "train/data/examples.h"

#include <algorithm>
#include <utility>

#include "attune/error.h"
#include "config/rules.h"
#include "text/corpus/token_stream.h"

namespace attune {
namespace {

class BlockExamples final : public ExampleSource {
 public:
  BlockExamples(const Corpus& corpus, const Task& task, const Vocabularies& vocabularies, int32_t end,
                int64_t longest)
      : name_(corpus.source(0).files[0]->path()),
        task_(task),
        vocabularies_(vocabularies),
        stream_(corpus, *vocabularies.source, end, task.block_length(longest)) {}

  std::string name() const override { return name_; }
  std::vector<int64_t> epoch(const Random& random) const override { return stream_.epoch(random); }
  Example example(int64_t number, const Random& random) const override {
    return {task_.block_example(vocabularies_, stream_.block(number), random)};
  }

 private:
  std::string name_;
  const Task& task_;
  const Vocabularies& vocabularies_;
  TokenStream stream_;
};

// A file that cannot be read is refused with the line that names it.
std::vector<TokenIds> named_example(const Task& task, const Vocabularies& vocabularies,
                                    const CorpusLine& line) {
  if (vocabularies.source->vectors() == nullptr && !vocabularies.source->several())
    return task.example(vocabularies, line);
  try {
    return task.example(vocabularies, line);
  } catch (const UsageError& error) {
    const std::string what = error.what();
    if (what.starts_with("line ")) throw;
    refuse_line(line.number, what);
  }
}

}  // namespace

std::shared_ptr<const ExampleSource> training_examples(const TrainConfig& config, const ModelConfig& model,
                                                       const Corpus& corpus, const Vocabularies& vocabularies,
                                                       const Guidance* guidance) {
  const Task& task = model.task();
  if (config.text_unit != TextReading::stream)
    return examples_of_lines(corpus, make_examples(task, {config, corpus, vocabularies}, guidance));
  require(corpus.columns() == 1, "text_unit", "'stream' is for texts, but {} has {} columns",
          corpus.source(0).files[0]->path(), corpus.columns());
  const auto end = task.document_end(vocabularies);
  require(end.has_value(), "text_unit", "'stream' is not for a model that {}", task.does());
  return std::make_shared<const BlockExamples>(corpus, task, vocabularies, *end, longest_side(config, model));
}

MakeExample make_examples(const Task& task, LineVocabularies vocabularies, const Guidance* guidance) {
  return [&task, words = std::move(vocabularies), guidance](const CorpusLine& line) {
    const Vocabularies own = words.of(line);
    Example example{named_example(task, own, line)};
    if (guidance != nullptr) example.links = guidance->links(line, own);
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
