"""Sentences with their topics: data/{train,valid}.{text,topic}. Training has few, and of each topic only some words."""
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "masked-language-model"))
from sentences import TOPICS, new_sentence, sentence


def main():
    rng = random.Random(2)
    folder = HERE / "data"
    folder.mkdir(exist_ok=True)
    topics = lambda count: [rng.choice(sorted(TOPICS)) for _ in range(count)]
    train = [(sentence(rng, topic, 0.4), topic) for topic in topics(80)]
    known = {text for text, _ in train}
    valid = [(new_sentence(rng, topic, known), topic) for topic in topics(400)]
    for name, pairs in (("train", train), ("valid", valid)):
        for side, column in (("text", 0), ("topic", 1)):
            (folder / f"{name}.{side}").write_text("".join(f"{pair[column]}\n" for pair in pairs))


if __name__ == "__main__":
    main()
