// RunFile: the description of a run, in run.json in its folder: its configuration, its training data, the
// files that it has made and the best of its models.
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
  std::string best;                       // name of the model folder within the run's, once it exists
  std::vector<std::string> vocabularies;  // digests: of one that is shared, or of source and target
  std::vector<std::string> made;          // names of the vocabulary files that the run has made in its folder
  std::vector<std::string> corpus;        // "data/train.en: 1801236 bytes, 1f2e3d4c"
  std::string frozen;                     // frozen_digest()
  Entries configuration;

  static void fields(FieldsOf<RunFile> f);
};

// Empty if there is no such file.
std::optional<RunFile> read_run_file(const std::filesystem::path& folder);
void write_run_file(const std::filesystem::path& folder, const RunFile& file, const RunConfig& config);

std::vector<std::string> digests_of(const Vocabularies& vocabularies);
// Digests of the files that the configuration names, except those that are not regular files.
std::vector<std::string> corpus_digests(const TrainConfig& config);

// Of the pretrained model's weights, if some of them stay as they are.
std::string frozen_digest(const TrainConfig& config);

// Whether this is a vocabulary file that the run has made in its folder and nobody has changed since.
bool made_by_run(const RunFile& file, const std::filesystem::path& vocabulary);

// The differences between two configurations, key by key. A key that did not exist when a run was started has
// its default.
struct ConfigChange {
  std::string key, was, is;
  std::string text() const { return key + ": " + was + " -> " + is; }
};
std::vector<ConfigChange> changes_between(const Entries& before, const Entries& now);

}  // namespace attune
