#include "train/data/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>

#include "config/yaml.h"
#include "models/model_config.h"

namespace attune {
namespace {

TEST(Noise, drops_a_share_of_words_and_no_symbols) {
  Tensor ids({30000}, DType::i32);
  for (int64_t i = 0; i < ids.size(); ++i) ids.data<int32_t>()[i] = static_cast<int32_t>(i % 10);
  drop_words(ids, 0.2, 0, 3, Random(1));
  int dropped = 0;
  for (int64_t i = 0; i < ids.size(); ++i) {
    const int32_t id = ids.data<int32_t>()[i];
    if (i % 10 < 3)
      ASSERT_EQ(id, i % 10);
    else if (id == 0)
      ++dropped;
    else
      ASSERT_EQ(id, i % 10);
  }
  EXPECT_NEAR(dropped, 0.2 * 21000, 200);
}

TEST(Noise, the_share_of_sampled_tokens_grows) {
  const auto share = [](SamplingGrowth growth, int64_t batches) {
    return sampled_share(0.5, growth, batches, 100);
  };
  EXPECT_EQ(share(SamplingGrowth::none, 0), 0.5);
  EXPECT_EQ(share(SamplingGrowth::linear, 0), 0);
  EXPECT_EQ(share(SamplingGrowth::linear, 50), 0.25);
  EXPECT_EQ(share(SamplingGrowth::linear, 500), 0.5);
  EXPECT_NEAR(share(SamplingGrowth::exponential, 100), 0.5 * (1 - std::exp(-1)), 1e-12);
  EXPECT_NEAR(share(SamplingGrowth::sigmoid, 0), 0.5 * (1 - 100 / 101.), 1e-12);
  EXPECT_NEAR(share(SamplingGrowth::sigmoid, 2000), 0.5, 1e-5);
}

TEST(Noise, sampled_tokens_are_what_the_model_would_have_written) {
  Parameters parameters;
  const auto model = read_model_config(read_yaml("type: rnn\nembedding: 4\nhidden: 6\n", "test.yml"))
                         ->make(Scope(parameters, Random(5)), {9, 9});
  const auto batch = [] {
    return Batch{.source = {Tensor::of<int32_t>({3}, {1, 2, 3}), Rows{2, 1}},
                 .given = {Tensor::of<int32_t>({5}, {0, 4, 5, 0, 6}), Rows{3, 2}},
                 .segments = {},
                 .expected = {}};
  };
  Pass pass;
  const Tensor logits = model->logits(model->features(batch(), pass));
  const Batch none = batch(), all = batch();
  sample_given(*model, none, 0, Random(1));
  sample_given(*model, all, 1, Random(1));
  for (const int64_t token : {0, 1, 2, 3, 4}) {
    EXPECT_EQ(none.given.ids.data<int32_t>()[token], batch().given.ids.data<int32_t>()[token]);
    if (token == 0 || token == 3) {
      EXPECT_EQ(all.given.ids.data<int32_t>()[token], 0);  // <s> stays
    } else {
      const auto before = logits.row<float>(token - 1);
      EXPECT_EQ(before[static_cast<size_t>(all.given.ids.data<int32_t>()[token])],
                *std::ranges::max_element(before));
    }
  }
}

}  // namespace
}  // namespace attune
