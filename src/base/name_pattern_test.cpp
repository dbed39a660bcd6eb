#include "base/name_pattern.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

TEST(NamePattern, its_parts_are_successive_parts_of_the_name) {
  const char* name = "encoder.0.self.qkv.weight";
  for (const char* pattern : {"encoder", "self.qkv", "encoder.0.self.qkv.weight", "weight", "0.self"})
    EXPECT_TRUE(matches_name(pattern, name)) << pattern;
  for (const char* pattern : {"decoder", "self.weight", "enc", "qk", "self.q", "weight.bias", "", "."})
    EXPECT_FALSE(matches_name(pattern, name)) << pattern;
}

TEST(NamePattern, a_star_stands_for_characters_of_one_part) {
  for (const char* pattern : {"*", "enc*", "*der", "*nco*", "0.*.qkv", "q*v*", "***", "s*l*f"})
    EXPECT_TRUE(matches_name(pattern, "encoder.0.self.qkv.weight")) << pattern;
  for (const char* pattern : {"enc*self", "encoder.*.qkv", "*x*", "q*w"})
    EXPECT_FALSE(matches_name(pattern, "encoder.0.self.qkv.weight")) << pattern;
  EXPECT_TRUE(matches_name("a*ab", "aaaab"));
}

TEST(NamePattern, an_empty_list_matches_nothing) {
  EXPECT_FALSE(matches_any({}, "encoder"));
  const std::string patterns[] = {"decoder", "norm*"};
  EXPECT_TRUE(matches_any(patterns, "encoder.norm1"));
}

}  // namespace
}  // namespace attune
