"""Data for the pages of the course, the same for everybody: data/KIND/{train,valid,test}.{source,target}.

usage: make_data.py KIND...
  recall   a letter and then digits; the answer is the letter              c4170293 -> c
  lines    letters, for measuring speed: `short`, 20 in a line, and `long`, 200
  copy     letters, to be written again; also `long`, longer than any of training
  votes    graphs whose nodes have a colour; the label of a node is the colour that most of its neighbours have"""
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
LETTERS = "abcdefgh"


def recall(rng):
    letter, digits = rng.choice(LETTERS), rng.randint(1, 39)
    return letter + "".join(rng.choices("0123456789", k=digits)), letter


def copy(rng, shortest=2, longest=16):
    text = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(shortest, longest)))
    return text, text


def long_copy(rng):
    return copy(rng, 17, 24)


def write_pairs(folder, name, pairs):
    for side, column in (("source", 0), ("target", 1)):
        (folder / f"{name}.{side}").write_text("".join(f"{pair[column]}\n" for pair in pairs))


def make_text(kind, one, counts):
    folder = HERE / "data" / kind
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    for name, count in counts.items():
        write_pairs(folder, name, [one(rng) for _ in range(count)])
    if kind == "copy":
        write_pairs(folder, "long", [long_copy(rng) for _ in range(500)])


def make_lines():
    folder = HERE / "data" / "lines"
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    for name, length in (("short", 20), ("long", 200)):
        write_pairs(folder, name, [copy(rng, length, length) for _ in range(40000 // length)])


def graph(rng, nodes=24, colours=3, degree=5):
    """The colour of each node, its edges, and its label. Ties are not labelled."""
    colour = [rng.randrange(colours) for _ in range(nodes)]
    edges = [(a, b) for a in range(nodes) for b in rng.sample(range(nodes), degree) if b != a]
    labels = []
    for node in range(nodes):
        votes = [sum(colour[b] == c for a, b in edges if a == node) for c in range(colours)]
        best = max(votes)
        labels.append("red green blue".split()[votes.index(best)] if votes.count(best) == 1 else "_")
    return colour, edges, labels


def make_votes(counts):
    folder = HERE / "data" / "votes"
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    for name, count in counts.items():
        pairs = []
        for number in range(count):
            colour, edges, labels = graph(rng)
            nodes = folder / f"{name}{number}.nodes.csv"
            nodes.write_text("red,green,blue\n" + "".join(f"{int(c == 0)},{int(c == 1)},{int(c == 2)}\n" for c in colour))
            links = folder / f"{name}{number}.edges.csv"
            links.write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in edges))
            pairs.append((f"{nodes.relative_to(HERE)}|{links.relative_to(HERE)}", " ".join(labels)))
        write_pairs(folder, name, pairs)


MAKERS = {
    "recall": lambda: make_text("recall", recall, {"train": 20000, "valid": 200, "test": 1000}),
    "copy": lambda: make_text("copy", copy, {"train": 40000, "valid": 200, "test": 1000}),
    "lines": make_lines,
    "votes": lambda: make_votes({"train": 200, "valid": 50}),
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[1:]) <= set(MAKERS):
        sys.exit(__doc__)
    for kind in sys.argv[1:]:
        MAKERS[kind]()
