// CTranslate2's `model.bin`: named variables, and aliases for some of them. Little-endian:
//   u32 version; string specification, u32 revision (from version 2);
//   u32 count, variables {string name, u8 rank, u32 sizes.., u8 type, u32 bytes, numbers};
//   u32 count, aliases {string alias, string name} (from version 3)
// A string is u16 length, text, NUL; the length counts the NUL. Before version 4 the type is the size of a
// number (4: f32, 2: i16, 1: i8) and the numbers are counted instead of their bytes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/tensor.h"
#include "io/files/file.h"

namespace attune {

namespace ctranslate2 {

enum class Type : uint8_t { f32, i8, i16, i32, f16, bf16 };  // as the file numbers them
size_t bytes_of(Type type);

struct Variable {
  Type type = Type::f32;
  Shape shape;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeper;  // keeps the bytes alive
};

Variable variable_of(const Tensor& tensor);  // f32, i8
template <class T>                           // int8_t, int16_t, int32_t, float
Variable scalar(T value);

using Variables = std::map<std::string, Variable, std::less<>>;
using Aliases = std::map<std::string, std::string, std::less<>>;

struct Model {
  uint32_t version = 6;
  std::string specification;
  uint32_t revision = 1;
  Variables variables;
  Aliases aliases;

  const Variable* find(std::string_view name) const;          // by alias too
  std::optional<double> number(std::string_view name) const;  // a scalar
  // As f32; numbers of 8 and 16 bits are divided by their scale, `NAME_scale`. A UsageError if the variable
  // does not exist.
  Tensor tensor(std::string_view name) const;
};

// A damaged file is a UsageError that names the byte; no more is allocated than the file has.
Model read_model(const std::filesystem::path& path);
void write_model(const std::filesystem::path& path, const Model& model);

}  // namespace ctranslate2

}  // namespace attune
