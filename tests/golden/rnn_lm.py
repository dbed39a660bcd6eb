"""Golden values of the plain recurrent network, from an independent implementation in PyTorch (f64).

usage: rnn_lm.py > rnn_lm.json
"""
import torch

from golden import EXPECTED, GIVEN, SOURCE, WORDS, dump, record
from rnn_seq2seq import cell_step

E = H = 4
FIXED = {"type": "rnn_lm", "embedding": E, "hidden": H, "dropout": 0}


def sentence(p, config, prompt, given):
    layers = config.get("layers", 1)
    states = [(torch.zeros(H), torch.zeros(H)) for _ in range(layers)]
    table = p.get("words.weight", WORDS, E)
    logits = []
    for word in prompt + given:
        x = table[word]
        for i in range(layers):
            states[i] = cell_step(p, f"layer{i}", config.get("cell", "lstm"), x, *states[i], H)
            x = states[i][0] + x if config.get("residual") and i > 0 else states[i][0]
        weight = table if config.get("tied_output") else p.get("output.weight", WORDS, H)
        logits.append(weight @ x + p.get("output.bias", WORDS))
    return torch.stack(logits[len(prompt):])


def logits(p, config):
    return torch.cat([sentence(p, config, s, g) for s, g in zip(SOURCE, GIVEN)])


VARIANTS = [{}, {"cell": "rnn"}, {"cell": "gru", "layers": 2}, {"layers": 3, "residual": True, "tied_output": True}]

if __name__ == "__main__":
    dump(record({**FIXED, **changes}, lambda p: logits(p, changes), EXPECTED) for changes in VARIANTS)
