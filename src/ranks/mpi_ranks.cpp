#include "ranks/mpi_ranks.h"

#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "attune/error.h"
#include "base/say.h"
#include "ranks/peer_watch.h"

namespace attune {
namespace {

constexpr int kFailed = 1;
constexpr size_t kMost = size_t{1} << 30;  // MPI counts in int

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error(fmt::format("{}: {}", what, text));
}

// Calls body(part) for parts that MPI can count.
template <class T, class Body>
void in_parts(std::span<T> values, const Body& body) {
  for (size_t begin = 0; begin < values.size(); begin += kMost)
    body(values.subspan(begin, std::min(kMost, values.size() - begin)));
}

int count_of(size_t n) { return static_cast<int>(n); }

class MpiJob final : public Job {
 public:
  MpiJob() {
    int level = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI cannot be started");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    names_ = gather(fmt::format("{}, process {}", host_name(), getpid()));
    const PeerWatch::Events events{[this](int rank) { lost(rank); }, [this](int, int code) { leave(code); }};
    const std::string place = broadcast(first() ? peer_watch_.listen() : "");
    if (first())
      peer_watch_.accept(size_, events);
    else
      peer_watch_.connect(place, rank_, events);
    if (level >= MPI_THREAD_SERIALIZED)
      mover_ = std::jthread([this](const std::stop_token& stop) { move(stop); });
  }

  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  ~MpiJob() override {
    mover_ = {};
    peer_watch_.expect_end();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<double> values) override {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mpi_);
      check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD, &request),
            "a sum over the ranks");
    }
    finish({&request, 1});
  }

  void start_sum(std::span<float> values, int root) override {
    const std::lock_guard lock(mpi_);
    in_parts(values, [&](std::span<float> part) {
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      const int count = count_of(part.size());
      if (root == kAll)
        check(MPI_Iallreduce(MPI_IN_PLACE, part.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request),
              "a sum over the ranks");
      else
        check(MPI_Ireduce(rank_ == root ? MPI_IN_PLACE : part.data(), rank_ == root ? part.data() : nullptr,
                          count, MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD, &request),
              "a sum over the ranks");
    });
    started_.notify_one();
  }

  void start_broadcast(std::span<float> values, int from) override {
    const std::lock_guard lock(mpi_);
    in_parts(values, [&](std::span<float> part) {
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      check(MPI_Ibcast(part.data(), count_of(part.size()), MPI_FLOAT, from, MPI_COMM_WORLD, &request),
            "a broadcast to the ranks");
    });
    started_.notify_one();
  }

  void wait() override {
    finish(requests_);
    const std::lock_guard lock(mpi_);
    requests_.clear();
  }

  std::string broadcast(const std::string& text) override {
    uint64_t size = text.size();
    bytes_to_all(std::as_writable_bytes(std::span(&size, 1)), 0);
    std::string result = first() ? text : std::string(size, '\0');
    bytes_to_all(std::as_writable_bytes(std::span(result)), 0);
    return result;
  }

  std::vector<std::string> gather(const std::string& text) override {
    std::vector<double> sizes(static_cast<size_t>(size_));
    sizes[static_cast<size_t>(rank_)] = static_cast<double>(text.size());
    sum(sizes);
    std::vector<std::string> texts(static_cast<size_t>(size_));
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = static_cast<int>(i) == rank_ ? text : std::string(static_cast<size_t>(sizes[i]), '\0');
      bytes_to_all(std::as_writable_bytes(std::span(texts[i])), static_cast<int>(i));
    }
    return texts;
  }

  int64_t next_number() override { return peer_watch_.next_number(); }

  void set_last_words(const std::string& text) override {
    const std::lock_guard lock(words_mutex_);
    last_words_ = text;
  }

  [[noreturn]] void abandon(const std::string& why, int code) override {
    if (!first()) std::this_thread::sleep_for(std::chrono::seconds(1));
    say(first() ? why : fmt::format("rank {} ({}): {}", rank_, names_.at(static_cast<size_t>(rank_)), why));
    leave(code);
  }

 private:
  // Open MPI moves messages only inside its calls, so a thread calls it while something is in transit. Errors
  // are passed to the thread that waits.
  void move(const std::stop_token& stop) {
    constexpr std::chrono::microseconds kPause{100};
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(mpi_);
        if (!started_.wait(lock, stop, [this] { return !requests_.empty(); })) return;
        int done = 0;
        MPI_Testall(count_of(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  // Waiting first yields, then sleeps, so that the processor is free for threads that compute.
  void finish(std::span<MPI_Request> requests) {
    constexpr int kSpins = 2000;
    for (int spins = 0; !test(requests); ++spins) {
      if (spins < kSpins)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  bool test(std::span<MPI_Request> requests) {
    const std::lock_guard lock(mpi_);
    int done = 0;
    check(MPI_Testall(count_of(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
          "waiting for the other ranks");
    return done != 0;
  }

  void bytes_to_all(std::span<std::byte> bytes, int from) {
    in_parts(bytes, [&](std::span<std::byte> part) {
      MPI_Request request = MPI_REQUEST_NULL;
      {
        const std::lock_guard lock(mpi_);
        check(MPI_Ibcast(part.data(), count_of(part.size()), MPI_BYTE, from, MPI_COMM_WORLD, &request),
              "a broadcast to the ranks");
      }
      finish({&request, 1});
    });
  }

  static void say(const std::string& text) {
    std::fflush(stdout);
    attune::say(fmt::format("attune: {}\n", text));
  }

  // In the thread of the peer watch. If rank 0 is gone, the first of the remaining ranks speaks.
  [[noreturn]] void lost(int rank) {
    if (rank_ <= 1) {
      const std::lock_guard lock(words_mutex_);
      say(fmt::format("rank {} ({}) is gone, so the job ends{}{}", rank, names_.at(static_cast<size_t>(rank)),
                      last_words_.empty() ? "" : "; ", last_words_));
    }
    leave(kFailed);
  }

  [[noreturn]] void leave(int code) {
    peer_watch_.expect_end();
    peer_watch_.say_failure(code);
    std::_Exit(code);
  }

  int rank_ = 0, size_ = 1;
  std::vector<std::string> names_;
  std::mutex mpi_;  // one thread at a time calls MPI
  std::condition_variable_any started_;
  std::vector<MPI_Request> requests_;  // everything in transit
  std::mutex words_mutex_;
  std::string last_words_;
  PeerWatch peer_watch_;
  std::jthread mover_;
};

}  // namespace

std::unique_ptr<Job> mpi_job() { return std::make_unique<MpiJob>(); }

}  // namespace attune
