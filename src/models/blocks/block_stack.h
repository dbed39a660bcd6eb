// The stack of Transformer layers that encoders, decoders, GPT and BERT are made of.
#pragma once

#include <optional>
#include <vector>

#include "models/blocks/block_config.h"
#include "nn/attention/multi_head.h"

namespace attune {

// One layer: self-attention, optional attention to another sequence, and a feed-forward network, each with a
// residual connection and a norm around it.
struct Block {
  SelfAttention self;
  Residual around_self;
  std::optional<CrossAttention> cross;
  std::optional<Residual> around_cross;
  std::optional<FeedForward> feed_forward;
  std::optional<Residual> around_feed_forward;

  // cross_visibility: of the other sequence; empty: there is none.
  Block(const Scope& p, const BlockConfig& config, const std::string& cross_visibility);
};

// What the layers have seen so far.
struct StackState {
  Rows seen;                     // tokens per sentence
  std::vector<KeyValues> self;   // one per layer
  std::vector<KeyValues> cross;  // one per layer, or none
  std::vector<Tensor> before;    // one per layer: what a convolution still sees of earlier tokens
  // While gradients are recorded, each layer reads this itself, so that the backward pass finishes a layer
  // before it reaches the one below; otherwise undefined.
  Tensor memory = {};
  Rows memory_rows = {};
  std::shared_ptr<const Edges> edges = nullptr;  // of the tokens that are read; null: none are given
  Tensor places = {};                            // of the tokens that are read; undefined: by index

  StackState select(std::span<const int64_t> sentences) const;
};

class BlockStack {
 public:
  struct Kind {
    AttentionName::Stack name;
    int64_t layers;
    Band sees = {};
    std::string cross = {};   // the visibility of the sequence that it attends to; empty: none
    bool norm_first = false;  // normalise the embeddings, as BERT does
    // Later steps of decoding see tokens without the norm before self-attention.
    bool plain_past = false;
    Places places = Places::index;  // of the tokens that it reads
  };

  BlockStack(const Scope& p, const BlockConfig& config, Kind kind);

  // For `sentences` sentences of which no token has been read. Cross-attention reads `memory`.
  StackState start(int64_t sentences) const;
  StackState start(const Ragged& source) const;  // to read it, with its edges and places
  StackState start(const Tensor& memory, const Rows& rows) const;

  int64_t longest() const { return positions_.limit(); }  // in tokens

  // x [tokens, d] without positions -> [tokens, d]; advances the state.
  Tensor operator()(const Tensor& x, const Rows& rows, StackState& state, Pass& pass) const;

 private:
  Kind kind_;
  double dropout_;
  AttentionActivation attention_activation_;
  Positions positions_;
  std::optional<Norm> first_;
  std::vector<Block> blocks_;
  std::optional<Norm> last_;  // usual in pre-norm: the last sum has not been normalised yet
};

}  // namespace attune
