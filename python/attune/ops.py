"""Operations on tensors, with gradients. Shapes are in the descriptions; tokens are all sentences of a batch laid end to
end, and `lengths`, `queries` and `keys` say how long each sentence is (by default there is one)."""
from __future__ import annotations

from typing import Optional, Sequence, Tuple

from attune import _attune
from attune._attune import Tensor

_ops = _attune.ops


def add(a: Tensor, b: Tensor) -> Tensor:
    """a + b; b has the shape of a, or is one row [d]."""
    return _ops.add(a, b)


def mul(a: Tensor, b: Tensor) -> Tensor:
    """a * b, number by number; b has the shape of a, or is one row [d]."""
    return _ops.mul(a, b)


def scale(x: Tensor, factor: float) -> Tensor:
    """Each number times the factor."""
    return _ops.scale(x, factor)


def activate(x: Tensor, activation: str) -> Tensor:
    """activation: relu, gelu, gelu_tanh, silu, tanh or sigmoid."""
    return _ops.activate(x, activation)


def sum(x: Tensor) -> Tensor:
    """The sum of all numbers: [..] -> []."""
    return _ops.sum(x)


def softmax(x: Tensor) -> Tensor:
    """Of each row."""
    return _ops.softmax(x)


def log_softmax(x: Tensor) -> Tensor:
    """The logarithm of the softmax of each row."""
    return _ops.log_softmax(x)


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """gamma (x - mean) / sqrt(var + eps) + beta, row by row."""
    return _ops.layer_norm(x, gamma, beta, eps)


def rms_norm(x: Tensor, gamma: Tensor, eps: float = 1e-5) -> Tensor:
    """gamma x / sqrt(mean(x^2) + eps), row by row."""
    return _ops.rms_norm(x, gamma, eps)


def matmul(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """[m, k] [k, n] -> [m, n]; [b, m, k] [b, k, n] -> [b, m, n]."""
    return _ops.matmul(a, b, transpose_a, transpose_b)


def linear(x: Tensor, weight: Tensor, bias: Optional[Tensor] = None, activation: str = "none") -> Tensor:
    """activation(x weight^T + bias): [.., in] [out, in] [out] -> [.., out]."""
    return _ops.linear(x, weight, bias, activation)


def embedding(table: Tensor, ids: Tensor, scale: float = 1.0) -> Tensor:
    """Rows of a table: [v, d], i32 [n] -> [n, d]."""
    return _ops.embedding(table, ids, scale)


def reshape(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The same numbers in another shape of the same size."""
    return _ops.reshape(x, list(shape))


def slice_rows(x: Tensor, begin: int, end: int) -> Tensor:
    """[n, d] -> [end - begin, d]."""
    return _ops.slice_rows(x, begin, end)


def concat_rows(parts: Sequence[Tensor]) -> Tensor:
    """[n_i, d] -> [sum n_i, d]."""
    return _ops.concat_rows(list(parts))


def concat_columns(parts: Sequence[Tensor]) -> Tensor:
    """[n, d_i] -> [n, sum d_i]."""
    return _ops.concat_columns(list(parts))


def attention(q: Tensor, k: Tensor, v: Tensor, *, heads: int = 1, causal: bool = False, scale: float = 0.0,
              queries: Optional[Sequence[int]] = None, keys: Optional[Sequence[int]] = None) -> Tensor:
    """softmax(scale q k^T) v, head by head: [tokens, heads d] x2, [tokens, heads e] -> [tokens, heads e].

    scale 0 means 1 / sqrt(d).
    """
    return _ops.attention(q, k, v, heads, causal, scale, _lengths(queries), _lengths(keys))


def additive_attention(query: Tensor, key: Tensor, v: Tensor, value: Tensor, *, queries: Optional[Sequence[int]] = None,
                       keys: Optional[Sequence[int]] = None) -> Tensor:
    """Bahdanau: sum_j softmax_j(v^T tanh(query_i + key_j)) value_j: [tq, n] [tk, n] [n] [tk, e] -> [tq, e]."""
    return _ops.additive_attention(query, key, v, value, _lengths(queries), _lengths(keys))


def recurrence(cell: str, x: Tensor, input: Tensor, recurrent: Tensor, input_bias: Tensor, recurrent_bias: Tensor, *,
               lengths: Optional[Sequence[int]] = None, reverse: bool = False) -> Tensor:
    """The states of an rnn, gru or lstm: [tokens, in] -> [tokens, h]; weights [gates h, in] and [gates h, h]."""
    return _ops.recurrence(cell, x, input, recurrent, input_bias, recurrent_bias, _lengths(lengths), reverse)


def linear_cross_entropy(x: Tensor, weight: Tensor, bias: Optional[Tensor], targets: Tensor,
                         label_smoothing: float = 0.0) -> Tuple[Tensor, Tensor, int, int]:
    """The output layer of a language model and its loss.

    [tokens, d] [v, d] [v], i32 [tokens] -> (sum of the losses [], -log p of each token, tokens that count, correct ones).
    """
    return _ops.linear_cross_entropy(x, weight, bias, targets, label_smoothing)


def _lengths(lengths: Optional[Sequence[int]]):
    return None if lengths is None else list(lengths)
