#include "train/data/guidance.h"

#include <fmt/core.h>

#include <array>
#include <iterator>

#include "attune/error.h"
#include "config/rules.h"

namespace attune {

Guidance::Guidance(const TrainConfig& config, const Corpus& corpus)
    : file_(config.guided_alignment), corpus_(corpus) {
  require(
      corpus.sources() == 1, "guided_alignment",
      "it is one file for one corpus, but train_sets names {} corpora; concatenate the files of each side",
      corpus.sources());
  const LineFile& first = *corpus.source(0).files[0];
  if (file_.lines() != first.lines())
    throw UsageError(fmt::format(
        "{} has {} lines, but {} has {}; line n of the alignments must belong to line n of the text",
        file_.path(), file_.lines(), first.path(), first.lines()));
  for (int64_t line = 0; line < file_.lines(); ++line) check_line(line);
}

std::vector<WordLink> Guidance::word_links(int64_t line) const {
  const std::string text = file_.line(line);
  std::vector<WordLink> links;
  for (const std::string_view part : blank_separated(text)) {
    const auto link = read_link(part);
    if (!link || !link->sure)
      throw UsageError(
          fmt::format("{}:{}: '{}' is not a link: write 3-4 for word 3 of the source and word 4 of "
                      "the target, counted from 0",
                      file_.path(), line + 1, part));
    links.push_back(*link);
  }
  return links;
}

void Guidance::check_line(int64_t line) const {
  const std::vector<std::string> columns = corpus_.line(line);
  const std::array counts{blank_separated(columns[0]).size(), blank_separated(columns[1]).size()};
  for (const WordLink& link : word_links(line))
    for (const auto& [word, column] : {std::pair{link.source, size_t{0}}, {link.target, size_t{1}}})
      if (static_cast<size_t>(word) >= counts[column])
        throw UsageError(
            fmt::format("{}:{}: {}-{} links word {}, but {} has {} words (counted from 0, separated by "
                        "spaces)",
                        file_.path(), line + 1, link.source, link.target, word, corpus_.where(line, column),
                        counts[column]));
}

std::vector<TokenLink> Guidance::links(const CorpusLine& line, const Vocabularies& vocabularies) const {
  const std::vector<int32_t> source = words_of_tokens(*vocabularies.source, line.columns[0]),
                             target = words_of_tokens(*vocabularies.target, line.columns[1]);
  std::vector<TokenLink> links;
  for (const WordLink& link : word_links(line.number))
    for (size_t t = 0; t < target.size(); ++t)
      for (size_t s = 0; s < source.size() && target[t] == link.target; ++s)
        if (source[s] == link.source) links.push_back({static_cast<int32_t>(s), static_cast<int32_t>(t)});
  return links;
}

std::unique_ptr<const Guidance> make_guidance(const TrainConfig& config, const Corpus& corpus) {
  if (config.guided_alignment.empty()) return nullptr;
  return std::make_unique<Guidance>(config, corpus);
}

Tensor link_matrix(const Examples& examples) {
  int64_t pairs = 0;
  for (const Example& example : examples)
    pairs += std::ssize(example.sides[0]) * std::ssize(example.sides[1]);
  Tensor matrix = Tensor::zeros({pairs});
  float* sentence = matrix.data<float>();
  for (const Example& example : examples) {
    const int64_t source = std::ssize(example.sides[0]), target = std::ssize(example.sides[1]);
    for (const TokenLink& link : example.links) sentence[link.target * source + link.source] = 1;
    sentence += source * target;
  }
  return matrix;
}

}  // namespace attune
