// Any bytes are the safetensors of a Hugging Face folder, whose tensors have as many numbers as the file, or
// a UsageError. Before a zero byte: the index of the files.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "attune/error.h"
#include "convert/huggingface/tensors.h"

using namespace attune;

namespace {

std::filesystem::path scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "attune-fuzz-XXXXXX").string();
  return mkdtemp(name.data());
}

void put(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::filesystem::path folder = scratch();
  const std::string content(reinterpret_cast<const char*>(data), size);
  const size_t end = content.find('\0');
  const bool indexed = content.starts_with('{') && end != std::string::npos;
  put(folder / (indexed ? "a.safetensors" : "model.safetensors"), content.substr(indexed ? end + 1 : 0));
  if (indexed) put(folder / "model.safetensors.index.json", content.substr(0, end));
  try {
    const SafeTensors file = SafeTensors::read(folder / (indexed ? "a.safetensors" : "model.safetensors"));
    huggingface::Tensors tensors(folder);
    for (const auto& [name, info] : file.tensors()) {
      try {
        if (static_cast<size_t>(tensors.take(name).size()) > size) std::abort();
      } catch (const UsageError&) {
      }
    }
    tensors.require_all_taken();
  } catch (const UsageError&) {
  }
  for (const char* name : {"a.safetensors", "model.safetensors", "model.safetensors.index.json"})
    std::filesystem::remove(folder / name);
  return 0;
}
