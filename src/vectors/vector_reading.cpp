#include "vectors/vector_reading.h"

#include "config/rules.h"

namespace attune {

std::span<const char* const> enum_names(Standardise) {
  static constexpr const char* kWords[] = {"no", "rows", "columns"};
  return kWords;
}

void VectorReading::fields(FieldsOf<VectorReading> f) {
  f("patch", &VectorReading::patch, "pictures: side of the squares that they are cut into, in pixels");
  f("channels", &VectorReading::channels, "pictures: 1 for grey, 3 for colours");
  f("mel_bands", &VectorReading::mel_bands, "recordings: bands of the log-mel spectrum");
  f("transposed", &VectorReading::transposed, "tables: a column of the file becomes a row of the sample");
  f("stacked", &VectorReading::stacked, "how many rows are joined into one, to make long samples shorter");
  f("standardise", &VectorReading::standardise,
    "bring each row, or each column, of a sample to mean 0 and deviation 1");
  f("places", &VectorReading::places,
    "by what positions tell rows apart: their number, the grid of a picture's patches, or times in the first "
    "column of tables");
  f("both_ways", &VectorReading::both_ways, "graphs: an edge can be followed in both directions");
}

void VectorReading::validate() const {
  constexpr int64_t kMost = 4096;
  require_positive({{"patch", patch}, {"mel_bands", mel_bands}, {"stacked", stacked}});
  require_at_most(kMost, {{"patch", patch}, {"mel_bands", mel_bands}, {"stacked", stacked}});
  require(places == Places::index || (!transposed && stacked == 1), "places",
          "rows that are transposed or stacked have no place of their own");
  require(channels == 1 || channels == 3, "channels", "must be 1 or 3, but is {}", channels);
}

}  // namespace attune
