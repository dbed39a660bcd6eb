// Tensor: numbers with a shape. A value type: copies share the memory. Rows need not be contiguous (views of
// columns); within a row the numbers are adjacent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "attune/bfloat16.h"
#include "attune/shape.h"

namespace attune {

enum class DType : uint8_t { f32, f64, i32, i8, bf16 };
std::string_view name(DType dtype);
size_t bytes_of(DType dtype);

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::f32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::f64;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::i32;
}
template <>
constexpr DType dtype_of<int8_t>() {
  return DType::i8;
}
template <>
constexpr DType dtype_of<BFloat16>() {
  return DType::bf16;
}

struct Node;     // the operation that made a tensor; see attune/autograd.h
struct Storage;  // memory, owned or borrowed

class Tensor {
 public:
  Tensor() = default;                                             // undefined
  explicit Tensor(const Shape& shape, DType dtype = DType::f32);  // uninitialised
  static Tensor zeros(const Shape& shape, DType dtype = DType::f32);
  static Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
  template <class T>
  static Tensor of(const Shape& shape, std::span<const T> values);
  template <class T>
  static Tensor of(const Shape& shape, std::initializer_list<T> values) {
    return of<T>(shape, std::span<const T>(values.begin(), values.size()));
  }
  // Memory that is owned elsewhere (a mapped file): `keeper` lives as long as the tensor.
  static Tensor borrow(const Shape& shape, DType dtype, std::byte* memory,
                       std::shared_ptr<const void> keeper);

  bool defined() const { return storage_ != nullptr; }
  explicit operator bool() const { return defined(); }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  int64_t size() const { return shape_.size(); }
  int64_t rows() const { return shape_.rows(); }
  int64_t columns() const { return shape_.columns(); }
  int64_t row_stride() const { return row_stride_; }  // elements from one row to the next
  bool contiguous() const { return row_stride_ == columns() || rows() <= 1; }

  // Element access; throws if T is not the tensor's type. data() may be used with row_stride(); span() needs
  // a contiguous tensor.
  template <class T>
  T* data() const;
  template <class T>
  std::span<T> span() const;
  template <class T>
  std::span<T> row(int64_t r) const;
  double item() const;  // the only element

  // Views: they share memory and take no part in autograd (see ops.h for those that do).
  Tensor view(const Shape& shape) const;               // same size, contiguous
  Tensor view_rows(int64_t begin, int64_t end) const;  // of the first dimension
  Tensor view_columns(int64_t begin, int64_t end) const;
  Tensor detach() const;  // the same numbers without their history
  Tensor clone() const;   // a contiguous copy
  Tensor to(DType dtype) const;

  void fill(double value) const;
  void copy_from(const Tensor& source) const;  // same shape and type

  // Autograd: the operation that made this tensor, and as which of its outputs.
  const std::shared_ptr<Node>& node() const { return node_; }
  int output() const { return output_; }
  void set_node(std::shared_ptr<Node> node, int output);

  const std::shared_ptr<Storage>& storage() const { return storage_; }

 private:
  std::byte* raw(DType dtype) const;

  std::shared_ptr<Storage> storage_;
  std::shared_ptr<Node> node_;
  Shape shape_;
  int64_t offset_ = 0;  // elements
  int64_t row_stride_ = 1;
  int output_ = 0;
  DType dtype_ = DType::f32;
};

}  // namespace attune
