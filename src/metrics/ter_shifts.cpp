#include "metrics/ter_shifts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

namespace attune::metrics {
namespace {

constexpr size_t kLongestShift = 10, kFurthestShift = 50;
constexpr int64_t kBeam = 25, kMostCandidates = 1000;
constexpr int64_t kUnreachable = int64_t{1} << 50;

using Words = std::span<const uint32_t>;

enum class Edit : uint8_t { keep, replace, remove, insert, none };

struct Cell {
  int64_t cost = kUnreachable;
  Edit edit = Edit::none;
};

// The cells of a row that lie in the beam.
struct Row {
  int64_t begin = 0;
  std::vector<Cell> cells;

  Cell at(int64_t j) const {
    return j < begin || j >= begin + std::ssize(cells) ? Cell{} : cells[static_cast<size_t>(j - begin)];
  }
};

// The matrix of edit distances between prefixes of a hypothesis and prefixes of the reference, computed only
// near the diagonal. Row i belongs to the first i words of the hypothesis.
class BeamDistance {
 public:
  BeamDistance(Words reference, size_t hypothesis_size)
      : reference_(reference),
        rows_(static_cast<int64_t>(hypothesis_size)),
        slope_(rows_ > 0 ? static_cast<double>(reference.size()) / static_cast<double>(rows_) : 1),
        beam_(slope_ / 2 > kBeam ? static_cast<int64_t>(std::ceil(slope_ / 2 + kBeam)) : kBeam) {}

  Row first() const {
    Row row;
    for (int64_t j = 0; j <= columns(); ++j) row.cells.push_back({j, Edit::insert});
    return row;
  }

  // Row i, from the row above it and word i - 1. Of edits with equal cost, replacing is preferred to
  // removing, and removing to inserting.
  void next(const Row& above, int64_t i, uint32_t word, Row& row) const {
    const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(i) * slope_));
    row.begin = std::max<int64_t>(0, diagonal - beam_);
    const int64_t end = i == rows_ ? columns() + 1 : std::min(columns() + 1, diagonal + beam_);
    row.cells.clear();
    Cell left;
    Cell above_left = above.at(row.begin - 1);
    for (int64_t j = row.begin; j < end; ++j) {
      const Cell over = above.at(j);
      Cell best;
      const auto offer = [&best](int64_t cost, Edit edit) {
        if (cost < best.cost) best = {cost, edit};
      };
      if (j > 0) {
        const bool same = reference_[static_cast<size_t>(j - 1)] == word;
        offer(above_left.cost + (same ? 0 : 1), same ? Edit::keep : Edit::replace);
      }
      offer(over.cost + 1, Edit::remove);
      if (j > 0) offer(left.cost + 1, Edit::insert);
      row.cells.push_back(best);
      left = best;
      above_left = over;
    }
  }

  int64_t columns() const { return std::ssize(reference_); }

 private:
  Words reference_;
  int64_t rows_;
  double slope_;
  int64_t beam_;
};

// Where the words of the reference are in the hypothesis, and which words of both are wrong.
struct Alignment {
  std::vector<int64_t>
      place;  // of each reference word; for a missing one, that of the word before the gap, or -1
  std::vector<bool> reference_wrong, hypothesis_wrong;
};

Alignment align(const std::vector<Row>& matrix, size_t hypothesis, size_t reference) {
  Alignment a{std::vector<int64_t>(reference), std::vector<bool>(reference), std::vector<bool>(hypothesis)};
  for (size_t i = hypothesis, j = reference; i > 0 || j > 0;) {
    const Edit edit = matrix[i].at(static_cast<int64_t>(j)).edit;
    if (edit == Edit::remove) {
      a.hypothesis_wrong[--i] = true;
      continue;
    }
    --j;
    a.reference_wrong[j] = edit != Edit::keep;
    if (edit != Edit::insert) a.hypothesis_wrong[--i] = edit == Edit::replace;
    a.place[j] = static_cast<int64_t>(i) - (edit == Edit::insert ? 1 : 0);
  }
  return a;
}

struct Shift {
  int64_t gain = 0;
  size_t length = 0, start = 0, target = 0;  // words [start, start + length) move before word `target`

  // Tercom's ranking: highest gain, then the longest, then the earliest run, then the earliest target.
  bool better_than(const Shift& other) const {
    return std::tuple(gain, length, other.start, other.target) >
           std::tuple(other.gain, other.length, start, target);
  }

  void apply(std::vector<uint32_t>& words) const {
    const auto at = [&](size_t i) { return words.begin() + static_cast<int64_t>(std::min(i, words.size())); };
    if (target < start)
      std::rotate(at(target), at(start), at(start + length));
    else if (target > start + length)
      std::rotate(at(start), at(start + length), at(target));
    else  // into itself: forward by as many words as the target is behind the start
      std::rotate(at(start), at(start + length), at(target + length));
  }
};

class ShiftSearch {
 public:
  ShiftSearch(Words hypothesis, Words reference)
      : words_(hypothesis.begin(), hypothesis.end()),
        reference_(reference),
        distance_(reference, hypothesis.size()),
        matrix_(hypothesis.size() + 1) {
    matrix_[0] = distance_.first();
    fill(0);
  }

  int64_t edits() {
    int64_t shifts = 0;
    for (;; ++shifts) {
      const std::optional<Shift> best = best_shift();
      if (candidates_ >= kMostCandidates || !best || best->gain <= 0) return shifts + cost();
      best->apply(words_);
      fill(std::min(best->start, best->target));
    }
  }

 private:
  int64_t cost() const { return matrix_.back().at(distance_.columns()).cost; }

  // The rows after the first `same` words.
  void fill(size_t same) {
    for (size_t i = same; i < words_.size(); ++i)
      distance_.next(matrix_[i], static_cast<int64_t>(i) + 1, words_[i], matrix_[i + 1]);
  }

  // The edits that a shift saves. The rows before the first moved word are those of the matrix.
  int64_t gain(const Shift& shift) {
    moved_ = words_;
    shift.apply(moved_);
    const size_t same = std::min(shift.start, shift.target);
    const Row* above = &matrix_[same];
    for (size_t i = same; i < moved_.size(); ++i) {
      Row& row = scratch_[i % 2];
      distance_.next(*above, static_cast<int64_t>(i) + 1, moved_[i], row);
      above = &row;
    }
    return cost() - above->at(distance_.columns()).cost;
  }

  std::optional<Shift> best_shift() {
    const Alignment a = align(matrix_, words_.size(), reference_.size());
    std::optional<Shift> best;
    for (size_t h = 0; h < words_.size(); ++h) {
      for (size_t r = 0; r < reference_.size(); ++r) {
        if ((r > h ? r - h : h - r) > kFurthestShift) continue;
        bool hypothesis_wrong = false, reference_wrong = false;
        for (size_t n = 0; n < kLongestShift && h + n < words_.size() && r + n < reference_.size() &&
                           words_[h + n] == reference_[r + n];
             ++n) {
          hypothesis_wrong = hypothesis_wrong || a.hypothesis_wrong[h + n];
          reference_wrong = reference_wrong || a.reference_wrong[r + n];
          if (!hypothesis_wrong || !reference_wrong) continue;
          try_targets(a, h, r, n + 1, best);
          if (candidates_ >= kMostCandidates) return best;
        }
      }
    }
    return best;
  }

  // The places where words [h, h + length) of the hypothesis, which are words [r, r + length) of the
  // reference, could go: after the word that precedes them in the reference, and after the place where each
  // of them should be.
  void try_targets(const Alignment& a, size_t h, size_t r, size_t length, std::optional<Shift>& best) {
    const auto start = static_cast<int64_t>(h);
    if (a.place[r] >= start && a.place[r] < start + static_cast<int64_t>(length)) return;
    std::optional<size_t> before;
    for (size_t j = r; j <= r + length; ++j) {
      const size_t target = j == 0 ? 0 : static_cast<size_t>(a.place[j - 1] + 1);
      if (target == before) continue;
      before = target;
      Shift shift{0, length, h, target};
      shift.gain = gain(shift);
      ++candidates_;
      if (!best || shift.better_than(*best)) best = shift;
    }
  }

  std::vector<uint32_t> words_, moved_;
  Words reference_;
  BeamDistance distance_;
  std::vector<Row> matrix_;
  Row scratch_[2];
  int64_t candidates_ = 0;  // tried so far
};

}  // namespace

int64_t edits_with_shifts(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference) {
  if (reference.empty()) return std::ssize(hypothesis);
  return ShiftSearch(hypothesis, reference).edits();
}

}  // namespace attune::metrics
