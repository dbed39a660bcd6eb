// TableFiles: tables of numbers by the names of their files: text (CSV, TSV), .npy, .npz, .safetensors.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "vectors/sample_name.h"
#include "vectors/vectors.h"

namespace attune {

// Tables that were read lately are kept, up to 256 MB of them. May be used by several threads.
class TableFiles {
 public:
  explicit TableFiles(bool times = false) : times_(times) {}  // see read_number_table

  // The rows of a part of a file; a UsageError says what is wrong with it.
  Vectors read(const FilePart& part) const;

 private:
  struct Table {
    Vectors rows;
    int64_t block = 0;  // rows of each matrix of an array with three dimensions; otherwise 0
  };
  Table load(const FilePart& part) const;
  std::shared_ptr<const Table> table(const FilePart& part) const;

  bool times_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Table>> kept_;
  mutable size_t numbers_ = 0;  // that they have
};

}  // namespace attune
