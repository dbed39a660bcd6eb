#include "attune/tensor.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "tensor/dispatch.h"
#include "tensor/format.h"
#include "tensor/storage.h"

namespace attune {

std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::i32: return "i32";
    case DType::i8: return "i8";
    case DType::bf16: return "bf16";
  }
  fail("DType: unknown type {}", static_cast<int>(dtype));
}

size_t bytes_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::i32: return 4;
    case DType::f64: return 8;
    case DType::i8: return 1;
    case DType::bf16: return 2;
  }
  fail("DType: unknown type {}", static_cast<int>(dtype));
}

namespace {

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, BFloat16>)
    return BFloat16(static_cast<float>(x));
  else if constexpr (std::is_same_v<From, BFloat16>)
    return static_cast<To>(static_cast<float>(x));
  else
    return static_cast<To>(x);
}

}  // namespace

Tensor::Tensor(const Shape& shape, DType dtype)
    : storage_(std::make_shared<Storage>(static_cast<size_t>(shape.size()) * bytes_of(dtype))),
      shape_(shape),
      row_stride_(shape.columns()),
      dtype_(dtype) {}

Tensor Tensor::zeros(const Shape& shape, DType dtype) {
  Tensor t(shape, dtype);
  std::memset(t.storage_->memory, 0, t.storage_->bytes);
  return t;
}

Tensor Tensor::full(const Shape& shape, double value, DType dtype) {
  Tensor t(shape, dtype);
  t.fill(value);
  return t;
}

template <class T>
Tensor Tensor::of(const Shape& shape, std::span<const T> values) {
  check(shape.size() == static_cast<int64_t>(values.size()),
        "Tensor::of: {} numbers were given for the shape {}", values.size(), shape);
  Tensor t(shape, dtype_of<T>());
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}
template Tensor Tensor::of<float>(const Shape&, std::span<const float>);
template Tensor Tensor::of<double>(const Shape&, std::span<const double>);
template Tensor Tensor::of<int32_t>(const Shape&, std::span<const int32_t>);
template Tensor Tensor::of<int8_t>(const Shape&, std::span<const int8_t>);
template Tensor Tensor::of<BFloat16>(const Shape&, std::span<const BFloat16>);

Tensor Tensor::borrow(const Shape& shape, DType dtype, std::byte* memory,
                      std::shared_ptr<const void> keeper) {
  Tensor t;
  t.storage_ = std::make_shared<Storage>(memory, static_cast<size_t>(shape.size()) * bytes_of(dtype),
                                         std::move(keeper));
  t.shape_ = shape;
  t.row_stride_ = shape.columns();
  t.dtype_ = dtype;
  return t;
}

std::byte* Tensor::raw(DType dtype) const {
  if (!defined()) fail("Tensor: it is undefined (default constructed)");
  if (dtype != dtype_) fail("Tensor: its numbers are {}, but {} were asked for", dtype_, dtype);
  return storage_->memory + static_cast<size_t>(offset_) * bytes_of(dtype_);
}

template <class T>
T* Tensor::data() const {
  return reinterpret_cast<T*>(raw(dtype_of<T>()));
}
template float* Tensor::data<float>() const;
template double* Tensor::data<double>() const;
template int32_t* Tensor::data<int32_t>() const;
template int8_t* Tensor::data<int8_t>() const;
template BFloat16* Tensor::data<BFloat16>() const;

template <class T>
std::span<T> Tensor::span() const {
  if (!contiguous())
    fail("Tensor: the rows of this view of shape {} are not contiguous; clone() it first", shape_);
  return {data<T>(), static_cast<size_t>(size())};
}
template std::span<float> Tensor::span<float>() const;
template std::span<double> Tensor::span<double>() const;
template std::span<int32_t> Tensor::span<int32_t>() const;
template std::span<int8_t> Tensor::span<int8_t>() const;
template std::span<BFloat16> Tensor::span<BFloat16>() const;

template <class T>
std::span<T> Tensor::row(int64_t r) const {
  if (r < 0 || r >= rows()) fail("Tensor: row {} does not exist in the shape {}", r, shape_);
  return {data<T>() + r * row_stride_, static_cast<size_t>(columns())};
}
template std::span<float> Tensor::row<float>(int64_t) const;
template std::span<double> Tensor::row<double>(int64_t) const;
template std::span<int32_t> Tensor::row<int32_t>(int64_t) const;
template std::span<int8_t> Tensor::row<int8_t>(int64_t) const;
template std::span<BFloat16> Tensor::row<BFloat16>(int64_t) const;

double Tensor::item() const {
  check(size() == 1, "Tensor::item: the shape {} does not have exactly one element", shape_);
  return dispatch_any(dtype_, [&]<class T>() { return static_cast<double>(*data<T>()); });
}

Tensor Tensor::view(const Shape& shape) const {
  check(shape.size() == size(), "Tensor::view: {} cannot be viewed as {}: the sizes differ", shape_, shape);
  check(contiguous(), "Tensor::view: the rows of this view of shape {} are not contiguous; clone() it first",
        shape_);
  Tensor t = detach();
  t.shape_ = shape;
  t.row_stride_ = shape.columns();
  return t;
}

Tensor Tensor::view_rows(int64_t begin, int64_t end) const {
  check(shape_.rank() >= 2 || (shape_.rank() == 1 && contiguous()), "Tensor::view_rows: {} has no rows",
        shape_);
  check(0 <= begin && begin <= end && end <= shape_[0], "Tensor::view_rows: {}..{} is not within {}", begin,
        end, shape_);
  check(shape_.rank() <= 2 || contiguous(), "Tensor::view_rows: the rows of {} are not contiguous", shape_);
  Tensor t = detach();
  t.shape_ = shape_.with_rows(end - begin);
  const int64_t step = shape_.rank() == 1   ? 1
                       : shape_.rank() == 2 ? row_stride_
                                            : size() / std::max<int64_t>(shape_[0], 1);
  t.offset_ += begin * step;
  if (shape_.rank() == 1) t.row_stride_ = end - begin;
  return t;
}

Tensor Tensor::view_columns(int64_t begin, int64_t end) const {
  check(shape_.rank() >= 1 && 0 <= begin && begin <= end && end <= columns(),
        "Tensor::view_columns: {}..{} is not within {}", begin, end, shape_);
  Tensor t = detach();
  t.shape_ = shape_.with_columns(end - begin);
  t.offset_ += begin;
  return t;
}

Tensor Tensor::detach() const {
  Tensor t = *this;
  t.node_.reset();
  t.output_ = 0;
  return t;
}

Tensor Tensor::clone() const {
  Tensor t(shape_, dtype_);
  t.copy_from(*this);
  return t;
}

Tensor Tensor::to(DType dtype) const {
  Tensor t(shape_, dtype);
  dispatch_any(dtype_, [&]<class From>() {
    dispatch_any(dtype, [&]<class To>() {
      for (int64_t r = 0; r < rows(); ++r)
        std::transform(row<From>(r).begin(), row<From>(r).end(), t.row<To>(r).begin(),
                       [](From x) { return converted<To>(x); });
    });
  });
  return t;
}

void Tensor::fill(double value) const {
  dispatch_any(dtype_, [&]<class T>() {
    for (int64_t r = 0; r < rows(); ++r) std::ranges::fill(row<T>(r), converted<T>(value));
  });
}

void Tensor::copy_from(const Tensor& source) const {
  check(shape_ == source.shape_ && dtype_ == source.dtype_,
        "Tensor::copy_from: {} {} cannot be copied to {} {}", source.dtype_, source.shape_, dtype_, shape_);
  if (size() == 0) return;
  const size_t element = bytes_of(dtype_);
  const auto row_bytes = static_cast<size_t>(columns()) * element;
  if (contiguous() && source.contiguous()) {
    std::memcpy(raw(dtype_), source.raw(dtype_), row_bytes * static_cast<size_t>(rows()));
    return;
  }
  for (int64_t r = 0; r < rows(); ++r)
    std::memcpy(raw(dtype_) + static_cast<size_t>(r * row_stride_) * element,
                source.raw(dtype_) + static_cast<size_t>(r * source.row_stride_) * element, row_bytes);
}

void Tensor::set_node(std::shared_ptr<Node> node, int output) {
  node_ = std::move(node);
  output_ = output;
}

}  // namespace attune
