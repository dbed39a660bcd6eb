#include "models/tasks/joined_texts.h"

#include <iterator>

#include "text/vocabulary/several_sources.h"

namespace attune {

std::span<const std::string> JoinedTextsTask::symbols() const {
  static const std::vector<std::string> all{"[CLS]", "[SEP]", "[MASK]"};
  return all;
}

Batch JoinedTextsTask::batch(const Vocabularies& vocabularies, const Examples& examples) const {
  return {.source = read_side(examples, 0, *vocabularies.source),
          .given = {},
          .segments = side(examples, 1).ids,
          .expected = expected_side(examples, 2)};
}

std::vector<TokenIds> JoinedTextsTask::question(const Vocabularies& vocabularies,
                                                std::span<const std::string> texts) const {
  const Vocabulary& words = *vocabularies.source;
  if (words.vectors() != nullptr || words.several()) {
    TokenIds rows = words.encode(joined_sources(texts));
    TokenIds segments(rows.size(), 0);
    return {std::move(rows), std::move(segments)};
  }
  const int32_t cls = words.required("[CLS]"), sep = words.required("[SEP]");
  TokenIds tokens{cls}, segments{0};
  for (size_t i = 0; i < texts.size(); ++i) {
    const TokenIds ids = words.encode(texts[i]);
    if (ids.empty()) return {{}, {}};
    tokens.insert(tokens.end(), ids.begin(), ids.end());
    tokens.push_back(sep);
    segments.resize(tokens.size(), static_cast<int32_t>(i));
  }
  return {std::move(tokens), std::move(segments)};
}

int64_t JoinedTextsTask::cut(std::vector<TokenIds>& question, int64_t longest) const {
  const int64_t more = std::ssize(question[0]) - longest;
  if (more <= 0) return 0;
  const int32_t end = question[0].back();  // [SEP]
  for (TokenIds& side : question) side.resize(static_cast<size_t>(longest));
  question[0].back() = end;
  return more;
}

}  // namespace attune
