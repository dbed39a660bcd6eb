// Generator: texts that go on from a prompt, handed over while they are written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decode/text_model.h"
#include "decode/text_stream.h"

namespace attune {

struct GeneratorOptions {
  SearchOptions search = {};            // max_length counts new words with </s>; attention is not looked at
  std::vector<std::string> stops = {};  // texts before which an output ends
  // A prompt is read as a source and answered; if not, it is the text's beginning. Not set: as the model
  // learned.
  std::optional<bool> answers = {};
};

struct Generated {
  std::string text;       // with the prompt if it is the beginning
  Hypothesis hypothesis;  // words and scores, also those of the prompt and of a stop text
  bool stopped = false;   // at a stop text
};

class Generator {
 public:
  // A UsageError if the model does not write, or an option makes no sense.
  Generator(std::shared_ptr<const TextModel> model, GeneratorOptions options);

  bool answers() const { return options_.answers.value_or(model_->answers()); }

  // One output, by sampling or greedy search. `number` says which random numbers it takes. A prompt that
  // leaves the models no room is a UsageError.
  Generated stream(const std::string& prompt, uint64_t number, const ShowText& show) const;

  // The n best outputs of beam search.
  std::vector<Generated> best(const std::string& prompt) const;

  std::vector<std::string> pieces(const Generated& output) const;

 private:
  // A prompt as the models take it.
  struct Start {
    SearchInput input;
    SearchOptions search;  // with max_length of this prompt
  };
  Start start(const std::string& prompt) const;
  std::string beginning(const std::string& prompt) const { return answers() ? "" : prompt; }
  const Vocabulary& vocabulary() const { return *model_->vocabularies().target; }
  SearchWords words() const;

  std::shared_ptr<const TextModel> model_;
  GeneratorOptions options_;
};

}  // namespace attune
