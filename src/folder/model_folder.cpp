#include "folder/model_folder.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "attune/error.h"
#include "look/position_table.h"
#include "models/edited_model.h"
#include "text/directions/directed_vocabulary.h"

namespace attune {
namespace {

bool same(const Vocabulary& a, const Vocabulary& b) { return &a == &b || a.serialized() == b.serialized(); }

void check_that_they_fit(const ModelFiles& first, const ModelFiles& other) {
  if (!same(*first.vocabularies.target, *other.vocabularies.target) ||
      !same(*first.vocabularies.source, *other.vocabularies.source))
    throw UsageError(fmt::format("{} and {} have different vocabularies and cannot be combined",
                                 first.path.string(), other.path.string()));
  const Task &a = first.config->task(), &b = other.config->task();
  if (&a != &b)
    throw UsageError(fmt::format("{} {}, but {} {}: they cannot be combined", first.path.string(), a.does(),
                                 other.path.string(), b.does()));
}

void check_weights(std::span<const double> weights, size_t models) {
  if (!weights.empty() && weights.size() != models)
    throw UsageError(fmt::format("there are {} models, but {} weights", models, weights.size()));
  for (const double weight : weights)
    if (!(weight > 0) || !std::isfinite(weight))
      throw UsageError(fmt::format("weights must be positive, but one is {}", weight));
}

// The most tokens that all of them can read.
int64_t shortest(std::span<const ModelFiles> files) {
  int64_t least = 0;
  for (const ModelFiles& each : files)
    if (const int64_t longest = each.config->longest(); longest > 0)
      least = least > 0 ? std::min(least, longest) : longest;
  return least;
}

// `edited` stand for the models of the files, if there are any.
TextModel text_model(std::span<const ModelFiles> files, std::span<const double> weights,
                     const std::string& language, std::span<const std::unique_ptr<Model>> edited) {
  std::vector<WeightedModel> models;
  for (const ModelFiles& each : files) {
    const size_t i = models.size();
    models.push_back({edited.empty() ? each.model.get() : edited[i].get(), weights.empty() ? 1 : weights[i]});
  }
  const ModelFiles& first = files[0];
  return {
      std::move(models),
      {.task = first.config->task(),
       .name = first.path.string(),
       .type = first.config->type(),
       .vocabularies = language.empty() ? first.vocabularies : attune::towards(first.vocabularies, language),
       .longest = shortest(files),
       .answers = learned_to_answer(first.training)}};
}

std::vector<ModelFiles> load(std::span<const std::string> paths, std::span<const double> weights) {
  check_weights(weights, paths.size());
  std::vector<ModelFiles> files;
  for (const std::string& path : paths) {
    files.push_back(load_model_files(path));
    check_that_they_fit(files[0], files.back());
  }
  return files;
}

std::vector<ModelFiles> one(ModelFiles files) {
  std::vector<ModelFiles> all;
  all.push_back(std::move(files));
  return all;
}

}  // namespace

// What folders for several target languages share.
struct ModelFolder::Loaded {
  explicit Loaded(std::vector<ModelFiles> loaded, std::span<const double> wanted = {})
      : files(std::move(loaded)), weights(wanted.begin(), wanted.end()) {}

  std::shared_ptr<const Shortlist> shortlist() const {
    const std::lock_guard lock(mutex);
    if (list == nullptr) list = Shortlist::of_folder(files[0].path, files[0].vocabularies);
    return list;
  }

  std::vector<ModelFiles> files;
  std::vector<double> weights;
  mutable std::mutex mutex;
  mutable std::shared_ptr<const Shortlist> list;
};

struct ModelFolder::Opened {
  Opened(std::shared_ptr<const Loaded> folders, const std::string& language, AttentionEdits changes = {})
      : loaded(std::move(folders)),
        target(language.empty() ? only_target(loaded->files[0]) : language),
        edits(std::move(changes)),
        edited_models(edited_by(edits, loaded->files)),
        model(text_model(loaded->files, loaded->weights, target, edited_models)) {}

  static std::vector<std::unique_ptr<Model>> edited_by(const AttentionEdits& edits,
                                                       std::span<const ModelFiles> files) {
    std::vector<std::unique_ptr<Model>> all;
    if (edits.all().empty()) return all;
    for (const ModelFiles& each : files) all.push_back(attune::edited(*each.model, edits));
    return all;
  }

  static std::string only_target(const ModelFiles& files) {
    const auto targets = targets_of(trained_directions(files.training));
    return targets.size() == 1 ? targets[0] : "";
  }

  std::shared_ptr<const Loaded> loaded;
  std::string target;  // language; empty: the model has none, or it is not chosen yet
  AttentionEdits edits;
  std::vector<std::unique_ptr<Model>> edited_models;  // none without edits
  TextModel model;
};

ModelFolder::ModelFolder(const std::filesystem::path& path, WeightsIn weights)
    : opened_(std::make_shared<const Opened>(
          std::make_shared<const Loaded>(one(load_model_files(path, weights))), "")) {}

ModelFolder::ModelFolder(std::span<const std::string> paths, std::span<const double> weights)
    : opened_(std::make_shared<const Opened>(std::make_shared<const Loaded>(load(paths, weights), weights),
                                             "")) {}

void ModelFolder::multiply_in(Precision precision) {
  for (const ModelFiles& files : all_files()) set_precision(*files.parameters, precision);
}

std::span<const ModelFiles> ModelFolder::all_files() const { return opened_->loaded->files; }
const TextModel& ModelFolder::model() const { return opened_->model; }

std::shared_ptr<const TextModel> ModelFolder::shared_model() const {
  if (opened_->target.empty() && !trained_directions(files().training).empty())
    throw UsageError(fmt::format("{}: this model translates into {}; say which, as in --target-language {}",
                                 path().string(), fmt::join(target_languages(), ", "),
                                 target_languages()[0]));
  return {opened_, &opened_->model};
}

std::vector<std::string> ModelFolder::target_languages() const {
  const auto trained = targets_of(trained_directions(files().training));
  return trained.empty() && task().translates() ? languages_with_token(*files().vocabularies.source)
                                                : trained;
}

ModelFolder ModelFolder::towards(const std::string& language) const {
  if (language.empty()) return *this;
  const std::vector<std::string> known = target_languages();
  if (known.empty())
    throw UsageError(fmt::format("{}: this model has no choice of target languages, so leave out '{}'",
                                 path().string(), language));
  if (std::ranges::find(known, language) == known.end())
    throw UsageError(fmt::format("{}: this model does not translate into '{}', only into {}", path().string(),
                                 language, fmt::join(known, ", ")));
  return ModelFolder(std::make_shared<const Opened>(opened_->loaded, language));
}

ModelFolder ModelFolder::edited(AttentionEdits edits) const {
  return ModelFolder(std::make_shared<const Opened>(opened_->loaded, opened_->target, std::move(edits)));
}

void ModelFolder::require(bool fits, const char* needed) const {
  if (!fits)
    throw UsageError(
        fmt::format("{}: this model {}, but {} is needed", path().string(), task().does(), needed));
}

void ModelFolder::require_source() const {
  if (model().continues())
    throw UsageError(
        fmt::format("{}: this model continues text; use `attune generate` with it", path().string()));
}

SearchOptions ModelFolder::search(const Entries& above) const {
  SearchOptions search;
  assign(fields_of(search), files().decoding);
  for (const char* key : {"temperature", "top_k", "top_p"})
    search.sampling = search.sampling || std::ranges::find(above, key, &Entry::key) != above.end();
  assign(fields_of(search), above);
  return search;
}

Translator ModelFolder::translator(TranslatorOptions options) const {
  if (options.search.shortlist && options.shortlist == nullptr)
    options.shortlist = opened_->loaded->shortlist();
  return {shared_model(), std::move(options)};
}

Generator ModelFolder::generator(GeneratorOptions options) const {
  require(task().continues_text(), "a language model (type gpt or rnn_lm)");
  return {shared_model(), std::move(options)};
}

Scorer ModelFolder::scorer(int64_t mini_batch_words) const {
  require(!task().answers_with_numbers() && !task().answers_with_span(),
          "one that answers with words or labels");
  return {shared_model(), mini_batch_words};
}

AnswerFinder ModelFolder::answer_finder(int64_t mini_batch_words) const {
  require(task().answers_with_span(), "one that answers questions (type bert, task answer)");
  return {shared_model(), mini_batch_words};
}

Predictor ModelFolder::predictor(int64_t mini_batch_words) const {
  require(task().answers_with_numbers(), "one that predicts numbers (type bert, task predict)");
  return {shared_model(), mini_batch_words};
}

Classifier ModelFolder::classifier(const ClassifierOptions& options) const {
  require(task().answers_with_labels(),
          "a classifier or a tagger (type bert, task classify or tag; type rnn_lm, tagger)");
  return {shared_model(), options};
}

Filler ModelFolder::filler(const FillerOptions& options) const {
  require(&task() == &fill_task(), "a masked language model (type bert, task mask)");
  return {shared_model(), options};
}

AttentionProbe ModelFolder::prober(ProbeOptions options) const {
  options.positions = position_table(files());
  return {shared_model(), std::move(options)};
}

}  // namespace attune
