#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/threads.h"
#include "tensor/arena.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::OpCase;
using testing::random_tensor;

struct Sizes {
  Rows queries, keys;
  int64_t d, e;
};

OpCase attention_case(const Sizes& s, AttentionOptions options, uint64_t seed = 1) {
  OpCase op{"attention",
            {random_tensor({s.queries.total(), options.heads * s.d}, seed),
             random_tensor({s.keys.total(), options.heads * s.d}, seed + 1),
             random_tensor({s.keys.total(), options.heads * s.e}, seed + 2)},
            [=](const auto& in) {
              AttentionOptions typed = options;
              if (options.bias) typed.bias = in[3];
              return attention(in[0], in[1], in[2], s.queries, s.keys, typed);
            }};
  if (options.bias) op.inputs.push_back(options.bias);
  return op;
}

std::vector<AttentionOptions> variants(int heads) {
  const Tensor bias = random_tensor({11, heads}, 9, 0.8);
  return {{.heads = heads},
          {.heads = heads, .sees = kCausal},
          {.heads = heads, .scale = 0.7, .bias = bias},
          {.heads = heads, .sees = kCausal, .bias = bias, .dropout = {0.3, Random(4)}},
          {.heads = heads, .sees = {.back = 2, .ahead = 1}},
          {.heads = heads, .sees = {.back = 70, .ahead = 0}, .bias = bias, .dropout = {0.3, Random(4)}}};
}

TEST(Attention, gradients) {
  for (const AttentionOptions& options : variants(2)) {
    testing::expect_gradients(attention_case({{3, 1, 0, 4}, {3, 1, 0, 4}, 3, 2}, options));
    testing::expect_gradients(attention_case({{2, 1}, {5, 3}, 2, 3}, options));
  }
}

TEST(Attention, fast_kernels_equal_the_reference) {
  const Sizes sizes[] = {{{1}, {1}, 1, 1},
                         {{}, {}, 4, 4},
                         {{0, 2}, {0, 3}, 5, 7},
                         {{13, 1, 24}, {13, 1, 24}, 16, 16},
                         {{49, 3}, {130, 257}, 33, 17},
                         {{150, 96}, {150, 96}, 64, 64}};
  for (const Sizes& s : sizes)
    for (const AttentionOptions& options : variants(3))
      testing::expect_parity(attention_case(s, options), 5e-5);
}

// Queries that stand anywhere, beyond the last key as well, and see three keys each.
TEST(Attention, queries_stand_where_their_centres_are) {
  const Sizes sizes{{70, 2}, {90, 3}, 5, 4};
  const Tensor centres({72}, DType::i32);
  for (int64_t i = 0; i < 72; ++i) centres.data<int32_t>()[i] = static_cast<int32_t>(i * 37 % 95 - 2);
  const AttentionOptions options{.heads = 2, .sees = {.back = 1, .ahead = 1}, .centres = centres};
  testing::expect_gradients(attention_case(sizes, options));
  testing::expect_parity(attention_case(sizes, options));
  const OpCase op = attention_case(sizes, options);
  const Tensor y = op.run(op.inputs);
  for (int64_t i = 0; i < 72; ++i) {
    const int64_t keys = i < 70 ? 90 : 3, begin = i < 70 ? 0 : 90;
    const int64_t first = std::clamp<int64_t>(centres.data<int32_t>()[i] - 1, 0, keys),
                  last = std::clamp<int64_t>(centres.data<int32_t>()[i] + 2, first, keys);
    const auto seen = [&](const Tensor& t) { return t.view_rows(begin + first, begin + last); };
    expect_close(y.view_rows(i, i + 1),
                 attention(op.inputs[0].view_rows(i, i + 1), seen(op.inputs[1]), seen(op.inputs[2]), {1},
                           {last - first}, {.heads = 2}),
                 1e-12, "query " + std::to_string(i));
  }
}

TEST(Attention, a_band_gives_what_a_mask_gives) {
  const Tensor q = random_tensor({9, 4}, 1), k = random_tensor({9, 4}, 2), v = random_tensor({9, 4}, 3),
               bias = random_tensor({5, 1}, 4), mask = Tensor::zeros({9, 9}, DType::f64);
  for (int64_t i = 0; i < 9; ++i)
    for (int64_t j = 0; j < 9; ++j)
      mask.row<double>(i)[static_cast<size_t>(j)] =
          j >= i - 3 && j <= i + 1 ? bias.data<double>()[std::clamp<int64_t>(j - i, -2, 2) + 2] : -1e300;
  expect_close(attention(q, k, v, {9}, {9}, {.sees = {.back = 3, .ahead = 1}, .scale = 1, .bias = bias}),
               matmul(softmax(add(matmul(q, k, false, true), mask)), v), 1e-12, "band");
}

// A query sees 129 of 8,000 keys: 62 times less work.
TEST(Attention, a_window_costs_nothing_beyond_it) {
  const ThreadCount threads(1);
  const auto least_cpu_time = [](Band sees) {
    constexpr int64_t n = 8000;
    const Tensor x = leaf(random_tensor({n, 8}, 1, 1, DType::f32));
    std::clock_t least = std::numeric_limits<std::clock_t>::max();
    for (int time = 0; time < 5; ++time) {
      const std::clock_t start = std::clock();
      backward(sum(attention(x, x, x, {n}, {n}, {.sees = sees})));
      least = std::min(least, std::clock() - start);
    }
    return least;
  };
  EXPECT_GT(least_cpu_time({}), 8 * least_cpu_time({.back = 64, .ahead = 64}));
}

TEST(Attention, queries_without_keys_give_zeros) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor y = attention(random_tensor({2, 4}, 1, 1, dtype), Tensor::zeros({0, 4}, dtype),
                               Tensor::zeros({0, 4}, dtype), {2}, {0}, {});
    expect_close(y, Tensor::zeros({2, 4}), 0, "no keys");
  }
}

TEST(Attention, equals_its_parts) {
  const Tensor q = random_tensor({5, 8}, 1, 1, DType::f32), k = random_tensor({7, 8}, 2, 1, DType::f32),
               v = random_tensor({7, 8}, 3, 1, DType::f32);
  const Tensor parts = matmul(softmax(scale(matmul(q, k, false, true), 1 / std::sqrt(8.0))), v);
  expect_close(attention(q, k, v, {5}, {7}, {}), parts, 1e-5, "attention");
}

TEST(Attention, heads_are_independent_columns) {
  const Tensor q = random_tensor({6, 12}, 1, 1, DType::f32), k = random_tensor({6, 12}, 2, 1, DType::f32),
               v = random_tensor({6, 12}, 3, 1, DType::f32);
  const Tensor all = attention(q, k, v, {6}, {6}, {.heads = 3});
  for (int64_t h = 0; h < 3; ++h) {
    const auto columns = [h](const Tensor& t) { return t.view_columns(h * 4, h * 4 + 4); };
    expect_close(columns(all), attention(columns(q), columns(k), columns(v), {6}, {6}, {}), 0, "head");
  }
}

TEST(Attention, a_sentence_does_not_depend_on_its_neighbours) {
  const Rows rows{30, 200, 7};
  const OpCase op = attention_case({rows, rows, 16, 16}, {.heads = 2, .sees = kCausal});
  std::vector<Tensor> in;
  for (const Tensor& t : op.inputs) in.push_back(t.to(DType::f32));
  const Tensor all = op.run(in);
  for (int64_t s = 0; s < rows.count(); ++s) {
    const auto part = [&](const Tensor& t) { return t.view_rows(rows.begin(s), rows.end(s)); };
    const Rows alone{rows.length(s)};
    expect_close(
        attention(part(in[0]), part(in[1]), part(in[2]), alone, alone, {.heads = 2, .sees = kCausal}),
        part(all), 0, "sentence alone");
  }
}

TEST(Attention, a_later_key_changes_no_earlier_query_if_causal) {
  const Tensor q = random_tensor({200, 8}, 1, 1, DType::f32), k = random_tensor({200, 8}, 2, 1, DType::f32),
               v = random_tensor({200, 8}, 3, 1, DType::f32);
  const Tensor before = attention(q, k, v, {200}, {200}, {.sees = kCausal});
  k.row<float>(150)[0] += 3;
  v.row<float>(150)[0] += 3;
  const Tensor after = attention(q, k, v, {200}, {200}, {.sees = kCausal});
  expect_close(after.view_rows(0, 150), before.view_rows(0, 150), 0, "earlier queries");
  EXPECT_NE(after.row<float>(150)[0], before.row<float>(150)[0]);
}

TEST(Attention, one_query_with_all_keys_equals_the_last_row) {
  const Tensor q = random_tensor({50, 8}, 1, 1, DType::f32), k = random_tensor({50, 8}, 2, 1, DType::f32),
               v = random_tensor({50, 8}, 3, 1, DType::f32);
  const AttentionOptions options{.sees = {.back = 20, .ahead = 0},
                                 .bias = random_tensor({9, 1}, 4, 1, DType::f32)};
  const Tensor all = attention(q, k, v, {50}, {50}, options);
  expect_close(attention(q.view_rows(49, 50), k, v, {1}, {50}, options), all.view_rows(49, 50), 1e-6,
               "last row");
}

// Scattered keys, some used by two sentences, and rows that no sentence uses.
TEST(Attention, keys_in_given_places_are_keys_in_order) {
  const Rows queries{1, 3, 0, 1}, many{1, 3, 9, 1}, keys{5, 21, 3, 5};
  const Tensor places({keys.total()}, DType::i32);
  for (int64_t i = 0; i < keys.total(); ++i) places.data<int32_t>()[i] = static_cast<int32_t>(i * 17 % 40);
  for (int64_t j = 0; j < 5; ++j) places.data<int32_t>()[29 + j] = places.data<int32_t>()[j];
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Rows& rows : {queries, many})
      for (AttentionOptions options : variants(2)) {
        options.dropout = {};
        if (options.bias) options.bias = options.bias.to(dtype);
        const Tensor q = random_tensor({rows.total(), 2 * 5}, 1, 1, dtype),
                     k = random_tensor({40, 2 * 5}, 2, 1, dtype),
                     v = random_tensor({40, 2 * 35}, 3, 1, dtype);
        const Tensor expected = attention(q, embedding(k, places), embedding(v, places), rows, keys, options);
        options.places = places;
        expect_close(attention(q, k, v, rows, keys, options), expected, 0, "places");
      }
}

TEST(Attention, places_outside_the_keys_are_refused) {
  const Tensor x = random_tensor({3, 4}, 1);
  const auto with = [&](const Tensor& places) {
    return [&x, places] { attention(x.view_rows(0, 1), x, x, {1}, {2}, {.places = places}); };
  };
  testing::expect_error(with(Tensor::of<int32_t>({2}, {0, 3})), "place 3 is outside the 3 rows of k");
  testing::expect_error(with(Tensor::of<int32_t>({3}, {0, 1, 2})), "the shape of places is");
  testing::expect_error(
      [&] { attention(leaf(x.view_rows(0, 1)), x, x, {1}, {1}, {.places = Tensor::of<int32_t>({1}, {0})}); },
      "cannot have gradients");
}

TEST(Attention, number_of_threads_changes_nothing) {
  const Rows rows{140, 230, 3, 160};
  testing::expect_same_for_any_threads(
      attention_case({rows, rows, 8, 8}, {.heads = 3, .dropout = {0.2, Random(6)}}));
}

TEST(Attention, large_scores_are_stable) {
  const Tensor q = Tensor::full({1, 2}, 1e4), k = Tensor::of<float>({2, 2}, {1e4f, 0, 0, 0});
  const Tensor v = Tensor::of<float>({2, 2}, {3, 4, 5, 6});
  expect_close(attention(q, k, v, {1}, {2}, {}), Tensor::of<float>({1, 2}, {3, 4}), 1e-6, "attention");
}

TEST(Attention, nan_reaches_only_queries_that_see_it) {
  Tensor k = random_tensor({6, 4}, 1, 1, DType::f32);
  k.row<float>(4)[0] = NAN;
  const Tensor q = random_tensor({6, 4}, 2, 1, DType::f32), v = random_tensor({6, 4}, 3, 1, DType::f32);
  const Tensor y = attention(q, k, v, {6}, {6}, {.sees = kCausal});
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(y.row<float>(i)[0]), i >= 4) << "query " << i;
}

struct Recorder final : Lens {
  void attention(AttentionName n, const Tensor& w, const Rows& q, const Rows& k, int h) override {
    name = n;
    weights = w;
    queries = q;
    keys = k;
    heads = h;
  }
  AttentionName name;
  Tensor weights;
  Rows queries, keys;
  int heads = 0;
};

TEST(Attention, shows_its_weights_to_a_lens) {
  Recorder lens;
  const AttentionName name{AttentionName::encoder, 2, AttentionName::self};
  const Rows queries{2, 3}, keys{2, 3};
  attention(random_tensor({5, 4}, 1, 1, DType::f32), random_tensor({5, 4}, 2, 1, DType::f32),
            random_tensor({5, 4}, 3, 1, DType::f32), queries, keys,
            {.heads = 2, .sees = kCausal, .lens = &lens, .name = name});
  EXPECT_EQ(lens.name, name);
  EXPECT_EQ(lens.name.str(), "encoder.2.self");
  EXPECT_EQ(lens.heads, 2);
  ASSERT_EQ(lens.weights.shape(), (Shape{2 * (4 + 9)}));
  const float* w = lens.weights.data<float>();
  EXPECT_EQ(w[0], 1);  // the first query sees the first key only
  EXPECT_EQ(w[1], 0);
  EXPECT_NEAR(w[2] + w[3], 1, 1e-6);
}

TEST(Attention, memory_is_linear_in_the_length) {
  const auto peak = [](int64_t n) {
    const Tensor x = leaf(random_tensor({n, 8}, 1, 1, DType::f32));
    Arena::current()->reset();
    const size_t before = Arena::current()->stats().used;
    backward(sum(attention(x, x, x, {n}, {n}, {})));
    return Arena::current()->stats().peak - before;
  };
  const ThreadCount threads(1);
  const size_t small = peak(1000), large = peak(4000);
  EXPECT_LT(large, 5 * small);
  EXPECT_LT(large, 4000 * 4000);
}

TEST(Attention, refuses_what_does_not_fit) {
  const auto zeros = [](int64_t rows, int64_t columns) { return Tensor::zeros({rows, columns}); };
  testing::expect_error([&] { attention(zeros(3, 4), zeros(3, 4), zeros(3, 4), {3}, {3}, {.heads = 3}); },
                        "attention: the number of heads, 3, must divide the columns of q [3, 4]");
  testing::expect_error([&] { attention(zeros(3, 4), zeros(3, 4), zeros(3, 4), {3}, {2}, {}); },
                        "attention: the shape of k is [3, 4], but [2, 4] was expected");
  testing::expect_error([&] { attention(zeros(3, 4), zeros(3, 6), zeros(3, 4), {3}, {3}, {}); },
                        "of k is [3, 6]");
  testing::expect_error(
      [&] {
        attention(zeros(3, 4), zeros(3, 4), zeros(3, 4), {1, 2}, {3}, {});
      },
      "queries for 2 sentences were given, but keys for 1");
}

}  // namespace
}  // namespace attune
