"""Writes a Transformer of attune as Marian's .bin, for Marian's engine in browsers (bench/pages.mjs --marian).

usage: marian_model.py MODEL FILE

MODEL: a folder with f32 weights, trained with --norm post --positions sinusoidal_halves --norm-epsilon 1e-6 --zero-start true:
what such a Transformer computes in Marian.
"""
import array
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests" / "golden"))
from marian import Model, binary


def weights_of(folder):
    """{name: (shape, numbers)}"""
    content = (folder / "weights.safetensors").read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    heads = json.loads(content[8:8 + size])
    heads.pop("__metadata__", None)
    return {name: (head["shape"], array.array("f", content[8 + size:][slice(*head["data_offsets"])]))
            for name, head in heads.items()}


def transposed(numbers, rows, columns):
    return array.array("f", (numbers[i * columns + j] for j in range(columns) for i in range(rows)))


def arrays_of(config, weights):
    """{Marian's name: (shape, bytes)}"""
    found = {}

    def linear(theirs, ours, parts):
        """Several of Marian's matrices are one of attune's."""
        (rows, columns), weight = weights[f"{ours}.weight"]
        bias, height = weights[f"{ours}.bias"][1], rows // len(parts)
        for i, part in enumerate(parts):
            own = weight[i * height * columns:(i + 1) * height * columns]
            found[f"{theirs}_W{part}"] = (columns, height), transposed(own, height, columns).tobytes()
            found[f"{theirs}_b{part}"] = (1, height), bias[i * height:(i + 1) * height].tobytes()

    def norm(theirs, ours):
        for part, name in (("scale", "gamma"), ("bias", "beta")):
            (size,), numbers = weights[f"{ours}.norm.{name}"]
            found[f"{theirs}_ln_{part}"] = (1, size), numbers.tobytes()

    for stack in ("encoder", "decoder"):
        for i in range(config[f"{stack}_layers"]):
            ours, theirs = f"{stack}.layer{i}", f"{stack}_l{i + 1}"
            linear(f"{theirs}_self", f"{ours}.self.qkv", "qkv")
            linear(f"{theirs}_self", f"{ours}.self.out", "o")
            norm(f"{theirs}_self_Wo", f"{ours}.self")
            if stack == "decoder":
                linear(f"{theirs}_context", f"{ours}.cross.q", "q")
                linear(f"{theirs}_context", f"{ours}.cross.kv", "kv")
                linear(f"{theirs}_context", f"{ours}.cross.out", "o")
                norm(f"{theirs}_context_Wo", f"{ours}.cross")
            linear(f"{theirs}_ffn", f"{ours}.feed_forward.in", "1")
            linear(f"{theirs}_ffn", f"{ours}.feed_forward.out", "2")
            norm(f"{theirs}_ffn_ffn", f"{ours}.feed_forward")
    shape, words = weights["source.weight"]
    found["Wemb"] = shape, words.tobytes()
    found["decoder_ff_logit_out_b"] = (1, shape[0]), weights["output.bias"][1].tobytes()
    return found


def main(folder, file):
    config = json.loads((folder / "config.json").read_text())["model"]
    arrays = arrays_of(config, weights_of(folder))
    options = Model({
        "enc-depth": config["encoder_layers"], "dec-depth": config["decoder_layers"], "dim-emb": config["d_model"],
        "transformer-heads": config["heads"], "transformer-dim-ffn": config["feed_forward"],
        "transformer-ffn-activation": config["activation"], "tied-embeddings-all": True}).options
    words = arrays["Wemb"][0][0]
    text = "".join(f"{key}: {value}\n" for key, value in options.items()) + f"dim-vocabs:\n  - {words}\n  - {words}\n"
    binary(file, arrays | {"special:model.yml": ((len(text) + 1,), text.encode() + b"\0")})


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
