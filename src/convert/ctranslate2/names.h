// A Transformer has the same parameters in attune and in CTranslate2; only the names differ.
#pragma once

#include <string>
#include <string_view>

#include "nn/feed_forward.h"

namespace attune {

// "encoder.layer0.self.qkv.weight" -> "encoder/layer_0/self_attention/linear_0/weight"
std::string ctranslate2_name(std::string_view name, FeedForwardKind kind);

}  // namespace attune
