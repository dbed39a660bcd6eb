#include "convert/ctranslate2/names.h"

#include <array>
#include <utility>

namespace attune {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr Names kWhole[] = {{"source.weight", "encoder/embeddings_0/weight"},
                            {"target.weight", "decoder/embeddings/weight"},
                            {"output.weight", "decoder/projection/weight"},
                            {"output.bias", "decoder/projection/bias"}};

// Parts of names, in the order in which they are tried.
constexpr Names kParts[] = {{".positions.weight", "/position_encodings/encodings"},
                            {".self.qkv.", "/self_attention/linear_0/"},
                            {".self.out.", "/self_attention/linear_1/"},
                            {".self.norm.", "/self_attention/layer_norm/"},
                            {".cross.q.", "/attention/linear_0/"},
                            {".cross.kv.", "/attention/linear_1/"},
                            {".cross.out.", "/attention/linear_2/"},
                            {".cross.norm.", "/attention/layer_norm/"},
                            {".feed_forward.out.", "/ffn/linear_1/"},
                            {".feed_forward.norm.", "/ffn/layer_norm/"},
                            {".norm.", "/layer_norm/"},
                            {".layer", "/layer_"}};
// In gated networks, CTranslate2 calls the activated part linear_0.
constexpr Names kPlain[] = {{".feed_forward.in.", "/ffn/linear_0/"}};
constexpr Names kGated[] = {{".feed_forward.gate.", "/ffn/linear_0/"},
                            {".feed_forward.in.", "/ffn/linear_0_noact/"}};

void replace(std::string& name, const Names& names) {
  if (const size_t at = name.find(names.first); at != std::string::npos)
    name.replace(at, names.first.size(), names.second);
}

}  // namespace

std::string ctranslate2_name(std::string_view name, FeedForwardKind kind) {
  for (const Names& names : kWhole)
    if (name == names.first) return std::string(names.second);
  std::string converted(name);
  if (kind == FeedForwardKind::swiglu)
    for (const Names& names : kGated) replace(converted, names);
  else
    for (const Names& names : kPlain) replace(converted, names);
  for (const Names& names : kParts) replace(converted, names);
  return converted;
}

}  // namespace attune
