#include "models/blocks/block_config.h"

#include <cmath>

#include "config/rules.h"
#include "models/model_config.h"
#include "nn/attention/visibility.h"

namespace attune {

// base and big are those of Vaswani et al. 2017.
BlockSize block_size(Size size) {
  static constexpr BlockSize kBlockSizes[] = {
      {2, 128, 4, 512}, {4, 256, 4, 1024}, {6, 512, 8, 2048}, {6, 1024, 16, 4096}};
  return kBlockSizes[static_cast<size_t>(size)];
}

Entries BlockConfig::of_size(Size size) {
  const BlockSize block = block_size(size);
  return {entry("d_model", block.d_model), entry("heads", block.heads),
          entry("feed_forward", block.feed_forward)};
}

std::span<const char* const> enum_names(AttentionActivation) {
  static constexpr const char* kWords[] = {"none", "relu", "elu"};
  return kWords;
}

void BlockConfig::fields(FieldsOf<BlockConfig> f) {
  f("d_model", &BlockConfig::d_model, "size of word vectors and of every layer's output");
  f("heads", &BlockConfig::heads, "attention heads");
  f("key_heads", &BlockConfig::key_heads,
    "heads of keys and values in self-attention, shared by the others; 0: as many as heads");
  f("last_heads", &BlockConfig::last_heads, "heads of the last layer; 0: as in the others");
  f("head_size", &BlockConfig::head_size, "size of a head's queries and keys; 0: d_model / heads");
  f("value_size", &BlockConfig::value_size, "size of a head's values; 0: d_model / heads");
  f("projections", &BlockConfig::projections,
    "heads have queries, keys and values of their own; false: they compare and mix parts of the vectors");
  f("attention_activation", &BlockConfig::attention_activation,
    "activation of what attention gives, in all layers but the last");
  f("feed_forward", &BlockConfig::feed_forward,
    "size of the hidden layer of the feed-forward networks; 0: there are none");
  f("feed_forward_layers", &BlockConfig::feed_forward_layers, "layers of the feed-forward networks");
  f("activation", &BlockConfig::activation,
    "activation of the feed-forward networks; conv: relu over a token and its neighbours");
  f("norm", &BlockConfig::norm, "normalise after each sublayer, as in the 2017 paper, before it, or nowhere");
  f("norm_kind", &BlockConfig::norm_kind, "layer norm or RMS norm");
  f("residual", &BlockConfig::residual, "add the input of each sublayer to its output");
  f("final_norm", &BlockConfig::final_norm, "a norm after the last layer; auto: if norm is pre");
  f("norm_epsilon", &BlockConfig::norm_epsilon, "added to the variance in norms");
  f("positions", &BlockConfig::positions, "how the model knows the order of tokens");
  f("rotary_base", &BlockConfig::rotary_base, "positions: rotary: the longest wave is about 2 pi times this");
  f("rotary_stretch", &BlockConfig::rotary_stretch,
    "positions: rotary: makes long waves longer, as in Llama 3.1");
  f("rotary_trained", &BlockConfig::rotary_trained,
    "rotary_stretch: waves longer than so many tokens are long");
  f("attention", &BlockConfig::attention, "attention score (scaled_dot, additive, ...)");
  f("visibility", &BlockConfig::visibility,
    "which tokens of its own sequence a token sees (full, window, ...)");
  f("window", &BlockConfig::window, "how many tokens before and after it a token sees, if not all");
  f("edge_kinds", &BlockConfig::edge_kinds,
    "visibility edges: how many kinds of edges there are, each with a learned weight; 0: they do not matter");
  f("scale_embeddings", &BlockConfig::scale_embeddings, "multiply word vectors by sqrt(d_model)");
  f("dropout", &BlockConfig::dropout, "dropout of embeddings and of each sublayer's output");
  f("attention_dropout", &BlockConfig::attention_dropout, "dropout of attention weights");
  f("activation_dropout", &BlockConfig::activation_dropout,
    "dropout of the feed-forward networks' hidden layer");
  f("convolution", &BlockConfig::convolution,
    "sources of vectors: how many neighbouring rows are read together, an odd number; 1: each by itself");
  f("max_positions", &BlockConfig::max_positions, "longest sentence that it can read or write, in tokens");
}

void BlockConfig::validate() const {
  require_positive({{"d_model", d_model},
                    {"heads", heads},
                    {"feed_forward_layers", feed_forward_layers},
                    {"max_positions", max_positions}});
  require_not_negative({{"feed_forward", feed_forward},
                        {"last_heads", last_heads},
                        {"head_size", head_size},
                        {"value_size", value_size}});
  require_at_most(kMostNumbers, {{"d_model", d_model},
                                 {"heads", heads},
                                 {"last_heads", last_heads},
                                 {"head_size", head_size},
                                 {"value_size", value_size}});
  require_convolution(convolution);
  require_at_most(16 * kMostNumbers, {{"feed_forward", feed_forward}});
  require_at_most(kMostLayers, {{"feed_forward_layers", feed_forward_layers}});
  for (const FeedForwardKind kind : {FeedForwardKind::swiglu, FeedForwardKind::conv})
    require(activation != kind || feed_forward_layers == 2, "feed_forward_layers", "'{}' has 2, not {}",
            enum_names(kind)[static_cast<size_t>(kind)], feed_forward_layers);
  require(norm_epsilon > 0 && norm_epsilon < 1, "norm_epsilon", "must be above 0 and below 1, but is {}",
          norm_epsilon);
  require_at_most(kMostPositions, {{"max_positions", max_positions}});
  require_not_negative({{"key_heads", key_heads}});
  require(heads % shared_heads() == 0, "key_heads", "{} heads cannot share {} keys and values equally", heads,
          key_heads);
  const bool own_sizes = head_size > 0 && value_size > 0;
  require(own_sizes || d_model % heads == 0, "heads", "d_model {} is not divisible by {} heads", d_model,
          heads);
  require(projections || (head_size == 0 && value_size == 0 && shared_heads() == heads), "projections",
          "without them heads are equal parts of the vectors: leave out head_size, value_size and key_heads");
  require(last_heads == 0 || d_model % last_heads == 0 || own_sizes, "last_heads",
          "d_model {} is not divisible by {} heads", d_model, last_heads);
  const bool for_all_heads = positions == PositionKind::none || positions == PositionKind::sinusoidal ||
                             positions == PositionKind::learned;
  require(last_heads == 0 || for_all_heads, "last_heads",
          "it needs positions that do not belong to heads: none, sinusoidal or learned");
  for (const PositionKind kind : {PositionKind::sinusoidal, PositionKind::sinusoidal_split})
    require(positions != kind || d_model % 2 == 0, "positions", "'{}' needs an even d_model, not {}",
            enum_names(kind)[static_cast<size_t>(kind)], d_model);
  require(positions != PositionKind::sinusoidal_halves || (d_model % 2 == 0 && d_model >= 4), "positions",
          "'sinusoidal_halves' needs an even d_model of at least 4, not {}", d_model);
  require(positions != PositionKind::rotary || head() % 2 == 0, "positions",
          "'rotary' rotates pairs of numbers, so it needs an even size of heads, not {}", head());
  require(rotary_base > 1 && rotary_base <= 1e12, "rotary_base",
          "must be above 1 and at most 1e12, but is {}", rotary_base);
  require(rotary_stretch >= 1 && rotary_stretch <= 1e6, "rotary_stretch", "must be 1 to 1e6, but is {}",
          rotary_stretch);
  require_positive({{"rotary_trained", rotary_trained}});
  require_score(attention);
  require_not_negative({{"window", window}, {"edge_kinds", edge_kinds}});
  require_at_most(kMostLayers, {{"edge_kinds", edge_kinds}});
  require(edge_kinds == 0 || visibility == "edges", "edge_kinds", "it belongs to visibility: edges");
  require_visibility("visibility", visibility, &VisibilityTraits::self, "window", window);
  require(!score_traits(attention).whole_series || visibility == "full", "attention",
          "'{}' needs visibility: full", attention);
  require_share("dropout", dropout);
  require_share("attention_dropout", attention_dropout);
  require_share("activation_dropout", activation_dropout);
}

BlockConfig BlockConfig::of_layer(int64_t layer, int64_t layers) const {
  BlockConfig config = *this;
  if (last_heads > 0 && layer == layers - 1) {
    config.heads = last_heads;
    config.key_heads = 0;
  }
  return config;
}

double BlockConfig::embedding_scale() const {
  return scale_embeddings ? std::sqrt(static_cast<double>(d_model)) : 1;
}

}  // namespace attune
