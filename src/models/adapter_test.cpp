#include "models/adapter.h"

#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "io/files/file.h"
#include "io/weights.h"
#include "models/quantize_folder.h"
#include "models/random_folder_fixture.h"
#include "tensor/quantized.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::expect_close, testing::expect_error;

const std::string kTransformer =
    "{type: transformer, d_model: 16, heads: 2, feed_forward: 24, encoder_layers: 1, decoder_layers: 2}";

// What training leaves of a run with adapters: both of their matrices have changed.
void save_adapter(const fs::path& base, const fs::path& path, uint64_t seed, const LowRank& low_rank) {
  const ModelFiles whole = load_model_files(base);
  Parameters parameters([&](std::string_view name, const Shape&, DType) {
    return whole.parameters->contains(name) ? whole.parameters->at(name) : Tensor();
  });
  whole.config->make(Scope(parameters, Random(seed)).with(low_rank), words_of(whole.vocabularies));
  for (const auto& entry : parameters.entries())
    if (entry.trained())
      entry.tensor.detach().copy_from(
          testing::random_tensor(entry.tensor.shape(), seed + 1, 0.3, DType::f32));
  const Adapter adapter = adapter_over(whole, low_rank);
  const testing::RandomDecoding decoding;
  const testing::RandomTrained trained;
  save_model_folder(path, *whole.config, whole.vocabularies, parameters, fields_of(decoding),
                    fields_of(trained), &adapter);
}

Tensor features(const ModelFiles& files) {
  const NoGrad no_grad;
  Pass pass;
  return files.model->features({.source = ragged({{3, 4, 5, 2}, {6, 2}}),
                                .given = ragged({{1, 6, 7}, {1, 3, 3, 3}}),
                                .segments = {},
                                .expected = {}},
                               pass);
}

struct Folders {
  testing::ScratchFolder scratch;
  fs::path base = scratch / "base", adapter = scratch / "some/adapter";
  LowRank low_rank{.rank = 2, .alpha = 4, .places = {}};

  explicit Folders(const std::string& configuration = kTransformer) {
    testing::save_random_model(base, configuration, 3);
    fs::create_directories(adapter.parent_path());
    save_adapter(base, adapter, 4, low_rank);
  }
};

TEST(Adapter, stands_over_its_base_for_every_type) {
  for (const std::string& text :
       {kTransformer, std::string("{type: rnn, embedding: 8, hidden: 12}"),
        std::string("{type: deep_rnn, embedding: 8, hidden: 12, decoder_transitions: 2}"),
        std::string("{type: gpt, d_model: 16, heads: 2, feed_forward: 24, layers: 2, activation: swiglu}")}) {
    const Folders folders(text);
    const ModelFiles loaded = load_model_files(folders.adapter), base = load_model_files(folders.base);
    EXPECT_FALSE(fs::exists(folders.adapter / kWeightsFile));
    EXPECT_GT(loaded.parameters->count(), base.parameters->count());
    const ModelFiles whole = whole_model(loaded);
    EXPECT_EQ(whole.parameters->count(), base.parameters->count());
    expect_close(features(loaded), features(whole), 1e-5, text);
    bool moved = false;
    const Tensor was = features(base), is = features(loaded);
    for (int64_t i = 0; i < is.size(); ++i)
      moved = moved || std::abs(is.data<float>()[i] - was.data<float>()[i]) > 1e-3f;
    EXPECT_TRUE(moved) << text;
  }
}

TEST(Adapter, shares_the_memory_and_the_vocabulary_of_its_base_with_others) {
  const Folders folders;
  save_adapter(folders.base, folders.scratch / "second", 9, folders.low_rank);
  for (const WeightsIn in : {WeightsIn::file, WeightsIn::memory}) {
    const ModelFiles first = load_model_files(folders.adapter, in),
                     second = load_model_files(folders.scratch / "second", in),
                     base = load_model_files(folders.base, in);
    const std::string name = "encoder.layer0.self.qkv.weight";
    EXPECT_EQ(first.parameters->at(name).storage(), second.parameters->at(name).storage());
    EXPECT_EQ(first.parameters->at(name).storage(), base.parameters->at(name).storage());
    EXPECT_EQ(first.vocabularies.source, second.vocabularies.source);
    EXPECT_TRUE(first.vocabularies.joint());
    EXPECT_NE(first.parameters->at("encoder.layer0.self.qkv.lora_a").storage(),
              second.parameters->at("encoder.layer0.self.qkv.lora_a").storage());
  }
}

TEST(Adapter, a_base_that_was_replaced_is_not_taken_from_memory) {
  const Folders folders;
  const ModelFiles before = load_model_files(folders.base);
  testing::save_random_model(folders.base, kTransformer, 77);
  const ModelFiles now = load_model_files(folders.base);
  EXPECT_NE(now.parameters->at("output.bias").storage(), before.parameters->at("output.bias").storage());
  expect_error([&] { load_model_files(folders.adapter); },
               "this adapter was trained over other weights than those that are in");
}

TEST(Adapter, moves_with_its_base_but_not_without_it) {
  const Folders folders;
  const fs::path moved = folders.scratch / "elsewhere";
  fs::create_directories(moved);
  const Tensor was = features(load_model_files(folders.adapter));
  fs::rename(folders.base, moved / "base");
  fs::rename(folders.adapter.parent_path(), moved / "some");
  expect_close(features(load_model_files(moved / "some/adapter")), was, 0, "features");
  fs::rename(moved / "base", moved / "other");
  expect_error([&] { load_model_files(moved / "some/adapter"); },
               "which is not there; write where it is into");
}

TEST(Adapter, that_does_not_fit_its_base_is_refused) {
  const Folders folders;
  const fs::path file = folders.adapter / "config.json";
  const std::string text = read_file(file);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    write_file_atomically(file, changed);
  };
  with("\"rank\": 2", "\"rank\": 3");
  expect_error([&] { load_model_files(folders.adapter); }, "lora_a' is F32 [2,");
  with("\"places\": []", "\"places\": [\"cross\"]");
  expect_error([&] { load_model_files(folders.adapter); }, "is not part of the model");
  with("\"base\": \"../../base\"", "\"base\": \"../adapter\"");
  expect_error([&] { load_model_files(folders.adapter); }, "is an adapter itself");
  write_file_atomically(file, text);
  EXPECT_NO_THROW(load_model_files(folders.adapter));
}

TEST(Adapter, cannot_stand_over_another_one) {
  const Folders folders;
  expect_error([&] { adapter_over(load_model_files(folders.adapter), folders.low_rank); },
               "this is an adapter itself");
}

TEST(Adapter, is_quantised_with_its_base) {
  const Folders folders;
  const QuantizedFolder made = quantize_model_folder(folders.adapter, folders.scratch / "small");
  EXPECT_GT(made.matrices.size(), 5u);
  const ModelFiles small = load_model_files(folders.scratch / "small");
  EXPECT_TRUE(any_narrow(*small.parameters));
  EXPECT_EQ(small.decoding.at(0).values.at(0), "3");
  expect_close(features(small), features(load_model_files(folders.adapter)), 0.1, "features");
}

}  // namespace
}  // namespace attune
