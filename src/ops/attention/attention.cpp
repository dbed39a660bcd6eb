// Vaswani et al. 2017, eq. 1, for each sentence and head:  softmax(Q K^T / sqrt(d)) V
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/attention/attention_head.h"
#include "ops/attention/distance_bias.h"
#include "ops/kernels.h"
#include "ops/product/bf16/pack.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

template <class T>
Rows2d<T> head_rows(const Tensor& t, int64_t row, int64_t column) {
  return {t.data<T>() + row * t.row_stride() + column, t.row_stride()};
}

// The same to read, of `count` rows; bf16 numbers are widened into the room, which moves on.
template <class T>
Rows2d<const T> head_rows(const Tensor& t, int64_t row, int64_t count, int64_t column, int64_t width,
                          T*& room) {
  if (t.dtype() != DType::bf16) return {head_rows<T>(t, row, column).data, t.row_stride()};
  if constexpr (std::is_same_v<T, float>) {
    widen_here(count, width, t.data<BFloat16>() + row * t.row_stride() + column, t.row_stride(), room);
    return {std::exchange(room, room + count * width), width};
  }
  fail("attention: bf16 numbers are widened to f32 only");
}

struct Problem {
  Tensor q, k, v, centres, places;
  DistanceBias bias;
  Rows queries, keys;
  int64_t heads, d, e;
  double scale;
  Band sees;
  Dropout dropout;

  // `room` for numbers that are kept in bf16: widened(), as many for each sentence.
  template <class T>
  AttentionHead<T> head(int64_t sentence, int64_t h, T* room = nullptr) const {
    const int64_t i = queries.begin(sentence), j = places ? 0 : keys.begin(sentence);
    const int64_t m = queries.length(sentence), n = keys.length(sentence);
    return {.q = head_rows(q, i, m, h * d, d, room),
            .k = head_rows(k, j, n, h * d, d, room),
            .v = head_rows(v, j, n, h * e, e, room),
            .queries = queries.length(sentence),
            .keys = keys.length(sentence),
            .d = d,
            .e = e,
            .scale = static_cast<T>(scale),
            .sees = sees,
            .dropout = dropout,
            .dropout_row = i * heads + h,
            .dropout_step = heads,
            .bias = bias.of_head<T>(h),
            .centres = centres ? centres.data<int32_t>() + i : nullptr,
            .places = places ? places.data<int32_t>() + keys.begin(sentence) : nullptr};
  }

  // Numbers of the longest sentence's head that are widened to f32, with those of its result.
  int64_t widened() const {
    if (q.dtype() != DType::bf16) return 0;
    return queries.max_length() * (d + e) + keys.max_length() * (d + e);
  }

  // Calls body(sentence, head, piece) for all, in parallel; `piece` numbers the caller. Neighbours in this
  // order are different sentences of one head, so that threads get equal work from batches sorted by length;
  // with few queries per sentence, they are the heads of one sentence, whose keys share rows.
  template <class Body>
  void for_heads(const Body& body) const {
    const int64_t count = heads * queries.count(), pieces = this->pieces();
    const bool few = queries.max_length() <= kFewQueries;
    parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
      for (int64_t piece = first; piece < last; ++piece)
        for (int64_t i = piece * count / pieces; i < (piece + 1) * count / pieces; ++i)
          if (few)
            body(i / heads, i % heads, piece);
          else
            body(i % queries.count(), i / queries.count(), piece);
    });
  }
  int64_t pieces() const {
    constexpr int64_t kWorthAThread = 1 << 18;  // multiplications
    int64_t pairs = 0;
    for (int64_t s = 0; s < queries.count(); ++s)
      pairs += queries.length(s) * std::min(keys.length(s), sees.back + sees.ahead + 1);
    const int64_t work = std::max<int64_t>(pairs * (d + e) / std::max<int64_t>(queries.count(), 1), 1);
    return parallel_pieces(heads * queries.count(), 1 + kWorthAThread / work);
  }
};

struct Saved {
  Tensor out, lse;  // [tokens, heads e], [heads, tokens]; lse only for a backward pass
};

void forward_reference(const Problem& p, const Saved& saved) {
  dispatch(p.q.dtype(), [&]<class T>() {
    p.for_heads([&](int64_t s, int64_t h, int64_t) {
      const auto head = p.head<T>(s, h);
      const auto out = head_rows<T>(saved.out, p.queries.begin(s), h * p.e);
      const auto weights = attention_weights(head);
      for (int64_t i = 0; i < head.queries; ++i) {
        std::fill_n(out.row(i), p.e, T{0});
        for (int64_t j = 0; j < head.keys; ++j) {
          T w = weights[static_cast<size_t>(i * head.keys + j)];
          if (p.dropout.p > 0)
            w *= static_cast<T>(dropout_factor(p.dropout, head.dropout_row + i * head.dropout_step, j));
          const T* v = head.v.row(head.place(j));
          for (int64_t c = 0; c < p.e; ++c) out.row(i)[c] += w * v[c];
        }
      }
    });
  });
}

// The same with keys and values in order.
Problem in_order(Problem p) {
  p.k = embedding(p.k, p.places);
  p.v = embedding(p.v, p.places);
  p.places = {};
  return p;
}

// The choice of a sentence's kernel does not depend on the others.
void forward_fast(const Problem& p, const Saved& saved) {
  if (p.places && p.queries.max_length() > kFewQueries) return forward_fast(in_order(p), saved);
  const int64_t floats = attention_forward_scratch(p.keys.max_length(), p.d, p.e);
  const Tensor scratch({p.pieces(), floats}), widened({p.pieces(), p.widened()});
  p.for_heads([&](int64_t s, int64_t h, int64_t piece) {
    float* lse = saved.lse ? saved.lse.data<float>() + h * p.queries.total() + p.queries.begin(s) : nullptr;
    const auto head = p.head(s, h, widened.row<float>(piece).data());
    const bool few = head.queries <= kFewQueries && p.dropout.p == 0;
    (few ? attention_few : attention_forward)(head, head_rows<float>(saved.out, p.queries.begin(s), h * p.e),
                                              lse, scratch.data<float>() + piece * floats);
  });
}

struct Gradients {
  Tensor out;
  Tensor dq, dk, dv;
  Tensor dbias;  // [sentences heads, width], zeros at first; undefined without a bias
};

void backward_reference(const Problem& p, const Saved&, const Gradients& g) {
  dispatch(p.q.dtype(), [&]<class T>() {
    for (const Tensor& t : {g.dq, g.dk, g.dv}) t.fill(0);
    p.for_heads([&](int64_t s, int64_t h, int64_t) {
      const auto head = p.head<T>(s, h);
      const int64_t i0 = p.queries.begin(s), j0 = p.keys.begin(s);
      const auto dout = head_rows<T>(g.out, i0, h * p.e);
      const auto dq = head_rows<T>(g.dq, i0, h * p.d), dk = head_rows<T>(g.dk, j0, h * p.d),
                 dv = head_rows<T>(g.dv, j0, h * p.e);
      T* dbias = g.dbias ? p.bias.zero(g.dbias.row<T>(s * p.heads + h).data()) : nullptr;
      const auto weights = attention_weights(head);
      std::vector<T> dp(static_cast<size_t>(head.keys));
      for (int64_t i = 0; i < head.queries; ++i) {
        const T* w = weights.data() + i * head.keys;
        T delta = 0;
        for (int64_t j = 0; j < head.keys; ++j) {
          const T factor =
              p.dropout.p > 0
                  ? static_cast<T>(dropout_factor(p.dropout, head.dropout_row + i * head.dropout_step, j))
                  : T{1};
          T dot = 0;
          for (int64_t c = 0; c < p.e; ++c) {
            dot += dout.row(i)[c] * head.v.row(j)[c];
            dv.row(j)[c] += w[j] * factor * dout.row(i)[c];
          }
          dp[static_cast<size_t>(j)] = dot * factor;
          delta += w[j] * dot * factor;
        }
        for (int64_t j = 0; j < head.keys; ++j) {
          if (w[j] == 0) continue;
          const T ds = w[j] * (dp[static_cast<size_t>(j)] - delta);
          if (dbias != nullptr) dbias[j - head.position(i)] += ds;
          for (int64_t c = 0; c < p.d; ++c) {
            dq.row(i)[c] += head.scale * ds * head.k.row(j)[c];
            dk.row(j)[c] += head.scale * ds * head.q.row(i)[c];
          }
        }
      }
    });
  });
}

void backward_fast(const Problem& p, const Saved& saved, const Gradients& g) {
  const int64_t floats = attention_backward_scratch(p.queries.max_length(), p.keys.max_length(), p.d, p.e);
  const Tensor scratch({p.pieces(), floats}), widened({p.pieces(), p.widened()});
  p.for_heads([&](int64_t s, int64_t h, int64_t piece) {
    const int64_t i = p.queries.begin(s), j = p.keys.begin(s);
    float* room = widened.row<float>(piece).data();
    const auto out = head_rows(saved.out, i, p.queries.length(s), h * p.e, p.e, room);
    attention_backward(p.head(s, h, room),
                       {.out = out,
                        .dout = head_rows(g.out, i, p.queries.length(s), h * p.e, p.e, room),
                        .lse = saved.lse.data<float>() + h * p.queries.total() + i,
                        .dq = head_rows<float>(g.dq, i, h * p.d),
                        .dk = head_rows<float>(g.dk, j, h * p.d),
                        .dv = head_rows<float>(g.dv, j, h * p.e),
                        .dbias = g.dbias ? p.bias.zero(g.dbias.row<float>(s * p.heads + h).data()) : nullptr},
                       scratch.data<float>() + piece * floats);
  });
}

bool is_f32(const Problem& p, const Saved&) { return p.q.dtype() != DType::f64; }
bool is_f32_gradient(const Problem& p, const Saved& saved, const Gradients&) { return is_f32(p, saved); }

constexpr Kernels<void(const Problem&, const Saved&)> forward_kernels{{forward_fast, is_f32},
                                                                      forward_reference};
constexpr Kernels<void(const Problem&, const Saved&, const Gradients&)> backward_kernels{
    {backward_fast, is_f32_gradient}, backward_reference};

void show(const Problem& p, Lens& lens, AttentionName name) {
  int64_t pairs = 0;
  for (int64_t s = 0; s < p.queries.count(); ++s) pairs += p.queries.length(s) * p.keys.length(s) * p.heads;
  const Tensor weights({pairs}, p.q.dtype());
  dispatch(p.q.dtype(), [&]<class T>() {
    T* to = weights.data<T>();
    for (int64_t s = 0; s < p.queries.count(); ++s)
      for (int64_t h = 0; h < p.heads; ++h)
        to = std::ranges::copy(attention_weights(p.head<T>(s, h)), to).out;
  });
  lens.attention(name, weights, p.queries, p.keys, static_cast<int>(p.heads));
}

void check_places(const Tensor& places, int64_t keys, int64_t rows) {
  check(places.dtype() == DType::i32, "attention: places must be i32 numbers, but {} were given",
        places.dtype());
  check_shape("attention", "places", places, {keys});
  for (const int32_t place : places.span<int32_t>())
    check(place >= 0 && place < rows, "attention: place {} is outside the {} rows of k", place, rows);
}

void check_centres(const AttentionOptions& options, const Rows& queries, const Rows& keys) {
  check(options.centres.dtype() == DType::i32, "attention: centres must be i32 numbers, but {} were given",
        options.centres.dtype());
  check_shape("attention", "centres", options.centres, {queries.total()});
  if (!options.bias) return;
  const int32_t* centre = options.centres.data<int32_t>();
  for (int64_t s = 0; s < queries.count(); ++s)
    for (int64_t i = queries.begin(s); i < queries.end(s); ++i)
      check(centre[i] >= 0 && centre[i] < keys.length(s),
            "attention: centre {} is outside the {} keys of sentence {}", centre[i], keys.length(s), s);
}

Problem checked(const Tensor& q, const Tensor& k, const Tensor& v, const Rows& queries, const Rows& keys,
                const AttentionOptions& options) {
  check_float("attention", {&q, &k, &v, &options.bias});
  check_rank("attention", "q", q, 2);
  check_rank("attention", "k", k, 2);
  check_rank("attention", "v", v, 2);
  const int64_t heads = options.heads;
  check(heads > 0 && q.columns() % heads == 0 && v.columns() % heads == 0,
        "attention: the number of heads, {}, must divide the columns of q {} and v {}", heads, q.shape(),
        v.shape());
  check_shape("attention", "q", q, {queries.total(), q.columns()});
  check_shape("attention", "k", k, {options.places ? k.rows() : keys.total(), q.columns()});
  check_shape("attention", "v", v, {k.rows(), v.columns()});
  if (options.places) check_places(options.places, keys.total(), k.rows());
  check(queries.count() == keys.count(), "attention: queries for {} sentences were given, but keys for {}",
        queries.count(), keys.count());
  if (options.bias)
    check(
        options.bias.shape().rank() == 2 && options.bias.columns() == heads && options.bias.rows() % 2 == 1,
        "attention: the bias must have an odd number of rows and a column for each of the {} heads, but has "
        "the shape {}",
        heads, options.bias.shape());
  if (options.centres) check_centres(options, queries, keys);
  check_dropout("attention", options.dropout);
  const int64_t d = q.columns() / heads;
  const double scale =
      options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(d, 1)));
  return {q.detach(),
          k.detach(),
          v.detach(),
          options.centres,
          options.places,
          options.bias ? DistanceBias(options.bias, queries, keys) : DistanceBias(),
          queries,
          keys,
          heads,
          d,
          v.columns() / heads,
          scale,
          options.sees,
          options.dropout};
}

// With operands in bf16 they are kept so for the backward pass, and the result too, which is one of its
// operands.
bool in_bf16(const Problem& p) {
  return precision_of(p.q) == Precision::bf16 && precision_of(p.k) == Precision::bf16 &&
         precision_of(p.v) == Precision::bf16 && !reference_kernels();
}
Problem rounded_operands(Problem p) {
  for (Tensor* operand : {&p.q, &p.k, &p.v}) *operand = rounded(*operand);
  return p;
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Rows& queries, const Rows& keys,
                 const AttentionOptions& options) {
  const Problem given = checked(q, k, v, queries, keys, options);
  Tensor out(v.shape().with_rows(q.rows()), q.dtype());
  const bool record_it = recording(q, k, v, options.bias);
  check(!record_it || !options.places, "attention: keys with places cannot have gradients");
  const bool rounds = record_it && in_bf16(given);
  const Problem problem = rounds ? rounded_operands(given) : given;
  const Saved saved{out, record_it ? Tensor({problem.heads, q.rows()}, q.dtype()) : Tensor()};
  forward_kernels(problem, saved);
  if (options.lens != nullptr) show(given, *options.lens, options.name);
  if (record_it)
    record(
        "attention", out, {q, k, v, options.bias},
        [problem, saved = Saved{rounds ? shared_rounded(out) : out.detach(), saved.lse},
         learns_bias = recording(options.bias)](const Tensor& dy) {
          const DType dtype = dy.dtype();
          Gradients g{dy,
                      Tensor(problem.q.shape(), dtype),
                      Tensor(problem.k.shape(), dtype),
                      Tensor(problem.v.shape(), dtype),
                      {}};
          if (learns_bias)
            g.dbias = Tensor::zeros({problem.queries.count() * problem.heads, problem.bias.width()}, dtype);
          backward_kernels(problem, saved, g);
          return Grads{g.dq, g.dk, g.dv, learns_bias ? problem.bias.gradient(g.dbias) : Tensor()};
        });
  return out;
}

}  // namespace attune
