"""Writes a Marian model of the shape that OPUS-MT's have, with random numbers, for bench/decoding.py.

usage: opus_model.py FOLDER

6 and 6 layers, d 512, feed-forward 2,048 (swish), 8 heads, norms after the sublayers, all embeddings tied, 60,000 words:
75 million numbers. The last matrix of every sublayer is zero, so that what the decoder sees is its last word and its
position. </s> points along a slow wave of the positions: a translation ends after about 24 words, whatever the source.
"""
import array
import math
import pathlib
import random
import struct
import sys
import zlib

D, HIDDEN, LAYERS, WORDS, END = 512, 2048, 6, 60000, 0
LENGTH = 24
WAVE = 88  # of the sines: its first quarter is longer than LENGTH words


def settings():
    return f"""type: transformer
dim-emb: {D}
dim-vocabs: [{WORDS}, {WORDS}]
enc-depth: {LAYERS}
dec-depth: {LAYERS}
transformer-heads: 8
transformer-dim-ffn: {HIDDEN}
transformer-ffn-depth: 2
transformer-ffn-activation: swish
transformer-preprocess: ""
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-decoder-autoreg: self-attention
tied-embeddings-all: true
version: v1.12.0
"""


def uniform(generator, count, bound):
    """So many numbers from -bound to bound, quickly."""
    numbers = array.array("h", generator.randbytes(2 * count))
    return array.array("f", (bound / 32768 * number for number in numbers))


def seen(position):
    """After the norms: what the wave is at a position, and the logit of a word there that was the last one."""
    half = D // 2
    angles = [position / 10000 ** (i / (half - 1)) for i in range(half)]
    waves = [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]
    mean = sum(waves) / D
    deviation = math.sqrt(1 + sum((wave - mean) ** 2 for wave in waves) / D)
    return (waves[WAVE] - mean) / deviation, math.sqrt(D) / deviation


def arrays():
    """Name, shape and numbers of each array, as Marian calls them."""
    generator = random.Random(1)
    bound = math.sqrt(3 / D)  # of a deviation of 1 / sqrt(D)
    table = uniform(generator, WORDS * D, bound)
    for word in range(WORDS):
        table[word * D + WAVE] = 0
    table[END * D:(END + 1) * D] = array.array("f", [0] * D)
    table[END * D + WAVE] = 1000
    yield "Wemb", (WORDS, D), table

    def square(rows, columns, zero=False):
        if zero:
            return array.array("f", bytes(4 * rows * columns))
        return uniform(generator, rows * columns, math.sqrt(6 / (rows + columns)))

    for stack, kinds in (("encoder", ["self"]), ("decoder", ["self", "context"])):
        for layer in range(1, LAYERS + 1):
            for kind in kinds:
                name = f"{stack}_l{layer}_{kind}"
                for part in "qkvo":
                    yield f"{name}_W{part}", (D, D), square(D, D, part == "o")
                    yield f"{name}_b{part}", (1, D), square(1, D, True)
                yield f"{name}_Wo_ln_scale", (1, D), array.array("f", [1] * D)
                yield f"{name}_Wo_ln_bias", (1, D), square(1, D, True)
            name = f"{stack}_l{layer}_ffn"
            yield f"{name}_W1", (D, HIDDEN), square(D, HIDDEN)
            yield f"{name}_b1", (1, HIDDEN), square(1, HIDDEN, True)
            yield f"{name}_W2", (HIDDEN, D), square(HIDDEN, D, True)
            yield f"{name}_b2", (1, D), square(1, D, True)
            yield f"{name}_ffn_ln_scale", (1, D), array.array("f", [1] * D)
            yield f"{name}_ffn_ln_bias", (1, D), square(1, D, True)
    bias = array.array("f", bytes(4 * WORDS))
    # Between the logit of </s> at two positions lies that of a word that comes again.
    before, after = (1000 * wave - again for wave, again in map(seen, (LENGTH - 1, LENGTH)))
    bias[END] = -(before + after) / 2
    yield "decoder_ff_logit_out_b", (1, WORDS), bias


def npy(kind, shape, data):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def number(value):
    """As Protocol Buffers write it: seven bits a byte."""
    value &= (1 << 64) - 1
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + number(rest) if rest else bytes([low])


def field(key, value):
    """Bytes, or a number."""
    if isinstance(value, int):
        return number(key << 3) + number(value)
    return number(key << 3 | 2) + number(len(value)) + value


def sentencepiece(words):
    """A model whose pieces are whole words, with </s> and <unk> before them, as Marian has them."""
    def piece(text, kind, score=0.0):
        return field(1, field(1, text.encode()) + number(2 << 3 | 5) + struct.pack("<f", score) + field(3, kind))

    normal, unknown, control = 1, 2, 3
    pieces = [piece("</s>", control), piece("<unk>", unknown), *(piece(f"▁{word}", normal, -1.0) for word in words)]
    trainer = field(3, 1) + field(4, WORDS) + field(40, 1) + field(41, -1) + field(42, END) + field(43, -1)
    return b"".join(pieces) + field(2, trainer) + field(3, field(1, b"identity"))


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    with open(folder / "model.npz", "wb") as file:
        def add(name, content):
            common = struct.pack("<HHHIIIIHH", 20, 0, 0, 0, zlib.crc32(content), len(content), len(content), len(name), 0)
            entries.append(b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, file.tell()) + name)
            file.write(b"PK\x03\x04" + common + name + content)

        for name, shape, numbers in arrays():
            add(f"{name}.npy".encode(), npy("<f4", shape, numbers.tobytes()))
        yaml = settings().encode() + b"\0"
        add(b"special:model.yml.npy", npy("|u1", (len(yaml),), yaml))
        begin, listed = file.tell(), b"".join(entries)
        file.write(listed + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(listed), begin, 0))
    words = [f"w{i}" for i in range(2, WORDS)]
    (folder / "vocab.spm").write_bytes(sentencepiece(words))
    generator = random.Random(2)
    (folder / "source.txt").write_text("".join(
        " ".join(generator.choice(words) for _ in range(LENGTH - 1)) + "\n" for _ in range(128)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(pathlib.Path(sys.argv[1]))
