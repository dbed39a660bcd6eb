// TextModel: a model, or several that work as one, with all that is known of it: its task, its vocabularies,
// how much it can read. All that puts text through a model (Translator, Generator, AttentionProbe, ..) shares
// it, so what follows from it is worked out once.
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
  std::string name = {}, type = {};  // for people
  Vocabularies vocabularies;
  int64_t longest = 0;  // text that it can read, in tokens; 0: any
  // A model that continues text reads a source as a prompt and answers it: prompt <s> answer. If not, a
  // prompt is the beginning of what it writes: <s> prompt ..
  bool answers = true;
};

class TextModel {
 public:
  // The models live as long as this. Their weights are made to sum to 1.
  TextModel(std::vector<WeightedModel> models, ModelFacts facts);
  // One model that is not (yet) in a folder.
  TextModel(const Model& model, const ModelConfig& config, const Vocabularies& vocabularies, bool answers);

  const std::string& name() const { return facts_.name; }
  const std::string& type() const { return facts_.type; }
  const Task& task() const { return facts_.task; }
  const Vocabularies& vocabularies() const { return facts_.vocabularies; }
  int64_t longest() const { return facts_.longest; }
  bool answers() const { return facts_.answers; }
  // It writes, and what it is given is the beginning of its text.
  bool continues() const { return task().continues_text() && !answers(); }

  const std::vector<WeightedModel>& models() const { return models_; }

  bool writes() const { return writing_.has_value(); }
  // The models as such that write text; a UsageError that says what to use if they do not.
  const Ensemble& writers() const { return writing().writers; }
  // What the tokens spell that they write.
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
