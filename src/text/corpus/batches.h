// BatchReader: batches of examples from a corpus. An epoch's examples are shuffled; windows of a few thousand
// examples are sorted by length and cut into batches, whose order is shuffled again. So batches have
// sentences of about the same length, and their order depends only on seed and epoch. A thread tokenises the
// next window while the current one is in use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "text/corpus/corpus.h"
#include "text/corpus/example.h"

namespace attune {

struct BatchOptions {
  int64_t mini_batch_words = 4000;  // tokens of the larger side; a longer sentence is a batch of its own
  int64_t mini_batch = 0;           // most sentences; 0: any number
  int64_t max_length = 0;           // most tokens of a side; longer examples are dropped; 0: any length
  int64_t window = 20'000;          // examples sorted together
  bool shuffle = true;              // off: batches are cut from the corpus in its order
  uint64_t seed = 1;
};

// The position of a reader: the next batch that it will return.
struct BatchPosition {
  int64_t epoch = 0, window = 0, batch = 0;
  bool operator==(const BatchPosition&) const = default;
};

// About the windows read since the reader was created.
struct BatchStatistics {
  int64_t examples = 0;  // the ones that were kept
  int64_t empty = 0, too_long = 0;
  int64_t tokens = 0;  // of all sides
};

// An example a line. The corpus must outlive it.
std::shared_ptr<const ExampleSource> examples_of_lines(const Corpus& corpus, MakeExample make);

class BatchReader {
 public:
  // A reader that starts at the position of another continues with the same batches. Examples are made in the
  // reader's thread.
  BatchReader(std::shared_ptr<const ExampleSource> examples, const BatchOptions& options,
              const BatchPosition& start = {});
  // One a line. The corpus must outlive the reader.
  BatchReader(const Corpus& corpus, MakeExample make, const BatchOptions& options,
              const BatchPosition& start = {});
  ~BatchReader();

  // Empty at the end of each epoch; the next call starts the next one. Errors of the thread are thrown here;
  // so is a UsageError if no example of an epoch was kept.
  std::optional<Examples> next();

  bool epoch_ended() const;  // whether the next call returns nothing
  BatchPosition position() const;
  double share_of_epoch() const;  // that has been given
  BatchStatistics statistics() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attune
