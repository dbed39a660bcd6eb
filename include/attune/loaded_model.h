// LoadedModel: a model folder in use, for programs that embed attune.
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

// How outputs are found. What is not set is as the folder says.
struct DecodingOptions {
  std::optional<int64_t> beam_size = {};   // 1 is greedy search
  std::optional<double> normalize = {};    // scores are divided by length^normalize
  std::optional<int64_t> max_length = {};  // tokens of an output; of generate(), those behind the prompt
  std::optional<bool> sampling = {};       // words are drawn instead of searched for
  std::optional<double> temperature = {};
  std::optional<int64_t> top_k = {};
  std::optional<double> top_p = {};
  std::optional<int64_t> seed = {};
  int64_t n_best = 1;      // outputs of a text; of beam search at most beam_size
  bool alignment = false;  // tell what each token looked at
};

struct ModelOutput {
  std::string text = {};
  double score = 0, normalised = 0;      // the log probability; what outputs are compared by
  bool ended = true;                     // if not, it was cut: at the maximum length, or at a stop text
  std::vector<std::string> tokens = {};  // without </s>
  std::vector<double> word_scores = {};  // log p of each token, and of </s> if it ended
  std::vector<std::vector<float>> alignment = {};  // for each of word_scores the weights of source_tokens()
};

struct GenerationOptions {
  DecodingOptions decoding = {};
  std::vector<std::string> stops = {};  // an output ends before such a text
};

struct TextScore {
  double log_p = 0;                      // the sum of
  std::vector<double> word_scores = {};  // log p of each of the
  std::vector<std::string> tokens = {};
};

// A UsageError of any function says what is wrong with a folder, an option or a text, or that the model is of
// another kind. Copies share one model, which any number of threads may use at the same time.
class LoadedModel {
 public:
  // The folder of a model, or of a training run (its best model).
  explicit LoadedModel(const std::filesystem::path& folder);
  // An ensemble of models over the same vocabularies, averaged by the weights; without any, they count alike.
  explicit LoadedModel(std::span<const std::string> folders, std::span<const double> weights = {});

  std::filesystem::path path() const;  // of the model itself, also if a run was named
  std::string type() const;            // "transformer"

  std::string translate(const std::string& sentence, const DecodingOptions& options = {}) const;
  // In order; sentences of like length are searched together, which changes no output.
  std::vector<std::string> translate(std::span<const std::string> sentences,
                                     const DecodingOptions& options = {}) const;
  // With all that is known of them, best first.
  std::vector<std::vector<ModelOutput>> outputs(std::span<const std::string> sentences,
                                                const DecodingOptions& options = {}) const;
  // As a model that writes reads a sentence.
  std::vector<std::string> source_tokens(const std::string& sentence) const;

  // Texts of a language model that go on from a prompt and begin with it; or answer it, if the model learned
  // from pairs.
  std::vector<ModelOutput> generate(const std::string& prompt, const GenerationOptions& options = {}) const;
  // One, by sampling or greedy search. `show` gets its new text while it is written and says whether to go
  // on.
  ModelOutput generate(const std::string& prompt, const GenerationOptions& options,
                       const std::function<bool(const std::string&)>& show) const;

  // How likely the model finds texts. Each row is what a line of its training data is: a source and a target;
  // a text, perhaps with a prompt before it; a text and its class or its tags.
  std::vector<TextScore> score(std::span<const std::vector<std::string>> rows) const;

  // All that the model looked at, as `attune attend --format json` tells it, while it wrote what its search
  // finds, or the target. A target is for models that write.
  std::string attention_json(const std::string& source, const std::optional<std::string>& target = {},
                             const DecodingOptions& options = {}) const;

 private:
  std::shared_ptr<const ModelFolder> folder_;
};

}  // namespace attune
