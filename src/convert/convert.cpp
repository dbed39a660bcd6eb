#include "convert/convert.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/registry.h"
#include "config/entry_fields.h"
#include "config/rules.h"

namespace attune {
namespace {

Registry<Importer>& all_importers() {
  static Registry<Importer> all("importer");
  return all;
}

Registry<Exporter>& all_exporters() {
  static Registry<Exporter> all("exporter");
  return all;
}

}  // namespace

RegisterImporter::RegisterImporter(Importer importer) { all_importers().add(std::move(importer)); }
RegisterExporter::RegisterExporter(Exporter exporter) { all_exporters().add(std::move(exporter)); }

const std::vector<Importer>& importers() { return all_importers().entries(); }
const std::vector<Exporter>& exporters() { return all_exporters().entries(); }

const Exporter& exporter_of(std::string_view name) {
  std::vector<std::string> known;
  for (const Exporter& exporter : exporters()) {
    if (exporter.name == name) return exporter;
    known.push_back(exporter.name);
  }
  require_word("--to", std::string(name), known);
  fail("--to: '{}' is missing", name);
}

const Importer& importer_of(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw UsageError(fmt::format("{}: there is no such file or folder", path.string()));
  std::string known;
  for (const Importer& importer : importers()) {
    if (importer.recognises(path)) return importer;
    known += (known.empty() ? "" : ", ") + importer.what;
  }
  throw UsageError(fmt::format("{}: attune cannot convert this; it reads: {}", path.string(), known));
}

void save_imported(const ImportedModel& model, const std::filesystem::path& folder) {
  size_t taken = 0;
  Parameters parameters([&](std::string_view name, const Shape& shape, DType) {
    const auto found = model.weights.find(name);
    if (found == model.weights.end())
      throw UsageError(fmt::format("the parameter '{}' {} is missing", name, shape.str()));
    if (found->second.shape() != shape)
      throw UsageError(fmt::format("'{}' has shape {}, but the model's sizes require {}", name,
                                   found->second.shape().str(), shape.str()));
    ++taken;
    return found->second;
  });
  const auto made = model.config->make(Scope(parameters, Random(0)), words_of(model.vocabularies));
  for (const auto& [name, tensor] : model.weights)
    if (taken < model.weights.size() && !parameters.contains(name))
      throw UsageError(fmt::format("'{}' {} is not a parameter of a model of type {}", name,
                                   tensor.shape().str(), model.config->type()));
  save_model_folder(folder, *model.config, model.vocabularies, parameters, fields_of_entries(model.decoding),
                    [](Fields&) {});
}

}  // namespace attune
