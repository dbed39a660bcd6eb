// --precision, for verbs that use models.
#pragma once

#include "ops/product/engine.h"

namespace CLI {
class App;
}

namespace attune::cli {

void add_precision_option(CLI::App& app, PrecisionChoice& choice);

}  // namespace attune::cli
