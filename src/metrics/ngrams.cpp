#include "metrics/ngrams.h"

#include <algorithm>

namespace attune::metrics {
namespace {

constexpr uint32_t kEmpty = 0xFFFFFFFF;
constexpr uint64_t kNoPrefix = 0xFFFFFFFF;

uint64_t mix(uint64_t key) {  // the high bits of a multiplicative hash depend on all bits of the key
  key *= 0x9E3779B97F4A7C15;
  return key ^ (key >> 32);
}

}  // namespace

NgramNumbers::NgramNumbers() : slots_(1024, Slot{0, kEmpty}) {}

Ngrams NgramNumbers::operator()(std::span<const uint32_t> symbols, int orders) {
  Ngrams ngrams(static_cast<size_t>(orders));
  for (size_t n = 0; n < ngrams.size() && n < symbols.size(); ++n) {
    ngrams[n].resize(symbols.size() - n);
    for (size_t i = 0; i < ngrams[n].size(); ++i)
      ngrams[n][i] = number((n == 0 ? kNoPrefix : ngrams[n - 1][i]) << 32 | symbols[i + n]);
  }
  return ngrams;
}

uint32_t NgramNumbers::number(uint64_t key) {
  if (2 * (static_cast<size_t>(used_) + 1) > slots_.size()) grow();
  const size_t mask = slots_.size() - 1;
  size_t at = mix(key) & mask;
  while (slots_[at].number != kEmpty && slots_[at].key != key) at = (at + 1) & mask;
  if (slots_[at].number == kEmpty) slots_[at] = {key, used_++};
  return slots_[at].number;
}

void NgramNumbers::grow() {
  std::vector<Slot> old(2 * slots_.size(), Slot{0, kEmpty});
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == kEmpty) continue;
    size_t at = mix(slot.key) & mask;
    while (slots_[at].number != kEmpty) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::vector<uint32_t> WordNumbers::operator()(std::span<const std::string_view> words) {
  std::vector<uint32_t> numbers;
  for (const std::string_view word : words)
    numbers.push_back(
        table_.try_emplace(std::string(word), static_cast<uint32_t>(table_.size())).first->second);
  return numbers;
}

std::vector<int32_t> count(const Ngrams& ngrams, uint32_t size) {
  std::vector<int32_t> counts(size);
  for (const auto& order : ngrams)
    for (const uint32_t ngram : order) ++counts[ngram];
  return counts;
}

std::vector<int64_t> matches(const Ngrams& ngrams, std::vector<int32_t> available) {
  std::vector<int64_t> found;
  for (const auto& order : ngrams)
    found.push_back(std::ranges::count_if(order, [&](uint32_t ngram) { return available[ngram]-- > 0; }));
  return found;
}

}  // namespace attune::metrics
