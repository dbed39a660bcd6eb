#include "decode/answer_finder.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "attune/autograd.h"
#include "decode/length_batches.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr int64_t kLongestAnswer = 30;  // in tokens

struct Span {
  int64_t first = 0, last = 0;
  double log_p = -std::numeric_limits<double>::infinity();
};

// The probabilities of one text's tokens to be the first or the last, averaged over models: [2][tokens].
using Chances = std::vector<std::vector<double>>;

void add_chances(const Tensor& logits, int64_t begin, double weight, Chances& chances) {
  for (size_t c = 0; c < 2; ++c) {
    const auto at = [&](size_t t) {
      return static_cast<double>(
          logits.data<float>()[2 * (begin + static_cast<int64_t>(t)) + static_cast<int64_t>(c)]);
    };
    const size_t count = chances[c].size();
    double most = at(0), sum = 0;
    for (size_t t = 1; t < count; ++t) most = std::max(most, at(t));
    for (size_t t = 0; t < count; ++t) sum += std::exp(at(t) - most);
    for (size_t t = 0; t < count; ++t) chances[c][t] += weight * std::exp(at(t) - most) / sum;
  }
}

// The likeliest among the tokens from `begin` up to but without `end`.
Span best_span(const Chances& chances, int64_t begin, int64_t end) {
  Span best;
  for (int64_t first = begin; first < end; ++first)
    for (int64_t last = first; last < std::min(end, first + kLongestAnswer); ++last) {
      const double log_p =
          std::log(chances[0][static_cast<size_t>(first)]) + std::log(chances[1][static_cast<size_t>(last)]);
      if (log_p > best.log_p) best = {first, last, log_p};
    }
  return best;
}

// The text of these tokens of a passage.
FoundAnswer answer_of(const Vocabulary& vocabulary, const std::string& passage, const Span& span) {
  const std::vector<size_t> begins = vocabulary.begins(passage);
  const auto byte = [&](int64_t token) {
    return token < std::ssize(begins) ? begins[static_cast<size_t>(token)] : passage.size();
  };
  size_t begin = byte(span.first), end = byte(span.last + 1);
  const auto blank = [&](size_t at) { return passage[at] == ' ' || passage[at] == '\t'; };
  while (begin < end && blank(begin)) ++begin;
  while (end > begin && blank(end - 1)) --end;
  return {passage.substr(begin, end - begin), std::exp(span.log_p), begin};
}

}  // namespace

std::vector<FoundAnswer> AnswerFinder::find(std::span<const Question> questions) const {
  const NoGrad no_grad;
  const Task& task = model_->task();
  const Vocabularies& vocabularies = model_->vocabularies();
  std::vector<FoundAnswer> results(questions.size());
  std::vector<std::vector<TokenIds>> read;
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < questions.size(); ++i) {
    const std::string texts[] = {questions[i].question, questions[i].passage};
    const bool blank = is_blank(texts[0]) || is_blank(texts[1]);
    read.push_back(blank ? std::vector<TokenIds>{{}, {}} : task.question(vocabularies, texts));
    if (model_->longest() > 0) results[i].cut = task.cut(read.back(), model_->longest());
    lengths.push_back(std::ssize(read.back()[0]));
  }
  for (const auto& numbers : length_batches(lengths, mini_batch_words_)) {
    Examples examples;
    std::vector<Chances> chances;
    for (const size_t i : numbers) {
      examples.push_back({read[i]});
      chances.emplace_back(2, std::vector<double>(read[i][0].size(), 0.0));
    }
    const Batch batch = task.batch(vocabularies, examples);
    for (const auto& [model, weight] : model_->models()) {
      Pass pass;
      const Tensor logits = model->logits(model->features(batch, pass));
      for (size_t k = 0; k < numbers.size(); ++k)
        add_chances(logits, batch.source.rows.begin(static_cast<int64_t>(k)), weight, chances[k]);
    }
    for (size_t k = 0; k < numbers.size(); ++k) {
      const size_t i = numbers[k];
      const TokenIds& segments = read[i][1];
      const auto passage = std::ranges::find(segments, 1) - segments.begin();
      const int64_t end = std::ssize(segments) - 1;  // [SEP]
      if (passage >= end) continue;
      Span span = best_span(chances[k], passage, end);
      span.first -= passage;
      span.last -= passage;
      const int64_t cut = results[i].cut;
      results[i] = answer_of(*vocabularies.source, questions[i].passage, span);
      results[i].cut = cut;
    }
  }
  return results;
}

}  // namespace attune
