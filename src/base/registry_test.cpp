#include "base/registry.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"

namespace attune {
namespace {

struct Shop {
  std::string name;
  int number = 0;
};

TEST(Registry, keeps_the_order_of_names_whatever_the_order_of_files) {
  Registry<Shop> shops("shop");
  for (const char* name : {"baker", "tailor", "butcher"}) shops.add({name});
  EXPECT_EQ(shops.names(), (std::vector<std::string>{"baker", "butcher", "tailor"}));
}

TEST(Registry, refuses_a_name_that_is_taken_and_says_which) {
  Registry<Shop> shops("shop");
  shops.add({"baker", 1});
  testing::expect_error([&] { shops.add({"baker", 2}); }, "two files register the shop 'baker'");
  EXPECT_EQ(shops.at("baker").number, 1);
}

TEST(Registry, proposes_the_nearest_name) {
  Registry<Shop> shops("shop");
  shops.add({"baker"});
  testing::expect_error([&] { shops.at("bakre"); }, "unknown shop 'bakre', did you mean 'baker'?");
}

}  // namespace
}  // namespace attune
