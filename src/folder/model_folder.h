// ModelFolder: a model folder ready for use; or several as an ensemble. It makes translators, scorers and
// everything else that puts text through a model. What they need from the folder is computed once and shared.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "decode/answer_finder.h"
#include "decode/classifier.h"
#include "decode/filler.h"
#include "decode/generator.h"
#include "decode/predictor.h"
#include "decode/scorer.h"
#include "decode/translator.h"
#include "look/attention_probe.h"
#include "models/model_files.h"
#include "nn/attention/edits.h"
#include "tensor/precision.h"

namespace attune {

// Copies share one model. Any number of threads may use them at the same time.
class ModelFolder {
 public:
  // The folder of a model, or of a training run (its best model). A UsageError says what is wrong with it.
  explicit ModelFolder(const std::filesystem::path& path, WeightsIn weights = WeightsIn::file);
  // An ensemble of models over the same vocabularies, for the same task. Their probabilities are averaged by
  // the weights, which are equal if none are given.
  explicit ModelFolder(std::span<const std::string> paths, std::span<const double> weights = {});

  // Products with f32 weights from now on; to be called before the models are used.
  void multiply_in(Precision precision);

  std::span<const ModelFiles> all_files() const;              // one per folder
  const ModelFiles& files() const { return all_files()[0]; }  // defaults come from the first
  const std::filesystem::path& path() const { return files().path; }
  const TextModel& model() const;
  const Task& task() const { return model().task(); }
  const Vocabularies& vocabularies() const { return model().vocabularies(); }
  int64_t longest() const { return model().longest(); }  // the most tokens that it can read; 0: any number

  // The languages into which it translates: those that it was trained for, or those of tokens such as >>fr<<
  // in its vocabulary. Empty: it has no choice.
  std::vector<std::string> target_languages() const;
  // The same models, made to translate into that language; a UsageError if they cannot. Empty: as they are. A
  // model that was trained for several needs one; nothing below works before.
  ModelFolder towards(const std::string& language) const;

  // The same models with attention that is edited (nn/attention/edits.h).
  ModelFolder edited(AttentionEdits edits) const;

  // The models as writers of text; a UsageError that says what to use instead if they do not write.
  const Ensemble& writers() const { return model().writers(); }
  // A UsageError for a model that reads no source and only continues text.
  void require_source() const;

  // The folder's options for decoding; `above` overrides them. In it, temperature, top_k and top_p turn on
  // sampling, unless `sampling` says otherwise.
  SearchOptions search(const Entries& above = {}) const;

  // Each is a UsageError for a model of another kind that says what is needed. They may outlive this. With
  // the folder's shortlist, if the search wants one.
  Translator translator(TranslatorOptions options) const;
  Generator generator(GeneratorOptions options) const;
  Scorer scorer(int64_t mini_batch_words = 2000) const;
  Classifier classifier(const ClassifierOptions& options) const;
  Filler filler(const FillerOptions& options) const;
  Predictor predictor(int64_t mini_batch_words = 2000) const;
  AnswerFinder answer_finder(int64_t mini_batch_words = 2000) const;
  AttentionProbe prober(ProbeOptions options) const;

 private:
  struct Loaded;
  struct Opened;
  explicit ModelFolder(std::shared_ptr<const Opened> opened) : opened_(std::move(opened)) {}
  std::shared_ptr<const TextModel> shared_model() const;
  void require(bool fits, const char* needed) const;

  std::shared_ptr<const Opened> opened_;
};

}  // namespace attune
