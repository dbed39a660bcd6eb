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
// `like` says how they are read.
std::vector<CorpusSource> corpus_sources(std::string_view key, const std::vector<std::string>& files,
                                         const CorpusSource& like, const std::vector<std::string>& weights,
                                         TaskColumns columns);

// How the configuration says that files are to be read.
CorpusSource reading_of(const TrainConfig& config);

// Those of training and validation that the configuration names.
std::vector<std::string> corpus_paths(const TrainConfig& config);

Corpus training_corpus(const TrainConfig& config, const Task& task);
Corpus validation_corpus(const TrainConfig& config, const Task& task);

}  // namespace attune
