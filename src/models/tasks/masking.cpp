#include "models/tasks/masking.h"

#include "attune/ops.h"

namespace attune {

Masked mask_tokens(std::span<const int32_t> ids, const MaskOptions& options, const Random& random) {
  Masked result{{ids.begin(), ids.end()}, std::vector<int32_t>(ids.size(), kIgnore)};
  const Random choice = random.stream(0), fate = random.stream(1), word = random.stream(2);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < options.first_word || choice.uniform(i) >= options.share) continue;
    result.expected[i] = ids[i];
    const double u = fate.uniform(i);
    if (u < 0.8)
      result.ids[i] = options.mask;
    else if (u < 0.9)
      result.ids[i] = options.first_word + static_cast<int32_t>(word.below(
                                               static_cast<uint64_t>(options.words - options.first_word), i));
  }
  return result;
}

}  // namespace attune
