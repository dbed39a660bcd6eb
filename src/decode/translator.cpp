#include "decode/translator.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "attune/autograd.h"
#include "decode/length_batches.h"
#include "models/read_tokens.h"
#include "text/utf8.h"

namespace attune {
namespace {

// Outputs at a time: more is not faster, but each needs memory for its keys, values and logits.
constexpr int64_t kMostHypotheses = 32;

// The text of each token, including unknown ones. A token that stands for the target language has none.
std::vector<std::string> token_texts(const Vocabulary& vocabulary, const std::string& text) {
  const std::vector<size_t> begins = vocabulary.begins(text);
  const bool first_is_language = !begins.empty() && begins[0] == Vocabulary::kNotInText;
  std::vector<std::string> tokens;
  if (!vocabulary.is_listed() || vocabulary.kind() == VocabularyKind::byte) {
    tokens = vocabulary.pieces(text);
    if (first_is_language) tokens[0].clear();
    return tokens;
  }
  if (first_is_language) tokens.emplace_back();
  bool inside = false;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const bool blank = is_white_space(c->value);
    if (vocabulary.kind() == VocabularyKind::character || (!blank && !inside))
      tokens.emplace_back(c->bytes);
    else if (!blank)
      tokens.back() += c->bytes;
    inside = !blank;
  }
  return tokens;
}

std::vector<std::string> pieces_of(std::span<const int32_t> tokens, const Vocabulary& vocabulary) {
  std::vector<std::string> pieces;
  for (const int32_t token : tokens) pieces.push_back(vocabulary.piece(token));
  return pieces;
}

// Instead of a shortlist: spelling a prefix may take any word.
std::vector<int32_t> all_words(const Vocabulary& vocabulary) {
  std::vector<int32_t> words(static_cast<size_t>(vocabulary.size()));
  std::iota(words.begin(), words.end(), 0);
  return words;
}

}  // namespace

Translator::Translator(std::shared_ptr<const TextModel> model, TranslatorOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  model_->writers();
  SearchOptions& search = options_.search;
  if (model_->longest() > 0) search.max_length = std::min(search.max_length, model_->longest());
  search.validate();
}

SearchWords Translator::search_words() const {
  const Vocabulary& target = *vocabularies().target;
  SearchWords words{target.bos(), target.eos(), {}};
  if (target.bos() != target.eos()) words.suppressed.push_back(target.bos());
  if (options_.search.unk == UnknownWords::suppress) words.suppressed.push_back(target.unk());
  return words;
}

std::vector<int32_t> Translator::tokens(const std::string& text) const {
  return model_->task().source(vocabularies(), text);
}

bool Translator::has_room(const TranslatorInput& input) const {
  const Vocabulary& target = *vocabularies().target;
  const auto length = static_cast<int64_t>(tokens(input).size()),
             prefix = static_cast<int64_t>(target.encode(input.prefix).size());
  if (prefix == 0) return true;
  return prefix + model_->pieces().most_more() <
         std::min(model_->writers().room(length), options_.search.longest(length));
}

// Everything except the source, whose tokens the batch holds in one tensor.
void Translator::add_sentence(const TranslatorInput& input, const std::vector<int32_t>& source,
                              SearchInput& batch) const {
  const Vocabulary& target = *vocabularies().target;
  batch.numbers.push_back(input.number);
  Beginning begin;
  if (!input.prefix.empty())
    begin = beginning_with(input.prefix, target, model_->pieces(), model_->writers(),
                           read_tokens(*vocabularies().source, {source}));
  batch.choices.push_back(begin.choices(model_->pieces()));
  if (options_.shortlist)
    batch.allowed.push_back(begin.rest.empty() ? options_.shortlist->words(source) : all_words(target));
  batch.prefixes.push_back(std::move(begin.tokens));
}

std::vector<std::vector<Hypothesis>> Translator::search(std::span<const TranslatorInput> inputs) const {
  const NoGrad no_grad;
  std::vector<std::vector<int32_t>> sources;
  std::vector<int64_t> lengths;
  for (const TranslatorInput& input : inputs) {
    sources.push_back(tokens(input));
    lengths.push_back(static_cast<int64_t>(sources.back().size()));
  }
  std::vector<std::vector<Hypothesis>> results(inputs.size(), {Hypothesis{}});
  const SearchWords words = search_words();
  const auto most = static_cast<size_t>(std::max<int64_t>(1, kMostHypotheses / options_.search.beam_size));
  for (const auto& batch : length_batches(lengths, options_.mini_batch_words, most)) {
    SearchInput input;
    std::vector<std::vector<int32_t>> read;
    for (const size_t i : batch) {
      add_sentence(inputs[i], sources[i], input);
      read.push_back(std::move(sources[i]));
    }
    input.source = read_tokens(*vocabularies().source, read);
    auto outputs = attune::search(model_->writers(), input, words, options_.search);
    for (size_t i = 0; i < batch.size(); ++i) results[batch[i]] = std::move(outputs[i]);
  }
  return results;
}

SearchInput Translator::alone(const TranslatorInput& input, const std::vector<int32_t>& source) const {
  SearchInput one{.source = read_tokens(*vocabularies().source, {source})};
  add_sentence(input, source, one);
  return one;
}

std::vector<Hypothesis> Translator::search(const TranslatorInput& input, int64_t candidates,
                                           SearchTrace& trace) const {
  const NoGrad no_grad;
  std::vector<SearchTrace> traces;
  auto found = attune::search(model_->writers(), alone(input, tokens(input)), search_words(), options_.search,
                              {.traces = &traces, .candidates = candidates});
  trace = std::move(traces[0]);
  return std::move(found[0]);
}

void Translator::stream(const TranslatorInput& input, const ShowText& show) const {
  const NoGrad no_grad;
  SearchOptions greedy = options_.search;
  greedy.beam_size = greedy.n_best = 1;
  greedy.sampling = greedy.alignment = false;
  greedy.coverage_penalty = 0;
  const auto source = tokens(input);
  if (source.empty() || model_->writers().room(static_cast<int64_t>(source.size())) <= 0) return;
  TextStream text(*vocabularies().target, input.prefix, {});
  stream_search(model_->writers(), alone(input, source), search_words(), greedy, text, show);
}

std::vector<std::string> Translator::translate(std::span<const std::string> texts) const {
  std::vector<TranslatorInput> inputs;
  for (const std::string& text : texts) inputs.push_back({.text = text, .number = inputs.size()});
  std::vector<std::string> outputs;
  const auto found = search(inputs);
  for (size_t i = 0; i < texts.size(); ++i) outputs.push_back(text(found[i][0], inputs[i]));
  return outputs;
}

std::string Translator::text(const Hypothesis& hypothesis, const TranslatorInput& input) const {
  const Vocabulary& target = *vocabularies().target;
  if (input.prefix.empty()) return decoded(hypothesis, input.text, 0);
  const std::string all = decoded(hypothesis, input.text, target.encode(input.prefix).size());
  return input.prefix + all.substr(ForcedBeginning(input.prefix, target).length_in(all).value_or(0));
}

// The text of the words. Unknown ones are copied from the source if requested, except among the `forced`
// first words.
std::string Translator::decoded(const Hypothesis& hypothesis, const std::string& source,
                                size_t forced) const {
  const Vocabulary& target = *vocabularies().target;
  if (options_.search.unk != UnknownWords::copy || hypothesis.alignment.empty())
    return target.decode(hypothesis.words);
  const std::vector<std::string> sources = token_texts(*vocabularies().source, source);
  std::string all;
  std::vector<int32_t> known;
  const auto add = [&](const std::string& text) {
    if (!all.empty() && !text.empty() && target.kind() == VocabularyKind::word) all += ' ';
    all += text;
  };
  for (size_t i = 0; i < hypothesis.words.size(); ++i) {
    const auto& weights = hypothesis.alignment[i];
    const auto most = static_cast<size_t>(std::ranges::max_element(weights) - weights.begin());
    if (hypothesis.words[i] != target.unk() || most >= sources.size() || i < forced) {
      known.push_back(hypothesis.words[i]);
      continue;
    }
    add(target.decode(std::exchange(known, {})));
    add(sources[most]);
  }
  add(target.decode(known));
  return all;
}

std::vector<std::string> Translator::pieces(const Hypothesis& hypothesis) const {
  return pieces_of(hypothesis.words, *vocabularies().target);
}

std::vector<std::string> Translator::source_pieces(const TranslatorInput& input) const {
  return pieces_of(tokens(input), *vocabularies().source);
}

}  // namespace attune
