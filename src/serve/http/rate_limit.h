// RateLimit: how many requests per minute each client may make. A client that was quiet may make them all at
// once.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace attune::serve {

class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Seconds until the next request would be accepted; 0: this one is. `rate` is per minute; 0: no limit.
  int wait(const std::string& client, int64_t rate, Time now);

  size_t clients() const;  // that are remembered

 private:
  struct Bucket {
    double left;  // requests
    Time since;
    int64_t rate;
  };
  void forget_quiet(Time now);

  mutable std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
  Time next_look_{};
};

}  // namespace attune::serve
