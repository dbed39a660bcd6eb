// Vocabulary files that are damaged, truncated or of another kind.
#include <gtest/gtest.h>

#include <cstdint>

#include "attune/error.h"
#include "attune/random.h"
#include "testing/scratch.h"
#include "text/sentencepiece/character_table.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

const std::vector<std::string> kText = {"A man in a blue shirt is standing on a ladder cleaning a window.",
                                        "我们可以在没有分词器的情况下处理中文文本。",
                                        "The the THE: 3.14 ½ ﬁne…"};

std::string model(VocabularyKind kind) {
  VocabularyOptions options;
  options.kind = kind;
  options.size = 400;
  options.user_symbols = {"[MASK]"};
  return train_vocabulary({{3, [](int64_t i) { return kText[static_cast<size_t>(i)]; }}}, options)
      ->serialized();
}

std::string refused(const std::string& content) {
  try {
    parse_vocabulary(content, "v");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refused_file(const std::string& path) {
  try {
    load_vocabulary(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(VocabularyFile, damaged_lists_are_refused_with_the_line) {
  const std::string head = "attune vocabulary 1 word 5\n<unk>\tspecial\n<s>\tspecial\n</s>\tspecial\n";
  EXPECT_EQ(refused(head + "a\t3\nb\t2\n"), "accepted");
  EXPECT_EQ(refused(head + "a\t3\n"),
            "v:5: there are 4 tokens, but the first line says 5; the file was cut off or edited");
  EXPECT_EQ(refused(head + "a\t3\nb"), "v:6: the file ends within or before this line; it was cut off");
  EXPECT_EQ(refused(head + "a\t3\na\t2\n"), "v:6: 'a' is also in line 5");
  EXPECT_EQ(refused(head + "a\t3\nb\tx\n"), "v:6: 'x' should be a number");
  EXPECT_EQ(refused(head + "a\t3\nb 2\n"), "v:6: this line should be a token, a tab and its count");
  EXPECT_EQ(refused(head + "a\t3\nb\tuser\n"), "v:6: user symbols must come before the counted tokens");
  EXPECT_EQ(refused(head + "a\t3\n\xFF\t2\n"), "v:6: byte 1 is not UTF-8");
  EXPECT_EQ(refused(head + "a\t3\n<s>\t2\n"), "v:6: '<s>' is a special symbol");
  EXPECT_EQ(refused("attune vocabulary 2 word 5\n"),
            "v:1: the format is version '2', but this attune reads version 1; use a newer attune");
  EXPECT_EQ(refused("attune vocabulary 1 wörd 5\n"), "v:1: 'wörd' should be word, char or byte");
  EXPECT_EQ(refused("attune vocabulary 1 word 5\n<s>\tspecial\n"),
            "v:2: this line should be '<unk>', a tab and 'special'");
  EXPECT_EQ(refused(""), "v: the file is empty");
}

TEST(VocabularyFile, an_edited_character_list_still_decodes_to_utf8) {
  const auto vocabulary = parse_vocabulary(
      "attune vocabulary 1 char "
      "6\n<unk>\tspecial\n<s>\tspecial\n</s>\tspecial\n\\u0009\t1\n\\u4e2d\t1\n\\uzzzz\t1\n",
      "v");
  EXPECT_EQ(vocabulary->decode(std::vector<int32_t>{3, 4, 5}), "\t\\u4e2d\\uzzzz");
}

TEST(VocabularyFile, other_files_are_no_vocabularies) {
  const testing::ScratchFolder folder;
  EXPECT_EQ(refused_file(folder / "none"), (folder / "none").string() + ": there is no such vocabulary file");
  EXPECT_EQ(refused_file(folder / ""), (folder / "").string() + ": this is not a file");
  for (const char* content : {"the\nof\nand\n", "{\"model\": ", "\x1f\x8b\x08", "\n\n\n\n", "a: 0\nb: 1\n"})
    EXPECT_TRUE(refused(content).starts_with("v: byte ")) << refused(content);
  EXPECT_EQ(refused("{\"model\": 1}"), "v: model: this should be a JSON object");
}

TEST(VocabularyFile, a_sentencepiece_model_that_was_cut_off_is_refused_wherever_the_cut_is) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const std::string whole = model(kind);
    for (size_t size = 1; size < whole.size(); size += size < 300 || size + 300 > whole.size() ? 1 : 997)
      ASSERT_TRUE(refused(whole.substr(0, size)).starts_with("v: byte ")) << size;
  }
}

// Each damaged copy is either refused or works without reading out of bounds (`./run asan`).
TEST(VocabularyFile, a_sentencepiece_model_with_wrong_bytes_never_crashes) {
  const std::string whole = model(VocabularyKind::unigram);
  const Random random(7);
  int refusals = 0;
  for (uint64_t trial = 0; trial < 150; ++trial) {
    std::string damaged = whole;
    for (uint64_t i = 0; i <= trial % 8; ++i) {
      const Random choice = random.stream(trial).stream(i);
      const size_t range = trial % 3 == 0 ? 20000 : damaged.size();  // the pieces come first, the table last
      damaged[choice.below(range, 0)] = static_cast<char>(choice.below(256, 1));
    }
    try {
      const auto vocabulary = parse_vocabulary(damaged, "v");
      for (const std::string& line : kText) vocabulary->decode(vocabulary->encode(line));
      vocabulary->encode("a [MASK] \xFF ½ ﬁ");
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("v: ")) << error.what();
      ++refusals;
    }
  }
  EXPECT_GT(refusals, 50);
}

TEST(VocabularyFile, a_table_of_characters_is_looked_through) {
  const auto unit = [](uint32_t bits) {
    return std::string(reinterpret_cast<const char*>(&bits), sizeof bits);
  };
  std::string trie;
  for (uint32_t i = 0; i < 512; ++i) trie += unit(0x80000000);  // nothing there
  const auto set = [&](uint32_t at, uint32_t bits) { trie.replace(at * 4, 4, unit(bits)); };
  const auto fault = [&](const std::string& pool) {
    return fault_of_character_table(unit(static_cast<uint32_t>(trie.size())) + trie + pool);
  };
  const std::string pool("x\0y\0", 4);
  set(0, 1u << 10);                        // the children of the root are at 1 ^ label
  set(1 ^ 'a', 'a' | 1u << 8 | 2u << 10);  // a: with a value
  set((1 ^ 'a') ^ 2, 0x80000000 | 2);      // its value: the string at 2
  EXPECT_EQ(fault(pool), "");
  EXPECT_EQ(fault("xyz"), "its last string has no end");
  EXPECT_EQ(fault(std::string("\xFF\0", 2)), "its strings are not UTF-8");
  set((1 ^ 'a') ^ 2, 0x80000000 | 4);
  EXPECT_EQ(fault(pool), "its trie points outside its strings");
  set(1 ^ 'a', 'a' | 1u << 8 | 600u << 10);
  EXPECT_EQ(fault(pool), "its trie points outside itself");
  set(1 ^ 'a', 'a' | ((1 ^ 'a') ^ 1u) << 10);  // a, then the children of the root again
  EXPECT_EQ(fault(pool), "its trie has a cycle");
  EXPECT_EQ(fault_of_character_table(unit(100) + "x"), "it is cut off");
  EXPECT_EQ(fault_of_character_table("ab"), "it is cut off");
  trie.clear();
  EXPECT_EQ(fault(pool), "its trie is empty");
}

}  // namespace
}  // namespace attune
