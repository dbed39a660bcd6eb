"""Small models as Marian stores them, with random numbers, and how Marian translates with them.

usage: marian.py FOLDER PACKAGE

PACKAGE is the unpacked npm package @browsermt/bergamot-translator (0.4.9): Marian 1.9, compiled to WebAssembly. It writes
a translation with log p of each word, greedily and with a beam of 4, in f32 (marian_judge.cjs). It aborts if an array is
missing or has another shape than its network. What Marian got later is in marian_later.py.
"""
import json
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

SOURCE_WORDS = ["a", "ä", "straße", "日本", "кот", "~", "null", "."]
TARGET_WORDS = ["u", "é", "naïve", "東京", "мир", "yes", "no", "!"]
SENTENCES = ["a straße .", "日本", "ä ä xyz ~ null", "кот . a", "null null 日本 кот", ". a ä ~ кот straße"]
# The options that Marian 1.12 keeps in a file, as they are unless they are given.
DEFAULTS = """bert-train-type-embeddings: true
bert-type-vocab-size: 2
dec-cell: gru
dec-cell-base-depth: 2
dec-cell-high-depth: 1
dec-depth: 1
dim-emb: 8
dim-rnn: 6
enc-cell: gru
enc-cell-depth: 1
enc-depth: 1
enc-type: bidirectional
factors-combine: sum
factors-dim-emb: 0
input-types: []
layer-normalization: false
lemma-dependency: ""
lemma-dim-emb: 0
output-omit-bias: false
right-left: false
separator-symbol: "[eos]"
skip: false
tied-embeddings: false
tied-embeddings-all: false
tied-embeddings-src: false
transformer-aan-activation: swish
transformer-aan-depth: 2
transformer-aan-nogate: false
transformer-alibi-shift: false
transformer-alibi-trainable: false
transformer-attention-mask: default
transformer-decoder-autoreg: self-attention
transformer-decoder-dim-ffn: 0
transformer-decoder-ffn-depth: 0
transformer-dim-aan: 2048
transformer-dim-ffn: 6
transformer-disable-position-embeddings: false
transformer-ffn-activation: swish
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: 2
transformer-no-affine: false
transformer-no-bias: false
transformer-no-projection: false
transformer-pool: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-rnn-projection: false
transformer-tied-layers: []
transformer-train-position-embeddings: false
type: transformer
ulr: false
ulr-dim-emb: 0
ulr-trainable-transformation: false
version: v1.12.43
"""
RECURRENT = {"type": "s2s"}
LSTM = {"enc-cell": "lstm", "dec-cell": "lstm"}
NEMATUS = {"type": "nematus", "enc-cell": "gru-nematus", "dec-cell": "gru-nematus"}
VARIANTS = {
    "t_post": {"dec-depth": 2},
    "t_tied_src": {"tied-embeddings-src": True, "enc-depth": 2},
    "t_tied_all_relu": {"tied-embeddings-all": True, "transformer-ffn-activation": "relu",
                        "transformer-postprocess-emb": "dn", "transformer-postprocess-top": "n", "enc-depth": 2},
    "t_deep_ffn": {"transformer-ffn-depth": 3, "tied-embeddings": True, "transformer-no-projection": True,
                   "transformer-depth-scaling": True, "transformer-heads": 4, "transformer-postprocess-emb": "nd"},
    "t_tied_layers": {"dec-depth": 2, "transformer-tied-layers": [1, 1]},
    # Marian has sines all the same: its transformer asks for an option of another name.
    "t_train_positions": {"transformer-train-position-embeddings": True},
    "t_no_norm": {"transformer-postprocess": "da"},
    "s_plain": RECURRENT,
    "s_norm": {**RECURRENT, "layer-normalization": True, "tied-embeddings": True},
    "s_lstm_norm": {**RECURRENT, **LSTM, "layer-normalization": True},
    "s_lstm_deep_tied": {**RECURRENT, **LSTM, "tied-embeddings-all": True, "enc-cell-depth": 2,
                         "dec-cell-base-depth": 3},
    "s_lstm_skip": {**RECURRENT, **LSTM, "enc-depth": 2, "dec-depth": 3, "skip": True, "tied-embeddings-src": True,
                    "enc-type": "alternating"},
    "s_alternating": {**RECURRENT, "enc-type": "alternating", "enc-depth": 3, "dec-depth": 2, "skip": True,
                      "enc-cell-depth": 2, "dec-cell-base-depth": 4, "dec-cell-high-depth": 2,
                      "layer-normalization": True},
    "s_bi_unidirectional": {**RECURRENT, "enc-type": "bi-unidirectional", "enc-depth": 3, "dec-depth": 2, "skip": True,
                            "enc-cell-depth": 2, "dec-cell": "lstm"},
    "s_deep": {**RECURRENT, "enc-depth": 2, "dec-depth": 2},
    "s_one_transition": {**RECURRENT, "dec-cell-base-depth": 1},
    "amun_norm": {**RECURRENT, "type": "amun", "layer-normalization": True},
    "amun_tied": {**RECURRENT, "type": "amun", "tied-embeddings": True},
    "nematus_norm": {**RECURRENT, **NEMATUS, "layer-normalization": True, "enc-cell-depth": 2,
                     "dec-cell-base-depth": 4},
    "nematus_plain": {**RECURRENT, **NEMATUS},
}


class Model:
    """The options of a variant, and the arrays of its network: {name: shape}."""

    def __init__(self, given):
        self.options = dict(line.split(": ", 1) for line in DEFAULTS.splitlines())
        for key, value in given.items():
            self.options[key] = json.dumps(value) if not isinstance(value, str) else value or '""'
        self.shapes = {}
        self.shared = self.on("tied-embeddings-all") or self.on("tied-embeddings-src")
        self.words = len(SOURCE_WORDS) * (2 if self.shared else 1) + 2
        for name in ["Wemb"] if self.shared else ["encoder_Wemb", "decoder_Wemb"]:
            self.shapes[name] = self.words, self.size("dim-emb")
        (self.transformer if self.text("type") == "transformer" else self.recurrent)()

    def text(self, key):
        return self.options[key].strip('"')

    def size(self, key):
        return int(self.options[key])

    def on(self, key):
        return self.options[key] == "true"

    def dense(self, prefix, suffix, read, written):
        self.shapes[f"{prefix}_W{suffix}"] = read, written
        self.shapes[f"{prefix}_b{suffix}"] = 1, written

    def output(self, name):
        if not self.on("tied-embeddings") and not self.on("tied-embeddings-all"):
            self.shapes[f"{name}_Wt"] = self.words, self.size("dim-emb")
        self.shapes[f"{name}_b"] = 1, self.words

    def transformer(self):
        d = self.size("dim-emb")

        def norm(place, prefix, suffix):
            if "n" in self.text(f"transformer-{place}"):
                self.shapes[f"{prefix}_ln_scale{suffix}"] = self.shapes[f"{prefix}_ln_bias{suffix}"] = 1, d

        for stack, kinds in (("encoder", ["self"]), ("decoder", ["self", "context"])):
            norm("postprocess-emb", f"{stack}_emb", "_pre")
            tied = json.loads(self.options["transformer-tied-layers"]) if stack == "decoder" else []
            for layer in tied or range(1, self.size(f"{stack[:3]}-depth") + 1):
                for kind in kinds:
                    name = f"{stack}_l{layer}_{kind}"
                    for part in "qkv" + "o" * (not self.on("transformer-no-projection")):
                        self.dense(name, part, d, d)
                    norm("preprocess", f"{name}_Wo", "_pre")
                    norm("postprocess", f"{name}_Wo", "")
                name, hidden = f"{stack}_l{layer}_ffn", self.size("transformer-dim-ffn")
                widths = [d] + [hidden] * (self.size("transformer-ffn-depth") - 1) + [d]
                for i, (read, written) in enumerate(zip(widths, widths[1:]), 1):
                    self.dense(name, i, read, written)
                norm("preprocess", f"{name}_ffn", "_pre")
                norm("postprocess", f"{name}_ffn", "")
            norm("postprocess-top", f"{stack}_top", "")
        self.output("decoder_ff_logit_out")

    def recurrent(self):
        h, d = self.size("dim-rnn"), self.size("dim-emb")
        norm, nematus = self.on("layer-normalization"), self.text("type") == "nematus"

        def scales(name, number, size):
            if norm and nematus:
                self.shapes[f"{name}s{number}"] = self.shapes[f"{name}b{number}"] = 1, size

        def cell(name, kind, read):
            for end, size in [("", 4 * h)] if kind == "lstm" else [("", 2 * h), ("x", h)]:
                self.shapes[f"{name}_b{end}"] = 1, size
                self.shapes[f"{name}_U{end}"] = h, size
                scales(f"{name}_U{end}_ln", "", size)
                if read:
                    self.shapes[f"{name}_W{end}"] = read, size
                    scales(f"{name}_W{end}_ln", "", size)
            for number in (1, 2) if read else (2,):
                if norm and not nematus:
                    self.shapes[f"{name}_gamma{number}"] = 1, (4 if kind == "lstm" else 3) * h

        def layers(prefix, kind, depth, cells, read):
            for i in range(1, depth + 1):
                for j in range(1, cells + 1):
                    first = f"_l{i}" if i > 1 else ""
                    cell(prefix + first + (f"_cell{j}" if i > 1 or j > 1 else ""), kind, read if j == 1 else 0)
                read = h

        def dense(name, number, read, written):
            self.dense(name, number, read, written)
            scales(f"{name}_ln_", number, written)
            if norm and not nematus:
                self.shapes[f"{name}_gamma{number}"] = 1, written

        kind, depth, cells = self.text("enc-cell"), self.size("enc-depth"), self.size("enc-cell-depth")
        upper = self.text("enc-type") == "bi-unidirectional"
        for name in ("encoder_bi", "encoder_bi_r"):
            layers(name, kind, 1 if upper else depth, cells, d)
        width = 2 * h
        for i in range(2, depth + 1) if upper else []:
            for j in range(1, cells + 1):
                cell(f"encoder_l{i}_cell{j}", kind, width if j == 1 else 0)
            width = h
        dense("decoder_ff_state", "", width, h)
        for name, read in (("Wc_att", width), ("W_comb_att", h)):
            self.shapes[f"decoder_{name}"] = read, width
            scales(f"decoder_{name}_ln", "", width)
        self.shapes["decoder_b_att"], self.shapes["decoder_U_att"] = (1, width), (width, 1)
        if norm and not nematus:
            self.shapes["decoder_att_gamma1"] = self.shapes["decoder_att_gamma2"] = 1, width
        kind = self.text("dec-cell")
        for j in range(1, self.size("dec-cell-base-depth") + 1):
            cell(f"decoder_cell{j}", kind, {1: d, 2: width}.get(j, 0))
        for i in range(2, self.size("dec-depth") + 1):
            for j in range(1, self.size("dec-cell-high-depth") + 1):
                cell(f"decoder_l{i}_cell{j}", kind, h if j == 1 else 0)
        for number, read in enumerate((d, h, width)):
            dense("decoder_ff_logit_l1", number, read, d)
        self.output("decoder_ff_logit_l2")


def numbers(variant, name, shape):
    """Multiples of 1/64, the same on every run; scales around 1; sentences end."""
    draw = random.Random(f"{variant} {name}")
    around = 1 if re.search(r"scale|gamma|lns|ln_s", name) else 0
    values = [around + round(draw.uniform(-0.9, 0.9) * 64) / 64 for _ in range(math.prod(shape))]
    if re.search(r"ff_logit(_out|_l2)_b$", name):
        values[0] += 0.7
    return struct.pack(f"<{len(values)}f", *values)


def old_name(name):
    """The names of Nematus, which the types amun and nematus use in a file."""
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


def npz(path, arrays):
    """arrays: {name: (shape, bytes)}"""
    with zipfile.ZipFile(path, "w") as file:
        for name, (shape, data) in sorted(arrays.items()):
            kind = "|i1" if name.startswith("special:") else "<f4"
            sizes = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
            head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}\n".encode()
            content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), content, zipfile.ZIP_DEFLATED)


def binary(path, arrays):
    """The same as Marian's .bin, which the package reads."""
    heads = names = shapes = data = b""
    for name, (shape, content) in arrays.items():
        content += bytes(-len(content) % 256)
        kind = 0x0101 if name.startswith("special:") else 0x0404
        heads += struct.pack("<4Q", len(name.encode()) + 1, kind, len(shape), len(content))
        names += name.encode() + b"\0"
        shapes += struct.pack(f"<{len(shape)}i", *shape)
        data += content
    begin = struct.pack("<QQ", 1, len(arrays)) + heads + names + shapes
    padding = -(len(begin) + 8) % 256
    path.write_bytes(begin + struct.pack("<Q", padding) + bytes(padding) + data)


def number(value):
    """As Protocol Buffers write it: seven bits a byte."""
    low, rest = value & 127, (value & (1 << 64) - 1) >> 7
    return bytes([low | 128]) + number(rest) if rest else bytes([low])


def field(key, value):
    if isinstance(value, int):
        return number(key << 3) + number(value)
    return number(key << 3 | 2) + number(len(value)) + value


def sentencepiece(path, words):
    """A vocabulary of whole words with the numbers that the .yml gives them: the package reads no other."""
    def piece(text, kind):
        return field(1, field(1, text.encode()) + number(2 << 3 | 5) + struct.pack("<f", -1) + field(3, kind))

    pieces = [piece("</s>", 3), piece("<unk>", 2), *(piece(f"▁{word}", 1) for word in words)]
    trainer = field(3, 1) + field(4, len(words) + 2) + field(40, 1) + field(41, -1) + field(42, 0) + field(43, -1)
    path.write_bytes(b"".join(pieces) + field(2, trainer) + field(3, field(1, b"identity")))


def main(folder, package):
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="marian-"))
    for name, words in (("source", SOURCE_WORDS), ("target", TARGET_WORDS), ("both", SOURCE_WORDS + TARGET_WORDS)):
        lines = [f"{json.dumps(w, ensure_ascii=False)}: {i}\n" for i, w in enumerate(["</s>", "<unk>", *words])]
        (folder / f"{name}.yml").write_text("".join(lines))
        sentencepiece(scratch / f"{name}.spm", words)
    jobs, golden = [], {"sentences": SENTENCES, "models": {}}
    for name, given in VARIANTS.items():
        model = Model(given)
        arrays = {key: (shape, numbers(name, key, shape)) for key, shape in model.shapes.items()}
        options = "".join(f"{key}: {value}\n" for key, value in model.options.items())
        options += f"dim-vocabs:\n  - {model.words}\n  - {model.words}\n"
        special = {"special:model.yml": ((len(options) + 1,), options.encode() + b"\0")}
        binary(scratch / f"{name}.bin", arrays | special)
        if model.text("type") in ("amun", "nematus"):
            arrays = {old_name(key): value for key, value in arrays.items()} | {"decoder_c_tt": ((1, 0), b"")}
        npz(folder / f"{name}.npz", arrays | special)
        sides = ["both"] if model.shared else ["source", "target"]
        golden["models"][name] = {"vocabularies": [f"{side}.yml" for side in sides]}
        jobs += [{"name": name, "beam": beam, "model": str(scratch / f"{name}.bin"), "sentences": SENTENCES,
                  "vocabularies": [str(scratch / f"{side}.spm") for side in sides]} for beam in (1, 4)]
    (scratch / "jobs.json").write_text(json.dumps(jobs))
    judge = pathlib.Path(__file__).with_name("marian_judge.cjs")
    done = subprocess.run(["node", judge, package, scratch / "jobs.json"], stdout=subprocess.PIPE, text=True, check=True)
    for job, outputs in zip(jobs, json.loads(done.stdout), strict=True):
        golden["models"][job["name"]]["greedy" if job["beam"] == 1 else "beam"] = outputs
    lines = [f' {json.dumps(name)}: {json.dumps(model, ensure_ascii=False)}' for name, model in golden["models"].items()]
    (folder / "translations.json").write_text(
        f'{{"sentences": {json.dumps(SENTENCES, ensure_ascii=False)}, "models": {{\n' + ",\n".join(lines) + "\n}}\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
