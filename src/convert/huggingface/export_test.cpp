#include <gtest/gtest.h>

#include "config/yaml.h"
#include "convert/huggingface/folder_fixture.h"
#include "io/safetensors.h"
#include "testing/op_check.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune::huggingface {
namespace {

using attune::testing::expect_close, attune::testing::expect_error;
using testing::HuggingFaceFolder, testing::json, testing::ScratchFolder;
namespace fs = std::filesystem;

void write(const ModelFiles& files, const fs::path& folder) {
  exporter_of("huggingface").write(files, folder, FileNumbers::f32);
}

ModelFiles read(const fs::path& folder, const fs::path& to) {
  save_imported(importer_of(folder).read({folder}), to);
  return load_model_files(to);
}

// What the file of a folder has, apart from what transformers makes itself.
std::map<std::string, Tensor> stored(const fs::path& folder) {
  const SafeTensors file = SafeTensors::read(folder / "model.safetensors");
  std::map<std::string, Tensor> all;
  for (const auto& [name, info] : file.tensors()) {
    const bool made = name.ends_with("attn.bias") || name.find("embed_positions") != std::string::npos ||
                      name.find("seq_relationship") != std::string::npos ||
                      name == "cls.predictions.decoder.weight";
    if (!made) all[name] = file.tensor(name);
  }
  return all;
}

TEST(HuggingFaceExport, a_folder_that_was_read_comes_back) {
  for (const char* name : {"gpt2", "gpt2_untied", "llama", "llama_bias", "llama_stretched", "bert_mask",
                           "bert_classes", "marian_mt", "marian_mt_untied"}) {
    const HuggingFaceFolder folder(name);
    const fs::path out = folder.scratch / "again";
    write(folder.imported(), out);
    const auto before = stored(folder.path), after = stored(out);
    ASSERT_EQ(before.size(), after.size()) << name;
    for (const auto& [tensor, numbers] : before) {
      ASSERT_TRUE(after.contains(tensor)) << name << ": " << tensor;
      if (tensor == "final_logits_bias") continue;  // <pad> is never written
      expect_close(after.at(tensor).to(DType::f64), numbers.to(DType::f64), 0, name + (": " + tensor));
    }
    const json config = json::parse(testing::get(out / "config.json"));
    for (const auto& [key, value] : folder.config.items()) {
      if (key == "id2label") continue;  // a class is one word here
      EXPECT_EQ(config.value(key, json()), value) << name << ": " << key;
    }
    const ModelFiles again = read(out, folder.scratch / "second");
    const std::vector<float> logits = testing::logits_of(again, folder.about);
    const size_t symbols = name == std::string("bert_classes") ? 3 : 0;
    for (size_t i = 0; i + 1 < folder.about["logits"].size(); ++i)
      EXPECT_NEAR(logits[i + symbols], folder.about["logits"][i].get<float>(), 1e-4) << name;
    EXPECT_EQ(again.vocabularies.source->encode("ein größer 日本"),
              load_model_files(folder.scratch / "out").vocabularies.source->encode("ein größer 日本"));
  }
}

// A model as training leaves it.
struct Trained {
  ScratchFolder scratch;
  fs::path mine = scratch / "mine", theirs = scratch / "theirs";

  explicit Trained(const std::string& configuration, VocabularyKind kind = VocabularyKind::unigram) {
    const auto config = read_model_config(read_yaml(configuration, "test.yml"));
    VocabularyOptions options;
    options.kind = kind;
    options.size = 60;
    options.user_symbols = {"[CLS]", "[SEP]", "[MASK]"};
    options.byte_fallback = false;
    const std::vector<std::string> text{"ein Haus ist größer als ein Hut", "日本は大きい",
                                        "ein Hut, kein Haus."};
    const std::shared_ptr<const Vocabulary> words =
        train_vocabulary({{3, [&](int64_t i) { return text[static_cast<size_t>(i)]; }}}, options);
    Parameters parameters;
    const auto model = config->make(Scope(parameters, Random(3)), {words->size(), words->size()});
    for (const auto& [name, tensor, offset] : parameters.entries())
      tensor.copy_from(
          attune::testing::random_tensor(tensor.shape(), static_cast<uint64_t>(offset) + 1, 0.5, DType::f32));
    save_model_folder(
        mine, *config, {words, words}, parameters, [](Fields&) {}, [](Fields&) {});
  }

  std::pair<std::vector<float>, std::vector<float>> logits_before_and_after(const json& about) const {
    const ModelFiles before = load_model_files(mine);
    write(before, theirs);
    const ModelFiles after = read(theirs, scratch / "back");
    EXPECT_EQ(after.vocabularies.source->encode("ein Hut, größer"),
              before.vocabularies.source->encode("ein Hut, größer"));
    return {testing::logits_of(before, about), testing::logits_of(after, about)};
  }
  void expect_refusal(const std::string& part) const {
    expect_error([&] { write(load_model_files(mine), theirs); }, part);
    EXPECT_FALSE(fs::exists(theirs));
  }
};

const std::string kSizes = "d_model: 8\nheads: 2\nfeed_forward: 12\nmax_positions: 9\n";
const std::string kGpt = "type: gpt\nlayers: 2\noutput_bias: false\n" + kSizes,
                  kLlama = kGpt + "positions: rotary\nnorm_kind: rms\nactivation: swiglu\n",
                  kBert = "type: bert\nlayers: 2\n" + kSizes,
                  kTransformer = "type: transformer\nencoder_layers: 2\ndecoder_layers: 1\n" + kSizes;

TEST(HuggingFaceExport, models_trained_here_come_back_with_the_same_logits) {
  const json given{{"given", {1, 9, 4}}}, read{{"source", {3, 9, 5, 4}}, {"segments", {0, 0, 0, 0}}},
      both{{"source", {7, 9, 2}}, {"given", {1, 9, 4}}};
  const std::pair<std::string, json> models[] = {
      {kGpt, given},
      {kGpt + "scale_embeddings: false\nactivation: relu\n", given},
      {kGpt + "tied_output: false\nactivation: gelu_tanh\n", given},
      {kLlama, given},
      {kLlama + "scale_embeddings: false\ntied_output: false\nkey_heads: 1\nrotary_base: 100\n", given},
      {kBert, read},
      {kBert + "scale_embeddings: false\nnorm_epsilon: 0.001\n", read},
      {kTransformer, both},
      {kTransformer + "positions: learned\nactivation: swish\ntied_output: false\n", both},
      {kTransformer + "positions: sinusoidal_halves\nzero_start: true\ndecoder_feed_forward: 6\n", both}};
  for (const auto& [configuration, about] : models) {
    const auto [before, after] = Trained(configuration).logits_before_and_after(about);
    ASSERT_LE(before.size(), after.size());  // perhaps with <pad>
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-5) << configuration;
  }
}

TEST(HuggingFaceExport, what_a_folder_cannot_say_is_refused_by_its_key) {
  Trained("type: gpt\nlayers: 1\n" + kSizes).expect_refusal("output_bias: GPT-2 has none");
  Trained(kGpt + "norm: post\n").expect_refusal("norm: GPT-2 has norm: pre");
  Trained(kGpt + "positions: sinusoidal\n").expect_refusal("positions: GPT-2 has learned");
  Trained(kGpt + "positions: rotary\n")
      .expect_refusal("norm_kind: Llama, which has rotary positions, has rms");
  Trained(kGpt + "positions: rotary\nnorm_kind: rms\n").expect_refusal("activation: Llama");
  Trained(kGpt + "activation: swiglu\n").expect_refusal("activation: ");
  Trained(kGpt, VocabularyKind::bpe).expect_refusal("vocab_kind: ");
  Trained(kBert + "norm: pre\n").expect_refusal("norm: BERT has norm: post");
  Trained(kBert + "activation: relu\n").expect_refusal("activation: BERT has");
  Trained(kBert + "attention: additive\n").expect_refusal("attention: BERT has scaled_dot");
  Trained(kTransformer + "norm: pre\n").expect_refusal("norm: MarianMT has norm: post");
  Trained(kTransformer + "norm_kind: rms\n").expect_refusal("norm_kind: MarianMT has layer norms");
  Trained(kTransformer + "norm_epsilon: 0.01\n").expect_refusal("norm_epsilon: MarianMT has 1e-5");
  Trained(kTransformer + "embedding_norm: true\n").expect_refusal("embedding_norm: MarianMT has none");
  Trained(kTransformer, VocabularyKind::word).expect_refusal("vocabularies: MarianMT has SentencePiece");
  Trained("type: rnn_lm\nembedding: 4\nhidden: 4\n").expect_refusal("type: it takes transformer, gpt, bert");
  const Trained small(kGpt);
  expect_error(
      [&] {
        exporter_of("huggingface").write(load_model_files(small.mine), small.theirs, FileNumbers::int8);
      },
      "--precision");
}

}  // namespace
}  // namespace attune::huggingface
