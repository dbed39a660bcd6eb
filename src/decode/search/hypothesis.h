// Hypothesis: one output for a sentence. HypothesisTree: all hypotheses of a sentence during its search; they
// share their beginnings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/search/search_options.h"
#include "decode/search/search_trace.h"

namespace attune {

struct Hypothesis {
  std::vector<int32_t> words = {};                 // without </s>
  std::vector<double> word_scores = {};            // log p of each word, and of </s> if it ended
  double score = 0;                                // their sum
  double normalised = 0;                           // the score for comparisons
  bool ended = false;                              // by </s>; otherwise it was cut at the maximum length
  std::vector<std::vector<float>> alignment = {};  // for each of word_scores, the weights of the source words
  int32_t node = 0;                                // its last node in the tree of its search
};

class HypothesisTree {
 public:
  using Node = int32_t;
  static constexpr Node kRoot = 0;  // nothing written

  HypothesisTree() : nodes_{{}} {}

  Node add(Node parent, int32_t word, double log_p);
  // The attention with which the words after `node` were found.
  void set_attention(Node node, std::vector<float> weights);

  int64_t length(Node node) const { return at(node).length; }  // in words
  double score(Node node) const { return at(node).score; }
  std::vector<int32_t> words(Node node) const;
  // The words that would complete a repeated sequence of n words if they came next.
  std::vector<int32_t> repeating(Node node, int64_t n) const;

  Hypothesis hypothesis(Node node, bool ended, const SearchOptions& options) const;
  SearchTrace trace() const;  // without candidates

 private:
  struct Entry {
    Node parent = -1;
    int32_t word = -1;
    int64_t length = 0;
    double log_p = 0, score = 0;
    std::vector<float> attention = {};
  };
  const Entry& at(Node node) const { return nodes_[static_cast<size_t>(node)]; }
  std::vector<Node> path(Node node) const;  // from the first word

  std::vector<Entry> nodes_;
};

// The sum of log probabilities of n words, normalised to compare hypotheses of different lengths.
double normalised(double score, int64_t n, const SearchOptions& options);

// Wu et al. 2016, eq. 14:  sum_i log(min(sum_j a_ij, 1)) over the source words i and written words j; at most
// 0.
double coverage(const std::vector<std::vector<float>>& alignment);

}  // namespace attune
