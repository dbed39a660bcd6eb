// TableFiles: tables of numbers by the names of their files: text (CSV, TSV), .npy, .npz, .safetensors.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "vectors/row_file.h"
#include "vectors/vectors.h"

namespace attune {

// Files that were used lately stay open, with the rows of text that were read from them, up to 256 MB. May be
// used by several threads.
class TableFiles {
 public:
  explicit TableFiles(bool times = false) : times_(times) {}  // see read_number_table

  // The rows of a part of a file; a UsageError says what is wrong with it.
  Vectors read(const FilePart& part) const;

 private:
  RowFile& opened(const FilePart& part) const;
  void make_room() const;

  bool times_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<RowFile>> open_;
};

}  // namespace attune
