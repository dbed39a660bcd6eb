"""How much of a gradient arrives after so many steps back, in the encoders that attune trained. Only Python's own library.

usage: gradients.py MODEL...        folders of models with one-directional encoders: run/recall/gru/best-exact

For each line of the test set a vector of length 1, which stands for what the loss would ask for, is put at the last state
and carried back step by step. The length that it has when it arrives is the factor by which a change of that old state can
still be felt."""
import json
import math
import pathlib
import random
import struct
import sys

STEPS = (1, 2, 5, 10, 20, 30)
LINES = pathlib.Path("data/recall/test.source")


def tensors(folder):
    """name -> rows of numbers, from weights.safetensors: a length, a table of contents in JSON, the numbers."""
    data = (folder / "weights.safetensors").read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8:end]).items():
        if "shape" in entry:
            first, last = entry["data_offsets"]
            numbers = struct.unpack(f"<{(last - first) // 4}f", data[end + first:end + last])
            width = entry["shape"][-1]
            found[name] = [numbers[i:i + width] for i in range(0, len(numbers), width)]
    return found


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def times_transposed(matrix, vector):
    return [sum(row[i] * x for row, x in zip(matrix, vector)) for i in range(len(matrix[0]))]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


class Encoder:
    """One step forwards gives what the step back needs. A state is h, and for an LSTM h and c."""

    def __init__(self, folder):
        all_tensors = tensors(folder)
        part = lambda name: all_tensors[f"encoder.layer0.forward.{name}"]
        self.input, self.recurrent = part("input"), part("recurrent")
        self.input_bias, self.recurrent_bias = part("input_bias")[0], part("recurrent_bias")[0]
        self.vectors = all_tensors["source.weight"]
        tokens = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()[1:]
        self.ids = {token.split("\t")[0]: number for number, token in enumerate(tokens)}
        self.size = len(self.recurrent[0])
        self.cell = {1: "rnn", 3: "gru", 4: "lstm"}[len(self.recurrent) // self.size]

    def gates(self, x, h):
        """Two lists of gates: W x + b and U h + b."""
        cut = lambda numbers: [numbers[i:i + self.size] for i in range(0, len(numbers), self.size)]
        return (cut([a + b for a, b in zip(times(self.input, x), self.input_bias)]),
                cut([a + b for a, b in zip(times(self.recurrent, h), self.recurrent_bias)]))

    def step(self, x, h, c):
        wx, uh = self.gates(x, h)
        if self.cell == "rnn":
            new = [math.tanh(a + b) for a, b in zip(wx[0], uh[0])]
            return new, c, new
        if self.cell == "gru":
            r, z = ([sigmoid(a + b) for a, b in zip(wx[i], uh[i])] for i in (0, 1))
            n = [math.tanh(a + g * b) for a, g, b in zip(wx[2], r, uh[2])]
            return [(1 - g) * a + g * b for g, a, b in zip(z, n, h)], c, (r, z, n, h, uh[2])
        i, f, o = ([sigmoid(a + b) for a, b in zip(wx[k], uh[k])] for k in (0, 1, 3))
        g = [math.tanh(a + b) for a, b in zip(wx[2], uh[2])]
        new = [a * b + d * e for a, b, d, e in zip(f, c, i, g)]
        return [a * math.tanh(b) for a, b in zip(o, new)], new, (i, f, g, o, c, new)

    def back(self, kept, dh, dc):
        """Gradients of the state before, from those of the state after."""
        if self.cell == "rnn":
            return times_transposed(self.recurrent, [d * (1 - h * h) for d, h in zip(dh, kept)]), dc
        if self.cell == "gru":
            r, z, n, h, u = kept
            dn = [d * (1 - g) * (1 - a * a) for d, g, a in zip(dh, z, n)]
            dr = [d * b * g * (1 - g) for d, b, g in zip(dn, u, r)]
            dz = [d * (b - a) * g * (1 - g) for d, a, b, g in zip(dh, n, h, z)]
            through = times_transposed(self.recurrent, dr + dz + [d * g for d, g in zip(dn, r)])
            return [a + d * g for a, d, g in zip(through, dh, z)], dc
        i, f, g, o, before, after = kept
        tanhs = [math.tanh(a) for a in after]
        dc = [a + d * b * (1 - t * t) for a, d, b, t in zip(dc, dh, o, tanhs)]
        gates = [[d * b * a * (1 - a) for d, a, b in zip(dc, i, g)], [d * b * a * (1 - a) for d, a, b in zip(dc, f, before)],
                 [d * a * (1 - b * b) for d, a, b in zip(dc, i, g)], [d * t * a * (1 - a) for d, t, a in zip(dh, tanhs, o)]]
        return times_transposed(self.recurrent, sum(gates, [])), [d * a for d, a in zip(dc, f)]

    def lengths(self, text, rng):
        """Of the gradient, after 1, 2, 3, ... steps back from the end of the text."""
        h, c, kept = [0.0] * self.size, [0.0] * self.size, []
        for token in [*text, "</s>"]:
            h, c, memory = self.step(self.vectors[self.ids[token]], h, c)
            kept.append(memory)
        dh = [rng.gauss(0, 1) for _ in range(self.size)]
        length = math.sqrt(sum(d * d for d in dh))
        dh, dc, found = [d / length for d in dh], [0.0] * self.size, []
        for memory in reversed(kept):
            dh, dc = self.back(memory, dh, dc)
            found.append(math.sqrt(sum(d * d for d in dh + dc)))
        return found


def main():
    texts = [line for line in LINES.read_text().splitlines() if len(line) > max(STEPS)][:8]
    print("steps back " + "".join(f"{steps:10}" for steps in STEPS))
    for name in sys.argv[1:]:
        encoder, rng = Encoder(pathlib.Path(name)), random.Random(1)
        rows = [encoder.lengths(text, rng) for text in texts]
        means = [math.exp(sum(math.log(row[steps - 1] + 1e-300) for row in rows) / len(rows)) for steps in STEPS]
        print(f"{encoder.cell:10} " + "".join(f"{mean:10.2g}" for mean in means))


if __name__ == "__main__":
    main()
