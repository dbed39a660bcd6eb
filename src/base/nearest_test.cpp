#include "base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace attune {
namespace {

const std::vector<std::string> kVerbs{"bench", "demo", "info", "train", "translate"};

TEST(Nearest, edit_distance_counts_the_four_edits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("heads", "head"), 1u);
  EXPECT_EQ(edit_distance("train", "trian"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3u);
}

TEST(Nearest, proposes_what_was_meant) {
  EXPECT_EQ(nearest("trian", kVerbs), "train");
  EXPECT_EQ(nearest("trans", kVerbs), "translate");
  EXPECT_EQ(nearest("benhc", kVerbs), "bench");
  EXPECT_EQ(did_you_mean("dmo", kVerbs), ", did you mean 'demo'?");
}

TEST(Nearest, proposes_nothing_when_nothing_is_near) {
  EXPECT_EQ(nearest("quantize", kVerbs), "");
  EXPECT_EQ(nearest("", kVerbs), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace attune
