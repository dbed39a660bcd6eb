#include "decode/classifier.h"

#include <algorithm>
#include <numeric>

#include "decode/length_batches.h"

namespace attune {

Classifier::Classifier(std::vector<WeightedModel> models, const ClassifierSetup& setup)
    : models_(std::move(models)), setup_(setup) {}

ClassifierLine Classifier::line(std::span<const std::string> columns) const {
  if (setup_.task == TaskKind::tag) return {setup_.vocabularies.source->encode(columns[0]), {}};
  JoinedTexts texts = joined_texts(*setup_.vocabularies.source, columns);
  ClassifierLine line{std::move(texts.ids), std::move(texts.segments)};
  const auto length = static_cast<int64_t>(line.ids.size());
  if (setup_.longest <= 0 || length <= setup_.longest) return line;
  line.cut = length - setup_.longest;
  const int32_t end = line.ids.back();  // [SEP]
  line.ids.resize(static_cast<size_t>(setup_.longest));
  line.segments.resize(line.ids.size());
  line.ids.back() = end;
  return line;
}

Batch Classifier::batch(std::span<const ClassifierLine> lines, std::span<const size_t> numbers) const {
  Examples examples;
  for (const size_t i : numbers) examples.push_back({.sides = {lines[i].ids, lines[i].segments}});
  const Ragged texts = side(examples, 0);
  if (setup_.task == TaskKind::classify)
    return {.source = texts, .given = {}, .segments = side(examples, 1).ids, .expected = {}};
  return {.source = empty_sentences(texts.rows.count()), .given = texts, .segments = {}, .expected = {}};
}

std::vector<std::vector<Classifier::Labels>> Classifier::classify(
    std::span<const ClassifierLine> lines) const {
  const Vocabulary& classes = *setup_.vocabularies.target;
  std::vector<std::vector<Labels>> results(lines.size());
  std::vector<int64_t> lengths;
  for (const ClassifierLine& line : lines) lengths.push_back(static_cast<int64_t>(line.ids.size()));
  for (const auto& numbers : length_batches(lengths, setup_.mini_batch_words)) {
    std::vector<Labels*> places;  // where the labels of each row belong
    for (const size_t i : numbers) {
      results[i].resize(setup_.task == TaskKind::tag ? lines[i].ids.size() : 1);
      for (Labels& labels : results[i]) places.push_back(&labels);
    }
    std::vector<int64_t> rows(places.size());
    std::iota(rows.begin(), rows.end(), 0);
    for_answers(models_, batch(lines, numbers), rows, [&](const NextWords& words, size_t first) {
      for (int64_t r = 0; r < words.rows(); ++r) {
        for (const int32_t symbol : {classes.unk(), classes.bos(), classes.eos()}) words.forbid(r, symbol);
        for (const auto& [id, log_p] : words.best(r, setup_.top))
          places[first + static_cast<size_t>(r)]->push_back({classes.piece(id), log_p});
      }
    });
  }
  return results;
}

std::vector<std::string> Classifier::pieces(const ClassifierLine& line) const {
  std::vector<std::string> all;
  for (const int32_t token : line.ids) all.push_back(setup_.vocabularies.source->piece(token));
  return all;
}

}  // namespace attune
