#include "text/sentencepiece/byte_trie.h"

#include <algorithm>

namespace attune {

ByteTrie::ByteTrie(std::vector<Entry> entries) : nodes_(1) {
  std::ranges::sort(entries, {}, &Entry::key);
  struct Range {  // the entries that share the path to a node
    size_t begin, end;
  };
  std::vector<Range> ranges{{0, entries.size()}};
  for (size_t node = 0, depth = 0, level_end = 1; node < nodes_.size(); ++node) {
    if (node == level_end) {
      level_end = nodes_.size();
      ++depth;
    }
    auto [begin, end] = ranges[node];
    if (begin < end && entries[begin].key.size() == depth) nodes_[node].value = entries[begin++].value;
    nodes_[node].first_child = static_cast<int32_t>(nodes_.size());
    while (begin < end) {
      const auto label = static_cast<unsigned char>(entries[begin].key[depth]);
      size_t other = begin + 1;
      while (other < end && static_cast<unsigned char>(entries[other].key[depth]) == label) ++other;
      nodes_.push_back({kNone, 0, 0, label});
      ranges.push_back({begin, other});
      ++nodes_[node].children;
      begin = other;
    }
  }
}

int32_t ByteTrie::child(int32_t node, unsigned char label) const {
  const Node& parent = nodes_[static_cast<size_t>(node)];
  const auto begin = nodes_.begin() + parent.first_child, end = begin + parent.children;
  const auto found =
      std::lower_bound(begin, end, label, [](const Node& a, unsigned char b) { return a.label < b; });
  return found == end || found->label != label ? kNone : static_cast<int32_t>(found - nodes_.begin());
}

int32_t ByteTrie::find(std::string_view key) const {
  int32_t node = 0;
  for (size_t i = 0; i < key.size() && node != kNone; ++i)
    node = child(node, static_cast<unsigned char>(key[i]));
  return node == kNone ? kNone : nodes_[static_cast<size_t>(node)].value;
}

}  // namespace attune
