"""Golden values of the RNN encoder-decoder, from an independent implementation in PyTorch (f64).

usage: rnn_seq2seq.py > rnn_seq2seq.json

Sentences are run one at a time and step by step, as the papers write it.
"""
import math

import torch

from golden import EXPECTED, GIVEN, SOURCE, WORDS, dump, record

E, H, A = 3, 4, 5
FIXED = {"type": "rnn", "embedding": E, "hidden": H, "attention_hidden": A, "dropout": 0}
DEFAULTS = {"cell": "gru", "attention": "additive", "wiring": "bahdanau", "input_feeding": False,
            "fixed_vector": "initial", "bidirectional": True, "reverse_source": False, "residual": False,
            "encoder_layers": 1, "decoder_layers": 1, "encoder_hidden": 0, "tied_embeddings": False,
            "tied_output": False}


def cell_step(p, name, kind, x, h, c, size):
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[kind]
    wx = p.get(f"{name}.input", gates * size, len(x)) @ x + p.get(f"{name}.input_bias", gates * size)
    uh = p.get(f"{name}.recurrent", gates * size, size) @ h + p.get(f"{name}.recurrent_bias", gates * size)
    if kind == "rnn":
        return torch.tanh(wx + uh), None
    if kind == "gru":
        (xr, xz, xn), (hr, hz, hn) = wx.chunk(3), uh.chunk(3)
        r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
        return (1 - z) * torch.tanh(xn + r * hn) + z * h, None
    i, f, g, o = (wx + uh).chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def read_sequence(p, name, kind, xs, size, reverse):
    h, c, states = torch.zeros(size), torch.zeros(size), []
    for x in reversed(xs) if reverse else xs:
        h, c = cell_step(p, name, kind, x, h, c, size)
        states.append(h)
    return states[::-1] if reverse else states, h, c


def encode(p, config, xs):
    size = config["encoder_hidden"] or H
    finals = []
    for layer in range(config["encoder_layers"]):
        name = f"encoder.layer{layer}"
        states, h, c = read_sequence(p, f"{name}.forward", config["cell"], xs, size, False)
        if config["bidirectional"]:
            back, back_h, back_c = read_sequence(p, f"{name}.backward", config["cell"], xs, size, True)
            states = [torch.cat(pair) for pair in zip(states, back)]
            h = torch.cat([h, back_h])
            c = torch.cat([c, back_c]) if c is not None else None
        if config["residual"] and layer > 0:
            states = [state + x for state, x in zip(states, xs)]
        finals.append((h, c))
        xs = states
    return xs, finals


def energy(p, config, s, h):
    score = config["attention"]
    if score == "additive":
        return p.get("attention.v", A) @ torch.tanh(p.linear("attention.W", s, A) + p.linear("attention.U", h, A, False))
    if score == "concat":
        return p.get("attention.v", A) @ torch.tanh(p.get("attention.W", A, len(s) + len(h)) @ torch.cat([s, h]))
    if score == "general":
        return s @ p.linear("attention.W", h, len(s), False)
    return s @ h / (math.sqrt(len(h)) if score == "scaled_dot" else 1)


def attend(p, config, s, states):
    weights = torch.softmax(torch.stack([energy(p, config, s, h) for h in states]), 0)
    return sum(w * h for w, h in zip(weights, states))


def decode(p, config, source, given):
    """The logits of every token of one sentence."""
    if config["reverse_source"]:
        source = source[::-1]
    table = p.get("source.weight", WORDS, E)
    states, finals = encode(p, config, [table[w] for w in source])
    target = table if config["tied_embeddings"] else p.get("target.weight", WORDS, E)
    top_h, top_c = finals[-1]
    layers = config["decoder_layers"]
    if len(finals) == layers and len(top_h) == H:
        running = list(finals)
    else:
        running = [(torch.tanh(p.linear(f"bridge.layer{i}.h", top_h, H)),
                    p.linear(f"bridge.layer{i}.c", top_c, H) if top_c is not None else None) for i in range(layers)]
    attends, luong = config["attention"] != "none", config["wiring"] == "luong"
    feeding = config["input_feeding"]  # the paper's h~ (True), or the context
    fed, logits = torch.zeros(E if feeding is True else len(top_h)), []
    for word in given:
        y = target[word]
        if attends and not luong:
            context = attend(p, config, running[-1][0], states)
            x = torch.cat([y, context])
        elif attends:
            x = torch.cat([y, fed]) if feeding else y
        else:
            x = torch.cat([y, top_h]) if config["fixed_vector"] == "every_step" else y
        for i in range(layers):
            h, c = cell_step(p, f"decoder.layer{i}", config["cell"], x, *running[i], H)
            running[i] = (h, c)
            x = h + x if config["residual"] and i > 0 else h
        s = x
        if attends and luong:
            context = attend(p, config, s, states)
            seen = torch.cat([context, s])
        elif attends:
            seen = torch.cat([y, s, context])
        else:
            seen = torch.cat([y, s, top_h]) if config["fixed_vector"] == "every_step" else s
        features = torch.tanh(p.linear("readout", seen, E))
        if attends and luong:
            fed = features if feeding is True else context
        weight = target if config["tied_output"] else p.get("output.weight", WORDS, E)
        logits.append(weight @ features + p.get("output.bias", WORDS))
    return torch.stack(logits)


def logits(p, changes):
    config = {**DEFAULTS, **changes}
    return torch.cat([decode(p, config, s, g) for s, g in zip(SOURCE, GIVEN)])


def variants():
    yield {"attention": "none", "bidirectional": False}
    yield {"attention": "none", "bidirectional": False, "cell": "lstm", "reverse_source": True}
    yield {"attention": "none", "fixed_vector": "every_step"}
    yield {"cell": "rnn", "tied_embeddings": True, "tied_output": True}
    yield {"cell": "lstm", "encoder_layers": 2, "decoder_layers": 3, "residual": True}
    for score in ("additive", "concat", "dot", "general", "scaled_dot"):
        for wiring in ({}, {"wiring": "luong"}, {"wiring": "luong", "input_feeding": True},
                       {"wiring": "luong", "input_feeding": "context"}):
            yield {"attention": score, "encoder_hidden": 2, **wiring}


if __name__ == "__main__":
    dump(record({**FIXED, **changes}, lambda p: logits(p, changes), EXPECTED) for changes in variants())
