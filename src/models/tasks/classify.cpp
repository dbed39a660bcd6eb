// [CLS] text [SEP] (text [SEP])  ->  class, in the last column
#include <fmt/core.h>

#include "models/tasks/joined_texts.h"

namespace attune {
namespace {

class Classify final : public JoinedTextsTask {
 public:
  std::string_view does() const override { return "classifies texts"; }
  std::string_view verb() const override { return "classify"; }
  TaskColumns columns() const override { return {2, 3}; }
  TargetVocabulary target_vocabulary() const override { return TargetVocabulary::labels; }
  std::vector<std::string> default_metrics() const override { return {"accuracy", "loss"}; }

  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    std::vector<TokenIds> sides = question(vocabularies, line.columns.first(line.columns.size() - 1));
    TokenIds label = vocabularies.target->encode(line.columns.back());
    if (label.size() != 1)
      refuse_line(line.number, fmt::format("a class must be one word, not '{}'", line.columns.back()));
    sides.push_back(std::move(label));
    return sides;
  }

  // The model answers a text with one row.
  std::vector<int64_t> answer_rows(const Vocabularies& /*vocabularies*/,
                                   const std::vector<TokenIds>& /*question*/) const override {
    return {0};
  }
  int64_t features(const std::vector<TokenIds>& /*question*/) const override { return 1; }

  LineToScore to_score(const Vocabularies& vocabularies, const CorpusLine& line,
                       bool answers) const override {
    LineToScore result = Task::to_score(vocabularies, line, answers);
    if (result.tokens[0] == vocabularies.target->unk())
      refuse_line(line.number, fmt::format("the model has no class '{}'", line.columns.back()));
    return result;
  }
};

}  // namespace

const Task& classify_task() {
  static const Classify task;
  return task;
}

}  // namespace attune
