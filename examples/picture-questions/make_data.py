"""Pictures of three digits, questions about them in English and Chinese, and the answers:
data/{train,valid}.{questions,pictures,answers}.

usage: make_data.py [COUNT]
COUNT: of pictures to train on (8000)"""
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "digits"))
from strokes import Canvas  # noqa: E402

QUESTIONS = [
    (["which digit is on the left?", "what is the first digit?", "左边是几？"], lambda d: d[0]),
    (["which digit is in the middle?", "what stands between the others?", "中间是几？"], lambda d: d[1]),
    (["which digit is on the right?", "what is the last digit?", "右边是几？"], lambda d: d[2]),
    (["which digit is the largest?", "最大的是几？"], max),
    (["which digit is the smallest?", "最小的是几？"], min),
]


def picture(digits, rng):
    canvas = Canvas(48, 16)
    for i, digit in enumerate(digits):
        canvas.glyph(digit, 2 + 15.5 * i + rng.uniform(-1, 1), rng.uniform(1, 3), 10, 12, rng)
    return canvas.pgm(rng)


def main():
    rng = random.Random(1)
    here = pathlib.Path(__file__).parent
    (here / "data/pictures").mkdir(parents=True, exist_ok=True)
    for name, count in (("train", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), ("valid", 500)):
        columns = {"questions": [], "pictures": [], "answers": []}
        for i in range(count):
            digits = [rng.choice("0123456789") for _ in range(3)]
            asks, answer = rng.choice(QUESTIONS)
            path = f"data/pictures/{name}-{i}.pgm"
            (here / path).write_bytes(picture(digits, rng))
            columns["questions"].append(rng.choice(asks))
            columns["pictures"].append(path)
            columns["answers"].append(answer(digits))
        for column, lines in columns.items():
            (here / f"data/{name}.{column}").write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
