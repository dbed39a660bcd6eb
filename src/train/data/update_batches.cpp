#include "train/data/update_batches.h"

namespace attune {

UpdateBatches next_batches(BatchReader& reader, int64_t first, int64_t wanted, const Ranks& ranks) {
  UpdateBatches batches;
  while (batches.count < wanted) {
    auto examples = reader.next();
    if (!examples) {
      batches.ends_epoch = true;
      break;
    }
    if (batches.count % ranks.size() == ranks.rank())
      batches.own.emplace_back(first + batches.count, std::move(*examples));
    ++batches.count;
    if (!reader.epoch_ended()) continue;
    reader.next();  // nothing: the next epoch begins
    batches.ends_epoch = true;
    break;
  }
  return batches;
}

}  // namespace attune
