// BatchReader: batches of examples from a corpus. An epoch's lines are shuffled; windows of some thousand
// examples are sorted by length and cut into batches, whose order is shuffled again. So batches hold
// sentences of about the same length, and which batch comes when depends on seed and epoch alone. A thread
// tokenises the next windows while the present one is used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "text/corpus/corpus.h"
#include "text/corpus/example.h"

namespace attune {

struct BatchOptions {
  int64_t mini_batch_words =
      4000;                 // tokens of the side that has most; a longer sentence is a batch of its own
  int64_t mini_batch = 0;   // sentences at most; 0: any number
  int64_t max_length = 0;   // tokens of a side; longer examples are dropped; 0: any length
  int64_t window = 20'000;  // examples that are sorted together
  bool shuffle = true;      // off: batches are cut from the corpus in its order
  uint64_t seed = 1;
};

// Where a reader is: the next batch it will give.
struct BatchPosition {
  int64_t epoch = 0, window = 0, batch = 0;
  bool operator==(const BatchPosition&) const = default;
};

// Of the windows that were read since the reader was made.
struct BatchStatistics {
  int64_t examples = 0;  // those that were kept
  int64_t empty = 0, too_long = 0;
  int64_t tokens = 0;  // of all sides
};

class BatchReader {
 public:
  // A reader that starts at the position of another gives what the other would have given from there on. The
  // corpus must outlive the reader; `make` runs in the reader's thread.
  BatchReader(const Corpus& corpus, MakeExample make, const BatchOptions& options,
              const BatchPosition& start = {});
  ~BatchReader();

  // Nothing at the end of each epoch; the next call begins the next one. What went wrong in the thread is
  // thrown here; so is a UsageError if nothing of an epoch was kept.
  std::optional<Examples> next();

  bool epoch_ended() const;  // whether the next call gives nothing
  BatchPosition position() const;
  double share_of_epoch() const;  // that has been given
  BatchStatistics statistics() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attune
