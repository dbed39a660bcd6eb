// Checks of an OpCase for GoogleTest.
#pragma once

#include "testing/op_case.h"

namespace attune::testing {

// Every gradient equals central differences in f64 to `tolerance`, relative to the largest gradient of its
// input.
void expect_gradients(const OpCase& op, double tolerance = 1e-7);

// Result and gradients of the f32 kernels equal those of the f64 reference to `tolerance`, relative to the
// largest number of each tensor; and likewise for the f32 reference.
void expect_parity(const OpCase& op, double tolerance = 2e-5);

// Result and gradients of the f32 kernels have the same bits for one, two and three threads.
void expect_same_for_any_threads(const OpCase& op);

void expect_close(const Tensor& actual, const Tensor& expected, double tolerance, const std::string& what);

// The error that `statement` throws says `part`.
void expect_error(const std::function<void()>& statement, const std::string& part);

}  // namespace attune::testing
