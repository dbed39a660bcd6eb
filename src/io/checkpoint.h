// Checkpoints: what training needs to resume as if it had never stopped, as named tensors and one JSON
// document. The last few are kept, as `DIRECTORY/update-00001234.safetensors`. Each carries a checksum, which
// is verified when it is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors.h"

namespace attune {

struct Checkpoint {
  int64_t number = 0;  // of the update after which it was saved
  SafeTensors tensors;
  std::string state;  // the JSON document
};

class CheckpointFolder {
 public:
  // The last `keep` checkpoints are kept.
  CheckpointFolder(std::filesystem::path directory, int64_t keep);

  // Makes the directory if necessary. When it returns, the checkpoint is on disk; after an Error, all former
  // ones are as they were.
  void save(int64_t number, std::span<const NamedTensor> tensors, std::string_view state) const;

  // Keeps the last `keep` up to this one, which was just saved. A damaged one does not count and is removed
  // with the older ones. Higher numbers are left alone: they are damaged checkpoints that training will write
  // again, or belong to a run that somebody may still want.
  void prune(int64_t number) const;
  void remove(int64_t number) const;

  // The newest that can be read; unreadable ones are reported, one sentence each. Nothing if there is none; a
  // UsageError if all of them are damaged: starting over must then be the user's decision.
  using Report = std::function<void(const std::string&)>;
  std::optional<Checkpoint> latest(const Report& report) const;

  // The last `count` that can be read, newest first; the others are reported.
  std::vector<Checkpoint> newest(int64_t count, const Report& report) const;

  Checkpoint read(int64_t number) const;
  std::vector<int64_t> numbers() const;  // of all checkpoints, in order
  std::filesystem::path path_of(int64_t number) const;

 private:
  bool readable(int64_t number) const;

  std::filesystem::path directory_;
  int64_t keep_;
};

}  // namespace attune
