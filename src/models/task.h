// Task: what a model is for. It knows how a line of text becomes an example and examples a batch, what a line
// is asked to be scored, how an answer is read off, and what people call it. Nobody else needs to know which
// task it is. Each is a class in models/tasks/, and a model's configuration names it (ModelConfig::task).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"
#include "text/corpus/example.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

// Columns that a line should have, with that of the answer.
struct TaskColumns {
  size_t fewest, most;
  std::string text() const;  // "2", "1 or 2"
};

// Which words a model answers with: those that it reads, those of a second vocabulary (or the same, as the
// configuration has it), or labels.
enum class TargetVocabulary : uint8_t { source, second, labels };

// A line whose answer is known: as models read it, and the tokens that they are asked about.
struct LineToScore {
  std::vector<TokenIds> sides;
  TokenIds tokens;
  size_t given = 0;  // so many tokens of the last side come before those
};

class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() = default;

  // ---- What it is.
  virtual std::string_view does() const = 0;  // "translates", for messages
  virtual std::string_view verb() const = 0;  // that uses such models: "translate"
  virtual TaskColumns columns() const = 0;
  virtual TargetVocabulary target_vocabulary() const = 0;
  virtual std::span<const std::string> symbols() const { return {}; }  // that a vocabulary must have
  virtual std::vector<std::string> default_metrics() const = 0;        // of validation
  bool answers_with_labels() const { return target_vocabulary() == TargetVocabulary::labels; }

  virtual bool writes_text() const { return false; }     // token by token: its models are Writers
  virtual bool translates() const { return false; }      // a text of one language to a text of another
  virtual bool continues_text() const { return false; }  // the source is a prompt, and need not be there
  virtual bool labels_each_token() const { return false; }

  // ---- Training. A UsageError if a vocabulary lacks what the task needs.
  virtual void check(const Vocabularies& /*vocabularies*/) const {}
  // The sides of an example; see MakeExample.
  virtual std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const = 0;
  // Of examples with all their sides; or without the last one, of which nothing is expected then.
  virtual Batch batch(const Vocabularies& vocabularies, const Examples& examples) const = 0;

  // ---- Reading a text whose answer is not known.
  // The tokens of a text to write from, with </s> if such texts end in it.
  virtual TokenIds source(const Vocabularies& vocabularies, const std::string& text) const;
  // The sides of an example but the last. Blank texts have no tokens.
  virtual std::vector<TokenIds> question(const Vocabularies& vocabularies,
                                         std::span<const std::string> texts) const;
  // Shortens a question to so many tokens, if it can be; returns how many were cut off.
  virtual int64_t cut(std::vector<TokenIds>& /*question*/, int64_t /*longest*/) const { return 0; }
  // Which rows of a text's features answer, counted from its first; `read` is the question's first side.
  virtual std::vector<int64_t> answer_rows(const Vocabularies& vocabularies, const TokenIds& read) const;
  // What the likeliest word of each of these rows makes of the text.
  virtual std::string answer_text(const Vocabularies& vocabularies, const TokenIds& read,
                                  const TokenIds& answers) const;

  // ---- Scoring. A UsageError with the line's number for what models cannot be asked about. `answers`, of a
  // model that continues text: a prompt is answered; if not, it is the beginning of the text.
  virtual LineToScore to_score(const Vocabularies& vocabularies, const CorpusLine& line, bool answers) const;
  // How many examples it takes to ask about all tokens of a line; each asks about as many as the others.
  virtual size_t scored_examples(const LineToScore& line) const { return line.tokens.empty() ? 0 : 1; }
  virtual std::vector<TokenIds> scored_example(const Vocabularies& vocabularies, const LineToScore& line,
                                               size_t number) const;
  // Tokens that a model has to take at once.
  virtual int64_t length(const std::vector<TokenIds>& sides) const;
};

// translate:  source </s>  ->  target </s>
// write:      text </s>; or with two columns prompt <s> answer </s>, where the answer counts
// tag:        tokens  ->  as many tags
// fill:       [CLS] text [SEP] (text [SEP])  with tokens masked
// classify:   [CLS] text [SEP] (text [SEP])  ->  class, in the last column
const Task& translate_task();
const Task& write_task();
const Task& tag_task();
const Task& fill_task();
const Task& classify_task();

// ---- For tasks.
// That side of all examples.
Ragged side(const Examples& examples, size_t number);
// The ids of an expected side; none if the examples are without it.
Tensor expected_side(const Examples& examples, size_t number);
// <s> and the tokens before each expected one: teacher forcing.
Ragged shifted(const Ragged& expected, int32_t bos);
// With </s>, but nothing of an empty text.
TokenIds encoded_to_end(const Vocabulary& vocabulary, const std::string& text);
[[noreturn]] void refuse_line(int64_t number, std::string_view what);

}  // namespace attune
