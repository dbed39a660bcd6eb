// Translator: raw text in, raw text out, through models that write.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/text_model.h"
#include "decode/text_stream.h"
#include "decode/word_choice/shortlist.h"

namespace attune {

struct TranslatorOptions {
  SearchOptions search = {};
  int64_t mini_batch_words = 2000;                  // tokens read together
  std::shared_ptr<const Shortlist> shortlist = {};  // null: all words may be written
};

struct TranslatorInput {
  std::string text, prefix = {};     // prefix: what the output has to begin with
  uint64_t number = 0;               // selects its random numbers
  std::vector<int32_t> tokens = {};  // of the text, if known; then `text` is not needed
};

class Translator {
 public:
  // A UsageError if the model does not write text, or an option makes no sense.
  Translator(std::shared_ptr<const TextModel> model, TranslatorOptions options);

  const TextModel& model() const { return *model_; }
  const Vocabularies& vocabularies() const { return model_->vocabularies(); }

  // The tokens that a model reads for a text.
  std::vector<int32_t> tokens(const std::string& text) const;
  std::vector<int32_t> tokens(const TranslatorInput& input) const {
    return input.tokens.empty() ? tokens(input.text) : input.tokens;
  }

  // Whether an output can be longer than the prefix.
  bool has_room(const TranslatorInput& input) const;

  // The n best outputs for each text, in order. A text without tokens gives an empty one; one that is longer
  // than the models can read is an Error.
  std::vector<std::vector<Hypothesis>> search(std::span<const TranslatorInput> inputs) const;

  // The outputs for one input and how they were found, with this many candidates kept for each step. A text
  // without tokens is for models that need no source.
  std::vector<Hypothesis> search(const TranslatorInput& input, int64_t candidates, SearchTrace& trace) const;

  // The likeliest words for an input, always by greedy search. Empty if it has no tokens or leaves the model
  // no room.
  void stream(const TranslatorInput& input, const ShowText& show) const;

  // The best output for each.
  std::vector<std::string> translate(std::span<const std::string> texts) const;

  // Of an output for that input.
  std::string text(const Hypothesis& hypothesis, const TranslatorInput& input) const;
  std::vector<std::string> pieces(const Hypothesis& hypothesis) const;
  std::vector<std::string> source_pieces(const TranslatorInput& input) const;

 private:
  void add_sentence(const TranslatorInput& input, const std::vector<int32_t>& source,
                    SearchInput& batch) const;
  SearchInput alone(const TranslatorInput& input, const std::vector<int32_t>& source) const;
  SearchWords search_words() const;
  std::string decoded(const Hypothesis& hypothesis, const std::string& source, size_t forced) const;

  std::shared_ptr<const TextModel> model_;
  TranslatorOptions options_;
};

}  // namespace attune
