// RowFile: rows of numbers that stay in their file until they are asked for, so the file may be larger than
// the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vectors/sample_name.h"

namespace attune {

class RowFile {
 public:
  RowFile() = default;
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;
  virtual ~RowFile() = default;

  int64_t rows() const { return rows_; }
  int64_t width() const { return width_; }
  int64_t block() const { return block_; }

  // The numbers of the rows from `first` up to but without `end`; a UsageError if one is not finite.
  virtual std::vector<float> read(int64_t first, int64_t end) = 0;
  virtual size_t kept() const { return 0; }  // numbers in memory

 protected:
  int64_t rows_ = 0, width_ = 0;
  int64_t block_ = 0;  // rows of each matrix of an array with three dimensions; otherwise 0
};

// An array of NumPy (.npy, .npz) or of a .safetensors file.
std::unique_ptr<RowFile> open_array(const FilePart& part);
// Text: see number_table.h for the format and `times`. Rows that were read are kept.
std::unique_ptr<RowFile> open_text_table(const std::string& path, bool times);

}  // namespace attune
