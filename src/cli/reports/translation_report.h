// How translations are written: plain, n-best lists and alignments as Marian writes them, or JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "decode/cut_text.h"
#include "decode/translator.h"

namespace CLI {
class App;
}

namespace attune::cli {

// A line of the input: its parts, and for each of them the outputs, best first.
struct TranslatedLine {
  int64_t number;  // from 0
  const std::string& source;
  std::span<const CutPart> parts;
  std::span<const TranslatorInput> inputs;  // one per part
  std::span<const std::vector<Hypothesis>> outputs;
};

struct OutputFormat {
  bool word_scores = false, json = false;
  int64_t count = -1;     // of the n-best list; 0: as many as the beam size; -1: no list
  std::string alignment;  // "", "hard", "soft", or a threshold

  void add_options(CLI::App& app);
  bool needs_alignment() const { return !alignment.empty(); }
  bool n_best() const { return count >= 0; }
  int64_t n_best_count(int64_t beam_size) const { return count > 0 ? count : beam_size; }

  // With its end.
  std::string line(const Translator& translator, const TranslatedLine& line) const;
};

// For each target token the weights of the source tokens.
using AlignmentRows = std::span<const std::vector<float>>;

// Pharaoh's "0-0 1-2": for each target token, the source token that it looks at most, or all that reach the
// threshold. </s> is a token like any other.
std::string hard_alignment(AlignmentRows rows, std::optional<float> threshold);
// "WordScores= -0.1000 -0.2000"
std::string scores_text(std::span<const double> word_scores);
// Marian's "0.9,0.1 0.2,0.8": the weights of the source tokens for each target token.
std::string soft_alignment(AlignmentRows rows);

}  // namespace attune::cli
