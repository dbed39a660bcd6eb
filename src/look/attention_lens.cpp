#include "look/attention_lens.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "attune/error.h"
#include "attune/ops/products.h"
#include "attune/ops/rows.h"
#include "base/check.h"

namespace attune {
namespace {

view::AttentionKind kind_of(AttentionName name) {
  if (name.kind == AttentionName::cross) return view::AttentionKind::cross;
  return name.stack == AttentionName::encoder ? view::AttentionKind::encoder : view::AttentionKind::decoder;
}

view::NumberTable table_of(const Tensor& x) {
  const Tensor numbers = x.to(DType::f32);
  const auto all = numbers.span<float>();
  return {static_cast<size_t>(x.rows()), static_cast<size_t>(x.columns()), {all.begin(), all.end()}};
}

// Of a matrix that can be shown; otherwise it is empty.
view::NumberTable matrix_of(const Tensor& x) {
  const bool shown =
      x && (x.dtype() == DType::f32 || x.dtype() == DType::f64) && x.size() <= AttentionLens::kMostOfMatrix;
  return shown ? table_of(x.detach()) : view::NumberTable{};
}

void append(view::NumberTable& to, const Tensor& rows) {
  const view::NumberTable more = table_of(rows);
  to.rows += more.rows;
  to.columns = more.columns;
  to.numbers.insert(to.numbers.end(), more.numbers.begin(), more.numbers.end());
}

// |W^O_h v_j| for each head h and key j, where W^O_h are the columns of `out` that head h is multiplied by.
std::vector<float> value_norms(const AttentionInputs& inputs) {
  std::vector<float> norms;
  const bool known = inputs.out && (inputs.out.dtype() == DType::f32 || inputs.out.dtype() == DType::f64);
  if (!known || inputs.values.columns() % inputs.heads != 0) return norms;
  const std::vector<int64_t> widths(static_cast<size_t>(inputs.heads),
                                    inputs.values.columns() / inputs.heads);
  const auto values = split_columns(inputs.values.detach(), widths),
             out = split_columns(inputs.out.detach(), widths);
  for (size_t h = 0; h < values.size(); ++h) {
    const Tensor given = linear(values[h], out[h]).to(DType::f32);
    for (int64_t j = 0; j < given.rows(); ++j) {
      float sum = 0;
      for (const float x : given.row<float>(j)) sum += x * x;
      norms.push_back(std::sqrt(sum));
    }
  }
  return norms;
}

}  // namespace

void AttentionLens::inputs(AttentionName name, const AttentionInputs& inputs) {
  if (!numbers_) return;
  value_norms_ = value_norms(inputs);
  view::LayerInputs all{
      .kind = kind_of(name), .number = name.layer, .heads = inputs.heads, .score = inputs.score};
  all.queries = table_of(inputs.queries);
  all.keys = table_of(inputs.keys);
  all.values = table_of(inputs.values);
  if (inputs.x) all.x = table_of(inputs.x);
  all.query_weight = matrix_of(inputs.query_weight);
  all.key_weight = matrix_of(inputs.key_weight);
  all.value_weight = matrix_of(inputs.value_weight);
  all.out = matrix_of(inputs.out);
  if (inputs.v) all.v = table_of(inputs.v.view({1, inputs.v.size()})).numbers;
  inputs_.push_back(std::move(all));
}

void AttentionLens::state(AttentionName::Stack stack, int64_t layer, const Tensor& x) {
  if (!numbers_) return;
  const bool decoder = stack == AttentionName::decoder;
  states_.push_back({decoder, layer, table_of(x)});
  if (decoder && layer >= 0) decoder_states_.push_back(x);
}

void AttentionLens::gates(const RecurrentName& name, const GateValues& values) {
  if (!numbers_) return;
  const bool decoder = name.stack == AttentionName::decoder;
  auto found = std::ranges::find_if(gates_, [&](const view::LayerGates& each) {
    return each.decoder == decoder && each.number == name.layer && each.backward == name.backward;
  });
  if (found == gates_.end())
    found = gates_.insert(found, {.decoder = decoder,
                                  .number = name.layer,
                                  .backward = name.backward,
                                  .cell = std::string(attune::name(values.cell))});
  append(found->gates, values.gates);
  append(found->before, values.before);
  if (values.cell_before) append(found->cell_before, values.cell_before);
}

void AttentionLens::attention(AttentionName name, const Tensor& weights, const Rows& queries,
                              const Rows& keys, int heads) {
  check(queries.count() == 1, "AttentionLens takes one sentence, not {}", queries.count());
  const Tensor numbers = weights.to(DType::f32);
  const auto all = numbers.span<float>();
  if (!std::ranges::all_of(all, [](float x) { return std::isfinite(x); }))
    throw Error(
        fmt::format("the attention {} has numbers that are not finite; the model's training has diverged, or "
                    "its weights are "
                    "damaged",
                    name.str()));
  view::AttentionLayer layer{.kind = kind_of(name), .number = name.layer};
  layer.queries = static_cast<size_t>(queries.total());
  layer.keys = static_cast<size_t>(keys.total());
  const size_t one = layer.queries * layer.keys;
  if (head_) {
    if (*head_ < 0 || *head_ >= heads)
      throw UsageError(fmt::format("there is no head {}: attention {} has the heads 0 to {}", *head_,
                                   name.str(), heads - 1));
    layer.heads = {*head_};
    const auto head = all.subspan(static_cast<size_t>(*head_) * one, one);
    layer.weights.assign(head.begin(), head.end());
  } else if (heads > 1 && static_cast<int64_t>(all.size()) > kMostWeights) {
    layer.weights.resize(one);
    for (size_t i = 0; i < all.size(); ++i) layer.weights[i % one] += all[i] / static_cast<float>(heads);
  } else {
    layer.heads.resize(static_cast<size_t>(heads));
    std::iota(layer.heads.begin(), layer.heads.end(), 0);
    layer.weights.assign(all.begin(), all.end());
  }
  if (layer.heads.size() == static_cast<size_t>(heads)) layer.value_norms = std::exchange(value_norms_, {});
  layers_.push_back(std::move(layer));
}

}  // namespace attune
