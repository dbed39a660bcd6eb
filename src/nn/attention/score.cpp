#include "nn/attention/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/registry.h"
#include "config/rules.h"

namespace attune {
namespace {

Registry<ScoreEntry>& registry() {
  static Registry<ScoreEntry> scores("attention score");
  return scores;
}

// One number per pair of query and key: number(query, distance), where distance = key - position.
template <class T, class Number>
std::vector<T> for_pairs(const Attending& who, const Number& number) {
  std::vector<T> numbers;
  for (int64_t s = 0; s < who.queries.count(); ++s) {
    const int64_t n = who.queries.length(s), m = who.keys.length(s);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t query = who.queries.begin(s) + i;
      const int64_t position = who.centres ? who.centres.data<int32_t>()[query] : i + m - n;
      for (int64_t j = 0; j < m; ++j) numbers.push_back(static_cast<T>(number(query, j - position)));
    }
  }
  return numbers;
}

// 0 where a query sees a key, -inf elsewhere.
Tensor mask(const Attending& who, DType dtype) {
  const auto numbers = for_pairs<double>(who, [&](int64_t, int64_t distance) {
    const bool seen = distance >= -who.sees.back && distance <= who.sees.ahead;
    return seen ? 0 : -std::numeric_limits<double>::infinity();
  });
  return Tensor::of<double>({static_cast<int64_t>(numbers.size())}, numbers).to(dtype);
}

// [pairs], from a table [2 r + 1, 1] by distance, or from one such table for each query, one after another.
Tensor by_distance(const Tensor& tables, int64_t radius, bool for_each_query, const Attending& who) {
  const auto rows = for_pairs<int32_t>(who, [&](int64_t query, int64_t distance) {
    return (for_each_query ? query * (2 * radius + 1) : 0) + std::clamp(distance, -radius, radius) + radius;
  });
  const auto pairs = static_cast<int64_t>(rows.size());
  return reshape(embedding(tables, Tensor::of<int32_t>({pairs}, rows)), {pairs});
}

// Shaw et al. 2018, eq. 4:  q_i . a_{j - i} / sqrt(d)
Tensor relative_energy(const Tensor& query, const Attending& who) {
  const Tensor all = linear(query, who.relative);  // [queries, 2 r + 1]
  const double factor = 1 / std::sqrt(static_cast<double>(query.columns()));
  return by_distance(reshape(scale(all, factor), {all.size(), 1}), who.relative.rows() / 2, true, who);
}

}  // namespace

Tensor Score::attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                     const Attending& who) const {
  Tensor e = energy(query, keys, who);
  if (who.bias) e = add(e, by_distance(who.bias, who.bias.rows() / 2, false, who));
  if (who.pair_bias) e = add(e, reshape(who.pair_bias, e.shape()));
  if (who.relative) e = add(e, relative_energy(query, who));
  return mixed_by_energy(e, values, who);
}

Tensor mixed_by_energy(const Tensor& energy, const Tensor& values, const Attending& who) {
  const Tensor e = who.sees_all() ? energy : add(energy, mask(who, energy.dtype()));
  Tensor weights = ragged_softmax(e, pair_rows(who.queries, who.keys));
  if (who.gaussian) weights = gaussian_weights(weights, who.gaussian, who.queries, who.keys, who.sigma);
  if (who.edits != nullptr) weights = who.edits->changed(weights, who);
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

void require_score_of_steps(const std::string& name) {
  require(!score_traits(name).whole_series, "attention",
          "'{}' compares a whole series with itself: it is for type: bert, not for models that write", name);
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
