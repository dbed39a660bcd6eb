// Generator: texts that continue a prompt, delivered while they are written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decode/text_model.h"
#include "decode/text_stream.h"

namespace attune {

struct GeneratorOptions {
  SearchOptions search = {};            // max_length counts new words and </s>; attention options are ignored
  std::vector<std::string> stops = {};  // an output ends before any of these
  // Whether a prompt is read as a source and answered; otherwise it is the beginning of the text. Not set: as
  // the model was trained.
  std::optional<bool> answers = {};
};

struct Generated {
  std::string text;       // including the prompt if it is the beginning
  Hypothesis hypothesis;  // words and scores, including those of the prompt and of a stop text
  bool stopped = false;   // at a stop text
};

class Generator {
 public:
  // A UsageError if the model does not write text, or an option makes no sense.
  Generator(std::shared_ptr<const TextModel> model, GeneratorOptions options);

  bool answers() const { return options_.answers.value_or(model_->answers()); }

  // One output, by sampling or greedy search. `number` selects its random numbers. A prompt that leaves the
  // models no room is a UsageError.
  Generated stream(const std::string& prompt, uint64_t number, const ShowText& show) const;

  // The n best outputs of beam search.
  std::vector<Generated> best(const std::string& prompt) const;

  std::vector<std::string> pieces(const Generated& output) const;

 private:
  // A prompt as the models' input.
  struct Start {
    SearchInput input;
    SearchOptions search;  // max_length adjusted to this prompt
  };
  Start start(const std::string& prompt) const;
  std::string beginning(const std::string& prompt) const { return answers() ? "" : prompt; }
  const Vocabulary& vocabulary() const { return *model_->vocabularies().target; }
  SearchWords words() const;

  std::shared_ptr<const TextModel> model_;
  GeneratorOptions options_;
};

}  // namespace attune
