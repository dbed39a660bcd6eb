#include "decode/classifier.h"

#include <iterator>

#include "decode/length_batches.h"

namespace attune {

ClassifierLine Classifier::line(std::span<const std::string> columns) const {
  ClassifierLine line{model_->task().question(model_->vocabularies(), columns)};
  if (model_->longest() > 0) line.cut = model_->task().cut(line.sides, model_->longest());
  return line;
}

std::vector<std::vector<Classifier::Labels>> Classifier::classify(
    std::span<const ClassifierLine> lines) const {
  const Vocabulary& classes = *model_->vocabularies().target;
  std::vector<std::vector<Labels>> results(lines.size());
  std::vector<int64_t> lengths;
  for (const ClassifierLine& line : lines) lengths.push_back(std::ssize(line.tokens()));
  for (const auto& numbers : length_batches(lengths, options_.mini_batch_words)) {
    Examples examples;
    std::vector<int64_t> rows;    // of the features, that answer
    std::vector<Labels*> places;  // where the labels of each go
    int64_t before = 0;
    for (const size_t i : numbers) {
      examples.push_back({lines[i].sides});
      const auto own = model_->task().answer_rows(model_->vocabularies(), lines[i].sides);
      results[i].resize(own.size());
      for (const int64_t row : own) rows.push_back(before + row);
      for (Labels& labels : results[i]) places.push_back(&labels);
      before += model_->task().features(lines[i].sides);
    }
    const Batch batch = model_->task().batch(model_->vocabularies(), examples);
    for_answers(model_->models(), batch, rows, [&](const NextWords& words, size_t first) {
      for (int64_t r = 0; r < words.rows(); ++r) {
        for (const int32_t symbol : {classes.unk(), classes.bos(), classes.eos()}) words.forbid(r, symbol);
        for (const auto& [id, log_p] : words.best(r, options_.top))
          places[first + static_cast<size_t>(r)]->push_back({classes.piece(id), log_p});
      }
    });
  }
  return results;
}

std::vector<std::string> Classifier::pieces(const ClassifierLine& line) const {
  std::vector<std::string> all;
  for (const int32_t token : line.tokens()) all.push_back(model_->vocabularies().source->piece(token));
  return all;
}

}  // namespace attune
