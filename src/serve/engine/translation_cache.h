// TranslationCache: outputs of sentences that were translated before; those that nobody asked for longest go
// first. What a sentence gives does not depend on its neighbours, so a hit is what would have been computed.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/search/hypothesis.h"

namespace attune::serve {

class TranslationCache {
 public:
  struct Key {
    uint64_t model;
    int64_t n_best;
    std::string text;
    auto operator<=>(const Key&) const = default;
  };
  using Outputs = std::vector<Hypothesis>;

  explicit TranslationCache(size_t bytes) : most_bytes_(bytes) {}  // 0: it keeps nothing

  bool on() const { return most_bytes_ > 0; }
  std::optional<Outputs> find(const Key& key);
  void add(const Key& key, const Outputs& outputs);
  size_t bytes() const;

 private:
  struct Entry {
    Key key;
    Outputs outputs;
    size_t bytes;
  };

  size_t most_bytes_;
  mutable std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<Entry> entries_;  // the latest first
  std::map<Key, std::list<Entry>::iterator> places_;
};

}  // namespace attune::serve
