// The configuration that the Transformer, GPT and BERT share.
#pragma once

#include <string>

#include "config/entries.h"
#include "models/size.h"
#include "nn/feed_forward.h"
#include "nn/norm.h"
#include "nn/positions.h"

namespace attune {

struct BlockSize {
  int64_t layers, d_model, heads, feed_forward;
};
BlockSize block_size(Size size);

// What is done with the output of attention, in all layers but the last.
enum class AttentionActivation : uint8_t { none, relu, elu };
std::span<const char* const> enum_names(AttentionActivation);

struct BlockConfig {
  int64_t d_model = 512, heads = 8, key_heads = 0, last_heads = 0, head_size = 0, value_size = 0;
  bool projections = true;
  int64_t feed_forward = 2048, feed_forward_layers = 2;
  FeedForwardKind activation = FeedForwardKind::relu;
  NormPlace norm = NormPlace::post;
  bool residual = true;
  NormKind norm_kind = NormKind::layer;
  FinalNorm final_norm = FinalNorm::if_pre;
  double norm_epsilon = 1e-5;
  PositionKind positions = PositionKind::sinusoidal;
  double rotary_base = 10000, rotary_stretch = 1;
  int64_t rotary_trained = 8192;
  std::string attention = "scaled_dot", visibility = "full";
  int64_t window = 0, edge_kinds = 0;
  bool scale_embeddings = true;
  double dropout = 0.1, attention_dropout = 0, activation_dropout = 0;
  AttentionActivation attention_activation = AttentionActivation::none;
  int64_t convolution = 1;
  int64_t max_positions = 1024;

  static void fields(FieldsOf<BlockConfig> f);
  // Throws a UsageError that names the key and the reason if the values make no sense together.
  void validate() const;

  static Entries of_size(Size size);  // without the layers

  double embedding_scale() const;
  int64_t shared_heads() const { return key_heads > 0 ? key_heads : heads; }
  int64_t head() const { return head_size > 0 ? head_size : d_model / heads; }
  // Its heads and layers are those of Vaswani et al. 2017.
  bool has_usual_layers() const {
    return head_size == 0 && value_size == 0 && last_heads == 0 && projections && feed_forward > 0 &&
           attention_activation == AttentionActivation::none && activation != FeedForwardKind::conv;
  }
  BlockConfig of_layer(int64_t layer, int64_t layers) const;  // the last may have other heads
  bool ends_with_norm() const {
    return final_norm == FinalNorm::if_pre ? norm == NormPlace::pre : final_norm == FinalNorm::yes;
  }
  int64_t width() const { return d_model; }
  int64_t longest() const { return max_positions; }
};

}  // namespace attune
