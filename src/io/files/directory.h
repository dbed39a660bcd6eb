// A directory that appears under its name complete or not at all (docs/decisions/0006-files.md).
#pragma once

#include <filesystem>

#include "io/files/temporary.h"

namespace attune {

// Fill path(), then commit(): the directory takes its name and replaces a former one. Without commit(), and
// after any Error, the former one is unchanged and nothing is left behind.
class AtomicDirectory {
 public:
  explicit AtomicDirectory(std::filesystem::path target);
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;
  ~AtomicDirectory();

  const std::filesystem::path& path() const { return temporary_.path; }
  void commit();  // on disk when it returns

 private:
  std::filesystem::path target_;
  Temporary temporary_;
};

// Makes a directory and its missing parents; they are on disk when it returns.
void make_directories(const std::filesystem::path& path);

// Where to read the directory `target`: there or, if a crash came between the two steps of
// replace_in_two_steps, where its former state was set aside.
std::filesystem::path present_directory(const std::filesystem::path& target);

// How `from` becomes `target` on file systems that cannot exchange two names: the former `target` is renamed
// to `.NAME.attune-old`, `from` takes its name, and the renamed one is removed.
void replace_in_two_steps(const std::filesystem::path& from, const std::filesystem::path& target);

}  // namespace attune
