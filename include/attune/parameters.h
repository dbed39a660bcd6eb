// Parameters: everything that a model learns, by name. Values lie in one flat buffer and gradients in another
// of the same layout, so that clipping, the optimiser and an all-reduce are one pass each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attune/tensor.h"

namespace attune {

class Parameters {
 public:
  struct Entry {
    std::string name;
    Tensor tensor;       // a leaf
    int64_t offset = 0;  // in the flat buffers
  };

  explicit Parameters(DType dtype = DType::f32) : dtype_(dtype) {}
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  // A new parameter of zeros. Names are unique; no parameter can be added once the flat buffers are in use.
  Tensor add(std::string_view name, const Shape& shape);

  const std::vector<Entry>& entries() const { return entries_; }
  const Tensor& at(std::string_view name) const;
  bool contains(std::string_view name) const;
  int64_t count() const;  // of learned numbers
  DType dtype() const { return dtype_; }

  // The flat buffers [n]; each parameter starts at a multiple of 16 elements, gaps hold zeros. The first call
  // gathers the parameters: tensors that were handed out before stay valid and move along.
  const Tensor& values();
  const Tensor& gradients();
  void zero_gradients();

 private:
  void gather();

  std::vector<Entry> entries_;
  Tensor values_, gradients_;
  int64_t flat_size_ = 0;
  DType dtype_;
};

}  // namespace attune
