#include "serve/stream_words.h"

#include <algorithm>
#include <utility>

#include "attune/autograd.h"
#include "attune/threads.h"
#include "decode/sentence_search.h"

namespace attune::serve {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

SearchOptions search_options(const ServedModel& model, const StreamOptions& options) {
  SearchOptions search = model.options();
  search.beam_size = search.n_best = 1;
  search.coverage_penalty = 0;
  search.sampling = options.temperature > 0;
  if (search.sampling) search.temperature = options.temperature;
  search.top_p = options.top_p;
  search.seed = options.seed;
  if (options.most_words > 0) {
    search.max_length = options.most_words;
    search.max_length_factor = 0;
  }
  search.validate();
  return search;
}

}  // namespace

bool stream_words(const ServedModel& model, const std::string& text, const StreamOptions& options,
                  const std::function<bool(int32_t)>& word) {
  const NoGrad no_grad;
  const ThreadCount one(1);
  const SearchOptions search = search_options(model, options);
  const Vocabulary& target = *model.vocabularies().target;
  SearchWords words{target.bos(), target.eos(), {}};
  if (target.bos() != target.eos()) words.suppressed.push_back(target.bos());

  const Ensemble models(model.writer());
  const auto ids = model.plain().tokens(text);
  const auto count = static_cast<int64_t>(ids.size());
  const int64_t longest = std::min(models.room(count), search.longest(count));
  if (longest <= 0 || (ids.empty() && model.translates())) return true;
  const Ragged source{Tensor::of<int32_t>({count}, ids), Rows(std::vector<int64_t>{count})};
  EnsembleRun run(models, source, std::nullopt);
  const auto make = search.sampling ? make_sampler : make_beam;
  const auto sentence = make(search, words, {longest, 0}, HypothesisTree(), HypothesisTree::kRoot);
  size_t told = 0;
  for (int32_t next = words.begin;; ++told) {
    const auto step = run.step({Tensor::of<int32_t>({1}, {next}), Rows::uniform(1, 1)});
    const auto continuations = sentence->advance({step.words, {}, 0});
    if (continuations.empty()) break;
    next = continuations[0].word;
    if (!word(next)) return false;
  }
  const Hypothesis output = sentence->results().at(0);
  if (told < output.words.size()) word(output.words.back());  // the last one that there was room for
  return output.ended;
}

std::string GrowingText::add(int32_t word) {
  words_.push_back(word);
  const std::string all = vocabulary_.decode(words_);
  if (all.ends_with(kReplacement) || all.size() < shown_) return "";
  const size_t before = std::exchange(shown_, all.size());
  return all.substr(before);
}

std::string GrowingText::rest() const { return vocabulary_.decode(words_).substr(shown_); }

}  // namespace attune::serve
