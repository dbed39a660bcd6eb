#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attune/autograd.h"
#include "convert/convert.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_error;
using Vector = std::vector<double>;

constexpr int kD = 8, kHidden = 6, kLayers = 2, kHeads = 4, kKeyHeads = 2, kWords = 262, kPositions = 5;
constexpr int kHead = kD / kHeads, kKeys = kKeyHeads * kHead;

// Numbers in file order.
struct Weights {
  std::vector<float> all;
  size_t embedding, norm, q, k, v, out, ff_norm, gate, ff_out, in, last;

  Weights() {
    const auto more = [&](int count) {
      const size_t begin = all.size();
      for (int i = 0; i < count; ++i)
        all.push_back(static_cast<float>(0.4 * std::sin(1.7 * static_cast<double>(all.size()) + 0.3)));
      return begin;
    };
    embedding = more(kWords * kD);
    norm = more(kLayers * kD), q = more(kLayers * kD * kD), k = more(kLayers * kKeys * kD),
    v = more(kLayers * kKeys * kD), out = more(kLayers * kD * kD), ff_norm = more(kLayers * kD),
    gate = more(kLayers * kHidden * kD), ff_out = more(kLayers * kD * kHidden),
    in = more(kLayers * kHidden * kD);
    last = more(kD);
    more(kPositions * kHead);  // cosines and sines, which are ignored
  }

  Vector times(size_t matrix, int rows, const Vector& x) const {
    Vector y(static_cast<size_t>(rows));
    for (size_t r = 0; r < y.size(); ++r)
      for (size_t c = 0; c < x.size(); ++c) y[r] += all[matrix + r * x.size() + c] * x[c];
    return y;
  }
  Vector normed(size_t gamma, const Vector& x) const {
    double squares = 0;
    for (const double a : x) squares += a * a;
    Vector y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = all[gamma + i] * x[i] / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
    return y;
  }
};

// Neighbours are a pair, turned by position / 10000^(2 i / head).
void turn(Vector& x, int position) {
  for (size_t i = 0; i < x.size(); i += 2) {
    const double angle = position / std::pow(10000.0, static_cast<double>(i % kHead) / kHead);
    const double a = x[i], b = x[i + 1];
    x[i] = a * std::cos(angle) - b * std::sin(angle);
    x[i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
}

// Llama 2 as in its paper, one word at a time; the logits after the last word.
Vector llama(const Weights& w, const std::vector<int32_t>& words) {
  std::vector<std::vector<Vector>> keys(kLayers), values(kLayers);
  Vector x;
  for (size_t t = 0; t < words.size(); ++t) {
    const float* row = w.all.data() + w.embedding + static_cast<size_t>(words[t]) * kD;
    x.assign(row, row + kD);
    for (size_t l = 0; l < kLayers; ++l) {
      const Vector a = w.normed(w.norm + l * kD, x);
      Vector q = w.times(w.q + l * kD * kD, kD, a), k = w.times(w.k + l * kKeys * kD, kKeys, a);
      turn(q, static_cast<int>(t));
      turn(k, static_cast<int>(t));
      keys[l].push_back(k);
      values[l].push_back(w.times(w.v + l * kKeys * kD, kKeys, a));
      Vector mixed(kD);
      for (size_t h = 0; h < kHeads; ++h) {
        const size_t from = h / (kHeads / kKeyHeads) * kHead;
        Vector weights;
        double sum = 0;
        for (const Vector& key : keys[l]) {
          double dot = 0;
          for (size_t i = 0; i < kHead; ++i) dot += q[h * kHead + i] * key[from + i];
          weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(kHead))));
          sum += weights.back();
        }
        for (size_t j = 0; j < weights.size(); ++j)
          for (size_t i = 0; i < kHead; ++i)
            mixed[h * kHead + i] += weights[j] / sum * values[l][j][from + i];
      }
      const Vector o = w.times(w.out + l * kD * kD, kD, mixed);
      for (size_t i = 0; i < kD; ++i) x[i] += o[i];
      const Vector f = w.normed(w.ff_norm + l * kD, x);
      Vector hidden = w.times(w.gate + l * kHidden * kD, kHidden, f);
      const Vector in = w.times(w.in + l * kHidden * kD, kHidden, f);
      for (size_t i = 0; i < kHidden; ++i) hidden[i] *= in[i] / (1 + std::exp(-hidden[i]));
      const Vector y = w.times(w.ff_out + l * kD * kHidden, kD, hidden);
      for (size_t i = 0; i < kD; ++i) x[i] += y[i];
    }
  }
  return w.times(w.embedding, kWords, w.normed(w.last, x));
}

std::string bytes_of(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0])};
}

struct Files {
  testing::ScratchFolder folder;
  Weights weights;
  std::string model, tokens;

  Files() {
    const std::vector<int32_t> header{kD, kHidden, kLayers, kHeads, kKeyHeads, kWords, kPositions};
    model = bytes_of(header) + bytes_of(weights.all);
    tokens = bytes_of(std::vector<int32_t>{10});
    for (int i = 0; i < kWords; ++i) {
      const std::string text = i < 259
                                   ? "<" + std::to_string(i) + ">"
                                   : std::vector<std::string>{" a", " ", "a"}[static_cast<size_t>(i - 259)];
      tokens += bytes_of(std::vector<float>{static_cast<float>(-i)}) +
                bytes_of(std::vector<int32_t>{static_cast<int32_t>(text.size())}) + text;
    }
    write();
  }
  void write() const {
    testing::put(folder / "model.bin", model);
    testing::put(folder / "tok.bin", tokens);
  }
  ModelFiles converted() const {
    save_imported(importer_of(folder / "model.bin").read({folder / "model.bin"}), folder / "out");
    return load_model_files(folder / "out");
  }
};

TEST(Llama2c, model_has_the_logits_of_the_original) {
  const Files files;
  const ModelFiles folder = files.converted();
  const std::vector<int32_t> words{1, 259, 40, 261};
  const NoGrad no_grad;
  Pass pass;
  const Tensor features = folder.model->features({.source = {Tensor({0}, DType::i32), Rows{0}},
                                                  .given = {Tensor::of<int32_t>({4}, words), Rows{4}},
                                                  .segments = {},
                                                  .expected = {}},
                                                 pass);
  const Tensor logits = folder.model->logits(features.view_rows(3, 4));
  testing::expect_close(logits.to(DType::f64), Tensor::of<double>({1, kWords}, llama(files.weights, words)),
                        1e-5, "logits");
  EXPECT_EQ(folder.vocabularies.source->pieces("a"), std::vector<std::string>{"▁a"});
  EXPECT_EQ(folder.vocabularies.source->encode("\n"), (std::vector<int32_t>{260, 3 + '\n'}));
}

TEST(Llama2c, damaged_files_are_refused) {
  Files files;
  const std::string whole = files.model, tokens = files.tokens;
  files.model.pop_back();
  files.write();
  expect_error([&] { files.converted(); }, "model.bin: byte 28: ");
  files.model = whole;
  files.model[3] = '\x7F';  // a d_model of two billion
  files.write();
  expect_error([&] { files.converted(); }, "attune cannot convert this");
  files.model = whole;
  files.tokens.resize(tokens.size() / 2);
  files.write();
  expect_error([&] { files.converted(); }, "tok.bin: byte ");
  std::filesystem::remove(files.folder / "tok.bin");
  expect_error([&] { files.converted(); }, "tok*.bin");
}

}  // namespace
}  // namespace attune
