// Writes small .npz files for tests: f32 matrices and texts, stored.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "attune/tensor.h"

namespace attune::testing {

inline std::string npy_of(const std::string& type, const std::string& shape, const std::string& numbers) {
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
  const auto length = static_cast<uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\0", 8) + std::string(reinterpret_cast<const char*>(&length), 2) + header +
         numbers;
}

inline std::string npy_of(const Tensor& matrix) {
  const auto numbers = matrix.span<float>();
  return npy_of("<f4", std::to_string(matrix.rows()) + ", " + std::to_string(matrix.columns()),
                {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

inline std::string npy_of_text(const std::string& text) {
  return npy_of("|u1", std::to_string(text.size()) + ",", text);
}

// `arrays` are contents of .npy files by name.
inline void write_npz(const std::filesystem::path& path, const std::map<std::string, std::string>& arrays) {
  std::string files, list;
  const auto number = [](uint64_t value, size_t bytes) {
    std::string text(reinterpret_cast<const char*>(&value), std::min(bytes, sizeof(value)));
    text.resize(bytes);
    return text;
  };
  for (const auto& [name, content] : arrays) {
    const std::string file = name + ".npy";
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    const std::string common = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(crc, 4) +
                               number(content.size(), 4) + number(content.size(), 4) +
                               number(file.size(), 2) + number(0, 2);
    list += "PK\x01\x02" + number(20, 2) + common + number(0, 10) + number(files.size(), 4) + file;
    files += "PK\x03\x04" + common + file + content;
  }
  const std::string end = "PK\x05\x06" + number(0, 4) + number(arrays.size(), 2) + number(arrays.size(), 2) +
                          number(list.size(), 4) + number(files.size(), 4) + number(0, 2);
  std::ofstream(path, std::ios::binary) << files << list << end;
}

}  // namespace attune::testing
