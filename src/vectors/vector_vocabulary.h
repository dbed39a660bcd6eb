// The vocabulary of a model that reads, or answers with, rows of numbers: a VectorSource over the files that
// lines name.
#pragma once

#include <memory>
#include <string>

#include "text/vocabulary/vocabulary.h"
#include "vectors/vector_reading.h"

namespace attune {

// Width and edges are those of the sample that `line` names; all others have to be like it.
std::unique_ptr<Vocabulary> make_vector_vocabulary(const VectorReading& reading, const std::string& line);

}  // namespace attune
