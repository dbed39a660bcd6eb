#include "decode/answers.h"

#include <algorithm>

#include "attune/autograd.h"

namespace attune {
namespace {

constexpr int64_t kNumbersAtATime = int64_t{2} << 20;

}  // namespace

void for_answers(std::span<const WeightedModel> models, const Batch& batch, std::span<const int64_t> rows,
                 const std::function<void(const NextWords&, size_t)>& use) {
  const NoGrad no_grad;
  std::vector<Tensor> features;
  std::vector<double> weights;
  for (const auto& [model, weight] : models) {
    Pass pass;
    features.push_back(model->features(batch, pass));
    weights.push_back(weight);
  }
  const int64_t words = models[0].model->output_weight().rows();
  const auto chunk = static_cast<size_t>(std::max<int64_t>(1, kNumbersAtATime / words));
  for (size_t first = 0; first < rows.size(); first += chunk) {
    const auto some = rows.subspan(first, std::min(chunk, rows.size() - first));
    std::vector<Tensor> logits;
    for (size_t m = 0; m < models.size(); ++m)
      logits.push_back(models[m].model->logits(take_rows(features[m], some)));
    use(NextWords(logits, weights), first);
  }
}

}  // namespace attune
