// What a score depends on, as sacreBLEU writes it:
// nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:attune-0.2
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::metrics {

using Signature = std::vector<std::pair<std::string, std::string>>;

inline std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

// How a score was resampled; empty if it was not.
struct Resampling {
  std::string kind;  // "bs" for the bootstrap, "ar" for approximate randomisation
  int64_t samples = 0;
  uint64_t seed = 0;
};

// References and resampling, the metric's own options, attune's version.
Signature full_signature(size_t references, const Resampling& resampling, const Signature& options);
std::string to_string(const Signature& signature);

}  // namespace attune::metrics
