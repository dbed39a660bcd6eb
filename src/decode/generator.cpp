#include "decode/generator.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"

namespace attune {

Generator::Generator(std::shared_ptr<const TextModel> model, GeneratorOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  model_->writers();
  options_.search.alignment = false;
  options_.search.coverage_penalty = 0;
  options_.search.max_length_factor = 0;
  options_.search.validate();
}

SearchWords Generator::words() const {
  SearchWords words{vocabulary().bos(), vocabulary().eos(), {vocabulary().unk()}};
  if (words.begin != words.end) words.suppressed.push_back(words.begin);
  return words;
}

Generator::Start Generator::start(const std::string& prompt) const {
  const PieceTexts& pieces = model_->pieces();
  const std::vector<int32_t> tokens = vocabulary().encode(prompt);
  const std::vector<int32_t> source = answers() ? tokens : std::vector<int32_t>();
  Start start{.input = {.source = one_sentence(source)}, .search = options_.search};
  const auto count = std::ssize(tokens), written = answers() ? 0 : count;
  if (model_->writers().room(std::ssize(source)) <= written + (answers() ? 0 : pieces.most_more()))
    throw UsageError(fmt::format("the prompt has {} tokens, which leaves the model no room to write", count));
  if (answers()) return start;
  Beginning beginning = beginning_with(prompt, vocabulary(), pieces, model_->writers(), one_sentence({}));
  start.search.max_length += std::max(written, std::ssize(beginning.tokens));
  start.input.choices = {beginning.choices(pieces)};
  start.input.prefixes = {std::move(beginning.tokens)};
  return start;
}

Generated Generator::stream(const std::string& prompt, uint64_t number, const ShowText& show) const {
  Start start = this->start(prompt);
  start.search.beam_size = start.search.n_best = 1;
  start.input.numbers = {number};
  TextStream text(vocabulary(), beginning(prompt), options_.stops);
  Generated result{.text = beginning(prompt), .hypothesis = {}};
  result.hypothesis = stream_search(model_->writers(), start.input, words(), start.search, text,
                                    [&](const std::string& part) {
                                      result.text += part;
                                      return show(part);
                                    });
  result.stopped = text.stopped();
  return result;
}

std::vector<Generated> Generator::best(const std::string& prompt) const {
  const Start start = this->start(prompt);
  std::vector<Generated> results;
  auto outputs = search(model_->writers(), start.input, words(), start.search);
  for (Hypothesis& output : outputs[0]) {
    TextStream text(vocabulary(), beginning(prompt), options_.stops);
    Generated result{.text = beginning(prompt), .hypothesis = {}};
    for (const int32_t word : output.words) result.text += text.add(word);
    result.text += text.finish();
    result.stopped = text.stopped();
    result.hypothesis = std::move(output);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<std::string> Generator::pieces(const Generated& output) const {
  std::vector<std::string> all;
  for (const int32_t word : output.hypothesis.words) all.push_back(vocabulary().piece(word));
  return all;
}

}  // namespace attune
