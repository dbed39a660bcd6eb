// Named tensors in a file in the safetensors format (https://huggingface.co/docs/safetensors): eight bytes
// with the length of a JSON header, the header, then the numbers, little-endian and without gaps. What attune
// writes also carries a checksum of the whole file.
#pragma once

#include <bit>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attune/tensor.h"
#include "io/files/file.h"

namespace attune {

static_assert(std::endian::native == std::endian::little, "tensors are read as they are in the file");

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

using Metadata = std::map<std::string, std::string>;  // free text about the file

// Names are unique. Tensors with the largest number type come first, then they are sorted by name, so the
// same input gives the same bytes. The file appears complete or not at all.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata = {});

// A file whose header has been fully checked: any fault is a UsageError that says where it is.
class SafeTensors {
 public:
  struct Info {
    std::string type;  // as the file calls it: "F32"
    Shape shape;
    size_t begin = 0, end = 0;  // bytes in the section of the numbers
  };
  using Infos = std::map<std::string, Info, std::less<>>;

  // The content is compared with its checksum. Files from other tools have none, which may be acceptable.
  enum class Checksum { if_there, needed };

  // read() copies the file into memory and is safe whatever happens to it; map() maps it, see FileBytes.
  static SafeTensors read(const std::filesystem::path& path, Checksum checksum = Checksum::if_there);
  static SafeTensors map(const std::filesystem::path& path, Checksum checksum = Checksum::if_there);

  const std::filesystem::path& path() const { return file_->path(); }
  size_t bytes() const { return file_->bytes().size(); }
  const Infos& tensors() const { return tensors_; }
  const Metadata& metadata() const { return metadata_; }

  // A view that keeps the file's bytes alive. A UsageError if there is no such tensor, or if it has a type
  // that attune does not compute with.
  Tensor tensor(std::string_view name) const;
  static std::optional<DType> dtype_of(const Info& info);
  // The numbers as f32, of the types F16, BF16, F32 (a view) and F64.
  Tensor floats(std::string_view name) const;

 private:
  SafeTensors() = default;
  void parse();
  const Info& info_of(std::string_view name) const;

  std::shared_ptr<const FileBytes> file_;
  std::span<std::byte> numbers_;
  Infos tensors_;
  Metadata metadata_;
};

}  // namespace attune
