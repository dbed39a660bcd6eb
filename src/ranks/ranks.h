// Ranks: the processes that do one job together, numbered from 0. This class is a job of one process;
// ranks/mpi_ranks.h makes jobs of several. Every rank makes the same calls in the same order, from one
// thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune {

class Ranks {
 public:
  static constexpr int kAll = -1;

  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool first() const { return rank() == 0; }
  bool alone() const { return size() == 1; }

  // values = the sum of all ranks' values, element by element: the same bits everywhere.
  virtual void sum(std::span<double> values);
  // Whether it holds on any rank.
  bool any(bool mine) {
    double count = mine ? 1 : 0;
    sum({&count, 1});
    return count > 0;
  }

  // Sums while the caller computes; the caller must not touch the values before wait(). With a root, only
  // that rank gets the sum, and the values of the others stay as they were.
  virtual void start_sum(std::span<float> values, int root = kAll);
  // Sends the values of rank `from` to all.
  virtual void start_broadcast(std::span<float> values, int from = 0);
  virtual void wait() {}  // until everything that was started is done

  // broadcast() gives rank 0's text to all; gather() gives all texts, by rank, to all. No rank returns before
  // all have called.
  virtual std::string broadcast(const std::string& text);
  virtual std::vector<std::string> gather(const std::string& text);
  void meet() { gather({}); }

  // 0, 1, 2, ...: each goes to only one caller on one rank. Any rank may call it at any time, from any
  // thread.
  virtual int64_t next_number() { return next_number_++; }

  // What to say when a rank is gone, besides its number.
  virtual void set_last_words(const std::string& /*text*/) {}

 private:
  std::atomic<int64_t> next_number_ = 0;
};

// The job of this single process.
Ranks& alone();

// "rank 0, 1 on north, rank 2 on south"
std::string who_is_who(std::span<const std::string> hosts);
std::string host_name();

// The default number of threads of each rank: the processors that it may use, divided by the number of ranks
// that may use the same ones.
int fair_threads(Ranks& ranks);

}  // namespace attune
