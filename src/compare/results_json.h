// The parts of Results as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "compare/results.h"

namespace attune::compare {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Curve, metric, updates, seconds, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Training, parameters, updates, epochs, tokens, seconds, peak_memory,
                                   curves)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, stopped_early, rule, updates, epochs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Decoding, outputs, seconds, tokens, peak_memory)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Look, output, sources, targets, weights)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Alignment, way, aer, precision, recall)

}  // namespace attune::compare
