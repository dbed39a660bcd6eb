#include "nn/attention/edits.h"

#include <algorithm>
#include <span>

#include "attune/error.h"
#include "nn/attention/score.h"

namespace attune {
namespace {

// Weights become  keep * weight + put.
struct Change {
  std::vector<double> keep, put;
};

void add(const AttentionEdit& edit, const Attending& who, Change& change) {
  size_t at = 0;
  for (int64_t s = 0; s < who.queries.count(); ++s) {
    const int64_t keys = who.keys.length(s);
    for (int64_t i = who.queries.begin(s); i < who.queries.end(s); ++i) {
      const auto count = static_cast<size_t>(keys);
      const auto keep = std::span(change.keep).subspan(at, count),
                 put = std::span(change.put).subspan(at, count);
      at += count;
      if (edit.query && who.positions.data<int32_t>()[i] != *edit.query) continue;
      if (edit.key && (*edit.key < 0 || *edit.key >= keys)) continue;
      std::ranges::fill(keep, 0);
      std::ranges::fill(put, 0);
      if (edit.key) put[static_cast<size_t>(who.reversed ? keys - 1 - *edit.key : *edit.key)] = 1;
    }
  }
}

}  // namespace

bool AttentionEdits::change(AttentionName name) const {
  return std::ranges::any_of(all_, [&](const AttentionEdit& edit) { return edit.where == name; });
}

Tensor AttentionEdits::changed(const Tensor& weights, const Attending& who) const {
  const auto pairs = static_cast<size_t>(weights.size());
  Change wanted{std::vector<double>(pairs, 1), std::vector<double>(pairs, 0)};
  for (const AttentionEdit& edit : all_) {
    if (edit.where != who.name || (edit.head && *edit.head != who.head)) continue;
    if (who.edges && (edit.query || edit.key))
      throw UsageError("attention over the edges of a graph can be switched off, but not moved");
    add(edit, who, wanted);
  }
  const auto tensor = [&](const std::vector<double>& numbers) {
    return Tensor::of<double>(weights.shape(), numbers).to(weights.dtype());
  };
  return attune::add(mul(weights, tensor(wanted.keep)), tensor(wanted.put));
}

}  // namespace attune
