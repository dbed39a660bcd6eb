#include "text/sentencepiece/subword_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "text/utf8.h"

namespace attune {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Where the characters begin, and the end.
std::vector<size_t> boundaries(std::string_view text) {
  std::vector<size_t> all;
  for (Utf8Reader reader(text); const auto c = reader.next();)
    all.push_back(static_cast<size_t>(c->bytes.data() - text.data()));
  all.push_back(text.size());
  return all;
}

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

}  // namespace

void SubwordPieces::add(std::string text, SubwordPiece piece) {
  longest_ = std::max(longest_, text.size());
  pieces_.emplace(std::move(text), piece);
}

const SubwordPiece* SubwordPieces::find(std::string_view text) const {
  const auto found = pieces_.find(text);
  return found == pieces_.end() ? nullptr : &found->second;
}

std::vector<int32_t> sample_unigram(std::string_view text, const SubwordPieces& pieces, double alpha,
                                    const Random& random) {
  struct Arc {
    size_t from;
    int32_t id;
    double weight;
  };
  const std::vector<size_t> at = boundaries(text);
  std::vector<std::vector<Arc>> arriving(at.size());
  std::vector<double> sums(at.size(), kNever);  // log of the summed weights of all ways to get there
  sums[0] = 0;
  for (size_t from = 0; from + 1 < at.size(); ++from) {
    if (sums[from] == kNever) continue;
    for (size_t to = from + 1; to < at.size() && at[to] - at[from] <= pieces.longest(); ++to)
      if (const SubwordPiece* piece = pieces.find(text.substr(at[from], at[to] - at[from]))) {
        arriving[to].push_back({from, piece->id, sums[from] + alpha * piece->score});
        sums[to] = log_add(sums[to], arriving[to].back().weight);
      }
  }
  std::vector<int32_t> ids;
  if (sums.back() == kNever) return ids;
  uint64_t draws = 0;
  for (size_t to = at.size() - 1; to > 0;) {
    double left = random.uniform(draws++);
    const Arc* chosen = nullptr;
    for (const Arc& arc : arriving[to]) {
      chosen = &arc;
      if ((left -= std::exp(arc.weight - sums[to])) < 0) break;
    }
    ids.push_back(chosen->id);
    to = chosen->from;
  }
  std::ranges::reverse(ids);
  return ids;
}

std::vector<int32_t> sample_bpe(std::string_view text, const SubwordPieces& pieces, double dropout,
                                const Random& random) {
  std::vector<size_t> at = boundaries(text);  // of the symbols that are left
  uint64_t draws = 0;
  const auto symbols = [&](size_t first, size_t count) {
    return text.substr(at[first], at[first + count] - at[first]);
  };
  // The score of merging a symbol with the next; -inf: they make no piece, or the merge is left out.
  const auto score = [&](size_t first) {
    const SubwordPiece* piece = first + 2 < at.size() ? pieces.find(symbols(first, 2)) : nullptr;
    return piece == nullptr || random.uniform(draws++) < dropout ? kNever : piece->score;
  };
  std::vector<double> scores;
  for (size_t i = 0; i + 1 < at.size(); ++i) scores.push_back(score(i));
  while (!scores.empty()) {
    const auto best = std::ranges::max_element(scores);  // the first of equal ones
    if (*best == kNever) break;
    const auto place = static_cast<size_t>(best - scores.begin());
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    scores.erase(best + 1);
    scores[place] = score(place);
    if (place > 0) scores[place - 1] = score(place - 1);
  }
  std::vector<int32_t> ids;
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    const SubwordPiece* piece = pieces.find(symbols(i, 1));
    if (piece == nullptr) return {};
    ids.push_back(piece->id);
  }
  return ids;
}

}  // namespace attune
