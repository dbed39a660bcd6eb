"""Small models as Marian stores them (names, shapes, options), with random numbers, and the forced scores that an
independent implementation in NumPy gives them.

usage: marian.py FOLDER

Written from the equations of Marian's networks: sentences one at a time, matrices as Marian has them (x W), f64. That the
equations are Marian's was checked with models that Marian itself trained and scored.
"""
import json
import math
import pathlib
import re
import sys
import zlib

import numpy as np

SOURCE_WORDS = ["a", "ä", "straße", "日本", "кот", "~", "null", "."]
TARGET_WORDS = ["u", "é", "naïve", "東京", "мир", "yes", "no", "!"]
PAIRS = [("a straße .", "u naïve !"), ("日本", "東京"), ("ä ä unbekannt ~ null", "é neu no"), ("кот . a", "")]
TRANSFORMER = {"type": "transformer", "dim-emb": 4, "enc-depth": 1, "dec-depth": 1, "transformer-heads": 2,
               "transformer-dim-ffn": 6, "transformer-ffn-depth": 2, "transformer-ffn-activation": "swish",
               "transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
               "transformer-postprocess-top": "", "transformer-decoder-autoreg": "self-attention"}
RECURRENT = {"type": "s2s", "dim-emb": 3, "dim-rnn": 4, "enc-depth": 1, "dec-depth": 1, "enc-type": "bidirectional",
             "enc-cell": "gru", "dec-cell": "gru", "enc-cell-depth": 1, "dec-cell-base-depth": 2,
             "dec-cell-high-depth": 1, "skip": False, "layer-normalization": False}
PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
NEMATUS = {"type": "nematus", "enc-cell": "gru-nematus", "dec-cell": "gru-nematus"}
VARIANTS = {
    "t_post": TRANSFORMER,
    "t_pre_tied_src": {**TRANSFORMER, **PRE, "tied-embeddings-src": True, "transformer-ffn-activation": "gelu"},
    "t_tied_all_relu": {**TRANSFORMER, "tied-embeddings-all": True, "transformer-ffn-activation": "relu",
                        "transformer-postprocess-emb": "dn", "transformer-postprocess-top": "n", "enc-depth": 2},
    "t_rms_deep_ffn": {**TRANSFORMER, "transformer-preprocess": "r", "transformer-postprocess": "da",
                       "transformer-ffn-depth": 3, "transformer-decoder-ffn-depth": 1, "tied-embeddings": True,
                       "transformer-no-projection": True, "output-omit-bias": True,
                       "transformer-depth-scaling": True},
    "t_tied_layers": {**TRANSFORMER, "dec-depth": 2, "transformer-tied-layers": [1, 1],
                      "transformer-decoder-dim-ffn": 5},
    "t_learned_positions": {**TRANSFORMER, "transformer-train-position-embeddings": True},
    "t_no_norm": {**TRANSFORMER, "transformer-postprocess": "da"},
    "t_no_positions": {**TRANSFORMER, "transformer-disable-position-embeddings": True},
    "s_plain": RECURRENT,
    "s_norm": {**RECURRENT, "layer-normalization": True, "tied-embeddings": True},
    "s_lstm_norm": {**RECURRENT, "enc-cell": "lstm", "dec-cell": "lstm", "layer-normalization": True},
    "s_lstm_deep_tied": {**RECURRENT, "enc-cell": "lstm", "dec-cell": "lstm", "tied-embeddings-all": True,
                         "enc-cell-depth": 2, "dec-cell-base-depth": 3},
    "s_alternating": {**RECURRENT, "enc-type": "alternating", "enc-depth": 3, "dec-depth": 2, "skip": True,
                      "enc-cell-depth": 2, "dec-cell-base-depth": 4, "dec-cell-high-depth": 2,
                      "layer-normalization": True},
    "s_bi_unidirectional": {**RECURRENT, "enc-type": "bi-unidirectional", "enc-depth": 3, "dec-depth": 2,
                            "skip": True, "enc-cell-depth": 2, "enc-cell": "gru", "dec-cell": "lstm"},
    "s_one_transition": {**RECURRENT, "dec-cell-base-depth": 1, "enc-depth": 2},
    "amun_norm": {**RECURRENT, "type": "amun", "layer-normalization": True},
    "amun_tied": {**RECURRENT, "type": "amun", "tied-embeddings": True},
    "nematus_norm": {**RECURRENT, **NEMATUS, "layer-normalization": True, "enc-cell-depth": 2,
                     "dec-cell-base-depth": 4},
    "nematus_plain": {**RECURRENT, **NEMATUS},
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
        if self.on("transformer-train-position-embeddings"):
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


class Recurrent(Model):
    def nematus(self):
        return self.o["type"] == "nematus"

    def two_norms(self, matrix, x, bias):
        """Nematus normalises r and z together, and the candidate by itself."""
        parts = []
        for suffix, part in (("", x[: 2 * self.h]), ("x", x[2 * self.h:])):
            size = len(part)
            b = bias[: 2 * self.h] if suffix == "" else bias[2 * self.h:]
            parts.append(normal(part + b, self.p.get(f"{matrix}{suffix}_lns", 1, size, around=1)[0],
                                self.p.get(f"{matrix}{suffix}_lnb", 1, size)[0], 1e-5))
        return np.concatenate(parts)

    @property
    def h(self):
        return self.o["dim-rnn"]

    def cell(self, prefix, kind, x, state, final=False, encoder=True):
        s, c = state
        h = self.h
        gates = 4 if kind == "lstm" else 3
        split = [("", gates * h)] if kind == "lstm" else [("", 2 * h), ("x", h)]
        matrix = lambda name, size: np.hstack([self.p.get(f"{prefix}_{name}{e}", size, n) for e, n in split])
        b = np.concatenate([self.p.get(f"{prefix}_b{e}", 1, n)[0] for e, n in split])
        xw = np.zeros(gates * h) if x is None else x @ matrix("W", len(x))
        su = s @ matrix("U", h)
        if self.on("layer-normalization"):
            if self.nematus():
                none, kernel = np.zeros(3 * h), np.zeros(3 * h)
                if x is not None:
                    xw = self.two_norms(f"{prefix}_W", xw, none if final else b)
                inside = b if not encoder and (final or x is None) else none
                su = self.two_norms(f"{prefix}_U", su, inside)
                if encoder and x is None:
                    su[: 2 * h] += b[: 2 * h]
                    kernel[2 * h:] = b[2 * h:]
                b = kernel
            else:
                if x is not None:
                    xw = normal(xw, self.p.get(f"{prefix}_gamma1", 1, gates * h, around=1)[0])
                su = normal(su, self.p.get(f"{prefix}_gamma2", 1, gates * h, around=1)[0])
        if kind == "lstm":
            f, i, g, o = np.split(xw + su + b, 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            return sigmoid(o) * np.tanh(c), c
        r, z = np.split(sigmoid((xw + su + b)[: 2 * h]), 2)
        n = slice(2 * h, 3 * h)
        candidate = np.tanh(xw[n] + (su[n] + b[n]) * r if final else xw[n] + su[n] * r + b[n])
        return (1 - z) * candidate + z * s, c

    def read(self, names, xs, backwards):
        """names(layer): the cells of a layer."""
        for layer, (cells, back) in enumerate(zip(names, backwards)):
            state, outputs = (np.zeros(self.h), np.zeros(self.h)), []
            for x in xs[::-1] if back else xs:
                for j, name in enumerate(cells):
                    state = self.cell(name, self.o["enc-cell"], x if j == 0 else None, state)
                outputs.append(state[0])
            outputs = outputs[::-1] if back else outputs
            xs = [o + x for o, x in zip(outputs, xs)] if self.on("skip") and layer > 0 else outputs
        return xs

    def encode(self, xs):
        kind, depth, cells = self.o["enc-type"], self.o["enc-depth"], self.o["enc-cell-depth"]
        first = 1 if kind == "bi-unidirectional" else depth

        def names(stack):
            return [[stack + (f"_l{i}" if i > 1 else "") + (f"_cell{j}" if i > 1 or j > 1 else "")
                     for j in range(1, cells + 1)] for i in range(1, first + 1)]

        turns = [kind == "alternating" and i % 2 == 1 for i in range(first)]
        both = zip(self.read(names("encoder_bi"), xs, turns),
                   self.read(names("encoder_bi_r"), xs, [not turn for turn in turns]))
        states = [np.concatenate(pair) for pair in both]
        if first == depth:
            return np.array(states)
        upper = [[f"encoder_l{i}_cell{j}" for j in range(1, cells + 1)] for i in range(2, depth + 1)]
        return np.array(self.read(upper, states, [False] * len(upper)))

    def dense(self, prefix, inputs, size):
        total = 0
        for i, x in enumerate(inputs):
            n = str(i) if len(inputs) > 1 else ""
            y, b = x @ self.p.get(f"{prefix}_W{n}", x.shape[-1], size), self.p.get(f"{prefix}_b{n}", 1, size)[0]
            if not self.on("layer-normalization"):
                y = y + b
            elif self.nematus():
                y = normal(y + b, self.p.get(f"{prefix}_ln_s{n}", 1, size, around=1)[0],
                           self.p.get(f"{prefix}_ln_b{n}", 1, size)[0], 1e-5)
            else:
                y = normal(y, self.p.get(f"{prefix}_gamma{n}", 1, size, around=1)[0], b)
            total = total + y
        return np.tanh(total)

    def mapped(self, matrix, x, size, bias, gamma):
        y = x @ self.p.get(f"decoder_{matrix}", x.shape[-1], size)
        if not self.on("layer-normalization"):
            return y + bias
        if self.nematus():
            return normal(y + bias, self.p.get(f"decoder_{matrix}_lns", 1, size, around=1)[0],
                          self.p.get(f"decoder_{matrix}_lnb", 1, size)[0], 1e-5)
        return normal(y, self.p.get(f"decoder_{gamma}", 1, size, around=1)[0], bias)

    def decode(self, x, ys):
        states = self.encode(list(x))
        width = states.shape[-1]
        start = self.dense("decoder_ff_state", [states.mean(0)], self.h)
        layers = [(start, start)] * self.o["dec-depth"]
        keys = self.mapped("Wc_att", states, width, self.p.get("decoder_b_att", 1, width)[0], "att_gamma1")
        v, features, kind = self.p.get("decoder_U_att", width, 1)[:, 0], [], self.o["dec-cell"]
        for y in ys:
            state = self.cell("decoder_cell1", kind, y, layers[0], encoder=False)
            query = self.mapped("W_comb_att", state[0], width, 0.0, "att_gamma2")
            context = softmax(np.tanh(keys + query) @ v) @ states
            for j in range(2, self.o["dec-cell-base-depth"] + 1):
                state = self.cell(f"decoder_cell{j}", kind, context if j == 2 else None, state, True, False)
            layers[0], top = state, state[0]
            for i in range(2, self.o["dec-depth"] + 1):
                state = layers[i - 1]
                for j in range(1, self.o["dec-cell-high-depth"] + 1):
                    state = self.cell(f"decoder_l{i}_cell{j}", kind, top if j == 1 else None, state, False, False)
                layers[i - 1] = state
                top = state[0] + top if self.on("skip") else state[0]
            features.append(self.dense("decoder_ff_logit_l1", [y, top, context], self.o["dim-emb"]))
        return self.logits("decoder_ff_logit_l2", np.array(features))


def old_name(name):
    """The names of Nematus."""
    for pattern, new in ((r"^encoder_Wemb$", "Wemb"), (r"^decoder_Wemb$", "Wemb_dec"),
                         (r"^encoder_bi_(r_)?cell(\d)_(Ux?|bx?)(_ln[sb])?$",
                          lambda m: f"encoder_{m[1] or ''}{m[3]}_drt_{int(m[2]) - 1}{m[4] or ''}"),
                         (r"^encoder_bi_(.*)$", r"encoder_\1"),
                         (r"^decoder_cell1_((?:[UW]x?|bx?)(?:_ln[sb])?)$", r"decoder_\1"),
                         (r"^decoder_cell2_W(x?)(_ln[sb])?$", lambda m: f"decoder_Wc{m[1]}{m[2] or ''}"),
                         (r"^decoder_cell2_(Ux?|bx?)(_ln[sb])?$", lambda m: f"decoder_{m[1]}_nl{m[2] or ''}"),
                         (r"^decoder_cell(\d)_(Ux?|bx?)(_ln[sb])?$",
                          lambda m: f"decoder_{m[2]}_nl_drt_{int(m[1]) - 2}{m[3] or ''}"),
                         (r"^decoder_ff_logit_l1_gamma(\d)$", r"ff_logit_l1_gamma\1"),
                         (r"^decoder_ff_logit_l1_(W|b|ln_s|ln_b)(\d)$",
                          lambda m: f"ff_logit_{('prev', 'lstm', 'ctx')[int(m[2])]}_{m[1]}"),
                         (r"^decoder_ff_logit_l2_b$", "ff_logit_b"), (r"^decoder_ff_state_(.*)$", r"ff_state_\1")):
        if re.match(pattern, name):
            return re.sub(pattern, new, name)
    return name


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
        model = (Transformer if options["type"] == "transformer" else Recurrent)(options)
        scores = [round(model.score(*pair), 6) for pair in PAIRS]
        vocabularies = ["both.yml"] if model.shared else ["source.yml", "target.yml"]
        about["models"][name] = {"vocabularies": vocabularies, "scores": scores}
        config = yaml({**options, "dim-vocabs": [len(model.source), len(model.target)], "version": "v1.12"})
        arrays = dict(model.p)
        if options["type"] in ("amun", "nematus"):
            arrays = {old_name(key): value for key, value in arrays.items()}
            arrays["decoder_c_tt"] = np.zeros((1, 0), "f4")
        arrays["special:model.yml"] = np.frombuffer(config.encode() + b"\0", "i1")
        np.savez_compressed(folder / f"{name}.npz", **arrays)
    for name, words in (("source", SOURCE_WORDS), ("target", TARGET_WORDS), ("both", SOURCE_WORDS + TARGET_WORDS)):
        numbered = enumerate(["</s>", "<unk>", *words])
        (folder / f"{name}.yml").write_text("".join(f"{json.dumps(w, ensure_ascii=False)}: {i}\n" for i, w in numbered))
    (folder / "scores.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
