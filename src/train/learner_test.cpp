#include "train/learner.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "io/safetensors.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

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

}  // namespace
}  // namespace attune
