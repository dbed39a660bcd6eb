#include "metrics/signature.h"

namespace attune::metrics {

Signature full_signature(size_t references, const Resampling& resampling, const Signature& options) {
  Signature signature{{"nrefs", std::to_string(references)}};
  if (!resampling.kind.empty()) {
    signature.emplace_back(resampling.kind, std::to_string(resampling.samples));
    signature.emplace_back("seed", std::to_string(resampling.seed));
  }
  signature.insert(signature.end(), options.begin(), options.end());
  signature.emplace_back("version", "attune-" ATTUNE_SERIES);
  return signature;
}

std::string to_string(const Signature& signature) {
  std::string text;
  for (const auto& [key, value] : signature) {
    if (!text.empty()) text += '|';
    text += key;
    text += ':';
    text += value;
  }
  return text;
}

}  // namespace attune::metrics
