#include "models/task.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "attune/error.h"
#include "models/read_tokens.h"
#include "text/word_links.h"

namespace attune {

std::string TaskColumns::text() const {
  return fewest == most ? std::to_string(most) : fmt::format("{} or {}", fewest, most);
}

TokenIds Task::source(const Vocabularies& vocabularies, const std::string& text) const {
  return vocabularies.source->encode(text);
}

std::vector<TokenIds> Task::question(const Vocabularies& vocabularies,
                                     std::span<const std::string> texts) const {
  return {source(vocabularies, texts[0])};
}

std::vector<int64_t> Task::answer_rows(const Vocabularies& /*vocabularies*/,
                                       const std::vector<TokenIds>& question) const {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < std::ssize(question[0]); ++i) rows.push_back(i);
  return rows;
}

int64_t Task::features(const std::vector<TokenIds>& question) const { return std::ssize(question[0]); }

std::string Task::answer_text(const Vocabularies& vocabularies, const TokenIds& /*read*/,
                              const TokenIds& answers) const {
  return vocabularies.target->decode(answers);
}

LineToScore Task::to_score(const Vocabularies& vocabularies, const CorpusLine& line, bool /*answers*/) const {
  LineToScore result{.sides = example(vocabularies, line), .tokens = {}};
  result.tokens = result.sides.back();
  return result;
}

std::vector<TokenIds> Task::scored_example(const Vocabularies& /*vocabularies*/, const LineToScore& line,
                                           size_t /*number*/) const {
  return line.sides;
}

int64_t Task::length(const std::vector<TokenIds>& sides) const {
  int64_t longest = 0;
  for (const TokenIds& side : sides) longest = std::max<int64_t>(longest, std::ssize(side));
  return longest;
}

std::vector<TokenIds> sentences(const Examples& examples, size_t number) {
  std::vector<TokenIds> all;
  for (const Example& example : examples) all.push_back(example.sides[number]);
  return all;
}

Ragged side(const Examples& examples, size_t number) { return ragged(sentences(examples, number)); }

Ragged read_side(const Examples& examples, size_t number, const Vocabulary& vocabulary) {
  return read_tokens(vocabulary, sentences(examples, number));
}

Tensor expected_side(const Examples& examples, size_t number) {
  return examples[0].sides.size() > number ? side(examples, number).ids : Tensor();
}

Ragged shifted(const Ragged& expected, int32_t bos) {
  Ragged given{expected.ids.clone(), expected.rows};
  const auto ids = given.ids.span<int32_t>();
  for (int64_t s = 0; s < given.rows.count(); ++s) {
    const auto sentence =
        ids.subspan(static_cast<size_t>(given.rows.begin(s)), static_cast<size_t>(given.rows.length(s)));
    std::shift_right(sentence.begin(), sentence.end(), 1);
    sentence[0] = bos;
  }
  return given;
}

TokenIds encoded_to_end(const Vocabulary& vocabulary, const std::string& text) {
  TokenIds ids = vocabulary.encode(text);
  if (!ids.empty() && vocabulary.eos() >= 0) ids.push_back(vocabulary.eos());
  return ids;
}

TokenIds read_tags(const Vocabulary& tags, const CorpusLine& line, size_t count, std::string_view what,
                   std::string_view hint) {
  const std::vector<std::string_view> words = blank_separated(line.columns.back());
  if (words.size() != count)
    refuse_line(line.number, fmt::format("there are {} {} but {} tags{}", count, what, words.size(), hint));
  TokenIds ids;
  for (const std::string_view word : words)
    ids.push_back(word == kTagNotKnown ? kIgnore : tags.id(word).value_or(tags.unk()));
  return ids;
}

void refuse_line(int64_t number, std::string_view what) {
  throw UsageError(fmt::format("line {}: {}", number + 1, what));
}

}  // namespace attune
