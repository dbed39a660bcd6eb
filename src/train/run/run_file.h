// RunFile: what a run says of itself, in run.json in its folder: its configuration, what it was trained on,
// which files it has made and which of its models is the best.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "text/vocabulary/vocabularies.h"
#include "train/train_config.h"

namespace attune {

struct RunFile {
  int64_t format = 1;
  std::string best;                       // the model folder in the run's, once it is there
  std::vector<std::string> vocabularies;  // digests: of one that is shared, or of source and target
  std::vector<std::string> made;          // names of the vocabulary files that the run has made in its folder
  std::vector<std::string> corpus;        // "data/train.en: 1801236 bytes, 1f2e3d4c"
  Entries configuration;

  static void fields(FieldsOf<RunFile> f);
};

// Nothing if there is no such file.
std::optional<RunFile> read_run_file(const std::filesystem::path& folder);
void write_run_file(const std::filesystem::path& folder, const RunFile& file, const RunConfig& config);

std::vector<std::string> digests_of(const Vocabularies& vocabularies);
// Of the files that the configuration names; what is no regular file has none.
std::vector<std::string> corpus_digests(const TrainConfig& config);

// A vocabulary file that the run has made in its folder and that nobody has changed since.
bool made_by_run(const RunFile& file, const std::filesystem::path& vocabulary);

// What differs between two configurations, key by key. A key that did not exist when a run was started has
// its default.
struct ConfigChange {
  std::string key, was, is;
  std::string text() const { return key + ": " + was + " -> " + is; }
};
std::vector<ConfigChange> changes_between(const Entries& before, const Entries& now);

}  // namespace attune
