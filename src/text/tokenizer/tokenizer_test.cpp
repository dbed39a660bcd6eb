// Ids from Hugging Face's own tokenizers: tests/golden/huggingface_tokenizers.js.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "testing/golden.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "text/utf8.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {
namespace {

using nlohmann::json;
using Ids = std::vector<int32_t>;
using Pieces = std::vector<std::string>;

const std::filesystem::path kGolden = testing::golden("huggingface");

json golden(const std::string& file) { return json::parse(testing::get(kGolden / file)); }

json modern(const char* numbers) {
  json splitter = golden("llama3.json").at("pre_tokenizer");
  json& expression = splitter["pretokenizers"][0]["pattern"]["Regex"];
  std::string text = expression;
  const std::string before = R"(\p{N}{1,3})";
  expression = text.replace(text.find(before), before.size(), numbers);
  return splitter;
}

// The tokenizer files, and variants of them.
json tokenizer(const std::string& name) {
  if (name == "qwen") {
    json made = golden("llama3.json");
    made["normalizer"] = {{"type", "NFC"}};
    made["pre_tokenizer"] = modern(R"(\p{N})");
    return made;
  }
  if (name == "digits") {
    json made = golden("gpt2.json");
    made["pre_tokenizer"] = {{"type", "Sequence"},
                             {"pretokenizers", json::array({{{"type", "Digits"}, {"individual_digits", true}},
                                                            made["pre_tokenizer"]})}};
    return made;
  }
  if (name == "cased" || name == "accents") {
    json made = golden("bert.json");
    made["normalizer"][name == "cased" ? "lowercase" : "strip_accents"] = false;
    return made;
  }
  return golden(name + ".json");
}

std::unique_ptr<Vocabulary> vocabulary(const json& content) {
  return parse_vocabulary(content.dump(), "tokenizer.json");
}

// In vocabularies to write with, the beginning and the end are not in texts.
bool spells_an_end(const std::string& line) {
  return line.find("<|endoftext|>") != std::string::npos ||
         line.find("<|begin_of_text|>") != std::string::npos;
}

TEST(Tokenizer, ids_are_those_of_hugging_face) {
  const json about = golden("ids.json");
  int compared = 0;
  for (const char* name : {"gpt2", "llama3", "qwen", "digits", "bert", "cased", "accents"}) {
    const auto words = vocabulary(tokenizer(name));
    for (size_t i = 0; i < about["lines"].size(); ++i) {
      const std::string line = about["lines"][i];
      if (spells_an_end(line)) continue;
      EXPECT_EQ(words->encode(line), about[name][i].get<Ids>()) << name << ": " << line;
      ++compared;
    }
  }
  EXPECT_GT(compared, 400);
}

TEST(Tokenizer, tokens_begin_where_their_text_does) {
  for (const char* name : {"gpt2", "llama3", "qwen", "bert", "cased"}) {
    const auto words = vocabulary(tokenizer(name));
    const json ids = golden("ids.json");
    for (const std::string line : ids["lines"]) {
      const std::vector<size_t> begins = words->begins(line);
      ASSERT_EQ(begins.size(), words->encode(line).size());
      EXPECT_TRUE(std::ranges::is_sorted(begins)) << line;
      for (const size_t begin : begins) EXPECT_LT(begin, line.size()) << line;
    }
  }
  EXPECT_EQ(vocabulary(tokenizer("bert"))->begins("  Thé \xE4\xB8\xAD[MASK]"),
            (std::vector<size_t>{2, 7, 10}));
  EXPECT_EQ(vocabulary(tokenizer("gpt2"))->begins("thé the"), (std::vector<size_t>{0, 1, 2, 3, 4}));
}

TEST(Tokenizer, bytes_come_back_as_the_text) {
  for (const char* name : {"gpt2", "llama3", "digits"}) {
    const auto words = vocabulary(tokenizer(name));
    const json ids = golden("ids.json");
    for (const std::string line : ids["lines"]) {
      EXPECT_EQ(words->decode(words->encode(line)), line) << name;
      if (line.find("▁") != std::string::npos) continue;
      EXPECT_EQ(words->join(words->pieces(line)), line) << name;
    }
  }
}

TEST(Tokenizer, byte_pairs_are_shown_as_text) {
  const auto words = vocabulary(tokenizer("gpt2"));
  EXPECT_EQ(words->pieces(" the 中"), (Pieces{"▁the", "▁", "<0xE4>", "<0xB8>", "<0xAD>"}));
  EXPECT_EQ(words->id("▁the"), words->encode(" the")[0]);
  EXPECT_EQ(words->id("gibt es nicht"), std::nullopt);
  EXPECT_EQ(words->bos(), 0);
  EXPECT_EQ(words->eos(), 0);
  EXPECT_EQ(words->unk(), words->id("<0xFF>"));
  EXPECT_TRUE(words->is_byte(words->unk()));
  EXPECT_EQ(std::string(words->file_ending()), ".json");
}

TEST(Tokenizer, text_that_spells_the_end_is_not_the_end) {
  const auto gpt2 = vocabulary(tokenizer("gpt2")), llama = vocabulary(tokenizer("llama3"));
  const Ids spelled = gpt2->encode("a<|endoftext|>");
  EXPECT_GT(spelled.size(), 5U);
  EXPECT_EQ(std::ranges::find(spelled, gpt2->eos()), spelled.end());
  EXPECT_EQ(llama->encode("<|eot_id|>x")[0], llama->id("<|eot_id|>"));
  EXPECT_EQ(llama->decode(Ids{llama->bos(), llama->encode("x")[0], llama->eos()}), "x");
  const auto bert = vocabulary(tokenizer("bert"));
  EXPECT_EQ(bert->encode("[CLS][MASK]"), (Ids{bert->required("[CLS]"), bert->required("[MASK]")}));
}

TEST(Tokenizer, words_are_shown_as_words) {
  const auto words = vocabulary(tokenizer("bert"));
  EXPECT_EQ(words->pieces("The cats, ПРИВЕТ [MASK]"),
            (Pieces{"▁the", "▁cat", "s", "▁,", "▁привет", "[MASK]"}));
  EXPECT_EQ(words->join(words->pieces("The cats, ПРИВЕТ there")), "the cats, привет there");
  EXPECT_EQ(words->decode(words->encode("They're the cats, other!")), "they're the cats, other!");
  EXPECT_EQ(words->id("s"), words->encode("cats")[1]);
  EXPECT_EQ(words->piece(words->encode("ПРИВЕТ")[0]), "[UNK]");
}

TEST(Tokenizer, further_rows_of_a_model_have_names) {
  json file = tokenizer("gpt2");
  file["attune"] = {{"size", 310}, {"bos", "Ġthe"}, {"eos", "<|endoftext|>"}};
  const auto words = vocabulary(file);
  EXPECT_EQ(words->size(), 310);
  EXPECT_EQ(words->piece(309), "<unused309>");
  EXPECT_EQ(words->piece(words->bos()), "▁the");
  EXPECT_EQ(parse_vocabulary(words->serialized(), "again")->encode("über"), words->encode("über"));
}

void expect_refusal(const json& file, const std::string& part) {
  testing::expect_error([&] { vocabulary(file); }, part);
}

TEST(Tokenizer, what_attune_does_not_do_is_refused_by_name) {
  const json gpt2 = tokenizer("gpt2"), bert = tokenizer("bert");
  const auto with = [](json file, const json::json_pointer& where, const json& value) {
    file[where] = value;
    return file;
  };
  using Pointer = json::json_pointer;
  expect_refusal(with(gpt2, Pointer("/model/type"), "Unigram"),
                 "model: type: attune reads BPE and WordPiece");
  expect_refusal(with(gpt2, Pointer("/model/byte_fallback"), true), "byte_fallback");
  expect_refusal(with(gpt2, Pointer("/model/end_of_word_suffix"), "</w>"), "end_of_word_suffix");
  expect_refusal(with(gpt2, Pointer("/normalizer"), {{"type", "NFKC"}}), "NFC or none, not 'NFKC'");
  expect_refusal(with(gpt2, Pointer("/pre_tokenizer"), {{"type", "Metaspace"}}), "'Metaspace'");
  expect_refusal(with(gpt2, Pointer("/pre_tokenizer"), nullptr), "pre_tokenizer");
  expect_refusal(with(tokenizer("llama3"), Pointer("/pre_tokenizer/pretokenizers/0/pattern/Regex"), "\\w+"),
                 "attune does not know the expression \\w+");
  expect_refusal(with(bert, Pointer("/normalizer"), {{"type", "Lowercase"}}),
                 "BertNormalizer, not 'Lowercase'");
  expect_refusal(with(bert, Pointer("/model/unk_token"), "<unk>"), "unk_token");
}

TEST(Tokenizer, damaged_files_are_refused) {
  const json gpt2 = tokenizer("gpt2");
  testing::expect_error([] { parse_vocabulary("{\"model\": ", "t.json"); }, "t.json: byte 11 is not JSON");
  testing::expect_error([] { parse_vocabulary("{}", "t.json"); }, "t.json: model: type");
  json file = gpt2;
  file["model"]["vocab"]["zz"] = 4'000'000'000;
  expect_refusal(file, "the id of 'zz' should be a whole number below");
  file["model"]["vocab"]["zz"] = 9'000'000;
  expect_refusal(file, "the id 9000000 of 'zz' is too large for");
  file["model"]["vocab"]["zz"] = 5;
  expect_refusal(file, "have the same id, 5");
  file["model"]["vocab"]["zz"] = "5";
  expect_refusal(file, "should be a whole number");
  file = gpt2;
  file["model"]["merges"].push_back("nicht da");
  expect_refusal(file, "the merge 'nicht da' has a token that is not in the vocabulary");
  file["model"]["merges"] = json::array({"a"});
  expect_refusal(file, "merges: number 1 should be two tokens");
  file = gpt2;
  file["model"]["vocab"].erase("a");
  expect_refusal(file, "no token for the byte 0x61");
  file = gpt2;
  file["added_tokens"][0]["id"] = 7;
  expect_refusal(file, "'<|endoftext|>' has two ids");
  file = gpt2;
  file["attune"] = {{"size", 1'000'000'000}};
  expect_refusal(file, "size: the tokenizer has 297 tokens");
}

}  // namespace
}  // namespace attune
