// TextModel: a model, or several that act as one, with everything that is known about it: its task, its
// vocabularies, how much it can read. Translator, Generator, AttentionProbe and others share it, so its
// properties are computed once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/answers.h"
#include "decode/search/ensemble.h"
#include "decode/word_choice/spelling.h"
#include "models/model_config.h"
#include "models/task.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

struct ModelFacts {
  const Task& task;
  std::string name = {}, type = {};  // for messages
  Vocabularies vocabularies;
  int64_t longest = 0;  // the most tokens that it can read; 0: any number
  // A model that continues text either reads a source as a prompt and answers it: prompt <s> answer. Or a
  // prompt is the beginning of its text: <s> prompt ..
  bool answers = true;
};

class TextModel {
 public:
  // The models must outlive this. Their weights are normalised to sum to 1.
  TextModel(std::vector<WeightedModel> models, ModelFacts facts);
  // One model that is not (yet) in a folder.
  TextModel(const Model& model, const ModelConfig& config, const Vocabularies& vocabularies, bool answers);

  const std::string& name() const { return facts_.name; }
  const std::string& type() const { return facts_.type; }
  const Task& task() const { return facts_.task; }
  const Vocabularies& vocabularies() const { return facts_.vocabularies; }
  int64_t longest() const { return facts_.longest; }
  bool answers() const { return facts_.answers; }
  // It writes, and its input is the beginning of its text.
  bool continues() const { return task().continues_text() && !answers(); }

  const std::vector<WeightedModel>& models() const { return models_; }

  bool writes() const { return writing_.has_value(); }
  // The models as writers of text; a UsageError that says what to use instead if they do not write.
  const Ensemble& writers() const { return writing().writers; }
  // The texts of the tokens that they write.
  const PieceTexts& pieces() const { return writing().pieces; }

 private:
  struct Writing {
    Ensemble writers;
    PieceTexts pieces;
  };
  const Writing& writing() const;

  std::vector<WeightedModel> models_;
  ModelFacts facts_;
  std::optional<Writing> writing_;
};

}  // namespace attune
