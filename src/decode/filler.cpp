#include "decode/filler.h"

#include <fmt/core.h>

#include <algorithm>

#include "decode/length_batches.h"
#include "text/utf8.h"

namespace attune {

Filler::Filler(std::shared_ptr<const TextModel> model, const FillerOptions& options)
    : model_(std::move(model)),
      options_(options),
      mask_(vocabulary().required("[MASK]")),
      separator_(vocabulary().required("[SEP]")),
      blank_(vocabulary().is_listed() ? -1 : vocabulary().id("▁").value_or(-1)) {}

FillerLine Filler::line(int64_t number, std::span<const std::string> columns) const {
  if (std::ranges::all_of(columns, is_blank)) return {};
  const std::vector<TokenIds> sides = model_->task().question(model_->vocabularies(), columns);
  const TokenIds &ids = sides[0], &segments = sides[1];
  if (ids.empty()) refuse_line(number, "a column is blank");
  FillerLine line;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == blank_ && i + 1 < ids.size() && ids[i + 1] == mask_) continue;
    if (ids[i] == mask_) line.masks.push_back({line.ids.size(), ids[i - 1] == blank_});
    line.ids.push_back(ids[i]);
    line.segments.push_back(segments[i]);
  }
  if (line.masks.empty()) refuse_line(number, "it has no [MASK]");
  const auto length = static_cast<int64_t>(line.ids.size());
  if (model_->longest() > 0 && length > model_->longest())
    refuse_line(number,
                fmt::format("it has {} tokens, but the model reads at most {}", length, model_->longest()));
  return line;
}

std::vector<std::vector<Filler::Candidates>> Filler::candidates(std::span<const FillerLine> lines) const {
  std::vector<std::vector<Candidates>> results;
  std::vector<int64_t> lengths;
  for (const FillerLine& line : lines) {
    results.emplace_back(line.masks.size());
    lengths.push_back(line.masks.empty() ? 0 : static_cast<int64_t>(line.ids.size()));
  }
  for (const auto& numbers : length_batches(lengths, options_.mini_batch_words)) {
    Examples examples;
    size_t begin = 0;  // the row of a line's first token
    std::vector<int64_t> rows;
    std::vector<Candidates*> places;  // where the candidates of each row go
    for (const size_t i : numbers) {
      for (size_t m = 0; m < lines[i].masks.size(); ++m) {
        rows.push_back(static_cast<int64_t>(begin + lines[i].masks[m].at));
        places.push_back(&results[i][m]);
      }
      begin += lines[i].ids.size();
      examples.push_back({.sides = {lines[i].ids, lines[i].segments}});
    }
    const Batch batch = model_->task().batch(model_->vocabularies(), examples);
    for_answers(model_->models(), batch, rows, [&](const NextWords& words, size_t first) {
      for (int64_t r = 0; r < words.rows(); ++r) {
        for (int32_t symbol = 0; symbol <= mask_; ++symbol) words.forbid(r, symbol);
        *places[first + static_cast<size_t>(r)] = words.best(r, options_.top);
      }
    });
  }
  return results;
}

FillerLine Filler::filled(const FillerLine& line, size_t mask, int32_t token) const {
  FillerLine result = line;
  result.ids[line.masks[mask].at] = token;
  result.masks.erase(result.masks.begin() + static_cast<std::ptrdiff_t>(mask));
  return result;
}

void Filler::fill_together(std::span<FillerLine> lines) const {
  const auto has_mask = [](const FillerLine& line) { return !line.masks.empty(); };
  while (std::ranges::any_of(lines, has_mask)) {
    const auto found = candidates(lines);
    for (size_t i = 0; i < lines.size(); ++i)
      if (has_mask(lines[i])) lines[i] = filled(lines[i], 0, found[i][0][0].id);
  }
}

std::string Filler::text(const FillerLine& line) const {
  std::string all;
  TokenIds part;
  for (size_t i = 1; i < line.ids.size(); ++i) {  // after [CLS]
    if (line.ids[i] == separator_) {
      all.append(all.empty() ? "" : "\t").append(vocabulary().decode(part));
      part.clear();
      continue;
    }
    const auto mask = std::ranges::find(line.masks, i, &FillerLine::Mask::at);
    if (mask != line.masks.end() && mask->blank) part.push_back(blank_);
    part.push_back(line.ids[i]);
  }
  return all;
}

}  // namespace attune
