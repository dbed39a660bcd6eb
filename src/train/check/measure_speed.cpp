#include "train/check/measure_speed.h"

#include <algorithm>
#include <chrono>

#include "train/data/examples.h"
#include "train/gradient_step.h"
#include "train/run/reporter.h"

namespace attune {
namespace {

constexpr int64_t kBatches = 32;  // a fair sample of the lengths

// Read in advance: in training another thread does that, and the batches are ready when needed.
std::vector<Examples> some_batches(const RunConfig& run, const Corpus& corpus,
                                   const Vocabularies& vocabularies, const Guidance* guidance) {
  BatchReader reader(training_examples(run.train, *run.model, corpus, vocabularies, guidance),
                     batch_options(run.train, *run.model));
  std::vector<Examples> batches;
  while (static_cast<int64_t>(batches.size()) < kBatches) {
    auto batch = reader.next();
    if (!batch) break;
    batches.push_back(std::move(*batch));
  }
  return batches;
}

double side_tokens(const Examples& batch) {
  double tokens = 0;
  for (const Example& example : batch)
    for (const TokenIds& side : example.sides) tokens += static_cast<double>(side.size());
  return tokens;
}

}  // namespace

Speed measure_speed(const RunConfig& run, const Corpus& corpus, const Vocabularies& vocabularies,
                    const Guidance* guidance, Learner& learner, double seconds) {
  using Clock = std::chrono::steady_clock;
  const std::vector<Examples> batches = some_batches(run, corpus, vocabularies, guidance);
  Speed speed;
  const auto one_update = [&](int64_t number) {
    const auto start = Clock::now();
    Speed one{.updates = 1};
    for (int64_t i = 0; i < run.train.optimizer_delay; ++i) {
      const int64_t count = number * run.train.optimizer_delay + i;
      const Examples& batch = batches[static_cast<size_t>(count) % batches.size()];
      gradient_step(learner, batch, run.model->task(), vocabularies, run.train, count);
      one.side_tokens += side_tokens(batch);
    }
    const Learner::Update update = learner.update(0);
    one.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    one.tokens = static_cast<double>(update.sums.tokens);
    one.loss = update.sums.loss / std::max(one.tokens, 1.0);
    return one;
  };
  one_update(0);  // the first one prepares memory and kernels
  const auto start = Clock::now();
  do {
    const Speed one = one_update(++speed.updates);
    speed.seconds += one.seconds;
    speed.tokens += one.tokens;
    speed.side_tokens += one.side_tokens;
    speed.loss = one.loss;
    speed.memory = std::max(speed.memory, memory_in_use());
  } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
  return speed;
}

TrainingTime predict_time(const Period& after, const Speed& speed, double epoch_side_tokens) {
  TrainingTime time{.epoch = epoch_side_tokens / speed.side_tokens * speed.seconds};
  if (!after) return time;
  switch (after.unit) {
    case Period::Unit::epochs: time.whole = after.amount * time.epoch; break;
    case Period::Unit::updates:
      time.whole = after.amount * speed.seconds / static_cast<double>(speed.updates);
      break;
    case Period::Unit::tokens: time.whole = after.amount / speed.tokens_per_second(); break;
    case Period::Unit::seconds: time.whole = after.amount; break;
    case Period::Unit::share: break;  // never the end of a run
  }
  return time;
}

}  // namespace attune
