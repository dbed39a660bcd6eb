"""The training steps of the benchmark done by PyTorch: the same models, token batches and dropout places. Batches
are padded, except that an encoder's recurrence packs.
"""
import ast
import math
import pathlib

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

LENGTHS = pathlib.Path(__file__).resolve().parent.parent / "multi30k_lengths.txt"
IGNORE = -100
DROPOUT = 0.1


# ---- Batches
class Batch:
    """ids [sentences, longest]; `expected` is IGNORE where there is padding."""

    def __init__(self, lengths, words):
        def ids(sizes, padding):
            return pad_sequence([torch.randint(words, (size,)) for size in sizes], True, padding)

        sources, targets = zip(*lengths)
        self.source, self.given, self.expected = ids(sources, 0), ids(targets, 0), ids(targets, IGNORE)
        self.source_lengths = torch.tensor(sources)
        padded = torch.arange(max(sources)) >= self.source_lengths[:, None]
        self.source_padding = padded if padded.any() else None  # [sentences, longest]


def equal(sentences, length):
    return [[(length, length)] * sentences]


def multi30k():
    text = LENGTHS.read_text().translate(str.maketrans("{}", "()"))
    return ast.literal_eval(f"[{text}]")


# ---- Transformer (Vaswani et al. 2017)
def attention(q, k, v, heads, mask):
    def split(x):
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    scores = split(q) @ split(k).transpose(-2, -1) / math.sqrt(q.shape[-1] // heads)
    if mask is not None:
        scores = scores + mask
    return (torch.softmax(scores, -1) @ split(v)).transpose(1, 2).flatten(2)


class Layer(nn.Module):
    def __init__(self, d, heads, cross):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.cross = nn.ModuleList([nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)]) if cross else None
        self.inner, self.outer = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if cross else 2))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x, mask, memory=None, memory_mask=None):
        y = self.out(attention(*self.qkv(x).chunk(3, -1), self.heads, mask))
        x = self.norms[0](x + self.dropout(y))
        if self.cross:
            query, key_value, out = self.cross
            y = attention(query(x), *key_value(memory).chunk(2, -1), self.heads, memory_mask)
            x = self.norms[1](x + self.dropout(out(y)))
        return self.norms[-1](x + self.dropout(self.outer(F.relu(self.inner(x)))))


def sinusoids(positions, d):
    angles = torch.arange(positions)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


class Transformer(nn.Module):
    def __init__(self, layers, d, words):
        super().__init__()
        self.embedding = nn.Embedding(words, d)
        nn.init.normal_(self.embedding.weight, std=d**-0.5)
        self.register_buffer("positions", sinusoids(1024, d), persistent=False)
        self.encoder = nn.ModuleList(Layer(d, d // 64, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(d, d // 64, True) for _ in range(layers))
        self.dropout, self.bias = nn.Dropout(DROPOUT), nn.Parameter(torch.zeros(words))

    def embed(self, ids):
        x = self.embedding(ids)
        return self.dropout(x * math.sqrt(x.shape[-1]) + self.positions[: ids.shape[1]])

    def forward(self, batch):
        padding = batch.source_padding
        if padding is not None:
            padding = torch.zeros(padding.shape).masked_fill(padding, -math.inf)[:, None, None]
        memory = self.embed(batch.source)
        for layer in self.encoder:
            memory = layer(memory, padding)
        y = self.embed(batch.given)
        causal = torch.full((y.shape[1], y.shape[1]), -math.inf).triu(1)
        for layer in self.decoder:
            y = layer(y, causal, memory, padding)
        return F.linear(y, self.embedding.weight, self.bias)


# ---- Bahdanau et al. 2015: a bidirectional GRU, additive attention, a GRU
class GruAttention(nn.Module):
    def __init__(self, words, e=256, h=512):
        super().__init__()
        self.source, self.target = nn.Embedding(words, e), nn.Embedding(words, e)
        self.encoder = nn.GRU(e, h, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * h, h)
        self.query, self.key = nn.Linear(h, h), nn.Linear(2 * h, h, bias=False)
        self.score = nn.Linear(h, 1, bias=False)
        self.cell = nn.GRUCell(e + 2 * h, h)
        self.readout, self.output = nn.Linear(e + 3 * h, e), nn.Linear(e, words)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, batch):
        x = pack_padded_sequence(self.dropout(self.source(batch.source)), batch.source_lengths, True, False)
        states, last = self.encoder(x)
        values, _ = pad_packed_sequence(states, True)  # [sentences, source, 2h]
        s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], -1)))
        keys = self.key(values)
        y = self.dropout(self.target(batch.given))
        contexts, outputs = [], []
        for y_t in y.unbind(1):
            energy = self.score(torch.tanh(self.query(s)[:, None] + keys)).squeeze(-1)
            if batch.source_padding is not None:
                energy = energy.masked_fill(batch.source_padding, -math.inf)
            context = torch.bmm(torch.softmax(energy, -1)[:, None], values).squeeze(1)
            s = self.cell(torch.cat([y_t, context], -1), s)
            contexts.append(context)
            outputs.append(s)
        seen = torch.cat([y, torch.stack(outputs, 1), torch.stack(contexts, 1)], -1)
        return self.output(self.dropout(torch.tanh(self.readout(seen))))


# ---- Sutskever et al. 2014, with two layers and without reversal
class Lstm(nn.Module):
    def __init__(self, words, e=256, h=512):
        super().__init__()
        self.source, self.target = nn.Embedding(words, e), nn.Embedding(words, e)
        self.encoder = nn.LSTM(e, h, 2, batch_first=True, dropout=DROPOUT)
        self.decoder = nn.LSTM(e, h, 2, batch_first=True, dropout=DROPOUT)
        self.readout, self.output = nn.Linear(h, e), nn.Linear(e, words)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, batch):
        x = pack_padded_sequence(self.dropout(self.source(batch.source)), batch.source_lengths, True, False)
        _, last = self.encoder(x)
        states, _ = self.decoder(self.dropout(self.target(batch.given)), last)
        return self.output(self.dropout(torch.tanh(self.readout(states))))


# ---- Steps
def training(model, words, lengths, bf16=False):
    """One step for each batch; in bf16 as PyTorch's documentation says, with autocast around forward pass and loss."""
    batches = [Batch(batch, words) for batch in lengths]
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)

    def step(batch):
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            loss = F.cross_entropy(model(batch).flatten(0, 1), batch.expected.flatten(), label_smoothing=0.1,
                                   ignore_index=IGNORE)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return lambda: [step(batch) for batch in batches]


def steps(ending, **how):
    return {name + ending: lambda make=make, words=words, lengths=lengths: training(make(), words, lengths(), **how)
            for name, (make, words, lengths) in {
                "step_transformer_3x256_64x24": (lambda: Transformer(3, 256, 8000), 8000, lambda: equal(64, 24)),
                "step_transformer_3x256_multi30k": (lambda: Transformer(3, 256, 8000), 8000, multi30k),
                "step_transformer_6x512_32x32": (lambda: Transformer(6, 512, 32000), 32000, lambda: equal(32, 32)),
                "step_gru_attention_64x24": (lambda: GruAttention(8000), 8000, lambda: equal(64, 24)),
                "step_gru_attention_multi30k": (lambda: GruAttention(8000), 8000, multi30k),
                "step_lstm_64x24": (lambda: Lstm(8000), 8000, lambda: equal(64, 24)),
                "step_lstm_multi30k": (lambda: Lstm(8000), 8000, multi30k),
            }.items()}


STEPS = {**steps(""), **steps("_bf16", bf16=True)}
