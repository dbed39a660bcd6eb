#include "cli/reports/score_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/readable.h"
#include "cli/reports/translation_report.h"
#include "decode/search/hypothesis.h"

namespace attune::cli {
namespace {

double per(double amount, int64_t count) { return count > 0 ? amount / static_cast<double>(count) : 0; }

}  // namespace

ScoreTotals& ScoreTotals::operator+=(const ScoreTotals& other) {
  lines += other.lines, tokens += other.tokens, unknown += other.unknown;
  words += other.words, characters += other.characters, log_p += other.log_p;
  return *this;
}

std::string ScoreTotals::text() const {
  std::string all = fmt::format("lines       {:>10}\nlog p       {:>10.2f}\n", grouped(lines), log_p);
  all +=
      fmt::format("tokens      {:>10}   perplexity {:.4f}\n", grouped(tokens), std::exp(per(-log_p, tokens)));
  if (words > 0)
    all +=
        fmt::format("words       {:>10}   perplexity {:.4f}\n", grouped(words), std::exp(per(-log_p, words)));
  if (characters > 0)
    all += fmt::format("characters  {:>10}   {:.4f} bits each\n", grouped(characters),
                       per(-log_p, characters) / std::log(2));
  if (unknown > 0) all += fmt::format("unknown     {:>10}   of the tokens\n", grouped(unknown));
  return all;
}

std::string ScoreTotals::json() const {
  nlohmann::ordered_json object{
      {"lines", lines}, {"log_p", log_p}, {"tokens", tokens}, {"perplexity", std::exp(per(-log_p, tokens))}};
  if (words > 0) {
    object["words"] = words;
    object["word_perplexity"] = std::exp(per(-log_p, words));
    object["characters"] = characters;
    object["bits_per_character"] = per(-log_p, characters) / std::log(2);
  }
  object["unknown"] = unknown;
  return object.dump() + "\n";
}

std::string ScoreFormat::line(const Scorer& scorer, const ScoredLine& line) const {
  const double sum = std::accumulate(line.scores.begin(), line.scores.end(), 0.0);
  const auto count = static_cast<int64_t>(line.scores.size());
  const double score = !line.usable ? std::numeric_limits<double>::quiet_NaN()
                       : count == 0 ? 0
                                    : normalised(sum, count, search);
  if (json) {
    nlohmann::ordered_json object{{"line", line.number}, {"score", nullptr}};
    if (line.usable)
      object.update({{"score", sum},
                     {"normalised", score},
                     {"tokens", scorer.pieces(line.line)},
                     {"word_scores", line.scores}});
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  std::string text = fmt::format("{:.6g}", score);
  if (word_scores) text += " ||| " + scores_text(line.scores);
  return text + "\n";
}

}  // namespace attune::cli
