// Rows and columns: lookup, slicing and joining. Column slices are views; their gradients are joined again.
#include <algorithm>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

// to[ids[i]] += scale from[i], except for kNoWord. Every thread takes a range of columns, so equal ids do not
// collide and the sums have a fixed order.
void scatter_add(const Tensor& to, const Tensor& ids, const Tensor& from, double scale) {
  dispatch(to.dtype(), [&]<class T>() {
    const auto factor = static_cast<T>(scale);
    const int64_t grain = 16 + 65536 / std::max<int64_t>(from.rows(), 1);
    parallel_for(to.columns(), grain, [&](int64_t begin, int64_t end) {
      const int32_t* id = ids.data<int32_t>();
      for (int64_t i = 0; i < from.rows(); ++i) {
        if (id[i] == kNoWord) continue;
        T* target = to.data<T>() + id[i] * to.row_stride();
        const T* source = from.data<T>() + i * from.row_stride();
        for (int64_t c = begin; c < end; ++c) target[c] += factor * source[c];
      }
    });
  });
}

Tensor narrow_embedding(const Tensor& table, const Tensor& ids, double scale) {
  const Tensor y({ids.size(), table.columns()});
  const auto scales = is_quantized(table) ? row_scales(table) : std::span<const float>();
  for (int64_t i = 0; i < ids.size(); ++i) {
    const int32_t id = ids.data<int32_t>()[i];
    if (id == kNoWord) {
      std::ranges::fill(y.row<float>(i), 0.f);
      continue;
    }
    if (scales.empty()) {
      std::ranges::transform(table.row<BFloat16>(id), y.row<float>(i).begin(),
                             [scale](BFloat16 x) { return static_cast<float>(scale) * x; });
      continue;
    }
    const float factor = static_cast<float>(scale) * scales[static_cast<size_t>(id)];
    std::ranges::transform(table.row<int8_t>(id), y.row<float>(i).begin(),
                           [factor](int8_t q) { return factor * static_cast<float>(q); });
  }
  return y;
}

// Rank 2, one dtype; the sizes of the dimension that is not joined are equal.
void check_parts(std::string_view op, std::span<const Tensor> parts, int common) {
  check(!parts.empty(), "{}: there is nothing to join", op);
  for (const Tensor& part : parts) {
    check_float(op, {&part, &parts[0]});
    check_rank(op, "a part", part, 2);
    check(part.shape()[common] == parts[0].shape()[common], "{}: the shapes {} and {} do not match", op,
          parts[0].shape(), part.shape());
  }
}

bool any_recording(std::span<const Tensor> parts) {
  return std::ranges::any_of(parts, [](const Tensor& part) { return recording(part); });
}

// Records an operation whose gradients are pieces of the result's gradient, in the order of the parts.
void record_join(std::string_view op, Tensor& y, std::span<const Tensor> parts, int dimension,
                 Tensor (Tensor::*piece)(int64_t, int64_t) const) {
  if (!any_recording(parts)) return;
  std::vector<int64_t> sizes;
  for (const Tensor& part : parts) sizes.push_back(part.shape()[dimension]);
  Tensor* const output = &y;
  record(op, std::span(&output, 1), parts, [sizes, piece](const Grads& dy) {
    Grads gradients;
    int64_t begin = 0;
    for (const int64_t size : sizes) {
      gradients.push_back((dy[0].*piece)(begin, begin + size));
      begin += size;
    }
    return gradients;
  });
}

}  // namespace

Tensor embedding(const Tensor& table, const Tensor& ids, double scale) {
  if (!is_narrow(table)) check_float("embedding", {&table});
  check_rank("embedding", "the table", table, 2);
  check_rank("embedding", "ids", ids, 1);
  check(ids.dtype() == DType::i32, "embedding: ids must be i32 numbers, but {} were given", ids.dtype());
  const int64_t words = table.shape()[0], d = table.columns();
  const auto id = ids.span<int32_t>();
  for (size_t i = 0; i < id.size(); ++i)
    check(id[i] == kNoWord || (id[i] >= 0 && id[i] < words),
          "embedding: id {} at position {} is outside the table of {} rows", id[i], i, words);
  if (is_narrow(table)) return narrow_embedding(table, ids, scale);
  Tensor y({ids.size(), d}, table.dtype());
  dispatch(table.dtype(), [&]<class T>() {
    const auto factor = static_cast<T>(scale);
    parallel_for(ids.size(), 1 + 16384 / std::max<int64_t>(d, 1), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const to = y.data<T>() + i * d;
        if (id[static_cast<size_t>(i)] == kNoWord) {
          std::fill_n(to, d, T{0});
          continue;
        }
        const T* from = table.data<T>() + id[static_cast<size_t>(i)] * table.row_stride();
        std::transform(from, from + d, to, [factor](T x) { return factor * x; });
      }
    });
  });
  if (recording(table))
    record(
        "embedding", y, {table},
        [ids = ids.clone(), scale, shape = table.shape(), buffer = leaf_gradient(table)](const Tensor& dy) {
          const Tensor gradient = buffer ? buffer : Tensor::zeros(shape, dy.dtype());
          scatter_add(gradient, ids, dy, scale);
          return Grads{buffer ? Tensor() : gradient};
        });
  return y;
}

Tensor reshape(const Tensor& x, const Shape& shape) {
  Tensor y = packed(x).view(shape);
  if (recording(x))
    record("reshape", y, {x}, [from = x.shape()](const Tensor& dy) { return Grads{packed(dy).view(from)}; });
  return y;
}

Tensor slice_rows(const Tensor& x, int64_t begin, int64_t end) {
  check_rank("slice_rows", "x", x, 2);
  Tensor y = x.view_rows(begin, end);
  if (recording(x))
    record("slice_rows", y, {x}, [shape = x.shape(), begin, end](const Tensor& dy) {
      Tensor dx = Tensor::zeros(shape, dy.dtype());
      dx.view_rows(begin, end).copy_from(dy);
      return Grads{dx};
    });
  return y;
}

Tensor concat_rows(std::span<const Tensor> parts) {
  check_parts("concat_rows", parts, 1);
  int64_t rows = 0;
  for (const Tensor& part : parts) rows += part.rows();
  Tensor y({rows, parts[0].columns()}, parts[0].dtype());
  int64_t begin = 0;
  for (const Tensor& part : parts) {
    y.view_rows(begin, begin + part.rows()).copy_from(part);
    begin += part.rows();
  }
  record_join("concat_rows", y, parts, 0, &Tensor::view_rows);
  return y;
}

Tensor concat_columns(std::span<const Tensor> parts) {
  check_parts("concat_columns", parts, 0);
  int64_t columns = 0;
  for (const Tensor& part : parts) columns += part.columns();
  Tensor y({parts[0].rows(), columns}, parts[0].dtype());
  int64_t begin = 0;
  for (const Tensor& part : parts) {
    y.view_columns(begin, begin + part.columns()).copy_from(part);
    begin += part.columns();
  }
  record_join("concat_columns", y, parts, 1, &Tensor::view_columns);
  return y;
}

std::vector<Tensor> split_columns(const Tensor& x, std::span<const int64_t> sizes) {
  if (!is_narrow(x)) check_float("split_columns", {&x});
  check_rank("split_columns", "x", x, 2);
  std::vector<Tensor> parts;
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    parts.push_back(x.view_columns(begin, begin + size));
    begin += size;
  }
  check(begin == x.columns(), "split_columns: the sizes add up to {}, but x is {}", begin, x.shape());
  if (recording(x)) {
    std::vector<Tensor*> outputs;
    for (Tensor& part : parts) outputs.push_back(&part);
    record("split_columns", outputs, std::span(&x, 1),
           [shape = x.shape(), dtype = x.dtype(),
            ends = std::vector<int64_t>(sizes.begin(), sizes.end())](const Grads& dy) {
             Tensor dx(shape, dtype);
             int64_t first = 0;
             for (size_t i = 0; i < ends.size(); ++i) {
               const Tensor part = dx.view_columns(first, first + ends[i]);
               if (dy[i])
                 part.copy_from(dy[i]);
               else
                 part.fill(0);
               first += ends[i];
             }
             return Grads{dx};
           });
  }
  return parts;
}

}  // namespace attune
