#include "io/arrays/zip.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "attune/error.h"

namespace attune {
namespace {

// Signatures and lengths in PKWARE's APPNOTE, 4.3.
constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr size_t kLongestComment = 65535;
constexpr uint16_t kEncrypted = 1, kStored = 0, kDeflated = 8, kExtra64 = 1;
constexpr uint32_t kIn64 = 0xffffffff;   // the real number is in the zip64 field
constexpr uint64_t kMostPerByte = 1032;  // deflate makes at most so many bytes of one
constexpr size_t kPiece = size_t{1} << 18;

using Bytes = std::span<const std::byte>;

class Archive {
 public:
  Archive(Bytes bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  template <class... Args>
  [[noreturn]] void refuse(uint64_t at, fmt::format_string<Args...> text, Args&&... args) const {
    throw UsageError(fmt::format("{}: byte {}: ", path_, at) +
                     fmt::format(text, std::forward<Args>(args)...));
  }

  Bytes part(uint64_t at, uint64_t count, std::string_view what) const {
    if (at > bytes_.size() || count > bytes_.size() - at)
      refuse(at,
             "{} should have {} bytes here, but the file has only {}; perhaps a copy or download was cut off",
             what, count, bytes_.size());
    return bytes_.subspan(static_cast<size_t>(at), static_cast<size_t>(count));
  }

  template <class T>
  static T number(Bytes bytes, size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
  }

  struct Directory {
    uint64_t begin = 0, bytes = 0, count = 0;
  };

  Directory directory() const {
    const uint64_t end = find_end();
    const Bytes record = part(end, kEndBytes, "the end of the archive");
    Directory found{number<uint32_t>(record, 16), number<uint32_t>(record, 12), number<uint16_t>(record, 10)};
    if (found.begin == kIn64 || found.bytes == kIn64 || found.count == 0xffff)
      found = directory64(end, found);
    part(found.begin, found.bytes, "the list of files");
    return found;
  }

  ZipEntry entry(uint64_t& at, uint64_t end) const {
    const Bytes head = part(at, kCentralBytes, "an entry of the list of files");
    if (number<uint32_t>(head, 0) != kCentral) refuse(at, "this should be an entry of the list of files");
    const auto name_bytes = number<uint16_t>(head, 28), extra_bytes = number<uint16_t>(head, 30),
               comment_bytes = number<uint16_t>(head, 32);
    const Bytes name = part(at + kCentralBytes, name_bytes, "the name of a file");
    ZipEntry entry{.name = {reinterpret_cast<const char*>(name.data()), name.size()},
                   .packed = number<uint32_t>(head, 20),
                   .size = number<uint32_t>(head, 24),
                   .header = number<uint32_t>(head, 42),
                   .crc = number<uint32_t>(head, 16)};
    const auto method = number<uint16_t>(head, 10);
    if ((number<uint16_t>(head, 8) & kEncrypted) != 0) refuse(at, "'{}' is encrypted", entry.name);
    if (method != kStored && method != kDeflated)
      refuse(at, "'{}' is compressed with method {}; only deflate is supported", entry.name, method);
    entry.deflated = method == kDeflated;
    read_64(part(at + kCentralBytes + name_bytes, extra_bytes, "the extra fields of a file"), entry);
    at += kCentralBytes + name_bytes + extra_bytes + comment_bytes;
    if (at > end) refuse(at, "the list of files ends within an entry");
    return entry;
  }

  Bytes packed(const ZipEntry& entry) const {
    const Bytes head = part(entry.header, kLocalBytes, "'" + entry.name + "'");
    if (number<uint32_t>(head, 0) != kLocal) refuse(entry.header, "'{}' should begin here", entry.name);
    const uint64_t begin =
        entry.header + kLocalBytes + number<uint16_t>(head, 26) + number<uint16_t>(head, 28);
    return part(begin, entry.packed, "'" + entry.name + "'");
  }

 private:
  // The record at the end; a comment may follow it.
  uint64_t find_end() const {
    if (bytes_.size() >= kEndBytes) {
      const uint64_t last = bytes_.size() - kEndBytes;
      for (uint64_t at = last + 1; at-- > last - std::min<uint64_t>(last, kLongestComment);)
        if (number<uint32_t>(bytes_, static_cast<size_t>(at)) == kEnd &&
            number<uint16_t>(bytes_, static_cast<size_t>(at) + 20) == last - at)
          return at;
    }
    throw UsageError(fmt::format(
        "{}: this is not a zip archive, or its end is missing; perhaps a copy or download was cut off",
        path_));
  }

  Directory directory64(uint64_t end, const Directory& small) const {
    if (end < kLocatorBytes) return small;
    const Bytes locator = part(end - kLocatorBytes, kLocatorBytes, "the zip64 locator");
    if (number<uint32_t>(locator, 0) != kLocator64) return small;
    const auto at = number<uint64_t>(locator, 8);
    const Bytes record = part(at, kEnd64Bytes, "the zip64 end of the archive");
    if (number<uint32_t>(record, 0) != kEnd64) refuse(at, "this should be the zip64 end of the archive");
    return {number<uint64_t>(record, 48), number<uint64_t>(record, 40), number<uint64_t>(record, 32)};
  }

  // Replaces the numbers that did not fit into 32 bits.
  void read_64(Bytes extra, ZipEntry& entry) const {
    while (extra.size() >= 4) {
      const auto id = number<uint16_t>(extra, 0), length = number<uint16_t>(extra, 2);
      if (length > extra.size() - 4U) refuse(entry.header, "an extra field of '{}' is cut off", entry.name);
      Bytes field = extra.subspan(4, length);
      extra = extra.subspan(4U + length);
      if (id != kExtra64) continue;
      for (uint64_t* value : {&entry.size, &entry.packed, &entry.header}) {
        if (*value != kIn64 || field.size() < sizeof(uint64_t)) continue;
        *value = number<uint64_t>(field, 0);
        field = field.subspan(sizeof(uint64_t));
      }
    }
  }

  Bytes bytes_;
  const std::string& path_;
};

using See = std::function<void(Bytes)>;

// What `packed` becomes, in pieces; false if it is damaged or has another size.
bool inflate_pieces(Bytes packed, uint64_t size, const See& see) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  std::vector<std::byte> piece(kPiece);
  uint64_t made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const auto in = static_cast<uInt>(std::min(kPiece, packed.size()));
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    packed = packed.subspan(in - stream.avail_in);
    const size_t out = piece.size() - stream.avail_out;
    made += out;
    if (made > size || (out == 0 && in == stream.avail_in)) break;
    see(std::span(piece).first(out));
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && made == size;
}

void see_pieces(Bytes bytes, const See& see) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(kPiece, bytes.size())))
    see(bytes.first(std::min(kPiece, bytes.size())));
}

}  // namespace

std::vector<ZipEntry> zip_entries(Bytes bytes, const std::string& path) {
  const Archive archive(bytes, path);
  const Archive::Directory directory = archive.directory();
  std::vector<ZipEntry> entries;
  uint64_t at = directory.begin;
  const uint64_t end = at + directory.bytes;
  while (at < end) entries.push_back(archive.entry(at, end));
  if (entries.size() != directory.count)
    archive.refuse(at, "the archive lists {} files, but says that it has {}", entries.size(),
                   directory.count);
  return entries;
}

void unpack_zip(Bytes bytes, const ZipEntry& entry, const std::string& path, const See& see) {
  const Archive archive(bytes, path);
  const Bytes packed = archive.packed(entry);
  uLong crc = 0;
  const auto summed = [&](Bytes piece) {
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    see(piece);
  };
  if (!entry.deflated) {
    if (entry.size != entry.packed)
      archive.refuse(entry.header, "'{}' is stored, but has two sizes, {} and {}", entry.name, entry.packed,
                     entry.size);
    see_pieces(packed, summed);
  } else {
    if (entry.size / kMostPerByte > entry.packed)
      archive.refuse(entry.header, "'{}' claims to have {} bytes, more than its {} can hold", entry.name,
                     entry.size, entry.packed);
    if (!inflate_pieces(packed, entry.size, summed))
      archive.refuse(entry.header, "'{}' is damaged: it cannot be decompressed", entry.name);
  }
  if (crc != entry.crc) archive.refuse(entry.header, "'{}' is damaged: its checksum is wrong", entry.name);
}

ZipContent zip_content(Bytes bytes, const ZipEntry& entry, const std::string& path) {
  ZipContent content;
  unpack_zip(bytes, entry, path, [&](Bytes piece) {
    if (!entry.deflated) return;
    if (content.unpacked.empty()) content.unpacked.reserve(static_cast<size_t>(entry.size));
    content.unpacked.insert(content.unpacked.end(), piece.begin(), piece.end());
  });
  content.bytes = entry.deflated ? Bytes(content.unpacked) : Archive(bytes, path).packed(entry);
  return content;
}

}  // namespace attune
