// [CLS] text [SEP] (text [SEP])  with tokens masked
#include <algorithm>
#include <iterator>
#include <utility>

#include "models/tasks/joined_texts.h"
#include "models/tasks/masking.h"

namespace attune {
namespace {

int32_t mask_of(const Vocabularies& vocabularies) { return vocabularies.source->required("[MASK]"); }

// In a vocabulary, special symbols and <unk> come before the mask.
bool is_word(int32_t token, int32_t mask) { return token > mask; }

class Fill final : public JoinedTextsTask {
 public:
  std::string_view does() const override { return "fills in masked words"; }
  std::string_view verb() const override { return "fill"; }
  TaskColumns columns() const override { return {1, 2}; }
  TargetVocabulary target_vocabulary() const override { return TargetVocabulary::source; }
  std::vector<std::string> default_metrics() const override { return {"perplexity", "accuracy"}; }
  void check(const Vocabularies& vocabularies) const override { mask_of(vocabularies); }

  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    return masked_example(vocabularies, question(vocabularies, line.columns), line.random);
  }

  // [CLS] block [SEP], where [SEP] also ends documents.
  std::optional<int32_t> document_end(const Vocabularies& vocabularies) const override {
    return vocabularies.source->required("[SEP]");
  }
  int64_t block_length(int64_t longest) const override { return std::max<int64_t>(longest - 2, 1); }
  std::vector<TokenIds> block_example(const Vocabularies& vocabularies, TokenIds block,
                                      const Random& random) const override {
    const Vocabulary& words = *vocabularies.source;
    block.insert(block.begin(), words.required("[CLS]"));
    if (const int32_t end = words.required("[SEP]"); block.back() != end) block.push_back(end);
    TokenIds segments(block.size());
    return masked_example(vocabularies, {std::move(block), std::move(segments)}, random);
  }

  std::vector<int64_t> answer_rows(const Vocabularies& vocabularies,
                                   const std::vector<TokenIds>& question) const override {
    const int32_t mask = mask_of(vocabularies);
    std::vector<int64_t> rows;
    for (size_t i = 0; i < question[0].size(); ++i)
      if (question[0][i] == mask) rows.push_back(static_cast<int64_t>(i));
    return rows;
  }

  // The text between [CLS] and [SEP] with its masks filled.
  std::string answer_text(const Vocabularies& vocabularies, const TokenIds& read,
                          const TokenIds& answers) const override {
    const int32_t mask = mask_of(vocabularies);
    TokenIds filled(read.begin() + 1, read.end() - 1);
    auto answer = answers.begin();
    for (int32_t& token : filled)
      if (token == mask) token = *answer++;
    return vocabularies.source->decode(filled);
  }

  // Each word is scored while only it is masked (Salazar et al. 2020: the pseudo log likelihood).
  LineToScore to_score(const Vocabularies& vocabularies, const CorpusLine& line,
                       bool /*answers*/) const override {
    LineToScore result{.sides = question(vocabularies, line.columns), .tokens = {}};
    const int32_t mask = mask_of(vocabularies);
    std::ranges::copy_if(result.sides[0], std::back_inserter(result.tokens),
                         [&](int32_t token) { return is_word(token, mask); });
    return result;
  }
  size_t scored_examples(const LineToScore& line) const override { return line.tokens.size(); }
  std::vector<TokenIds> scored_example(const Vocabularies& vocabularies, const LineToScore& line,
                                       size_t number) const override {
    const int32_t mask = mask_of(vocabularies);
    TokenIds ids = line.sides[0], expected(ids.size(), kIgnore);
    size_t at = 0;
    for (size_t words = 0;; ++at)
      if (is_word(ids[at], mask) && words++ == number) break;
    expected[at] = std::exchange(ids[at], mask);
    return {std::move(ids), line.sides[1], std::move(expected)};
  }

 private:
  // Of tokens and segments.
  static std::vector<TokenIds> masked_example(const Vocabularies& vocabularies, std::vector<TokenIds> sides,
                                              const Random& random) {
    const int32_t mask = mask_of(vocabularies);
    Masked masked = mask_tokens(
        sides[0], {.mask = mask, .first_word = mask + 1, .words = vocabularies.source->size()}, random);
    return {std::move(masked.ids), std::move(sides[1]), std::move(masked.expected)};
  }
};

}  // namespace

const Task& fill_task() {
  static const Fill task;
  return task;
}

}  // namespace attune
