// BatchQueue: sentences of many requests, translated together. A batch takes one sentence of each request in
// turn until it is full, so a short request does not wait for all of a long one. It waits for others to join
// only while another batch is being translated: a lone request begins at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/threads/team.h"
#include "serve/engine/metrics.h"
#include "serve/engine/served_model.h"

namespace attune::serve {

struct QueueOptions {
  int64_t workers = 1;                   // threads, each with a batch of its own
  int64_t batch_tokens = 1024;           // of the source, in a batch
  int64_t waiting_tokens = 65536;        // more are refused
  std::chrono::microseconds wait{3000};  // for others to join a batch, if one is under way
  bool by_caller = false;                // who asks translates, where there are no threads
};

class BatchQueue {
 public:
  using Model = std::shared_ptr<const ServedModel>;
  using Outputs = std::vector<std::vector<Hypothesis>>;
  using Time = std::chrono::steady_clock::time_point;

  BatchQueue(const QueueOptions& options, Metrics& metrics);
  ~BatchQueue() = default;  // nobody may wait any more
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  // The outputs of each sentence, given as the model's tokens, once they are there. An HttpRefusal with 503
  // if too much waits already, the time is over, or the caller's Patience is. What was not begun is then
  // dropped; a batch in which nobody is interested any more ends at its next step.
  using Sentences = std::vector<std::vector<int32_t>>;
  Outputs translate(const Model& model, const SearchKind& kind, Sentences sentences, Time deadline);

 private:
  struct Job;
  struct Unit {
    std::shared_ptr<Job> job;
    size_t number;  // of its sentences
  };
  using Batch = std::vector<Unit>;

  void run_all(std::unique_lock<std::mutex>& lock);
  void work();
  Batch next_batch();
  Batch take_batch();
  void run(std::span<const Unit> batch);
  void deliver(std::span<const Unit> batch, Outputs&& outputs, const std::exception_ptr& error);
  int64_t waiting_of_kind(const Job& job) const;
  void count_waiting(int64_t sentences, int64_t tokens);

  QueueOptions options_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;  // that have sentences which no worker has taken
  int64_t waiting_sentences_ = 0, waiting_tokens_ = 0;
  int64_t running_ = 0;  // batches
  bool stopped_ = false;
  Team workers_;
};

}  // namespace attune::serve
