#include "train/run/run_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "io/files/digest.h"
#include "io/files/file.h"
#include "io/json.h"
#include "models/model_files.h"
#include "train/data/corpora.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfiguration = "configuration";

// The fields of a configuration and its model's type, to read or to set.
template <class Config, class Type>
auto fields_of_run(Config& config, Type& type) {
  return [&](auto& f) {
    fields_of(config.train)(f);
    f("type", type, "");
    config.model->fields(f);
  };
}

const Entry* find(const Entries& entries, std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

std::string value_of(const Entry* entry) {
  std::string text;
  for (const std::string& value : entry != nullptr ? entry->values : std::vector<std::string>{})
    text += (text.empty() ? "" : " ") + value;
  return text;
}

}  // namespace

void RunFile::fields(FieldsOf<RunFile> f) {
  f("format", &RunFile::format, "");
  f("best", &RunFile::best, "");
  f("vocabularies", &RunFile::vocabularies, "");
  f("made", &RunFile::made, "");
  f("corpus", &RunFile::corpus, "");
  f("frozen", &RunFile::frozen, "");
}

std::optional<RunFile> read_run_file(const fs::path& folder) {
  const fs::path path = folder / kRunFile;
  if (!fs::exists(path)) return std::nullopt;
  SectionEntries document = read_json(read_file(path), path.string());
  RunFile file;
  assign(fields_of(file), document[""]);
  file.configuration = document[kConfiguration];
  return file;
}

void write_run_file(const fs::path& folder, const RunFile& file, const RunConfig& config) {
  const Section sections[] = {{"", fields_of(file)},
                              {kConfiguration, fields_of_run(config, config.model->type())}};
  write_file_atomically(folder / kRunFile, write_json(sections) + "\n");
}

std::vector<std::string> digests_of(const Vocabularies& vocabularies) {
  std::vector<std::string> digests{text_digest(vocabularies.source->serialized())};
  if (!vocabularies.joint()) digests.push_back(text_digest(vocabularies.target->serialized()));
  return digests;
}

std::vector<std::string> corpus_digests(const TrainConfig& config) {
  std::vector<std::string> files = corpus_paths(config), digests;
  if (!config.guided_alignment.empty()) files.push_back(config.guided_alignment);
  for (const std::string& file : files)
    if (fs::is_regular_file(file)) digests.push_back(file + ": " + file_digest(file));
  return digests;
}

std::string frozen_digest(const TrainConfig& config) {
  if (config.freeze.empty() && config.lora_rank == 0) return {};
  return weights_digest(load_model_files(config.pretrained_model));
}

bool made_by_run(const RunFile& file, const fs::path& vocabulary) {
  const auto made = std::ranges::find(file.made, vocabulary.filename().string());
  return made != file.made.end() && fs::is_regular_file(vocabulary) &&
         std::ranges::find(file.vocabularies, file_digest(vocabulary)) != file.vocabularies.end();
}

std::vector<ConfigChange> changes_between(const Entries& before, const Entries& now) {
  // Compares them as the program writes them, because a number can be written in several ways.
  RunConfig former{{}, model_config(value_of(find(before, "type")))};
  std::string type;
  assign(fields_of_run(former, type), before);
  const Entries was = former.entries();
  std::vector<ConfigChange> changes;
  for (const Entry& entry : now)
    if (const std::string old = value_of(find(was, entry.key)), young = value_of(&entry); old != young)
      changes.push_back({entry.key, old, young});
  return changes;
}

}  // namespace attune
