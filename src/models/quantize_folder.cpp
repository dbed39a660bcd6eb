#include "models/quantize_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "attune/error.h"
#include "config/entry_fields.h"
#include "io/files/directory.h"
#include "io/files/file.h"
#include "io/weights.h"
#include "models/model_files.h"
#include "tensor/quantized.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

QuantizedFolder::Matrix errors(const std::string& name, const Tensor& before, const Tensor& after) {
  QuantizedFolder::Matrix matrix{name, 0, 0};
  const Tensor numbers = widened(after);
  double all = 0, lost = 0;
  for (int64_t r = 0; r < before.rows(); ++r) {
    double row = 0, row_lost = 0;
    for (size_t i = 0; const float x : before.row<float>(r)) {
      const double difference = x - numbers.row<float>(r)[i++];
      row += double{x} * x;
      row_lost += difference * difference;
    }
    if (row > 0) matrix.worst_row = std::max(matrix.worst_row, std::sqrt(row_lost / row));
    all += row, lost += row_lost;
  }
  if (all > 0) matrix.error = std::sqrt(lost / all);
  return matrix;
}

}  // namespace

std::span<const char* const> enum_names(MatrixFormat) {
  static constexpr const char* kWords[] = {"int8", "bf16"};
  return kWords;
}

QuantizedFolder quantize_model_folder(const fs::path& from, const fs::path& to, MatrixFormat format) {
  const ModelFiles given = load_model_files(from), model = whole_model(given);
  if (any_narrow(*model.parameters))
    throw UsageError(fmt::format("{}: this model is already quantised", model.path.string()));
  if (fs::exists(to))
    throw UsageError(fmt::format("{}: this already exists; remove it, or choose another name", to.string()));
  QuantizedFolder result{.from = model.path};
  Parameters small(format == MatrixFormat::int8 ? quantized(*model.parameters) : rounded(*model.parameters));
  for (const auto& [name, tensor, offset] : model.parameters->entries()) {
    const Tensor after = small.add(name, tensor.shape());
    if (is_narrow(after)) result.matrices.push_back(errors(name, tensor, after));
  }
  // Of an adapter, what it changes is merged into its base, whose other files stay what they are.
  const fs::path& whole = given.base != nullptr ? given.base->path : given.path;
  result.bytes_before = static_cast<int64_t>(fs::file_size(whole / kWeightsFile));
  if (given.base != nullptr) {
    save_model_folder(to, *model.config, model.vocabularies, small, fields_of_entries(model.decoding),
                      fields_of_entries(model.training));
  } else {
    AtomicDirectory folder(to);
    save_weights(folder.path() / kWeightsFile, small);
    for (const auto& entry : fs::directory_iterator(model.path))
      if (entry.is_regular_file() && entry.path().filename() != kWeightsFile)
        write_file_atomically(folder.path() / entry.path().filename(), read_file(entry.path()));
    folder.commit();
  }
  result.bytes_after = static_cast<int64_t>(fs::file_size(to / kWeightsFile));
  return result;
}

}  // namespace attune
