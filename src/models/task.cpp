#include "models/task.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "models/masking.h"

namespace attune {
namespace {

TokenIds encoded(const Vocabulary& vocabulary, const std::string& text) {
  TokenIds ids = vocabulary.encode(text);
  if (!ids.empty()) ids.push_back(vocabulary.eos());
  return ids;
}

// <s> and the tokens before each expected one.
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

class Translate final : public Task {
 public:
  explicit Translate(Vocabularies vocabularies) : vocabularies_(std::move(vocabularies)) {}

  std::vector<TokenIds> example(const CorpusLine& line) const override {
    return {encoded(*vocabularies_.source, line.columns[0]), encoded(*vocabularies_.target, line.columns[1])};
  }
  Batch batch(const Examples& examples) const override {
    return {.source = side(examples, 0),
            .given = shifted(side(examples, 1), vocabularies_.target->bos()),
            .segments = {},
            .expected = side(examples, 1).ids};
  }

 private:
  Vocabularies vocabularies_;
};

class Write final : public Task {
 public:
  explicit Write(const Vocabularies& vocabularies) : vocabulary_(vocabularies.target) {}

  std::vector<TokenIds> example(const CorpusLine& line) const override {
    std::vector<TokenIds> sides;
    if (line.columns.size() == 2) sides.push_back(vocabulary_->encode(line.columns[0]));
    sides.push_back(encoded(*vocabulary_, line.columns.back()));
    return sides;
  }
  Batch batch(const Examples& examples) const override {
    const size_t last = examples[0].sides.size() - 1;
    const Ragged written = side(examples, last);
    return {.source = last == 1 ? side(examples, 0) : empty_sentences(written.rows.count()),
            .given = shifted(written, vocabulary_->bos()),
            .segments = {},
            .expected = written.ids};
  }

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

class Tag final : public Task {
 public:
  explicit Tag(Vocabularies vocabularies) : vocabularies_(std::move(vocabularies)) {}

  std::vector<TokenIds> example(const CorpusLine& line) const override {
    TokenIds tokens = vocabularies_.source->encode(line.columns[0]),
             tags = vocabularies_.target->encode(line.columns[1]);
    if (tokens.size() != tags.size())
      throw UsageError(
          fmt::format("line {}: there are {} tokens but {} tags; a tagger needs one tag a token, and "
                      "so a vocabulary of words (vocab_kind: word) or characters",
                      line.number + 1, tokens.size(), tags.size()));
    return {std::move(tokens), std::move(tags)};
  }
  Batch batch(const Examples& examples) const override {
    return {.source = empty_sentences(std::ssize(examples)),
            .given = side(examples, 0),
            .segments = {},
            .expected = side(examples, 1).ids};
  }

 private:
  Vocabularies vocabularies_;
};

class Fill final : public Task {
 public:
  explicit Fill(const Vocabularies& vocabularies)
      : vocabulary_(vocabularies.source),
        masking_{.mask = vocabulary_->required("[MASK]"),
                 .first_word = vocabulary_->required("[MASK]") + 1,
                 .words = vocabulary_->size()} {}

  std::vector<TokenIds> example(const CorpusLine& line) const override {
    JoinedTexts text = joined_texts(*vocabulary_, line.columns);
    Masked masked = mask_tokens(text.ids, masking_, line.random);
    return {std::move(masked.ids), std::move(text.segments), std::move(masked.expected)};
  }
  Batch batch(const Examples& examples) const override {
    return {.source = side(examples, 0),
            .given = {},
            .segments = side(examples, 1).ids,
            .expected = side(examples, 2).ids};
  }

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  MaskOptions masking_;
};

class Classify final : public Task {
 public:
  explicit Classify(Vocabularies vocabularies) : vocabularies_(std::move(vocabularies)) {}

  std::vector<TokenIds> example(const CorpusLine& line) const override {
    JoinedTexts text = joined_texts(*vocabularies_.source, line.columns.first(line.columns.size() - 1));
    TokenIds label = vocabularies_.target->encode(line.columns.back());
    if (label.size() != 1)
      throw UsageError(fmt::format("line {}: a class is one word, but '{}' was given", line.number + 1,
                                   line.columns.back()));
    return {std::move(text.ids), std::move(text.segments), std::move(label)};
  }
  Batch batch(const Examples& examples) const override {
    return {.source = side(examples, 0),
            .given = {},
            .segments = side(examples, 1).ids,
            .expected = side(examples, 2).ids};
  }

 private:
  Vocabularies vocabularies_;
};

}  // namespace

JoinedTexts joined_texts(const Vocabulary& vocabulary, std::span<const std::string> texts) {
  const int32_t cls = vocabulary.required("[CLS]"), sep = vocabulary.required("[SEP]");
  JoinedTexts result{{cls}, {0}};
  for (size_t i = 0; i < texts.size(); ++i) {
    const TokenIds ids = vocabulary.encode(texts[i]);
    if (ids.empty()) return {};
    result.ids.insert(result.ids.end(), ids.begin(), ids.end());
    result.ids.push_back(sep);
    result.segments.resize(result.ids.size(), static_cast<int32_t>(i));
  }
  return result;
}

Ragged side(const Examples& examples, size_t number) {
  std::vector<TokenIds> sentences;
  for (const Example& example : examples) sentences.push_back(example.sides[number]);
  return ragged(sentences);
}

std::unique_ptr<Task> make_task(TaskKind kind, const Vocabularies& vocabularies) {
  switch (kind) {
    case TaskKind::translate: return std::make_unique<Translate>(vocabularies);
    case TaskKind::write: return std::make_unique<Write>(vocabularies);
    case TaskKind::tag: return std::make_unique<Tag>(vocabularies);
    case TaskKind::fill: return std::make_unique<Fill>(vocabularies);
    case TaskKind::classify: return std::make_unique<Classify>(vocabularies);
  }
  return nullptr;
}

std::string TaskColumns::text() const {
  return fewest == most ? std::to_string(most) : fmt::format("{} or {}", fewest, most);
}

TaskColumns task_columns(TaskKind kind) {
  switch (kind) {
    case TaskKind::write:
    case TaskKind::fill: return {1, 2};
    case TaskKind::classify: return {2, 3};
    case TaskKind::translate:
    case TaskKind::tag: break;
  }
  return {2, 2};
}

std::span<const std::string> task_symbols(TaskKind kind) {
  static const std::vector<std::string> reading{"[CLS]", "[SEP]", "[MASK]"}, none;
  return kind == TaskKind::fill || kind == TaskKind::classify ? reading : none;
}

}  // namespace attune
