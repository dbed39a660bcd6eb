#include "serve/engine/stream_translation.h"

#include <algorithm>

#include "attune/autograd.h"
#include "attune/threads.h"
#include "decode/search/sentence_search.h"
#include "decode/text_stream.h"

namespace attune::serve {

void stream_translation(const ServedModel& model, const std::string& sentence,
                        const std::function<bool(const std::string&)>& show) {
  const NoGrad no_grad;
  const ThreadCount one(1);
  SearchOptions options = model.options();
  options.beam_size = 1;
  options.coverage_penalty = 0;
  options.sampling = false;
  const Vocabulary& target = *model.vocabularies().target;
  SearchWords words{target.bos(), target.eos(), {}};
  if (target.bos() != target.eos()) words.suppressed.push_back(target.bos());

  const Ensemble models(model.writer());
  const auto ids = model.plain().tokens(sentence);
  const auto count = static_cast<int64_t>(ids.size());
  const int64_t longest = std::min(models.room(count), options.longest(count));
  if (longest <= 0 || ids.empty()) return;
  const Ragged source{Tensor::of<int32_t>({count}, ids), Rows::uniform(1, count)};
  EnsembleRun run(models, source, {});
  const auto search = make_beam(options, words, {longest, 0}, HypothesisTree(), HypothesisTree::kRoot);
  TextStream text(target, "", {});
  size_t told = 0;
  for (int32_t next = words.begin;; ++told) {
    const auto step = run.step({Tensor::of<int32_t>({1}, {next}), Rows::uniform(1, 1)});
    const auto continuations = search->advance({step.words, {}, 0});
    if (continuations.empty()) break;
    next = continuations[0].word;
    if (!show(text.add(next))) return;
  }
  const Hypothesis output = search->results().at(0);
  std::string rest;
  if (told < output.words.size())
    rest = text.add(output.words.back());  // the last one that there was room for
  show(rest + text.finish());
}

}  // namespace attune::serve
