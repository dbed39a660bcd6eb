"""Softmax by hand, and what the size of vectors does to it. Only Python's own library.

usage: softmax.py"""
import math
import random


def softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def three_words():
    """Self-attention of 我 爱 你 with the vectors 1, 2, 3: Q = K = V, d = 1, so that the root of d is 1."""
    x = [1, 2, 3]
    print("word  scores    weights              new")
    for word, q in zip("我爱你", x):
        weights = softmax([q * k for k in x])
        new = sum(w * v for w, v in zip(weights, x))
        print(f"{word}    {' '.join(str(q * k) for k in x)}     " + "  ".join(f"{w:.3f}" for w in weights) + f"  {new:.3f}")


def sizes(keys=10, trials=500):
    """Queries and keys of independent numbers with mean 0 and variance 1; the query looks at `keys` keys.
    The slope is the largest derivative of a weight by its own score, w (1 - w): what learning has to work with."""
    rng = random.Random(1)
    print("\n         score       q k            q k / sqrt(d)")
    print("   d  variance  largest  slope  largest  slope")
    for d in (1, 4, 16, 64, 256):
        squares, plain, scaled = 0.0, [0.0, 0.0], [0.0, 0.0]
        for _ in range(trials):
            q = [rng.gauss(0, 1) for _ in range(d)]
            scores = [sum(a * rng.gauss(0, 1) for a in q) for _ in range(keys)]
            squares += sum(s * s for s in scores) / keys
            for sums, divisor in ((plain, 1), (scaled, math.sqrt(d))):
                weights = softmax([s / divisor for s in scores])
                sums[0] += max(weights)
                sums[1] += max(w * (1 - w) for w in weights)
        figures = [total / trials for total in (*plain, *scaled)]
        print(f"{d:4}  {squares / trials:8.1f}  {figures[0]:7.3f}  {figures[1]:.3f}  {figures[2]:7.3f}  {figures[3]:.3f}")


if __name__ == "__main__":
    three_words()
    sizes()
