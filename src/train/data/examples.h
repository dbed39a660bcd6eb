// How lines of the training corpus become examples, and how many examples make a batch.
#pragma once

#include "models/model_config.h"
#include "models/task.h"
#include "text/corpus/batches.h"
#include "train/data/guidance.h"
#include "train/data/line_vocabularies.h"
#include "train/train_config.h"

namespace attune {

// Makes a task's examples, with links if there is guidance. The result refers to the task and the guidance.
MakeExample make_examples(const Task& task, LineVocabularies vocabularies, const Guidance* guidance);

// What an epoch is made of: examples of lines, or of blocks of continuous text, which is tokenised now. The
// result refers to the arguments.
std::shared_ptr<const ExampleSource> training_examples(const TrainConfig& config, const ModelConfig& model,
                                                       const Corpus& corpus, const Vocabularies& vocabularies,
                                                       const Guidance* guidance);

// The most tokens that a side of an example may have.
int64_t longest_side(const TrainConfig& config, const ModelConfig& model);

BatchOptions batch_options(const TrainConfig& config, const ModelConfig& model);

}  // namespace attune
