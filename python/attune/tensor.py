"""Tensors and gradients, for those who learn or build: the operations are in attune.ops.

    x = attune.leaf([1.0, 2.0, 3.0])
    p = attune.ops.softmax(x)
    attune.backward(attune.ops.sum(attune.ops.mul(p, attune.tensor([-1.0, 0.0, 2.0]))))
    x.gradient.numpy()
"""
from __future__ import annotations

from typing import Any

from attune import _attune
from attune._attune import Adam, Tensor

__all__ = ["Adam", "Tensor", "backward", "leaf", "tensor"]


def tensor(values: Any) -> Tensor:
    """From an array or a list. Arrays of f32, f64 and i32 in C order share their memory with the tensor.

    Lists of Python's floats become f32.
    """
    import numpy

    if not isinstance(values, (numpy.ndarray, numpy.generic)):
        values = numpy.asarray(values)
        if values.dtype == numpy.float64:
            values = values.astype(numpy.float32)
    return Tensor(values)


def leaf(values: Any) -> Tensor:
    """A tensor whose gradient is wanted: `backward` adds it to `.gradient`."""
    return _attune.leaf(values if isinstance(values, Tensor) else tensor(values))


def backward(loss: Tensor, seed: float = 1.0) -> None:
    """Adds d(loss)/d(leaf) to the gradient of every leaf that the loss (one number) depends on."""
    _attune.backward(loss, seed)
