// n-grams as numbers: equal n-grams get equal numbers, so that counts can be arrays.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attune::metrics {

// The numbers of a sentence's n-grams: [n - 1][position].
using Ngrams = std::vector<std::vector<uint32_t>>;

// Numbers the n-grams of sentences that are compared with each other. An n-gram is the pair (the n-gram
// without its last symbol, its last symbol), so one table serves all orders.
class NgramNumbers {
 public:
  NgramNumbers();
  Ngrams operator()(std::span<const uint32_t> symbols, int orders);
  uint32_t size() const { return used_; }  // numbers given so far: 0 .. size() - 1

 private:
  uint32_t number(uint64_t key);
  void grow();

  struct Slot {
    uint64_t key;
    uint32_t number;
  };
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  uint32_t used_ = 0;
};

// A number for each word; equal words have equal numbers in all calls.
class WordNumbers {
 public:
  std::vector<uint32_t> operator()(std::span<const std::string_view> words);

 private:
  std::unordered_map<std::string, uint32_t> table_;
};

// How often each number occurs; `size` is that of the NgramNumbers after all sentences have been numbered.
std::vector<int32_t> count(const Ngrams& ngrams, uint32_t size);

// For each order, how many of the n-grams are among the `available`, each of which can be matched once.
std::vector<int64_t> matches(const Ngrams& ngrams, std::vector<int32_t> available);

}  // namespace attune::metrics
