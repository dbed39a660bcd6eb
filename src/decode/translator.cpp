#include "decode/translator.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "attune/autograd.h"
#include "text/utf8.h"

namespace attune {
namespace {

// The text of each token, also of those that the vocabulary does not know.
std::vector<std::string> token_texts(const Vocabulary& vocabulary, const std::string& text) {
  if (vocabulary.kind() != VocabularyKind::word && vocabulary.kind() != VocabularyKind::character)
    return vocabulary.pieces(text);
  std::vector<std::string> tokens;
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

}  // namespace

Translator::Translator(Ensemble models, TranslatorSetup setup)
    : models_(std::move(models)), setup_(std::move(setup)) {
  if (setup_.longest > 0) setup_.search.max_length = std::min(setup_.search.max_length, setup_.longest);
  setup_.search.validate();
}

std::vector<int32_t> Translator::tokens(const std::string& text) const {
  auto ids = setup_.vocabularies.source->encode(text);
  if (setup_.task == TaskKind::translate && !ids.empty()) ids.push_back(setup_.vocabularies.source->eos());
  return ids;
}

std::vector<std::vector<Hypothesis>> Translator::search(std::span<const std::string> texts,
                                                        std::span<const uint64_t> numbers) const {
  const NoGrad no_grad;
  std::vector<std::vector<int32_t>> sources;
  for (const std::string& text : texts) sources.push_back(tokens(text));
  std::vector<size_t> order(texts.size());  // by length, those without tokens left out
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](size_t i) { return sources[i].empty(); });
  std::ranges::stable_sort(order, {}, [&](size_t i) { return sources[i].size(); });

  std::vector<std::vector<Hypothesis>> results(texts.size(), {Hypothesis{}});
  const Vocabulary& target = *setup_.vocabularies.target;
  SearchWords words{target.bos(), target.eos(), {}};
  if (target.bos() != target.eos()) words.suppressed.push_back(target.bos());
  if (setup_.unknown == UnknownWords::suppress) words.suppressed.push_back(target.unk());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    SearchInput input;
    std::vector<int32_t> ids;
    std::vector<int64_t> lengths;
    for (; end < order.size(); ++end) {
      const auto& source = sources[order[end]];
      const bool full = static_cast<int64_t>(ids.size() + source.size()) > setup_.mini_batch_words;
      if (full && end > begin) break;
      ids.insert(ids.end(), source.begin(), source.end());
      lengths.push_back(static_cast<int64_t>(source.size()));
      if (setup_.shortlist) input.allowed.push_back(setup_.shortlist->words(source));
      input.numbers.push_back(numbers.empty() ? order[end] : numbers[order[end]]);
    }
    input.source = {Tensor::of<int32_t>({static_cast<int64_t>(ids.size())}, ids), Rows(lengths)};
    auto outputs = attune::search(models_, input, words, setup_.search);
    for (size_t i = begin; i < end; ++i) results[order[i]] = std::move(outputs[i - begin]);
  }
  return results;
}

std::vector<std::string> Translator::translate(std::span<const std::string> texts) const {
  std::vector<std::string> outputs;
  const auto found = search(texts);
  for (size_t i = 0; i < texts.size(); ++i) outputs.push_back(text(found[i][0], texts[i]));
  return outputs;
}

std::string Translator::text(const Hypothesis& hypothesis, const std::string& source) const {
  const Vocabulary& target = *setup_.vocabularies.target;
  if (setup_.unknown != UnknownWords::copy || hypothesis.alignment.empty())
    return target.decode(hypothesis.words);
  const std::vector<std::string> sources = token_texts(*setup_.vocabularies.source, source);
  std::string all;
  std::vector<int32_t> known;
  const auto add = [&](const std::string& text) {
    if (!all.empty() && !text.empty() && target.kind() != VocabularyKind::character) all += ' ';
    all += text;
  };
  for (size_t i = 0; i < hypothesis.words.size(); ++i) {
    const auto& weights = hypothesis.alignment[i];
    const auto most = static_cast<size_t>(std::ranges::max_element(weights) - weights.begin());
    if (hypothesis.words[i] != target.unk() || most >= sources.size()) {
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
  std::vector<std::string> all;
  for (const int32_t word : hypothesis.words) all.push_back(setup_.vocabularies.target->piece(word));
  return all;
}

}  // namespace attune
