// A window of examples, and the batches that are cut from it.
#pragma once

#include <vector>

#include "text/corpus/batches.h"

namespace attune {

struct Window {
  int64_t number = 0, of = 1;  // windows of the epoch
  bool last_of_epoch = false;
  std::vector<Examples> batches;
  BatchStatistics statistics;
};

// `random` determines the order of the batches.
std::vector<Examples> cut_batches(Examples examples, const BatchOptions& options, const Random& random);

// The windows of an epoch, one by one, in any order.
class EpochWindows {
 public:
  EpochWindows(const ExampleSource& examples, const BatchOptions& options, int64_t epoch);
  int64_t count() const;
  Window read(int64_t number) const;

 private:
  bool keep(const std::vector<TokenIds>& sides, BatchStatistics& statistics) const;

  const ExampleSource& examples_;
  const BatchOptions& options_;
  Random random_;
  std::vector<int64_t> order_;  // numbers of examples
};

}  // namespace attune
