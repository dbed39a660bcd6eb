// SampleFiles: reads the sample that a line of a corpus names: a picture, a recording, a table of numbers, a
// graph.
#pragma once

#include <string>
#include <vector>

#include "text/vocabulary/vector_source.h"
#include "vectors/table_files.h"
#include "vectors/vector_reading.h"

namespace attune {

class SampleFiles {
 public:
  explicit SampleFiles(const VectorReading& reading)
      : reading_(reading), tables_(reading.places == Places::time), edge_tables_(false) {}

  // A UsageError says what is wrong with the line or its file.
  Vectors rows(const std::string& line) const;
  bool names_edges(const std::string& line) const { return SampleName::parse(line).edges.has_value(); }
  // Between this many rows, in ascending order, each once.
  std::vector<NodeEdge> edges(const std::string& line, int64_t rows) const;

 private:
  Vectors table(const FilePart& part) const;
  Vectors whole_file(const FilePart& part) const;

  VectorReading reading_;
  TableFiles tables_, edge_tables_;
};

}  // namespace attune
