// All operations: differentiable where possible, on ragged batches, in f32 (fast) or f64 (reference). Shapes
// follow the declarations; `tokens` is all sentences of a batch laid end to end. A shape that does not fit is
// an Error.
#pragma once

#include "attune/ops/attention.h"
#include "attune/ops/elementwise.h"
#include "attune/ops/loss.h"
#include "attune/ops/norms.h"
#include "attune/ops/optimiser.h"
#include "attune/ops/products.h"
#include "attune/ops/recurrence.h"
#include "attune/ops/rows.h"
