#include "nn/attention/head_lens.h"

namespace attune {

void HeadLens::attention(AttentionName, const Tensor& weights, const Rows& queries, const Rows& keys, int) {
  heads_.push_back(weights);
  queries_ = queries;
  keys_ = keys;
}

void HeadLens::show(Lens& lens, AttentionName name) const {
  const auto heads = static_cast<int64_t>(heads_.size());
  const Tensor all({heads * heads_[0].size(), 1}, heads_[0].dtype());
  int64_t from = 0, to = 0;  // in each head's weights, and in all
  for (int64_t s = 0; s < queries_.count(); ++s) {
    const int64_t pairs = queries_.length(s) * keys_.length(s);
    for (const Tensor& head : heads_) {
      all.view_rows(to, to + pairs).copy_from(head.view({head.size(), 1}).view_rows(from, from + pairs));
      to += pairs;
    }
    from += pairs;
  }
  lens.attention(name, all.view({all.size()}), queries_, keys_, static_cast<int>(heads));
}

}  // namespace attune
