"""The tension that a diagonal IBM model 2 (Dyer et al. 2013) learns, by plain sums over the definition: for alignment_test.cpp.

usage: word_aligner.py
"""
import math
from collections import defaultdict

EMPTY = None


def digamma(x, h=1e-5):
    return (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h)


def places(tension, j, l, m):
    weights = [math.exp(-tension * abs(i / l - j / m)) for i in range(1, l + 1)]
    return [weight / sum(weights) for weight in weights]


def expected_log_likelihood(tension, links):
    """What the M step maximises: sum of posterior * log p(i | j)."""
    return sum(posterior * math.log(places(tension, j, l, m)[i - 1]) for (i, j, l, m), posterior in links.items())


def maximum(f, low, high):
    while high - low > 1e-7:  # ternary search: f is concave
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if f(a) < f(b) else (low, b)
    return low


def learn(pairs, iterations=5, empty=0.08, tension=4.0, alpha=0.01):
    opposite = defaultdict(set)
    for source, target in pairs:
        for e in [EMPTY, *source]:
            opposite[e].update(target)
    t = {(e, f): 1.0 for e in opposite for f in opposite[e]}
    for iteration in range(iterations):
        counts, links = defaultdict(float), defaultdict(float)
        for source, target in pairs:
            l, m = len(source), len(target)
            for j, f in enumerate(target, 1):
                joint = [(1 - empty) * p * t[e, f] for p, e in zip(places(tension, j, l, m), source)]
                total = sum(joint) + empty * t[EMPTY, f]
                counts[EMPTY, f] += empty * t[EMPTY, f] / total
                for i, p in enumerate(joint, 1):
                    counts[source[i - 1], f] += p / total
                    links[i, j, l, m] += p / total
        if iteration > 0:
            tension = maximum(lambda x: expected_log_likelihood(x, links), 0.1, 14)
        for e in opposite:
            total = sum(counts[e, f] + alpha for f in opposite[e])
            for f in opposite[e]:
                t[e, f] = math.exp(digamma(counts[e, f] + alpha) - digamma(total))
    return tension


PAIRS = [([0, 1, 2], [0, 1, 2, 3]), ([2, 0], [3, 0]), ([1, 3, 0, 4], [4, 1, 0]), ([4, 2, 1], [4, 2, 5, 1, 6]), ([3], [1, 2]),
         ([0, 4, 3, 2, 1], [0, 4, 2, 6, 1])]

if __name__ == "__main__":
    print("forward %.4f, backward %.4f" % (learn(PAIRS), learn([(b, a) for a, b in PAIRS])))
