#include "train/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "attune/error.h"
#include "io/safetensors.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using testing::expect_error, testing::ScratchFolder;

struct Small {
  std::unique_ptr<ModelConfig> config = model_config("rnn");
  TrainConfig train;
  std::unique_ptr<Learner> learner;

  explicit Small(int64_t hidden = 4, int64_t seed = 1) {
    assign(fields_of(*config),
           {{"embedding", {"4"}, false, ""}, {"hidden", {std::to_string(hidden)}, false, ""}});
    train.seed = seed;
    learner = std::make_unique<Learner>(*config, Words{10, 10}, train);
  }

  Tensor at(const std::string& name) const { return learner->parameters().at(name).detach(); }
};

// Three words from three.
Batch batch() {
  const Ragged source = ragged(std::vector<std::vector<int32_t>>{{3, 4, 5, 2}}),
               given = ragged(std::vector<std::vector<int32_t>>{{1, 6, 7, 8}}),
               expected = ragged(std::vector<std::vector<int32_t>>{{6, 7, 8, 2}});
  return {.source = source, .given = given, .segments = {}, .expected = expected.ids};
}

SafeTensors written(const ScratchFolder& folder, std::span<const NamedTensor> tensors) {
  write_safetensors(folder / "checkpoint", tensors);
  return SafeTensors::read(folder / "checkpoint");
}

TEST(Learner, restores_each_parameter_by_its_name) {
  const ScratchFolder folder;
  const Small from(4, 1), to(4, 2);
  std::vector<NamedTensor> tensors = from.learner->tensors();
  // Two parameters of the same shape change places, as if they were created in another order.
  const auto& entries = from.learner->parameters().entries();
  size_t a = 0, b = 0;
  for (size_t i = 0; i < entries.size() && b == 0; ++i)
    for (size_t j = i + 1; j < entries.size() && b == 0; ++j)
      if (entries[i].tensor.shape() == entries[j].tensor.shape() && entries[i].tensor.shape().rank() == 2)
        a = i, b = j;
  ASSERT_GT(b, 0u);
  for (NamedTensor& one : tensors) {
    if (one.name == "values/" + entries[a].name)
      one.name = "values/" + entries[b].name;
    else if (one.name == "values/" + entries[b].name)
      one.name = "values/" + entries[a].name;
  }
  const SafeTensors file = written(folder, tensors);
  to.learner->restore(&file, 3);
  testing::expect_close(to.at(entries[a].name), from.at(entries[b].name), 0, "a");
  testing::expect_close(to.at(entries[b].name), from.at(entries[a].name), 0, "b");
}

TEST(Learner, refuses_a_checkpoint_of_another_model) {
  const ScratchFolder folder;
  const Small narrow(4), wide(6);
  const SafeTensors file = written(folder, narrow.learner->tensors());
  expect_error([&] { wide.learner->restore(&file, 1); }, "but the model expects [");
  std::vector<NamedTensor> fewer = narrow.learner->tensors();
  const std::string missing = fewer.back().name;
  fewer.pop_back();
  const SafeTensors part = written(folder, fewer);
  expect_error([&] { narrow.learner->restore(&part, 1); }, "'" + missing + "' is missing");
}

TEST(Learner, refuses_a_checkpoint_without_names) {
  const ScratchFolder folder;
  const Small small;
  const std::vector<NamedTensor> flat{{"values", small.learner->parameters().values()},
                                      {"first_moment", small.learner->parameters().values()},
                                      {"second_moment", small.learner->parameters().values()}};
  const SafeTensors file = written(folder, flat);
  expect_error([&] { small.learner->restore(&file, 1); }, "did not store parameter names");
}

TEST(Learner, weights_come_back_from_their_average_also_when_something_fails) {
  Small small;
  small.train.exponential_smoothing = 0.1;
  small.learner = std::make_unique<Learner>(*small.config, Words{10, 10}, small.train);
  const Tensor weights = small.learner->parameters().values();
  const Tensor average = weights.clone();
  weights.fill(7);  // the average stays where it was
  const auto seen_with_average = [&](bool fails) {
    Tensor seen;
    const auto look = [&] {
      small.learner->with_average([&] {
        seen = weights.clone();
        if (fails) throw Error("the disk is full");
      });
    };
    if (fails)
      expect_error(look, "the disk is full");
    else
      look();
    return seen;
  };
  for (const bool fails : {false, true}) {
    testing::expect_close(seen_with_average(fails), average, 0, "average");
    testing::expect_close(weights, Tensor::full(weights.shape(), 7), 0, "weights");
  }
}

TEST(Learner, two_passes_without_dropout_are_consistent) {
  const auto gradients = [](double consistency) {
    Small small;
    small.train.consistency = consistency;
    assign(fields_of(*small.config), {{"dropout", {"0"}, false, ""}});
    small.learner = std::make_unique<Learner>(*small.config, Words{10, 10}, small.train);
    small.learner->add(batch(), Random(1));
    return small.learner->parameters().gradients().clone();
  };
  const Tensor once = gradients(0);
  testing::expect_close(gradients(3), once, 1e-5, "gradient");
}

TEST(Learner, dropout_makes_passes_inconsistent) {
  const auto norm = [](double consistency) {
    Small small;
    small.train.consistency = consistency;
    assign(fields_of(*small.config), {{"dropout", {"0.5"}, false, ""}});
    small.learner = std::make_unique<Learner>(*small.config, Words{10, 10}, small.train);
    small.learner->add(batch(), Random(1));
    return small.learner->update(0).norm;
  };
  EXPECT_GT(std::abs(norm(1) - norm(100)), 1e-4);
}

// The loss grows by l2/2 |w|^2, so the gradient by l2 w. After one update Adam's first moment is (1 - beta1)
// times the gradient, of which only the part of the words is clipped.
TEST(Learner, l2_adds_the_weights_to_the_gradient) {
  const auto numbers = [](const Small& small, std::string_view kind) {
    std::vector<float> all;
    for (const NamedTensor& one : small.learner->tensors())
      if (one.name.starts_with(kind)) std::ranges::copy(one.tensor.span<float>(), std::back_inserter(all));
    return all;
  };
  constexpr double kL2 = 0.5;
  for (const double clip_norm : {0.0, 0.01}) {
    std::vector<float> weights, moments[2];
    for (const int with : {0, 1}) {
      Small small;
      small.train.l2 = with * kL2;
      small.train.clip_norm = clip_norm;
      small.learner = std::make_unique<Learner>(*small.config, Words{10, 10}, small.train);
      weights = numbers(small, "values/");
      small.learner->add(batch(), Random(1));
      small.learner->update(1e-3);
      moments[with] = numbers(small, "first_moment/");
    }
    ASSERT_EQ(moments[1].size(), weights.size());
    for (size_t i = 0; i < weights.size(); ++i)
      ASSERT_NEAR(moments[1][i] - moments[0][i], (1 - TrainConfig().adam_beta1) * kL2 * weights[i], 1e-6)
          << i;
  }
}

Small in_bf16() {
  Small small;
  small.train.precision = PrecisionChoice::bf16;
  small.learner = std::make_unique<Learner>(*small.config, Words{10, 10}, small.train);
  return small;
}

TEST(Learner, products_in_bf16_lead_almost_the_same_way) {
  const Small exact, rough = in_bf16();
  std::vector<double> norms;
  for (const Small* each : {&exact, &rough}) {
    each->learner->add(batch(), Random(1));
    norms.push_back(each->learner->update(1e-3).norm);
  }
  EXPECT_NE(norms[0], norms[1]);
  EXPECT_NEAR(norms[0], norms[1], 8. / 256 * norms[0]);
  const auto weights = rough.learner->parameters().values().span<float>();
  EXPECT_TRUE(std::ranges::any_of(weights, [](float x) { return x != static_cast<float>(BFloat16(x)); }))
      << "weights are f32";
}

TEST(Learner, an_update_in_bf16_that_is_not_finite_changes_nothing) {
  const Small small = in_bf16();
  const Tensor weights = small.learner->parameters().values();
  for (const auto& entry : small.learner->parameters().entries())
    if (entry.tensor.shape().rank() == 2) entry.tensor.row<float>(0)[0] = 3.4e38f;  // rounds to infinity
  const Tensor before = weights.clone();
  small.learner->add(batch(), Random(1));
  EXPECT_FALSE(small.learner->update(1e-3).finite);
  testing::expect_close(weights, before, 0, "weights");
}

struct Taught {
  ScratchFolder folder;
  Small teacher{4, 1};

  Taught() {
    const std::shared_ptr<const Vocabulary> words =
        train_vocabulary({{1, [](int64_t) { return "a b c d e f g"; }}}, {.kind = VocabularyKind::word});
    save_model_folder(
        folder / "teacher", *teacher.config, {words, words}, teacher.learner->parameters(), [](Fields&) {},
        [](Fields&) {});
  }
  double norm(int64_t seed, double weight) const {
    Small student(4, seed);
    student.train.teacher = (folder / "teacher").string();
    student.train.teacher_weight = weight;
    assign(fields_of(*student.config), {{"dropout", {"0"}, false, ""}});
    student.learner = std::make_unique<Learner>(*student.config, Words{10, 10}, student.train);
    student.learner->add(batch(), Random(1));
    return student.learner->update(0).norm;
  }
};

TEST(Learner, who_is_like_the_teacher_has_nothing_to_learn) {
  const Taught taught;
  EXPECT_NEAR(taught.norm(1, 1), 0, 1e-6);
  EXPECT_GT(taught.norm(2, 1), 1e-3);
  EXPECT_GT(taught.norm(1, 0.5), 1e-3);
}

TEST(Learner, refuses_a_teacher_of_another_vocabulary) {
  const Taught taught;
  Small student;
  student.train.teacher = (taught.folder / "teacher").string();
  expect_error(
      [&] {
        Learner(*student.config, Words{11, 11}, student.train);
      },
      "has another vocabulary than this model");
}

}  // namespace
}  // namespace attune
