// The folder of an adapter: what config.json says of it, and how it is loaded over its base.
#pragma once

#include "io/safetensors.h"
#include "models/model_files.h"

namespace attune {

constexpr const char* kAdapterFile = "adapter.safetensors";

// The section `adapter` of config.json.
struct AdapterSection {
  std::string base;          // path of the base's folder, from the adapter's folder
  std::string base_weights;  // their checksum
  LowRank low_rank;

  static void fields(FieldsOf<AdapterSection> f);
};
AdapterSection section_of(const Adapter& adapter, const std::filesystem::path& folder);

// The base that the folder of an adapter names; a UsageError if it is not there or has changed.
std::shared_ptr<const ModelFiles> load_base(const std::filesystem::path& folder,
                                            const AdapterSection& adapter, WeightsIn weights);

// Parameters that are views of the adapter's file, or else those of the base.
ParameterSource adapted_weights(const SafeTensors& file, const ModelFiles& base);

}  // namespace attune
