// Models compared with independent implementations in PyTorch: tests/golden has the scripts and their
// results.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "models/model_config.h"
#include "testing/golden.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using nlohmann::json;

json read_golden(const std::string& name) {
  std::ifstream file(testing::golden(name));
  EXPECT_TRUE(file) << name << " is missing";
  return json::parse(file);
}

Tensor tensor_of(const json& numbers, const Shape& shape) {
  return Tensor::of<double>(shape, numbers.get<std::vector<double>>());
}

double phase(const std::string& name) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<double>(hash % 1000) / 100;
}

// The values that the scripts give a parameter of this name.
void fill_as_scripts_do(const Parameters& parameters) {
  for (const auto& [name, tensor, offset] : parameters.entries()) {
    Tensor values({tensor.size()}, DType::f64);
    for (int64_t i = 0; i < values.size(); ++i)
      values.data<double>()[i] = 0.5 * std::sin(1 + 0.7 * static_cast<double>(i) + phase(name));
    tensor.copy_from(values.to(tensor.dtype()).view(tensor.shape()));
  }
}

constexpr int64_t kWords = 7;

Ragged source() { return {Tensor::of<int32_t>({8}, {1, 2, 3, 4, 5, 6, 5, 2}), Rows{3, 1, 4}}; }

Batch writing() {
  return {.source = source(),
          .given = {Tensor::of<int32_t>({9}, {0, 6, 3, 1, 0, 2, 0, 5, 5}), Rows{4, 2, 3}},
          .segments = {},
          .expected = Tensor::of<int32_t>({9}, {6, 3, 1, 4, 2, 4, 5, 5, 4})};
}

Batch reading(const Tensor& expected) {
  return {.source = source(),
          .given = {},
          .segments = Tensor::of<int32_t>({8}, {0, 1, 1, 0, 0, 0, 1, 1}),
          .expected = expected};
}

Batch batch_for(const std::string& config) {
  if (!config.starts_with("type: bert")) return writing();
  if (config.find("task: classify") != std::string::npos) return reading(Tensor::of<int32_t>({3}, {3, 0, 6}));
  return reading(Tensor::of<int32_t>({8}, {kIgnore, 2, 6, kIgnore, 5, kIgnore, 1, 2}));
}

void compare(const json& golden, DType dtype) {
  const std::string text = golden["config"];
  Parameters parameters(dtype);
  const auto model =
      read_model_config(read_yaml(text, "golden"))->make(Scope(parameters, Random(1)), {kWords, kWords});
  fill_as_scripts_do(parameters);
  const Batch batch = batch_for(text);

  const double tolerance = dtype == DType::f64 ? 1e-6 : 1e-4;  // the files hold 7 digits
  Pass pass;
  const Tensor logits = model->logits(model->features(batch, pass));
  testing::expect_close(logits, tensor_of(golden["logits"], {batch.expected.size(), kWords}), tolerance,
                        text + "logits");
  const Loss loss = model->loss(batch, 0.1, pass);
  const double expected = golden["loss"];
  EXPECT_NEAR(loss.loss.item(), expected, tolerance * expected) << text;
  backward(loss.loss);
  ASSERT_EQ(parameters.entries().size(), golden["gradients"].size()) << text;
  for (const auto& [name, tensor, offset] : parameters.entries())
    testing::expect_close(leaf_gradient(tensor), tensor_of(golden["gradients"].at(name), tensor.shape()),
                          tolerance, text + "gradient of " + name);
}

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, logits_loss_and_gradients_equal_those_of_pytorch) {
  for (const json& golden : read_golden(std::string(GetParam()) + ".json"))
    for (const DType dtype : {DType::f64, DType::f32}) compare(golden, dtype);
}

INSTANTIATE_TEST_SUITE_P(, Golden, ::testing::Values("rnn_seq2seq", "deep_rnn", "rnn_lm", "transformer"),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace attune
