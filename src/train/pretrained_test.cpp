#include "train/pretrained.h"

#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "models/random_folder_fixture.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "train/learner.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

struct Base {
  testing::ScratchFolder scratch;
  fs::path path = scratch / "base";

  Base() {
    testing::save_random_model(path,
                               "{type: transformer, d_model: 8, heads: 2, feed_forward: 12, encoder_layers: "
                               "1, decoder_layers: 1, dropout: 0.3}",
                               3);
  }
  RunConfig run(const std::string& more = "") const {
    return read_run_config(
        read_yaml("{train_sets: [a, b], model: run, pretrained_model: " + path.string() + more + "}", "test"),
        {});
  }
};

Batch batch() {
  return {.source = ragged({{3, 4, 5, 2}}),
          .given = ragged({{1, 6, 7, 8}}),
          .segments = {},
          .expected = Tensor::of<int32_t>({4}, {6, 7, 8, 2})};
}

TEST(Pretrained, gives_the_network_and_the_vocabulary) {
  const Base base;
  const RunConfig run = base.run(", dropout: 0.05, d-model: 8.0, vocab_size: 100");
  EXPECT_EQ(run.model->width(), 8);
  EXPECT_EQ(run.train.vocab_kind, VocabularyKind::word);
  EXPECT_TRUE(run.train.joint_vocab);
  const Entries entries = run.entries();
  const auto value = [&](const char* key) {
    return std::ranges::find(entries, key, &Entry::key)->values.at(0);
  };
  EXPECT_EQ(value("dropout"), "0.05");
  EXPECT_EQ(value("feed_forward"), "12");
  EXPECT_EQ(read_run_config(entries, {}).entries().size(), entries.size()) << "what it writes it reads again";
  EXPECT_TRUE(run.leaves_open());
}

TEST(Pretrained, refuses_what_contradicts_it) {
  const Base base;
  expect_error([&] { base.run(", heads: 4"); }, "has heads: 2, not 4; leave it out");
  expect_error([&] { base.run(", type: rnn"); }, "has type: transformer, not rnn");
  expect_error([&] { base.run(", norm: pre"); }, "has norm: post, not pre");
  expect_error([&] { base.run(", vocab_kind: bpe"); },
               "vocab_kind: the vocabulary is that of the pretrained model");
  expect_error([&] { base.run(", joint_vocab: false"); }, "which has one for both sides");
  expect_error([&] { base.run(", vocab_size: 4"); }, "vocab_size: the vocabulary is that of");
  expect_error([&] { base.run(", size: big"); }, "size: ");
  expect_error([&] { base.run(", freeze: [encoder], lora_rank: 2"); }, "freeze: with lora_rank");
  expect_error(
      [] { read_run_config(read_yaml("{train_sets: [a, b], model: run, freeze: encoder}", "test"), {}); },
      "freeze: it keeps what a pretrained model has learnt");
}

TEST(Pretrained, what_is_frozen_is_neither_copied_nor_changed) {
  const Base base;
  RunConfig run = base.run(", freeze: [embeddings, encoder, '*.norm']");
  run.train.label_smoothing = 0;
  const ModelFiles whole = load_pretrained(run.train.pretrained_model);
  Learner learner(*run.model, words_of(whole.vocabularies), run.train);
  const Taken taken = take_pretrained(whole, learner.parameters());
  EXPECT_TRUE(taken.whole);
  EXPECT_NE(taken.text.find("numbers are trained"), std::string::npos) << taken.text;
  learner.add(batch(), Random(1));
  learner.update(0.1);
  size_t frozen = 0;
  for (const auto& entry : learner.parameters().entries()) {
    const Tensor& before = whole.parameters->at(entry.name);
    if (!entry.trained()) {
      ++frozen;
      EXPECT_EQ(entry.tensor.storage(), before.storage()) << entry.name;
      continue;
    }
    EXPECT_FALSE(std::ranges::equal(entry.tensor.span<float>(), before.span<float>())) << entry.name;
  }
  EXPECT_EQ(frozen, 1u + 12u + 6u) << "the table, the encoder, norms of the decoder";
  for (const NamedTensor& tensor : learner.tensors())
    EXPECT_EQ(tensor.name.find("encoder"), std::string::npos) << tensor.name;
}

TEST(Pretrained, adapters_learn_what_the_weights_would) {
  const Base base;
  RunConfig run = base.run(", lora_rank: 4, dropout: 0");
  run.train.label_smoothing = 0;
  const ModelFiles whole = load_pretrained(run.train.pretrained_model);
  Learner learner(*run.model, words_of(whole.vocabularies), run.train);
  ASSERT_NE(learner.adapter(), nullptr);
  EXPECT_EQ(learner.adapter()->low_rank.alpha, 8);
  take_pretrained(whole, learner.parameters());
  double first = 0, last = 0;
  for (int i = 0; i < 30; ++i) {
    learner.add(batch(), Random(1));
    last = learner.update(0.03).sums.nll;
    if (i == 0) first = last;
  }
  EXPECT_LT(last, 0.5 * first);
  for (const auto& entry : whole.parameters->entries())
    EXPECT_EQ(learner.parameters().at(entry.name).storage(), entry.tensor.storage()) << entry.name;
}

TEST(Pretrained, patterns_that_match_nothing_are_refused) {
  const Base base;
  const auto learner = [&](const std::string& more) {
    const RunConfig run = base.run(more);
    Learner(*run.model, words_of(load_pretrained(run.train.pretrained_model).vocabularies), run.train);
  };
  expect_error(
      [&] { learner(", freeze: [encoder, decodr]"); },
      "no parameter of this model matches 'decodr'; their names begin with decoder, encoder, output, source");
  expect_error([&] { learner(", freeze: '*'"); }, "nothing is left to be trained");
  expect_error([&] { learner(", lora_rank: 2, lora_places: [self, nowhere]"); },
               "no linear layer of this model matches 'nowhere'");
  expect_error([&] { learner(", lora_rank: 20"); }, "lora_rank: 20 is more than the 8 numbers that");
}

}  // namespace
}  // namespace attune
