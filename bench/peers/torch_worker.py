"""The rows of the benchmark done by PyTorch, as its users write them. Same names, shapes and protocol as
`attune bench --worker`: one JSON object a line, {"row": NAME, "repeat": K} -> {"seconds": S} and
{"row": NAME, "memory": true} -> {"megabytes": M}.

A function makes the inputs of a row and returns one execution of it. Gradients are dropped before each execution,
so that PyTorch never adds to old ones.
"""
import functools
import json
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from torch_decoding import DECODING
from torch_models import STEPS

ROWS = {**STEPS, **DECODING}


def rows(name, *shapes):
    """Registers a function for each shape, as NAME_2x3x4."""

    def register(function):
        for shape in shapes:
            ROWS[f"{name}_{'x'.join(map(str, shape))}"] = lambda shape=shape: function(*shape)
        return function

    return register


def numbers(*shape):
    return torch.randn(*shape)


def learned(*shape):
    return torch.randn(*shape).mul_(0.05).requires_grad_()


def wants_gradient(*shape):
    return numbers(*shape).requires_grad_()


def without_gradients(function):
    def run():
        with torch.no_grad():
            function()

    return run


def training(inputs, forward, dy=None):
    """Forward and backward, from the gradient dy, or from a loss if there is none."""

    def run():
        for tensor in inputs:
            tensor.grad = None
        forward().backward(dy)

    return run


# ---- Products
MATMULS = {
    "nn": [(1536, 256, 1024), (1536, 1024, 256), (1024, 512, 2048), (1536, 256, 8000)],
    "nt": [(1536, 256, 1024), (1024, 512, 2048), (1536, 256, 8000)],
    "tn": [(1024, 1536, 256), (2048, 1024, 512), (8000, 1536, 256)],
}


@rows("matmul_nn", *MATMULS["nn"])
def matmul_nn(m, k, n):
    a, b = numbers(m, k), numbers(k, n)
    return without_gradients(lambda: a @ b)


@rows("matmul_nt", *MATMULS["nt"])
def matmul_nt(m, k, n):
    a, b = numbers(m, k), numbers(n, k)
    return without_gradients(lambda: a @ b.T)


@rows("matmul_tn", *MATMULS["tn"])
def matmul_tn(m, k, n):
    a, b = numbers(k, m), numbers(k, n)
    return without_gradients(lambda: a.T @ b)


@rows("linear", *[(m, k, n) for m in (1, 4, 32) for k, n in ((256, 1024), (512, 2048))])
def linear(m, k, n, dtype=torch.float32):
    x, weight = numbers(m, k).to(dtype), numbers(n, k).to(dtype)
    return without_gradients(lambda: F.linear(x, weight))


CONSTANT = [(m, k, n) for m in (1, 4, 32, 128, 1536) for k, n in ((256, 1024), (512, 2048), (512, 32000))]
rows("linear_constant", *CONSTANT)(linear)
rows("linear_bf16", *CONSTANT)(functools.partial(linear, dtype=torch.bfloat16))


@rows("linear_int8", *CONSTANT)
def linear_int8(m, k, n):
    x, layer = numbers(m, k), torch.nn.quantized.dynamic.Linear(k, n, bias_=False)
    return without_gradients(lambda: layer(x))


@rows("matmul_batched", (256, 24, 64, 24))
def matmul_batched(batch, m, k, n):
    a, b = numbers(batch, m, k), numbers(batch, k, n)
    return without_gradients(lambda: a @ b)


# ---- Embeddings, activations, dropout and norms by themselves
@rows("embedding_train", (1536, 256, 8000))
def embedding_train(tokens, width, words):
    table, ids = learned(words, width), torch.randint(words, (tokens,))
    return training([table], lambda: F.embedding(ids, table), numbers(tokens, width))


def register_elementwise(name, function, *shapes):
    @rows(f"{name}_train", *shapes)
    def elementwise_train(tokens, width):
        x = wants_gradient(tokens, width)
        return training([x], lambda: function(x), numbers(tokens, width))


register_elementwise("relu", torch.relu, (1536, 1024))
register_elementwise("gelu", F.gelu, (1536, 1024))
register_elementwise("tanh", torch.tanh, (1536, 1024))
register_elementwise("dropout", lambda x: F.dropout(x, 0.1, True), (1536, 256))
register_elementwise("log_softmax", lambda x: torch.log_softmax(x, -1), (1536, 1024))


@rows("rms_norm_train", (1536, 256))
def rms_norm_train(tokens, width):
    x, gamma = wants_gradient(tokens, width), learned(width)
    return training([x, gamma], lambda: gamma * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5),
                    numbers(tokens, width))


# ---- Attention
def dot_attention(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), -1) @ v


@rows("attention_forward", (8, 8, 512, 64), (1, 8, 2048, 64))
def attention_forward(*shape):
    q, k, v = numbers(*shape), numbers(*shape), numbers(*shape)
    return without_gradients(lambda: dot_attention(q, k, v))


@rows("attention_train", (8, 8, 512, 64), (1, 8, 2048, 64), (1, 8, 8192, 64))
def attention_train(*shape):
    inputs = [wants_gradient(*shape) for _ in range(3)]
    return training(inputs, lambda: dot_attention(*inputs), numbers(*shape))


def additive_attention(query, key, v, value):
    energy = torch.tanh(query.unsqueeze(2) + key.unsqueeze(1)) @ v
    return torch.softmax(energy, -1) @ value


@rows("additive_train", (64, 24, 24))
def additive_train(sentences, queries, keys, n=512, e=1024):
    query, key = wants_gradient(sentences, queries, n), wants_gradient(sentences, keys, n)
    value, v = wants_gradient(sentences, keys, e), learned(n)
    return training([query, key, value, v], lambda: additive_attention(query, key, v, value),
                    numbers(sentences, queries, e))


@rows("additive_steps_train", (64, 24, 24))
def additive_steps_train(sentences, steps, keys, n=512, e=1024):
    queries = [wants_gradient(sentences, 1, n) for _ in range(steps)]
    key, value, v = wants_gradient(sentences, keys, n), wants_gradient(sentences, keys, e), learned(n)
    return training([*queries, key, value, v],
                    lambda: torch.cat([additive_attention(query, key, v, value) for query in queries], 1),
                    numbers(sentences, steps, e))


# ---- Norms
@rows("residual_norm_train", (1536, 256), (1024, 512))
def residual_norm_train(tokens, width):
    x, residual = wants_gradient(tokens, width), wants_gradient(tokens, width)
    gamma, beta = learned(width), learned(width)
    return training([x, residual, gamma, beta],
                    lambda: F.layer_norm(residual + F.dropout(x, 0.1, True), (width,), gamma, beta),
                    numbers(tokens, width))


@rows("softmax", (1536, 8000))
def softmax(*shape):
    x = numbers(*shape)
    return without_gradients(lambda: torch.softmax(x, -1))


# ---- Loss
@rows("linear_cross_entropy_train", (1536, 256, 8000), (1024, 512, 32000))
def linear_cross_entropy_train(tokens, width, vocabulary):
    x, weight, bias = wants_gradient(tokens, width), learned(vocabulary, width), learned(vocabulary)
    targets = torch.randint(vocabulary, (tokens,))
    return training([x, weight, bias], lambda: F.cross_entropy(F.linear(x, weight, bias), targets,
                                                               label_smoothing=0.1, reduction="sum"))


# ---- Recurrence
def bidirectional(layer, lengths):
    layer = layer(256, 512, bidirectional=True)
    x = wants_gradient(max(lengths), len(lengths), 256)
    inputs = [x, *layer.parameters()]
    if len(set(lengths)) == 1:
        return training(inputs, lambda: layer(x)[0], numbers(max(lengths), len(lengths), 1024))
    return training(inputs, lambda: layer(pack_padded_sequence(x, lengths, enforce_sorted=False))[0].data,
                    numbers(sum(lengths), 1024))


MIXED_LENGTHS = [5 + i * 37 % 64 * 40 // 64 for i in range(64)]
ROWS["gru_train_64x24"] = lambda: bidirectional(torch.nn.GRU, [24] * 64)
ROWS["gru_train_mixed"] = lambda: bidirectional(torch.nn.GRU, MIXED_LENGTHS)
ROWS["lstm_train_64x24"] = lambda: bidirectional(torch.nn.LSTM, [24] * 64)
ROWS["lstm_train_mixed"] = lambda: bidirectional(torch.nn.LSTM, MIXED_LENGTHS)


# ---- Optimiser
def adam():
    parameter = torch.ones(60_000_000, requires_grad=True)
    parameter.grad = torch.full((60_000_000,), 0.01)
    optimiser = torch.optim.Adam([parameter], betas=(0.9, 0.98), eps=1e-9)
    optimiser.step()  # makes its state
    return optimiser.step


ROWS["adam_60M"] = adam


# ---- Decoding


# ---- Protocol
def seconds(work, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - start) / repeat


def process_megabytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field + ":")) / 1024


def extra_megabytes(work):
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = process_megabytes("VmRSS")
    work()
    return process_megabytes("VmHWM") - before


def main():
    torch.manual_seed(1)
    row = work = None
    for line in sys.stdin:
        request = json.loads(line)
        if "list" in request:
            reply = {"rows": [{"name": name} for name in ROWS]}
        elif "memory" in request:
            reply = {"megabytes": extra_megabytes(ROWS[request["row"]]())}
        else:
            if request["row"] != row:
                work = None  # frees the inputs of the row before
                row, work = request["row"], ROWS[request["row"]]()
                seconds(work, 2)
            reply = {"seconds": seconds(work, request.get("repeat", 1))}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
