// words, or rows of numbers  ->  as many tags; `_` stands for a tag that is not known
#include <iterator>

#include "config/rules.h"
#include "models/tasks/tagging.h"
#include "text/word_links.h"

namespace attune {
namespace {

class Label final : public TaggingTask {
 public:
  void check(const Vocabularies& vocabularies) const override {
    require(!vocabularies.source->several(), "source", "a model that {} reads one source", does());
  }

  // The sides: tokens, 1 for each that a word begins with (for each row of numbers), tags of these.
  std::vector<TokenIds> question(const Vocabularies& vocabularies,
                                 std::span<const std::string> texts) const override {
    const Vocabulary& vocabulary = *vocabularies.source;
    TokenIds tokens = vocabulary.encode(texts[0]), begins(tokens.size(), 1);
    if (vocabulary.vectors() == nullptr) {
      const std::vector<int32_t> words = words_of_tokens(vocabulary, texts[0]);
      for (size_t i = 0; i < words.size(); ++i)
        begins[i] = words[i] >= 0 && (i == 0 || words[i] != words[i - 1]) ? 1 : 0;
    }
    return {std::move(tokens), std::move(begins)};
  }

  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    std::vector<TokenIds> sides = question(vocabularies, line.columns);
    const std::vector<int64_t> rows = answer_rows(vocabularies, sides);
    const TokenIds tags = read_tags(*vocabularies.target, line, rows.size(),
                                    vocabularies.source->vectors() == nullptr ? "words" : "rows of numbers");
    TokenIds expected(sides[0].size(), kIgnore);
    for (size_t i = 0; i < rows.size(); ++i) expected[static_cast<size_t>(rows[i])] = tags[i];
    sides.push_back(std::move(expected));
    return sides;
  }

  Batch batch(const Vocabularies& vocabularies, const Examples& examples) const override {
    return {.source = read_side(examples, 0, *vocabularies.source),
            .given = {},
            .segments = {},
            .expected = expected_side(examples, 2)};
  }

  std::vector<int64_t> answer_rows(const Vocabularies& /*vocabularies*/,
                                   const std::vector<TokenIds>& question) const override {
    std::vector<int64_t> rows;
    for (size_t i = 0; i < question[1].size(); ++i)
      if (question[1][i] == 1) rows.push_back(static_cast<int64_t>(i));
    return rows;
  }

  LineToScore to_score(const Vocabularies& vocabularies, const CorpusLine& line,
                       bool answers) const override {
    LineToScore result = Task::to_score(vocabularies, line, answers);
    std::erase(result.tokens, kIgnore);
    return result;
  }

  int64_t cut(std::vector<TokenIds>& question, int64_t longest) const override {
    const int64_t more = std::ssize(question[0]) - longest;
    if (more <= 0) return 0;
    for (TokenIds& side : question) side.resize(static_cast<size_t>(longest));
    return more;
  }
};

}  // namespace

const Task& label_task() {
  static const Label task;
  return task;
}

}  // namespace attune
