#include "attune/model_formats.h"

#include "models/quantize_folder.h"

namespace attune {

void quantize_model(const std::filesystem::path& from, const std::filesystem::path& to) {
  quantize_model_folder(from, to);
}

}  // namespace attune
