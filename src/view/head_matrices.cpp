#include "view/head_matrices.h"

#include <algorithm>
#include <set>

#include "attune/error.h"

namespace attune::view {
namespace {

NumberTable some_rows(const NumberTable& table, size_t begin, size_t end) {
  if (table.numbers.empty()) return {};
  const auto first = table.numbers.begin();
  return {end - begin, table.columns,
          std::vector(first + static_cast<int64_t>(begin * table.columns),
                      first + static_cast<int64_t>(end * table.columns))};
}

NumberTable some_columns(const NumberTable& table, size_t begin, size_t end) {
  NumberTable some{table.rows, end - begin};
  if (table.numbers.empty()) return {};
  for (size_t r = 0; r < table.rows; ++r)
    for (size_t c = begin; c < end; ++c) some.numbers.push_back(table.numbers[r * table.columns + c]);
  return some;
}

// The part of one head, among `heads`, of rows that several heads may share.
NumberTable part(const NumberTable& table, size_t width, size_t head, size_t heads) {
  if (width == 0 || table.rows % width != 0 || table.rows == 0) return {};
  const size_t own = head * (table.rows / width) / heads;
  return some_rows(table, own * width, (own + 1) * width);
}

}  // namespace

double sharpness(const AttentionLayer& layer, size_t matrix) {
  if (layer.queries == 0 || layer.keys == 0) return 0;
  std::set<size_t> preferred;
  double total = 0;
  for (size_t q = 0; q < layer.queries; ++q) {
    const auto row = layer.weights.begin() + static_cast<int64_t>((matrix * layer.queries + q) * layer.keys);
    const auto best = std::max_element(row, row + static_cast<int64_t>(layer.keys));
    preferred.insert(static_cast<size_t>(best - row));
    total += *best;
  }
  return total / static_cast<double>(layer.queries) * static_cast<double>(preferred.size()) /
         static_cast<double>(std::min(layer.queries, layer.keys));
}

void keep_matrices(Attention& attention, const AttentionChoice& choice) {
  const AttentionLayer* chosen = nullptr;
  int64_t head = choice.head.value_or(0);
  const auto layers = layers_of(attention, choice.kind);
  const int64_t number =
      choice.layer && *choice.layer < 0 ? std::ssize(layers) + *choice.layer : choice.layer.value_or(-1);
  double best = -1;
  for (const AttentionLayer* layer : layers)
    for (size_t m = 0; m < layer->heads.size(); ++m) {
      if (choice.layer && layer->number != number) continue;
      if (choice.head && layer->heads[m] != *choice.head) continue;
      const double own = sharpness(*layer, m);
      if (own <= best) continue;
      best = own;
      chosen = layer;
      head = layer->heads[m];
    }
  for (LayerInputs& inputs : attention.inputs) {
    const bool kept = chosen != nullptr && inputs.kind == chosen->kind && inputs.number == chosen->number;
    if (!kept) {
      inputs.x = inputs.query_weight = inputs.key_weight = inputs.value_weight = inputs.out = {};
      continue;
    }
    const auto heads = static_cast<size_t>(inputs.heads), own = static_cast<size_t>(head);
    const size_t of_key = inputs.queries.columns / heads, of_value = inputs.values.columns / heads;
    inputs.matrix_head = head;
    inputs.query_weight = part(inputs.query_weight, of_key, own, heads);
    inputs.key_weight = part(inputs.key_weight, of_key, own, heads);
    inputs.value_weight = part(inputs.value_weight, of_value, own, heads);
    if (inputs.out.columns == inputs.values.columns)
      inputs.out = some_columns(inputs.out, own * of_value, (own + 1) * of_value);
  }
}

}  // namespace attune::view
