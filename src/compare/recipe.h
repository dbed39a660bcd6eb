// Recipe: which models to compare, on which data, and with which budget. The file is YAML
// (docs/guide/compare.md):
//   shared   keys of `attune train` for all models
//   models   a list; each has a name and its own keys; `like` starts from those of an earlier model
//   tests    a list of test sets
//   decode   keys of the search
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/search/search_options.h"
#include "metrics/metric.h"
#include "train/train_config.h"

namespace attune::compare {

enum class TextUnit : uint8_t { word, character };  // what lengths and alignments are counted in
std::span<const char* const> enum_names(TextUnit);

struct TestSet {
  std::string name, source;
  std::vector<std::string> references;  // files

  metrics::Sentences sources;
  metrics::References reference_lines;

  static void fields(FieldsOf<TestSet> f);
};

// Sentences with manual word alignments: the gold for AER.
struct GoldSet {
  std::string name, source, target, gold;
  TextUnit unit = TextUnit::word;

  metrics::Sentences sources, targets, links;

  static void fields(FieldsOf<GoldSet> f);
};

// One training of a model. With several seeds, those of a model follow one another.
struct Contestant {
  std::string name, about;
  std::string changes;  // its own keys, as written in the recipe: "attention: dot, wiring: luong"
  std::string where;    // "ladder.yml:12"
  RunConfig config;     // its run is in the recipe's `folder`
};

struct Recipe {
  std::string title = "Comparison", text, folder, budget;
  std::string target_language;                       // of multilingual models
  std::vector<std::string> seeds;                    // how many, or which; empty: the `seed` of each model
  std::vector<std::string> metrics{"bleu", "chrf"};  // the first is used in plots and significance tests
  std::string tokenize = "auto";                     // read_recipe replaces auto by what suits the references
  std::vector<std::string> lengths;  // upper bounds of the groups by source length; empty: equal groups
  std::string length_unit = "auto";  // read_recipe replaces auto by what suits the sources
  bool length_unit_suits = false;    // it was auto
  int64_t samples = 6;               // sentences whose translations are shown
  std::vector<std::string> look_at;  // sentences whose attention is shown

  SearchOptions search;
  std::vector<TestSet> tests;
  std::vector<GoldSet> golds;
  std::vector<Contestant> models;

  static void fields(FieldsOf<Recipe> f);
};

// A name made fit for files: "Luong, scaled dot" becomes luong-scaled-dot. Non-ASCII letters stay.
std::string file_name(const std::string& name);

// Reads the recipe and every test set, and checks every model's configuration: an error is a UsageError that
// names the file and the line.
Recipe read_recipe(const std::string& path);

// Reads only its folder: the models and the data may be gone.
std::string read_recipe_folder(const std::string& path);

}  // namespace attune::compare
