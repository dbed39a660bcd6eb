// The parts that Marian's networks share: embeddings and the output.
#pragma once

#include <map>
#include <string>

#include "convert/convert.h"
#include "convert/marian/options.h"
#include "convert/marian/tensors.h"
#include "convert/marian/vocabulary.h"

namespace attune::marian {

using Weights = std::map<std::string, Tensor, std::less<>>;

// Which tables are the same one.
struct Tying {
  bool embeddings, output;
  std::string source, target;  // Marian's names of the tables
};
Tying tying_of(const Options& options);

// "source.weight", "target.weight", "output.weight" (those that are not tied) and "output.bias". `output` is
// Marian's name of the output layer.
void add_words(Tensors& tensors, const Options& options, const MarianVocabularies& words,
               const std::string& output, Weights& to);

// attune's configuration and weights of a network; everything in `tensors` has been taken.
ImportedModel read_transformer(Tensors& tensors, const Options& options, const MarianVocabularies& words);
ImportedModel read_recurrent(Tensors& tensors, const Options& options, const MarianVocabularies& words);

}  // namespace attune::marian
