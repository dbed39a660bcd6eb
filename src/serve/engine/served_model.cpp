#include "serve/engine/served_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "attune/error.h"
#include "base/ascii.h"
#include "serve/engine/language_name.h"
#include "text/corpus/corpus_source.h"

namespace attune::serve {
namespace {

constexpr const char* kUnknown = "und";  // ISO 639's code for a language that nobody named

// For models without a limit.
constexpr int64_t kLongestPart = 1000;

std::atomic<uint64_t> next_id = 0;

// Two or three small letters, perhaps with more behind a hyphen: en, zh-Hans.
bool is_language(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('-'));
  const auto rest = [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '-'; };
  return (first.size() == 2 || first.size() == 3) && std::ranges::all_of(first, is_ascii_small) &&
         std::ranges::all_of(text.substr(first.size()), rest) && !text.ends_with('-') && text.size() <= 16;
}

// What the folder says of the training.
std::vector<std::string> trained(const ModelFiles& files, const std::string& key) {
  const auto found = std::ranges::find(files.training, key, &Entry::key);
  return found == files.training.end() ? std::vector<std::string>() : found->values;
}

// Of the folder of a model that translates: as the command line says, as it was trained for, or as its files
// are called.
std::vector<Direction> directions_of(const ModelPlace& place, const ModelFiles& files) {
  if (!place.source.empty()) return {{place.source, place.target}};
  if (auto directions = trained_directions(files.training); !directions.empty()) return directions;
  std::vector<std::string> endings;
  for (const std::string& file : trained(files, "train_sets")) endings.push_back(language_ending(file));
  for (const auto& languages : {trained(files, "languages"), endings})
    if (languages.size() == 2 && std::ranges::all_of(languages, is_language))
      return {{languages[0], languages[1]}};
  return {{kUnknown, kUnknown}};
}

// A vocabulary of other toolkits need not call languages as clients do; then texts say theirs, as before.
ModelFolder directed(const ModelFolder& folder, const std::string& target) {
  const auto known = folder.target_languages();
  const bool trained = !trained_directions(folder.files().training).empty();
  return folder.towards(trained || std::ranges::find(known, target) != known.end() ? target : "");
}

SearchOptions search_options(const ModelFolder& folder, const Entries& search) {
  SearchOptions options = folder.search(search);
  options.n_best = 1;
  options.alignment = false;
  return options;
}

}  // namespace

ModelPlace parse_model_place(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return {"", "", text};
  const std::string pair = text.substr(0, equals);
  const size_t hyphen = pair.find('-');
  ModelPlace place{pair.substr(0, hyphen), hyphen == std::string::npos ? "" : pair.substr(hyphen + 1),
                   text.substr(equals + 1)};
  if (!is_language(place.source) || !is_language(place.target) || place.folder.empty())
    throw UsageError(fmt::format("--model {}: it should look like en-de=FOLDER", text));
  return place;
}

std::string last_name(const std::string& folder) {
  const auto path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

ServedModel::ServedModel(ModelFolder folder, Direction languages, const std::string& place,
                         const Entries& search)
    : id_(next_id++),
      folder_(std::move(folder)),
      languages_(std::move(languages)),
      name_(translates() && languages_.source != kUnknown ? languages_.text() : last_name(place)),
      options_(search_options(folder_, search)) {
  if (folder_.task().verb() == "fill") return;
  plain_.emplace(translator({}));
  attends_ = translates() && warm_up();
}

// The first translation prepares the weights; better now than in front of a client.
bool ServedModel::warm_up() const {
  const std::vector<TranslatorInput> texts{{.text = "a"}};
  plain_->search(texts);
  try {
    translator({1, true}).search(texts);
    return true;
  } catch (const UsageError&) {
    return false;  // this model does not attend
  }
}

int64_t ServedModel::tokens(const std::string& text) const {
  return std::ssize(plain_ ? plain_->tokens(text) : vocabularies().source->encode(text));
}

int64_t ServedModel::longest_part() const { return folder_.longest() > 0 ? folder_.longest() : kLongestPart; }

std::shared_ptr<const ServedModel> ServedModel::edited(const AttentionEdits& edits) const {
  auto changed = std::make_shared<ServedModel>(*this);
  changed->id_ = next_id++;
  changed->edited_ = true;
  changed->folder_ = folder_.edited(edits);
  changed->plain_.emplace(changed->translator({}));
  return changed;
}

Translator ServedModel::translator(const SearchKind& kind) const {
  TranslatorOptions options{
      .search = options_,
      .mini_batch_words = std::numeric_limits<int64_t>::max()};  // whoever batches has counted
  options.search.n_best = kind.n_best;
  options.search.alignment = kind.alignment;
  return folder_.translator(std::move(options));
}

ModelTable::ModelTable(const std::vector<ModelPlace>& places, const Entries& search, Precision precision) {
  for (const ModelPlace& place : places) {
    ModelFolder folder(place.folder, WeightsIn::memory);
    folder.multiply_in(precision);
    if (folder.vocabularies().source->vectors() != nullptr || folder.vocabularies().source->several())
      throw UsageError(
          fmt::format("{}: this model reads files (pictures, recordings, tables), which a request may not "
                      "name; use `attune {}`",
                      place.folder, folder.task().verb()));
    if (!folder.task().translates()) {
      add(std::make_shared<ServedModel>(folder, Direction{}, place.folder, search), place.folder);
      continue;
    }
    for (const Direction& direction : directions_of(place, folder.files()))
      add(std::make_shared<ServedModel>(directed(folder, direction.target), direction, place.folder, search),
          place.folder);
  }
}

void ModelTable::add(const std::shared_ptr<ServedModel>& model, const std::string& place) {
  if (find(model->name()) != nullptr) model->add_folder_to_name(last_name(place));
  if (find(model->name()) != nullptr)
    throw UsageError(fmt::format("{}: there is another model called {}", place, model->name()));
  models_.push_back(model);
}

ModelTable::Model ModelTable::find(const std::string& source, const std::string& target) const {
  const auto found = std::ranges::find_if(models_, [&](const Model& model) {
    return model->translates() && model->source() == source && model->target() == target;
  });
  return found == models_.end() ? nullptr : *found;
}

ModelTable::Model ModelTable::find(const std::string& name) const {
  const auto found = std::ranges::find(models_, name, [](const Model& model) { return model->name(); });
  return found == models_.end() ? nullptr : *found;
}

std::vector<Language> ModelTable::languages() const {
  std::map<std::string, std::set<std::string>> targets;
  for (const Model& model : models_) {
    if (!model->translates()) continue;
    targets[model->source()].insert(model->target());
    targets[model->target()];
  }
  std::vector<Language> languages;
  for (const auto& [code, all] : targets)
    languages.push_back({code, english_name(code), {all.begin(), all.end()}});
  return languages;
}

std::vector<std::string> ModelTable::sources() const {
  std::vector<std::string> codes;
  for (const Language& language : languages())
    if (!language.targets.empty()) codes.push_back(language.code);
  return codes;
}

}  // namespace attune::serve
