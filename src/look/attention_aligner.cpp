#include "look/attention_aligner.h"

#include <algorithm>
#include <utility>

#include "text/word_links.h"

namespace attune {
namespace {

using WordWeights = std::vector<std::vector<float>>;

LikeliestWords likeliest(const WordWeights& weights, size_t sources) {
  LikeliestWords words{std::vector<int32_t>(weights.size(), -1), std::vector<int32_t>(sources, -1)};
  std::vector<float> of_target(weights.size()), of_source(sources);
  for (size_t t = 0; t < weights.size(); ++t)
    for (size_t s = 0; s < sources; ++s) {
      const float weight = weights[t][s];
      if (weight > of_target[t]) words.of_targets[t] = static_cast<int32_t>(s), of_target[t] = weight;
      if (weight > of_source[s]) words.of_sources[s] = static_cast<int32_t>(t), of_source[s] = weight;
    }
  return words;
}

}  // namespace

WordWeights attention_of_words(std::span<const std::vector<float>> weights,
                               std::span<const int32_t> source_word_of,
                               std::span<const int32_t> target_word_of, size_t sources, size_t targets) {
  WordWeights words(targets, std::vector<float>(sources));
  std::vector<float> tokens(targets);  // of each target word
  for (size_t t = 0; t < std::min(weights.size(), target_word_of.size()); ++t) {
    if (target_word_of[t] < 0) continue;
    const auto target = static_cast<size_t>(target_word_of[t]);
    ++tokens[target];
    for (size_t s = 0; s < std::min(weights[t].size(), source_word_of.size()); ++s)
      if (source_word_of[s] >= 0) words[target][static_cast<size_t>(source_word_of[s])] += weights[t][s];
  }
  for (size_t t = 0; t < targets; ++t)
    for (float& weight : words[t]) weight /= std::max(tokens[t], 1.0F);
  return words;
}

AttentionAligner::AttentionAligner(AttentionProbe probe, Vocabularies vocabularies,
                                   const view::AttentionChoice& choice)
    : probe_(std::move(probe)), vocabularies_(std::move(vocabularies)), choice_(choice) {
  choice_.kind = view::AttentionKind::cross;
}

LikeliestWords AttentionAligner::align(const std::string& source,
                                       const std::optional<std::string>& target) const {
  // What the model writes is read again, so that its tokens are those of its text.
  const std::string text = target ? *target : probe_.look(source).target;
  const size_t sources = blank_separated(source).size(), targets = blank_separated(text).size();
  const view::AttentionMatrix seen = choose(probe_.look(source, text), choice_);
  return likeliest(attention_of_words(seen.weights, words_of_tokens(*vocabularies_.source, source),
                                      words_of_tokens(*vocabularies_.target, text), sources, targets),
                   sources);
}

}  // namespace attune
