"""A graph of papers that cite each other, and their subjects: data/graph.txt, data/{train,valid,test}.subjects.

usage: make_data.py [NODES EDGES]
NODES, EDGES: Cora in the split of Yang et al. 2016. A line of NODES has four fields, separated by tabs: the number of the paper,
the set it belongs to (train, valid, test or another word), its subject, and the numbers of the words in it. A line of EDGES has
the numbers of two papers. Without them a graph of 600 papers is made."""
import pathlib
import random
import sys


def made(rng, papers=600, subjects=4, words=200):
    """Papers use words of their subject more often, and cite papers of their subject more often."""
    subject = [rng.randrange(subjects) for _ in range(papers)]
    own = [rng.sample(range(words), 40) for _ in range(subjects)]
    nodes = []
    for i in range(papers):
        text = sorted({rng.choice(own[subject[i]]) if rng.random() < 0.35 else rng.randrange(words) for _ in range(12)})
        part = "train" if i < 20 * subjects else "valid" if i < 200 else "test"
        nodes.append((part, str(subject[i]), text))
    edges = set()
    while len(edges) < 3 * papers:
        a, b = rng.randrange(papers), rng.randrange(papers)
        if a != b and (subject[a] == subject[b] or rng.random() < 0.12):
            edges.add((min(a, b), max(a, b)))
    return nodes, sorted(edges)


def read(nodes, edges):
    rows = [line.rstrip("\n").split("\t") for line in open(nodes, encoding="utf-8")]
    papers = [(part, subject, [int(word) for word in words.split()]) for _, part, subject, words in rows]
    return papers, [tuple(map(int, line.split())) for line in open(edges, encoding="utf-8")]


def main():
    papers, edges = read(*sys.argv[1:3]) if len(sys.argv) > 2 else made(random.Random(1))
    here = pathlib.Path(__file__).parent
    (here / "data").mkdir(exist_ok=True)
    width = 1 + max(max(words, default=0) for _, _, words in papers)
    with open(here / "data/nodes.csv", "w", encoding="utf-8") as file:
        for _, _, words in papers:
            share = f"{1 / max(1, len(words)):.5g}"  # the numbers of a paper sum to 1
            row = ["0"] * width
            for word in words:
                row[word] = share
            file.write(",".join(row) + "\n")
    (here / "data/edges.csv").write_text("".join(f"{a},{b}\n" for a, b in edges))
    (here / "data/graph.txt").write_text("data/nodes.csv|data/edges.csv\n")
    for name in ("train", "valid", "test"):
        labels = ["S" + subject if part == name else "_" for part, subject, _ in papers]
        (here / f"data/{name}.subjects").write_text(" ".join(labels) + "\n")
        print(f"{name}: {sum(label != '_' for label in labels)} of {len(papers)} papers have a label")


if __name__ == "__main__":
    main()
