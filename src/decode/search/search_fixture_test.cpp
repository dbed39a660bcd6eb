#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "decode/search/search_fixture.h"

namespace attune::testing {
namespace {

struct LastLens final : Lens {  // the attention of the last token, of every layer, averaged over heads
  std::vector<std::vector<float>> layers;

  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override {
    if (name.kind != AttentionName::cross) return;
    const auto all = weights.to(DType::f64);
    const int64_t n = queries.length(0), m = keys.length(0);
    std::vector<float> row(static_cast<size_t>(m));
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t j = 0; j < m; ++j)
        row[static_cast<size_t>(j)] +=
            static_cast<float>(all.data<double>()[(h * n + n - 1) * m + j]) / static_cast<float>(heads);
    layers.push_back(row);
  }
};

bool repeats(const Ids& written, int32_t word, int64_t n) {
  Ids all = written;
  all.push_back(word);
  if (n == 0 || static_cast<int64_t>(all.size()) < n) return false;
  const Ids last(all.end() - n, all.end());
  for (auto begin = all.begin(); begin + n < all.end(); ++begin)
    if (std::equal(last.begin(), last.end(), begin)) return true;
  return false;
}

Hypothesis extended(const Hypothesis& h, int32_t word, const Said& said, const SearchWords& words) {
  Hypothesis next = h;
  const double log_p = said.log_p[static_cast<size_t>(word)];
  next.ended = word == words.end;
  if (!next.ended) next.words.push_back(word);
  next.word_scores.push_back(log_p);
  next.score += log_p;
  next.alignment.push_back(said.attention);
  return next;
}

// score / length^a or Google's; plus beta sum_i log min(1, sum_j a_ij)
void normalise(Hypothesis& h, const SearchOptions& o) {
  const double n = static_cast<double>(h.word_scores.size()), a = o.normalize;
  h.normalised =
      h.score / (o.length_penalty == LengthPenalty::google ? std::pow((5 + n) / 6, a) : std::pow(n, a));
  if (o.coverage_penalty == 0) return;
  for (size_t i = 0; i < h.alignment[0].size(); ++i) {
    double seen = 0;
    for (const auto& row : h.alignment) seen += row[i];
    h.normalised += o.coverage_penalty * std::log(std::min(1.0, seen));
  }
}

std::vector<Hypothesis> ordered(std::vector<Hypothesis> ended, std::vector<Hypothesis> cut,
                                const SearchOptions& options) {
  for (auto* list : {&ended, &cut}) {
    for (Hypothesis& h : *list) normalise(h, options);
    std::ranges::stable_sort(*list, std::greater<>(), &Hypothesis::normalised);
  }
  ended.insert(ended.end(), cut.begin(), cut.end());
  ended.resize(std::min(ended.size(), static_cast<size_t>(options.n_best)));
  return ended;
}

}  // namespace

std::vector<std::string> attending_types() {
  const std::string block = "d_model: 8\nheads: 2\nfeed_forward: 6\nmax_positions: 30\ndropout: 0\n",
                    rnn = "type: rnn\nembedding: 4\nhidden: 6\nencoder_hidden: 3\ndropout: 0\n";
  return {"type: transformer\nencoder_layers: 1\ndecoder_layers: 2\n" + block,
          "type: transformer\nencoder_layers: 1\ndecoder_layers: 3\npositions: alibi\nnorm: pre\n" + block,
          "type: transformer\nencoder_layers: 1\ndecoder_layers: 1\npositions: rotary\n" + block,
          "type: transformer\nencoder_layers: 1\ndecoder_layers: 1\nattention: additive\n" + block,
          rnn,
          rnn + "cell: lstm\nwiring: luong\nattention: general\n",
          rnn + "wiring: luong\ninput_feeding: true\nattention: concat\n"};
}

std::vector<std::string> writing_types() {
  return {"type: rnn_lm\nembedding: 6\nhidden: 6\ndropout: 0\n",
          "type: gpt\nlayers: 2\nd_model: 8\nheads: 2\nfeed_forward: 6\nmax_positions: 30\ndropout: 0\n"};
}

std::vector<std::string> all_types() {
  std::vector<std::string> types = attending_types();
  types.emplace_back(
      "type: rnn\nembedding: 4\nhidden: 6\nattention: none\nfixed_vector: every_step\ndropout: 0\n");
  for (const std::string& type : writing_types()) types.push_back(type);
  return types;
}

RandomModel::RandomModel(const std::string& type, int64_t words, uint64_t seed, DType dtype)
    : parameters(dtype),
      model(read_model_config(read_yaml(type, "test.yml"))
                ->make(Scope(parameters, Random(seed)), {words, words})) {
  const Tensor values = parameters.values();
  const Tensor numbers = values.to(DType::f64);
  for (int64_t i = 0; i < numbers.size(); ++i)
    numbers.data<double>()[i] =
        1.5 * numbers.data<double>()[i] + 0.3 * Random(seed).stream(7).normal(static_cast<uint64_t>(i));
  values.copy_from(numbers.to(dtype));
  if (dtype == DType::f32) frozen.emplace(parameters);
}

Said next_word(const Ensemble& models, const Ids& source, const Ids& written, const SearchWords& words,
               int64_t attention_layer) {
  const NoGrad no_grad;
  Ids given{words.begin};
  given.insert(given.end(), written.begin(), written.end());
  Said said;
  double attending = 0;
  for (const auto& [model, weight] : models.members()) {
    LastLens lens;
    Pass pass(&lens);
    const Tensor features = model->features({ragged({source}), ragged({given}), {}, {}}, pass);
    const Tensor log_p =
        log_softmax(model->logits(features.view_rows(features.rows() - 1, features.rows()))).to(DType::f64);
    said.log_p.resize(static_cast<size_t>(log_p.size()));
    for (size_t i = 0; i < said.log_p.size(); ++i)
      said.log_p[i] += weight * std::exp(log_p.data<double>()[i]);
    if (lens.layers.empty()) continue;
    const auto count = static_cast<int64_t>(lens.layers.size());
    const auto& row = lens.layers[static_cast<size_t>(
        std::clamp<int64_t>(attention_layer < 0 ? count + attention_layer : attention_layer, 0, count - 1))];
    said.attention.resize(row.size());
    for (size_t j = 0; j < row.size(); ++j) said.attention[j] += static_cast<float>(weight) * row[j];
    attending += weight;
  }
  for (double& p : said.log_p) p = std::log(p);
  for (float& w : said.attention) w /= static_cast<float>(attending);
  return said;
}

std::vector<Hypothesis> plain_beam_search(const Ensemble& models, const Ids& source, const Ids& prefix,
                                          const SearchWords& words, const SearchOptions& options) {
  Hypothesis first;
  for (const int32_t word : prefix)
    first =
        extended(first, word, next_word(models, source, first.words, words, options.attention_layer), words);
  std::vector<Hypothesis> live{first}, ended, cut;
  while (!live.empty()) {
    std::vector<Hypothesis> all;
    for (const Hypothesis& h : live) {
      Said said = next_word(models, source, h.words, words, options.attention_layer);
      for (int32_t word = 0; word < static_cast<int32_t>(said.log_p.size()); ++word)
        if (std::ranges::find(words.suppressed, word) == words.suppressed.end() &&
            (word == words.end || !repeats(h.words, word, options.no_repeat_ngram)))
          all.push_back(extended(h, word, said, words));
    }
    std::ranges::stable_sort(all, std::greater<>(), &Hypothesis::score);
    all.resize(std::min(all.size(), static_cast<size_t>(options.beam_size) - ended.size()));
    live.clear();
    for (const Hypothesis& h : all)
      if (h.ended)
        ended.push_back(h);
      else if (static_cast<int64_t>(h.words.size()) == options.longest(static_cast<int64_t>(source.size())))
        cut.push_back(h);
      else
        live.push_back(h);
  }
  return ordered(ended, cut, options);
}

std::vector<Hypothesis> all_outputs(const Ensemble& models, const Ids& source, const SearchWords& words,
                                    const SearchOptions& options) {
  std::vector<Hypothesis> ended, growing{{}};
  for (int64_t length = 1; length <= options.max_length; ++length) {
    std::vector<Hypothesis> longer;
    for (const Hypothesis& h : growing) {
      const Said said = next_word(models, source, h.words, words, options.attention_layer);
      for (int32_t word = 0; word < static_cast<int32_t>(said.log_p.size()); ++word)
        (word == words.end ? ended : longer).push_back(extended(h, word, said, words));
    }
    growing = longer;
  }
  return ordered(ended, {}, options);
}

void expect_same(const std::vector<Hypothesis>& actual, const std::vector<Hypothesis>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < actual.size(); ++i) {
    const Hypothesis &a = actual[i], &e = expected[i];
    ASSERT_EQ(a.words, e.words) << what << "output " << i;
    EXPECT_EQ(a.ended, e.ended) << what << "output " << i;
    EXPECT_NEAR(a.score, e.score, tolerance) << what << "output " << i;
    EXPECT_NEAR(a.normalised, e.normalised, tolerance) << what << "output " << i;
    ASSERT_EQ(a.word_scores.size(), e.word_scores.size()) << what << "output " << i;
    for (size_t t = 0; t < a.word_scores.size(); ++t)
      EXPECT_NEAR(a.word_scores[t], e.word_scores[t], tolerance) << what << "word " << t;
    if (a.alignment.empty()) continue;
    ASSERT_EQ(a.alignment.size(), e.alignment.size()) << what << "output " << i;
    for (size_t t = 0; t < a.alignment.size(); ++t) {
      ASSERT_EQ(a.alignment[t].size(), e.alignment[t].size()) << what << "word " << t;
      for (size_t j = 0; j < a.alignment[t].size(); ++j)
        EXPECT_NEAR(a.alignment[t][j], e.alignment[t][j], std::max(tolerance, 1e-6)) << what << "word " << t;
    }
  }
}

}  // namespace attune::testing
