// Models compared with independent implementations in PyTorch: tests/golden has the scripts and what they
// gave.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "attune/autograd.h"
#include "config/entries.h"
#include "config/yaml.h"
#include "models/rnn_seq2seq.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using nlohmann::json;

json read_golden(const std::string& name) {
  std::ifstream file(std::string(ATTUNE_GOLDEN) + "/" + name);
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

// The numbers that the scripts give a parameter of this name.
void fill_as_scripts_do(const Parameters& parameters) {
  for (const auto& [name, tensor, offset] : parameters.entries()) {
    Tensor values({tensor.size()}, DType::f64);
    for (int64_t i = 0; i < values.size(); ++i)
      values.data<double>()[i] = 0.5 * std::sin(1 + 0.7 * static_cast<double>(i) + phase(name));
    tensor.copy_from(values.to(tensor.dtype()).view(tensor.shape()));
  }
}

constexpr int64_t kWords = 7;

TEST(Golden, rnn_seq2seq) {
  const Ragged source{Tensor::of<int32_t>({8}, {1, 2, 3, 4, 5, 6, 5, 2}), Rows{3, 1, 4}};
  const Ragged given{Tensor::of<int32_t>({9}, {0, 6, 3, 1, 0, 2, 0, 5, 5}), Rows{4, 2, 3}};
  const Tensor expected = Tensor::of<int32_t>({9}, {6, 3, 1, 4, 2, 4, 5, 5, 4});
  for (const json& golden : read_golden("rnn_seq2seq.json"))
    for (const DType dtype : {DType::f64, DType::f32}) {
      const std::string text = golden["config"];
      RnnConfig config;
      config.embedding = 3;
      config.hidden = 4;
      config.attention_hidden = 5;
      config.dropout = 0;
      assign(fields_of(config), read_yaml(text, "golden"));
      config.validate();
      Parameters parameters(dtype);
      const RnnSeq2Seq model(Scope(parameters, Random(1)), config, kWords, kWords);
      fill_as_scripts_do(parameters);

      const double tolerance = dtype == DType::f64 ? 1e-6 : 1e-4;  // the files hold 7 digits
      Pass pass;
      const auto state = model.start(source, pass);
      const Tensor logits = model.logits(model.step(given, *state, pass));
      testing::expect_close(logits, tensor_of(golden["logits"], {9, kWords}), tolerance, text + "logits");
      const CrossEntropy loss = model.loss(source, given, expected, 0.1, pass);
      EXPECT_NEAR(loss.loss.item(), golden["loss"].get<double>(), tolerance) << text;
      backward(loss.loss);
      ASSERT_EQ(parameters.entries().size(), golden["gradients"].size()) << text;
      for (const auto& [name, tensor, offset] : parameters.entries())
        testing::expect_close(leaf_gradient(tensor), tensor_of(golden["gradients"].at(name), tensor.shape()),
                              tolerance, text + "gradient of " + name);
    }
}

}  // namespace
}  // namespace attune
