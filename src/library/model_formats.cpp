#include "attune/model_formats.h"

#include "convert/convert_folder.h"
#include "models/quantize_folder.h"

namespace attune {

void quantize_model(const std::filesystem::path& from, const std::filesystem::path& to) {
  quantize_model_folder(from, to, MatrixFormat::int8);
}

std::vector<std::filesystem::path> convert_model(const std::filesystem::path& from,
                                                 const std::filesystem::path& to,
                                                 const ConversionOptions& options) {
  if (options.to.empty()) return import_model({from, options.vocabs}, to);
  require_free(to);
  exporter_of(options.to).write(whole_model(load_model_files(from)), to, FileNumbers::f32);
  return {to};
}

}  // namespace attune
