// tokens  ->  as many tags
#include <iterator>

#include "models/tasks/tagging.h"

namespace attune {
namespace {

class Tag final : public TaggingTask {
 public:
  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    TokenIds tokens = vocabularies.source->encode(line.columns[0]);
    TokenIds tags = read_tags(*vocabularies.target, line, tokens.size(), "tokens",
                              "; a tagger needs one tag per token, and therefore a vocabulary of words "
                              "(vocab_kind: word) or characters");
    return {std::move(tokens), std::move(tags)};
  }
  Batch batch(const Vocabularies& /*vocabularies*/, const Examples& examples) const override {
    return {.source = empty_sentences(std::ssize(examples)),
            .given = side(examples, 0),
            .segments = {},
            .expected = expected_side(examples, 1)};
  }
};

}  // namespace

const Task& tag_task() {
  static const Tag task;
  return task;
}

}  // namespace attune
