// [CLS] question [SEP] passage [SEP]  ->  the part of the passage that answers, in the last column
#include "models/tasks/joined_texts.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "config/rules.h"

namespace attune {
namespace {

// Where an answer stands: the first place where it covers whole tokens ("Dach" is not in "Dachs"), otherwise
// the first at all.
size_t place_of(const std::string& passage, const std::string& answer, std::span<const size_t> begins) {
  const auto parted = [&](size_t byte) {
    return byte == 0 || byte == passage.size() || passage[byte - 1] == ' ' || passage[byte] == ' ' ||
           std::ranges::binary_search(begins, byte);
  };
  const size_t first = answer.empty() ? std::string::npos : passage.find(answer);
  for (size_t at = first; at != std::string::npos; at = passage.find(answer, at + 1))
    if (parted(at) && parted(at + answer.size())) return at;
  return first;
}

// The tokens of the passage that an answer covers; empty if it is not there.
TokenIds span_of(const Vocabulary& vocabulary, const std::string& passage, const std::string& answer) {
  const std::vector<size_t> begins = vocabulary.begins(passage);
  const size_t at = place_of(passage, answer, begins);
  if (at == std::string::npos) return {};
  // The first token that ends after the answer begins: the one before the first that begins after that.
  const auto token = [&](size_t byte) {
    return static_cast<int32_t>(std::ranges::upper_bound(begins, byte) - begins.begin()) - 1;
  };
  const int32_t first = std::max(0, token(at)), last = std::max(first, token(at + answer.size() - 1));
  return {first, last};
}

class Answer final : public JoinedTextsTask {
 public:
  void check(const Vocabularies& vocabularies) const override {
    require(!vocabularies.source->several(), "source", "a model that {} reads one source", does());
  }

  std::string_view does() const override { return "answers questions"; }
  std::string_view verb() const override { return "answer"; }
  TaskColumns columns() const override { return {3, 3}; }
  TargetVocabulary target_vocabulary() const override { return TargetVocabulary::source; }
  std::vector<std::string> default_metrics() const override { return {"accuracy", "loss"}; }
  bool answers_with_span() const override { return true; }

  // The sides: tokens, segments, and the first and last token of the answer.
  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    std::vector<TokenIds> sides = question(vocabularies, line.columns.first(2));
    TokenIds span = span_of(*vocabularies.source, line.columns[1], line.columns[2]);
    if (span.empty()) refuse_line(line.number, "the answer is not a part of the passage");
    const auto passage = static_cast<int32_t>(std::ranges::find(sides[1], 1) - sides[1].begin());
    for (int32_t& token : span) token += passage;
    sides.push_back(std::move(span));
    return sides;
  }

  Batch batch(const Vocabularies& vocabularies, const Examples& examples) const override {
    Batch batch{.source = read_side(examples, 0, *vocabularies.source),
                .given = {},
                .segments = side(examples, 1).ids,
                .expected = {}};
    if (examples[0].sides.size() < 3) return batch;
    const Rows& rows = batch.source.rows;
    batch.span_first = Tensor::zeros({rows.total()});
    batch.span_last = Tensor::zeros({rows.total()});
    for (size_t i = 0; i < examples.size(); ++i) {
      const int64_t begin = rows.begin(static_cast<int64_t>(i));
      batch.span_first.data<float>()[begin + examples[i].sides[2][0]] = 1;
      batch.span_last.data<float>()[begin + examples[i].sides[2][1]] = 1;
    }
    return batch;
  }
};

}  // namespace

const Task& answer_task() {
  static const Answer task;
  return task;
}

}  // namespace attune
