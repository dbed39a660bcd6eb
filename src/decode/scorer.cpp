#include "decode/scorer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "attune/error.h"
#include "decode/length_batches.h"
#include "text/utf8.h"

namespace attune {
namespace {

template <class... Args>
void require_line(bool holds, int64_t number, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds)
    throw UsageError(fmt::format("line {}: {}", number + 1, fmt::format(text, std::forward<Args>(args)...)));
}

int64_t size_of(const TokenIds& ids) { return static_cast<int64_t>(ids.size()); }

// The rows of a batch that have an answer.
std::vector<int64_t> counted_rows(const Tensor& expected) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (expected.data<int32_t>()[i] != kIgnore) rows.push_back(i);
  return rows;
}

// Without the rows whose place is nullptr.
void keep_asked(std::vector<int64_t>& rows, std::vector<double*>& places) {
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (places[i] != nullptr) rows[kept++] = rows[i];
  rows.resize(kept);
  std::erase(places, nullptr);
}

}  // namespace

Scorer::Scorer(std::vector<WeightedModel> models, const ScorerSetup& setup)
    : models_(std::move(models)), setup_(setup), task_(make_task(setup.task, setup.vocabularies)) {
  if (setup_.task == TaskKind::fill) mask_ = setup_.vocabularies.source->required("[MASK]");
}

ScorerLine Scorer::line(int64_t number, std::span<const std::string> columns) const {
  if (std::ranges::all_of(columns, is_blank)) return {};
  ScorerLine result;
  if (setup_.task == TaskKind::fill) {
    JoinedTexts texts = joined_texts(*setup_.vocabularies.source, columns);
    result.sides = {std::move(texts.ids), std::move(texts.segments)};
    std::ranges::copy_if(result.sides[0], std::back_inserter(result.tokens),
                         [&](int32_t token) { return is_asked(token); });
  } else {
    result.sides = task_->example({number, columns, Random(0)});
    if (result.sides.size() == 1) result.sides.insert(result.sides.begin(), TokenIds{});  // no prompt
    const bool writes = setup_.task == TaskKind::translate || setup_.task == TaskKind::write;
    if (writes && result.sides.back().empty()) result.sides.back() = {setup_.vocabularies.target->eos()};
    result.tokens = result.sides.back();
    if (setup_.task == TaskKind::write && !setup_.answers) {  // <s> prompt text </s>
      TokenIds& text = result.sides[1];
      const TokenIds prompt = std::exchange(result.sides[0], {});
      text.insert(text.begin(), prompt.begin(), prompt.end());
      result.given = prompt.size();
    }
    require_line(setup_.task != TaskKind::classify || result.tokens[0] != setup_.vocabularies.target->unk(),
                 number, "the model has no class '{}'", columns.back());
  }
  const bool may_lack_source = setup_.task == TaskKind::write;
  require_line(may_lack_source || !result.sides[0].empty(), number, "a column is blank");
  check_length(number, result.sides);
  return result;
}

void Scorer::check_length(int64_t number, const std::vector<TokenIds>& sides) const {
  if (setup_.longest <= 0) return;
  int64_t length = 0;
  for (const TokenIds& side : sides)
    length = setup_.task == TaskKind::write ? length + size_of(side) : std::max(length, size_of(side));
  require_line(length <= setup_.longest, number, "it has {} tokens, but the model reads at most {}", length,
               setup_.longest);
}

std::vector<Scorer::Question> Scorer::questions(std::span<const ScorerLine> lines) const {
  std::vector<Question> all;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t count = setup_.task == TaskKind::fill ? lines[i].tokens.size()
                         : lines[i].tokens.empty()     ? 0
                                                       : 1;
    for (size_t token = 0; token < count; ++token) all.push_back({i, token});
  }
  return all;
}

std::vector<TokenIds> Scorer::example(const ScorerLine& line, size_t token) const {
  if (setup_.task != TaskKind::fill) return line.sides;
  TokenIds ids = line.sides[0], expected(ids.size(), kIgnore);
  size_t at = 0;
  for (size_t asked = 0;; ++at)
    if (is_asked(ids[at]) && asked++ == token) break;
  expected[at] = std::exchange(ids[at], mask_);
  return {std::move(ids), line.sides[1], std::move(expected)};
}

std::vector<std::vector<double>> Scorer::score(std::span<const ScorerLine> lines) const {
  std::vector<std::vector<double>> scores;
  for (const ScorerLine& line : lines) scores.emplace_back(line.tokens.size());
  const std::vector<Question> all = questions(lines);
  std::vector<int64_t> lengths;
  for (const Question& question : all) {
    int64_t most = 0;
    for (const TokenIds& side : lines[question.line].sides) most = std::max(most, size_of(side));
    lengths.push_back(most);
  }
  for (const auto& numbers : length_batches(lengths, setup_.mini_batch_words)) {
    Examples examples;
    std::vector<double*> places;  // where the score of each answer belongs; nullptr: nobody asked
    for (const size_t i : numbers) {
      const auto& [line, token] = all[i];
      examples.push_back({.sides = example(lines[line], token)});
      const size_t count = setup_.task == TaskKind::fill ? 1 : lines[line].tokens.size();
      places.insert(places.end(), lines[line].given, nullptr);
      for (size_t k = 0; k < count; ++k) places.push_back(&scores[line][token + k]);
    }
    const Batch batch = task_->batch(examples);
    std::vector<int64_t> rows = counted_rows(batch.expected);
    keep_asked(rows, places);
    for_answers(models_, batch, rows, [&](const NextWords& words, size_t first) {
      for (int64_t r = 0; r < words.rows(); ++r) {
        const size_t answer = first + static_cast<size_t>(r);
        *places[answer] = words.log_p(r, batch.expected.data<int32_t>()[rows[answer]]);
      }
    });
  }
  return scores;
}

std::vector<std::string> Scorer::pieces(const ScorerLine& line) const {
  std::vector<std::string> all;
  for (const int32_t token : line.tokens) all.push_back(setup_.vocabularies.target->piece(token));
  return all;
}

}  // namespace attune
