#include "nn/score.h"

#include <fmt/format.h>

#include <limits>

#include "base/registry.h"
#include "config/rules.h"

namespace attune {
namespace {

Registry<ScoreEntry>& registry() {
  static Registry<ScoreEntry> scores("attention score");
  return scores;
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

void register_score(ScoreEntry entry) { registry().add(std::move(entry)); }

void require_score(const std::string& name, const std::vector<std::string>& more) {
  require(name != "bahdanau", "attention", "Bahdanau's score is called additive");
  require(name != "luong", "attention", "Luong's scores are called dot, general and concat");
  std::vector<std::string> known = score_names();
  known.insert(known.end(), more.begin(), more.end());
  require_word("attention", name, known);
}

std::vector<std::string> score_names() { return registry().names(); }

std::vector<std::string> score_names(bool ScoreTraits::*trait, bool has) {
  std::vector<std::string> names;
  for (const ScoreEntry& score : registry().entries())
    if (score.traits.*trait == has) names.push_back(score.name);
  return names;
}

ScoreTraits score_traits(std::string_view name) { return registry().at(name).traits; }

std::unique_ptr<Score> make_score(std::string_view name, const Scope& p, const ScoreSizes& sizes) {
  const ScoreEntry& score = registry().at(name);
  if (score.traits.one_size && sizes.query != sizes.key)
    throw UsageError(fmt::format(
        "attention: the score '{}' needs queries and keys of equal size, but they have {} and "
        "{}; {} take any sizes",
        name, sizes.query, sizes.key, fmt::join(score_names(&ScoreTraits::one_size, false), ", ")));
  return score.make(p, sizes);
}

}  // namespace attune
