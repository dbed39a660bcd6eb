// text </s>; or with two columns prompt <s> answer </s>, where the answer counts
#include <iterator>
#include <utility>

#include "models/task.h"

namespace attune {
namespace {

class Write final : public Task {
 public:
  std::string_view does() const override { return "continues text"; }
  std::string_view verb() const override { return "generate"; }
  TaskColumns columns() const override { return {1, 2}; }
  TargetVocabulary target_vocabulary() const override { return TargetVocabulary::source; }
  std::vector<std::string> default_metrics() const override { return {"perplexity", "accuracy"}; }
  bool writes_text() const override { return true; }
  bool continues_text() const override { return true; }

  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    std::vector<TokenIds> sides;
    if (line.columns.size() == 2) sides.push_back(vocabularies.target->encode(line.columns[0]));
    sides.push_back(encoded_to_end(*vocabularies.target, line.columns.back()));
    return sides;
  }
  std::optional<int32_t> document_end(const Vocabularies& vocabularies) const override {
    return vocabularies.target->eos();
  }
  Batch batch(const Vocabularies& vocabularies, const Examples& examples) const override {
    const size_t last = examples[0].sides.size() - 1;
    const Ragged written = side(examples, last);
    return {.source = last == 1 ? side(examples, 0) : empty_sentences(written.rows.count()),
            .given = shifted(written, vocabularies.target->bos()),
            .segments = {},
            .expected = written.ids};
  }

  // An empty text is only </s>. A prompt that is not answered precedes the text: <s> prompt text </s>.
  LineToScore to_score(const Vocabularies& vocabularies, const CorpusLine& line,
                       bool answers) const override {
    LineToScore result = Task::to_score(vocabularies, line, answers);
    if (result.sides.size() == 1) result.sides.insert(result.sides.begin(), TokenIds{});  // no prompt
    TokenIds& text = result.sides[1];
    if (text.empty()) result.tokens = text = {vocabularies.target->eos()};
    if (!answers) {
      const TokenIds prompt = std::exchange(result.sides[0], {});
      text.insert(text.begin(), prompt.begin(), prompt.end());
      result.given = prompt.size();
    }
    return result;
  }

  // The text follows the prompt.
  int64_t length(const std::vector<TokenIds>& sides) const override {
    int64_t sum = 0;
    for (const TokenIds& side : sides) sum += std::ssize(side);
    return sum;
  }
};

}  // namespace

const Task& write_task() {
  static const Write task;
  return task;
}

}  // namespace attune
