#include "serve/engine/translation_cache.h"

namespace attune::serve {
namespace {

constexpr size_t kOverhead = 256;  // of list, map and allocator, about

size_t bytes_of(const TranslationCache::Key& key, const TranslationCache::Outputs& outputs) {
  size_t bytes = 2 * key.text.size() + kOverhead;
  for (const Hypothesis& output : outputs)
    bytes += sizeof(Hypothesis) + output.words.size() * sizeof(int32_t) +
             output.word_scores.size() * sizeof(double);
  return bytes;
}

}  // namespace

std::optional<TranslationCache::Outputs> TranslationCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return {};
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->outputs;
}

void TranslationCache::add(const Key& key, const Outputs& outputs) {
  const size_t bytes = bytes_of(key, outputs);
  const std::lock_guard lock(mutex_);
  if (bytes > most_bytes_ || places_.contains(key)) return;
  entries_.push_front({key, outputs, bytes});
  places_[key] = entries_.begin();
  for (bytes_ += bytes; bytes_ > most_bytes_;) {
    bytes_ -= entries_.back().bytes;
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

size_t TranslationCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace attune::serve
