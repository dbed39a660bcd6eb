"""Prints the table of src/ops/recurrence/recurrence_golden_test.cpp: states and gradients of PyTorch's nn.RNN, nn.GRU and
nn.LSTM in f64. Run with PyTorch 1.13; number i of the tensor numbered k is 0.8 sin(1.7 i + k)."""

import torch

torch.set_default_dtype(torch.float64)
LENGTHS, INPUT, HIDDEN = [3, 1], 2, 2


def wave(k, *shape):
    count = torch.Size(shape).numel()
    return (0.8 * torch.sin(1.7 * torch.arange(count) + k)).reshape(shape)


def braces(tensor):
    return "{" + ", ".join(f"{x:.12g}" for x in tensor.flatten().tolist()) + "}"


for name, layer, gates in (("rnn", torch.nn.RNN, 1), ("gru", torch.nn.GRU, 3), ("lstm", torch.nn.LSTM, 4)):
    for reverse in (False, True):
        net = layer(INPUT, HIDDEN)
        shapes = ((gates * HIDDEN, INPUT), (gates * HIDDEN, HIDDEN), (gates * HIDDEN,), (gates * HIDDEN,))
        for k, (parameter, shape) in enumerate(zip(net.parameters(), shapes)):
            parameter.data = wave(k + 1, *shape)
        x = wave(5, sum(LENGTHS), INPUT).requires_grad_()
        h0 = wave(6, len(LENGTHS), HIDDEN).requires_grad_()
        c0 = wave(7, len(LENGTHS), HIDDEN).requires_grad_()
        outer = wave(8, sum(LENGTHS), HIDDEN)
        states, loss, begin = [], 0, 0
        for s, length in enumerate(LENGTHS):
            sentence = x[begin : begin + length]
            first = h0[s : s + 1], c0[s : s + 1]
            y, _ = net(sentence.flip(0) if reverse else sentence, first if name == "lstm" else first[0])
            states.append(y.flip(0) if reverse else y)
            loss = loss + (states[-1] * outer[begin : begin + length]).sum()
            begin += length
        loss.backward()
        gradients = [x.grad, net.weight_ih_l0.grad, net.weight_hh_l0.grad, net.bias_ih_l0.grad, net.bias_hh_l0.grad]
        gradients += [h0.grad] + ([c0.grad] if name == "lstm" else [])
        print(f"    {{Cell::{name}, {'true' if reverse else 'false'},")
        print(f"     {braces(torch.cat(states))},")
        print("     {" + ",\n      ".join(braces(g) for g in gradients) + "}},")
