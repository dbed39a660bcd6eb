// AttentionLens: keeps every attention matrix of one sentence.
#pragma once

#include <optional>
#include <vector>

#include "nn/close_lens.h"
#include "view/attention.h"

namespace attune {

class AttentionLens final : public CloseLens {
 public:
  // If its heads together have more weights, a layer is kept as their mean, unless a single head is wanted.
  static constexpr int64_t kMostWeights = 4'000'000;

  static constexpr int64_t kMostOfMatrix = 1 << 18;  // numbers; larger ones are not kept

  // With `numbers`, what weights were computed from, the states of the layers and the gates are kept too.
  explicit AttentionLens(std::optional<int64_t> head = {}, bool numbers = false)
      : head_(head), numbers_(numbers) {}

  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override;
  void inputs(AttentionName name, const AttentionInputs& inputs) override;
  void state(AttentionName::Stack stack, int64_t layer, const Tensor& x) override;
  void gates(const RecurrentName& name, const GateValues& values) override;

  const std::vector<view::AttentionLayer>& layers() const { return layers_; }
  const std::vector<view::LayerInputs>& inputs() const { return inputs_; }
  const std::vector<view::LayerStates>& states() const { return states_; }
  const std::vector<view::LayerGates>& gates() const { return gates_; }
  const std::vector<Tensor>& decoder_states() const { return decoder_states_; }  // of the layers from 0

 private:
  std::optional<int64_t> head_;
  bool numbers_;
  std::vector<float> value_norms_;  // of the attention that comes next
  std::vector<view::AttentionLayer> layers_;
  std::vector<view::LayerInputs> inputs_;
  std::vector<view::LayerStates> states_;
  std::vector<view::LayerGates> gates_;
  std::vector<Tensor> decoder_states_;
};

}  // namespace attune
