// ServedModel: a model folder in use, with the name and languages that clients ask for. ModelTable: all of
// them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "folder/model_folder.h"

namespace attune::serve {

// What the command line says of a model: FOLDER, or en-de=FOLDER.
struct ModelPlace {
  std::string source, target;  // language codes; empty: the folder says them, perhaps several directions
  std::string folder;
};
ModelPlace parse_model_place(const std::string& text);
std::string last_name(const std::string& folder);  // "runs/en-de/": "en-de"

// How texts are searched; units of one kind can be translated together.
struct SearchKind {
  int64_t n_best = 1;
  bool alignment = false;
  auto operator<=>(const SearchKind&) const = default;
};

class ServedModel {
 public:
  // A folder whose target language is chosen if it has several. A UsageError if its models neither write nor
  // fill masks.
  ServedModel(ModelFolder folder, Direction languages, const std::string& place, const Entries& search);

  uint64_t id() const { return id_; }                // no other has it, also not after a reload
  const std::string& name() const { return name_; }  // "en-de"
  // For a second model of the same languages: "en-de:FOLDER".
  void add_folder_to_name(const std::string& folder) { name_ += ":" + folder; }
  const std::string& source() const { return languages_.source; }
  const std::string& target() const { return languages_.target; }
  const std::string& type() const { return folder_.model().type(); }
  bool translates() const { return folder_.task().translates(); }
  bool writes() const { return plain_.has_value(); }
  bool attends() const { return attends_; }  // to the source, so that there are alignments
  int64_t longest_part() const;              // of a text that is translated at once, in tokens
  int64_t most_outputs() const { return options_.beam_size; }
  int64_t parameters() const { return folder_.files().parameters->count(); }
  const ModelFolder& folder() const { return folder_; }
  const Vocabularies& vocabularies() const { return folder_.vocabularies(); }
  const SearchOptions& options() const { return options_; }

  // The same model with attention that is edited, for one request.
  std::shared_ptr<const ServedModel> edited(const AttentionEdits& edits) const;
  bool is_edited() const { return edited_; }

  Translator translator(const SearchKind& kind) const;
  const Translator& plain() const { return *plain_; }  // of a model that writes, for what all kinds share
  int64_t tokens(const std::string& text) const;

 private:
  bool warm_up() const;  // whether it attends

  uint64_t id_;
  ModelFolder folder_;
  Direction languages_;
  std::string name_;
  SearchOptions options_;
  std::optional<Translator> plain_;
  bool attends_ = false, edited_ = false;
};

struct Language {
  std::string code, name;
  std::vector<std::string> targets;
};

class ModelTable {
 public:
  // A UsageError if a folder holds no model that writes or fills masks. Languages that nothing names are
  // "und".
  ModelTable(const std::vector<ModelPlace>& places, const Entries& search,
             Precision precision = Precision::f32);

  using Model = std::shared_ptr<const ServedModel>;
  const std::vector<Model>& models() const { return models_; }
  Model find(const std::string& source, const std::string& target) const;  // null if there is none
  Model find(const std::string& name) const;
  // Those of the models that translate, by code.
  std::vector<Language> languages() const;
  // Those that are read.
  std::vector<std::string> sources() const;

 private:
  void add(const std::shared_ptr<ServedModel>& model, const std::string& place);

  std::vector<Model> models_;
};

}  // namespace attune::serve
