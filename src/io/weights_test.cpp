#include "io/weights.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "attune/autograd.h"
#include "attune/error.h"
#include "nn/layers.h"
#include "tensor/quantized.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_close, testing::expect_error, testing::ScratchFolder;

struct Pair {
  Linear first, second;
  explicit Pair(const Scope& p, int64_t inner = 5)
      : first(p / "first", 3, inner), second(p / "second", inner, 2) {}
  Tensor operator()(const Tensor& x) const { return second(first(x)); }
};

struct Saved {
  ScratchFolder folder;
  Parameters parameters;
  Pair model{Scope(parameters, Random(1))};

  Saved() { save_weights(file(), parameters); }
  std::filesystem::path file() const { return folder / "weights.safetensors"; }
};

TEST(Weights, are_loaded_into_parameters_as_they_were_saved) {
  const Saved saved;
  Parameters other;
  const Pair model(Scope(other, Random(2)));
  const SafeTensors file = SafeTensors::read(saved.file());
  Parameters read(file_weights(file));
  const Pair of_file(Scope(read, Random(3)));
  const SharedWeights loaded = load_weights(read, "file", other);
  EXPECT_EQ(loaded.taken.size(), other.entries().size());
  EXPECT_TRUE(loaded.fresh.empty() && loaded.left.empty());
  for (const auto& entry : other.entries())
    expect_close(entry.tensor, saved.parameters.at(entry.name), 0, entry.name);
  (void)other.values();  // they can be trained
}

struct Headed {
  Linear first, head;
  explicit Headed(const Scope& p, int64_t inner = 5)
      : first(p / "first", 3, inner), head(p / "head", inner, 7) {}
};

TEST(Weights, that_two_models_share_are_taken_and_the_rest_is_named) {
  const Saved saved;
  Parameters other, untouched;
  const Headed model(Scope(other, Random(2))), same(Scope(untouched, Random(2)));
  const SharedWeights weights = load_weights(saved.parameters, "saved", other);
  using Names = std::vector<std::string>;
  EXPECT_EQ(weights.taken, (Names{"first.weight", "first.bias"}));
  EXPECT_EQ(weights.fresh, (Names{"head.weight", "head.bias"}));
  EXPECT_EQ(weights.left, (Names{"second.weight", "second.bias"}));
  expect_close(model.first.weight, saved.model.first.weight, 0, "taken");
  expect_close(model.head.weight, same.head.weight, 0, "new");
}

TEST(Weights, that_two_models_share_must_fit) {
  const Saved saved;
  Parameters wider, strange;
  const Headed model(Scope(wider, Random(2)), 6);
  const Tensor before = model.first.weight.clone();
  expect_error([&] { load_weights(saved.parameters, "saved", wider); }, "'first.weight' is F32 [5, 3]");
  expect_close(model.first.weight, before, 0, "nothing was loaded");
  const Linear alone(Scope(strange, Random(2)) / "other", 3, 5);
  expect_error(
      [&] { load_weights(saved.parameters, "saved", strange); },
      "saved: these are not the weights of this model:\n  no parameter has a name that the model knows");
}

TEST(Weights, a_model_can_be_the_file_as_it_was_read) {
  const Saved saved;
  const SafeTensors file = SafeTensors::read(saved.file());
  Parameters parameters(file_weights(file));
  const Pair model(Scope(parameters, Random(2)));
  check_weights(file, parameters);
  EXPECT_EQ(model.first.weight.data<float>(), file.tensor("first.weight").data<float>()) << "no copy";
  const Tensor x = testing::random_tensor({4, 3}, 1, 1, DType::f32);
  expect_close(model(x), saved.model(x), 1e-6, "result");
  EXPECT_EQ(model(x).node(), nullptr) << "nothing is recorded for parameters that are not trained";
  expect_error([&] { (void)parameters.values(); }, "loaded parameters cannot be trained");
  expect_close(SafeTensors::read(saved.file()).tensor("first.weight"), saved.model.first.weight, 0,
               "the file");
}

TEST(Weights, that_are_constants_are_neither_copied_nor_saved_with_those_that_are_trained) {
  const Saved saved;
  Parameters other([&](std::string_view name, const Shape&, DType) {
    return name.starts_with("first") ? saved.parameters.at(name).detach() : Tensor();
  });
  const Pair model(Scope(other, Random(2)));
  EXPECT_EQ(other.trained_count(), 12);
  EXPECT_EQ(load_weights(saved.parameters, "saved", other).taken,
            (std::vector<std::string>{"second.weight", "second.bias"}));
  EXPECT_EQ(other.values().size(), 32) << "two parameters, each rounded up to 16 numbers";
  save_weights(saved.folder / "trained", other, SavedParameters::trained);
  const SafeTensors file = SafeTensors::read(saved.folder / "trained");
  EXPECT_EQ(file.tensors().size(), 2u);
  check_weights(file, other, &saved.parameters);
  expect_error([&] { check_weights(file, other); }, "'first.weight' [5, 3] is missing");
}

TEST(Weights, of_8_bits_are_saved_with_their_scales_and_read) {
  const Saved saved;
  Parameters small(quantized(saved.parameters));
  const Pair model(Scope(small, Random(2)));
  const auto path = saved.folder / "small.safetensors";
  save_weights(path, small);
  const SafeTensors file = SafeTensors::read(path);
  EXPECT_EQ(file.tensors().at("first.weight").type, "I8");
  EXPECT_EQ(file.tensors().at("first.weight.scale").shape, Shape{5});
  Parameters parameters(file_weights(file));
  const Pair mapped(Scope(parameters, Random(3)));
  check_weights(file, parameters);
  const Tensor x = testing::random_tensor({4, 3}, 1, 1, DType::f32);
  expect_close(mapped(x), model(x), 0, "result");
  expect_close(mapped(x), saved.model(x), 0.03, "result of the full model");
  Parameters trained;
  const Pair other(Scope(trained, Random(2)));
  expect_error([&] { load_weights(parameters, "small", trained); },
               "'first.weight' is I8 [5, 3], but the model has F32 [5, 3]");
}

TEST(Weights, of_8_bits_without_fitting_scales_are_refused) {
  const ScratchFolder folder;
  const auto refused = [&](std::vector<NamedTensor> tensors, const std::string& message) {
    tensors.push_back({"x.bias", Tensor::zeros({5})});
    write_safetensors(folder / "w", tensors);
    const SafeTensors file = SafeTensors::read(folder / "w");
    Parameters parameters(file_weights(file));
    const Linear model(Scope(parameters, Random(1)) / "x", 3, 5);
    expect_error([&] { check_weights(file, parameters); }, message);
  };
  const Tensor numbers = Tensor::zeros({5, 3}, DType::i8), full = Tensor::zeros({5, 3});
  refused({{"x.weight", numbers}}, "'x.weight' is I8 [5, 3], but the model has F32 [5, 3]");
  refused({{"x.weight", numbers}, {"x.weight.scale", Tensor::zeros({3})}}, "'x.weight' is I8");
  refused({{"x.weight", full}, {"x.weight.scale", Tensor::zeros({5})}}, "'x.weight.scale' [5] is not part");
}

// Of 4 MB of weights, half a page at each end may stay mapped.
TEST(Weights, the_pages_of_a_mapped_weight_are_given_back_once_it_is_laid_out_for_products) {
  const ScratchFolder folder;
  const auto path = folder / "weights.safetensors";
  const Tensor numbers = testing::random_tensor({1024, 1024}, 1, 1, DType::f32);
  write_safetensors(path, std::vector<NamedTensor>{{"w", numbers}});
  const SafeTensors file = SafeTensors::map(path);
  Parameters parameters(file_weights(file));
  const Tensor w = parameters.add("w", {1024, 1024}), x = testing::random_tensor({2, 1024}, 2, 1, DType::f32);
  const auto resident = [&] {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<uintptr_t>(w.data<float>()) / page * page;
    std::ifstream smaps("/proc/self/smaps");
    for (std::string line; std::getline(smaps, line);) {
      uintptr_t from = 0, to = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) != 2 || begin < from || begin >= to) continue;
      while (std::getline(smaps, line))
        if (line.starts_with("Rss:")) return std::stoi(line.substr(4));
    }
    return -1;
  };
  double sum = 0;
  for (const float number : w.span<float>()) sum += number;
  EXPECT_GE(resident(), 4096) << "kB; the sum " << sum << " was taken of all";
  expect_close(linear(x, w), linear(x, numbers), 1e-4, "product");
  EXPECT_LE(resident(), 128);
  expect_close(w, numbers, 0, "they come again");
}

TEST(Weights, of_another_model_are_refused_with_the_differences) {
  const Saved saved;
  const SafeTensors file = SafeTensors::read(saved.file());
  for (const bool mapped : {false, true}) {
    Parameters parameters = mapped ? Parameters(file_weights(file)) : Parameters();
    const Pair model(Scope(parameters, Random(2)), 4);
    const Tensor extra = parameters.add("extra", {2, 2});
    try {
      check_weights(file, parameters);
      FAIL();
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, std::string(error.what()).find("\nWeights")),
                saved.file().string() +
                    ": these are not the weights of this model:\n"
                    "  'first.weight' is F32 [5, 3], but the model has F32 [4, 3]\n"
                    "  'first.bias' is F32 [5], but the model has F32 [4]\n"
                    "  'second.weight' is F32 [2, 5], but the model has F32 [2, 4]\n"
                    "  'extra' [2, 2] is missing");
    }
  }
}

TEST(Weights, that_the_model_does_not_have_or_of_another_type_are_refused) {
  const Saved saved;
  const SafeTensors file = SafeTensors::read(saved.file());
  Parameters none, exact(DType::f64);
  expect_error([&] { check_weights(file, none); }, "'first.bias' [5] is not part of the model");
  const Pair model(Scope(exact, Random(2)));
  expect_error([&] { check_weights(file, exact); },
               "'first.weight' is F32 [5, 3], but the model has F64 [5, 3]");
}

TEST(Weights, of_many_differences_the_first_few_are_shown) {
  const Saved saved;
  Parameters many;
  for (int i = 0; i < 10; ++i) many.add(fmt::format("p{}", i), {1});
  expect_error([&] { check_weights(SafeTensors::read(saved.file()), many); },
               "'p4' [1] is missing\n  and 9 more");
}

TEST(Weights, a_configuration_with_absurd_sizes_costs_no_memory) {
  const Saved saved;
  Parameters parameters(file_weights(SafeTensors::read(saved.file())));
  expect_error(
      [&] {
        parameters.add("first.weight", {int64_t{1} << 30, int64_t{1} << 25});
      },
      "'first.weight' is F32 [5, 3], but the model has F32 [1073741824, 33554432]");
}

}  // namespace
}  // namespace attune
