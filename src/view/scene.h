// Scene: what a model read if it did not read words: a picture, a series or a graph, so that attention can be
// drawn over the thing itself.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "view/matrix.h"

namespace attune::view {

enum class SceneKind : uint8_t { picture, series, variables, graph };
const char* name_of(SceneKind kind);

struct Scene {
  SceneKind kind = SceneKind::picture;
  size_t first = 0, count = 0;  // its tokens among those of the source
  // picture: tokens are patches, `across` in each line; pixels [height, width, channels]
  size_t across = 0, width = 0, height = 0, channels = 1;
  std::vector<unsigned char> pixels = {};
  // series: tokens are steps; variables: tokens are whole series; [count, columns]
  size_t columns = 0;
  std::vector<float> numbers = {};
  // graph: tokens are nodes; an edge leads from the one that looks to the one that it sees
  std::vector<std::pair<size_t, size_t>> edges = {};
};

// A PNG file as "data:image/png;base64,..": of the picture, or of a series with its steps from left to right
// and its columns from the bottom up.
std::string image_of(const Scene& scene);

// The weights over the scene, for the rows of the matrix (the first ones if there are very many): as an SVG
// element, like view/svg.h.
std::string scene_svg(const AttentionMatrix& matrix, const Scene& scene);

}  // namespace attune::view
