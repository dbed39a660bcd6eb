#include "train/data/noise.h"

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"

namespace attune {

void drop_words(const Tensor& ids, double share, int32_t unk, int32_t first_word, const Random& random) {
  uint64_t i = 0;
  for (int32_t& id : ids.span<int32_t>())
    if (random.uniform(i++) < share && id >= first_word) id = unk;
}

double sampled_share(double share, SamplingGrowth growth, int64_t batches, int64_t k) {
  const auto scale = static_cast<double>(k);
  const double at = static_cast<double>(batches) / scale;
  switch (growth) {
    case SamplingGrowth::none: return share;
    case SamplingGrowth::linear: return share * std::min(1.0, at);
    case SamplingGrowth::exponential: return share * (1 - std::exp(-at));
    case SamplingGrowth::sigmoid: break;
  }
  return share * (1 - scale / (scale + std::exp(at)));
}

void sample_given(const Model& model, const Batch& batch, double share, const Random& random) {
  const NoGrad no_grad;
  Pass pass;
  const Tensor logits = model.logits(model.features(batch, pass));
  const auto given = batch.given.ids.span<int32_t>();
  const Rows& rows = batch.given.rows;
  for (int64_t s = 0; s < rows.count(); ++s)
    for (int64_t t = rows.begin(s) + 1; t < rows.end(s); ++t) {
      if (random.uniform(static_cast<uint64_t>(t)) >= share) continue;
      const auto row = logits.row<float>(t - 1);
      given[static_cast<size_t>(t)] = static_cast<int32_t>(std::ranges::max_element(row) - row.begin());
    }
}

}  // namespace attune
