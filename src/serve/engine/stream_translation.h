// A translation while it is written.
#pragma once

#include <functional>
#include <string>

#include "serve/engine/served_model.h"

namespace attune::serve {

// The likeliest words for a sentence, shown as soon as they are chosen, until `show` returns false. In the
// caller's thread, on one core.
void stream_translation(const ServedModel& model, const std::string& sentence,
                        const std::function<bool(const std::string&)>& show);

}  // namespace attune::serve
