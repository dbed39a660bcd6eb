"""The decoding rows of the benchmark done by PyTorch: the same Transformer with keys and values kept from step to
step. A beam of one takes the likeliest word; a larger one reorders its caches by index_select and never ends early.
Outputs have given lengths: a batch goes on to its longest.

As a program it is a worker of bench/decoding.py, with requests and replies as lines of JSON:
  {"size": [layers, d, heads, feed-forward, words], "batches": [[[source words, output words], ..], ..], "beam": B}
      -> {"seconds": [one a batch]}; with "cpu": true CPU time
  {"peak": true} -> {"megabytes": M}
"""
import json
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

SENTENCES, LENGTH = 32, 24
LONGEST = 256
END = 2


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.heads = heads

    def split(self, x):  # [batch, n, d] -> [batch, heads, n, d / heads]
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def keys_values(self, x):
        return [self.split(part) for part in self.kv(x).chunk(2, -1)]

    def forward(self, x, keys, values, mask=None):
        q = self.split(self.q(x))
        scores = q @ keys.transpose(-1, -2) / math.sqrt(q.shape[-1])
        weights = F.softmax(scores if mask is None else scores + mask, -1)
        return self.out((weights @ values).transpose(1, 2).flatten(-2))


class Layer(nn.Module):
    def __init__(self, d, heads, feed_forward, cross):
        super().__init__()
        self.self_attention = Attention(d, heads)
        self.cross_attention = Attention(d, heads) if cross else None
        self.feed_forward = nn.Sequential(nn.Linear(d, feed_forward), nn.ReLU(), nn.Linear(feed_forward, d))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3))

    def forward(self, x, past, memory, mask=None):
        """past, memory: [keys, values]; past grows by those of x. mask: -inf where a source has no word."""
        new = self.self_attention.keys_values(x)
        past[:] = [torch.cat((old, more), 2) for old, more in zip(past, new)] if past else new
        x = self.norms[0](x + self.self_attention(x, *past, None if memory else mask))
        if memory:
            x = self.norms[1](x + self.cross_attention(x, *memory, mask))
        return self.norms[2](x + self.feed_forward(x))


class Transformer(nn.Module):
    def __init__(self, layers, d, heads, feed_forward, words):
        super().__init__()
        self.words = nn.Embedding(words, d)
        self.encoder = nn.ModuleList(Layer(d, heads, feed_forward, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(d, heads, feed_forward, True) for _ in range(layers))
        self.bias = nn.Parameter(torch.zeros(words))
        self.bias.data[END] = -1e4  # outputs have the maximum length
        turns = torch.arange(LONGEST)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        self.positions = torch.cat((turns.sin(), turns.cos()), -1)

    def embed(self, ids, first):
        x = self.words(ids)
        return x * math.sqrt(x.shape[-1]) + self.positions[first : first + ids.shape[1]]

    def read(self, source, mask):
        x = self.embed(source, 0)
        for layer in self.encoder:
            x = layer(x, [], None, mask)
        return [layer.cross_attention.keys_values(x) for layer in self.decoder]

    def log_probabilities(self, ids, position, past, memory, mask):
        x = self.embed(ids[:, None], position)
        for i, layer in enumerate(self.decoder):
            x = layer(x, past[i], memory[i], mask)
        return F.log_softmax(F.linear(x[:, 0], self.words.weight, self.bias), -1)


def mask_of(lengths):
    """[sentences, 1, 1, longest]: -inf behind the end of a sentence; None if all are as long."""
    longest = max(lengths)
    if min(lengths) == longest:
        return None
    behind = torch.arange(longest)[None] >= torch.tensor(lengths)[:, None]
    return torch.zeros(len(lengths), longest).masked_fill(behind, -math.inf)[:, None, None]


def decode(model, beam, lengths):
    """lengths: for each sentence the words of its source and of its output."""
    sentences, words = len(lengths), model.bias.numel()
    source = torch.randint(3, words, (sentences, max(length for length, _ in lengths)))
    mask = mask_of([length for length, _ in lengths])
    steps = max(length for _, length in lengths)
    beam_mask = None if mask is None else mask.repeat_interleave(beam, 0)

    def run():
        with torch.no_grad():
            memory = [[t.repeat_interleave(beam, 0) for t in layer] for layer in model.read(source, mask)]
            past = [[] for _ in memory]
            ids = torch.ones(sentences * beam, dtype=torch.long)
            # Only the first of the equal hypotheses of the beginning counts.
            scores = torch.full((sentences, beam), -math.inf)
            scores[:, 0] = 0
            first = torch.arange(sentences)[:, None] * beam
            for position in range(steps):
                log_p = model.log_probabilities(ids, position, past, memory, beam_mask)
                if beam == 1:
                    ids = log_p.argmax(-1)
                    continue
                scores, best = (log_p.view(sentences, beam, -1) + scores[..., None]).flatten(1).topk(beam)
                parents = (first + torch.div(best, words, rounding_mode="floor")).flatten()
                ids = (best % words).flatten()
                past = [[t.index_select(0, parents) for t in layer] for layer in past]

    return run


SIZES = {"small": (3, 256, 4, 1024, 8000), "base": (6, 512, 8, 2048, 32000), "opus": (6, 512, 8, 2048, 60000)}
WORK = {f"{name}_beam{beam}{ending}": (size, beam, [(LENGTH, LENGTH)] * sentences)
        for name, size in SIZES.items()
        for beam, sentences, ending in ((1, SENTENCES, ""), (4, SENTENCES, ""), (1, 1, "_single"))}


def in_bf16(run):
    def autocast():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            run()

    return autocast


DECODING = {f"decode_{name}": lambda size=size, beam=beam, lengths=lengths: decode(Transformer(*size), beam, lengths)
            for name, (size, beam, lengths) in WORK.items()}
DECODING |= {f"decode_{name}_bf16":
             lambda size=size, beam=beam, lengths=lengths: in_bf16(decode(Transformer(*size), beam, lengths))
             for name, (size, beam, lengths) in WORK.items()}
# int8 weights in all linear layers but the tied output layer, which PyTorch leaves in f32.
DECODING |= {f"decode_{name}_int8": lambda size=size, beam=beam, lengths=lengths: decode(
    torch.ao.quantization.quantize_dynamic(Transformer(*size), {nn.Linear}, dtype=torch.qint8), beam, lengths)
             for name, (size, beam, lengths) in WORK.items()}


def peak_megabytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def main():
    torch.manual_seed(1)
    size = model = None
    for line in sys.stdin:
        request = json.loads(line)
        if "peak" in request:
            print(json.dumps({"megabytes": peak_megabytes()}), flush=True)
            continue
        if request["size"] != size:
            size = request["size"]
            model = Transformer(*size)
            decode(model, 1, [(LENGTH, LENGTH)])()
        works = [decode(model, request["beam"], lengths) for lengths in request["batches"]]
        seconds, now = [], time.process_time if "cpu" in request else time.perf_counter
        for work in works:
            start = now()
            work()
            seconds.append(now() - start)
        print(json.dumps({"seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
