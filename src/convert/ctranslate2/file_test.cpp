#include "convert/ctranslate2/file.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using ctranslate2::Model;
using testing::expect_error;

// Written by hand, byte by byte.
struct Bytes {
  std::string text;

  template <class T>
  Bytes& number(T value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  Bytes& name(const std::string& name) {
    number(static_cast<uint16_t>(name.size() + 1));
    text += name + '\0';
    return *this;
  }
};

// "w" [2, 3] of i8 with scales 2 and 4, "h" [2] of f16, and "other", which is "w".
Bytes small_file() {
  Bytes b;
  b.number<uint32_t>(6).name("TransformerSpec").number<uint32_t>(7).number<uint32_t>(3);
  b.name("w").number<uint8_t>(2).number<uint32_t>(2).number<uint32_t>(3).number<uint8_t>(1).number<uint32_t>(
      6);
  for (const int8_t x : {2, 4, -6, 127, 0, 4}) b.number(x);
  b.name("w_scale").number<uint8_t>(1).number<uint32_t>(2).number<uint8_t>(0).number<uint32_t>(8);
  b.number(2.f).number(4.f);
  b.name("h").number<uint8_t>(1).number<uint32_t>(2).number<uint8_t>(4).number<uint32_t>(4);
  b.number<uint16_t>(0x3E00).number<uint16_t>(0x8001);  // 1.5 and the smallest negative number
  b.number<uint32_t>(1).name("other").name("w");
  return b;
}

TEST(CTranslate2File, gives_numbers_of_every_width) {
  const testing::ScratchFolder folder;
  const Model model = ctranslate2::read_model(folder.write("model.bin", small_file().text));
  EXPECT_EQ(model.specification, "TransformerSpec");
  EXPECT_EQ(model.revision, 7U);
  const Tensor expected = Tensor::of<float>({2, 3}, {1, 2, -3, 31.75, 0, 1});
  testing::expect_close(model.tensor("w"), expected, 0, "w");
  testing::expect_close(model.tensor("other"), expected, 0, "other");
  testing::expect_close(model.tensor("h"), Tensor::of<float>({2}, {1.5, -5.9604645e-8F}), 0, "h");
  expect_error([&] { (void)model.tensor("missing"); }, "missing");
}

TEST(CTranslate2File, of_version_2_counts_numbers_instead_of_bytes) {
  Bytes b;
  b.number<uint32_t>(2).name("TransformerBase").number<uint32_t>(2).number<uint32_t>(1);
  b.name("x").number<uint8_t>(1).number<uint32_t>(2).number<uint8_t>(4).number<uint32_t>(2);
  b.number(0.5f).number(-1.f);
  const testing::ScratchFolder folder;
  const Model model = ctranslate2::read_model(folder.write("model.bin", b.text));
  testing::expect_close(model.tensor("x"), Tensor::of<float>({2}, {0.5, -1}), 0, "x");
}

TEST(CTranslate2File, comes_back_as_it_was_written) {
  Model model{.specification = "TransformerSpec", .revision = 7, .variables = {}, .aliases = {{"b", "a"}}};
  const Tensor numbers = testing::random_tensor({3, 4}, 1, 1, DType::f32);
  model.variables["a"] = ctranslate2::variable_of(numbers);
  model.variables["flag"] = ctranslate2::scalar(int8_t{1});
  model.variables["heads"] = ctranslate2::scalar(int16_t{300});
  model.variables["factor"] = ctranslate2::scalar(0.25f);
  const testing::ScratchFolder folder;
  ctranslate2::write_model(folder / "model.bin", model);
  const Model read = ctranslate2::read_model(folder / "model.bin");
  testing::expect_close(read.tensor("b"), numbers, 0, "b");
  EXPECT_EQ(read.number("flag"), 1);
  EXPECT_EQ(read.number("heads"), 300);
  EXPECT_EQ(read.number("factor"), 0.25);
  EXPECT_EQ(read.number("missing"), std::nullopt);
}

TEST(CTranslate2File, cut_off_anywhere_is_refused_with_the_byte) {
  const std::string whole = small_file().text;
  const testing::ScratchFolder folder;
  for (size_t size = 0; size < whole.size(); ++size) {
    testing::put(folder / "model.bin", whole.substr(0, size));
    expect_error([&] { ctranslate2::read_model(folder / "model.bin"); }, "model.bin: byte ");
  }
  testing::put(folder / "model.bin", whole + "x");
  expect_error([&] { ctranslate2::read_model(folder / "model.bin"); }, "1 bytes after the last variable");
}

TEST(CTranslate2File, sizes_that_no_tensor_has_are_refused) {
  for (const auto& [sizes, reason] :
       {std::pair<std::vector<uint32_t>, std::string>{{1, 1, 1, 1, 1}, "5 dimensions"},
        {{0, 0xffffffff, 0xffffffff}, "more than memory can hold"}}) {
    Bytes b;
    b.number<uint32_t>(6).name("TransformerSpec").number<uint32_t>(7).number<uint32_t>(1);
    b.name("größe").number(static_cast<uint8_t>(sizes.size()));
    for (const uint32_t size : sizes) b.number(size);
    b.number<uint8_t>(1).number<uint32_t>(sizes[0]).number<int8_t>(0);
    const testing::ScratchFolder folder;
    const auto path = folder.write("model.bin", b.text);
    expect_error([&] { ctranslate2::read_model(path); }, reason);
    EXPECT_THROW(ctranslate2::read_model(path), UsageError);
  }
}

// Whatever a byte is changed to, the file is read or refused; no more is allocated than the file has.
TEST(CTranslate2File, with_a_damaged_byte_is_read_or_refused) {
  const std::string whole = small_file().text;
  const testing::ScratchFolder folder;
  int refused = 0;
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\x00', '\x7F', '\xFF'}) {
      std::string damaged = whole;
      damaged[at] = value;
      testing::put(folder / "model.bin", damaged);
      try {
        const Model model = ctranslate2::read_model(folder / "model.bin");
        for (const auto& [name, variable] : model.variables) (void)model.tensor(name);
      } catch (const UsageError&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace attune
