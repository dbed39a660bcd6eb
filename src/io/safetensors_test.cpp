#include "io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "attune/error.h"
#include "attune/random.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_error, testing::get, testing::put, testing::ScratchFolder;

// A file as the format's description has it, without our writer.
std::string file_of(const std::string& header, std::string_view numbers) {
  std::string length;
  for (size_t i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i));
  return length + header + std::string(numbers);
}

// Little-endian: 2.5 (F64), 1 and -2 (F32), -7 (I32), 1, -1, 127 (I8).
constexpr std::string_view kNumbers(
    "\0\0\0\0\0\0\x04\x40"
    "\0\0\x80\x3f\0\0\0\xc0"
    "\xf9\xff\xff\xff"
    "\x01\xff\x7f",
    23);

// Blanks fill the header up to 64 bytes. The checksum was computed bit by bit in Python, over the file with
// zeros in its place.
const std::string kGolden = file_of(R"({"__metadata__":{"attune.crc32c":"5b24564e","who":"me"},)"
                                    R"("z":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                                    R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},)"
                                    R"("i":{"dtype":"I32","shape":[1],"data_offsets":[16,20]},)"
                                    R"("b":{"dtype":"I8","shape":[3],"data_offsets":[20,23]},)"
                                    R"("e":{"dtype":"I8","shape":[0,7],"data_offsets":[23,23]}})" +
                                        std::string(47, ' '),
                                    kNumbers);

std::vector<NamedTensor> golden_tensors() {
  return {{"a", Tensor::of<float>({2, 1}, {1, -2})},
          {"b", Tensor::of<int8_t>({3}, {1, -1, 127})},
          {"e", Tensor::zeros({0, 7}, DType::i8)},
          {"i", Tensor::of<int32_t>({1}, {-7})},
          {"z", Tensor::of<double>({}, {2.5})}};
}

TEST(SafeTensors, are_written_byte_for_byte_as_they_should_be) {
  const ScratchFolder folder;
  write_safetensors(folder / "f", golden_tensors(), {{"who", "me"}});
  EXPECT_EQ(get(folder / "f"), kGolden);
}

TEST(SafeTensors, are_read_from_a_file_made_by_hand) {
  const ScratchFolder folder;
  put(folder / "f", kGolden);
  const SafeTensors file = SafeTensors::read(folder / "f", SafeTensors::Checksum::needed);
  EXPECT_EQ(file.metadata().at("who"), "me");
  EXPECT_EQ(file.tensors().size(), 5u);
  for (const auto& [name, expected] : golden_tensors()) {
    EXPECT_EQ(file.tensor(name).dtype(), expected.dtype());
    testing::expect_close(file.tensor(name), expected, 0, name);
  }
}

TEST(SafeTensors, of_others_may_be_unaligned_have_other_types_and_blanks) {
  const ScratchFolder folder;
  const std::string header = R"( { "x" : {"shape": [2], "data_offsets": [1, 9], "dtype": "F32"},)"
                             R"("h": {"dtype": "F16", "shape": [0], "data_offsets": [9, 9]},)"
                             R"("u": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]} } )";
  for (size_t blanks = 0; blanks < 4; ++blanks) {
    put(folder / "f",
        file_of(header + std::string(blanks, ' '), "\x07" + std::string(kNumbers.substr(8, 8))));
    const SafeTensors file = SafeTensors::read(folder / "f");
    testing::expect_close(file.tensor("x"), Tensor::of<float>({2}, {1, -2}), 0, "x");
    expect_error([&] { (void)file.tensor("h"); },
                 "'h' has numbers of type F16; attune takes F32, F64, BF16, I32 and I8");
    expect_error([&] { (void)file.tensor("y"); }, "there is no tensor 'y'");
  }
  expect_error([&] { SafeTensors::read(folder / "f", SafeTensors::Checksum::needed); }, "it has no checksum");
}

TEST(SafeTensors, bf16_numbers_stay_and_can_be_read_as_f32) {
  const ScratchFolder folder;
  const Tensor numbers = Tensor::of<float>({3}, {1, -2.5, 1e30f});
  write_safetensors(folder / "f", std::vector<NamedTensor>{{"x", numbers.to(DType::bf16)}});
  const SafeTensors file = SafeTensors::read(folder / "f");
  EXPECT_EQ(file.tensor("x").dtype(), DType::bf16);
  testing::expect_close(file.floats("x"), numbers, 1. / 256, "x");
  EXPECT_EQ(file.floats("x").data<float>()[1], -2.5f);
}

TEST(SafeTensors, tensors_are_what_was_read_and_outlive_it) {
  const ScratchFolder folder;
  write_safetensors(folder / "f", golden_tensors());
  Tensor first, second;
  {
    const SafeTensors file = SafeTensors::read(folder / "f");
    first = file.tensor("a");
    second = file.tensor("a");
  }
  std::filesystem::remove(folder / "f");
  EXPECT_EQ(first.data<float>(), second.data<float>()) << "no copies";
  EXPECT_EQ(first.data<float>()[1], -2);
}

// As `cp` does it: the same file, first without content, then with another.
TEST(SafeTensors, stay_as_they_were_read_whatever_becomes_of_the_file) {
  const ScratchFolder folder;
  write_safetensors(folder / "f", golden_tensors());
  const SafeTensors file = SafeTensors::read(folder / "f");
  std::ofstream(folder / "f", std::ios::trunc).flush();
  EXPECT_EQ(file.tensor("a").data<float>()[1], -2);
  std::ofstream(folder / "f", std::ios::trunc) << std::string(file.bytes(), 'x');
  EXPECT_EQ(file.tensor("a").data<float>()[1], -2);
}

TEST(SafeTensors, views_with_rows_apart_and_odd_names_come_back) {
  const ScratchFolder folder;
  const Tensor t = testing::random_tensor({5, 7}, 1, 1, DType::f32);
  const std::string name = "a \"b\"\\\n \xc3\xa4 \"attune.crc32c\":\"11111111\"";
  write_safetensors(folder / "f", std::vector<NamedTensor>{{name, t.view_columns(2, 5)}},
                    {{name, name}, {"aaa \"attune.crc32c\":\"22222222\"", ""}});
  const SafeTensors file = SafeTensors::read(folder / "f", SafeTensors::Checksum::needed);
  testing::expect_close(file.tensor(name), t.view_columns(2, 5).clone(), 0, name);
  EXPECT_EQ(file.metadata().at(name), name);
}

TEST(SafeTensors, names_that_cannot_be_are_refused) {
  const ScratchFolder folder;
  const Tensor t = Tensor::zeros({1});
  const auto write = [&](std::vector<NamedTensor> tensors) { write_safetensors(folder / "f", tensors); };
  expect_error([&] { write({{"a", t}, {"a", t}}); }, "the name 'a' cannot be given to two tensors");
  expect_error([&] { write({{"__metadata__", t}}); }, "cannot be given to a tensor");
  expect_error([&] { write({{"\xff", t}}); }, "is not valid UTF-8");
  EXPECT_TRUE(folder.names().empty());
}

TEST(SafeTensors, what_is_wrong_is_said) {
  const ScratchFolder folder;
  const auto refuse = [&](const std::string& content, const std::string& message) {
    put(folder / "f", content);
    EXPECT_THROW(SafeTensors::read(folder / "f"), UsageError) << message;
    expect_error([&] { SafeTensors::read(folder / "f"); }, (folder / "f").string() + ": " + message);
  };
  refuse("", "it has 0 bytes, too few for a safetensors file");
  refuse("%PDF-1.4 and so on", "this is not a safetensors file: its header would be");
  refuse(std::string("\xff\0\0\0\0\0\0\0{}", 10), "it ends within its header: 2 of 255 bytes are there");
  refuse(kGolden.substr(0, kGolden.size() - 3), "3 bytes are missing at its end; was a copy or download");
  refuse(kGolden + "??", "2 bytes follow that belong to no tensor");

  const auto header = [&](const std::string& text, const std::string& message) {
    refuse(file_of(text, "12345678"), message);
  };
  const auto x = [&](const std::string& about, const std::string& message) {
    header("{\"x\":{" + about + "}}", "in its header, 'x': " + message);
  };
  header("", "its header is not JSON (byte 9)");
  header("{\"x\":", "its header is not JSON");
  header("{} {}", "its header is not JSON");
  header("[]", "in its header: a list does not belong there");
  header(std::string(100000, '['), "in its header: a list does not belong there");
  header(R"({"x":7})", "in its header, 'x': 7 does not belong there");
  header(R"({"__metadata__":{"a":1}})", "in its header, '__metadata__': 1 does not belong in 'a'");
  header(R"({"__metadata__":{"a":"1","a":"2"}})", "in its header, '__metadata__': 'a' appears twice");
  header(R"({"__metadata__":{},"__metadata__":{}})", "in its header, '__metadata__': it appears twice");
  header(R"({"x":{"dtype":"I8","shape":[8],"data_offsets":[0,8]},"x":{}})",
         "in its header, 'x': it appears twice");
  x(R"("dtype":"F32","shape":[2])", "'data_offsets' is missing");
  x(R"("dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8])", "'shape' appears twice");
  x(R"("dtype":"F31","shape":[2],"data_offsets":[0,8])", "'F31' is not a known type of numbers");
  x(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])", "-2 does not belong in 'shape'");
  x(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])", "2.0 does not belong in 'shape'");
  x(R"("dtype":"F32","shape":[[2]],"data_offsets":[0,8])", "a list does not belong in 'shape'");
  x(R"("dtype":"F32","shape":[1,1,1,1,2],"data_offsets":[0,8])", "'shape' has more than 4 numbers");
  x(R"("dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8])",
    "18446744073709551615 in 'shape' is too large");
  x(R"("dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0])",
    "Shape: the product of the sizes is more");
  x(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])",
    "[3] numbers of type F32 are 12 bytes, but it has 8");
  x(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])", "it ends (byte 0) before it begins (8)");
  x(R"("dtype":"F32","shape":[2],"data_offsets":[8])", "'data_offsets' should be two numbers");
  x(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"more":"x")", "the text 'x' does not belong in 'more'");

  const std::string half =
      R"({"x":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"I8","shape":[4],)";
  header(half + R"("data_offsets":[3,7]}})",
         "'y' begins at byte 3 of the numbers, but the tensors before it end at 4");
  header(half + R"("data_offsets":[5,9]}})",
         "'y' begins at byte 5 of the numbers, but the tensors before it end at 4");
  header(half + R"("data_offsets":[9223372036854775800,9223372036854775804]}})",
         "'y' begins at byte 9223372036854775800");
}

// Whatever the file, its tensors can be read to the last byte or it is refused.
void open_or_refuse(const std::filesystem::path& path) {
  try {
    const SafeTensors file = SafeTensors::read(path);
    for (const auto& [name, info] : file.tensors())
      if (SafeTensors::dtype_of(info)) (void)file.tensor(name).clone();
  } catch (const UsageError&) {
  }
}

TEST(SafeTensors, cut_off_anywhere_are_refused) {
  const ScratchFolder folder;
  for (size_t size = 0; size < kGolden.size(); ++size) {
    put(folder / "f", kGolden.substr(0, size));
    EXPECT_THROW(SafeTensors::read(folder / "f"), UsageError) << size;
  }
}

TEST(SafeTensors, damaged_anyhow_are_read_or_refused) {
  const ScratchFolder folder;
  const Random random(1);
  uint64_t draw = 0;
  const auto below = [&](size_t n) {
    return static_cast<size_t>(random.uniform(draw++) * static_cast<double>(n));
  };
  const std::string_view hostile = "{}[]\",:0123456789-.eE\\u\xff \0";
  for (int round = 0; round < 3000; ++round) {
    std::string content = kGolden;
    for (size_t i = 0; i <= below(3); ++i) {
      const size_t at = below(content.size());
      switch (below(4)) {
        case 0: content[at] = static_cast<char>(content[at] ^ (1 << below(8))); break;
        case 1: content[at] = hostile[below(hostile.size())]; break;
        case 2: content.insert(at, content.substr(below(content.size()), below(60))); break;
        default: content.erase(at, below(60)); break;
      }
    }
    // Half of them with a length that fits, so that the damage reaches what lies behind it.
    if (round % 2 == 0 && content.size() > 31) {
      const uint64_t length = content.size() - 31;
      std::memcpy(content.data(), &length, 8);
    }
    put(folder / "f", content);
    open_or_refuse(folder / "f");
  }
}

// Larger than the pieces in which a file is read.
TEST(SafeTensors, a_checksum_is_compared_where_there_is_one) {
  const ScratchFolder folder;
  const std::vector<NamedTensor> large{{"x", testing::random_tensor({300, 1000}, 1, 1, DType::f32)}};
  write_safetensors(folder / "f", large);
  testing::expect_close(SafeTensors::read(folder / "f").tensor("x"), large[0].tensor, 0, "x");
  std::string content = get(folder / "f");
  content[content.size() / 2] ^= 4;
  put(folder / "f", content);
  expect_error([&] { SafeTensors::map(folder / "f"); }, "its content does not match its checksum");
  expect_error([&] { SafeTensors::read(folder / "f"); },
               "its content does not match its checksum; it is damaged");
  content.replace(content.find("attune.crc32c"), 6, "others");
  put(folder / "f", content);
  EXPECT_EQ(SafeTensors::read(folder / "f").tensors().size(), 1u);
}

TEST(SafeTensors, one_wrong_bit_anywhere_does_not_pass_the_checksum) {
  const ScratchFolder folder;
  for (size_t at = 0; at < kGolden.size(); ++at) {
    std::string content = kGolden;
    content[at] = static_cast<char>(content[at] ^ (1 << at % 8));
    put(folder / "f", content);
    EXPECT_THROW(SafeTensors::read(folder / "f", SafeTensors::Checksum::needed), UsageError) << "byte " << at;
  }
}

}  // namespace
}  // namespace attune
