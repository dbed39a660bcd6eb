// Sampling: outputs whose words are drawn by their probabilities (drawable_words.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "attune/random.h"
#include "decode/search/drawable_words.h"
#include "decode/search/sentence_search.h"

namespace attune {
namespace {

// One output. A draw is a function of the seed, the number of the sentence and the position.
class Sampler final : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

 private:
  std::vector<Chosen> choose(const SentenceStep& step) override {
    const int32_t word = draw(step.words, step.first_row, tree_.length(live_[0]));
    return {{0, {word, step.words.log_p(step.first_row, word)}}};
  }

  int32_t draw(const NextWords& words, int64_t row, int64_t position) const {
    double left = Random(static_cast<uint64_t>(options_.seed))
                      .stream(limits_.number)
                      .stream(0)
                      .uniform(static_cast<uint64_t>(position));
    int32_t last = words_.end;
    for (const DrawableWord& word : drawable_words(words, row, options_)) {
      last = word.id;
      if ((left -= word.p) < 0) break;
    }
    return last;
  }
};

// Several different outputs: as if one after the other were drawn, each time from those that are left, by
// stochastic beam search (Kool, van Hoof and Welling 2019). Each output y gets the key log p(y) + Gumbel
// noise, and those with the n largest keys are such a sample. The key of a hypothesis is the largest of the
// outputs that it can become, so a beam of n hypotheses finds them.
class StochasticBeam final : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

 private:
  struct Keyed {
    double key, log_p;  // log_p: of what is drawn, at the temperature and so on
  };
  struct Child {
    Keyed keyed;
    Chosen chosen;
  };

  std::vector<Chosen> choose(const SentenceStep& step) override {
    std::vector<Child> children;
    for (size_t i = 0; i < live_.size(); ++i) add_children(step, i, children);
    const double least = least_key(children);
    forget_below(least, ended_, ended_keys_);
    forget_below(least, cut_, cut_keys_);
    std::vector<Chosen> chosen;
    std::vector<Keyed> next;
    for (const auto& [keyed, child] : children) {
      if (keyed.key < least) continue;
      chosen.push_back(child);
      if (child.word.id == words_.end)
        ended_keys_.push_back(keyed.key);
      else if (tree_.length(live_[static_cast<size_t>(child.of)]) + 1 == limits_.longest)
        cut_keys_.push_back(keyed.key);
      else
        next.push_back(keyed);
    }
    keys_ = std::move(next);
    return chosen;
  }

  // The n likeliest by their keys, given that the largest of them is the key of the hypothesis:
  //   g_w = log p_w + Gumbel,  z = max g,  key_w = -log(exp(-key) - exp(-z) + exp(-g_w))
  void add_children(const SentenceStep& step, size_t i, std::vector<Child>& children) const {
    const int64_t row = step.first_row + static_cast<int64_t>(i);
    const auto words = drawable_words(step.words, row, options_);
    const Random random = Random(static_cast<uint64_t>(options_.seed))
                              .stream(limits_.number)
                              .stream(1 + static_cast<uint64_t>(tree_.length(live_[i])))
                              .stream(i);
    std::vector<std::pair<double, size_t>> noisy;  // g, and the word's place
    for (size_t w = 0; w < words.size(); ++w) {
      const double log_p = keys_[i].log_p + std::log(words[w].p);
      noisy.emplace_back(log_p - std::log(-std::log(random.uniform(static_cast<uint64_t>(words[w].id)))), w);
    }
    const auto count = std::min(noisy.size(), static_cast<size_t>(options_.n_best));
    std::ranges::partial_sort(noisy, noisy.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
    for (size_t n = 0; n < count; ++n) {
      const auto& [g, w] = noisy[n];
      const double v = keys_[i].key - g + std::log1p(-std::exp(g - noisy[0].first));
      const double key = keys_[i].key - std::max(0.0, v) - std::log1p(std::exp(-std::abs(v)));
      const int32_t id = words[w].id;
      children.push_back({{key, keys_[i].log_p + std::log(words[w].p)},
                          {static_cast<int64_t>(i), {id, step.words.log_p(row, id)}}});
    }
  }

  // The n-th largest key of all hypotheses, or less than all if there are not so many.
  double least_key(const std::vector<Child>& children) const {
    std::vector<double> keys = ended_keys_;
    keys.insert(keys.end(), cut_keys_.begin(), cut_keys_.end());
    for (const Child& child : children) keys.push_back(child.keyed.key);
    const auto places = static_cast<size_t>(options_.n_best);
    if (keys.size() <= places) return -std::numeric_limits<double>::infinity();
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(places) - 1;
    std::ranges::nth_element(keys, last, std::greater<>());
    return *last;
  }

  static void forget_below(double least, std::vector<Hypothesis>& outputs, std::vector<double>& keys) {
    size_t kept = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] < least) continue;
      if (kept < i) outputs[kept] = std::move(outputs[i]);
      keys[kept++] = keys[i];
    }
    outputs.resize(kept);
    keys.resize(kept);
  }

  std::vector<Keyed> keys_{{0, 0}};            // of live_
  std::vector<double> ended_keys_, cut_keys_;  // of ended_ and cut_
};

}  // namespace

std::unique_ptr<SentenceSearch> make_sampler(const SearchOptions& options, const SearchWords& words,
                                             const SentenceLimits& limits, HypothesisTree written,
                                             HypothesisTree::Node last) {
  if (options.n_best == 1) return std::make_unique<Sampler>(options, words, limits, std::move(written), last);
  return std::make_unique<StochasticBeam>(options, words, limits, std::move(written), last);
}

}  // namespace attune
