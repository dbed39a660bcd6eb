#include "decode/search/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "attune/autograd.h"
#include "attune/error.h"
#include "attune/patience.h"
#include "base/threads/parallel.h"
#include "decode/search/sentence_search.h"

namespace attune {
namespace {

using Lists = std::vector<std::vector<int32_t>>;

template <class... Args>
void require_input(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw UsageError("search: " + fmt::format(text, std::forward<Args>(args)...));
}

void check_words(const SearchWords& words, int64_t count) {
  const auto known = [&](int32_t id) { return id >= 0 && id < count; };
  require_input(known(words.begin) && known(words.end),
                "<s> and </s> have the ids {} and {}, but the model has {} words", words.begin, words.end,
                count);
  for (const int32_t id : words.suppressed) {
    require_input(known(id), "word {} cannot be suppressed: the model has {} words", id, count);
    require_input(id != words.end, "</s> cannot be suppressed: outputs would never end");
  }
}

// As many prefixes as sentences, each shorter than its output may be.
void check_prefixes(const Lists& prefixes, const std::vector<int64_t>& longest, const SearchWords& words,
                    int64_t count) {
  for (size_t s = 0; s < prefixes.size(); ++s) {
    const auto length = static_cast<int64_t>(prefixes[s].size());
    require_input(length < longest[s],
                  "the prefix of sentence {} has {} words, which leaves no room in an output of at most {} "
                  "(max_length, max_length_factor, or the limit of the model)",
                  s + 1, length, longest[s]);
    for (const int32_t id : prefixes[s])
      require_input(id >= 0 && id < count && id != words.end,
                    "the prefix of sentence {} has the id {}, which cannot be part of an output", s + 1, id);
  }
}

// The words that each sentence may write, including those that it has to be able to write.
std::optional<WordLists> word_lists(const Lists& allowed, const Lists& prefixes, const SearchWords& words,
                                    int64_t count) {
  if (allowed.empty()) return std::nullopt;
  require_input(allowed.size() == prefixes.size(), "there are {} lists of words, but {} sentences",
                allowed.size(), prefixes.size());
  Lists lists = allowed;
  for (size_t s = 0; s < lists.size(); ++s) {
    require_input(std::ranges::all_of(lists[s], [&](int32_t id) { return id >= 0 && id < count; }),
                  "the list of sentence {} has a word that the model does not know", s + 1);
    lists[s].insert(lists[s].end(), prefixes[s].begin(), prefixes[s].end());
    lists[s].push_back(words.end);
    std::ranges::sort(lists[s]);
    lists[s].erase(std::unique(lists[s].begin(), lists[s].end()), lists[s].end());
  }
  return WordLists(std::move(lists));
}

// An unfinished sentence, and its first hypothesis: in the models' state, and in the step's rows.
struct Live {
  SentenceSearch* search;
  int64_t hypothesis, row;
};

// The hypotheses of the next step: the index that each continues in the state, and by which word.
struct Next {
  std::vector<Live> live;
  std::vector<int64_t> hypotheses;
  std::vector<int32_t> words;
};

Next next_step(const std::vector<Live>& live, const EnsembleRun::Step& step) {
  std::vector<std::vector<Continuation>> continuations(live.size());
  parallel_for(static_cast<int64_t>(live.size()), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      continuations[i] = live[i].search->advance({step.words, step.attention, live[i].row});
  });
  Next next;
  for (size_t i = 0; i < live.size(); ++i) {
    if (continuations[i].empty()) continue;
    const auto first = static_cast<int64_t>(next.words.size());
    next.live.push_back({live[i].search, first, first});
    for (const auto& [of, word] : continuations[i]) {
      next.hypotheses.push_back(live[i].hypothesis + of);
      next.words.push_back(word);
    }
  }
  return next;
}

// Reports the words of a single hypothesis to its follower.
class Following {
 public:
  explicit Following(const SearchWatch& watch) : follow_(watch.follow) {}

  bool goes_on() const { return goes_on_; }

  void tell(std::span<const int32_t> words) {
    if (!follow_) return;
    for (auto word = words.begin(); word != words.end() && goes_on_; ++word, ++told_)
      goes_on_ = follow_(*word);
  }
  // The word at which an output was cut has not been reported: nothing continues it.
  void tell_rest(const Hypothesis& output) {
    if (goes_on_) tell(std::span(output.words).subspan(told_));
  }

 private:
  const std::function<bool(int32_t)>& follow_;
  size_t told_ = 0;
  bool goes_on_ = true;
};

// 0, 1, .., count - 1
bool is_identity(const std::vector<int64_t>& numbers, int64_t count) {
  if (static_cast<int64_t>(numbers.size()) != count) return false;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<int64_t>(i)) return false;
  return true;
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(const Ensemble& models, const SearchInput& input,
                                            const SearchWords& words, const SearchOptions& options,
                                            const SearchWatch& watch) {
  const NoGrad no_grad;
  const auto sentences = static_cast<size_t>(input.source.rows.count());
  const Lists prefixes = input.prefixes.empty() ? Lists(sentences) : input.prefixes;
  require_input(prefixes.size() == sentences, "there are {} prefixes, but {} sentences", prefixes.size(),
                sentences);
  require_input(input.numbers.empty() || input.numbers.size() == sentences,
                "there are {} numbers, but {} sentences", input.numbers.size(), sentences);
  require_input(input.choices.empty() || input.choices.size() == sentences,
                "there are {} lists of choices, but {} sentences", input.choices.size(), sentences);
  std::vector<int64_t> longest;
  for (int64_t s = 0; s < input.source.rows.count(); ++s) {
    const int64_t length = input.source.rows.length(s), room = models.room(length);
    require_input(room > 0, "sentence {} has {} words, which leaves the model no room to write", s + 1,
                  length);
    longest.push_back(std::min(room, options.longest(length)));
  }
  options.validate();
  check_words(words, models.words());
  check_prefixes(prefixes, longest, words, models.words());
  require_input(!watch.follow ||
                    (sentences == 1 && options.n_best == 1 && (options.sampling || options.beam_size == 1)),
                "only one hypothesis of one sentence can be followed");
  if (sentences == 0) return {};

  EnsembleRun run(models, input.source,
                  options.needs_attention()
                      ? std::optional(AttentionChoice{options.attention_layer, options.attention_head})
                      : std::nullopt,
                  word_lists(input.allowed, prefixes, words, models.words()));
  Lists first(sentences, {words.begin});
  for (size_t s = 0; s < sentences; ++s)
    first[s].insert(first[s].end(), prefixes[s].begin(), prefixes[s].end());
  EnsembleRun::Step step = run.step(ragged(first));

  std::vector<std::unique_ptr<SentenceSearch>> searches;
  std::vector<Live> live;
  int64_t row = 0, hypotheses = 0;
  for (size_t s = 0; s < sentences; ++s, ++row) {
    HypothesisTree written;
    auto last = HypothesisTree::kRoot;
    for (const int32_t id : prefixes[s]) {
      if (!step.attention.empty()) written.set_attention(last, step.attention[static_cast<size_t>(row)]);
      last = written.add(last, id, step.words.log_p(row++, id));
    }
    const SentenceLimits limits{longest[s], input.numbers.empty() ? s : input.numbers[s],
                                input.choices.empty() ? std::span<const int32_t>() : input.choices[s]};
    const auto make = options.sampling ? make_sampler : make_beam;
    searches.push_back(make(options, words, limits, std::move(written), last));
    if (watch.traces != nullptr) searches.back()->keep_candidates(watch.candidates);
    live.push_back({searches.back().get(), hypotheses++, row});
  }

  Following following(watch);
  following.tell(prefixes[0]);
  while (following.goes_on()) {
    Next next = next_step(live, step);
    following.tell(next.words);
    if (next.live.empty() || !following.goes_on()) break;
    Patience::check();
    if (!is_identity(next.hypotheses, hypotheses)) run.select(next.hypotheses);
    hypotheses = static_cast<int64_t>(next.words.size());
    step = run.step(one_token_each(next.words));
    live = std::move(next.live);
  }
  if (!following.goes_on()) searches[0]->cut();

  std::vector<std::vector<Hypothesis>> results;
  for (const auto& sentence : searches) {
    results.push_back(sentence->results());
    if (watch.traces != nullptr) watch.traces->push_back(sentence->trace());
  }
  if (watch.follow) following.tell_rest(results[0].at(0));
  return results;
}

}  // namespace attune
