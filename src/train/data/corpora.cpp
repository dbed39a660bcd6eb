#include "train/data/corpora.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "config/rules.h"
#include "text/directions/direction.h"
#include "train/data/directed_sources.h"

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

CorpusSource reading_of(const TrainConfig& config) {
  return {.files = {},
          .tsv = config.tsv,
          .wanted = {config.languages, config.columns},
          .bad_lines = config.bad_lines,
          .paragraphs = config.text_unit != TextReading::line,
          .joined = config.source.size()};
}

std::vector<CorpusSource> corpus_sources(std::string_view key, const std::vector<std::string>& files,
                                         const CorpusSource& like, const std::vector<std::string>& weights,
                                         TaskColumns columns, bool pairs) {
  if (!read_directions(like.wanted.languages).empty()) return directed_sources(key, files, like, weights);
  std::vector<CorpusSource> sources;
  const auto add = [&](std::vector<std::string> of) { sources.emplace_back(like).files = std::move(of); };
  std::vector<std::vector<std::string>> whole;  // those of each file that is a corpus by itself
  for (const std::string& file : files)
    whole.push_back(like.tsv || holds_all_columns(file, like.wanted)
                        ? std::vector{file}
                        : files_of_stem(file, like.wanted.languages));
  columns.fewest += like.joined - 1;
  columns.most += like.joined - 1;
  // The fewest columns per corpus into which the others can be divided evenly.
  const auto others = static_cast<size_t>(std::ranges::count_if(whole, &std::vector<std::string>::empty));
  const size_t most = columns.fewest > 1 ? columns.most : pairs ? 2 : 1;
  size_t width = std::min(columns.fewest + (pairs ? 1 : 0), most);
  while (width < most && others % width != 0) ++width;
  if (others > 0 && others <= most && others >= width) width = others;
  require(width >= columns.fewest && others % width == 0, key,
          "{} files cannot be divided into corpora of {} columns each", others, pairs ? "2" : columns.text());
  std::vector<std::string> group;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!whole[i].empty()) {
      add(whole[i]);
      continue;
    }
    group.push_back(files[i]);
    if (group.size() == width) add(std::exchange(group, {}));
  }
  const std::vector<double> numbers = read_weights(weights, sources.size());
  for (size_t i = 0; i < sources.size(); ++i) sources[i].weight = numbers[i];
  return sources;
}

std::string pairs_hint(const TrainConfig& config, const Corpus& corpus, const Task& task) {
  if (task.columns().fewest > 1 || corpus.columns() > 1 || corpus.sources() != 2 ||
      config.text_unit != TextReading::line)
    return "";
  const LineFile &first = *corpus.source(0).files[0], &second = *corpus.source(1).files[0];
  if (first.lines() != second.lines()) return "";
  return fmt::format("{} and {} are read as two texts; with text_pairs, their lines belong together",
                     first.path(), second.path());
}

std::vector<std::string> corpus_paths(const TrainConfig& config) {
  std::vector<std::string> paths;
  for (const auto& sets : {config.train_sets, config.valid_sets})
    for (const std::string& path : sets) {
      const auto directions = read_directions(config.languages);
      const auto of_stem = directions.empty() ? files_of_stem(path, config.languages)
                                              : some_files_of_stem(path, languages_of(directions));
      if (of_stem.empty())
        paths.push_back(path);
      else
        paths.insert(paths.end(), of_stem.begin(), of_stem.end());
    }
  return paths;
}

Corpus training_corpus(const TrainConfig& config, const Task& task) {
  const auto sources = corpus_sources("train_sets", config.train_sets, reading_of(config),
                                      config.train_weights, task.columns(), config.text_pairs);
  return open_corpus("train_sets", sources, task, config.replace_invalid_utf8);
}

std::vector<Corpus> validation_corpora(const TrainConfig& config, const Task& task) {
  std::vector<Corpus> corpora;
  for (const CorpusSource& source : corpus_sources("valid_sets", config.valid_sets, reading_of(config), {},
                                                   task.columns(), config.text_pairs))
    corpora.push_back(open_corpus("valid_sets", {source}, task, config.replace_invalid_utf8));
  return corpora;
}

}  // namespace attune
