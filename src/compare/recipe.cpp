#include "compare/recipe.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/ascii.h"
#include "compare/read_lines.h"
#include "compare/text_units.h"
#include "config/rules.h"
#include "config/yaml.h"
#include "io/files/file.h"
#include "metrics/alignment_error.h"
#include "metrics/make_metric.h"
#include "metrics/tokenize/tokenize.h"
#include "text/writing.h"

namespace attune::compare {
namespace {

namespace fs = std::filesystem;

std::string shown(const Entry& entry) {
  std::string text = entry.list ? "[" : "";
  for (size_t i = 0; i < entry.values.size(); ++i) text += (i > 0 ? ", " : "") + entry.values[i];
  return entry.key + ": " + text + (entry.list ? "]" : "");
}

// Adds the place to messages that do not name one.
template <class F>
auto at_place(const std::string& where, F&& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    const std::string text = error.what();
    const std::string file = where.substr(0, where.rfind(':'));
    throw UsageError(text.starts_with(file) ? text : fmt::format("{}: {}", where, text));
  }
}

Entries without(const Entries& entries, const std::set<std::string_view>& keys) {
  Entries others;
  for (const Entry& entry : entries)
    if (!keys.contains(entry.key)) others.push_back(entry);
  return others;
}

Entries chosen(const Entries& entries, const std::set<std::string_view>& keys) {
  Entries some;
  for (const Entry& entry : entries)
    if (keys.contains(entry.key)) some.push_back(entry);
  return some;
}

void put(Entries& entries, const Entry& entry) {
  std::erase_if(entries, [&](const Entry& other) { return other.key == entry.key; });
  entries.push_back(entry);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string::npos;
}

bool has(const Entries& entries, std::string_view key) {
  return std::ranges::any_of(entries, [&](const Entry& entry) { return canonical_key(entry.key) == key; });
}

class Reader {
 public:
  explicit Reader(const std::string& path)
      : path_(path), document_(read_yaml_document(read_file(path, 1 << 20), path)) {}

  Recipe read() {
    assign(fields_of(recipe_), document_.entries);
    check_groups();
    at_place(path_ + ":1", [&] { check_values(); });
    if (const YamlGroup* decode = group("decode", false)) {
      assign(fields_of(recipe_.search), decode->items[0]);
      at_place(decode->where, [&] { recipe_.search.validate(); });
    }
    for_each("tests", [&](const Entries& item, const std::string& where) { read_test(item, where); });
    for_each("alignments", [&](const Entries& item, const std::string& where) { read_gold(item, where); });
    require(!recipe_.tests.empty(), path_,
            "there are no test sets: give tests, a list of items with name, source and references");
    suit_texts();
    read_models();
    return std::move(recipe_);
  }

 private:
  const YamlGroup* group(std::string_view key, bool list) const {
    for (const YamlGroup& one : document_.groups)
      if (one.key == key) {
        require(one.list == list, one.where, "'{}' should be {}", key,
                list ? "a list of items with keys" : "keys with values");
        return &one;
      }
    return nullptr;
  }

  template <class F>
  void for_each(std::string_view key, F&& read) const {
    if (const YamlGroup* list = group(key, true))
      for (const Entries& item : list->items) read(item, item[0].where);
  }

  void check_groups() const {
    const std::vector<std::string> known{"shared", "models", "tests", "alignments", "decode"};
    std::set<std::string_view> seen;
    for (const YamlGroup& one : document_.groups) {
      require(std::ranges::find(known, one.key) != known.end(), one.where, "unknown key '{}'{}", one.key,
              did_you_mean(one.key, known));
      require(seen.insert(one.key).second, one.where, "the key '{}' appears twice", one.key);
    }
  }

  void check_values() const {
    require(!recipe_.folder.empty(), "folder",
            "say where to put runs, results and the report, for example folder: runs/ladder");
    require(static_cast<bool>(read_period("budget", recipe_.budget)), "budget",
            "say how long each model may train, for example budget: 5000u, 10Mt or 15min");
    require(!recipe_.metrics.empty(), "metrics", "name at least one, for example metrics: [bleu, chrf]");
    std::vector<std::string> known = metrics::metric_names();
    std::erase_if(known, [](const std::string& name) { return name == "aer" || name == "rouge"; });
    for (const std::string& name : recipe_.metrics) require_word("metrics", name, known);
    std::vector<std::string> tokenizers = metrics::tokenizer_names();
    tokenizers.insert(tokenizers.begin(), "auto");
    require_word("tokenize", recipe_.tokenize, tokenizers);
    require_word("length_unit", recipe_.length_unit, {"auto", "word", "character"});
    require_not_negative({{"samples", recipe_.samples}});
    check_seeds();
    int64_t before = 0;
    for (const std::string& bound : recipe_.lengths) {
      require(is_number(bound) && std::stoll(bound) > before, "lengths",
              "give whole numbers in ascending order, not '{}'", bound);
      before = std::stoll(bound);
    }
  }

  void check_seeds() const {
    const std::vector<std::string>& seeds = recipe_.seeds;
    for (const std::string& seed : seeds)
      require(is_number(seed) && std::ranges::count(seeds, seed) == 1, "seeds",
              "write how many, as in seeds: 3, or different whole numbers, as in seeds: [1, 2, 3]");
    if (seeds.size() != 1) return;
    const auto entry = std::ranges::find(document_.entries, "seeds", &Entry::key);
    require(!entry->list, "seeds", "a list needs at least two; for one seed set `seed` in `shared`");
    require(std::stoll(seeds[0]) > 0, "seeds", "must be positive");
  }

  // Of a model whose own `seed` is given.
  std::vector<int64_t> seeds_from(int64_t own) const {
    std::vector<int64_t> seeds;
    if (recipe_.seeds.size() > 1) {
      for (const std::string& seed : recipe_.seeds) seeds.push_back(std::stoll(seed));
      return seeds;
    }
    const int64_t count = recipe_.seeds.empty() ? 1 : std::stoll(recipe_.seeds[0]);
    for (int64_t i = 0; i < count; ++i) seeds.push_back(own + i);
    return seeds;
  }

  // What is left to the scripts of the test sets.
  void suit_texts() {
    metrics::Sentences sources, references;
    for (const TestSet& test : recipe_.tests) {
      sources.insert(sources.end(), test.sources.begin(), test.sources.end());
      for (const auto& lines : test.reference_lines)
        references.insert(references.end(), lines.begin(), lines.end());
    }
    if (recipe_.tokenize == "auto") recipe_.tokenize = metrics::suitable_tokenizer(references);
    recipe_.length_unit_suits = recipe_.length_unit == "auto";
    if (recipe_.length_unit_suits)
      recipe_.length_unit = writing_of(sources) == Writing::spaced ? "word" : "character";
  }

  void read_models() {
    const YamlGroup* shared = group("shared", false);
    if (shared != nullptr) refuse_own(shared->items[0]);
    for_each("models", [&](const Entries& item, const std::string& where) {
      read_model(shared == nullptr ? Entries{} : shared->items[0], item, where);
    });
    require(!recipe_.models.empty(), path_,
            "there are no models: give models, a list of items with a name each");
  }

  // Keys that the comparison sets for all models.
  static void refuse_own(const Entries& entries) {
    for (const Entry& entry : entries) {
      require(entry.key != "after", entry.where,
              "'after' cannot be set here: all models train for the same budget");
      require(entry.key != "model", entry.where,
              "'model' cannot be set here: each model gets a subfolder of 'folder'");
    }
  }

  void read_model(const Entries& shared, const Entries& item, const std::string& where) {
    refuse_own(item);
    std::string name, about, like;
    assign(
        [&](FieldSetter& f) {
          f("name", name, "");
          f("about", about, "");
          f("like", like, "");
        },
        chosen(item, {"name", "about", "like"}));
    require(!name.empty(), where, "this model has no name");
    const std::string folder = file_name(name);
    require(!folder.empty(), where, "the name '{}' needs letters or digits", name);
    require(folders_.insert(folder).second, where,
            "another model has the same or nearly the same name as '{}'", name);

    const Entries own = without(item, {"name", "about", "like"});
    Entries keys;
    if (!like.empty()) {
      const auto found = own_keys_.find(like);
      std::vector<std::string> names;
      for (const auto& [earlier, entries] : own_keys_) names.push_back(earlier);
      require(found != own_keys_.end(), where, "like: no earlier model is named '{}'{}", like,
              did_you_mean(like, names));
      keys = found->second;
    }
    for (const Entry& entry : own) put(keys, entry);
    own_keys_[name] = keys;

    Entries all = shared;
    for (const Entry& entry : keys) put(all, entry);
    all.push_back({"after", {recipe_.budget}, false, where});
    const auto unless_given = [&](const char* key, const std::vector<std::string>& values, bool list) {
      if (!has(all, key)) all.push_back({key, values, list, where});
    };
    std::vector<std::string> metrics = recipe_.metrics;
    metrics.emplace_back("perplexity");
    unless_given("valid_metrics", metrics, true);
    unless_given("valid_tokenize", {recipe_.tokenize}, false);
    unless_given("early_stopping", {"0"}, false);
    std::string changes = like.empty() ? "" : "like " + like;
    for (const Entry& entry : own) changes += (changes.empty() ? "" : ", ") + shown(entry);
    add_runs({name, about, changes, where, {}}, all, folder);
  }

  // The run with the model's own seed has the folder that it would have without `seeds`.
  void add_runs(const Contestant& model, const Entries& keys, const std::string& folder) {
    const auto config_in = [&](const std::string& name, const Entries& more) {
      Entries all = keys;
      for (const Entry& entry : more) put(all, entry);
      all.push_back({"model", {(fs::path(recipe_.folder) / name).string()}, false, model.where});
      return at_place(model.where, [&] { return read_run_config(all, {}); });
    };
    const int64_t own = config_in(folder, {}).train.seed;
    for (const int64_t seed : seeds_from(own)) {
      const std::string name = seed == own ? folder : fmt::format("{}-seed-{}", folder, seed);
      require(seed == own || folders_.insert(name).second, model.where,
              "another model has the name of the folder {}", name);
      RunConfig config = config_in(
          name, seed == own ? Entries{} : Entries{{"seed", {std::to_string(seed)}, false, model.where}});
      require(config.model->task().translates(), model.where,
              "a model of type {} cannot translate; compare takes rnn and transformer", config.model->type());
      recipe_.models.push_back({model.name, model.about, model.changes, model.where, std::move(config)});
    }
  }

  void read_test(const Entries& item, const std::string& where) {
    TestSet test;
    assign(fields_of(test), item);
    require(!test.name.empty() && !test.source.empty() && !test.references.empty(), where,
            "a test set needs name, source and references");
    for (const TestSet& other : recipe_.tests)
      require(file_name(other.name) != file_name(test.name), where,
              "another test set has the same or nearly the same name as '{}'", test.name);
    test.sources = read_lines(test.source);
    for (const std::string& file : test.references) {
      test.reference_lines.push_back(read_lines(file));
      require_as_many(test.source, test.sources, file, test.reference_lines.back());
      require_no_blank(file, test.reference_lines.back(), "reference");
    }
    recipe_.tests.push_back(std::move(test));
  }

  void read_gold(const Entries& item, const std::string& where) {
    GoldSet set;
    assign(fields_of(set), item);
    require(!set.name.empty() && !set.source.empty() && !set.target.empty() && !set.gold.empty(), where,
            "each item of alignments needs name, source, target and gold");
    set.sources = read_lines(set.source);
    set.targets = read_lines(set.target);
    set.links = read_lines(set.gold);
    require_as_many(set.source, set.sources, set.target, set.targets);
    require_as_many(set.source, set.sources, set.gold, set.links);
    require_no_blank(set.source, set.sources, "source");
    require_no_blank(set.target, set.targets, "target");
    const metrics::AlignmentError aer;
    for (size_t i = 0; i < set.links.size(); ++i)
      at_place(fmt::format("{}:{}", set.gold, i + 1), [&] { aer.statistics("", {&set.links[i], 1}); });
    recipe_.golds.push_back(std::move(set));
  }

  std::string path_;
  YamlDocument document_;
  Recipe recipe_;
  std::set<std::string> folders_;
  std::map<std::string, Entries> own_keys_;  // including the inherited ones
};

}  // namespace

std::span<const char* const> enum_names(TextUnit) {
  static constexpr const char* kWords[] = {"word", "character"};
  return kWords;
}

std::string file_name(const std::string& name) {
  std::string file;
  for (const char c : name) {
    if (byte_of(c) >= 0x80 || is_ascii_letter(c) || is_ascii_digit(c))
      file += ascii_small(c);
    else if (!file.empty() && file.back() != '-')
      file += '-';
  }
  while (file.ends_with('-')) file.pop_back();
  return file;
}

void TestSet::fields(FieldsOf<TestSet> f) {
  f("name", &TestSet::name, "name in tables");
  f("source", &TestSet::source, "file");
  f("references", &TestSet::references, "files with as many lines as the source");
}

void GoldSet::fields(FieldsOf<GoldSet> f) {
  f("name", &GoldSet::name, "name in tables");
  f("source", &GoldSet::source, "file");
  f("target", &GoldSet::target, "file");
  f("gold", &GoldSet::gold, "file of links: 0-1 sure, 0p1 possible");
  f("unit", &GoldSet::unit, "what the numbers in links count");
}

void Recipe::fields(FieldsOf<Recipe> f) {
  f("title", &Recipe::title, "title of the report");
  f("text", &Recipe::text, "introduction of the report");
  f("folder", &Recipe::folder, "folder for runs, results and the report");
  f("budget", &Recipe::budget, "how long each model trains: 5000u, 10Mt, 15min");
  f("target_language", &Recipe::target_language, "multilingual models: the language of the references");
  f("seeds", &Recipe::seeds, "how often each model is trained, or with which seeds: 3, [1, 2, 3]");
  f("metrics", &Recipe::metrics,
    "bleu, chrf, chrf++, ter, wer, cer, cer-noblank, rouge1, rouge2, rougeL, rougeLsum, exact");
  f("tokenize", &Recipe::tokenize, "BLEU's tokeniser; auto: what suits the references");
  f("lengths", &Recipe::lengths, "upper bounds of the groups by source length");
  f("length_unit", &Recipe::length_unit,
    "what source lengths are counted in: word, character; auto: what suits the sources");
  f("samples", &Recipe::samples, "sentences whose translations are shown");
  f("look_at", &Recipe::look_at, "sentences whose attention is shown");
}

Recipe read_recipe(const std::string& path) { return Reader(path).read(); }

std::string read_recipe_folder(const std::string& path) {
  Recipe recipe;
  assign(fields_of(recipe), read_yaml_document(read_file(path, 1 << 20), path).entries);
  require(!recipe.folder.empty(), path, "folder is missing: say where runs, results and the report are");
  return recipe.folder;
}

}  // namespace attune::compare
