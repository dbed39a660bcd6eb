// The header of a safetensors file: a JSON object with {"dtype", "shape", "data_offsets"} for each tensor,
// and "__metadata__".
#pragma once

#include <string>
#include <string_view>

#include "io/safetensors.h"

namespace attune::safetensors {

inline constexpr size_t kLengthBytes = 8;
inline constexpr size_t kLongestHeader = 100'000'000;  // as in the reference implementation
inline constexpr size_t kAlignment = 64;  // of the numbers; the format asks for 8 and allows more blanks
inline constexpr std::string_view kMetadata = "__metadata__";

// A checksum in the metadata: CRC-32C of the whole file in eight digits, computed with these digits set to 0.
inline constexpr std::string_view kChecksum = "attune.crc32c";
inline constexpr std::string_view kNoChecksum = "00000000";

struct Header {
  SafeTensors::Infos tensors;
  Metadata metadata;
};

// Bytes of one number; nothing for a type that the format does not have.
std::optional<size_t> bytes_of_type(std::string_view type);
std::string_view type_of(DType dtype);

// `where` is the file, for messages. Checks the form of the header, and for each tensor that its shape and
// its offsets agree.
Header parse_header(std::string_view text, const std::string& where);

// Padded with blanks so that the numbers are aligned.
std::string write_header(const Header& header, const std::string& where);

// Where the digits of the checksum are in a header made by write_header.
std::optional<size_t> find_checksum(std::string_view header);

}  // namespace attune::safetensors
