// Strings in a trie of their bytes: finds all of them that a text begins with, in one walk.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace attune {

class ByteTrie {
 public:
  struct Entry {
    std::string_view key;  // not empty; all differ
    int32_t value;         // >= 0
  };
  ByteTrie() : ByteTrie(std::vector<Entry>{}) {}
  explicit ByteTrie(std::vector<Entry> entries);

  bool empty() const { return nodes_.size() == 1; }
  static constexpr int32_t kNone = -1;
  int32_t find(std::string_view key) const;

  // visit(length, value) of every key that the text begins with, the shortest first.
  template <class Visit>
  void prefixes(std::string_view text, Visit visit) const {
    int32_t node = 0;
    for (size_t length = 0; length < text.size();) {
      node = child(node, static_cast<unsigned char>(text[length++]));
      if (node == kNone) return;
      if (const int32_t value = nodes_[static_cast<size_t>(node)].value; value != kNone) visit(length, value);
    }
  }

 private:
  // The children of a node lie side by side, in the order of their labels.
  struct Node {
    int32_t value = kNone;
    int32_t first_child = 0;
    int16_t children = 0;
    unsigned char label = 0;
  };

  int32_t child(int32_t node, unsigned char label) const;

  std::vector<Node> nodes_;
};

}  // namespace attune
