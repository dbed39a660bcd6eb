#include "view/attention.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "attune/error.h"

namespace attune::view {
namespace {

constexpr std::array<const char*, 3> kKinds{"encoder", "decoder", "cross"};

AttentionKind default_kind(const Attention& attention) {
  for (const auto kind : {AttentionKind::cross, AttentionKind::decoder})
    if (std::ranges::any_of(attention.layers, [&](const auto& layer) { return layer.kind == kind; }))
      return kind;
  return AttentionKind::encoder;
}

// The nearest layer if there are not that many.
const AttentionLayer& aligning(const std::vector<const AttentionLayer*>& layers, int64_t number) {
  const auto count = static_cast<int64_t>(layers.size());
  return *layers[static_cast<size_t>(
      std::clamp<int64_t>(number < 0 ? count + number : number, 0, count - 1))];
}

const AttentionLayer& numbered(const std::vector<const AttentionLayer*>& layers, int64_t number) {
  const auto count = static_cast<int64_t>(layers.size());
  const int64_t at = number < 0 ? count + number : number;
  if (at < 0 || at >= count)
    throw UsageError(fmt::format("there is no layer {} of {} attention: there are layers 0 to {}", number,
                                 name_of(layers[0]->kind), count - 1));
  return *layers[static_cast<size_t>(at)];
}

}  // namespace

std::span<const char* const> enum_names(AttentionKind) { return kKinds; }

const char* name_of(AttentionKind kind) { return kKinds[static_cast<size_t>(kind)]; }

const std::vector<std::string>& Attention::row_labels(AttentionKind kind) const {
  return kind == AttentionKind::encoder   ? encoder_tokens
         : kind == AttentionKind::decoder ? decoder_tokens
                                          : decoder_outputs;
}

const std::vector<std::string>& Attention::column_labels(AttentionKind kind) const {
  return kind == AttentionKind::decoder ? decoder_tokens : encoder_tokens;
}

std::vector<const AttentionLayer*> layers_of(const Attention& attention, std::optional<AttentionKind> kind) {
  const AttentionKind wanted = kind.value_or(default_kind(attention));
  std::vector<const AttentionLayer*> found;
  for (const AttentionLayer& layer : attention.layers)
    if (layer.kind == wanted) found.push_back(&layer);
  if (found.empty() && !attention.layers.empty())
    throw UsageError(fmt::format("a model of type {} has no {} attention", attention.type, name_of(wanted)));
  return found;
}

AttentionMatrix choose(const Attention& attention, const AttentionChoice& choice) {
  const auto layers = layers_of(attention, choice.kind);
  if (layers.empty()) return {};
  const AttentionLayer& layer =
      choice.layer ? numbered(layers, *choice.layer) : aligning(layers, attention.aligning_layer);
  std::optional<int64_t> head = choice.head;
  if (!choice.layer && !head && layer.kind == AttentionKind::cross &&
      std::ranges::count(layer.heads, attention.aligning_head) > 0)
    head = attention.aligning_head;
  std::vector<size_t> matrices;  // to average
  for (size_t m = 0; m < layer.matrices(); ++m)
    if (!head || (!layer.heads.empty() && layer.heads[m] == *head)) matrices.push_back(m);
  if (matrices.empty())
    throw UsageError(fmt::format("there is no head {}: layer {} of {} attention has {}", *head, layer.number,
                                 name_of(layer.kind), layer.matrices()));
  AttentionMatrix matrix{attention.column_labels(layer.kind), attention.row_labels(layer.kind), {}};
  matrix.weights.assign(layer.queries, std::vector<float>(layer.keys));
  for (const size_t m : matrices) {
    const float* from = layer.weights.data() + m * layer.queries * layer.keys;
    for (auto& row : matrix.weights)
      for (float& weight : row) weight += *from++ / static_cast<float>(matrices.size());
  }
  return matrix;
}

}  // namespace attune::view
