#include "train/data/corpora.h"

#include <charconv>

#include "config/rules.h"

namespace attune {
namespace {

Corpus open_corpus(std::string_view key, const std::vector<CorpusSource>& sources, const Task& task,
                   bool replace_invalid) {
  Corpus corpus(sources, replace_invalid ? InvalidUtf8::replace : InvalidUtf8::refuse);
  const TaskColumns wanted = task.columns();
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
    // The fewest columns per corpus into which the files can be divided evenly.
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
            "train_weights", "'{}' is not a positive number", text);
  }
  return sources;
}

Corpus training_corpus(const TrainConfig& config, const Task& task) {
  const auto sources =
      corpus_sources("train_sets", config.train_sets, config.tsv, config.train_weights, task.columns());
  return open_corpus("train_sets", sources, task, config.replace_invalid_utf8);
}

Corpus validation_corpus(const TrainConfig& config, const Task& task) {
  const auto sources = corpus_sources("valid_sets", config.valid_sets, config.tsv, {}, task.columns());
  return open_corpus("valid_sets", sources, task, config.replace_invalid_utf8);
}

}  // namespace attune
