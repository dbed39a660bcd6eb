#include "look/gradients.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "attune/autograd.h"
#include "attune/error.h"
#include "attune/ops/loss.h"
#include "attune/patience.h"
#include "models/read_tokens.h"
#include "nn/close_lens.h"

namespace attune {
namespace {

using Ids = std::vector<int32_t>;
using Stack = AttentionName::Stack;

constexpr int64_t kTokensAtOnce = 4000;  // of all copies of the sentence

// Makes leaves of the vectors that the stacks read.
class LeafLens final : public CloseLens {
 public:
  bool wants(AttentionName) const override { return false; }
  void attention(AttentionName, const Tensor&, const Rows&, const Rows&, int) override {}
  void inputs(AttentionName, const AttentionInputs&) override {}
  Tensor embedded(Stack stack, const Tensor& x) override {
    Tensor& own = leaves_[stack];
    own = leaf(x.detach());
    return own;
  }

  // x . dL/dx of each token; none: there is no such stack.
  std::vector<float> products(Stack stack) const {
    const Tensor& x = leaves_[stack];
    std::vector<float> all;
    if (!x) return all;
    const Tensor numbers = x.detach().to(DType::f32), gradient = leaf_gradient(x).to(DType::f32);
    for (int64_t t = 0; t < x.rows(); ++t) {
      const auto a = numbers.row<float>(t), b = gradient.row<float>(t);
      float sum = 0;
      for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      all.push_back(sum);
    }
    return all;
  }

 private:
  std::array<Tensor, 2> leaves_;  // of the encoder and of the decoder
};

// Copies of one sentence, each up to the token that is asked about, so that one pass backward answers for
// many tokens.
struct Copies {
  std::vector<Ids> sources, given;
  Ids expected;

  int64_t tokens() const {
    int64_t count = 0;
    for (size_t i = 0; i < given.size(); ++i) count += std::ssize(sources[i]) + std::ssize(given[i]);
    return count;
  }
};

void add_row(view::NumberTable& to, std::span<const float> row) {
  to.numbers.insert(to.numbers.end(), row.begin(), row.end());
  to.numbers.resize(to.numbers.size() + to.columns - row.size());
  ++to.rows;
}

}  // namespace

std::vector<view::Gradients> gradients_by_input(const TextModel& model, const Ids& read, const Ids& written) {
  const Model& network = *model.models()[0].model;
  if (const DType dtype = network.output_weight().dtype(); dtype != DType::f32 && dtype != DType::f64)
    throw UsageError(fmt::format("{}: a quantised model has no gradients; use the one that it was made from",
                                 model.name()));
  const Vocabulary &from = *model.vocabularies().source, &to = *model.vocabularies().target;
  const bool prompted = model.task().continues_text();
  const size_t steps = written.size(), prompt = prompted ? read.size() : 0;
  view::Gradients source{view::AttentionKind::cross, {0, read.size(), {}}},
      target{view::AttentionKind::decoder, {0, prompt + steps, {}}};
  if (prompted)  // what is read in a prompt has no row of its own
    for (size_t i = 0; i < prompt; ++i) add_row(target.table, {});

  const auto answer = [&](const Copies& copies) {
    Patience::check();
    const Ragged given = ragged(copies.given);
    LeafLens lens;
    Pass pass(&lens);
    const Tensor features = network.features(
        {.source = read_tokens(from, copies.sources), .given = given, .segments = {}, .expected = {}}, pass);
    const Tensor expected = Tensor::full({features.rows()}, kIgnore, DType::i32);
    for (int64_t s = 0; s < given.rows.count(); ++s)
      expected.data<int32_t>()[given.rows.end(s) - 1] = copies.expected[static_cast<size_t>(s)];
    backward(linear_cross_entropy(features, network.output_weight().detach(), network.output_bias().detach(),
                                  expected)
                 .loss,
             -1.0);
    const auto of_source = lens.products(Stack::encoder), of_target = lens.products(Stack::decoder);
    size_t at_source = 0, at_target = 0;
    for (size_t s = 0; s < copies.given.size(); ++s) {
      if (!prompted && !of_source.empty())
        add_row(source.table, std::span(of_source).subspan(at_source, read.size()));
      at_source += read.size();
      const size_t length = prompt + copies.given[s].size();
      if (!of_target.empty()) add_row(target.table, std::span(of_target).subspan(at_target, length));
      at_target += length;
    }
  };
  Copies copies;
  for (size_t t = 0; t < steps; ++t) {
    Ids given(written.begin(), written.begin() + static_cast<int64_t>(t));
    given.insert(given.begin(), to.bos());
    copies.sources.push_back(read);
    copies.given.push_back(std::move(given));
    copies.expected.push_back(written[t]);
    if (copies.tokens() < kTokensAtOnce && t + 1 < steps) continue;
    answer(copies);
    copies = {};
  }
  std::vector<view::Gradients> all;
  if (source.table.rows > 0) all.push_back(std::move(source));
  if (target.table.rows > prompt) all.push_back(std::move(target));
  return all;
}

}  // namespace attune
