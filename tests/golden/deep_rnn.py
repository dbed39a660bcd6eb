"""Golden values of the RNN with conditional cells and deep transitions, from an independent implementation in PyTorch
(f64).

usage: deep_rnn.py > deep_rnn.json

Sentences are run one at a time and step by step.
"""
import torch

from golden import EXPECTED, GIVEN, SOURCE, WORDS, dump, record

E, H = 3, 4
FIXED = {"type": "deep_rnn", "embedding": E, "hidden": H, "dropout": 0}
DEFAULTS = {"encoder_cell": "gru", "decoder_cell": "gru", "encoder": "bidirectional", "encoder_layers": 1,
            "decoder_layers": 1, "encoder_transitions": 1, "decoder_transitions": 2, "upper_transitions": 1,
            "residual": False, "norm": "none", "norm_epsilon": 1e-5, "tied_embeddings": False, "tied_output": False,
            "zero_start": False}


def normed(p, config, name, y, parts):
    if config["norm"] == "none":
        return y
    pieces = []
    for i, piece in enumerate(torch.split(y, parts)):
        centred = piece - piece.mean()
        scaled = centred / torch.sqrt((centred * centred).mean() + config["norm_epsilon"])
        pieces.append(scaled * p.get(f"{name}.norm{i}.gamma", len(piece)) + p.get(f"{name}.norm{i}.beta", len(piece)))
    return torch.cat(pieces)


def product(p, config, name, x, size):
    return p.linear(name, x, size, config["norm"] != "cell")


def dense(p, config, name, x, size):
    return normed(p, config, name, product(p, config, name, x, size), [size])


def cell(p, config, name, kind, x, h, c):
    """x is None in a cell without input."""
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[kind]
    parts = [2 * H, H] if config["norm"] == "gates" else [gates * H]
    a = p.get(f"{name}.bias", gates * H) if x is None else normed(
        p, config, f"{name}.input", product(p, config, f"{name}.input", x, gates * H), parts)
    s = normed(p, config, f"{name}.recurrent", product(p, config, f"{name}.recurrent", h, gates * H), parts)
    if kind == "rnn":
        return torch.tanh(a + s), None
    if kind == "gru":
        (ar, az, an), (sr, sz, sn) = a.chunk(3), s.chunk(3)
        r, z = torch.sigmoid(ar + sr), torch.sigmoid(az + sz)
        return (1 - z) * torch.tanh(an + r * sn) + z * h, None
    i, f, g, o = (a + s).chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def deep_cell(p, config, name, kind, x, h, c, transitions):
    for j in range(transitions):
        h, c = cell(p, config, f"{name}.cell{j}", kind, x if j == 0 else None, h, c)
    return h, c


def read_stack(p, config, name, xs, layers, backwards, alternating):
    for layer in range(layers):
        reverse = backwards != (alternating and layer % 2 == 1)
        h, c, states = torch.zeros(H), torch.zeros(H), []
        for x in reversed(xs) if reverse else xs:
            h, c = deep_cell(p, config, f"{name}.layer{layer}", config["encoder_cell"], x, h, c,
                             config["encoder_transitions"])
            states.append(h)
        states = states[::-1] if reverse else states
        xs = [s + x for s, x in zip(states, xs)] if config["residual"] and layer > 0 else states
    return xs


def encode(p, config, xs):
    mixed, alternating = config["encoder"] == "bi_unidirectional", config["encoder"] == "alternating"
    layers = 1 if mixed else config["encoder_layers"]
    both = [torch.cat(pair) for pair in zip(read_stack(p, config, "encoder.forward", xs, layers, False, alternating),
                                            read_stack(p, config, "encoder.backward", xs, layers, True, alternating))]
    if mixed and config["encoder_layers"] > 1:
        return read_stack(p, config, "encoder.upper", both, config["encoder_layers"] - 1, False, False)
    return both


def decode(p, config, source, given):
    """The logits of every token of one sentence."""
    table = p.get("source.weight", WORDS, E)
    states = encode(p, config, [table[w] for w in source])
    width, kind = len(states[0]), config["decoder_cell"]
    target = table if config["tied_embeddings"] else p.get("target.weight", WORDS, E)
    first = torch.tanh(dense(p, config, "start", sum(states) / len(states), H))
    running, logits = [(first, first)] * config["decoder_layers"], []
    keys = [dense(p, config, "attention.key", h, width) for h in states]
    for t, word in enumerate(given):
        y = torch.zeros(E) if config["zero_start"] and t == 0 else target[word]
        h, c = cell(p, config, "decoder.layer0.cell0", kind, y, *running[0])
        query = dense(p, config, "attention.query", h, width)
        energies = [p.get("attention.v", width) @ torch.tanh(query + key) for key in keys]
        weights = torch.softmax(torch.stack(energies), 0)
        context = sum(w * state for w, state in zip(weights, states))
        for j in range(1, config["decoder_transitions"]):
            h, c = cell(p, config, f"decoder.layer0.cell{j}", kind, context if j == 1 else None, h, c)
        running[0] = (h, c)
        s = h
        for i in range(1, config["decoder_layers"]):
            running[i] = deep_cell(p, config, f"decoder.layer{i}", kind, s, *running[i], config["upper_transitions"])
            s = running[i][0] + s if config["residual"] else running[i][0]
        features = torch.tanh(dense(p, config, "readout.word", y, E) + dense(p, config, "readout.state", s, E)
                              + dense(p, config, "readout.context", context, E))
        weight = target if config["tied_output"] else p.get("output.weight", WORDS, E)
        logits.append(weight @ features + p.get("output.bias", WORDS))
    return torch.stack(logits)


def logits(p, changes):
    config = {**DEFAULTS, **changes}
    return torch.cat([decode(p, config, s, g) for s, g in zip(SOURCE, GIVEN)])


def variants():
    yield {}
    yield {"norm": "cell", "zero_start": True, "norm_epsilon": 1e-9}
    yield {"norm": "gates", "encoder_transitions": 2, "decoder_transitions": 4, "zero_start": True}
    yield {"encoder_cell": "lstm", "decoder_cell": "lstm", "encoder_layers": 2, "decoder_layers": 2, "norm": "cell"}
    yield {"encoder_cell": "rnn", "decoder_cell": "lstm", "tied_embeddings": True, "tied_output": True,
           "decoder_transitions": 1}
    for ways in ("bidirectional", "alternating", "bi_unidirectional"):
        yield {"encoder": ways, "encoder_layers": 3, "decoder_layers": 3, "encoder_transitions": 2,
               "decoder_transitions": 3, "upper_transitions": 2, "residual": True}


if __name__ == "__main__":
    dump(record({**FIXED, **changes}, lambda p: logits(p, changes), EXPECTED) for changes in variants())
