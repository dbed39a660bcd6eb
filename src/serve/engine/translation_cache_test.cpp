#include "serve/engine/translation_cache.h"

#include <gtest/gtest.h>

namespace attune::serve {
namespace {

TEST(TranslationCache, the_longest_unused_go_first) {
  const TranslationCache::Outputs outputs{Hypothesis{.words = {1, 2}}};
  TranslationCache cache(2000);
  const auto key = [](int i) { return TranslationCache::Key{1, 1, std::to_string(i)}; };
  int kept = 0;
  for (; cache.bytes() + 600 < 2000; ++kept) cache.add(key(kept), outputs);
  ASSERT_GE(kept, 3);
  EXPECT_EQ(cache.find(key(0))->at(0).words, outputs[0].words);
  for (int i = 100; i < 100 + kept; ++i) {
    EXPECT_TRUE(cache.find(key(0)));  // in use
    cache.add(key(i), outputs);
    EXPECT_LE(cache.bytes(), 2000u);
  }
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_FALSE(cache.find({2, 1, "0"}));
  EXPECT_FALSE(cache.find({1, 2, "0"}));
  cache.add({1, 1, std::string(3000, 'x')}, outputs);
  EXPECT_LE(cache.bytes(), 2000u);
  EXPECT_TRUE(cache.find(key(0)));
}

}  // namespace
}  // namespace attune::serve
