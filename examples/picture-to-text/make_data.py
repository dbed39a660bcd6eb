"""Pictures of dates in a shaky hand, and what they say: data/{train,valid}.{pictures,text}.

usage: make_data.py [COUNT]
COUNT: of pictures to train on (6000)"""
import datetime
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "digits"))
from strokes import Canvas  # noqa: E402

FORMS = ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y"]


def picture(text, rng):
    canvas = Canvas(128, 16)
    left = rng.uniform(1, 4)
    for sign in text:
        narrow = sign in "-/."
        canvas.glyph(sign, left, rng.uniform(1, 3), 7 if narrow else 9, 12, rng)
        left += (8 if narrow else 12.5) + rng.uniform(-0.5, 0.5)
    return canvas.pgm(rng)


def main():
    rng = random.Random(1)
    here = pathlib.Path(__file__).parent
    (here / "data/pictures").mkdir(parents=True, exist_ok=True)
    for name, count in (("train", int(sys.argv[1]) if len(sys.argv) > 1 else 6000), ("valid", 300)):
        paths, texts = [], []
        for i in range(count):
            day = datetime.date(1950, 1, 1) + datetime.timedelta(days=rng.randrange(36500))
            texts.append(day.strftime(rng.choice(FORMS)))
            paths.append(f"data/pictures/{name}-{i}.pgm")
            (here / paths[-1]).write_bytes(picture(texts[-1], rng))
        (here / f"data/{name}.pictures").write_text("".join(f"{path}\n" for path in paths))
        (here / f"data/{name}.text").write_text("".join(f"{text}\n" for text in texts))


if __name__ == "__main__":
    main()
