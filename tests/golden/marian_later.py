"""What the Marian of marian.py does not have yet: norms before the sublayers as they are since 1.11, RMS norms, gelu,
no positions, other sizes in the decoder; and learned positions, with which it stops.

usage: marian_later.py FOLDER

Small models as Marian stores them, with random numbers, and their forced scores by an independent implementation in
NumPy, written from the equations: sentences one at a time, matrices as Marian has them (x W), f64.
"""
import json
import math
import pathlib
import sys
import zlib

import numpy as np

from marian import SOURCE_WORDS, TARGET_WORDS

PAIRS = [("a straße .", "u naïve !"), ("日本", "東京"), ("ä ä unbekannt ~ null", "é neu no"), ("кот . a", "")]
TRANSFORMER = {"type": "transformer", "dim-emb": 4, "enc-depth": 1, "dec-depth": 1, "transformer-heads": 2,
               "transformer-dim-ffn": 6, "transformer-ffn-depth": 2, "transformer-ffn-activation": "swish",
               "transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
               "transformer-postprocess-top": "", "transformer-decoder-autoreg": "self-attention"}
PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
VARIANTS = {
    "t_pre_tied_src": {**TRANSFORMER, **PRE, "tied-embeddings-src": True, "transformer-ffn-activation": "gelu"},
    "t_rms_deep_ffn": {**TRANSFORMER, "transformer-preprocess": "r", "transformer-postprocess": "da",
                       "transformer-ffn-depth": 3, "transformer-decoder-ffn-depth": 1, "tied-embeddings": True,
                       "transformer-no-projection": True, "output-omit-bias": True,
                       "transformer-depth-scaling": True},
    "t_decoder_sizes": {**TRANSFORMER, "dec-depth": 2, "transformer-tied-layers": [1, 1],
                        "transformer-decoder-dim-ffn": 5},
    "t_learned_positions": {**TRANSFORMER, "transformer-train-positions": True},
    "t_no_positions": {**TRANSFORMER, "transformer-disable-position-embeddings": True},
}


class Arrays(dict):
    """Random numbers for each name, the same on every run."""

    def get(self, name, *shape, around=0.0):
        if name not in self:
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            self[name] = (around + rng.uniform(-0.8, 0.8, shape)).astype("f4")
        assert self[name].shape == shape, (name, self[name].shape, shape)
        return self[name].astype("f8")

    def affine(self, prefix, suffix, x, out):
        return x @ self.get(f"{prefix}_W{suffix}", x.shape[-1], out) + self.get(f"{prefix}_b{suffix}", 1, out)[0]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normal(x, gamma, beta=0.0, epsilon=1e-9):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) + beta


ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0), "swish": lambda x: x * sigmoid(x),
               "gelu": lambda x: 0.5 * x * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))}


class Model:
    def __init__(self, options):
        self.o, self.p = options, Arrays()
        self.shared = self.on("tied-embeddings-all") or self.on("tied-embeddings-src")
        words = SOURCE_WORDS + TARGET_WORDS if self.shared else None
        self.source = {w: i for i, w in enumerate(["</s>", "<unk>", *(words or SOURCE_WORDS)])}
        self.target = {w: i for i, w in enumerate(["</s>", "<unk>", *(words or TARGET_WORDS)])}

    def on(self, key):
        return bool(self.o.get(key, False))

    def table(self, side):
        name = "Wemb" if self.shared else f"{side}_Wemb"
        return self.p.get(name, len(self.source if side == "encoder" else self.target), self.o["dim-emb"])

    def logits(self, name, x):
        n = len(self.target)
        tied = self.on("tied-embeddings") or self.on("tied-embeddings-all")
        weight = self.table("decoder") if tied else self.p.get(f"{name}_Wt", n, self.o["dim-emb"])
        return x @ weight.T + (0 if self.on("output-omit-bias") else self.p.get(f"{name}_b", 1, n)[0])

    def score(self, source, target):
        read = [self.source.get(w, 1) for w in source.split()] + [0]
        write = [self.target.get(w, 1) for w in target.split()] + [0]
        y = np.vstack([np.zeros((1, self.o["dim-emb"])), self.table("decoder")[write[:-1]]])
        logs = np.log(softmax(self.decode(self.table("encoder")[read], y)))
        return float(sum(row[word] for row, word in zip(logs, write)))


class Transformer(Model):
    def norm(self, x, letter, prefix, suffix=""):
        d = x.shape[-1]
        if letter == "r":
            gamma = self.p.get(f"{prefix}_rms_scale{suffix}", 1, d, around=1)
            return gamma * x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
        return normal(x, self.p.get(f"{prefix}_ln_scale{suffix}", 1, d, around=1),
                      self.p.get(f"{prefix}_ln_bias{suffix}", 1, d), 1e-6)

    def before(self, x, key, prefix):
        for letter in self.o[key].replace("d", ""):
            x = self.norm(x, letter, prefix, "_pre")
        return x

    def after(self, x, given, key, prefix):
        for letter in self.o[key].replace("d", ""):
            x = x + given if letter == "a" else self.norm(x, letter, prefix)
        return x

    def attend(self, prefix, x, memory, causal=False):
        d, heads = x.shape[-1], self.o["transformer-heads"]
        q = self.before(x, "transformer-preprocess", f"{prefix}_Wo")
        kv = q if memory is None else memory
        q, k, v = (self.p.affine(prefix, s, each, d) for s, each in (("q", q), ("k", kv), ("v", kv)))
        mixed = []
        for h in range(heads):
            cut = slice(h * d // heads, (h + 1) * d // heads)
            e = q[:, cut] @ k[:, cut].T / np.sqrt(d / heads)
            if causal:
                e = np.where(np.tril(np.ones(e.shape)) > 0, e, -1e9)
            mixed.append(softmax(e) @ v[:, cut])
        out = np.hstack(mixed)
        if not self.on("transformer-no-projection"):
            out = self.p.affine(prefix, "o", out, d)
        return self.after(out, x, "transformer-postprocess", f"{prefix}_Wo")

    def feed_forward(self, prefix, x, decoder):
        size, depth = self.o["transformer-dim-ffn"], self.o["transformer-ffn-depth"]
        if decoder:
            size = self.o.get("transformer-decoder-dim-ffn", 0) or size
            depth = self.o.get("transformer-decoder-ffn-depth", 0) or depth
        y = self.before(x, "transformer-preprocess", f"{prefix}_ffn")
        for i in range(1, depth):
            y = ACTIVATIONS[self.o["transformer-ffn-activation"]](self.p.affine(prefix, str(i), y, size))
        y = self.p.affine(prefix, str(depth), y, x.shape[-1])
        return self.after(y, x, "transformer-postprocess", f"{prefix}_ffn")

    def place(self, x, stack):
        n, d = x.shape
        if self.on("transformer-train-positions"):
            x = x + self.p.get("Wpos", 9, d)[:n]
        elif not self.on("transformer-disable-position-embeddings"):
            angle = np.arange(n)[:, None] * 10000.0 ** (-np.arange(d // 2) / (d // 2 - 1))
            x = np.sqrt(d) * x + np.hstack([np.sin(angle), np.cos(angle)])
        return self.before(x, "transformer-postprocess-emb", f"{stack}_emb")

    def decode(self, x, y):
        x, y = self.place(x, "encoder"), self.place(y, "decoder")
        first_x, first_y = x, y
        for i in range(1, self.o["enc-depth"] + 1):
            x = self.attend(f"encoder_l{i}_self", x, None)
            x = self.feed_forward(f"encoder_l{i}_ffn", x, False)
        x = self.after(x, first_x, "transformer-postprocess-top", "encoder_top")
        for i in self.o.get("transformer-tied-layers") or range(1, self.o["dec-depth"] + 1):
            y = self.attend(f"decoder_l{i}_self", y, None, causal=True)
            y = self.attend(f"decoder_l{i}_context", y, x)
            y = self.feed_forward(f"decoder_l{i}_ffn", y, True)
        return self.logits("decoder_ff_logit_out", self.after(y, first_y, "transformer-postprocess-top", "decoder_top"))


def yaml(options):
    lines = []
    for key, value in options.items():
        if isinstance(value, list):
            lines += [f"{key}:"] + [f"  - {each}" for each in value]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def main(folder):
    about = {"source": [s for s, _ in PAIRS], "target": [t for _, t in PAIRS], "models": {}}
    for name, options in VARIANTS.items():
        model = Transformer(options)
        scores = [round(model.score(*pair), 6) for pair in PAIRS]
        vocabularies = ["both.yml"] if model.shared else ["source.yml", "target.yml"]
        about["models"][name] = {"vocabularies": vocabularies, "scores": scores}
        config = yaml({**options, "dim-vocabs": [len(model.source), len(model.target)], "version": "v1.12.43"})
        arrays = dict(model.p)
        arrays["special:model.yml"] = np.frombuffer(config.encode() + b"\0", "i1")
        np.savez_compressed(folder / f"{name}.npz", **arrays)
    (folder / "scores.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
