// Guided alignment: the loss of a model's attention, in every model that attends to a source.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "models/model_config.h"
#include "testing/op_check.h"

namespace attune {
namespace {

constexpr int64_t kWords = 7;

std::vector<std::string> kinds() {
  const std::string rnn = "type: rnn\nembedding: 3\nhidden: 4\nencoder_hidden: 2\n",
                    blocks =
                        "type: transformer\nencoder_layers: 1\nd_model: 8\nheads: 2\nfeed_forward: 8\n"
                        "max_positions: 8\n";
  std::vector<std::string> all;
  for (const std::string score : {"additive", "dot", "scaled_dot", "general", "concat"})
    for (const std::string wiring :
         {"wiring: bahdanau\n", "wiring: luong\n", "wiring: luong\ninput_feeding: true\n"})
      all.push_back(rnn + "attention: " + score + "\n" + wiring);
  all.push_back(rnn + "reverse_source: true\n");
  all.push_back(
      "type: deep_rnn\nembedding: 3\nhidden: 4\nnorm: cell\nnorm_epsilon: 0.1\ndecoder_layers: 2\n");
  all.push_back(rnn + "cell: lstm\ndecoder_layers: 2\nresidual: true\n");
  for (const std::string score : {"scaled_dot", "additive"})
    for (const std::string layers : {"1", "2", "3"})
      all.push_back(blocks + "attention: " + score + "\ndecoder_layers: " + layers + "\n");
  return all;
}

// Sentences of 3, 1 and 4 source tokens and 4, 2 and 3 target tokens. Some target tokens have no link, one
// has two.
const Rows kSource{3, 1, 4}, kTarget{4, 2, 3};
Batch batch() {
  return {.source = {Tensor::of<int32_t>({8}, {1, 2, 3, 4, 5, 6, 5, 2}), kSource},
          .given = {Tensor::of<int32_t>({9}, {0, 6, 3, 1, 0, 2, 0, 5, 5}), kTarget},
          .segments = {},
          .expected = Tensor::of<int32_t>({9}, {6, 3, 1, 4, 2, 4, 5, 5, 4}),
          .links = Tensor::of<float>(
              {26}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0})};
}

struct Fixture {
  Parameters parameters{DType::f64};
  std::unique_ptr<ModelConfig> config;
  std::unique_ptr<Model> model;
  Guide guide;

  explicit Fixture(const std::string& text)
      : config(read_model_config(read_yaml(text + "dropout: 0\n", "test.yml"))),
        model(config->make(Scope(parameters, Random(5)), {kWords, kWords})) {}

  // Only of the attention; the loss of the words has its own tests.
  Tensor loss(AlignmentCost cost, Lens* lens = nullptr) {
    guide = {config->guided_attention(), batch().links, cost};
    Pass pass(lens, &guide);
    model->features(batch(), pass);
    return guide.loss;
  }
};

struct Seen final : Lens {
  explicit Seen(std::optional<AttentionName> name) : name_(name) {}
  void attention(AttentionName name, const Tensor& w, const Rows&, const Rows&, int heads_) override {
    if (name != name_) return;
    weights = w.clone();
    heads = heads_;
  }
  std::optional<AttentionName> name_;
  Tensor weights;
  int heads = 0;
};

// Of the first head: sentence after sentence [head, query, key].
double mass_lost(const Seen& seen, std::span<const float> links) {
  const double* w = seen.weights.span<double>().data();
  double loss = 0;
  size_t link = 0;
  for (int64_t s = 0; s < kSource.count(); ++s) {
    const double* row = w;
    for (int64_t q = 0; q < kTarget.length(s); ++q) {
      double mass = 0;
      for (int64_t k = 0; k < kSource.length(s); ++k) mass += links[link++] * *row++;
      if (mass > 0) loss -= std::log(mass);
    }
    w += seen.heads * kTarget.length(s) * kSource.length(s);
  }
  return loss;
}

// Reading the same links twice gives the same result.
TEST(Guided, a_pass_leaves_the_links_as_they_are) {
  Fixture fixture("type: rnn\nembedding: 3\nhidden: 4\nencoder_hidden: 2\nreverse_source: true\n");
  fixture.loss(AlignmentCost::ce);
  testing::expect_close(fixture.guide.links, batch().links, 0, "links");
}

TEST(Guided, the_loss_is_of_the_weights_that_a_lens_sees) {
  for (const std::string& kind : kinds()) {
    Fixture f(kind);
    Seen lens(f.config->guided_attention());
    const double loss = f.loss(AlignmentCost::mult, &lens).item();
    ASSERT_GT(lens.heads, 0) << kind;
    EXPECT_NEAR(loss, mass_lost(lens, batch().links.span<float>()), 1e-9) << kind;
  }
}

TEST(Guided, gradients_of_whole_models_equal_differences) {
  for (const std::string& kind : kinds()) {
    Fixture f(kind);
    const auto cost = static_cast<AlignmentCost>(kind.size() % 3);
    backward(f.loss(cost));
    const auto values = f.parameters.values().span<double>(),
               gradients = f.parameters.gradients().span<double>();
    double largest = 0;
    for (const double g : gradients) largest = std::max(largest, std::abs(g));
    EXPECT_GT(largest, 1e-3) << kind;
    const NoGrad no_grad;
    for (size_t i = 0; i < values.size(); i += 3) {
      const double before = values[i], step = 1e-5;
      values[i] = before + step;
      const double above = f.loss(cost).item();
      values[i] = before - step;
      const double below = f.loss(cost).item();
      values[i] = before;
      EXPECT_NEAR(gradients[i], (above - below) / (2 * step), 1e-7 * (1 + largest)) << kind << "number " << i;
    }
  }
}

TEST(Guided, models_that_look_at_no_source_have_nothing_to_guide) {
  for (const std::string text :
       {"type: rnn\nattention: none\n", "type: gpt\n", "type: bert\n", "type: rnn_lm\n"})
    EXPECT_FALSE(read_model_config(read_yaml(text, "test.yml"))->guided_attention()) << text;
}

// ---- Learning: reversing digits. Token i of n is linked to token n - 1 - i.
struct Reversing {
  std::vector<std::vector<int32_t>> sentences;

  explicit Reversing(const Random& random) {
    for (uint64_t i = 0; i < 24; ++i) {
      std::vector<int32_t> s(3 + random.below(6, i));
      for (size_t j = 0; j < s.size(); ++j)
        s[j] = 2 + static_cast<int32_t>(random.below(8, 1000 * (i + 1) + j));
      sentences.push_back(s);
    }
  }

  Batch batch() const {
    std::vector<int32_t> source, given, expected;
    std::vector<float> links;
    std::vector<int64_t> lengths, longer;
    for (const auto& s : sentences) {
      source.insert(source.end(), s.begin(), s.end());
      given.push_back(0);
      given.insert(given.end(), s.rbegin(), s.rend());
      expected.insert(expected.end(), s.rbegin(), s.rend());
      expected.push_back(1);
      for (size_t t = 0; t <= s.size(); ++t)
        for (size_t k = 0; k < s.size(); ++k) links.push_back(t + k + 1 == s.size() ? 1.0f : 0.0f);
      lengths.push_back(static_cast<int64_t>(s.size()));
      longer.push_back(static_cast<int64_t>(s.size()) + 1);
    }
    const auto ids = [](const std::vector<int32_t>& all) {
      return Tensor::of<int32_t>({static_cast<int64_t>(all.size())}, all);
    };
    return {.source = {ids(source), Rows(lengths)},
            .given = {ids(given), Rows(longer)},
            .segments = {},
            .expected = ids(expected),
            .links = Tensor::of<float>({static_cast<int64_t>(links.size())}, links)};
  }
};

// The share of tokens whose heaviest source token is not the linked one, after some updates. With one link
// per token, this is the alignment error rate.
double alignment_error_after(const std::string& text, int updates, double weight) {
  Parameters parameters;
  const auto config = read_model_config(read_yaml(text + "dropout: 0\n", "test.yml"));
  const auto model = config->make(Scope(parameters, Random(1)), {10, 10});
  const Tensor first = Tensor::zeros(parameters.values().shape()), second = first.clone();
  for (int u = 1; u <= updates; ++u) {
    const Batch batch = Reversing(Random(3).stream(static_cast<uint64_t>(u))).batch();
    Guide guide{config->guided_attention(), batch.links};
    Pass pass(nullptr, weight > 0 ? &guide : nullptr);
    const Loss words = model->loss(batch, 0, pass);
    parameters.zero_gradients();
    backward(weight > 0 ? add(words.loss, scale(guide.loss, weight)) : words.loss);
    adam(parameters.values(), parameters.gradients(), first, second,
         {.learning_rate = 3e-3 * std::min(1.0, u / 20.0),
          .gradient_scale = 1 / static_cast<double>(words.counted),
          .step = u});
  }
  const NoGrad no_grad;
  const Batch unseen = Reversing(Random(4)).batch();
  Guide guide{config->guided_attention(), unseen.links};
  Seen lens(guide.attention);
  Pass pass(&lens);
  model->features(unseen, pass);
  const auto weights = lens.weights.span<float>();
  size_t at = 0;
  double wrong = 0, all = 0;
  for (int64_t s = 0; s < unseen.source.rows.count(); ++s) {
    const auto n = static_cast<size_t>(unseen.source.rows.length(s));
    for (size_t q = 0; q < n; ++q, all += 1) {
      const auto row = weights.subspan(at + q * n, n);
      wrong += static_cast<size_t>(std::ranges::max_element(row) - row.begin()) + q + 1 == n ? 0 : 1;
    }
    at += static_cast<size_t>(lens.heads) * n * (n + 1);
  }
  return wrong / all;
}

TEST(Guided, reversing_is_aligned_sooner) {
  const auto compare = [](const std::string& text, int updates) {
    const double guided = alignment_error_after(text, updates, 1),
                 free = alignment_error_after(text, updates, 0);
    EXPECT_LT(guided, 0.3) << text;
    EXPECT_LT(guided, 0.5 * free) << text;
  };
  compare("type: rnn\nembedding: 16\nhidden: 32\n", 80);
  compare(
      "type: transformer\nencoder_layers: 1\ndecoder_layers: 2\nd_model: 32\nheads: 2\nfeed_forward: 64\n",
      400);
}

}  // namespace
}  // namespace attune
