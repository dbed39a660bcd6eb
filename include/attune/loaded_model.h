// LoadedModel: a model folder ready for use, for programs that embed attune.
//
//   const attune::LoadedModel model("runs/en-de");
//   std::string german = model.translate("Good morning.");
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attune/model_output.h"
#include "attune/seen_attention.h"

namespace attune {

class ModelFolder;

// All functions throw a UsageError if something is wrong with a folder, an option or a text, or if the model
// is of another kind; and GivenUp if the caller's Patience (attune/patience.h) ends. Copies share one model,
// which any number of threads may use at the same time. Outputs do not depend on what else is asked.
class LoadedModel {
 public:
  // The folder of a model, or of a training run (its best model).
  explicit LoadedModel(const std::filesystem::path& folder);
  // An ensemble of models over the same vocabularies, averaged by the weights, which are equal if none are
  // given.
  explicit LoadedModel(std::span<const std::string> folders, std::span<const double> weights = {});

  std::filesystem::path path() const;  // of the model itself, even if a run was named
  std::string type() const;            // "transformer"

  // A multilingual model, made to translate into one of its languages; it needs one for all that follows.
  LoadedModel towards(const std::string& language) const;
  std::vector<std::string> target_languages() const;  // empty: it has no choice

  std::string translate(const std::string& sentence, const DecodingOptions& options = {}) const;
  // In order, with all threads.
  std::vector<std::string> translate(std::span<const std::string> sentences,
                                     const DecodingOptions& options = {}) const;
  // With all details, best first.
  std::vector<std::vector<ModelOutput>> outputs(std::span<const std::string> sentences,
                                                const DecodingOptions& options = {}) const;
  // Greedy search, delivered while it is written; `show` returns whether to continue.
  void stream(const std::string& sentence, const std::function<bool(const std::string&)>& show) const;
  // The tokens that a model that writes reads for a sentence.
  std::vector<std::string> source_tokens(const std::string& sentence) const;

  // Texts of a language model that continue a prompt and begin with it; or that answer it, if the model was
  // trained on pairs.
  std::vector<ModelOutput> generate(const std::string& prompt, const GenerationOptions& options = {}) const;
  // One text, by sampling or greedy search. `show` gets new text while it is written and returns whether to
  // continue.
  ModelOutput generate(const std::string& prompt, const GenerationOptions& options,
                       const std::function<bool(const std::string&)>& show) const;

  // The probabilities of given texts. Each row has the columns of a line of training data: a source and a
  // target; a text, perhaps preceded by a prompt; a text and its class or its tags.
  std::vector<TextScore> score(std::span<const std::vector<std::string>> rows) const;

  // The class of each text, or the tags of its tokens, with the `top` likeliest. A row has one text, or two
  // if the model was trained on pairs.
  std::vector<TextLabels> classify(std::span<const std::vector<std::string>> rows, int64_t top = 1) const;
  // Candidates for each [MASK] of a text, likeliest first, while the other masks stay masked.
  std::vector<std::vector<FillCandidate>> fill(const std::string& text, int64_t top = 5) const;
  // The part of the passage that answers the question.
  TextAnswer answer(const std::string& question, const std::string& passage) const;
  // Numbers for samples of numbers, each named as on a line of training data.
  std::vector<NumberRows> predict(std::span<const std::string> samples) const;

  // The vectors of the tokens of each text after a layer of the encoder or of a language model; layers count
  // from 0, or from the end: -1, -2, ..
  std::vector<EmbeddedText> embed(std::span<const std::string> texts, int64_t layer = -1) const;

  // All attention of the model while it writes the output of its search, or the target. A target is for
  // models that write.
  SeenAttention attend(const std::string& source, const std::optional<std::string>& target = {},
                       const DecodingOptions& options = {}) const;

 private:
  explicit LoadedModel(std::shared_ptr<const ModelFolder> folder);

  std::shared_ptr<const ModelFolder> folder_;
};

}  // namespace attune
