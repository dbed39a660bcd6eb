"""Sentences of a small grammar: data/{train,valid}.txt. It prints the perplexity of the validation sentences under the
grammar itself, below which no model can come."""
import math
import pathlib
import random

# Each symbol has expansions that are equally likely, and a sentence has one derivation. Verbs agree with their
# subjects, however far away these are.
GRAMMAR = {
    "S": ["S1 .", "SN .", "ADV , S1 .", "ADV , SN ."],
    "S1": ["NP1 V1", "NP1 V1 OBJ"],
    "SN": ["NPN VN", "NPN VN OBJ"],
    "NP1": ["DET1 N1", "DET1 ADJ N1", "DET1 N1 PLACE", "DET1 N1 that VN_REL"],
    "NPN": ["DETN NN", "DETN ADJ NN", "DETN NN PLACE", "DETN NN that VN_REL"],
    "VN_REL": ["the NN VN", "the N1 V1"],
    "OBJ": ["NP1", "NPN"],
    "PLACE": ["in the WHERE", "near the WHERE", "behind the WHERE"],
    "WHERE": ["garden", "old house", "river", "station", "forest"],
    "DET1": ["the", "a", "every", "this"],
    "DETN": ["the", "some", "many", "these"],
    "ADJ": ["small", "clever", "hungry", "quiet", "red"],
    "N1": ["child", "bird", "teacher", "dog", "painter", "neighbour"],
    "NN": ["children", "birds", "teachers", "dogs", "painters", "neighbours"],
    "V1": ["sees", "follows", "likes", "paints", "calls", "remembers"],
    "VN": ["see", "follow", "like", "paint", "call", "remember"],
    "ADV": ["today", "sometimes", "in spring", "after the rain"],
}


def sentence(rng, symbol="S"):
    """Words, and the logarithm of the probability of having chosen them so."""
    if symbol not in GRAMMAR:
        return [symbol], 0.0
    choices = GRAMMAR[symbol]
    words, log_probability = [], -math.log(len(choices))
    for part in rng.choice(choices).split():
        more, p = sentence(rng, part)
        words += more
        log_probability += p
    return words, log_probability


def main():
    rng = random.Random(1)
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    for name, count in (("train", 6000), ("valid", 500)):
        sentences = [sentence(rng) for _ in range(count)]
        (folder / f"{name}.txt").write_text("".join(" ".join(words) + "\n" for words, _ in sentences))
    tokens = sum(len(words) + 1 for words, _ in sentences)  # with the end
    print(f"perplexity of the grammar on data/valid.txt: {math.exp(-sum(p for _, p in sentences) / tokens):.3f}")


if __name__ == "__main__":
    main()
