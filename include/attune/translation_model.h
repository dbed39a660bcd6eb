// TranslationModel: a model folder that translates, for programs that embed attune.
//
//   const attune::TranslationModel model("runs/en-de");
//   std::string german = model.translate("Good morning.");
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune {

// What is not set is as the folder says.
struct TranslationOptions {
  std::optional<int64_t> beam_size = {};  // 1 is greedy search
  std::optional<double> normalize = {};   // scores are divided by length^normalize
  std::optional<int64_t> max_length = {};
  int64_t n_best = 1;      // outputs of a sentence, at most beam_size
  bool alignment = false;  // tell what each token looked at
};

struct Translation {
  std::string text = {};
  double score = 0, normalised = 0;                // the log probability; what outputs are compared by
  bool ended = true;                               // if not, it was cut at the maximum length
  std::vector<std::string> tokens = {};            // without </s>
  std::vector<double> word_scores = {};            // log p of each token, and of </s> if it ended
  std::vector<std::vector<float>> alignment = {};  // for each of word_scores the weights of source_tokens()
};

// Any number of threads may use one model at the same time.
class TranslationModel {
 public:
  // The folder of a model, or of a training run (its best model). A UsageError that says what is wrong with
  // it, or with an option.
  explicit TranslationModel(const std::filesystem::path& folder, const TranslationOptions& options = {});
  TranslationModel(TranslationModel&&) noexcept;
  TranslationModel& operator=(TranslationModel&&) noexcept;
  ~TranslationModel();

  std::string translate(const std::string& sentence) const;
  // In order; sentences of like length are searched together, which changes no output. An Error for a
  // sentence that is longer than the model can read.
  std::vector<std::string> translate(std::span<const std::string> sentences) const;
  // With all that is known of them, best first.
  std::vector<std::vector<Translation>> outputs(std::span<const std::string> sentences) const;

  // As the model reads a sentence.
  std::vector<std::string> source_tokens(const std::string& sentence) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace attune
