// SentenceSearch: chooses the words of one sentence, step by step. Sentences are independent, so the result
// does not depend on the batch.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decode/search/hypothesis.h"
#include "decode/word_choice/next_words.h"

namespace attune {

// The limits on what a sentence may write.
struct SentenceLimits {
  int64_t longest;                        // words, including </s>
  uint64_t number;                        // of the sentence, for random numbers
  std::span<const int32_t> choices = {};  // for the first word that is not forced; empty: all words
};

// A live hypothesis of the next step.
struct Continuation {
  int64_t of;  // the index of the live hypothesis of this step that it continues
  int32_t word;
};

// The models' output for the live hypotheses of a sentence: rows first_row, first_row + 1, ..
struct SentenceStep {
  const NextWords& words;
  std::span<const std::vector<float>> attention;  // empty if not requested
  int64_t first_row;
};

class SentenceSearch {
 public:
  // `written` holds the forced words, `last` the last of them; one hypothesis is live.
  SentenceSearch(const SearchOptions& options, const SearchWords& words, const SentenceLimits& limits,
                 HypothesisTree written, HypothesisTree::Node last)
      : options_(options), words_(words), limits_(limits), tree_(std::move(written)), live_{last} {}
  virtual ~SentenceSearch() = default;

  // The live hypotheses of the next step; empty if the sentence is done.
  std::vector<Continuation> advance(const SentenceStep& step);

  // Ends the live hypotheses here, without </s>.
  void cut();

  // From now on, records the k likeliest words of every step.
  void keep_candidates(int64_t k) { kept_candidates_ = k; }
  SearchTrace trace() const;

  // Best first: those that ended, then those that were cut at the maximum length; at most n_best.
  std::vector<Hypothesis> results() const;

 protected:
  using Node = HypothesisTree::Node;
  struct Chosen {
    int64_t of;  // a live hypothesis
    NextWords::Word word;
  };

  // The continuations to keep, in the order in which they become live.
  virtual std::vector<Chosen> choose(const SentenceStep& step) = 0;
  // Whether no live hypothesis can change the results any more.
  virtual bool decided() const { return false; }

  const SearchOptions& options_;
  const SearchWords& words_;
  SentenceLimits limits_;
  HypothesisTree tree_;
  std::vector<Node> live_;
  std::vector<Hypothesis> ended_, cut_;
  bool begun_ = false;  // whether a step was taken

 private:
  void forbid(const SentenceStep& step) const;

  int64_t kept_candidates_ = 0;
  std::vector<std::pair<Node, std::vector<NextWords::Word>>> candidates_;
};

std::unique_ptr<SentenceSearch> make_beam(const SearchOptions& options, const SearchWords& words,
                                          const SentenceLimits& limits, HypothesisTree written,
                                          HypothesisTree::Node last);
std::unique_ptr<SentenceSearch> make_sampler(const SearchOptions& options, const SearchWords& words,
                                             const SentenceLimits& limits, HypothesisTree written,
                                             HypothesisTree::Node last);

}  // namespace attune
