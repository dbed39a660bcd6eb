// Named tensors in a file, in the format safetensors (https://huggingface.co/docs/safetensors): eight bytes
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
#include "io/file.h"

namespace attune {

static_assert(std::endian::native == std::endian::little, "tensors are read as they lie in the file");

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

using Metadata = std::map<std::string, std::string>;  // free words about the file

// Names are unique. The largest numbers come first, then tensors go by name: the same input gives the same
// bytes. The file appears as a whole or not at all.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata = {});

// A file whose header was checked in full: what is wrong with it is a UsageError that says where.
class SafeTensors {
 public:
  struct Info {
    std::string type;  // as the file calls it: "F32"
    Shape shape;
    size_t begin = 0, end = 0;  // bytes in the section of the numbers
  };
  using Infos = std::map<std::string, Info, std::less<>>;

  // The content is compared with its checksum. Files of others have none, which may be good enough.
  enum class Checksum { if_there, needed };

  // In memory of its own, whatever becomes of the file; or mapped, for which see FileBytes.
  static SafeTensors read(const std::filesystem::path& path, Checksum checksum = Checksum::if_there);
  static SafeTensors map(const std::filesystem::path& path, Checksum checksum = Checksum::if_there);

  const std::filesystem::path& path() const { return file_->path(); }
  size_t bytes() const { return file_->bytes().size(); }
  const Infos& tensors() const { return tensors_; }
  const Metadata& metadata() const { return metadata_; }

  // Views of the file's bytes, which live as long as they do. A UsageError if there is no such
  // tensor, or one of a type that attune does not compute with.
  Tensor tensor(std::string_view name) const;
  static std::optional<DType> dtype_of(const Info& info);

 private:
  SafeTensors() = default;
  void parse();

  std::shared_ptr<const FileBytes> file_;
  std::span<std::byte> numbers_;
  Infos tensors_;
  Metadata metadata_;
};

}  // namespace attune
