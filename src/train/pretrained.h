// Making a model one's own: a run starts from another model. Its network and its vocabulary stay what they
// are; its weights are trained further, all of them or some, or get adapters.
#pragma once

#include <string>
#include <vector>

#include "attune/parameters.h"
#include "models/model_files.h"
#include "train/train_config.h"

namespace attune {

// The entries of a run over those of its pretrained model. A UsageError for a key that means another network.
// Dropout and task may differ.
Entries over_pretrained(const ModelFiles& pretrained, const Entries& run);

// Sets the keys of the vocabulary to what it is; a UsageError if they were given and say otherwise.
void take_vocabularies(const ModelFiles& pretrained, RunConfig& config);

// The model as it is trained further: with its adapter merged. A UsageError if it is quantised.
ModelFiles load_pretrained(const std::string& folder);

LowRank low_rank_of(const TrainConfig& config);

// Which parameters stay as they are, as a source of constants for Parameters.
ParameterSource frozen_weights(const ModelFiles& pretrained, const TrainConfig& config);

// A UsageError for a pattern of `freeze` or `lora_places` that no parameter matches, and if nothing is left
// to be trained.
void check_patterns(const TrainConfig& config, const Parameters& parameters);

// Copies the weights that both models have: a classifier takes all of a masked language model except its
// head. A different shape is a UsageError.
struct Taken {
  std::string text;    // what is new, what was not used, and what stays as it is, in a sentence
  bool whole = false;  // nothing but adapters is new: the model can do already what it is trained for
};
Taken take_pretrained(const ModelFiles& pretrained, const Parameters& parameters);

}  // namespace attune
