#include "decode/search/search_options.h"

#include <algorithm>
#include <cmath>

#include "config/rules.h"

namespace attune {
namespace {

constexpr double kLeastTemperature = 0.001;  // dividing logits by less overflows f32

}  // namespace

std::span<const char* const> enum_names(LengthPenalty) {
  static constexpr const char* kWords[] = {"length", "google"};
  return kWords;
}

std::span<const char* const> enum_names(UnknownWords) {
  static constexpr const char* kWords[] = {"write", "suppress", "copy"};
  return kWords;
}

void SearchOptions::fields(FieldsOf<SearchOptions> f) {
  f("beam_size", &SearchOptions::beam_size, "number of hypotheses to keep; 1: greedy search");
  f("normalize", &SearchOptions::normalize, "exponent of the length penalty; 0: none");
  f("length_penalty", &SearchOptions::length_penalty,
    "what scores are divided by: length^normalize, or Google's formula");
  f("n_best", &SearchOptions::n_best, "number of outputs for each sentence");
  f("max_length", &SearchOptions::max_length, "longest output, in words including </s>");
  f("max_length_factor", &SearchOptions::max_length_factor,
    "longest output, in words per source word; 0: no such limit");
  f("no_repeat_ngram", &SearchOptions::no_repeat_ngram,
    "never repeat a sequence of this many words; 0: allow repetitions");
  f("coverage_penalty", &SearchOptions::coverage_penalty,
    "weight of the penalty for source words that get little attention");
  f("unk", &SearchOptions::unk,
    "unknown words: write <unk>, suppress it, or copy the source word that gets most attention");
  f("alignment", &SearchOptions::alignment, "return the attention of every word");
  f("attention_layer", &SearchOptions::attention_layer,
    "layer whose attention is used: 0, 1, ..; from the end: -1, -2, ..");
  f("attention_head", &SearchOptions::attention_head, "head of that layer: 0, 1, ..; -1: the mean of all");
  f("shortlist", &SearchOptions::shortlist,
    "choose words only from the shortlist made by `attune shortlist`: faster");
  f("sampling", &SearchOptions::sampling,
    "draw words by their probabilities instead of searching for the best output; several outputs are drawn "
    "without replacement, so all are different (stochastic beam search)");
  f("temperature", &SearchOptions::temperature,
    "sampling: below 1 makes likely words likelier, above 1 less likely");
  f("top_k", &SearchOptions::top_k, "sampling: only the k likeliest words; 0: all");
  f("top_p", &SearchOptions::top_p, "sampling: only the likeliest words that together have this probability");
  f("seed", &SearchOptions::seed, "sampling: seed of the random numbers");
}

void SearchOptions::validate() const {
  require_positive({{"beam_size", beam_size}, {"n_best", n_best}, {"max_length", max_length}});
  require_at_most(10'000, {{"beam_size", beam_size}, {"n_best", n_best}});
  require_at_most(1'000'000, {{"max_length", max_length}});
  require_not_negative({{"no_repeat_ngram", no_repeat_ngram}, {"top_k", top_k}});
  require(attention_head >= -1, "attention_head", "must be -1 or more, but is {}", attention_head);
  require(std::isfinite(normalize), "normalize", "must be a number, but is {}", normalize);
  require(max_length_factor >= 0, "max_length_factor", "must not be negative, but is {}", max_length_factor);
  require(coverage_penalty >= 0 && std::isfinite(coverage_penalty), "coverage_penalty",
          "must not be negative, but is {}", coverage_penalty);
  require(sampling || n_best <= beam_size, "n_best", "a beam of {} cannot give {} outputs; raise beam_size",
          beam_size, n_best);
  require(temperature >= kLeastTemperature && std::isfinite(temperature), "temperature",
          "must be at least {}, but is {}; to always take the likeliest word, set beam_size to 1 without "
          "sampling",
          kLeastTemperature, temperature);
  require(top_p > 0 && top_p <= 1, "top_p", "must be above 0 and at most 1, but is {}", top_p);
}

int64_t SearchOptions::longest(int64_t source_words) const {
  const double by_source = max_length_factor * static_cast<double>(source_words);
  if (by_source == 0 || by_source >= static_cast<double>(max_length)) return max_length;
  return std::max<int64_t>(1, static_cast<int64_t>(by_source));
}

}  // namespace attune
