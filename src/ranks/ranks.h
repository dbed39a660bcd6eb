// Ranks: the processes that do one job together, numbered from 0. This class is a job of one process;
// ranks/mpi_ranks.h makes those of several. Every rank makes the same calls in the same order, from one
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

  // Sums that go on while the caller computes: the values are not touched before wait(). With a root, that
  // rank alone gets the sum, and the values of others keep what they had.
  virtual void start_sum(std::span<float> values, int root = kAll);
  // What rank `from` has goes to all.
  virtual void start_broadcast(std::span<float> values, int from = 0);
  virtual void wait() {}  // until all that was started is done

  // The text that rank 0 has, for all; and all texts by rank, for all. Nobody returns before all have called.
  virtual std::string broadcast(const std::string& text);
  virtual std::vector<std::string> gather(const std::string& text);
  void meet() { gather({}); }

  // 0, 1, 2, ...: each goes to one caller of one rank only. Any rank may call it at any time, in any thread.
  virtual int64_t next_number() { return next_number_++; }

  // What to say if a rank is gone, besides which.
  virtual void set_last_words(const std::string& /*text*/) {}

 private:
  std::atomic<int64_t> next_number_ = 0;
};

// A job of this process alone.
Ranks& alone();

// "rank 0, 1 on north, rank 2 on south"
std::string who_is_who(std::span<const std::string> hosts);
std::string host_name();

// How many threads each rank takes unless told: the processors that it may use, divided by the ranks that may
// use the same.
int fair_threads(Ranks& ranks);

}  // namespace attune
