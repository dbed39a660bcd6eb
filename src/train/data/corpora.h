// The corpora of a run: the files that the configuration names, with as many columns as the model reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/task.h"
#include "text/corpus/corpus.h"
#include "train/train_config.h"

namespace attune {

// The corpora that a list of files describes: files of one column each, or files that hold all columns.
// `like` says how they are read. Of a task that reads one or two columns, text files have one each, unless
// they are `pairs`.
std::vector<CorpusSource> corpus_sources(std::string_view key, const std::vector<std::string>& files,
                                         const CorpusSource& like, const std::vector<std::string>& weights,
                                         TaskColumns columns, bool pairs);

// What to say if two files look like prompts and answers but are read as two texts; empty: they do not.
std::string pairs_hint(const TrainConfig& config, const Corpus& corpus, const Task& task);

// How the configuration says that files are to be read.
CorpusSource reading_of(const TrainConfig& config);

// Those of training and validation that the configuration names.
std::vector<std::string> corpus_paths(const TrainConfig& config);

Corpus training_corpus(const TrainConfig& config, const Task& task);
// Each by itself.
std::vector<Corpus> validation_corpora(const TrainConfig& config, const Task& task);

}  // namespace attune
