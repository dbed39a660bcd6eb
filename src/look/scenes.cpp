#include "look/scenes.h"

#include <algorithm>
#include <cmath>

#include "models/read_tokens.h"
#include "text/vocabulary/several_sources.h"
#include "text/vocabulary/vector_source.h"

namespace attune {
namespace {

view::Scene scene_of(const VectorSource& source, const TokenIds& ids) {
  view::Scene scene;
  scene.count = ids.size();
  if (source.has_edges()) {
    scene.kind = view::SceneKind::graph;
    for (const NodeEdge& edge : source.edges(ids[0]))
      scene.edges.emplace_back(static_cast<size_t>(edge.from), static_cast<size_t>(edge.to));
    return scene;
  }
  const Tensor rows = raw_numbers(source, ids);
  const auto numbers = rows.span<float>();
  const PatchShape patches = source.patches(ids[0]);
  if (patches.across == 0) {
    scene.kind = source.transposed() ? view::SceneKind::variables : view::SceneKind::series;
    scene.columns = static_cast<size_t>(source.width());
    scene.numbers.assign(numbers.begin(), numbers.end());
    return scene;
  }
  const auto side = static_cast<size_t>(patches.side), channels = static_cast<size_t>(patches.channels);
  scene.across = static_cast<size_t>(patches.across);
  scene.channels = channels;
  scene.width = scene.across * side;
  scene.height = scene.count / scene.across * side;
  scene.pixels.resize(scene.width * scene.height * channels);
  for (size_t p = 0; p < scene.count; ++p)
    for (size_t y = 0; y < side; ++y)
      for (size_t x = 0; x < side * channels; ++x) {
        const size_t to =
            (p / scene.across * side + y) * scene.width * channels + p % scene.across * side * channels + x;
        const float level = std::clamp(numbers[(p * side + y) * side * channels + x], 0.0F, 1.0F);
        scene.pixels[to] = static_cast<unsigned char>(std::lround(255 * level));
      }
  return scene;
}

}  // namespace

std::vector<view::Scene> scenes_of(const Vocabulary& vocabulary, const TokenIds& read) {
  std::vector<view::Scene> scenes;
  const auto add = [&](const Vocabulary& words, const TokenIds& ids, size_t first) {
    if (words.vectors() == nullptr || ids.empty()) return;
    scenes.push_back(scene_of(*words.vectors(), ids));
    scenes.back().first = first;
  };
  if (!vocabulary.several()) add(vocabulary, read, 0);
  size_t first = 0;
  for (size_t i = 0; i < vocabulary.parts().size(); ++i) {
    const TokenIds own = tokens_of_source(vocabulary, read, i);
    add(*vocabulary.parts()[i], own, first);
    first += own.size();
  }
  return scenes;
}

}  // namespace attune
