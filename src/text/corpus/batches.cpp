#include "text/corpus/batches.h"

#include <fmt/core.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "attune/error.h"
#include "text/corpus/batch_window.h"

namespace attune {
namespace {

void check_options(const BatchOptions& options, const BatchPosition& start) {
  const auto require = [](bool holds, const char* what, int64_t value) {
    if (!holds) throw UsageError(fmt::format("{}, but is {}", what, value));
  };
  require(options.mini_batch_words > 0, "mini-batch-words: must be positive", options.mini_batch_words);
  require(options.mini_batch >= 0, "mini-batch: must not be negative", options.mini_batch);
  require(options.max_length >= 0, "max-length: must not be negative", options.max_length);
  require(options.window > 0, "window: must be positive", options.window);
  require(start.epoch >= 0, "position: the epoch must not be negative", start.epoch);
  require(start.window >= 0, "position: the window must not be negative", start.window);
  require(start.batch >= 0, "position: the batch must not be negative", start.batch);
}

class LineExamples final : public ExampleSource {
 public:
  LineExamples(const Corpus& corpus, MakeExample make) : corpus_(corpus), make_(std::move(make)) {}

  std::string name() const override { return corpus_.source(0).files[0]->path(); }
  std::vector<int64_t> epoch(const Random& random) const override { return corpus_.epoch(random); }
  Example example(int64_t number, const Random& random) const override {
    const std::vector<std::string> columns = corpus_.line(number);
    return make_({number, columns, random});
  }

 private:
  const Corpus& corpus_;
  const MakeExample make_;
};

}  // namespace

std::shared_ptr<const ExampleSource> examples_of_lines(const Corpus& corpus, MakeExample make) {
  return std::make_shared<const LineExamples>(corpus, std::move(make));
}

class BatchReader::Impl {
 public:
  Impl(std::shared_ptr<const ExampleSource> examples, const BatchOptions& options, const BatchPosition& start)
      : examples_(std::move(examples)), options_(options), position_(start), reading_(start) {
    check_options(options_, start);
    try {
      thread_ = std::thread([this] { produce(); });
    } catch (const std::system_error&) {
      // Where the system allows no thread, the caller reads each window when it needs it.
    }
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  std::optional<Examples> next() {
    while (!epoch_ended_) {
      if (!window_) take();
      std::optional<Examples> batch;
      const auto count = static_cast<int64_t>(window_->batches.size());
      if (position_.batch < count)
        batch = std::move(window_->batches[static_cast<size_t>(position_.batch++)]);
      if (position_.batch >= count) leave_window();
      if (!batch) continue;
      epoch_is_empty_ = false;
      return batch;
    }
    if (epoch_is_empty_) refuse_empty_epoch();
    position_ = {position_.epoch + 1, 0, 0};
    epoch_ended_ = false;
    epoch_is_empty_ = true;
    return std::nullopt;
  }

  bool epoch_ended() const { return epoch_ended_; }
  BatchPosition position() const { return position_; }
  BatchStatistics statistics() const { return statistics_; }

  // Windows have about as many batches each.
  double share_of_epoch() const {
    if (epoch_ended_) return 1;
    const double within = window_ ? static_cast<double>(position_.batch) /
                                        static_cast<double>(std::max<size_t>(window_->batches.size(), 1))
                                  : 0;
    return (static_cast<double>(position_.window) + within) / static_cast<double>(windows_);
  }

 private:
  [[noreturn]] void refuse_empty_epoch() const {
    throw UsageError(
        fmt::format("{}: no examples are left: {} have an empty side and {} are longer than "
                    "{} tokens",
                    examples_->name(), statistics_.empty, statistics_.too_long, options_.max_length));
  }

  // The next window. An epoch has one even if no line is left for it, to mark its end.
  Window read() {
    if (!epoch_) epoch_.emplace(*examples_, options_, reading_.epoch);
    Window window = epoch_->read(std::min(reading_.window, epoch_->count()));
    if (++reading_.window >= epoch_->count()) {
      reading_ = {reading_.epoch + 1, 0, 0};
      epoch_.reset();
    }
    return window;
  }

  // ---- The reader's thread: one window ahead of the one in use.
  void produce() {
    try {
      while (put(read())) {
      }
      return;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    changed_.notify_all();
  }

  bool put(Window window) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_ || stop_; });
    if (stop_) return false;
    ready_ = std::move(window);
    changed_.notify_all();
    return true;
  }

  // ---- The caller's thread.
  void leave_window() {
    epoch_ended_ = window_->last_of_epoch;
    position_ = {position_.epoch, position_.window + 1, 0};
    window_.reset();
  }

  Window taken() {
    if (!thread_.joinable()) return read();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_ || error_; });
    if (!ready_) std::rethrow_exception(error_);
    Window window = *std::exchange(ready_, std::nullopt);
    changed_.notify_all();
    return window;
  }

  void take() {
    window_ = taken();
    windows_ = std::max<int64_t>(window_->of, 1);
    statistics_.examples += window_->statistics.examples;
    statistics_.empty += window_->statistics.empty;
    statistics_.too_long += window_->statistics.too_long;
    statistics_.tokens += window_->statistics.tokens;
  }

  const std::shared_ptr<const ExampleSource> examples_;
  const BatchOptions options_;

  std::optional<Window> window_;  // the one in use
  BatchPosition position_;
  int64_t windows_ = 1;  // of the epoch
  BatchStatistics statistics_;
  bool epoch_ended_ = false;
  bool epoch_is_empty_ = position_.window == 0 && position_.batch == 0;  // as far as is known

  // Of the thread, if there is one.
  std::optional<EpochWindows> epoch_;
  BatchPosition reading_;  // the next window to read

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Window> ready_;
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread thread_;
};

BatchReader::BatchReader(std::shared_ptr<const ExampleSource> examples, const BatchOptions& options,
                         const BatchPosition& start)
    : impl_(std::make_unique<Impl>(std::move(examples), options, start)) {}

BatchReader::BatchReader(const Corpus& corpus, MakeExample make, const BatchOptions& options,
                         const BatchPosition& start)
    : BatchReader(examples_of_lines(corpus, std::move(make)), options, start) {}

BatchReader::~BatchReader() = default;

std::optional<Examples> BatchReader::next() { return impl_->next(); }
bool BatchReader::epoch_ended() const { return impl_->epoch_ended(); }
BatchPosition BatchReader::position() const { return impl_->position(); }
double BatchReader::share_of_epoch() const { return impl_->share_of_epoch(); }
BatchStatistics BatchReader::statistics() const { return impl_->statistics(); }

}  // namespace attune
