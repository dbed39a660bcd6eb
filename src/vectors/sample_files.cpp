#include "vectors/sample_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "attune/error.h"
#include "base/transposed.h"
#include "io/files/file.h"
#include "vectors/picture.h"
#include "vectors/sound.h"

namespace attune {
namespace {

constexpr int32_t kMostKinds = 1000;

// Each `count` rows side by side; the last row is filled up with zeros.
Vectors stacked(Vectors rows, int64_t count) {
  const int64_t joined = (rows.rows + count - 1) / count;
  rows.numbers.resize(static_cast<size_t>(joined * count * rows.width), 0.0f);
  return {joined, rows.width * count, std::move(rows.numbers)};
}

// The first column becomes the times.
Vectors with_times(const Vectors& table, const std::string& name) {
  if (table.width < 2)
    throw UsageError(
        fmt::format("{}: places: time takes the first column for times, but there is no other", name));
  Vectors rows{table.rows, table.width - 1};
  for (int64_t r = 0; r < table.rows; ++r) {
    const float* row = table.numbers.data() + r * table.width;
    rows.times.push_back(row[0] - table.numbers[0]);
    rows.numbers.insert(rows.numbers.end(), row + 1, row + table.width);
  }
  return rows;
}

}  // namespace

Vectors SampleFiles::table(const FilePart& part) const {
  Vectors rows = tables_.read(part);
  if (reading_.places == Places::time) return with_times(rows, part.path);
  if (!reading_.transposed) return rows;
  return {rows.width, rows.rows, transposed<float>(rows.numbers, rows.rows, rows.width)};
}

Vectors SampleFiles::whole_file(const FilePart& part) const {
  const auto file = FileBytes::map(part.path);
  if (is_picture(file->bytes()))
    return patches(read_picture(file->bytes(), reading_.channels, part.path), reading_.patch, part.path);
  if (is_wav(file->bytes()))
    return log_mel(read_wav(file->bytes(), part.path), {.bands = reading_.mel_bands}, part.path);
  return table(part);
}

Vectors SampleFiles::rows(const std::string& line) const {
  const FilePart part = SampleName::parse(line).rows;
  if (part.path.empty()) throw UsageError(fmt::format("'{}': there is no name of a file in it", line));
  Vectors rows = part.first || part.number ? table(part) : whole_file(part);
  if (reading_.places == Places::grid && rows.across == 0)
    throw UsageError(fmt::format("{}: places: grid is for pictures, and this is none", line));
  if (reading_.places == Places::time && rows.times.empty())
    throw UsageError(fmt::format("{}: places: time is for tables, whose first column has times", line));
  return reading_.stacked > 1 ? stacked(std::move(rows), reading_.stacked) : rows;
}

std::vector<NodeEdge> SampleFiles::edges(const std::string& line, int64_t rows) const {
  const auto part = SampleName::parse(line).edges;
  if (!part) throw UsageError(fmt::format("{}: it names no edges; write NODES|EDGES", line));
  const Vectors table = edge_tables_.read(*part);
  if (table.width != 2 && table.width != 3)
    throw UsageError(
        fmt::format("{}: edges have two columns, from and to, and perhaps a third, the kind; this "
                    "file has {}",
                    part->path, table.width));
  std::vector<NodeEdge> edges;
  for (int64_t r = 0; r < table.rows; ++r) {
    const float* row = table.numbers.data() + r * table.width;
    const auto whole = [&](int64_t column, int64_t fewest, int64_t end, const char* what) {
      const float x = row[column];
      if (x != std::floor(x) || x < static_cast<float>(fewest) || x >= static_cast<float>(end))
        throw UsageError(fmt::format("{}: edge {} {} {}, but {} from {} to {} are possible", part->path,
                                     r + 1,
                                     column == 2   ? "is of kind"
                                     : column == 0 ? "comes from"
                                                   : "leads to",
                                     x, what, fewest, end - 1));
      return static_cast<int32_t>(x);
    };
    const NodeEdge edge{whole(0, 0, rows, "rows"), whole(1, 0, rows, "rows"),
                        table.width == 3 ? whole(2, 1, kMostKinds + 1, "kinds") : 1};
    if (edge.from == edge.to) continue;
    edges.push_back(edge);
    if (reading_.both_ways) edges.push_back({edge.to, edge.from, edge.kind});
  }
  std::ranges::sort(edges);
  const auto same = [](const NodeEdge& a, const NodeEdge& b) { return a.from == b.from && a.to == b.to; };
  edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  return edges;
}

}  // namespace attune
