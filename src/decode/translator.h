// Translator: raw text in, raw text out, through models that write.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/search/search.h"
#include "decode/search/shortlist.h"
#include "decode/search/spelling.h"
#include "models/task.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

// What becomes of <unk>: it is written, never chosen, or replaced by the source token that it looks at most.
enum class UnknownWords : uint8_t { write, suppress, copy };

struct TranslatorSetup {
  const Task& task = translate_task();
  Vocabularies vocabularies;
  int64_t longest = 0;  // sentence of the model, in tokens; 0: any
  int64_t mini_batch_words = 2000;
  UnknownWords unknown = UnknownWords::write;       // copy needs search.alignment
  std::shared_ptr<const Shortlist> shortlist = {};  // none: all words may be written
  SearchOptions search;
};

struct TranslatorInput {
  std::string text, prefix = {};  // and what its output has to begin with
  uint64_t number = 0;            // which random numbers it takes
};

class Translator {
 public:
  Translator(Ensemble models, TranslatorSetup setup);

  const Vocabularies& vocabularies() const { return setup_.vocabularies; }

  // The tokens that a model reads for a text.
  std::vector<int32_t> tokens(const std::string& text) const;

  // Whether an output can be longer than the prefix.
  bool has_room(const TranslatorInput& input) const;

  // The n best outputs for each text, in order. A text without tokens gives an empty one; one that is longer
  // than the models can read is an Error.
  std::vector<std::vector<Hypothesis>> search(std::span<const TranslatorInput> inputs) const;

  // The outputs of one input and how they were found; so many candidates are kept a step. A text without
  // tokens is for models that just write.
  std::vector<Hypothesis> search(const TranslatorInput& input, int64_t candidates, SearchTrace& trace) const;

  // The best output of each.
  std::vector<std::string> translate(std::span<const std::string> texts) const;

  // Of an output for that input.
  std::string text(const Hypothesis& hypothesis, const TranslatorInput& input) const;
  std::vector<std::string> pieces(const Hypothesis& hypothesis) const;

 private:
  void add_sentence(const TranslatorInput& input, const std::vector<int32_t>& source,
                    SearchInput& batch) const;
  SearchWords search_words() const;
  std::string decoded(const Hypothesis& hypothesis, const std::string& source, size_t forced) const;

  Ensemble models_;
  TranslatorSetup setup_;
  PieceTexts pieces_;
};

}  // namespace attune
