#include "convert/convert.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "convert/ctranslate2/file.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

std::shared_ptr<const Vocabulary> vocabulary(const std::string& line,
                                             VocabularyKind kind = VocabularyKind::word) {
  return train_vocabulary({{1, [line](int64_t) { return line; }}}, {.kind = kind});
}

const std::string kSmall =
    "type: transformer\nencoder_layers: 2\ndecoder_layers: 1\nd_model: 8\nheads: 2\nfeed_forward: "
    "12\nmax_positions: 9\n";

// A random transformer in a folder of attune, exported and imported again.
struct Exported {
  testing::ScratchFolder scratch;
  fs::path mine = scratch / "mine", theirs = scratch / "theirs", back = scratch / "back";

  explicit Exported(const std::string& more, bool joint = true) {
    const auto config = read_model_config(read_yaml(kSmall + more, "test.yml"));
    Vocabularies words{vocabulary("a b c d"), nullptr};
    words.target = joint ? words.source : vocabulary("x y");
    Parameters parameters;
    const auto model =
        config->make(Scope(parameters, Random(3)), {words.source->size(), words.target->size()});
    for (const auto& [name, tensor, offset] : parameters.entries())  // norms and biases would be constants
      tensor.copy_from(
          testing::random_tensor(tensor.shape(), static_cast<uint64_t>(offset) + 1, 0.5, DType::f32));
    save_model_folder(
        mine, *config, words, parameters, [](Fields&) {}, [](Fields&) {});
  }
  void write(FileNumbers precision = FileNumbers::f32) const {
    exporter_of("ctranslate2").write(load_model_files(mine), theirs, precision);
  }
  ModelFiles read_back() const {
    save_imported(importer_of(theirs).read({theirs}), back);
    return load_model_files(back);
  }
};

Tensor features(const ModelFiles& folder) {
  const NoGrad no_grad;
  Pass pass;
  return folder.model->logits(
      folder.model->features({.source = {Tensor::of<int32_t>({4}, {3, 2, 4, 2}), Rows{2, 2}},
                              .given = {Tensor::of<int32_t>({4}, {1, 4, 1, 3}), Rows{2, 2}},
                              .segments = {},
                              .expected = {}},
                             pass));
}

class Expressible : public ::testing::TestWithParam<std::string> {};

TEST_P(Expressible, model_comes_back_with_the_same_logits) {
  const Exported exported(GetParam(), GetParam().find("tied_embeddings: false") == std::string::npos);
  exported.write();
  testing::expect_close(features(exported.read_back()), features(load_model_files(exported.mine)), 0,
                        "logits");
}

TEST(Convert, a_model_that_was_there_and_back_has_the_same_weights) {
  const Exported exported("");
  exported.write();
  exported.read_back();
  EXPECT_EQ(testing::get(exported.back / "weights.safetensors"),
            testing::get(exported.mine / "weights.safetensors"));
}

INSTANTIATE_TEST_SUITE_P(
    Convert, Expressible,
    ::testing::Values(
        "", "norm: pre\nnorm_kind: rms\nactivation: swiglu\n", "positions: rotary\nactivation: gelu\n",
        "positions: sinusoidal_split\nactivation: gelu_tanh\n", "positions: rotary\nrotary_base: 500\n",
        "positions: sinusoidal_halves\nactivation: swish\nzero_start: true\nnorm_epsilon: 0.001\n",
        "positions: learned\nattention: dot\nscale_embeddings: false\nsource_end: false\n",
        "positions: none\nnorm: pre\ntied_output: false\n", "tied_embeddings: false\n",
        "tied_embeddings: false\ntied_output: false\n"));

TEST(Convert, what_ctranslate2_cannot_do_is_refused_by_its_key) {
  expect_error([] { Exported("positions: alibi\n").write(); }, "positions: ");
  expect_error([] { Exported("attention: additive\n").write(); }, "attention: ");
}

TEST(Convert, int8_rows_are_within_half_a_step) {
  const Exported exported("");
  exported.write(FileNumbers::int8);
  const ModelFiles mine = load_model_files(exported.mine), back = exported.read_back();
  for (const auto& [name, tensor, offset] : mine.parameters->entries()) {
    const Tensor other = back.parameters->at(name);
    for (int64_t r = 0; r < tensor.rows(); ++r) {
      float most = 0;
      for (const float x : tensor.row<float>(r)) most = std::max(most, std::abs(x));
      for (int64_t i = 0; i < tensor.columns(); ++i)
        EXPECT_NEAR(other.row<float>(r)[static_cast<size_t>(i)], tensor.row<float>(r)[static_cast<size_t>(i)],
                    0.501 * most / 127)
            << name;
    }
  }
}

// As OpenNMT writes them: no <unk> in the list, <blank> first, </s> not read by the encoder.
TEST(Convert, tokens_may_stand_in_another_order) {
  const Exported exported("tied_embeddings: false\n", false);
  exported.write();
  ctranslate2::Model model = ctranslate2::read_model(exported.theirs / "model.bin");
  const auto moved = [](const Tensor& table) {  // <s>, </s>, others.., <unk>
    const Tensor out = table.clone();
    const int64_t rows = table.shape()[0], d = table.size() / rows;
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(table.data<float>() + (r + 1) % rows * d, d, out.data<float>() + r * d);
    return out;
  };
  for (const char* name :
       {"encoder/embeddings_0/weight", "decoder/embeddings/weight", "decoder/projection/bias"})
    model.variables[name] = ctranslate2::variable_of(moved(model.tensor(name)));
  ctranslate2::write_model(exported.theirs / "model.bin", model);
  testing::put(exported.theirs / "source_vocabulary.json", R"(["<s>", "</s>", "a", "b", "c", "d"])");
  testing::put(exported.theirs / "target_vocabulary.json", R"(["<s>", "</s>", "x", "y"])");
  const ModelFiles back = exported.read_back(), mine = load_model_files(exported.mine);
  EXPECT_EQ(back.vocabularies.source->kind(), VocabularyKind::character);  // all tokens are
  EXPECT_EQ(back.vocabularies.source->encode("bd"), mine.vocabularies.source->encode("b d"));
  for (const char* name : {"source.weight", "target.weight", "output.bias"})
    testing::expect_close(back.parameters->at(name), mine.parameters->at(name), 0, name);
}

TEST(Convert, a_folder_that_does_not_fit_is_refused) {
  const Exported exported("");
  expect_error([&] { importer_of(exported.mine); }, "attune cannot convert this");
  expect_error([&] { importer_of(exported.scratch / "none"); }, "no such");
  exported.write();
  testing::put(exported.theirs / "shared_vocabulary.json", R"(["<unk>", "<s>", "</s>", "a"])");
  expect_error([&] { exported.read_back(); }, "the vocabulary has 4 tokens, but the table has 7 rows");
  testing::put(exported.theirs / "shared_vocabulary.json", "[1, 2");
  expect_error([&] { exported.read_back(); }, "shared_vocabulary.json");
  fs::remove(exported.theirs / "shared_vocabulary.json");
  expect_error([&] { exported.read_back(); }, "no source_vocabulary");
}

}  // namespace
}  // namespace attune
