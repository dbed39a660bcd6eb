// Beam search. A beam has beam_size places. In each step all continuations of the live hypotheses compete by
// their sum of log probabilities for the places that are not held by ended hypotheses; one that ends keeps
// its place. (So a beam of one is greedy search, and a beam with room for everything is exhaustive.) The
// results are the ended hypotheses, of any length, by their normalised scores.
#include <algorithm>

#include "decode/search/sentence_search.h"

namespace attune {
namespace {

class Beam final : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

 private:
  std::vector<Chosen> choose(const SentenceStep& step) override {
    const int64_t places = options_.beam_size - static_cast<int64_t>(ended_.size());
    std::vector<Chosen> all;
    for (size_t i = 0; i < live_.size(); ++i)
      for (const NextWords::Word& word : step.words.best(step.first_row + static_cast<int64_t>(i), places))
        all.push_back({static_cast<int64_t>(i), word});
    const auto score = [&](const Chosen& c) {
      return tree_.score(live_[static_cast<size_t>(c.of)]) + c.word.log_p;
    };
    // Ties stay in the order of the live hypotheses, then of their words.
    std::ranges::stable_sort(all, [&](const Chosen& a, const Chosen& b) { return score(a) > score(b); });
    all.resize(std::min(all.size(), static_cast<size_t>(places)));
    return all;
  }

  // A sum of log probabilities only decreases, and the coverage penalty is at most 0: a hypothesis with the
  // sum s ends with at most s divided by the length penalty of its shortest or its longest possible
  // continuation. In a tie, those that ended earlier come first.
  bool decided() const override {
    const auto kept = static_cast<size_t>(options_.n_best);
    if (ended_.size() < kept) return false;
    std::vector<double> scores;
    for (const Hypothesis& h : ended_) scores.push_back(h.normalised);
    const auto worst = scores.begin() + static_cast<std::ptrdiff_t>(kept) - 1;
    std::ranges::nth_element(scores, worst, std::greater<>());
    return std::ranges::all_of(live_, [&](Node node) {
      const double s = tree_.score(node);
      return std::max(normalised(s, tree_.length(node) + 1, options_),
                      normalised(s, limits_.longest, options_)) <= *worst;
    });
  }
};

}  // namespace

std::unique_ptr<SentenceSearch> make_beam(const SearchOptions& options, const SearchWords& words,
                                          const SentenceLimits& limits, HypothesisTree written,
                                          HypothesisTree::Node last) {
  return std::make_unique<Beam>(options, words, limits, std::move(written), last);
}

}  // namespace attune
