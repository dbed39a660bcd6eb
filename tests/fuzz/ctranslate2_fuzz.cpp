// Any bytes are the model.bin of a CTranslate2 folder whose tensors have no more numbers than the file has bytes, or
// a UsageError.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "attune/error.h"
#include "convert/ctranslate2/file.h"

using namespace attune;

namespace {

std::filesystem::path scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "attune-fuzz-XXXXXX").string();
  return std::filesystem::path(mkdtemp(name.data())) / "model.bin";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::filesystem::path file = scratch();
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<long>(size));
  try {
    const ctranslate2::Model model = ctranslate2::read_model(file);
    for (const auto& [name, variable] : model.variables) {
      try {
        if (static_cast<size_t>(model.tensor(name).size()) > size) std::abort();
        model.number(name);
      } catch (const UsageError&) {
      }
    }
  } catch (const UsageError&) {
  }
  return 0;
}
