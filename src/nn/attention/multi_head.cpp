#include "nn/attention/multi_head.h"

#include <optional>
#include <utility>

#include "attune/autograd.h"
#include "nn/attention/edge_lens.h"
#include "nn/attention/head_lens.h"
#include "nn/close_lens.h"

namespace attune {
namespace {

std::vector<Tensor> equal_columns(const Tensor& x, int64_t parts) {
  return split_columns(x, std::vector<int64_t>(static_cast<size_t>(parts), x.columns() / parts));
}

// Some rows of a layer's matrix, if it is one that can be shown.
Tensor part_of(const Linear& layer, int64_t begin, int64_t end) {
  const bool numbers = layer.weight.dtype() == DType::f32 || layer.weight.dtype() == DType::f64;
  return numbers && !layer.delta ? layer.weight.detach().view_rows(begin, end) : Tensor();
}

}  // namespace

Heads::Heads(const Scope& p, const MultiHeadSizes& sizes)
    : heads_(sizes.heads),
      takes_heads_(score_traits(sizes.score).takes_heads),
      visibility_(
          make_visibility(sizes.visibility, p / "visibility",
                          {sizes.heads * sizes.head(), sizes.window, sizes.heads, sizes.edge_kinds})) {
  const int64_t d = sizes.head();
  for (int64_t h = 0; h < (takes_heads_ ? 1 : heads_); ++h)
    scores_.push_back(make_score(sizes.score, p / ("head" + std::to_string(h)), {d, d, d}));
}

Tensor Heads::keys(const Tensor& k) const {
  if (takes_heads_) return scores_[0]->keys(k);
  std::vector<Tensor> parts = equal_columns(k, heads_);
  for (size_t h = 0; h < parts.size(); ++h) parts[h] = scores_[h]->keys(parts[h]);
  return concat_columns(parts);
}

Tensor Heads::attend(const Tensor& q, const Tensor& keys, const Tensor& values, Attending who) const {
  std::optional<EdgeLens> spread;
  if (who.lens != nullptr && who.edges) who.lens = &spread.emplace(*who.lens, who.queries, *who.edges);
  visibility_->narrow(who, q);
  if (who.places && recording(keys)) {
    const Tensor places = std::exchange(who.places, {});
    return attend_heads(q, embedding(keys, places), embedding(values, places), who);
  }
  return attend_heads(q, keys, values, who);
}

Tensor Heads::attend_heads(const Tensor& q, const Tensor& keys, const Tensor& values, Attending who) const {
  if (takes_heads_ && who.fits_kernels()) {
    who.heads = static_cast<int>(heads_);
    return scores_[0]->attend(q, keys, values, who);
  }
  const Tensor places = std::exchange(who.places, {});
  const auto in_order = [&](const Tensor& x) { return places ? embedding(x, places) : x; };
  const auto qs = equal_columns(q, heads_), ks = equal_columns(in_order(keys), heads_),
             vs = equal_columns(in_order(values), heads_);
  HeadLens gathered;
  Lens* const lens = std::exchange(who.lens, who.lens != nullptr ? &gathered : nullptr);
  const Random random = who.dropout.random;
  const auto for_heads = [&](const Tensor& bias) {
    return bias ? equal_columns(bias, heads_) : std::vector<Tensor>(static_cast<size_t>(heads_));
  };
  const std::vector<Tensor> biases = for_heads(who.bias), pair_biases = for_heads(who.pair_bias);
  std::vector<Tensor> heads;
  for (size_t h = 0; h < qs.size(); ++h) {
    who.dropout.random = random.stream(h);
    who.bias = biases[h];
    who.pair_bias = pair_biases[h];
    who.head = static_cast<int64_t>(h);
    heads.push_back(scores_[takes_heads_ ? 0 : h]->attend(qs[h], ks[h], vs[h], who));
  }
  if (lens != nullptr) gathered.show(*lens, who.name);
  return concat_columns(heads);
}

Tensor Heads::first_energy(const Tensor& q, const Tensor& keys, const Attending& who) const {
  return scores_[0]->energy(equal_columns(q, heads_)[0], equal_columns(keys, heads_)[0], who);
}

SelfAttention::SelfAttention(const Scope& p, const MultiHeadSizes& sizes) : sizes_(sizes), heads_(p, sizes) {
  if (!sizes.projections) return;
  qkv_.emplace(p / "qkv", sizes.d,
               sizes.heads * sizes.head() + sizes.key_heads * (sizes.head() + sizes.value()));
  out_.emplace(p / "out", sizes.heads * sizes.value(), sizes.d);
}

std::vector<Tensor> SelfAttention::project(const Tensor& x) const {
  if (!qkv_) return {x, x, x};
  return split_columns((*qkv_)(x),
                       std::vector<int64_t>{sizes_.heads * sizes_.head(), sizes_.key_heads * sizes_.head(),
                                            sizes_.key_heads * sizes_.value()});
}

Tensor SelfAttention::repeated(const Tensor& shared) const {
  if (sizes_.key_heads == sizes_.heads) return shared;
  std::vector<Tensor> heads;
  for (const Tensor& head : equal_columns(shared, sizes_.key_heads))
    heads.insert(heads.end(), static_cast<size_t>(sizes_.heads / sizes_.key_heads), head);
  return concat_columns(heads);
}

Tensor SelfAttention::operator()(const Tensor& x, const Who& who, const Positions& order, KeyValues& past,
                                 Pass& pass) const {
  const auto qkv = project(x);
  const Tensor q = order.rotated(qkv[0], who.positions);
  const auto keys_of = [&](const Tensor& k) {
    return heads_.keys(repeated(order.rotated(k, who.positions)));
  };
  KeyValues alone;
  if (who.remembered && !past.keys) alone.append(keys_of(qkv[1]), repeated(qkv[2]), who.rows);
  const auto kept = who.remembered ? project(who.remembered) : qkv;
  past.append(keys_of(kept[1]), repeated(kept[2]), who.rows);
  const KeyValues& seen = alone.keys ? alone : past;
  if (CloseLens* const lens = CloseLens::of(pass.lens(who.name))) {
    AttentionInputs inputs{q, seen.keys, seen.values, static_cast<int>(sizes_.heads), sizes_.score};
    inputs.x = x;
    if (qkv_) {
      const int64_t keys = sizes_.heads * sizes_.head(), values = keys + sizes_.key_heads * sizes_.head();
      inputs.out = out_->weight;
      inputs.query_weight = part_of(*qkv_, 0, keys);
      inputs.key_weight = part_of(*qkv_, keys, values);
      inputs.value_weight = part_of(*qkv_, values, qkv_->weight.rows());
    }
    lens->inputs(who.name, inputs);
  }
  const Tensor mixed = heads_.attend(q, seen.keys, seen.values,
                                     {.queries = who.rows,
                                      .keys = seen.rows,
                                      .sees = who.sees,
                                      .positions = who.positions,
                                      .bias = order.bias(),
                                      .relative = order.relative(),
                                      .places = seen.places,
                                      .edges = who.edges,
                                      .dropout = pass.dropout(sizes_.dropout),
                                      .lens = pass.lens(who.name),
                                      .name = who.name,
                                      .edits = CloseLens::edits(pass.lens(), who.name)});
  return out_ ? (*out_)(mixed) : mixed;
}

CrossAttention::CrossAttention(const Scope& p, const MultiHeadSizes& sizes)
    : sizes_(sizes), heads_(p, sizes) {
  if (!sizes.projections) return;
  q_.emplace(p / "q", sizes.d, sizes.heads * sizes.head());
  kv_.emplace(p / "kv", sizes.d, sizes.heads * (sizes.head() + sizes.value()));
  out_.emplace(p / "out", sizes.heads * sizes.value(), sizes.d);
}

KeyValues CrossAttention::read(const Tensor& memory, const Rows& rows) const {
  if (!kv_) return {.keys = heads_.keys(memory), .values = memory, .rows = rows};
  const auto kv = split_columns(
      (*kv_)(memory), std::vector<int64_t>{sizes_.heads * sizes_.head(), sizes_.heads * sizes_.value()});
  return {.keys = heads_.keys(kv[0]), .values = kv[1], .rows = rows};
}

Tensor CrossAttention::operator()(const Tensor& x, const Who& who, const KeyValues& memory,
                                  Pass& pass) const {
  const Tensor q = q_ ? (*q_)(x) : x;
  if (Guide* const guide = pass.guide(who.name))
    guide->compare(heads_.first_energy(q, memory.keys, {.queries = who.rows, .keys = memory.rows}), who.rows,
                   memory.rows);
  if (CloseLens* const lens = CloseLens::of(pass.lens(who.name))) {
    AttentionInputs inputs{q, memory.keys, memory.values, static_cast<int>(sizes_.heads), sizes_.score};
    inputs.x = x;
    if (q_) {
      const int64_t values = sizes_.heads * sizes_.head();
      inputs.out = out_->weight;
      inputs.query_weight = part_of(*q_, 0, q_->weight.rows());
      inputs.key_weight = part_of(*kv_, 0, values);
      inputs.value_weight = part_of(*kv_, values, kv_->weight.rows());
    }
    lens->inputs(who.name, inputs);
  }
  const Tensor mixed = heads_.attend(q, memory.keys, memory.values,
                                     {.queries = who.rows,
                                      .keys = memory.rows,
                                      .positions = who.positions,
                                      .places = memory.places,
                                      .dropout = pass.dropout(sizes_.dropout),
                                      .lens = pass.lens(who.name),
                                      .name = who.name,
                                      .edits = CloseLens::edits(pass.lens(), who.name)});
  return out_ ? (*out_)(mixed) : mixed;
}

}  // namespace attune
