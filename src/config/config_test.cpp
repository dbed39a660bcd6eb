#include <gtest/gtest.h>

#include <span>

#include "attune/error.h"
#include "config/entries.h"
#include "config/yaml.h"

namespace attune {
namespace {

enum class Colour { red, green };
std::span<const char* const> enum_names(Colour) {
  static constexpr const char* kWords[] = {"red", "green"};
  return kWords;
}

struct Example {
  int64_t heads = 8;
  double dropout = 0.1;
  bool causal = false;
  std::string name = "x";
  std::vector<std::string> files;
  Colour colour = Colour::red;

  static void fields(FieldsOf<Example> f) {
    f("heads", &Example::heads, "attention heads");
    f("dropout", &Example::dropout, "share of numbers that are dropped");
    f("causal", &Example::causal, "see only what was before");
    f("name", &Example::name, "what it is called");
    f("files", &Example::files, "what to read");
    f("colour", &Example::colour, "how it looks");
  }
};

Example read(std::string_view text) {
  Example example;
  assign(fields_of(example), read_yaml(text, "test.yml"));
  return example;
}

void expect_refusal(std::string_view text, const std::string& message) {
  try {
    read(text);
    FAIL() << "'" << text << "' was accepted";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Config, reads_every_kind_of_field) {
  const Example e =
      read("heads: 4\ndropout: 2e-1\ncausal: yes\nname: a b\nfiles: [one, two]\ncolour: green\n");
  EXPECT_EQ(e.heads, 4);
  EXPECT_EQ(e.dropout, 0.2);
  EXPECT_TRUE(e.causal);
  EXPECT_EQ(e.name, "a b");
  EXPECT_EQ(e.files, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(e.colour, Colour::green);
}

TEST(Config, keeps_the_defaults_of_keys_that_are_absent) {
  const Example e = read("");
  EXPECT_EQ(e.heads, 8);
  EXPECT_EQ(e.dropout, 0.1);
}

TEST(Config, names_the_line_and_the_nearest_key) {
  expect_refusal("name: x\nhead: 4\n", "test.yml:2: unknown key 'head', did you mean 'heads'?");
}

TEST(Config, says_what_a_value_should_have_been) {
  expect_refusal("heads: many", "test.yml:1: 'heads' should be a whole number, but 'many' was given");
  expect_refusal("heads: 2.5", "test.yml:1: 'heads' should be a whole number, but '2.5' was given");
  expect_refusal("dropout: ''", "test.yml:1: 'dropout' should be a number, but '' was given");
  expect_refusal("causal: 2", "test.yml:1: 'causal' should be true or false, but '2' was given");
  expect_refusal("heads: [1, 2]", "test.yml:1: 'heads' takes one value, not a list");
  expect_refusal("colour: gren",
                 "test.yml:1: 'colour' takes red, green, but 'gren' was given, did you mean 'green'?");
  expect_refusal("heads: 1\nheads: 2", "test.yml:2: the key 'heads' appears twice");
  expect_refusal("name: {a: b}", "test.yml:1: 'name' should be a value or a list of values");
  expect_refusal("- a", "test.yml:1: there should be keys with values (key: value)");
}

TEST(Config, refuses_what_is_no_yaml) {
  EXPECT_THROW(read("heads: ["), UsageError);
  EXPECT_THROW(read("a: b: c"), UsageError);
}

TEST(Config, what_is_written_is_read_again) {
  Example e = read("heads: 3\nfiles: ['a: b', \"c\"]\nname: '007'\ncolour: green");
  const std::string text = write_yaml(entries_of(fields_of(e)));
  Example again = read(text);
  EXPECT_EQ(write_yaml(entries_of(fields_of(again))), text);
  EXPECT_EQ(again.files, e.files);
  EXPECT_EQ(again.name, "007");
}

TEST(Config, documents_have_groups_that_keep_their_places) {
  const YamlDocument document = read_yaml_document(
      "title: a\nshared:\n  mini-batch: 3\nmodels:\n  - name: x\n    heads: 2\n  - {name: y}\nlist: [1, 2]\n",
      "r.yml");
  ASSERT_EQ(document.entries.size(), 2);
  EXPECT_EQ(document.entries[1].values, (std::vector<std::string>{"1", "2"}));
  ASSERT_EQ(document.groups.size(), 2);
  EXPECT_FALSE(document.groups[0].list);
  EXPECT_EQ(document.groups[0].items.at(0).at(0).key, "mini_batch");
  EXPECT_TRUE(document.groups[1].list);
  EXPECT_EQ(document.groups[1].where, "r.yml:4");
  ASSERT_EQ(document.groups[1].items.size(), 2);
  EXPECT_EQ(document.groups[1].items[0].at(1).where, "r.yml:6");
  EXPECT_EQ(document.groups[1].items[1].at(0).where, "r.yml:7");
  EXPECT_TRUE(read_yaml_document("", "r.yml").groups.empty());
}

TEST(Config, groups_of_other_things_than_keys_are_refused) {
  for (const char* text :
       {"models:\n  - name: x\n  - 3\n", "models:\n  - {}\n", "models:\n  - name: {a: {b: 1}}\n"})
    EXPECT_THROW(read_yaml_document(text, "r.yml"), UsageError) << text;
}

TEST(Config, a_constant_struct_can_be_looked_at_but_not_set) {
  const Example e;
  EXPECT_EQ(entries_of(fields_of(e))[0].values, std::vector<std::string>{"8"});
  using List = decltype(fields_of(e));
  EXPECT_TRUE((std::is_constructible_v<FieldList, List>));
  EXPECT_FALSE((std::is_constructible_v<SettableFields, List>));
}

struct Wider : Example {
  Example inner;
  static void fields(FieldsOf<Wider> f) {
    Example::fields(f);
    f.in (&Wider::inner)("inner_heads", &Example::heads, "of the member");
  }
};

TEST(Config, a_list_takes_over_those_of_a_base_and_of_a_member) {
  Wider wider;
  assign(fields_of(wider), read_yaml("heads: 2\ninner_heads: 3\n", "test.yml"));
  EXPECT_EQ(wider.heads, 2);
  EXPECT_EQ(wider.inner.heads, 3);
  EXPECT_EQ(entries_of(fields_of(wider)).back().key, "inner_heads");
}

}  // namespace
}  // namespace attune
