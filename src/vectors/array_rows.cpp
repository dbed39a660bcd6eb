// Arrays of numbers in files: a sample is read from its place in the file.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "attune/error.h"
#include "io/arrays/npz.h"
#include "io/files/parts.h"
#include "io/safetensors.h"
#include "vectors/row_file.h"

namespace attune {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw UsageError(fmt::format("{}: {}", name, what));
}

// Where an array is and how its numbers are stored.
struct ArrayPlace {
  Descriptor file;
  uint64_t begin = 0;
  std::vector<int64_t> shape = {};
  bool fortran = false;  // the first index changes fastest
  NpyType type = NpyType::f4;
  bool bf16 = false;  // the upper halves of f4
};

// The array that a part names, or the only one.
template <class Arrays>
std::string array_name(const Arrays& arrays, const FilePart& part) {
  if (!part.array.empty()) return part.array;
  if (arrays.size() == 1) return arrays.begin()->first;
  refuse(part.path, fmt::format("it has {} arrays; write which one: {}:NAME", arrays.size(), part.path));
}

ArrayPlace place_of(Descriptor file, uint64_t begin, const NpyArray& array) {
  return {std::move(file), begin, array.shape, array.fortran, array.type};
}

ArrayPlace in_safetensors(const FilePart& part) {
  const SafeTensors file = SafeTensors::map(part.path);
  const std::string name = array_name(file.tensors(), part);
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) refuse(part.path, fmt::format("there is no tensor '{}'", name));
  const SafeTensors::Info& info = found->second;
  ArrayPlace place{open_to_read(part.path)};
  for (int i = 0; i < info.shape.rank(); ++i) place.shape.push_back(info.shape[i]);
  uint64_t header = 0;  // its length: the first eight bytes
  read_part(place.file, 0, std::as_writable_bytes(std::span(&header, 1)), part.path);
  place.begin = sizeof(header) + header + info.begin;
  static constexpr std::array<std::pair<const char*, NpyType>, 9> kTypes{{{"F16", NpyType::f2},
                                                                          {"F32", NpyType::f4},
                                                                          {"F64", NpyType::f8},
                                                                          {"I8", NpyType::i1},
                                                                          {"I16", NpyType::i2},
                                                                          {"I32", NpyType::i4},
                                                                          {"I64", NpyType::i8},
                                                                          {"U8", NpyType::u1},
                                                                          {"BOOL", NpyType::b1}}};
  place.bf16 = info.type == "BF16";
  if (place.bf16) return place;
  for (const auto& [text, type] : kTypes)
    if (info.type == text) {
      place.type = type;
      return place;
    }
  refuse(part.path, fmt::format("'{}' has numbers of type {}, which is not supported", name, info.type));
}

ArrayPlace find_array(const FilePart& part) {
  if (part.path.ends_with(".npz")) {
    const Npz file(part.path);
    Npz::Place place = file.place(array_name(file.arrays(), part));
    return place_of(std::move(place.file), place.begin, place.array);
  }
  if (part.path.ends_with(".safetensors")) return in_safetensors(part);
  const auto file = FileBytes::map(part.path);
  const NpyArray array = parse_npy(file->bytes(), part.path);
  return place_of(open_to_read(part.path), static_cast<uint64_t>(array.numbers.data() - file->bytes().data()),
                  array);
}

class ArrayRows final : public RowFile {
 public:
  explicit ArrayRows(const FilePart& part) : path_(part.path), place_(find_array(part)) {
    const auto& shape = place_.shape;
    if (shape.size() != 2 && shape.size() != 3)
      refuse(path_, fmt::format("an array of shape [{}]; it should have two dimensions (rows, numbers) or "
                                "three (samples, rows, numbers)",
                                fmt::join(shape, ", ")));
    if (std::ranges::find(shape, 0) != shape.end()) refuse(path_, "there are no numbers in it");
    width_ = shape.back();
    rows_ = shape.size() == 3 ? shape[0] * shape[1] : shape[0];
    block_ = shape.size() == 3 ? shape[1] : 0;
  }

  std::vector<float> read(int64_t first, int64_t end) override {
    std::vector<float> numbers(static_cast<size_t>((end - first) * width_));
    if (!place_.fortran) {
      read_run(first * width_, numbers);
    } else if (block_ == 0) {  // columns
      std::vector<float> column(static_cast<size_t>(end - first));
      for (int64_t c = 0; c < width_; ++c) {
        read_run(c * rows_ + first, column);
        for (size_t r = 0; r < column.size(); ++r)
          numbers[r * static_cast<size_t>(width_) + static_cast<size_t>(c)] = column[r];
      }
    } else {  // [samples, block, width]: each number of a sample stands alone
      const int64_t samples = rows_ / block_;
      for (size_t i = 0; i < numbers.size(); ++i) {
        const int64_t row = first + static_cast<int64_t>(i) / width_, c = static_cast<int64_t>(i) % width_;
        read_run(row / block_ + samples * (row % block_ + block_ * c), std::span(numbers).subspan(i, 1));
      }
    }
    for (size_t i = 0; i < numbers.size(); ++i)
      if (!std::isfinite(numbers[i]))
        refuse(path_, fmt::format("row {} has a number that is not finite; fill the gap or leave it out",
                                  first + static_cast<int64_t>(i) / width_));
    return numbers;
  }

 private:
  // Numbers that stand one after another in the file, from this one on.
  void read_run(int64_t first, std::span<float> to) const {
    const size_t each = place_.bf16 ? sizeof(uint16_t) : bytes_of(place_.type);
    std::vector<std::byte> bytes(each * to.size());
    read_part(place_.file, place_.begin + each * static_cast<uint64_t>(first), bytes, path_);
    if (!place_.bf16) return to_floats(place_.type, bytes, to);
    for (size_t i = 0; i < to.size(); ++i) {
      uint16_t half = 0;
      std::memcpy(&half, bytes.data() + i * each, each);
      to[i] = std::bit_cast<float>(static_cast<uint32_t>(half) << 16U);
    }
  }

  std::string path_;
  ArrayPlace place_;
};

}  // namespace

std::unique_ptr<RowFile> open_array(const FilePart& part) { return std::make_unique<ArrayRows>(part); }

}  // namespace attune
