#include "serve/api/api_keys.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"

namespace attune::serve {
namespace {

using testing::expect_error;

TEST(ApiKeys, a_key_is_known_by_its_sum) {
  const std::string sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";  // of "test"
  const ApiKeys keys = ApiKeys::parse("# who may\n\n" + sum + " alice 600 # to June\n", "keys");
  ASSERT_NE(keys.find("test"), nullptr);
  EXPECT_EQ(keys.find("test")->name, "alice");
  EXPECT_EQ(keys.find("test")->rate, 600);
  for (const std::string wrong : {"", "tess", "test ", sum.c_str()}) EXPECT_EQ(keys.find(wrong), nullptr);
  EXPECT_FALSE(ApiKeys().needed());
  for (const std::string& line :
       {std::string("test alice"), sum, sum + " a b", sum + " a 1 c", "x" + sum.substr(1) + " a"})
    expect_error([&] { ApiKeys::parse("#\n" + line, "keys"); }, "keys:2: a line should have the SHA-256 sum");
  expect_error([&] { ApiKeys::parse("# none\n", "keys"); }, "keys: it contains no key");
}

}  // namespace
}  // namespace attune::serve
