// What a model that continues text would write next.
#pragma once

#include <string>
#include <vector>

#include "decode/text_model.h"

namespace attune {

struct NextToken {
  std::string token;
  double p;
  std::string text;  // the whole text with it
};

// The likeliest first. A UsageError if the model does not continue text, or the text leaves it no room.
std::vector<NextToken> next_tokens(const TextModel& model, const std::string& text, int64_t count);

}  // namespace attune
