#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "decode/search/ensemble.h"
#include "decode/search/search_fixture.h"

namespace attune {
namespace {

TEST(AttentionHead, the_mean_is_that_of_all_heads_and_each_can_be_chosen) {
  const NoGrad no_grad;
  for (const std::string& type : testing::attending_types()) {
    const testing::RandomModel model(type, 7, 1);
    const Ensemble models(model.writer());
    const auto look = [&](int64_t head) {
      EnsembleRun run(models, ragged({{3, 4, 5}, {6, 2}}), AttentionChoice{-2, head});
      return run.step(ragged({{1, 4}, {1}})).attention;
    };
    const int64_t heads = type.starts_with("type: rnn") ? 1 : 2;
    const auto mean = look(-1), first = look(0), last = look(heads - 1);
    ASSERT_EQ(mean.size(), 3U);
    for (size_t q = 0; q < mean.size(); ++q)
      for (size_t k = 0; k < mean[q].size(); ++k)
        EXPECT_NEAR(mean[q][k], (first[q][k] + last[q][k]) / 2, 1e-6) << type;
    EXPECT_EQ(first == last, heads == 1) << type;
    EXPECT_EQ(look(heads), last) << type;
  }
}

}  // namespace
}  // namespace attune
