#include "io/files/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

namespace attune {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Crc32c, gives_the_published_values) {
  EXPECT_EQ(crc32c(bytes("123456789")), 0xE3069283u);  // the check value of the catalogue of CRCs
  // RFC 3720, appendix B.4.
  std::vector<uint8_t> numbers(32, 0);
  EXPECT_EQ(crc32c(std::as_bytes(std::span(numbers))), 0x8A9136AAu);
  std::iota(numbers.begin(), numbers.end(), uint8_t{0});
  EXPECT_EQ(crc32c(std::as_bytes(std::span(numbers))), 0x46DD794Eu);
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc32c, can_be_taken_piece_by_piece) {
  const auto all = bytes("attention is a soft look-up in a table of values");
  for (size_t cut = 0; cut <= all.size(); ++cut)
    EXPECT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), crc32c(all));
}

TEST(Crc32c, the_instruction_and_the_tables_agree) {
  std::vector<uint8_t> numbers(1000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint8_t>(i * i + i / 7);
  const auto all = std::as_bytes(std::span(numbers));
  for (size_t begin = 0; begin < 9; ++begin)
    for (const size_t size : {0, 1, 7, 8, 9, 63, 64, 65, 900})
      EXPECT_EQ(crc32c(all.subspan(begin, size), 77), crc32c_by_tables(all.subspan(begin, size), 77));
}

}  // namespace
}  // namespace attune
