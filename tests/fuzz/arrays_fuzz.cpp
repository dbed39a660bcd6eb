// Any bytes are a .npz or a .npy whose arrays have as many numbers as the file, or a UsageError.
#include <cstdint>
#include <cstdlib>

#include "attune/error.h"
#include "io/arrays/npy.h"
#include "io/arrays/zip.h"

using namespace attune;

namespace {

void read_array(std::span<const std::byte> bytes) {
  try {
    const NpyArray array = parse_npy(bytes, "fuzz");
    if (static_cast<size_t>(array.size()) > bytes.size()) std::abort();
    if (tensor_of(array, "fuzz").size() != array.size()) std::abort();
  } catch (const UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  read_array(bytes);
  try {
    for (const ZipEntry& entry : zip_entries(bytes, "fuzz")) {
      try {
        read_array(zip_content(bytes, entry, "fuzz").bytes);
      } catch (const UsageError&) {
      }
    }
  } catch (const UsageError&) {
  }
  return 0;
}
