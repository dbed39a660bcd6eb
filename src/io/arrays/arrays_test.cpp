// .npy and .npz as NumPy writes them (tests/golden/arrays.py), and damaged ones.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "attune/error.h"
#include "io/arrays/npz.h"
#include "testing/golden.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_error;

std::filesystem::path golden(const std::string& name) { return testing::golden("arrays") / name; }

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

NpyArray parsed(const std::string& content) { return parse_npy(bytes_of(content), "a.npy"); }

void write(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string npy(const std::string& header, const std::string& numbers) {
  const auto length = static_cast<uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\0", 8) + std::string(reinterpret_cast<const char*>(&length), 2) + header +
         numbers;
}

TEST(Npz, every_type_and_shape_of_numpy_is_read_stored_and_deflated) {
  for (const char* file : {"stored.npz", "deflated.npz"}) {
    const Npz npz(golden(file));
    EXPECT_EQ(npz.arrays().size(), 5U * 11 + 3);
    for (const char* type : {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"})
      for (const auto& [name, shape] : {std::pair<std::string, Shape>{"scalar", Shape()},
                                        {"vector", {5}},
                                        {"matrix", {3, 4}},
                                        {"empty", {0, 4}},
                                        {"cube", {2, 3, 2}}}) {
        const Tensor tensor = npz.tensor(name + "." + type);
        ASSERT_EQ(tensor.shape(), shape) << file << name << type;
        for (int64_t i = 0; i < tensor.size(); ++i)
          EXPECT_EQ(tensor.data<float>()[i], static_cast<float>(i % 7 - (*type == 'u' ? 0 : 3)));
      }
    const Tensor fortran = npz.tensor("straße/fortran");
    ASSERT_EQ(fortran.shape(), Shape({2, 3, 2}));
    for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(fortran.data<float>()[i], static_cast<float>(i % 7 - 3));
    EXPECT_EQ(npz.tensor("truth").data<float>()[0], 1);
    EXPECT_EQ(npz.text("text"), "größe: 3\n");
    expect_error([&] { npz.tensor("größe"); }, "there is no array 'größe'");
    expect_error([&] { npz.text("matrix.f4"); }, "should be an array of bytes");
  }
}

TEST(Npz, a_file_that_is_cut_off_anywhere_or_damaged_is_refused) {
  for (const char* file : {"stored.npz", "deflated.npz"}) {
    const std::string whole = read_file(golden(file));
    const testing::ScratchFolder scratch;
    const auto path = scratch / "damaged.npz";
    for (size_t length = 0; length < whole.size(); length += 97) {
      write(path, whole.substr(0, length));
      EXPECT_THROW(Npz{path}, UsageError) << file << " " << length;
    }
    int refused = 0;
    for (size_t at = 0; at < whole.size(); at += 61) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      write(path, changed);
      try {
        const Npz npz(path);
        for (const auto& [name, entry] : npz.arrays()) npz.tensor(name);
      } catch (const UsageError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 50) << file;
  }
}

TEST(Npy, headers_of_all_versions_are_read) {
  const std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }     \n";
  const std::string numbers("\x05\0\xff\xff", 4);
  EXPECT_EQ(tensor_of(parsed(npy(header, numbers)), "a").data<float>()[1], -1);
  const auto length = static_cast<uint32_t>(header.size());
  for (const char version : {2, 3}) {
    const std::string content = std::string("\x93NUMPY") + version + '\0' +
                                std::string(reinterpret_cast<const char*>(&length), 4) + header + numbers;
    EXPECT_EQ(tensor_of(parsed(content), "a").data<float>()[0], 5);
  }
}

TEST(Npy, what_is_not_supported_is_refused_with_the_reason) {
  expect_error([] { parsed("hello"); }, "a.npy: this is not an array of NumPy");
  expect_error([] { parsed(read_file(golden("big_endian.npy"))); }, "big-endian ('>f4')");
  expect_error([] { parsed(read_file(golden("records.npy"))); }, "arrays of records are not supported");
  const auto with = [](const std::string& header) { return [header] { parsed(npy(header, "1234")); }; };
  expect_error(with("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"), "type '<c8'");
  expect_error(with("{'descr': '<f4', 'shape': (1,)}"), "needs 'descr', 'fortran_order' and 'shape'");
  expect_error(with("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), "should hold sizes");
  expect_error(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"), "does not fit the 4 bytes");
  expect_error(with("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4)}"),
               "does not fit the 4 bytes");
  expect_error(with("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more"), "goes on");
  expect_error(
      [] {
        tensor_of(parsed(npy("{'descr':'<f4','fortran_order':False,'shape':(1,1,1,1,1)}", "1234")), "a");
      },
      "5 dimensions");
  expect_error(
      [] {
        tensor_of(parsed(npy("{'descr':'<f4','fortran_order':False,'shape':(0,9223372036854775807,4)}", "")),
                  "a");
      },
      "a: Shape: the product of the sizes is more than memory can hold");
}

// 10 GB in a file of a few hundred bytes: nothing is allocated for it.
TEST(Npz, a_huge_claim_in_a_small_file_is_refused) {
  std::string file = read_file(golden("deflated.npz"));
  for (size_t at = 0; (at = file.find("PK\x01\x02", at)) != std::string::npos; at += 4) {
    const uint32_t claim = 0xfffffff0;
    std::memcpy(file.data() + at + 24, &claim, sizeof(claim));
  }
  const testing::ScratchFolder scratch;
  write(scratch / "claim.npz", file);
  expect_error([&] { Npz(scratch / "claim.npz").tensor("matrix.f4"); }, "claims to have 4294967280 bytes");
}

}  // namespace
}  // namespace attune
