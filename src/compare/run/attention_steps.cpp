#include "compare/run/attention_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "attune/autograd.h"
#include "compare/text_units.h"
#include "decode/search/cross_lens.h"
#include "metrics/alignment_error.h"
#include "models/read_tokens.h"

namespace attune::compare {
namespace {

using Weights = std::vector<std::vector<float>>;

// The model's attention while it is made to write `target`; source with </s>, target without.
CrossLens forced(const ModelFolder& folder, const std::vector<int32_t>& source,
                 const std::vector<int32_t>& target) {
  const NoGrad no_grad;
  std::vector<int32_t> given{folder.vocabularies().target->bos()};
  given.insert(given.end(), target.begin(), target.end() - 1);
  CrossLens lens;
  Pass pass(&lens);
  folder.files().model->features({.source = read_tokens(*folder.vocabularies().source, {source}),
                                  .given = one_sentence(given),
                                  .segments = {},
                                  .expected = {}},
                                 pass);
  return lens;
}

// The end-of-sentence token is shown as one character, to save room.
std::vector<std::string> labels(const Vocabulary& vocabulary, const std::vector<int32_t>& ids) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(id == vocabulary.eos() ? "⏎" : vocabulary.piece(id));
  return pieces;
}

}  // namespace

Look look(const ModelFolder& folder, const SearchOptions& search, const std::string& sentence) {
  const Translator translator = folder.translator({.search = search});
  const TranslatorInput input{.text = sentence};
  const Hypothesis best = translator.search({&input, 1})[0][0];
  const std::vector<int32_t> source = translator.tokens(sentence);
  Look look{translator.text(best, input),
            labels(*folder.vocabularies().source, source),
            labels(*folder.vocabularies().target, best.words),
            {}};
  if (source.empty() || best.words.empty()) return look;
  const CrossLens lens = forced(folder, source, best.words);
  if (!lens.empty()) look.weights = lens.mean_of_heads(search.attention_layer);
  return look;
}

std::string links_of(const Weights& weights, const std::vector<int64_t>& source_units,
                     const std::vector<int64_t>& target_units) {
  std::map<int64_t, std::map<int64_t, double>> mass;  // attention of target units to source units
  for (size_t j = 0; j < target_units.size(); ++j)
    for (size_t i = 0; i < source_units.size(); ++i)
      if (target_units[j] >= 0 && source_units[i] >= 0)
        mass[target_units[j]][source_units[i]] += weights[j][i];
  std::string links;
  for (const auto& [target, sources] : mass) {
    const auto most = std::ranges::max_element(sources, {}, [](const auto& pair) { return pair.second; });
    links += fmt::format("{}{}-{}", links.empty() ? "" : " ", most->first, target);
  }
  return links;
}

std::vector<Alignment> align(const ModelFolder& folder, const SearchOptions& search, const GoldSet& gold) {
  const metrics::AlignmentError metric;
  std::map<std::pair<int64_t, int>, metrics::Statistics> heads;  // by layer and head
  metrics::Statistics mean;
  int64_t mean_layer = 0;
  const auto& [source_words, target_words] = folder.vocabularies();
  for (size_t s = 0; s < gold.sources.size(); ++s) {
    TextUnitTokens source = unit_tokens(*source_words, gold.sources[s], gold.unit);
    const TextUnitTokens target = unit_tokens(*target_words, gold.targets[s], gold.unit);
    source.ids.push_back(source_words->eos());
    const CrossLens lens = forced(folder, source.ids, target.ids);
    if (lens.empty()) return {};
    const auto add = [&](metrics::Statistics& to, const Weights& weights) {
      const auto one = metric.statistics(links_of(weights, source.units, target.units), {&gold.links[s], 1});
      to.resize(one.size());
      for (size_t i = 0; i < one.size(); ++i) to[i] += one[i];
    };
    for (int64_t layer = 0; layer < lens.layers(); ++layer)
      for (int head = 0; head < lens.heads(layer); ++head)
        add(heads[{layer, head}], lens.of_head(layer, head));
    add(mean, lens.mean_of_heads(search.attention_layer));
    mean_layer = lens.nearest(search.attention_layer);
  }
  const auto alignment = [&](std::string way, const metrics::Statistics& totals) {
    const metrics::Parts parts = metric.parts(totals);
    return Alignment{std::move(way), metric.value(totals), parts.at(0).second, parts.at(1).second};
  };
  const auto best =
      std::ranges::min_element(heads, {}, [&](const auto& head) { return metric.value(head.second); });
  if (heads.size() == 1) return {alignment("attention", best->second)};
  return {
      alignment(fmt::format("best head: layer {}, head {}", best->first.first + 1, best->first.second + 1),
                best->second),
      alignment(fmt::format("mean of the heads of layer {}", mean_layer + 1), mean)};
}

}  // namespace attune::compare
