"""Training as PyTorch's tutorial on translation with attention does it: a GRU that reads, a GRU with additive
attention that writes, step by step with teacher forcing, two optimisers, sentences padded to one length.
usage: torch_tutorial.py SOURCE TARGET THREADS STEPS -> a line of JSON
"""
import json
import sys
import time

import torch
from torch import nn

HIDDEN, BATCH, DROPOUT, RATE = 128, 32, 0.1, 0.001
LONGEST = 10  # words, without the end
BEGIN, END = 0, 1
WARMUP = 5  # steps that are not timed


class Reader(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding, self.dropout = nn.Embedding(words, HIDDEN), nn.Dropout(DROPOUT)
        self.gru = nn.GRU(HIDDEN, HIDDEN, batch_first=True)

    def forward(self, source):
        return self.gru(self.dropout(self.embedding(source)))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.score = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, query, keys):
        energies = self.score(torch.tanh(self.query(query) + self.key(keys)))  # [sentences, source, 1]
        weights = torch.softmax(energies.squeeze(2).unsqueeze(1), -1)
        return torch.bmm(weights, keys)


class Writer(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding, self.dropout = nn.Embedding(words, HIDDEN), nn.Dropout(DROPOUT)
        self.attention = Attention()
        self.gru = nn.GRU(2 * HIDDEN, HIDDEN, batch_first=True)
        self.output = nn.Linear(HIDDEN, words)

    def forward(self, read, state, target):
        given = torch.full((target.shape[0], 1), BEGIN)
        steps = []
        for t in range(LONGEST + 1):
            embedded = self.dropout(self.embedding(given))
            context = self.attention(state.permute(1, 0, 2), read)
            written, state = self.gru(torch.cat((embedded, context), 2), state)
            steps.append(self.output(written))
            given = target[:, t].unsqueeze(1)
        return torch.log_softmax(torch.cat(steps, 1), -1)


def load(path):
    """The sentences as padded rows of numbers, and how many words there are."""
    numbers = {"<s>": BEGIN, "</s>": END}
    lines = [line.split() for line in open(path, encoding="utf-8")]
    rows = torch.zeros(len(lines), LONGEST + 1, dtype=torch.long)
    for row, words in zip(rows, lines):
        ids = [numbers.setdefault(word, len(numbers)) for word in words] + [END]
        row[: len(ids)] = torch.tensor(ids)
    return rows, len(numbers)


def main():
    source_file, target_file, threads, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    (source, source_words), (target, target_words) = load(source_file), load(target_file)
    reader, writer = Reader(source_words), Writer(target_words)
    optimisers = [torch.optim.Adam(model.parameters(), lr=RATE) for model in (reader, writer)]
    loss_of = nn.NLLLoss()
    order = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(source, target), BATCH, shuffle=True)

    def batches():
        while True:
            yield from order

    def step(source, target):
        for optimiser in optimisers:
            optimiser.zero_grad()
        written = writer(*reader(source), target)
        loss = loss_of(written.flatten(0, 1), target.flatten())
        loss.backward()
        for optimiser in optimisers:
            optimiser.step()
        return loss.item()

    more = batches()
    for _ in range(WARMUP):
        step(*next(more))
    wall, cpu, losses = time.perf_counter(), time.process_time(), []
    for _ in range(steps):
        losses.append(step(*next(more)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    parameters = sum(p.numel() for model in (reader, writer) for p in model.parameters())
    print(json.dumps({"sentences": BATCH * steps, "seconds": wall, "cpu_seconds": cpu,
                      "loss": losses[-1], "parameters": parameters}))


if __name__ == "__main__":
    main()
