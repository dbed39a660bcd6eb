// Parameters: everything that a model learns, by name. Values are in one flat buffer and gradients in another
// of the same layout, so that clipping, the optimiser and an all-reduce are one pass each. Parameters that
// are not being trained are constants and stay elsewhere (in a mapped file).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attune/tensor.h"

namespace attune {

// Returns the tensor of a name, in the shape and type that a model asks for; an undefined one if the
// parameter is to be trained.
using ParameterSource = std::function<Tensor(std::string_view name, const Shape& shape, DType dtype)>;

class Kept;

class Parameters {
 public:
  struct Entry {
    static constexpr int64_t kConstant = -1;
    std::string name;
    Tensor tensor;               // a leaf if it is trained
    int64_t offset = kConstant;  // in the flat buffers
    bool trained() const { return offset != kConstant; }
  };

  explicit Parameters(DType dtype = DType::f32) : dtype_(dtype) {}
  // The tensors that `source` returns are constants, without gradients and outside of the flat buffers.
  // Operations keep forms derived from them, so they must not be written to once in use.
  explicit Parameters(ParameterSource source, DType dtype = DType::f32);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  // The source's parameter; or a new one, zeros unless `fill` gives it other values. Names are unique; no
  // parameter can be added once the flat buffers are in use.
  Tensor add(std::string_view name, const Shape& shape, const std::function<void(const Tensor&)>& fill = {});

  const std::vector<Entry>& entries() const { return entries_; }
  const Tensor& at(std::string_view name) const;
  bool contains(std::string_view name) const;
  int64_t count() const;          // of numbers
  int64_t trained_count() const;  // of those that are trained
  DType dtype() const { return dtype_; }

  // The flat buffers [n]; each parameter starts at a multiple of 16 elements, gaps hold zeros. The first call
  // gathers the parameters: tensors that were handed out before stay valid and move along.
  const Tensor& values();
  const Tensor& gradients();
  void zero_gradients();

 private:
  void gather();

  ParameterSource source_;
  std::shared_ptr<Kept> kept_;  // forms that operations have derived from the source's tensors
  std::vector<Entry> entries_;
  Tensor values_, gradients_;
  int64_t flat_size_ = 0;
  DType dtype_;
};

}  // namespace attune
