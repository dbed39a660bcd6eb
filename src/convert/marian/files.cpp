#include "convert/marian/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "attune/error.h"
#include "config/yaml.h"
#include "io/files/file.h"

namespace attune::marian {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

constexpr double kMost = 1000;  // of any option for decoding

// Files of a folder, sorted by name.
Paths files_in(const fs::path& folder) {
  Paths files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string name_of(const fs::path& path) { return path.filename().string(); }

bool is_weights(const fs::path& path) {
  return path.extension() == ".npz" && !name_of(path).ends_with(".optimizer.npz");
}

// Marian's settings for a decoder.
struct Decoder {
  Paths models, vocabularies;
  Entries search;  // by attune's names
};

// Marian divides by the length to the power of `normalize`, as attune does.
Entries search_of(const Entries& entries, const std::string& file) {
  Entries search;
  for (const auto& [theirs, ours] : {std::pair{"beam-size", "beam_size"}, {"normalize", "normalize"}})
    for (const Entry& entry : entries) {
      if (canonical_key(entry.key) != canonical_key(theirs)) continue;
      double value = 0;
      const std::string text = entry.values.size() == 1 ? entry.values[0] : "";
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool whole = ours != std::string_view("beam_size") || (value == std::floor(value) && value >= 1);
      if (error != std::errc() || end != text.data() + text.size() || !whole || value < 0 || value > kMost)
        throw UsageError(fmt::format("{}: {}: '{}' is not a number that makes sense", file, theirs, text));
      search.push_back({ours, {fmt::format("{}", value)}, false, {}});
    }
  return search;
}

Decoder read_decoder(const fs::path& file) {
  const Entries entries = read_yaml(read_file(file), file.string());
  const auto paths = [&](std::string_view key) {
    Paths found;
    for (const Entry& entry : entries)
      if (entry.key == key)
        for (const std::string& value : entry.values) {
          const fs::path given = value, beside = file.parent_path() / given;
          // An absolute path of another machine: the file may have come along.
          found.push_back(fs::exists(beside) ? beside : file.parent_path() / given.filename());
        }
    return found;
  };
  return {paths("models"), paths("vocabs"), search_of(entries, file.string())};
}

// decoder.yml, or MODEL.npz.decoder.yml; empty if there is none.
fs::path decoder_file(const fs::path& folder, const fs::path& model) {
  if (!model.empty() && fs::exists(model.string() + ".decoder.yml")) return model.string() + ".decoder.yml";
  if (fs::exists(folder / "decoder.yml")) return folder / "decoder.yml";
  return {};
}

bool is_list(const fs::path& path) {
  const fs::path ending = path.extension();
  const std::string name = name_of(path);
  return (ending == ".yml" || ending == ".yaml" || ending == ".json") &&
         name.find(".npz.") == std::string::npos && name.find("decoder") == std::string::npos &&
         name.find("config") == std::string::npos;
}

// Two files whose names say which is which, in order.
Paths in_order(Paths files) {
  if (files.size() != 2) return files;
  const auto says = [](const fs::path& path, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view w) { return name_of(path).find(w) != std::string::npos; });
  };
  const auto source = [&](const fs::path& path) { return says(path, {"source", "src"}); };
  const auto target = [&](const fs::path& path) { return says(path, {"target", "trg", "tgt"}); };
  if (source(files[1]) || target(files[0])) std::swap(files[0], files[1]);
  if (source(files[0]) || target(files[1])) return files;
  throw UsageError(fmt::format("{} and {}: which is the source's? Name them with --vocabs SOURCE TARGET",
                               files[0].string(), files[1].string()));
}

Paths with_ending(const Paths& files, const char* ending) {
  Paths chosen;
  std::ranges::copy_if(files, std::back_inserter(chosen),
                       [&](const fs::path& p) { return p.extension() == ending; });
  return chosen;
}

Paths vocabularies_beside(const fs::path& folder, const Decoder& decoder) {
  const Paths files = files_in(folder), pieces = with_ending(files, ".spm");
  Paths found = decoder.vocabularies;
  if (found.empty()) std::ranges::copy_if(files, std::back_inserter(found), is_list);
  const bool lists_only = with_ending(found, ".spm").empty();
  if (decoder.vocabularies.empty()) found = in_order(found);
  if (lists_only) {
    const Paths ordered = in_order(pieces);
    found.insert(found.end(), ordered.begin(), ordered.end());
  }
  return found;
}

}  // namespace

bool is_model(const fs::path& path) {
  return fs::is_directory(path) ? std::ranges::any_of(files_in(path), is_weights) : is_weights(path);
}

std::vector<ImportSource> models_of(const ImportSource& source) {
  const bool is_folder = fs::is_directory(source.path);
  const fs::path folder = is_folder ? source.path : fs::absolute(source.path).parent_path();
  const fs::path settings = decoder_file(folder, is_folder ? fs::path() : source.path);
  const Decoder decoder = settings.empty() ? Decoder() : read_decoder(settings);
  Paths models{source.path};
  if (is_folder) models = decoder.models;
  if (models.empty()) {
    std::ranges::copy_if(files_in(folder), std::back_inserter(models), is_weights);
    if (models.size() != 1)
      throw UsageError(
          fmt::format("{}: there are {} .npz files and no decoder.yml that says which to use; name one",
                      folder.string(), models.size()));
  }
  const Paths vocabularies =
      source.vocabularies.empty() ? vocabularies_beside(folder, decoder) : source.vocabularies;
  if (vocabularies.empty())
    throw UsageError(
        fmt::format("{}: there is no vocabulary (.spm or .yml) beside the model; name it with --vocabs",
                    folder.string()));
  std::vector<ImportSource> sources;
  for (const fs::path& model : models) sources.push_back({model, vocabularies, decoder.search});
  return sources;
}

std::pair<VocabularyFiles, VocabularyFiles> sides_of(const Paths& files) {
  const Paths pieces = with_ending(files, ".spm");
  Paths ids;
  std::ranges::copy_if(files, std::back_inserter(ids),
                       [](const fs::path& p) { return p.extension() != ".spm"; });
  if (files.empty() || pieces.size() > 2 || ids.size() > 2) {
    std::vector<std::string> names;
    for (const fs::path& file : files) names.push_back(file.string());
    throw UsageError(
        fmt::format("the vocabularies should be those of source and target, or one for both, not: {}; "
                    "name them with --vocabs",
                    fmt::join(names, ", ")));
  }
  const auto at = [](const Paths& paths, size_t side) {
    return paths.empty() ? fs::path() : paths[std::min(side, paths.size() - 1)];
  };
  return {{at(pieces, 0), at(ids, 0)}, {at(pieces, 1), at(ids, 1)}};
}

}  // namespace attune::marian
