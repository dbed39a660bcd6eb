#include "decode/text_stream.h"

#include <gtest/gtest.h>

#include "decode/pieces_fixture.h"

namespace attune {
namespace {

const testing::Pieces kPieces;

TEST(TextStream, half_a_character_is_held_back) {
  TextStream stream(kPieces, "", {});
  EXPECT_EQ(stream.add(9), "a");
  EXPECT_EQ(stream.add(3), "");
  EXPECT_EQ(stream.add(4), "é");
  EXPECT_EQ(stream.add(9), " a");
  EXPECT_EQ(stream.add(3), "");
  EXPECT_EQ(stream.add(16), "\xEF\xBF\xBD the");  // it never became one
  EXPECT_EQ(stream.add(3), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
}

TEST(TextStream, what_may_become_a_stop_text_is_held_back) {
  TextStream stream(kPieces, "", {"nation", "there a"});
  EXPECT_EQ(stream.add(16), "");     // the
  EXPECT_EQ(stream.add(15), "the");  // then: n may begin "nation"
  EXPECT_EQ(stream.add(9), "n a");
  EXPECT_EQ(stream.add(8), "");
  EXPECT_TRUE(stream.stopped());
  EXPECT_EQ(stream.add(9), "");
  EXPECT_EQ(stream.finish(), "");

  TextStream other(kPieces, "", {"there a"});
  EXPECT_EQ(other.add(16), "");
  EXPECT_EQ(other.add(17), "");
  EXPECT_EQ(other.finish(), "there");
  EXPECT_FALSE(other.stopped());
}

TEST(TextStream, the_beginning_is_not_shown_again) {
  TextStream within(kPieces, "a inter", {});
  EXPECT_EQ(within.add(9), "");
  EXPECT_EQ(within.add(6), "national");
  TextStream blank(kPieces, "the ", {});
  EXPECT_EQ(blank.add(16), "");
  EXPECT_EQ(blank.add(9), "a");
}

}  // namespace
}  // namespace attune
