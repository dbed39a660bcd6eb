// The parts of the extension module attune._attune. They are written against the public headers alone.
#pragma once

#include <pybind11/pybind11.h>

namespace attune::python {

void add_model(pybind11::module_& module);     // Model, Attention
void add_training(pybind11::module_& module);  // train, compare, quantize, convert
void add_text(pybind11::module_& module);      // Vocabulary, evaluate
void add_tensors(pybind11::module_& module);   // Tensor, operations, gradients

}  // namespace attune::python
