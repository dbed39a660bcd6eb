// VectorSource: a vocabulary whose tokens are not words but rows of numbers: the steps of a series, the
// patches of a picture, the frames of a recording, the nodes of a graph. A text names a file that holds a
// sample, and its tokens are numbers that stand for the sample's rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/places.h"

namespace attune {

// Whether the numbers of a sample are brought to mean 0 and deviation 1: each row by itself, or each column
// over all rows.
enum class Standardise : uint8_t { no, rows, columns };
std::span<const char* const> enum_names(Standardise);

// Row `from` of a sample sees row `to`; kinds count from 1.
struct NodeEdge {
  int32_t from, to, kind;
  auto operator<=>(const NodeEdge&) const = default;
};

// How the rows of a picture are its patches: how many stand side by side (0: it is no picture), and how many
// pixels each is wide and high.
struct PatchShape {
  int64_t across = 0, side = 0, channels = 1;
};

class VectorSource {
 public:
  VectorSource() = default;
  VectorSource(const VectorSource&) = delete;
  VectorSource& operator=(const VectorSource&) = delete;
  virtual ~VectorSource() = default;

  virtual int64_t width() const = 0;  // numbers of a row
  virtual Standardise standardise() const = 0;
  virtual bool has_edges() const = 0;   // samples are graphs
  virtual bool transposed() const = 0;  // rows are columns of the files
  virtual Places places() const = 0;    // what is known about where rows stand

  // The rows of these tokens, one after another: [ids, width].
  virtual void read(std::span<const int32_t> ids, std::span<float> to) const = 0;
  // Where they stand: lines and columns [ids, 2], or times since the sample's first row [ids, 1]. Not by
  // index.
  virtual void read_places(std::span<const int32_t> ids, std::span<float> to) const = 0;
  virtual PatchShape patches(int32_t id) const = 0;  // of the sample to which the token belongs
  // Its edges, in ascending order.
  virtual std::vector<NodeEdge> edges(int32_t id) const = 0;
};

}  // namespace attune
