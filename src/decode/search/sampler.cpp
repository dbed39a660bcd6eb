// Sampling: n_best outputs whose words are drawn from the probabilities at a temperature, restricted to the
// top_k likeliest words and, of these, the fewest that together have top_p (Fan et al. 2018; Holtzman et al.
// 2020). A draw is a function of the seed, the number of the sentence, the number of the output and the
// position.
#include <algorithm>
#include <numeric>

#include "attune/random.h"
#include "decode/search/sentence_search.h"
#include "ops/choosing.h"

namespace attune {
namespace {

struct Candidate {
  int32_t column;  // in NextWords
  double p;
};

// The fewest of the likeliest whose probabilities reach `share`, at most `most`, likeliest first.
std::vector<Candidate> nucleus(const Tensor& p, double share, int64_t most) {
  for (int64_t k = std::min<int64_t>(most, 64);; k = std::min(most, 8 * k)) {
    std::vector<Candidate> chosen;
    double sum = 0;
    for (const int32_t column : largest(p.view({1, p.size()}), k)) {
      chosen.push_back({column, p.span<double>()[static_cast<size_t>(column)]});
      if ((sum += chosen.back().p) >= share) return chosen;
    }
    if (k == most) return chosen;
  }
}

class Sampler final : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

 private:
  std::vector<Chosen> choose(const SentenceStep& step) override {
    if (!started_) {  // all outputs continue the single hypothesis of the beginning
      samples_.resize(static_cast<size_t>(options_.n_best));
      std::iota(samples_.begin(), samples_.end(), 0);
    }
    std::vector<Chosen> chosen;
    std::vector<uint64_t> going_on;
    for (size_t i = 0; i < samples_.size(); ++i) {
      const auto of = static_cast<int64_t>(started_ ? i : 0);
      const int64_t row = step.first_row + of;
      const int32_t word = draw(step.words, row, samples_[i], tree_.length(live_[static_cast<size_t>(of)]));
      chosen.push_back({of, {word, step.words.log_p(row, word)}});
      if (word != words_.end) going_on.push_back(samples_[i]);
    }
    samples_ = std::move(going_on);
    started_ = true;
    return chosen;
  }

  int32_t draw(const NextWords& words, int64_t row, uint64_t sample, int64_t position) const {
    const Tensor p = words.probabilities(row, options_.temperature);
    const double u = Random(static_cast<uint64_t>(options_.seed))
                         .stream(limits_.number)
                         .stream(sample)
                         .uniform(static_cast<uint64_t>(position));
    std::vector<Candidate> candidates;
    if (options_.top_k == 0 && options_.top_p == 1)
      for (const double x : p.span<double>())
        candidates.push_back({static_cast<int32_t>(candidates.size()), x});
    else
      candidates =
          nucleus(p, options_.top_p, options_.top_k > 0 ? std::min(options_.top_k, p.size()) : p.size());
    double sum = 0;
    for (const Candidate& c : candidates) sum += c.p;
    double left = u * sum;
    int32_t last = words_.end;  // the last that can be drawn
    for (const Candidate& c : candidates) {
      if (c.p == 0) continue;
      last = words.word(row, c.column);
      if ((left -= c.p) < 0) break;
    }
    return last;
  }

  bool started_ = false;
  std::vector<uint64_t> samples_;  // the output number of each live hypothesis
};

}  // namespace

std::unique_ptr<SentenceSearch> make_sampler(const SearchOptions& options, const SearchWords& words,
                                             const SentenceLimits& limits, HypothesisTree written,
                                             HypothesisTree::Node last) {
  return std::make_unique<Sampler>(options, words, limits, std::move(written), last);
}

}  // namespace attune
