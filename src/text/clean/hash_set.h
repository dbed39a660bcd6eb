// HashSet: hashes of 64 bits that were seen, in 8 bytes each and some room to grow.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace attune {

class HashSet {
 public:
  // Whether it is new.
  bool insert(uint64_t hash) {
    if (hash == kFree) hash = 1;
    if (4 * (count_ + 1) > 3 * places_.size()) grow();
    const bool fresh = put(hash);
    count_ += fresh ? 1 : 0;
    return fresh;
  }
  size_t size() const { return count_; }

 private:
  static constexpr uint64_t kFree = 0;

  // In the first free place from where the hash belongs.
  bool put(uint64_t hash) {
    size_t at = hash % places_.size();
    while (places_[at] != kFree) {
      if (places_[at] == hash) return false;
      if (++at == places_.size()) at = 0;
    }
    places_[at] = hash;
    return true;
  }

  void grow() {
    const auto old = std::exchange(places_, std::vector<uint64_t>(places_.size() * 3 / 2 + 1021, kFree));
    for (const uint64_t hash : old)
      if (hash != kFree) put(hash);
  }

  std::vector<uint64_t> places_;
  size_t count_ = 0;
};

}  // namespace attune
