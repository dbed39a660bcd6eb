#include "decode/search/sentence_search.h"

#include <algorithm>

namespace attune {

std::vector<Continuation> SentenceSearch::advance(const SentenceStep& step) {
  for (size_t i = 0; i < live_.size() && !step.attention.empty(); ++i)
    tree_.set_attention(live_[i], step.attention[static_cast<size_t>(step.first_row) + i]);
  forbid(step);
  begun_ = true;
  for (size_t i = 0; i < live_.size() && kept_candidates_ > 0; ++i)
    candidates_.emplace_back(live_[i],
                             step.words.best(step.first_row + static_cast<int64_t>(i), kept_candidates_));
  std::vector<Node> next;
  std::vector<Continuation> continuations;
  const std::vector<Chosen> chosen = choose(step);
  if (chosen.empty()) cut();  // no word is possible
  for (const auto& [of, word] : chosen) {
    const Node node = tree_.add(live_[static_cast<size_t>(of)], word.id, word.log_p);
    if (word.id == words_.end) {
      ended_.push_back(tree_.hypothesis(node, true, options_));
    } else if (tree_.length(node) == limits_.longest) {
      cut_.push_back(tree_.hypothesis(node, false, options_));
    } else {
      next.push_back(node);
      continuations.push_back({of, word.id});
    }
  }
  live_ = std::move(next);
  if (decided()) continuations.clear();
  return continuations;
}

void SentenceSearch::cut() {
  for (const Node node : live_) cut_.push_back(tree_.hypothesis(node, false, options_));
  live_.clear();
}

void SentenceSearch::forbid(const SentenceStep& step) const {
  for (size_t i = 0; i < live_.size(); ++i) {
    const int64_t row = step.first_row + static_cast<int64_t>(i);
    for (const int32_t word : words_.suppressed) step.words.forbid(row, word);
    if (options_.no_repeat_ngram > 0)
      for (const int32_t word : tree_.repeating(live_[i], options_.no_repeat_ngram))
        step.words.forbid(row, word);
    if (!begun_ && !limits_.choices.empty()) step.words.keep_only(row, limits_.choices);
  }
}

SearchTrace SentenceSearch::trace() const {
  SearchTrace trace = tree_.trace();
  for (const auto& [node, words] : candidates_) trace.nodes[static_cast<size_t>(node)].candidates = words;
  const auto best = results();
  if (!best.empty()) trace.result = best[0].node;
  return trace;
}

std::vector<Hypothesis> SentenceSearch::results() const {
  std::vector<Hypothesis> all = ended_;
  all.insert(all.end(), cut_.begin(), cut_.end());
  std::ranges::stable_sort(all, [](const Hypothesis& a, const Hypothesis& b) {
    return a.ended != b.ended ? a.ended : a.normalised > b.normalised;
  });
  all.resize(std::min(all.size(), static_cast<size_t>(options_.n_best)));
  return all;
}

}  // namespace attune
