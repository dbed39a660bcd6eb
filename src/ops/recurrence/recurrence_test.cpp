#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/threads.h"
#include "ops/kernels.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::OpCase;
using testing::random_tensor;

constexpr Cell kCells[] = {Cell::rnn, Cell::gru, Cell::lstm};
const Rows kRagged{3, 0, 1, 5, 2, 5};

struct Sizes {
  int64_t in, h;
};

enum class Start { zeros, given };

// x, W, U, b_x, b_h and, if given, the initial h and c
std::vector<Tensor> inputs_of(Cell cell, const Rows& rows, Sizes size, Start start,
                              DType dtype = DType::f64) {
  const int64_t g = gates(cell) * size.h;
  const auto make = [&](const Shape& shape, uint64_t seed) { return random_tensor(shape, seed, .6, dtype); };
  std::vector<Tensor> inputs{make({rows.total(), size.in}, 1), make({g, size.in}, 2), make({g, size.h}, 3),
                             make({g}, 4), make({g}, 5)};
  if (start == Start::given) inputs.push_back(make({rows.count(), size.h}, 6));
  if (start == Start::given && cell == Cell::lstm) inputs.push_back(make({rows.count(), size.h}, 7));
  return inputs;
}

CellStates run(Cell cell, const Rows& rows, const std::vector<Tensor>& in, bool reverse = false) {
  const CellStates initial{in.size() > 5 ? in[5] : Tensor(), in.size() > 6 ? in[6] : Tensor()};
  return recurrence(cell, in[0], rows, {in[1], in[2], in[3], in[4]}, initial, reverse);
}

OpCase recurrence_case(Cell cell, const Rows& rows, Sizes size, Start start, bool reverse) {
  return {std::string(name(cell)) + (reverse ? ", reverse" : "") + (start == Start::given ? ", given" : "") +
              ", in " + std::to_string(size.in) + ", h " + std::to_string(size.h),
          inputs_of(cell, rows, size, start), [=](const auto& in) {
            const CellStates states = run(cell, rows, in, reverse);
            return states.c ? add(states.h, scale(states.c, .7)) : states.h;
          }};
}

template <class Body>
void for_all_variants(const Body& body) {
  for (const Cell cell : kCells)
    for (const bool reverse : {false, true})
      for (const Start start : {Start::zeros, Start::given}) body(cell, reverse, start);
}

// The tensor's rows are a sentence's states: those of `batch` from `first` on.
void expect_same_bits(const Tensor& alone, const Tensor& batch, int64_t first = 0) {
  if (alone) expect_close(alone, batch.view_rows(first, first + alone.rows()), 0, "bits");
}

TEST(Recurrence, gradients) {
  for_all_variants([](Cell cell, bool reverse, Start start) {
    testing::expect_gradients(recurrence_case(cell, kRagged, {2, 3}, start, reverse));
  });
}

TEST(Recurrence, each_output_of_an_lstm_has_its_own_gradient) {
  OpCase op = recurrence_case(Cell::lstm, kRagged, {2, 3}, Start::given, false);
  for (const bool use_h : {true, false}) {
    op.run = [=](const auto& in) {
      const CellStates states = run(Cell::lstm, kRagged, in);
      return use_h ? states.h : states.c;
    };
    testing::expect_gradients(op);
    testing::expect_parity(op);
  }
}

TEST(Recurrence, fast_kernels_equal_the_reference) {
  for_all_variants([](Cell cell, bool reverse, Start start) {
    for (const Sizes size : {Sizes{1, 1}, {3, 7}, {16, 16}, {5, 33}})
      testing::expect_parity(recurrence_case(cell, kRagged, size, start, reverse));
    for (const Rows& rows : {Rows{}, Rows{0, 0}, Rows{1}, Rows{0, 40}, Rows::uniform(70, 2)})
      testing::expect_parity(recurrence_case(cell, rows, {4, 6}, start, reverse));
  });
}

TEST(Recurrence, a_sentence_without_tokens_has_no_gradient) {
  for (const Cell cell : kCells) {
    std::vector<Tensor> in;
    for (const Tensor& t : inputs_of(cell, Rows{0, 2}, {2, 3}, Start::given, DType::f32))
      in.push_back(leaf(t));
    backward(sum(run(cell, Rows{0, 2}, in).h));
    expect_close(leaf_gradient(in[5]).view_rows(0, 1), Tensor::zeros({1, 3}), 0, "initial h");
  }
}

TEST(Recurrence, without_recording_gives_the_same) {
  for (const Cell cell : kCells) {
    std::vector<Tensor> in = inputs_of(cell, kRagged, {3, 20}, Start::given, DType::f32);
    const CellStates plain = run(cell, kRagged, in);
    EXPECT_EQ(plain.h.node(), nullptr);
    in[2] = leaf(in[2]);
    const CellStates recorded = run(cell, kRagged, in);
    EXPECT_NE(recorded.h.node(), nullptr);
    expect_same_bits(plain.h, recorded.h);
    expect_same_bits(plain.c, recorded.c);
    EXPECT_EQ(plain.c.defined(), cell == Cell::lstm);
  }
}

// With one input number per token, W x is one product and so has the same bits in every batch.
TEST(Recurrence, a_sentence_does_not_depend_on_its_batch) {
  const Rows rows{9, 4, 0, 13, 1, 9};
  for_all_variants([&](Cell cell, bool reverse, Start start) {
    const std::vector<Tensor> in = inputs_of(cell, rows, {1, 50}, start, DType::f32);
    const CellStates all = run(cell, rows, in, reverse);
    for (int64_t s = 0; s < rows.count(); ++s) {
      std::vector<Tensor> one = in;
      one[0] = in[0].view_rows(rows.begin(s), rows.end(s));
      for (size_t i = 5; i < in.size(); ++i) one[i] = in[i].view_rows(s, s + 1);
      const CellStates alone = run(cell, Rows{rows.length(s)}, one, reverse);
      expect_same_bits(alone.h, all.h, rows.begin(s));
      expect_same_bits(alone.c, all.c, rows.begin(s));
    }
  });
}

TEST(Recurrence, the_number_of_threads_changes_no_bit_of_the_states) {
  const Rows rows{7, 2, 5, 0, 3, 3, 11};
  for (const Cell cell : kCells) {
    const auto evaluate = [&](int count) {
      const ThreadCount threads(count);
      std::vector<Tensor> in;
      for (const Tensor& t : inputs_of(cell, rows, {1, 40}, Start::given, DType::f32)) in.push_back(leaf(t));
      const CellStates states = run(cell, rows, in);
      backward(sum(states.h));
      std::vector<Tensor> results{states.h.detach(), states.c.detach()};
      for (const Tensor& t : in) results.push_back(leaf_gradient(t));
      return results;
    };
    const auto one = evaluate(1);
    for (const int count : {2, 3}) {
      const auto several = evaluate(count);
      for (const size_t exact : {0, 1, 7}) expect_same_bits(several[exact], one[exact]);  // h, c, d initial h
      for (size_t i = 2; i < one.size(); ++i) expect_close(several[i], one[i], 1e-5, "gradient");
    }
  }
}

TEST(Recurrence, reverse_is_forward_over_turned_sentences) {
  const Rows rows{6};
  for (const Cell cell : kCells) {
    const std::vector<Tensor> in = inputs_of(cell, rows, {1, 9}, Start::given, DType::f32);
    std::vector<Tensor> turned = in;
    turned[0] = in[0].clone();
    std::ranges::reverse(turned[0].span<float>());
    const CellStates forward = run(cell, rows, in), reverse = run(cell, rows, turned, true);
    for (int64_t t = 0; t < 6; ++t) expect_same_bits(forward.h.view_rows(t, t + 1), reverse.h, 5 - t);
  }
}

TEST(Recurrence, nan_stays_in_its_sentence) {
  for (const Cell cell : kCells) {
    std::vector<Tensor> in = inputs_of(cell, kRagged, {3, 18}, Start::zeros, DType::f32);
    in[0].row<float>(4)[1] = NAN;  // the first token of sentence 3, which holds the tokens 4 to 8
    in[0] = leaf(in[0]);
    const CellStates states = run(cell, kRagged, in);
    backward(sum(states.h));
    for (int64_t token = 0; token < kRagged.total(); ++token) {
      const bool inside = token >= kRagged.begin(3) && token < kRagged.end(3);
      for (const Tensor& t : {states.h, leaf_gradient(in[0])})
        for (const float x : t.row<float>(token)) EXPECT_EQ(std::isnan(x), inside) << token;
    }
  }
}

TEST(Recurrence, the_reference_can_finish_what_the_fast_kernels_began) {
  for (const Cell cell : kCells) {
    const OpCase op = recurrence_case(cell, kRagged, {3, 17}, Start::given, true);
    std::vector<Tensor> in;
    for (const Tensor& t : op.inputs) in.push_back(leaf(t.to(DType::f32)));
    const Tensor loss = sum(mul(op.run(in), random_tensor({kRagged.total(), 17}, 7, 1, DType::f32)));
    const ReferenceKernels reference;
    backward(loss);
    const auto expected = testing::evaluate(op, DType::f64);
    for (size_t i = 0; i < in.size(); ++i)
      expect_close(leaf_gradient(in[i]), expected.gradients[i], 2e-5, op.name);
  }
}

TEST(Recurrence, inputs_may_be_results_or_views) {
  for (const Cell cell : kCells) {
    OpCase op = recurrence_case(cell, kRagged, {3, 7}, Start::given, false);
    const auto direct = op.run;
    op.run = [=](const auto& in) {  // results of an operation are not leaves
      std::vector<Tensor> results;
      for (const Tensor& t : in) results.push_back(scale(t, 1));
      return direct(results);
    };
    testing::expect_gradients(op);
    testing::expect_parity(op);

    std::vector<Tensor> in = inputs_of(cell, kRagged, {3, 7}, Start::given, DType::f32), views = in;
    for (Tensor& t : views)
      if (t.shape().rank() == 2) {
        const Tensor wide({t.rows(), t.columns() + 4});
        wide.fill(NAN);
        const Tensor inner = wide.view_columns(1, t.columns() + 1);
        inner.copy_from(t);
        t = inner;
      }
    expect_close(run(cell, kRagged, views).h, run(cell, kRagged, in).h, 0, "views");
  }
}

TEST(Recurrence, gradients_of_two_calls_add_up) {
  for (const Cell cell : kCells) {
    const auto gradient = [&](int calls) {
      std::vector<Tensor> in;
      for (const Tensor& t : inputs_of(cell, kRagged, {3, 7}, Start::given, DType::f32))
        in.push_back(leaf(t));
      for (int i = 0; i < calls; ++i) backward(sum(run(cell, kRagged, in).h));
      std::vector<Tensor> all;
      for (const Tensor& t : in) all.push_back(leaf_gradient(t));
      return all;
    };
    const auto once = gradient(1), twice = gradient(2);
    for (size_t i = 0; i < once.size(); ++i) expect_close(twice[i], scale(once[i], 2), 1e-6, "gradient");
  }
}

TEST(Recurrence, repeated_weights_give_the_states_and_gradients_of_plain_ones) {
  for (const Cell cell : kCells) {
    const Rows three_each = Rows::uniform(7, 3), one_each = Rows::uniform(7, 1);
    const OpCase steps{"steps of " + std::string(name(cell)),
                       inputs_of(cell, three_each, {5, 19}, Start::given), [=](const auto& in) {
                         const CellWeights weights = repeated(cell, {in[1], in[2], in[3], in[4]});
                         CellStates states{in[5], in.size() > 6 ? in[6] : Tensor()};
                         for (int64_t t = 0; t < 3; ++t)
                           states = recurrence(cell, slice_rows(in[0], 7 * t, 7 * (t + 1)), one_each, weights,
                                               states);
                         return states.h;
                       }};
    testing::expect_gradients(steps);
    testing::expect_parity(steps);
    testing::expect_same_for_any_threads(steps);
  }
}

TEST(Recurrence, what_does_not_fit_is_refused) {
  const auto refused = [](size_t input, const Tensor& wrong, const std::string& message) {
    std::vector<Tensor> in = inputs_of(Cell::lstm, Rows{2, 1}, {3, 4}, Start::given, DType::f32);
    in[input] = wrong;
    testing::expect_error([&] { run(Cell::lstm, Rows{2, 1}, in); }, message);
  };
  refused(0, Tensor::zeros({4, 3}), "recurrence: the shape of x is [4, 3], but [3, 3] was expected");
  refused(0, Tensor::zeros({3}), "recurrence: x should have 2 dimensions");
  refused(0, {}, "recurrence: x is undefined");
  refused(1, Tensor::zeros({16, 2}), "the input weight is [16, 2], but [16, 3]");
  refused(1, {}, "the input weight is undefined");
  refused(2, Tensor::zeros({12, 4}), "the recurrent weight is [12, 4], but [16, 4]");
  refused(3, Tensor::zeros({15}), "the input bias is [15], but [16]");
  refused(4, Tensor::zeros({1, 16}), "the recurrent bias is [1, 16], but [16]");
  refused(5, Tensor::zeros({3, 4}), "the initial h is [3, 4], but [2, 4]");
  refused(6, Tensor::zeros({2, 5}), "the initial c is [2, 5], but [2, 4]");
  refused(6, Tensor::zeros({2, 4}, DType::f64), "f32 and f64 numbers cannot be mixed");
  refused(0, Tensor::zeros({3, 3}, DType::i32), "f32 or f64 numbers are needed");
  std::vector<Tensor> in = inputs_of(Cell::gru, Rows{2}, {3, 4}, Start::given, DType::f32);
  in.push_back(in[5]);
  testing::expect_error([&] { run(Cell::gru, Rows{2}, in); }, "an initial c was given, but gru has no c");
}

}  // namespace
}  // namespace attune
