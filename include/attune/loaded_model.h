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

namespace attune {

class ModelFolder;

// How outputs are found. Options that are not set come from the folder.
struct DecodingOptions {
  std::optional<int64_t> beam_size = {};   // 1 is greedy search
  std::optional<double> normalize = {};    // scores are divided by length^normalize
  std::optional<int64_t> max_length = {};  // most tokens of an output; for generate(), those after the prompt
  std::optional<bool> sampling = {};       // draw words instead of searching for the best
  std::optional<double> temperature = {};
  std::optional<int64_t> top_k = {};
  std::optional<double> top_p = {};
  std::optional<int64_t> seed = {};
  int64_t n_best = 1;      // outputs for each text; at most beam_size for beam search
  bool alignment = false;  // return the attention of each token
};

struct ModelOutput {
  std::string text = {};
  double score = 0, normalised = 0;      // the log probability; the score for comparisons
  bool ended = true;                     // otherwise it was cut: at the maximum length, or at a stop text
  std::vector<std::string> tokens = {};  // without </s>
  std::vector<double> word_scores = {};  // log p of each token, and of </s> if it ended
  std::vector<std::vector<float>> alignment = {};  // for each of word_scores, the weights of source_tokens()
};

struct GenerationOptions {
  DecodingOptions decoding = {};
  std::vector<std::string> stops = {};  // an output ends before such a text
};

struct TextScore {
  double log_p = 0;                      // the sum of word_scores
  std::vector<double> word_scores = {};  // log p of each token
  std::vector<std::string> tokens = {};
};

// All functions throw a UsageError if something is wrong with a folder, an option or a text, or if the model
// is of another kind. Copies share one model, which any number of threads may use at the same time.
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
  // In order; sentences of similar length are searched together, which does not change any output.
  std::vector<std::string> translate(std::span<const std::string> sentences,
                                     const DecodingOptions& options = {}) const;
  // With all details, best first.
  std::vector<std::vector<ModelOutput>> outputs(std::span<const std::string> sentences,
                                                const DecodingOptions& options = {}) const;
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

  // All attention of the model, as in `attune attend --format json`, while it writes the output of its
  // search, or the target. A target is for models that write.
  std::string attention_json(const std::string& source, const std::optional<std::string>& target = {},
                             const DecodingOptions& options = {}) const;

 private:
  explicit LoadedModel(std::shared_ptr<const ModelFolder> folder);

  std::shared_ptr<const ModelFolder> folder_;
};

}  // namespace attune
