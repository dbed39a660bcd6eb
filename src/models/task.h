// Task: what a model is for. It knows how to make an example from a line of text and a batch from examples,
// how to score a line, how to read an answer, and what to call it in messages. Nothing else depends on which
// task it is. Each is a class in models/tasks/, and a model's configuration names it (ModelConfig::task).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/model.h"
#include "text/corpus/example.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

// The number of columns of a line, including the answer.
struct TaskColumns {
  size_t fewest, most;
  std::string text() const;  // "2", "1 or 2"
};

// The words that a model answers with: those that it reads, those of a second vocabulary (which may be the
// same), or labels; or numbers.
enum class TargetVocabulary : uint8_t { source, second, labels, numbers };

// A line whose answer is known: as models read it, and the tokens to be scored.
struct LineToScore {
  std::vector<TokenIds> sides;
  TokenIds tokens;
  size_t given = 0;  // this many tokens of the last side precede them
};

class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() = default;

  // ---- Description.
  virtual std::string_view does() const = 0;  // "translates", for messages
  virtual std::string_view verb() const = 0;  // the command for such models: "translate"
  virtual TaskColumns columns() const = 0;
  virtual TargetVocabulary target_vocabulary() const = 0;
  virtual std::span<const std::string> symbols() const { return {}; }  // that a vocabulary must have
  virtual std::vector<std::string> default_metrics() const = 0;        // of validation
  bool answers_with_labels() const { return target_vocabulary() == TargetVocabulary::labels; }
  bool answers_with_numbers() const { return target_vocabulary() == TargetVocabulary::numbers; }

  virtual bool writes_text() const { return false; }     // token by token: its models are Writers
  virtual bool translates() const { return false; }      // from one language to another
  virtual bool continues_text() const { return false; }  // the source is an optional prompt
  virtual bool labels_each_token() const { return false; }
  virtual bool answers_with_span() const { return false; }  // of the last text that it reads

  // ---- Training. A UsageError if a vocabulary lacks what the task needs.
  virtual void check(const Vocabularies& /*vocabularies*/) const {}
  // The sides of an example; see MakeExample.
  virtual std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const = 0;
  // Continuous text, as a TokenStream has it: the token that ends a document (none: the task does not read
  // such text), how many of an example's `longest` tokens are a block's, and the example of a block.
  virtual std::optional<int32_t> document_end(const Vocabularies& /*vocabularies*/) const { return {}; }
  virtual int64_t block_length(int64_t longest) const { return longest; }
  virtual std::vector<TokenIds> block_example(const Vocabularies& /*vocabularies*/, TokenIds block,
                                              const Random& /*random*/) const {
    return {std::move(block)};
  }
  // Examples may have all their sides, or lack the last one; then no answers are expected.
  virtual Batch batch(const Vocabularies& vocabularies, const Examples& examples) const = 0;

  // ---- Reading a text whose answer is not known.
  // The tokens of a text to write from, with </s> if such texts end in it.
  virtual TokenIds source(const Vocabularies& vocabularies, const std::string& text) const;
  // The sides of an example except the last. Blank texts have no tokens.
  virtual std::vector<TokenIds> question(const Vocabularies& vocabularies,
                                         std::span<const std::string> texts) const;
  // Shortens a question to this many tokens, if possible; returns how many were cut off.
  virtual int64_t cut(std::vector<TokenIds>& /*question*/, int64_t /*longest*/) const { return 0; }
  // The rows of a text's features that answer, counted from its first.
  virtual std::vector<int64_t> answer_rows(const Vocabularies& vocabularies,
                                           const std::vector<TokenIds>& question) const;
  virtual int64_t features(const std::vector<TokenIds>& question) const;  // how many rows it has of them
  // The text that results from the likeliest word of each of these rows.
  virtual std::string answer_text(const Vocabularies& vocabularies, const TokenIds& read,
                                  const TokenIds& answers) const;

  // ---- Scoring. A line that models cannot score is a UsageError with its number. `answers`, for a model
  // that continues text: a prompt is answered; otherwise it is the beginning of the text.
  virtual LineToScore to_score(const Vocabularies& vocabularies, const CorpusLine& line, bool answers) const;
  // How many examples are needed to score all tokens of a line, the same number in each.
  virtual size_t scored_examples(const LineToScore& line) const { return line.tokens.empty() ? 0 : 1; }
  virtual std::vector<TokenIds> scored_example(const Vocabularies& vocabularies, const LineToScore& line,
                                               size_t number) const;
  // The number of tokens that a model has to take at once.
  virtual int64_t length(const std::vector<TokenIds>& sides) const;
};

// translate:  source </s>  ->  target </s>
// write:      text </s>; or with two columns prompt <s> answer </s>, where the answer counts
// tag:        tokens  ->  as many tags
// label:      words, or rows of numbers  ->  as many tags, of which `_` is none
// predict:    rows of numbers  ->  as many rows of numbers
// fill:       [CLS] text [SEP] (text [SEP])  with tokens masked
// classify:   [CLS] text [SEP] (text [SEP])  ->  class, in the last column
// answer:     [CLS] question [SEP] passage [SEP]  ->  a part of the passage, in the last column
const Task& translate_task();
const Task& write_task();
const Task& tag_task();
const Task& label_task();
const Task& predict_task(ErrorKind error);
const Task& fill_task();
const Task& classify_task();
const Task& answer_task();

// ---- For tasks.
// That side of all examples; and as a model reads it.
std::vector<TokenIds> sentences(const Examples& examples, size_t number);
Ragged side(const Examples& examples, size_t number);
Ragged read_side(const Examples& examples, size_t number, const Vocabulary& vocabulary);
// The ids of an expected side; empty if the examples lack it.
Tensor expected_side(const Examples& examples, size_t number);
// <s> and the tokens before each expected one: teacher forcing.
Ragged shifted(const Ragged& expected, int32_t bos);
// With </s> if tokens are words, but nothing for an empty text.
TokenIds encoded_to_end(const Vocabulary& vocabulary, const std::string& text);
// The tags between blanks, one for each of `count` words; kIgnore for `_`, which stands for a tag that is not
// known. `what` they belong to: "tokens". Another number of them is a UsageError.
TokenIds read_tags(const Vocabulary& tags, const CorpusLine& line, size_t count, std::string_view what,
                   std::string_view hint = "");
constexpr std::string_view kTagNotKnown = "_";
[[noreturn]] void refuse_line(int64_t number, std::string_view what);

}  // namespace attune
