#include "vectors/table_files.h"

#include <fmt/core.h>

#include <cmath>

#include "attune/error.h"
#include "io/arrays/npz.h"
#include "io/safetensors.h"
#include "vectors/number_table.h"

namespace attune {
namespace {

constexpr size_t kMostNumbers = size_t{1} << 26;  // that are kept

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw UsageError(fmt::format("{}: {}", name, what));
}

// The array that a part names, or the only one.
template <class Arrays>
std::string array_name(const Arrays& arrays, const FilePart& part) {
  if (!part.array.empty()) return part.array;
  if (arrays.size() == 1) return arrays.begin()->first;
  refuse(part.path, fmt::format("it has {} arrays; write which one: {}:NAME", arrays.size(), part.path));
}

Tensor array_of(const FilePart& part) {
  if (part.path.ends_with(".npz")) {
    const Npz file(part.path);
    return file.tensor(array_name(file.arrays(), part));
  }
  if (part.path.ends_with(".safetensors")) {
    const SafeTensors file = SafeTensors::map(part.path);
    return file.tensor(array_name(file.tensors(), part)).to(DType::f32);
  }
  const auto file = FileBytes::map(part.path);
  return tensor_of(parse_npy(file->bytes(), part.path), part.path);
}

bool is_array(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".npz") || path.ends_with(".safetensors");
}

}  // namespace

TableFiles::Table TableFiles::load(const FilePart& part) const {
  if (!is_array(part.path)) return {read_number_table(read_file(part.path), part.path, times_)};
  const Tensor array = array_of(part);
  const int rank = array.shape().rank();
  if (rank != 2 && rank != 3)
    refuse(part.path, fmt::format("an array of shape {}; it should have two dimensions (rows, numbers) or "
                                  "three (samples, rows, numbers)",
                                  array.shape().str()));
  const int64_t width = array.shape()[rank - 1];
  if (array.size() == 0) refuse(part.path, "there are no numbers in it");
  const auto numbers = array.span<float>();
  for (size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      refuse(part.path, fmt::format("row {} has a number that is not finite; fill the gap or leave it out",
                                    static_cast<int64_t>(i) / width));
  return {{array.size() / width, width, {numbers.begin(), numbers.end()}}, rank == 3 ? array.shape()[1] : 0};
}

std::shared_ptr<const TableFiles::Table> TableFiles::table(const FilePart& part) const {
  const std::string key = part.path + ":" + part.array;
  const std::scoped_lock lock(mutex_);
  if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  const auto loaded = std::make_shared<const Table>(load(part));
  if (numbers_ + loaded->rows.numbers.size() > kMostNumbers) {
    kept_.clear();
    numbers_ = 0;
  }
  numbers_ += loaded->rows.numbers.size();
  kept_[key] = loaded;
  return loaded;
}

Vectors TableFiles::read(const FilePart& part) const {
  const auto whole = table(part);
  const Vectors& all = whole->rows;
  int64_t first = part.first.value_or(0), last = part.last.value_or(all.rows);
  if (part.number) {
    if (whole->block == 0)
      refuse(part.path,
             fmt::format("sample {} of it was asked for, but it is one table; write FIRST-LAST for "
                         "some of its rows",
                         *part.number));
    if (*part.number >= all.rows / whole->block)
      refuse(part.path,
             fmt::format("there is no sample {}; it has {}", *part.number, all.rows / whole->block));
    first = *part.number * whole->block;
    last = first + whole->block;
  } else if (whole->block > 0) {
    refuse(part.path,
           fmt::format("it has {} samples; write which one: {}:0", all.rows / whole->block, part.path));
  }
  if (last > all.rows) refuse(part.path, fmt::format("there is no row {}; it has {}", last - 1, all.rows));
  const auto at = [&](int64_t row) { return all.numbers.begin() + row * all.width; };
  return {last - first, all.width, {at(first), at(last)}};
}

}  // namespace attune
