// Any bytes are a model of llama2.c with its vocabulary, whose tensors have no more numbers than the file and
// which has as many words as it says, or a UsageError. The first two bytes: the length of the vocabulary.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "attune/error.h"
#include "convert/llama2c/file.h"

using namespace attune;

namespace {

std::filesystem::path scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "attune-fuzz-XXXXXX").string();
  return mkdtemp(name.data());
}

std::filesystem::path put(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::filesystem::path folder = scratch();
  if (size < 2) return 0;
  const std::string_view content(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t cut = std::min<size_t>(content.size(), data[0] + 256U * data[1]);
  const auto vocabulary = put(folder / "tok.bin", content.substr(0, cut));
  const auto model = FileBytes::map(put(folder / "model.bin", content.substr(cut)));
  const auto sizes = llama2c::sizes_of(model->bytes());
  if (!sizes) return 0;
  try {
    if (llama2c::read_vocabulary(vocabulary, sizes->words)->size() != sizes->words) std::abort();
  } catch (const UsageError&) {
  }
  try {
    for (const auto& [name, tensor] : llama2c::read_weights(model, *sizes))
      if (static_cast<size_t>(tensor.size()) > size) std::abort();
  } catch (const UsageError&) {
  }
  return 0;
}
