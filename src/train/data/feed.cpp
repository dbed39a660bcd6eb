#include "train/data/feed.h"

#include <algorithm>
#include <charconv>

#include "config/rules.h"
#include "train/data/guidance.h"
#include "train/data/noise.h"

namespace attune {
namespace {

Corpus open_corpus(std::string_view key, const std::vector<CorpusSource>& sources, TaskKind task,
                   bool replace_invalid) {
  Corpus corpus(sources, replace_invalid ? InvalidUtf8::replace : InvalidUtf8::refuse);
  const TaskColumns wanted = task_columns(task);
  require(corpus.columns() >= wanted.fewest && corpus.columns() <= wanted.most, key,
          "{} has {} columns, but this model reads {}", sources[0].files[0], corpus.columns(), wanted.text());
  return corpus;
}

}  // namespace

std::vector<CorpusSource> corpus_sources(std::string_view key, const std::vector<std::string>& files,
                                         bool tsv, const std::vector<std::string>& weights,
                                         TaskColumns columns) {
  std::vector<CorpusSource> sources;
  if (tsv) {
    for (const std::string& file : files) sources.push_back({{file}, true});
  } else {
    // So many files a corpus as divide their number; the fewest columns that do.
    size_t width = columns.fewest;
    while (width < columns.most && files.size() % width != 0) ++width;
    if (files.size() <= columns.most) width = files.size();
    require(width >= columns.fewest && files.size() % width == 0, key,
            "{} files cannot be divided into corpora of {} columns each", files.size(), columns.text());
    for (size_t i = 0; i < files.size(); i += width)
      sources.push_back(
          {{files.begin() + static_cast<int64_t>(i), files.begin() + static_cast<int64_t>(i + width)}});
  }
  require(weights.empty() || weights.size() == sources.size(), "train_weights",
          "there are {} corpora, but {} weights", sources.size(), weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string& text = weights[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sources[i].weight);
    require(error == std::errc() && end == text.data() + text.size() && sources[i].weight > 0,
            "train_weights", "'{}' is no positive number", text);
  }
  return sources;
}

Corpus training_corpus(const TrainConfig& config, TaskKind task) {
  const auto sources =
      corpus_sources("train_sets", config.train_sets, config.tsv, config.train_weights, task_columns(task));
  return open_corpus("train_sets", sources, task, config.replace_invalid_utf8);
}

Corpus validation_corpus(const TrainConfig& config, TaskKind task) {
  const auto sources = corpus_sources("valid_sets", config.valid_sets, config.tsv, {}, task_columns(task));
  return open_corpus("valid_sets", sources, task, config.replace_invalid_utf8);
}

int64_t longest_side(const TrainConfig& config, const ModelConfig& model) {
  return model.longest() > 0 ? std::min(config.max_length, model.longest()) : config.max_length;
}

BatchOptions training_batches(const TrainConfig& config, const ModelConfig& model) {
  return {.mini_batch_words = config.mini_batch_words,
          .mini_batch = config.mini_batch,
          .max_length = longest_side(config, model),
          .window = config.shuffle_window,
          .seed = static_cast<uint64_t>(config.seed)};
}

void feed(Learner& learner, const TokenBatch& tokens, const Task& task, const Vocabularies& vocabularies,
          const TrainConfig& config, int64_t number, bool last) {
  const Random random =
      Random(static_cast<uint64_t>(config.seed)).stream(1).stream(static_cast<uint64_t>(number));
  Batch batch = task.batch(tokens);
  if (!config.guided_alignment.empty()) batch.links = link_matrix(tokens);
  if (config.scheduled_sampling > 0 && batch.given.ids)
    sample_given(learner.model(), batch, config.scheduled_sampling, random.stream(1));
  const auto drop = [&](const Tensor& ids, const Vocabulary& words, double share, uint64_t stream) {
    if (share > 0 && ids) drop_words(ids, share, words.unk(), words.eos() + 1, random.stream(stream));
  };
  drop(batch.source.ids, *vocabularies.source, config.dropout_src, 2);
  drop(batch.given.ids, *vocabularies.target, config.dropout_trg, 3);
  learner.add(batch, random.stream(0), last);
}

}  // namespace attune
