// The vocabularies of a run: taken from a pretrained model, loaded from files, or made from the training
// files.
#pragma once

#include <functional>
#include <optional>

#include "models/task.h"
#include "ranks/ranks.h"
#include "text/corpus/text_lines.h"
#include "text/vocabulary/vocabularies.h"
#include "text/vocabulary/vocabulary_trainer.h"
#include "train/train_config.h"

namespace attune {

using Say = std::function<void(const std::string&)>;

struct VocabularyPlan {
  std::shared_ptr<const Vocabulary> given;    // from the pretrained model; if null:
  std::string path;                           // of its file, whether or not it exists yet
  std::vector<size_t> columns;                // the columns of the training files that it serves
  VocabularyOptions options;                  // for making it
  bool labels = false;                        // tags or classes
  std::optional<VectorReading> vectors = {};  // its tokens are rows of numbers, read like this
  bool anew = false;                          // make it even if the file exists
  std::vector<VocabularyPlan> parts = {};     // of several sources; their columns are those of the first

  bool exists() const;  // no need to make it
};

// One if source and target share it, otherwise one per side: `vocabs` of the configuration, or files in the
// run's folder.
std::vector<VocabularyPlan> plan_vocabularies(const TrainConfig& config, const Task& task, size_t columns);

// Given, loaded, or made from the text of all columns. Nothing is written.
std::shared_ptr<const Vocabulary> make_vocabulary(const VocabularyPlan& plan,
                                                  const std::vector<TextLines>& columns);

// All of them. Nothing is written.
Vocabularies run_vocabularies(const std::vector<VocabularyPlan>& plans, const std::vector<TextLines>& columns,
                              const Say& say);

// Sends rank 0's vocabularies to all ranks.
Vocabularies shared(const Vocabularies& own, Ranks& ranks);

// Writes those that were newly made.
void save_vocabularies(const std::vector<VocabularyPlan>& plans, const Vocabularies& vocabularies);

}  // namespace attune
