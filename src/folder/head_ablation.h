// What a model loses without one of its heads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attune/lens.h"

namespace attune {

struct AblatedHead {
  AttentionName where;
  int64_t head;
  double loss;  // of a token, in nats: -log p without the head, less -log p with it; positive: the head helps
};

// "decoder.layer0.cross", as its weights are called.
std::string weights_name(const AttentionName& where);

// For each head of each attention: the mean loss over the tokens of these lines (each with the columns that
// `attune score` takes) if it gives no key any weight, so that it adds nothing. A UsageError if the model has
// no attention.
std::vector<AblatedHead> ablate_heads(const std::filesystem::path& folder,
                                      const std::vector<std::vector<std::string>>& lines);

}  // namespace attune
