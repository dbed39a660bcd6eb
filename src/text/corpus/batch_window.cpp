#include "text/corpus/batch_window.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace attune {
namespace {

// The uses of an epoch's random numbers.
enum Stream : uint64_t { kShares, kOrder, kBatches, kExamples };

// Target before source: it determines the steps of a decoder. Equal lengths keep their order.
bool shorter(const Example* a, const Example* b) {
  for (size_t s = a->sides.size(); s-- > 0;)
    if (a->sides[s].size() != b->sides[s].size()) return a->sides[s].size() < b->sides[s].size();
  return false;
}

// The sentences, and the tokens of each side, of a growing batch.
class BatchSize {
 public:
  BatchSize(size_t sides, const BatchOptions& options) : options_(options), tokens_(sides) {}

  bool takes(const Example& example) const {
    if (sentences_ == 0) return true;
    if (options_.mini_batch > 0 && sentences_ == options_.mini_batch) return false;
    for (size_t s = 0; s < tokens_.size(); ++s)
      if (tokens_[s] + static_cast<int64_t>(example.sides[s].size()) > options_.mini_batch_words)
        return false;
    return true;
  }

  void add(const Example& example) {
    ++sentences_;
    for (size_t s = 0; s < tokens_.size(); ++s) tokens_[s] += static_cast<int64_t>(example.sides[s].size());
  }

 private:
  const BatchOptions& options_;
  std::vector<int64_t> tokens_;
  int64_t sentences_ = 0;
};

}  // namespace

std::vector<Examples> cut_batches(Examples examples, const BatchOptions& options, const Random& random) {
  if (examples.empty()) return {};
  std::vector<Example*> order;
  for (Example& example : examples) order.push_back(&example);
  if (options.shuffle) std::ranges::stable_sort(order, shorter);

  std::vector<Examples> batches;
  const size_t sides = examples[0].sides.size();
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    BatchSize size(sides, options);
    for (; end < order.size() && size.takes(*order[end]); ++end) size.add(*order[end]);
    auto& batch = batches.emplace_back();
    for (size_t i = begin; i < end; ++i) batch.push_back(std::move(*order[i]));
  }
  if (!options.shuffle) return batches;

  std::vector<int64_t> places(batches.size());
  std::iota(places.begin(), places.end(), 0);
  random.shuffle(places);
  std::vector<Examples> shuffled;
  for (const int64_t place : places) shuffled.push_back(std::move(batches[static_cast<size_t>(place)]));
  return shuffled;
}

EpochWindows::EpochWindows(const ExampleSource& examples, const BatchOptions& options, int64_t epoch)
    : examples_(examples),
      options_(options),
      random_(Random(options.seed).stream(static_cast<uint64_t>(epoch))),
      order_(examples.epoch(random_.stream(kShares))) {
  if (options.shuffle) random_.stream(kOrder).shuffle(order_);
}

int64_t EpochWindows::count() const {
  return (static_cast<int64_t>(order_.size()) + options_.window - 1) / options_.window;
}

bool EpochWindows::keep(const std::vector<TokenIds>& sides, BatchStatistics& statistics) const {
  const auto empty = [](const TokenIds& ids) { return ids.empty(); };
  const auto too_long = [this](const TokenIds& ids) {
    return options_.max_length > 0 && static_cast<int64_t>(ids.size()) > options_.max_length;
  };
  if (sides.empty() || std::ranges::any_of(sides, empty)) {
    ++statistics.empty;
    return false;
  }
  if (std::ranges::any_of(sides, too_long)) {
    ++statistics.too_long;
    return false;
  }
  ++statistics.examples;
  for (const TokenIds& ids : sides) statistics.tokens += static_cast<int64_t>(ids.size());
  return true;
}

Window EpochWindows::read(int64_t number) const {
  const int64_t begin = number * options_.window;
  const int64_t end = std::min<int64_t>(begin + options_.window, static_cast<int64_t>(order_.size()));
  Window window;
  window.number = number;
  window.of = count();
  window.last_of_epoch = number + 1 >= count();
  Examples examples;
  for (int64_t place = begin; place < end; ++place) {
    const int64_t chosen = order_[static_cast<size_t>(place)];
    Example made = examples_.example(chosen, random_.stream(kExamples).stream(static_cast<uint64_t>(place)));
    if (!keep(made.sides, window.statistics)) continue;
    check(examples.empty() || made.sides.size() == examples[0].sides.size(),
          "an example has {} sides, but the first one has {}", made.sides.size(),
          examples.empty() ? 0 : examples[0].sides.size());
    made.line = chosen;
    examples.push_back(std::move(made));
  }
  window.batches = cut_batches(std::move(examples), options_,
                               random_.stream(kBatches).stream(static_cast<uint64_t>(number)));
  return window;
}

}  // namespace attune
