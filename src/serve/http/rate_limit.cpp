#include "serve/http/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace attune::serve {
namespace {

constexpr std::chrono::seconds kMinute{60};

double minutes(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time) / std::chrono::duration<double>(kMinute);
}

}  // namespace

int RateLimit::wait(const std::string& client, int64_t rate, Time now) {
  if (rate <= 0) return 0;
  const std::lock_guard lock(mutex_);
  if (now >= next_look_) forget_quiet(now);
  const auto most = static_cast<double>(rate);
  Bucket& bucket = buckets_.try_emplace(client, Bucket{most, now, rate}).first->second;
  bucket.left = std::min(most, bucket.left + most * minutes(now - bucket.since));
  bucket.since = now;
  bucket.rate = rate;
  if (bucket.left >= 1) {
    bucket.left -= 1;
    return 0;
  }
  return std::max(1, static_cast<int>(std::ceil((1 - bucket.left) / most * 60 - 1e-6)));
}

// After a quiet minute a client has its full allowance again, like one that was never seen.
void RateLimit::forget_quiet(Time now) {
  std::erase_if(buckets_, [&](const auto& each) { return now - each.second.since >= kMinute; });
  next_look_ = now + kMinute;
}

size_t RateLimit::clients() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace attune::serve
