#include "io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "io/files/crc32c.h"
#include "io/half.h"
#include "io/safetensors_header.h"
#include "tensor/dispatch.h"
#include "tensor/storage.h"

namespace attune {
namespace {

using namespace safetensors;

template <class... Args>
[[noreturn]] void refuse(const std::filesystem::path& path, fmt::format_string<Args...> text,
                         Args&&... args) {
  throw UsageError(path.string() + ": " + fmt::format(text, std::forward<Args>(args)...));
}

// Calls visit(bytes) for the numbers of a tensor, in order.
template <class Visit>
void for_each_piece(const Tensor& tensor, const Visit& visit) {
  dispatch_any(tensor.dtype(), [&]<class T>() {
    if (tensor.contiguous()) return visit(std::as_bytes(tensor.span<T>()));
    for (int64_t r = 0; r < tensor.rows(); ++r) visit(std::as_bytes(tensor.row<T>(r)));
  });
}

std::array<std::byte, kLengthBytes> bytes_of_length(size_t length) {
  return std::bit_cast<std::array<std::byte, kLengthBytes>>(uint64_t{length});
}

// Largest numbers first: each tensor is then aligned for its type.
std::vector<const NamedTensor*> in_order(std::span<const NamedTensor> tensors) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& entry : tensors) order.push_back(&entry);
  std::ranges::sort(order, [](const NamedTensor* a, const NamedTensor* b) {
    const size_t size_a = bytes_of(a->tensor.dtype()), size_b = bytes_of(b->tensor.dtype());
    return size_a != size_b ? size_a > size_b : a->name < b->name;
  });
  return order;
}

Header header_of(std::span<const NamedTensor* const> tensors, const Metadata& metadata,
                 const std::filesystem::path& path) {
  Header header{{}, metadata};
  header.metadata[std::string(kChecksum)] = kNoChecksum;
  size_t position = 0;
  for (const NamedTensor* entry : tensors) {
    const auto& [name, tensor] = *entry;
    const size_t begin = position;
    position += static_cast<size_t>(tensor.size()) * bytes_of(tensor.dtype());
    const bool fresh = header.tensors
                           .emplace(name, SafeTensors::Info{std::string(type_of(tensor.dtype())),
                                                            tensor.shape(), begin, position})
                           .second;
    check(fresh && name != kMetadata, "{}: the name '{}' cannot be given to {}", path.string(), name,
          fresh ? "a tensor" : "two tensors");
  }
  return header;
}

// The tensors follow each other without gaps, from the first byte of the section to its last.
void check_layout(const SafeTensors::Infos& tensors, size_t section, const std::filesystem::path& path) {
  std::vector<const SafeTensors::Infos::value_type*> order;
  for (const auto& entry : tensors) order.push_back(&entry);
  std::ranges::sort(order, {},
                    [](const auto* entry) { return std::pair(entry->second.begin, entry->second.end); });
  size_t position = 0;
  for (const auto* entry : order) {
    const auto& [name, info] = *entry;
    if (info.begin != position)
      refuse(path, "'{}' begins at byte {} of the numbers, but the tensors before it end at {}", name,
             info.begin, position);
    position = info.end;
  }
  if (position > section)
    refuse(path, "{} bytes are missing at its end; was a copy or download cut off?", position - section);
  if (position < section) refuse(path, "{} bytes follow that belong to no tensor", section - position);
}

// The checksum of a file whose pieces come in order, computed as if its own digits were kNoChecksum.
class Sum {
 public:
  void add(std::span<const std::byte> piece) {
    if (head_.size() < needed_) {  // the header is collected first: it says where the digits are
      const auto more = piece.first(std::min(piece.size(), needed_ - head_.size()));
      head_.append(reinterpret_cast<const char*>(more.data()), more.size());
      piece = piece.subspan(more.size());
      if (head_.size() < needed_) return;
      if (needed_ == kLengthBytes) {
        uint64_t length = 0;
        std::memcpy(&length, head_.data(), kLengthBytes);
        needed_ += std::min<uint64_t>(length, kLongestHeader);
        return add(piece);
      }
      digits_ = find_checksum(header());
      std::string blank = head_;
      if (digits_) {
        said_ = header().substr(*digits_, kNoChecksum.size());
        blank.replace(kLengthBytes + *digits_, kNoChecksum.size(), kNoChecksum);
      }
      sum_ = crc32c(std::as_bytes(std::span(blank)));
    }
    if (digits_) sum_ = crc32c(piece, sum_);
  }

  // A UsageError if it is not the one in the file.
  void compare(const std::filesystem::path& path, bool needed) const {
    if (needed && !digits_)
      refuse(path, "it has no checksum; it was not written by attune, or it is damaged");
    if (digits_ && said_ != fmt::format("{:08x}", sum_))
      refuse(path,
             "its content does not match its checksum; it is damaged, or another program is writing it");
  }

 private:
  std::string_view header() const { return std::string_view(head_).substr(kLengthBytes); }

  std::string head_, said_;
  size_t needed_ = kLengthBytes;
  std::optional<size_t> digits_;
  uint32_t sum_ = 0;
};

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  const auto order = in_order(tensors);
  std::string header = write_header(header_of(order, metadata, path), path.string());
  check(header.size() <= kLongestHeader, "{}: the names and texts of the file are too long", path.string());
  const auto length = bytes_of_length(header.size());
  uint32_t sum = crc32c(std::as_bytes(std::span(header)), crc32c(length));
  for (const NamedTensor* entry : order)
    for_each_piece(entry->tensor, [&](std::span<const std::byte> bytes) { sum = crc32c(bytes, sum); });
  header.replace(find_checksum(header).value(), kNoChecksum.size(), fmt::format("{:08x}", sum));

  AtomicFile file(path);
  file.write(length);
  file.write(header);
  for (const NamedTensor* entry : order)
    for_each_piece(entry->tensor, [&](std::span<const std::byte> bytes) { file.write(bytes); });
  file.commit();
}

SafeTensors SafeTensors::read(const std::filesystem::path& path, Checksum checksum) {
  SafeTensors file;
  Sum sum;
  file.file_ = FileBytes::read(path, [&](std::span<const std::byte> piece) { sum.add(piece); });
  file.parse();
  sum.compare(path, checksum == Checksum::needed);
  return file;
}

// The checksum, if there is one, is computed from bytes that are read and dropped, so that the pages of the
// mapping stay untouched.
SafeTensors SafeTensors::map(const std::filesystem::path& path, Checksum checksum) {
  SafeTensors file;
  file.file_ = FileBytes::map(path);
  file.parse();
  Sum sum;
  const auto bytes = file.file_->bytes();
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size() - file.numbers_.size());
  if (find_checksum(head.substr(kLengthBytes)))
    see_file(path, [&](std::span<const std::byte> piece) { sum.add(piece); });
  sum.compare(path, checksum == Checksum::needed);
  return file;
}

void SafeTensors::parse() {
  const std::filesystem::path& path = file_->path();
  const std::span<std::byte> bytes = file_->bytes();
  if (bytes.size() < kLengthBytes)
    refuse(path, "it has {} bytes, too few for a safetensors file", bytes.size());
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kLongestHeader)
    refuse(path, "this is not a safetensors file: its header would be {} bytes long", length);
  if (length > bytes.size() - kLengthBytes)
    refuse(path, "it ends within its header: {} of {} bytes are there; was a copy or download cut off?",
           bytes.size() - kLengthBytes, length);
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
  numbers_ = bytes.subspan(kLengthBytes + length);
  Header parsed = parse_header(header, path.string());
  check_layout(parsed.tensors, numbers_.size(), path);
  tensors_ = std::move(parsed.tensors);
  metadata_ = std::move(parsed.metadata);
}

std::optional<DType> SafeTensors::dtype_of(const Info& info) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i32, DType::i8, DType::bf16})
    if (info.type == type_of(dtype)) return dtype;
  return std::nullopt;
}

const SafeTensors::Info& SafeTensors::info_of(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) refuse(path(), "there is no tensor '{}'", name);
  return found->second;
}

Tensor SafeTensors::floats(std::string_view name) const {
  const Info& info = info_of(name);
  if (info.type == "F32") return tensor(name);
  if (info.type == "F64" || info.type == "BF16") return tensor(name).to(DType::f32);
  if (info.type != "F16")
    refuse(path(), "'{}' has numbers of type {}; weights should be F32, F16, BF16 or F64", name, info.type);
  const Tensor result(info.shape);
  const std::byte* from = numbers_.data() + info.begin;
  for (float& number : result.span<float>()) {
    uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof(bits));
    from += sizeof(bits);
    number = from_half(bits);
  }
  return result;
}

Tensor SafeTensors::tensor(std::string_view name) const {
  const Info& info = info_of(name);
  const auto dtype = dtype_of(info);
  if (!dtype)
    refuse(path(), "'{}' has numbers of type {}; attune takes F32, F64, BF16, I32 and I8", name, info.type);
  std::byte* begin = numbers_.data() + info.begin;
  if (reinterpret_cast<uintptr_t>(begin) % bytes_of(*dtype) == 0) {
    Tensor view = Tensor::borrow(info.shape, *dtype, begin, file_);
    view.storage()->of_file = file_->mapped();
    return view;
  }
  Tensor copy(info.shape, *dtype);  // files from other tools need not be aligned
  dispatch_any(*dtype, [&]<class T>() { std::memcpy(copy.data<T>(), begin, info.end - info.begin); });
  return copy;
}

}  // namespace attune
