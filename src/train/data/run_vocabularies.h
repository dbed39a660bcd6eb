// The vocabularies of a run: a pretrained model's, or loaded where they exist, or made from the training
// files.
#pragma once

#include <functional>

#include "models/task.h"
#include "ranks/ranks.h"
#include "text/corpus/text_lines.h"
#include "text/vocabulary/vocabularies.h"
#include "text/vocabulary/vocabulary_trainer.h"
#include "train/train_config.h"

namespace attune {

using Say = std::function<void(const std::string&)>;

struct VocabularyPlan {
  std::shared_ptr<const Vocabulary> given;  // by the pretrained model; if not:
  std::string path;                         // of the file that holds it, or will
  std::vector<size_t> columns;              // of the training files: what it is for
  VocabularyOptions options;                // to make it with
  bool labels = false;                      // tags or classes
  bool anew = false;                        // even if there is such a file

  bool exists() const;  // so that it need not be made
};

// One, if source and target share it, or one a side: `vocabs` of the configuration, or files in the run's
// folder.
std::vector<VocabularyPlan> plan_vocabularies(const TrainConfig& config, const Task& task, size_t columns);

// Given, loaded, or made of the text of all columns. Nothing is written.
std::shared_ptr<const Vocabulary> make_vocabulary(const VocabularyPlan& plan,
                                                  const std::vector<TextLines>& columns);

// All of them. Nothing is written.
Vocabularies run_vocabularies(const std::vector<VocabularyPlan>& plans, const std::vector<TextLines>& columns,
                              const Say& say);

// What rank 0 has, for all ranks.
Vocabularies shared(const Vocabularies& own, Ranks& ranks);

// Writes those that were made.
void save_vocabularies(const std::vector<VocabularyPlan>& plans, const Vocabularies& vocabularies);

}  // namespace attune
