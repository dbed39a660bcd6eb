#include "decode/generator.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/autograd.h"
#include "attune/error.h"
#include "base/patience.h"
#include "decode/search/sentence_search.h"
#include "decode/text_stream.h"

namespace attune {
Generator::Generator(Ensemble models, GeneratorSetup setup)
    : models_(std::move(models)), setup_(std::move(setup)), pieces_(*setup_.vocabulary) {
  setup_.search.alignment = false;
  setup_.search.coverage_penalty = 0;
  setup_.search.max_length_factor = 0;
  setup_.search.validate();
}

SearchWords Generator::words() const {
  SearchWords words{setup_.vocabulary->bos(), setup_.vocabulary->eos(), {setup_.vocabulary->unk()}};
  if (words.begin != words.end) words.suppressed.push_back(words.begin);
  return words;
}

Generator::Start Generator::start(const std::string& prompt) const {
  Start start{.source = {}, .beginning = {}, .choices = {}, .search = setup_.search, .longest = 0};
  const std::vector<int32_t> tokens = setup_.vocabulary->encode(prompt);
  if (setup_.answers) start.source = tokens;
  const auto count = static_cast<int64_t>(tokens.size()), written = setup_.answers ? 0 : count,
             room = models_.room(static_cast<int64_t>(start.source.size()));
  if (room <= written + (setup_.answers ? 0 : pieces_.most_more()))
    throw UsageError(fmt::format("the prompt has {} tokens, which leaves the model no room to write", count));
  if (!setup_.answers) {
    start.beginning = beginning_with(prompt, *setup_.vocabulary, pieces_, models_, {});
    start.choices = start.beginning.choices(pieces_);
  }
  start.search.max_length += written;
  start.longest = std::min(room, start.search.max_length);
  return start;
}

Generated Generator::stream(const std::string& prompt, uint64_t number, const Show& show) const {
  const NoGrad no_grad;
  Start start = this->start(prompt);
  start.search.beam_size = start.search.n_best = 1;
  const SearchWords special = words();
  EnsembleRun run(models_, one_sentence(start.source), {});
  std::vector<int32_t> first{special.begin};
  first.insert(first.end(), start.beginning.tokens.begin(), start.beginning.tokens.end());
  EnsembleRun::Step step = run.step(one_sentence(first));

  TextStream text(*setup_.vocabulary, beginning(prompt), setup_.stops);
  Generated result{.text = beginning(prompt), .hypothesis = {}};
  Hypothesis& output = result.hypothesis;
  const auto hand_over = [&](const std::string& part) {
    result.text += part;
    return part.empty() || show(part);
  };
  HypothesisTree written;
  auto last = HypothesisTree::kRoot;
  int64_t row = 0;
  const auto take = [&](int32_t word) {
    output.words.push_back(word);
    output.word_scores.push_back(step.words.log_p(row, word));
    output.score += output.word_scores.back();
    return hand_over(text.add(word));
  };
  for (const int32_t word : start.beginning.tokens) {
    take(word);
    last = written.add(last, word, output.word_scores.back());
    ++row;
  }
  const auto search = (start.search.sampling ? make_sampler : make_beam)(
      start.search, special, {start.longest, number, start.choices}, std::move(written), last);
  for (;;) {
    Patience::check();
    const auto next = search->advance({step.words, {}, row});
    if (next.empty()) break;
    if (!take(next[0].word) || text.stopped()) break;
    step = run.step(one_sentence({next[0].word}));
    row = 0;
  }
  if (const auto ended = search->results(); !ended.empty()) {
    if (ended[0].words.size() > output.words.size()) hand_over(text.add(ended[0].words.back()));
    output = ended[0];
  }
  hand_over(text.finish());
  result.stopped = text.stopped();
  return result;
}

std::vector<Generated> Generator::best(const std::string& prompt) const {
  const Start start = this->start(prompt);
  const SearchInput input{
      .source = one_sentence(start.source), .prefixes = {start.beginning.tokens}, .choices = {start.choices}};
  std::vector<Generated> results;
  auto outputs = search(models_, input, words(), start.search);
  for (Hypothesis& output : outputs[0]) {
    TextStream text(*setup_.vocabulary, beginning(prompt), setup_.stops);
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
  for (const int32_t word : output.hypothesis.words) all.push_back(setup_.vocabulary->piece(word));
  return all;
}

}  // namespace attune
