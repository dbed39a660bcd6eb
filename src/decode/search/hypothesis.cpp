#include "decode/search/hypothesis.h"

#include <algorithm>
#include <cmath>

namespace attune {

HypothesisTree::Node HypothesisTree::add(Node parent, int32_t word, double log_p) {
  nodes_.push_back({parent, word, length(parent) + 1, log_p, score(parent) + log_p});
  return static_cast<Node>(nodes_.size()) - 1;
}

void HypothesisTree::set_attention(Node node, std::vector<float> weights) {
  nodes_[static_cast<size_t>(node)].attention = std::move(weights);
}

std::vector<HypothesisTree::Node> HypothesisTree::path(Node node) const {
  std::vector<Node> nodes(static_cast<size_t>(length(node)));
  for (auto to = nodes.rbegin(); to != nodes.rend(); ++to, node = at(node).parent) *to = node;
  return nodes;
}

std::vector<int32_t> HypothesisTree::words(Node node) const {
  std::vector<int32_t> words;
  for (const Node n : path(node)) words.push_back(at(n).word);
  return words;
}

std::vector<int32_t> HypothesisTree::repeating(Node node, int64_t n) const {
  const std::vector<int32_t> written = words(node);
  std::vector<int32_t> found;
  const auto context = written.end() - std::min(n - 1, length(node));
  for (auto begin = written.begin(); written.end() - begin >= n; ++begin)
    if (std::equal(context, written.end(), begin)) found.push_back(begin[n - 1]);
  return found;
}

Hypothesis HypothesisTree::hypothesis(Node node, bool ended, const SearchOptions& options) const {
  Hypothesis result{.words = words(node), .word_scores = {}, .score = score(node), .ended = ended};
  if (ended) result.words.pop_back();
  for (const Node n : path(node)) {
    result.word_scores.push_back(at(n).log_p);
    if (options.needs_attention()) result.alignment.push_back(at(at(n).parent).attention);
  }
  result.normalised = normalised(result.score, length(node), options);
  if (options.coverage_penalty > 0)
    result.normalised += options.coverage_penalty * coverage(result.alignment);
  if (!options.alignment) result.alignment.clear();
  result.node = node;
  return result;
}

SearchTrace HypothesisTree::trace() const {
  SearchTrace trace;
  for (const Entry& entry : nodes_)
    trace.nodes.push_back({entry.parent, entry.word, entry.log_p, entry.score});
  return trace;
}

double normalised(double score, int64_t n, const SearchOptions& options) {
  if (options.normalize == 0) return score;
  const auto length = static_cast<double>(n);
  const double base = options.length_penalty == LengthPenalty::google ? (5 + length) / 6 : length;
  return score / std::pow(base, options.normalize);
}

double coverage(const std::vector<std::vector<float>>& alignment) {
  constexpr double kLeast = 1e-10;  // a source word without any attention costs much, but not infinitely much
  if (alignment.empty()) return 0;
  double total = 0;
  for (size_t i = 0; i < alignment[0].size(); ++i) {
    double seen = 0;
    for (const auto& weights : alignment) seen += weights[i];
    total += std::log(std::clamp(seen, kLeast, 1.0));
  }
  return total;
}

}  // namespace attune
