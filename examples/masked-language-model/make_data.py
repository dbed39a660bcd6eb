"""Sentences without labels: data/{train,valid}.txt."""
import pathlib
import random

from sentences import TOPICS, new_sentence, sentence


def main():
    rng = random.Random(1)
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    topic = lambda: rng.choice(sorted(TOPICS))
    train = [sentence(rng, topic()) for _ in range(6000)]
    known = set(train)
    valid = [new_sentence(rng, topic(), known) for _ in range(400)]
    for name, lines in (("train", train), ("valid", valid)):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
