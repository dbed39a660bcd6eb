// Folders of Hugging Face, and what an independent implementation says of them: tests/golden/huggingface.py.
#include <gtest/gtest.h>

#include "convert/huggingface/folder_fixture.h"
#include "testing/op_check.h"

namespace attune::huggingface {
namespace {

using testing::HuggingFaceFolder, testing::json;
namespace fs = std::filesystem;

TEST(HuggingFaceImport, logits_are_those_of_the_original) {
  const json models = testing::golden_models();
  ASSERT_GE(models.size(), 12U);
  for (const auto& [name, about] : models.items()) {
    const HuggingFaceFolder folder(name);
    const ModelFiles files = folder.imported();
    const std::vector<float> logits = testing::logits_of(files, about);
    const size_t symbols = name == "bert_classes" ? 3 : 0;  // <unk>, <s>, </s>
    ASSERT_GE(logits.size(), about["logits"].size());
    for (size_t i = 0; i < about["logits"].size(); ++i) {
      const bool pad = folder.config["model_type"] == "marian" && i + 1 == logits.size();
      if (pad) continue;  // never written
      EXPECT_NEAR(logits[i + symbols], about["logits"][i].get<float>(), 1e-4) << name << ", logit " << i;
    }
  }
}

TEST(HuggingFaceImport, vocabularies_come_along) {
  const ModelFiles gpt2 = HuggingFaceFolder("gpt2").imported(), llama = HuggingFaceFolder("llama").imported(),
                   bert = HuggingFaceFolder("bert_classes").imported();
  EXPECT_EQ(gpt2.vocabularies.source->size(), 310);
  EXPECT_EQ(gpt2.vocabularies.source->decode(gpt2.vocabularies.source->encode("größer 日本\n")),
            "größer 日本\n");
  EXPECT_EQ(llama.vocabularies.source->piece(llama.vocabularies.source->eos()), "<|end_of_text|>");
  EXPECT_EQ(bert.vocabularies.source->required("[MASK]"), 4);
  EXPECT_EQ(bert.vocabularies.target->piece(3), "not_so_good");
  EXPECT_EQ(bert.vocabularies.target->piece(4), "größer");
}

TEST(HuggingFaceImport, config_says_which_tokens_begin_and_end) {
  HuggingFaceFolder folder("llama");
  folder.config["bos_token_id"] = 1;
  folder.config["eos_token_id"] = {2, 1};
  const auto words = folder.imported().vocabularies.source;
  EXPECT_EQ(words->bos(), 1);
  EXPECT_EQ(words->eos(), 2);
}

TEST(HuggingFaceImport, older_tokenizer_files_say_the_same) {
  const HuggingFaceFolder gpt2("gpt2"), bert("bert_mask");
  const json bpe = json::parse(testing::get(gpt2.path / "tokenizer.json"))["model"],
             pieces = json::parse(testing::get(bert.path / "tokenizer.json"))["model"];
  const auto new_bpe = gpt2.imported().vocabularies.source, new_bert = bert.imported().vocabularies.source;
  std::string merges = "#version: 0.2\n", list;
  for (const std::string merge : bpe["merges"]) merges += merge + "\n";
  testing::put(gpt2.path / "merges.txt", merges);
  testing::put(gpt2.path / "vocab.json", bpe["vocab"].dump());
  std::vector<std::string> tokens(pieces["vocab"].size());
  for (const auto& [token, id] : pieces["vocab"].items()) tokens[id] = token;
  for (const std::string& token : tokens) list += token + "\n";
  testing::put(bert.path / "vocab.txt", list);
  fs::remove(gpt2.path / "tokenizer.json");
  fs::remove(bert.path / "tokenizer.json");
  const auto old_bpe = gpt2.imported().vocabularies.source;
  const auto uncased = bert.imported().vocabularies.source;
  testing::put(bert.path / "tokenizer_config.json", R"({"do_lower_case": false})");
  const auto cased = bert.imported().vocabularies.source;
  const json golden = json::parse(testing::get(testing::kGolden / "ids.json"));
  for (const std::string line : golden["lines"]) {
    EXPECT_EQ(old_bpe->encode(line), new_bpe->encode(line)) << line;
    EXPECT_EQ(uncased->encode(line), new_bert->encode(line)) << line;
  }
  EXPECT_NE(cased->encode("Hello"), uncased->encode("Hello"));
  EXPECT_EQ(cased->pieces("Hello"), std::vector<std::string>{"▁Hello"});
}

TEST(HuggingFaceImport, about_tells_what_was_recognised) {
  const HuggingFaceFolder folder("gpt2_gelu");
  const Importer& importer = importer_of(folder.path);
  EXPECT_EQ(importer.name, "huggingface");
  EXPECT_EQ(importer.about(folder.path), "model_type gpt2, 28 tensors in 2 files, F16");
}

void expect_refusal(const HuggingFaceFolder& folder, const std::string& part) {
  attune::testing::expect_error([&] { folder.imported(); }, part);
  EXPECT_FALSE(fs::exists(folder.scratch / "out"));
}

TEST(HuggingFaceImport, pickles_are_refused_with_the_way_out) {
  const HuggingFaceFolder folder("gpt2");
  fs::remove(folder.path / "model.safetensors");
  testing::put(folder.path / "pytorch_model.bin", "\x80\x02.");
  attune::testing::expect_error([&] { importer_of(folder.path).read({folder.path}); }, "save_pretrained");
  fs::remove(folder.path / "pytorch_model.bin");
  attune::testing::expect_error([&] { importer_of(folder.path).read({folder.path}); },
                                "there is no model.safetensors");
}

TEST(HuggingFaceImport, tensors_that_are_missing_left_over_or_of_another_shape_are_refused_by_name) {
  const std::pair<const char*, const char*> models[] = {
      {"gpt2", "transformer.h.1.mlp.c_fc.weight"},
      {"llama", "model.layers.1.mlp.up_proj.weight"},
      {"bert_mask", "bert.encoder.layer.1.output.dense.weight"},
      {"distilbert", "distilbert.transformer.layer.0.ffn.lin1.bias"},
      {"marian_mt", "model.decoder.layers.1.fc1.weight"}};
  for (const auto& [name, tensor] : models) {
    HuggingFaceFolder more(name);
    more.tensors["größe.weight"] = {{1}, {1.f}};
    expect_refusal(more, "the tensor 'größe.weight' is not a part of the network");
    HuggingFaceFolder missing(name);
    missing.tensors.erase(tensor);
    expect_refusal(missing, "there is no tensor '");
    HuggingFaceFolder shape(name);
    shape.tensors[tensor] = {{3, 3}, std::vector<float>(9)};
    expect_refusal(shape, "the model's sizes require");
  }
  HuggingFaceFolder keys("llama");
  keys.tensors["model.layers.0.self_attn.k_proj.weight"] = {{3, 3}, std::vector<float>(9)};
  expect_refusal(keys, "but the heads require 4 rows");
}

TEST(HuggingFaceImport, options_that_mean_another_network_are_refused_by_name) {
  const auto refuse = [](const char* model, const char* key, const json& value, const std::string& part) {
    HuggingFaceFolder folder(model);
    folder.config[key] = value;
    expect_refusal(folder, part);
  };
  refuse("gpt2", "model_type", "gptj", "model_type: attune reads gpt2, llama");
  refuse("gpt2", "architectures", json::array({"GPT2ForSequenceClassification"}),
         "architectures: it takes GPT2LMHeadModel");
  refuse("gpt2", "scale_attn_by_inverse_layer_idx", true, "scale_attn_by_inverse_layer_idx");
  refuse("gpt2", "activation_function", "mish", "activation_function: attune has relu");
  refuse("gpt2", "n_layer", -1, "n_layer: it should be a whole number");
  refuse("gpt2", "n_layer", 3, "there is no tensor 'h.2.");
  refuse("gpt2", "n_embd", 1'000'000'000'000, "n_embd: it should be 1 to");
  refuse("gpt2", "n_positions", "many", "n_positions: it should be a whole number");
  refuse("llama", "rope_scaling", json{{"rope_type", "yarn"}},
         "rope_scaling: rope_type: attune has plain rotary positions and llama3, not 'yarn'");
  refuse("llama", "head_dim", 7, "head_dim: attune's heads have");
  refuse("llama", "num_key_value_heads", 3, "key_heads: 4 heads cannot share 3 keys");
  refuse("llama", "hidden_act", "gelu", "hidden_act: attune has the network for 'silu' only");
  refuse("bert_mask", "position_embedding_type", "relative_key", "position_embedding_type");
  refuse("bert_mask", "hidden_act", "relu", "hidden_act: the head of attune's bert has gelu");
  refuse("bert_classes", "problem_type", "regression", "problem_type");
  refuse("marian_mt", "normalize_before", true, "normalize_before: attune has the network for false only");
  refuse("marian_mt", "vocab_size", 9, "vocab_size and d_model require [9, 8]");
  refuse("marian_mt", "max_position_embeddings", 1'000'000'000, "max_position_embeddings: it should be 1 to");
  refuse("marian_mt", "decoder_start_token_id", 99, "decoder_start_token_id: the model has no such token");
}

TEST(HuggingFaceImport, damaged_files_are_refused) {
  const HuggingFaceFolder folder("gpt2_gelu");
  const std::string whole = testing::get(folder.path / "a.safetensors");
  const auto read = [&] { importer_of(folder.path).read({folder.path}); };
  for (size_t length = 0; length < whole.size(); length += 1 + length / 3) {
    testing::put(folder.path / "a.safetensors", whole.substr(0, length));
    attune::testing::expect_error(read, "a.safetensors: ");
  }
  testing::put(folder.path / "a.safetensors", whole);
  testing::put(folder.path / "model.safetensors.index.json", R"({"weight_map": {"x": "../a.safetensors"}})");
  attune::testing::expect_error(read, "the file of 'x' should be one in this folder");
  testing::put(folder.path / "model.safetensors.index.json", R"({"weight_map": {"x": "a.safetensors"}})");
  attune::testing::expect_error(read, "'x' is in none of the files");
  testing::put(folder.path / "config.json", R"({"model_type": "gpt2", )");
  attune::testing::expect_error(read, "attune cannot convert this");
}

TEST(HuggingFaceImport, a_start_of_zeros_is_kept_as_such) {
  const ModelFiles zeros = HuggingFaceFolder("marian_mt").imported(),
                   start = HuggingFaceFolder("marian_mt_start").imported();
  EXPECT_EQ(zeros.vocabularies.target->bos(), zeros.vocabularies.target->eos());
  EXPECT_EQ(start.vocabularies.target->piece(start.vocabularies.target->bos()), "<s>");
  EXPECT_EQ(start.vocabularies.target->bos(), 23);
  EXPECT_EQ(zeros.vocabularies.source->encode("ein größer"), (std::vector<int32_t>{2, 4}));
}

}  // namespace
}  // namespace attune::huggingface
