// What a LoadedModel is asked with, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attune/settings.h"

namespace attune {

// How outputs are found. Options that are not set come from the folder.
struct DecodingOptions {
  std::optional<int64_t> beam_size = {};   // 1 is greedy search
  std::optional<double> normalize = {};    // scores are divided by length^normalize
  std::optional<int64_t> max_length = {};  // most tokens of an output; for generate(), those after the prompt
  std::optional<bool> sampling = {};       // draw words instead of searching for the best
  std::optional<double> temperature = {};  // this and the next two turn on sampling
  std::optional<int64_t> top_k = {};
  std::optional<double> top_p = {};
  std::optional<int64_t> seed = {};
  int64_t n_best = 1;      // outputs for each text; at most beam_size for beam search
  bool alignment = false;  // return the attention of each token
  Settings others = {};    // any other option of `attune translate`'s search: {{"no_repeat_ngram", 3}}
};

struct ModelOutput {
  std::string text = {};
  double score = 0, normalised = 0;      // the log probability; the score for comparisons
  bool ended = true;                     // otherwise it was cut: at the maximum length, or at a stop text
  std::vector<std::string> tokens = {};  // without </s>
  std::vector<double> word_scores = {};  // log p of each token, and of </s> if it ended
  std::vector<std::vector<float>> alignment = {};  // for each of word_scores, the weights of source_tokens()
};

struct GenerationOptions {
  DecodingOptions decoding = {};
  std::vector<std::string> stops = {};  // an output ends before such a text
};

struct TextScore {
  double log_p = 0;                      // the sum of word_scores
  std::vector<double> word_scores = {};  // log p of each token
  std::vector<std::string> tokens = {};
};

struct LabelProbability {
  std::string label;
  double probability = 0;
};
// The class of a text, or the tags of its tokens.
struct TextLabels {
  std::vector<std::string> tokens = {};
  std::vector<std::vector<LabelProbability>> labels = {};  // of the text, or of each token; likeliest first
};

struct FillCandidate {
  std::string word, token;  // as text, and as the vocabulary has it: "cat", "▁cat"
  double probability = 0;
  std::string text;  // the whole text with this word in its place
};

struct TextAnswer {
  std::string text;  // a part of the passage; empty if question or passage is blank
  double probability = 0;
  size_t begin = 0;  // its first byte in the passage
};

// The contextual vector of each token of a text, after a layer.
struct EmbeddedText {
  std::vector<std::string> tokens = {};
  int64_t size = 0;                 // of a vector
  std::vector<float> vectors = {};  // [tokens, size]
};

struct NumberRows {
  int64_t rows = 0, columns = 0;
  std::vector<float> numbers = {};  // row after row
};

}  // namespace attune
