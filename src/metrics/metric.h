// Metric: how good hypotheses are, given references. Each sentence yields a few numbers (n-gram matches,
// edits, lengths) whose sums over a corpus determine its score. So a corpus is read once, and resampling it
// takes only additions.
//
//   const Bleu bleu({.tokenize = "zh"});
//   const Score score = corpus_score(bleu, hypotheses, {references});
//   fmt::print("{} = {:.1f} {}\n", score.name, score.value, score.verbose);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/signature.h"

namespace attune::metrics {

using Sentences = std::vector<std::string>;  // one line each, UTF-8
using References = std::vector<Sentences>;   // [reference][sentence]; every reference has all sentences
using Statistics = std::vector<double>;      // of a sentence, or their sums over several

using Parts = std::vector<std::pair<std::string, double>>;  // named numbers that come with a score

struct Score {
  std::string name;
  double value = 0;     // usually 0 to 100
  std::string verbose;  // details of the value; may be empty
  Parts parts;
};

class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string name() const = 0;
  virtual Signature options() const = 0;  // those that change the score
  virtual bool higher_is_better() const { return true; }

  virtual Statistics statistics(std::string_view hypothesis,
                                std::span<const std::string> references) const = 0;
  virtual double value(const Statistics& totals) const = 0;
  virtual std::string verbose(const Statistics&) const { return {}; }
  virtual Parts parts(const Statistics&) const { return {}; }
};

// One for each sentence. Every reference must have as many sentences as there are hypotheses. `first` is the
// number of the first line, from 0, for messages.
std::vector<Statistics> sentence_statistics(const Metric& metric, const Sentences& hypotheses,
                                            const References& references, size_t first = 0);

void add_to(Statistics& totals, std::span<const Statistics> statistics);  // empty totals are zeros
Statistics sum(std::span<const Statistics> statistics);                   // of at least one
Score score(const Metric& metric, const Statistics& totals);

Score corpus_score(const Metric& metric, const Sentences& hypotheses, const References& references);
Score sentence_score(const Metric& metric, std::string_view hypothesis,
                     std::span<const std::string> references);

}  // namespace attune::metrics
