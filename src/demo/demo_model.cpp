#include "demo/demo_model.h"

namespace attune::demo {

view::AttentionMatrix demo_map(const view::Attention& attention) {
  view::AttentionMatrix map = choose(attention, {});
  if (!map.sources.empty()) map.sources.back() = "⏎";
  if (!map.targets.empty() && map.targets.back() == attention.encoder_tokens.back()) {
    map.targets.pop_back();
    map.weights.pop_back();
  }
  return map;
}

}  // namespace attune::demo
