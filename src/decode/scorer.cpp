#include "decode/scorer.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "decode/length_batches.h"
#include "text/utf8.h"

namespace attune {
namespace {

// The rows of a batch that have an answer.
std::vector<int64_t> counted_rows(const Tensor& expected) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (expected.data<int32_t>()[i] != kIgnore) rows.push_back(i);
  return rows;
}

// Drops the rows whose place is nullptr.
void keep_asked(std::vector<int64_t>& rows, std::vector<double*>& places) {
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (places[i] != nullptr) rows[kept++] = rows[i];
  rows.resize(kept);
  std::erase(places, nullptr);
}

}  // namespace

Scorer::Scorer(std::shared_ptr<const TextModel> model, int64_t mini_batch_words)
    : model_(std::move(model)), mini_batch_words_(mini_batch_words) {
  model_->task().check(model_->vocabularies());
}

LineToScore Scorer::line(int64_t number, std::span<const std::string> columns) const {
  if (std::ranges::all_of(columns, is_blank)) return {};
  const Task& task = model_->task();
  LineToScore line = task.to_score(model_->vocabularies(), {number, columns, Random(0)}, model_->answers());
  if (!task.continues_text() && line.sides[0].empty()) refuse_line(number, "a column is blank");
  const int64_t length = task.length(line.sides);
  if (model_->longest() > 0 && length > model_->longest())
    refuse_line(number,
                fmt::format("it has {} tokens, but the model reads at most {}", length, model_->longest()));
  return line;
}

std::vector<std::vector<double>> Scorer::score(std::span<const LineToScore> lines) const {
  struct Question {
    size_t line, number;  // of its examples
  };
  const Task& task = model_->task();
  std::vector<std::vector<double>> scores;
  std::vector<Question> questions;
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < lines.size(); ++i) {
    scores.emplace_back(lines[i].tokens.size());
    int64_t longest = 0;
    for (const TokenIds& side : lines[i].sides) longest = std::max<int64_t>(longest, std::ssize(side));
    for (size_t number = 0; number < task.scored_examples(lines[i]); ++number) {
      questions.push_back({i, number});
      lengths.push_back(longest);
    }
  }
  for (const auto& numbers : length_batches(lengths, mini_batch_words_)) {
    Examples examples;
    std::vector<double*> places;  // where the score of each answer goes; nullptr: not needed
    for (const size_t i : numbers) {
      const auto& [line, number] = questions[i];
      examples.push_back({task.scored_example(model_->vocabularies(), lines[line], number)});
      const size_t count = lines[line].tokens.size() / task.scored_examples(lines[line]);
      places.insert(places.end(), lines[line].given, nullptr);
      for (size_t k = 0; k < count; ++k) places.push_back(&scores[line][number * count + k]);
    }
    const Batch batch = task.batch(model_->vocabularies(), examples);
    std::vector<int64_t> rows = counted_rows(batch.expected);
    keep_asked(rows, places);
    for_answers(model_->models(), batch, rows, [&](const NextWords& words, size_t first) {
      for (int64_t r = 0; r < words.rows(); ++r) {
        const size_t answer = first + static_cast<size_t>(r);
        *places[answer] = words.log_p(r, batch.expected.data<int32_t>()[rows[answer]]);
      }
    });
  }
  return scores;
}

std::vector<std::string> Scorer::pieces(const LineToScore& line) const {
  std::vector<std::string> all;
  for (const int32_t token : line.tokens) all.push_back(model_->vocabularies().target->piece(token));
  return all;
}

}  // namespace attune
