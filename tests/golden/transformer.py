"""Golden values of the Transformer, GPT and BERT, from an independent implementation in PyTorch (f64).

usage: transformer.py > transformer.json

Sentences are run one at a time, and attention one query, head and key at a time.
"""
import math

import torch

from golden import EXPECTED, GIVEN, IGNORE, SOURCE, WORDS, dump, record

D, FF, LIMIT = 8, 6, 9
FIXED = {"d_model": D, "feed_forward": FF, "max_positions": LIMIT, "dropout": 0}
SEGMENTS = [[0, 1, 1], [0], [0, 0, 1, 1]]
MASKED = [[IGNORE, 2, 6], [IGNORE], [5, IGNORE, 1, 2]]
CLASSES = [[3], [0], [6]]
DEFAULTS = {
    "transformer": {"encoder_layers": 1, "decoder_layers": 1, "tied_embeddings": True, "tied_output": True},
    "gpt": {"layers": 1, "activation": "gelu", "norm": "pre", "positions": "learned", "tied_output": True},
    "bert": {"layers": 1, "activation": "gelu", "positions": "learned", "task": "mask"},
}
COMMON = {"heads": 2, "activation": "relu", "norm": "post", "norm_kind": "layer", "positions": "sinusoidal",
          "attention": "scaled_dot", "scale_embeddings": True, "norm_epsilon": 1e-5, "final_norm": "auto",
          "feed_forward_layers": 2, "embedding_norm": False, "zero_start": False}


def norm(p, config, name, x):
    gamma = p.get(f"{name}.gamma", D)
    if config["norm_kind"] == "rms":
        return gamma * x / torch.sqrt((x * x).mean() + config["norm_epsilon"])
    centred = x - x.mean()
    return gamma * centred / torch.sqrt((centred * centred).mean() + config["norm_epsilon"]) + p.get(f"{name}.beta", D)


def residual(p, config, name, xs, function):
    """One sublayer for all vectors of a sentence."""
    if config["norm"] == "post":
        return [norm(p, config, f"{name}.norm", x + y) for x, y in zip(xs, function(xs))]
    return [x + y for x, y in zip(xs, function([norm(p, config, f"{name}.norm", x) for x in xs]))]


def rotate(x, position):
    """One head's vector: the pairs (i, i + d/2) as complex numbers."""
    half = len(x) // 2
    angle = torch.tensor([position / 10000 ** (2 * i / len(x)) for i in range(half)])
    turned = torch.complex(x[:half], x[half:]) * torch.polar(torch.ones(half), angle)
    return torch.cat([turned.real, turned.imag])


def energy(p, config, name, q, k):
    score, d = config["attention"], len(q)
    if score == "additive":
        return p.get(f"{name}.v", d) @ torch.tanh(p.linear(f"{name}.W", q, d) + p.linear(f"{name}.U", k, d, False))
    if score == "concat":
        return p.get(f"{name}.v", d) @ torch.tanh(p.get(f"{name}.W", d, 2 * d) @ torch.cat([q, k]))
    if score == "general":
        return q @ p.linear(f"{name}.W", k, d, False)
    return q @ k / (math.sqrt(d) if score == "scaled_dot" else 1)


def slope(head, heads):
    """ALiBi; heads is a power of two here."""
    return 2 ** (-8 * (head + 1) / heads)


def attend(p, config, name, queries, keys, values, causal, ordered):
    heads = config["heads"]
    size, outputs = D // heads, []
    for i, q in enumerate(queries):
        parts = []
        for h in range(heads):
            cut = slice(h * size, (h + 1) * size)
            energies = []
            for j, k in enumerate(keys[: i + 1] if causal else keys):
                a, b = q[cut], k[cut]
                if ordered and config["positions"] == "rotary":
                    a, b = rotate(a, i), rotate(b, j)
                e = energy(p, config, f"{name}.head{h}", a, b)
                if ordered and config["positions"] == "alibi":
                    e = e - slope(h, heads) * abs(i - j)
                energies.append(e)
            weights = torch.softmax(torch.stack(energies), 0)
            parts.append(sum(w * v[cut] for w, v in zip(weights, values)))
        outputs.append(p.linear(f"{name}.out", torch.cat(parts), D))
    return outputs


def self_attention(p, config, name, xs, causal):
    qkv = [p.linear(f"{name}.qkv", x, 3 * D).chunk(3) for x in xs]
    return attend(p, config, name, *zip(*qkv), causal, True)


def cross_attention(p, config, name, xs, memory):
    kv = [p.linear(f"{name}.kv", m, 2 * D).chunk(2) for m in memory]
    return attend(p, config, name, [p.linear(f"{name}.q", x, D) for x in xs], *zip(*kv), False, False)


def feed_forward(p, config, name, x):
    if config["activation"] == "swiglu":
        gate = p.linear(f"{name}.gate", x, FF, False)
        return p.linear(f"{name}.out", gate * torch.sigmoid(gate) * p.linear(f"{name}.in", x, FF, False), D, False)
    activation = {"relu": torch.relu, "gelu": lambda h: h * (1 + torch.erf(h / math.sqrt(2))) / 2,
                  "swish": lambda h: h * torch.sigmoid(h)}[config["activation"]]
    size = config["decoder_feed_forward"] if name.startswith("decoder") and "decoder_feed_forward" in config else FF
    for i in range(1, config["feed_forward_layers"]):
        x = activation(p.linear(f"{name}.{'in' if i == 1 else f'hidden{i - 1}'}", x, size))
    return p.linear(f"{name}.out", x, D)


def place(p, config, name, x, position):
    if config["positions"] == "learned":
        return x + p.get(f"{name}.positions.weight", LIMIT, D)[position]
    if config["positions"] == "sinusoidal":
        waves = [(math.sin, math.cos)[c % 2](position / 10000 ** (c // 2 * 2 / D)) for c in range(D)]
        return x + torch.tensor(waves)
    if config["positions"] == "sinusoidal_halves":
        angles = [position / 10000 ** (i / (D // 2 - 1)) for i in range(D // 2)]
        return x + torch.tensor([math.sin(a) for a in angles] + [math.cos(a) for a in angles])
    return x


def stack(p, config, name, xs, layers, causal, memory=None, norm_first=False):
    xs = [place(p, config, name, x, i) for i, x in enumerate(xs)]
    if norm_first:
        xs = [norm(p, config, f"{name}.embedding_norm", x) for x in xs]
    for i in range(layers):
        layer = f"{name}.layer{i}"
        xs = residual(p, config, f"{layer}.self", xs,
                      lambda x: self_attention(p, config, f"{layer}.self", x, causal))
        if memory is not None:
            xs = residual(p, config, f"{layer}.cross", xs,
                          lambda x: cross_attention(p, config, f"{layer}.cross", x, memory))
        xs = residual(p, config, f"{layer}.feed_forward", xs,
                      lambda x: [feed_forward(p, config, f"{layer}.feed_forward", each) for each in x])
    last = config["norm"] == "pre" if config["final_norm"] == "auto" else config["final_norm"]
    return xs if not last else [norm(p, config, f"{name}.norm", x) for x in xs]


def embed(p, config, name, ids):
    scale = math.sqrt(D) if config["scale_embeddings"] else 1
    return [scale * p.get(f"{name}.weight", WORDS, D)[word] for word in ids]


def transformer(p, config, sentence):
    target = "source" if config["tied_embeddings"] else "target"
    first = config["embedding_norm"]
    memory = stack(p, config, "encoder", embed(p, config, "source", SOURCE[sentence]), config["encoder_layers"], False,
                   norm_first=first)
    xs = embed(p, config, target, GIVEN[sentence])
    if config["zero_start"]:
        xs[0] = torch.zeros(D)
    xs = stack(p, config, "decoder", xs, config["decoder_layers"], True, memory, first)
    weight = p.get(f"{target if config['tied_output'] else 'output'}.weight", WORDS, D)
    return torch.stack([weight @ x + p.get("output.bias", WORDS) for x in xs])


def gpt(p, config, sentence):
    prompt, given = SOURCE[sentence], GIVEN[sentence]
    xs = stack(p, config, "decoder", embed(p, config, "words", prompt + given), config["layers"], True)
    weight = p.get(f"{'words' if config['tied_output'] else 'output'}.weight", WORDS, D)
    return torch.stack([weight @ x + p.get("output.bias", WORDS) for x in xs[len(prompt):]])


def bert(p, config, sentence):
    segments = p.get("segments.weight", 2, D)
    xs = [x + segments[s] for x, s in zip(embed(p, config, "words", SOURCE[sentence]), SEGMENTS[sentence])]
    xs = stack(p, config, "encoder", xs, config["layers"], False, norm_first=True)
    if config["task"] == "classify":
        pooled = torch.tanh(p.linear("pool", xs[0], D))
        return p.linear("classes", pooled, WORDS)[None]
    heads = [p.linear("mask", x, D) for x in xs]
    heads = [norm(p, config, "mask.norm", h * (1 + torch.erf(h / math.sqrt(2))) / 2) for h in heads]
    weight, bias = p.get("words.weight", WORDS, D), p.get("mask.output_bias", WORDS)
    return torch.stack([weight @ h + bias for h in heads])


def golden(kind, changes):
    config = {**COMMON, **DEFAULTS[kind], **changes}
    expected = EXPECTED if kind != "bert" else CLASSES if config["task"] == "classify" else MASKED
    logits = lambda p: torch.cat([globals()[kind](p, config, s) for s in range(len(SOURCE))])
    sizes = {key: config[key] for key in ("layers", "encoder_layers", "decoder_layers", "heads") if key in config}
    return record({"type": kind, **FIXED, **sizes, **changes}, logits, expected)


def variants():
    for norm_place in ("post", "pre"):
        for positions in ("none", "sinusoidal", "learned", "rotary", "alibi"):
            yield "transformer", {"norm": norm_place, "positions": positions}
        yield "transformer", {"norm": norm_place, "norm_kind": "rms", "encoder_layers": 2, "decoder_layers": 3}
    for score in ("additive", "concat", "dot", "general"):
        yield "transformer", {"attention": score, "positions": "rotary"}
    yield "transformer", {"heads": 4, "activation": "gelu", "tied_embeddings": False, "tied_output": False}
    yield "transformer", {"activation": "swiglu", "scale_embeddings": False,
                          "tied_output": False}
    for norm_place in ("post", "pre"):
        yield "transformer", {"norm": norm_place, "positions": "sinusoidal_halves", "activation": "swish",
                              "zero_start": True, "norm_epsilon": 0.01, "final_norm": norm_place == "post"}
    yield "transformer", {"embedding_norm": True, "feed_forward_layers": 3, "decoder_feed_forward": 5}
    yield "transformer", {"feed_forward_layers": 1}
    for positions in ("learned", "rotary", "alibi"):
        yield "gpt", {"positions": positions, "layers": 2 if positions == "learned" else 1}
    yield "gpt", {"attention": "additive", "activation": "swiglu", "norm_kind": "rms", "tied_output": False}
    for task in ("mask", "classify"):
        yield "bert", {"task": task}
    yield "bert", {"norm": "pre", "positions": "alibi", "attention": "dot"}


if __name__ == "__main__":
    dump(golden(kind, changes) for kind, changes in variants())
