// PeerWatch: a connection from each rank of a job to rank 0. Through it each side learns that the other is
// gone, whatever the reason: the system closes the connections of a killed process at once, and gives up
// those to a host that is cut off after about ten seconds. Rank 0 also hands out numbers over it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"

namespace attune {

class PeerWatch {
 public:
  struct Events {
    std::function<void(int rank)> lost;            // it is gone without a message
    std::function<void(int rank, int code)> left;  // it reported that the job has failed, with this code
  };

  PeerWatch() = default;
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;
  ~PeerWatch();

  // Rank 0 listens, tells the others where, and accepts them all.
  std::string listen();
  void accept(int ranks, Events events);
  // The others.
  void connect(const std::string& place, int rank, Events events);

  // Each number is given out once. Callable from any thread.
  int64_t next_number();

  // From now on it is not an event if others end: for the last meeting of all ranks.
  void expect_end() { ending_ = true; }
  // Tells all connected ranks that the job has failed, with this code.
  void say_failure(int code);

 private:
  struct Frame;

  void start(Events events);
  void watch();
  bool hear(size_t peer);  // false if that peer is no longer watched
  bool send(size_t peer, const Frame& frame);
  int rank_of(size_t peer) const { return first_ ? static_cast<int>(peer) + 1 : 0; }

  bool first_ = true;
  Descriptor listening_, wake_read_, wake_write_;
  uint64_t token_ = 0;
  std::vector<Descriptor> peers_;  // of rank 0: ranks 1, 2, ...; of the others: rank 0
  Events events_;
  std::mutex mutex_;  // guards sending, and the number that arrived
  std::condition_variable came_;
  int64_t number_ = -1;
  std::mutex asking_;
  std::atomic<int64_t> next_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace attune
