#include "attune/translation_model.h"

#include <fmt/core.h>

#include "attune/error.h"
#include "decode/translator.h"
#include "models/model_folder.h"

namespace attune {
namespace {

const Writer& writer_of(const ModelFolder& folder) {
  const auto* writer = dynamic_cast<const Writer*>(folder.model.get());
  if (writer == nullptr || !folder.config->task().translates())
    throw UsageError(fmt::format("{}: a model of type {} does not translate", folder.path.string(),
                                 folder.config->type()));
  return *writer;
}

TranslatorSetup setup_of(const ModelFolder& folder, const TranslationOptions& options) {
  TranslatorSetup setup{.task = folder.config->task(),
                        .vocabularies = folder.vocabularies,
                        .longest = folder.config->longest(),
                        .search = {}};
  SearchOptions& search = setup.search;
  assign(fields_of(search), folder.decoding);
  search.beam_size = options.beam_size.value_or(search.beam_size);
  search.normalize = options.normalize.value_or(search.normalize);
  search.max_length = options.max_length.value_or(search.max_length);
  search.n_best = options.n_best;
  search.alignment = options.alignment;
  if (search.shortlist) setup.shortlist = Shortlist::of_folder(folder.path, folder.vocabularies);
  return setup;
}

}  // namespace

struct TranslationModel::Parts {
  Parts(const std::filesystem::path& path, const TranslationOptions& options)
      : folder(load_model_folder(path)), translator(Ensemble(writer_of(folder)), setup_of(folder, options)) {}

  ModelFolder folder;
  Translator translator;
};

TranslationModel::TranslationModel(const std::filesystem::path& folder, const TranslationOptions& options)
    : parts_(std::make_unique<const Parts>(folder, options)) {}
TranslationModel::TranslationModel(TranslationModel&&) noexcept = default;
TranslationModel& TranslationModel::operator=(TranslationModel&&) noexcept = default;
TranslationModel::~TranslationModel() = default;

std::string TranslationModel::translate(const std::string& sentence) const {
  return translate(std::span(&sentence, 1))[0];
}

std::vector<std::string> TranslationModel::translate(std::span<const std::string> sentences) const {
  return parts_->translator.translate(sentences);
}

std::vector<std::vector<Translation>> TranslationModel::outputs(
    std::span<const std::string> sentences) const {
  std::vector<TranslatorInput> inputs;
  for (const std::string& sentence : sentences) inputs.push_back({.text = sentence, .number = inputs.size()});
  const Translator& translator = parts_->translator;
  auto found = translator.search(inputs);
  std::vector<std::vector<Translation>> all(found.size());
  for (size_t i = 0; i < found.size(); ++i)
    for (Hypothesis& each : found[i])
      all[i].push_back({.text = translator.text(each, inputs[i]),
                        .score = each.score,
                        .normalised = each.normalised,
                        .ended = each.ended,
                        .tokens = translator.pieces(each),
                        .word_scores = std::move(each.word_scores),
                        .alignment = std::move(each.alignment)});
  return all;
}

std::vector<std::string> TranslationModel::source_tokens(const std::string& sentence) const {
  const Vocabulary& vocabulary = *parts_->folder.vocabularies.source;
  std::vector<std::string> pieces;
  for (const int32_t id : parts_->translator.tokens(sentence)) pieces.push_back(vocabulary.piece(id));
  return pieces;
}

}  // namespace attune
