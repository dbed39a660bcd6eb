// Multi-head attention over any registered score.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/attention/key_values.h"
#include "nn/attention/score.h"
#include "nn/attention/visibility.h"
#include "nn/layers.h"
#include "nn/pass.h"
#include "nn/positions.h"

namespace attune {

struct MultiHeadSizes {
  int64_t d, heads;
  std::string score;
  double dropout;  // of the weights
  std::string visibility;
  int64_t window;
  int64_t key_heads;  // of self-attention: heads of keys and values, each for heads / key_heads queries
  int64_t edge_kinds = 0;
  int64_t head_size = 0, value_size = 0;  // of a head's queries and keys, and of its values; 0: d / heads
  bool projections = true;                // false: queries, keys and values are the input itself

  int64_t head() const { return head_size > 0 ? head_size : d / heads; }
  int64_t value() const { return value_size > 0 ? value_size : d / heads; }
};

// One score for each head, side by side in the columns of queries, keys and values.
class Heads {
 public:
  Heads(const Scope& p, const MultiHeadSizes& sizes);

  Tensor keys(const Tensor& k) const;
  Tensor attend(const Tensor& q, const Tensor& keys, const Tensor& values, Attending who) const;
  Tensor first_energy(const Tensor& q, const Tensor& keys, const Attending& who) const;  // of the first head

 private:
  Tensor attend_heads(const Tensor& q, const Tensor& keys, const Tensor& values, Attending who) const;

  int64_t heads_;
  bool takes_heads_;                            // the score computes all heads in one call, if kernels can
  std::vector<std::unique_ptr<Score>> scores_;  // one in that case, otherwise one per head
  std::unique_ptr<Visibility> visibility_;
};

// Vaswani et al. 2017, 3.2.2:  Concat(head_1, .., head_n) W^O,  head_i = attention(x W_i^Q, x W_i^K, x W_i^V)
// Ainslie et al. 2023: several heads may share W^K and W^V.  Without projections all W are left out, and a
// head takes its columns of x.
class SelfAttention {
 public:
  SelfAttention(const Scope& p, const MultiHeadSizes& sizes);

  struct Who {
    Rows rows;         // of the queries
    Tensor positions;  // i32 [queries]
    Band sees;
    AttentionName name;
    Tensor remembered = {};  // what later steps see of x in its place; undefined: x
    std::shared_ptr<const Edges> edges = nullptr;
  };
  // Queries, keys and values from x; the keys and values are appended to `past`.
  Tensor operator()(const Tensor& x, const Who& who, const Positions& order, KeyValues& past,
                    Pass& pass) const;

 private:
  // Queries, keys and values; shared keys and values are repeated for each head.
  std::vector<Tensor> project(const Tensor& x) const;
  Tensor repeated(const Tensor& shared) const;

  MultiHeadSizes sizes_;
  std::optional<Linear> qkv_, out_;  // none without projections
  Heads heads_;
};

// The same with keys and values from another sequence, computed once per sentence.
class CrossAttention {
 public:
  CrossAttention(const Scope& p, const MultiHeadSizes& sizes);

  KeyValues read(const Tensor& memory, const Rows& rows) const;
  struct Who {
    Rows rows;         // of the queries
    Tensor positions;  // i32 [queries]
    AttentionName name;
  };
  Tensor operator()(const Tensor& x, const Who& who, const KeyValues& memory, Pass& pass) const;

 private:
  MultiHeadSizes sizes_;
  std::optional<Linear> q_, kv_, out_;  // none without projections
  Heads heads_;
};

}  // namespace attune
