"""A table of measurements, and windows over it: 96 hours to read, the next 96 to predict. data/series.csv,
data/{train,valid,test}.{before,after}, and the numbers of test.after as `attune predict` writes them: data/test.numbers.

usage: make_data.py [ETTh1.csv]
ETTh1.csv: the electricity transformer data of Zhou et al. 2021; training, validation and test are its first 12 months and the 4
and 4 months after them, and each column is brought to mean 0 and deviation 1 by those 12 months, as usual for this set. Without
it waves with noise are made."""
import csv
import math
import pathlib
import random
import sys

BEFORE, AFTER = 96, 96
MONTH = 30 * 24


def made(rng, hours):
    """Four columns with a rhythm of a day and a week, each with its own level, drift and noise."""
    rows, level = [], [0.0] * 4
    for t in range(hours):
        level = [x + rng.gauss(0, 0.02) for x in level]
        rows.append([3 * c + level[c] + math.sin(2 * math.pi * t / 24 + c) + 0.5 * math.sin(2 * math.pi * t / 168 + 2 * c)
                     + rng.gauss(0, 0.2) for c in range(4)])
    return rows


def main():
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            rows = [[float(x) for x in row[1:]] for row in list(csv.reader(file))[1:]]
        ends = [12 * MONTH, 16 * MONTH, 20 * MONTH]
        step = 1
    else:
        rows = made(random.Random(1), 3000)
        ends = [1800, 2400, 3000]
        step = 4
    for column in range(len(rows[0])):
        known = [row[column] for row in rows[:ends[0]]]
        mean = sum(known) / len(known)
        deviation = math.sqrt(sum((x - mean) ** 2 for x in known) / len(known))
        for row in rows:
            row[column] = (row[column] - mean) / deviation
    here = pathlib.Path(__file__).parent
    (here / "data").mkdir(exist_ok=True)
    (here / "data/series.csv").write_text("".join(",".join(f"{x:.6g}" for x in row) + "\n" for row in rows))
    begin = 0
    for name, end in zip(("train", "valid", "test"), ends):
        starts = range(begin, end - BEFORE - AFTER + 1, step)
        for side, first, length in (("before", 0, BEFORE), ("after", BEFORE, AFTER)):
            lines = (f"data/series.csv:{s + first}-{s + first + length}\n" for s in starts)
            (here / f"data/{name}.{side}").write_text("".join(lines))
        print(f"{name}: {len(starts)} windows")
        if name == "test":
            tables = ("".join("\t".join(f"{x:.6g}" for x in row) + "\n" for row in rows[s + BEFORE:s + BEFORE + AFTER]) for s in starts)
            (here / "data/test.numbers").write_text("\n".join(tables))
        begin = end - BEFORE  # what is read may overlap with the set before


if __name__ == "__main__":
    main()
