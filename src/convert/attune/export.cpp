// Model folders of attune itself: an adapter and its base become one whole model.
#include "config/entry_fields.h"
#include "config/rules.h"
#include "convert/convert.h"

namespace attune {
namespace {

void write(const ModelFiles& model, const std::filesystem::path& path, Precision precision) {
  require(precision == Precision::f32, "--precision",
          "8-bit weights for attune are made by `attune quantize`");
  save_model_folder(path, *model.config, model.vocabularies, *model.parameters,
                    fields_of_entries(model.decoding), fields_of_entries(model.training));
}

const RegisterExporter registered{{"attune", "a model folder of attune", write}};

}  // namespace
}  // namespace attune
