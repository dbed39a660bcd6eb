// source </s>  ->  target </s>
#include "models/task.h"

namespace attune {
namespace {

class Translate final : public Task {
 public:
  std::string_view does() const override { return "translates"; }
  std::string_view verb() const override { return "translate"; }
  TaskColumns columns() const override { return {2, 2}; }
  TargetVocabulary target_vocabulary() const override { return TargetVocabulary::second; }
  std::vector<std::string> default_metrics() const override { return {"bleu", "chrf", "perplexity"}; }
  bool writes_text() const override { return true; }
  bool translates() const override { return true; }

  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    return {encoded_to_end(*vocabularies.source, line.columns[0]),
            encoded_to_end(*vocabularies.target, line.columns[1])};
  }
  Batch batch(const Vocabularies& vocabularies, const Examples& examples) const override {
    const Ragged target = side(examples, 1);
    return {.source = read_side(examples, 0, *vocabularies.source),
            .given = shifted(target, vocabularies.target->bos()),
            .segments = {},
            .expected = target.ids};
  }

  TokenIds source(const Vocabularies& vocabularies, const std::string& text) const override {
    return encoded_to_end(*vocabularies.source, text);
  }

  // An empty target is only </s>.
  LineToScore to_score(const Vocabularies& vocabularies, const CorpusLine& line,
                       bool answers) const override {
    LineToScore result = Task::to_score(vocabularies, line, answers);
    if (result.tokens.empty()) result.tokens = result.sides.back() = {vocabularies.target->eos()};
    return result;
  }
};

}  // namespace

const Task& translate_task() {
  static const Translate task;
  return task;
}

}  // namespace attune
