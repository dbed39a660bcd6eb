// Entities in sequences of tags: B-PER I-PER O.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

// The harmonic mean of precision and recall of entities, in percent, as conlleval counts them (Tjong Kim Sang
// and De Meulder 2003): an entity is right if its type, its first and its last word are. Tags are separated
// by white space; O is outside; B, I, E, S (or U), with a hyphen and the type after them, are the schemes
// IOB, IOB2, IOE and IOBES; a tag without a hyphen is a type by itself. Statistics: right, found, expected,
// right tags, all tags.
class EntityF1 final : public Metric {
 public:
  std::string name() const override { return "entity-F1"; }
  Signature options() const override { return {}; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
  std::string verbose(const Statistics& totals) const override;
};

}  // namespace attune::metrics
