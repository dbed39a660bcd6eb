// What training is fed: the lines of a corpus as batches, with the noise that the configuration asks for.
#pragma once

#include "models/task.h"
#include "text/corpus/corpus.h"
#include "train/learner.h"

namespace attune {

// The corpora that a list of files stands for: so many columns each, or tab-separated files.
std::vector<CorpusSource> corpus_sources(std::string_view key, const std::vector<std::string>& files,
                                         bool tsv, const std::vector<std::string>& weights,
                                         TaskColumns columns);

Corpus training_corpus(const TrainConfig& config, TaskKind task);
Corpus validation_corpus(const TrainConfig& config, TaskKind task);

// Tokens that a side may have.
int64_t longest_side(const TrainConfig& config, const ModelConfig& model);
BatchOptions training_batches(const TrainConfig& config, const ModelConfig& model);

// Adds the gradient of a batch, with words dropped and sampled as configured. `number` is that of its random
// numbers: the batches of a run are counted. `last`: of an update, on this rank.
void feed(Learner& learner, const TokenBatch& tokens, const Task& task, const Vocabularies& vocabularies,
          const TrainConfig& config, int64_t number, bool last = true);

}  // namespace attune
