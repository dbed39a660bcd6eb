// Generator: texts that go on from a prompt, handed over while they are written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decode/search/search.h"
#include "decode/search/spelling.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

struct GeneratorSetup {
  std::shared_ptr<const Vocabulary> vocabulary;
  bool answers = false;  // the prompt is read as a source and answered; if not, it is the text's beginning
  SearchOptions search;  // max_length counts new words with </s>; attention is not looked at
  std::vector<std::string> stops = {};  // texts before which an output ends
};

struct Generated {
  std::string text;       // with the prompt if it is the beginning
  Hypothesis hypothesis;  // words and scores, also those of the prompt and of a stop text
  bool stopped = false;   // at a stop text
};

class Generator {
 public:
  Generator(Ensemble models, GeneratorSetup setup);

  // Gets the new text part by part; says whether to go on.
  using Show = std::function<bool(const std::string&)>;

  // One output, by sampling or greedy search. `number` says which random numbers it takes. A prompt that
  // leaves the models no room is a UsageError.
  Generated stream(const std::string& prompt, uint64_t number, const Show& show) const;

  // The n best outputs of beam search.
  std::vector<Generated> best(const std::string& prompt) const;

  std::vector<std::string> pieces(const Generated& output) const;

 private:
  // A prompt as the models take it.
  struct Start {
    std::vector<int32_t> source;
    Beginning beginning;
    std::vector<int32_t> choices;
    SearchOptions search;  // with max_length of this prompt
    int64_t longest;
  };
  Start start(const std::string& prompt) const;
  std::string beginning(const std::string& prompt) const { return setup_.answers ? "" : prompt; }
  SearchWords words() const;

  Ensemble models_;
  GeneratorSetup setup_;
  PieceTexts pieces_;
};

}  // namespace attune
