#include "models/block_config.h"

#include <cmath>

#include "config/rules.h"
#include "models/model_config.h"
#include "nn/score.h"

namespace attune {

void BlockConfig::fields(Fields& f) {
  f("d_model", d_model, "size of word vectors and of every layer's output");
  f("heads", heads, "attention heads");
  f("feed_forward", feed_forward, "size of the hidden layer of the feed-forward networks");
  f("activation", activation, "of the feed-forward networks");
  f("norm", norm, "normalise after each sublayer, as the 2017 paper does, or before it");
  f("norm_kind", norm_kind, "layer norm or RMS norm");
  f("positions", positions, "how the model knows the order of tokens");
  f("attention", attention, "score of the attention (scaled_dot, additive, ...)");
  f("scale_embeddings", scale_embeddings, "multiply word vectors by sqrt(d_model)");
  f("dropout", dropout, "share of numbers dropped from embeddings and from each sublayer's output");
  f("attention_dropout", attention_dropout, "share of attention weights dropped");
  f("activation_dropout", activation_dropout, "share of the feed-forward networks' hidden numbers dropped");
  f("max_positions", max_positions, "tokens of the longest sentence that it can read or write");
}

void BlockConfig::validate() const {
  require_positive({{"d_model", d_model},
                    {"heads", heads},
                    {"feed_forward", feed_forward},
                    {"max_positions", max_positions}});
  require_at_most(kMostNumbers, {{"d_model", d_model}, {"heads", heads}});
  require_at_most(16 * kMostNumbers, {{"feed_forward", feed_forward}});
  require_at_most(kMostPositions, {{"max_positions", max_positions}});
  require(d_model % heads == 0, "heads", "d_model {} cannot be divided among {} heads", d_model, heads);
  require(positions != PositionKind::sinusoidal || d_model % 2 == 0, "positions",
          "'sinusoidal' needs an even d_model, but it is {}", d_model);
  require(positions != PositionKind::rotary || (d_model / heads) % 2 == 0, "positions",
          "'rotary' turns pairs of numbers, but a head has d_model / heads = {}", d_model / heads);
  require_word("attention", attention, score_names());
  require(positions != PositionKind::alibi || attention == "scaled_dot" || attention == "dot", "positions",
          "'alibi' goes with attention: scaled_dot or dot, not with '{}'", attention);
  require_share("dropout", dropout);
  require_share("attention_dropout", attention_dropout);
  require_share("activation_dropout", activation_dropout);
}

double BlockConfig::embedding_scale() const {
  return scale_embeddings ? std::sqrt(static_cast<double>(d_model)) : 1;
}

}  // namespace attune
