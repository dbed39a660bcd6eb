#include "nn/score.h"

#include <algorithm>
#include <limits>
#include <map>

#include "attune/error.h"
#include "base/check.h"
#include "base/nearest.h"

namespace attune {
namespace {

std::map<std::string, ScoreFactory, std::less<>>& registry() {
  static std::map<std::string, ScoreFactory, std::less<>> factories;
  return factories;
}

// [pairs]: 0 where a query sees a key, -inf elsewhere.
Tensor causal_mask(const Rows& queries, const Rows& keys, DType dtype) {
  std::vector<double> mask;
  for (int64_t s = 0; s < queries.count(); ++s) {
    const int64_t n = queries.length(s), m = keys.length(s);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < m; ++j)
        mask.push_back(j <= i + m - n ? 0 : -std::numeric_limits<double>::infinity());
  }
  return Tensor::of<double>({static_cast<int64_t>(mask.size())}, mask).to(dtype);
}

}  // namespace

Tensor Score::attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                     const Attending& who) const {
  Tensor e = energy(query, keys, who);
  if (who.causal) e = add(e, causal_mask(who.queries, who.keys, e.dtype()));
  const Tensor weights = ragged_softmax(e, pair_rows(who.queries, who.keys));
  if (who.lens != nullptr) who.lens->attention(who.name, weights.detach(), who.queries, who.keys, 1);
  return ragged_mix(dropout(weights, who.dropout), values, who.queries, who.keys);
}

void register_score(std::string_view name, ScoreFactory factory) {
  registry().emplace(std::string(name), std::move(factory));
}

std::vector<std::string> score_names() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : registry()) names.push_back(name);
  return names;
}

std::unique_ptr<Score> make_score(std::string_view name, const Scope& p, const ScoreSizes& sizes) {
  const auto entry = registry().find(name);
  if (entry == registry().end()) {
    const auto names = score_names();
    throw UsageError(fmt::format("there is no attention score '{}'{}", name, did_you_mean(name, names)));
  }
  return entry->second(p, sizes);
}

}  // namespace attune
