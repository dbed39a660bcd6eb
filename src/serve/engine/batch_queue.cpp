#include "serve/engine/batch_queue.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "attune/patience.h"
#include "attune/threads.h"
#include "base/threads/wait.h"
#include "serve/http/http_message.h"

namespace attune::serve {
namespace {

constexpr int kRetrySeconds = 2;

}  // namespace

// The sentences of one request.
struct BatchQueue::Job {
  Model model;
  SearchKind kind;
  Sentences sentences;
  Time since;
  size_t next = 0;             // the first sentence that no worker has taken
  int64_t waiting_tokens = 0;  // of those
  size_t left = 0;             // sentences that are not done
  Outputs outputs;
  std::exception_ptr error;
  std::condition_variable_any done;
  std::atomic<bool> abandoned = false;  // nobody waits for it any more

  // Nothing takes room too.
  int64_t tokens(size_t sentence) const { return std::max<int64_t>(1, std::ssize(sentences[sentence])); }
  bool goes_with(const Job& other) const { return model == other.model && kind == other.kind; }
};

BatchQueue::BatchQueue(const QueueOptions& options, Metrics& metrics)
    : options_(options),
      metrics_(metrics),
      workers_(
          static_cast<size_t>(options.by_caller ? 0 : options.workers), "to translate", [this] { work(); },
          [this] {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            changed_.notify_all();
          }) {}

BatchQueue::Outputs BatchQueue::translate(const Model& model, const SearchKind& kind, Sentences sentences,
                                          Time deadline) {
  if (sentences.empty()) return {};
  const auto job = std::make_shared<Job>();
  job->model = model;
  job->kind = kind;
  job->sentences = std::move(sentences);
  job->left = job->sentences.size();
  job->outputs.resize(job->left);
  for (size_t i = 0; i < job->left; ++i) job->waiting_tokens += job->tokens(i);

  std::unique_lock lock(mutex_);
  // One request alone is never too much: its length has a limit of its own.
  if (waiting_tokens_ > 0 && waiting_tokens_ + job->waiting_tokens > options_.waiting_tokens)
    throw HttpRefusal(503, "too much waits to be translated; try again later", kRetrySeconds);
  job->since = std::chrono::steady_clock::now();
  jobs_.push_back(job);
  count_waiting(static_cast<int64_t>(job->left), job->waiting_tokens);
  changed_.notify_all();
  if (options_.by_caller) run_all(lock);
  const std::stop_token life = Patience::life();
  if (!wait_until(job->done, lock, life, deadline, [&] { return job->left == 0; })) {
    job->abandoned = true;
    if (std::erase(jobs_, job) > 0)
      count_waiting(-static_cast<int64_t>(job->sentences.size() - job->next), -job->waiting_tokens);
    if (life.stop_requested()) throw GivenUp("the translation was given up");
    throw HttpRefusal(503, "the translation took too long; send less text, or try again later",
                      kRetrySeconds);
  }
  if (job->error) std::rethrow_exception(job->error);
  return std::move(job->outputs);
}

// In the caller's thread.
void BatchQueue::run_all(std::unique_lock<std::mutex>& lock) {
  const ThreadCount one(1);
  while (!jobs_.empty()) {
    const Batch batch = take_batch();
    lock.unlock();
    run(batch);
    lock.lock();
  }
}

void BatchQueue::work() {
  const ThreadCount one(1);  // every worker runs whole batches by itself
  for (Batch batch = next_batch(); !batch.empty(); batch = next_batch()) {
    run(batch);
    const std::lock_guard lock(mutex_);
    --running_;
  }
}

BatchQueue::Batch BatchQueue::next_batch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || !jobs_.empty(); });
    if (jobs_.empty()) return {};
    const Job& first = *jobs_.front();
    const auto until = first.since + options_.wait;
    if (running_ == 0 || std::chrono::steady_clock::now() >= until ||
        waiting_of_kind(first) >= options_.batch_tokens) {
      ++running_;
      return take_batch();
    }
    changed_.wait_until(lock, until);
  }
}

int64_t BatchQueue::waiting_of_kind(const Job& job) const {
  int64_t tokens = 0;
  for (const auto& each : jobs_)
    if (each->goes_with(job)) tokens += each->waiting_tokens;
  return tokens;
}

BatchQueue::Batch BatchQueue::take_batch() {
  Batch batch;
  std::deque<std::shared_ptr<Job>> partners;
  std::erase_if(jobs_, [&, first = jobs_.front()](const std::shared_ptr<Job>& job) {
    const bool partner = job->goes_with(*first);
    if (partner) partners.push_back(job);
    return partner;
  });
  int64_t tokens = 0;
  while (!partners.empty()) {
    const auto job = partners.front();
    const int64_t more = job->tokens(job->next);
    if (!batch.empty() && tokens + more > options_.batch_tokens) break;
    tokens += more;
    batch.push_back({job, job->next++});
    job->waiting_tokens -= more;
    partners.pop_front();
    if (job->next < job->sentences.size()) partners.push_back(job);
  }
  // Other kinds come next.
  jobs_.insert(jobs_.end(), partners.begin(), partners.end());
  count_waiting(-static_cast<int64_t>(batch.size()), -tokens);
  return batch;
}

void BatchQueue::run(std::span<const Unit> batch) {
  const Job& job = *batch[0].job;
  std::vector<TranslatorInput> inputs;
  int64_t read = 0, written = 0;
  for (const Unit& unit : batch) {
    inputs.push_back({.text = "", .tokens = unit.job->sentences[unit.number]});
    read += unit.job->tokens(unit.number);
  }
  const auto start = std::chrono::steady_clock::now();
  const Patience patience([&] {
    return std::ranges::all_of(batch, [](const Unit& unit) { return unit.job->abandoned.load(); });
  });
  try {
    Outputs outputs = job.model->translator(job.kind).search(inputs);
    for (const auto& each : outputs) written += static_cast<int64_t>(each[0].word_scores.size());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    metrics_.batch(batch.size(), read, written, time.count());
    deliver(batch, std::move(outputs), nullptr);
  } catch (const GivenUp&) {
    deliver(batch, Outputs(batch.size()), std::current_exception());
  } catch (...) {
    // What one sentence has done wrong is not the fault of the others.
    if (batch.size() == 1) return deliver(batch, Outputs(1), std::current_exception());
    for (size_t i = 0; i < batch.size(); ++i) run(batch.subspan(i, 1));
  }
}

void BatchQueue::deliver(std::span<const Unit> batch, Outputs&& outputs, const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < batch.size(); ++i) {
    Job& job = *batch[i].job;
    job.outputs[batch[i].number] = std::move(outputs[i]);
    if (error) job.error = error;
    if (--job.left == 0) job.done.notify_all();
  }
}

void BatchQueue::count_waiting(int64_t sentences, int64_t tokens) {
  waiting_sentences_ += sentences;
  waiting_tokens_ += tokens;
  metrics_.queue(static_cast<size_t>(waiting_sentences_), waiting_tokens_);
}

}  // namespace attune::serve
