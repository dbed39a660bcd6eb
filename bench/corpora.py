"""How much time of the CPU attune's verbs take for corpora of any size, and how much memory.

usage: bench/corpora.py ATTUNE [--lines 100000 1000000 4000000 20000000] [--folder FOLDER]

Lines are made up: two halves of sentences each, so that no two lines are the same; 20 million take 3 GB of disk.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HALVES = 4999  # squared: more than all lines
TINY = ("--type transformer --d-model 32 --heads 2 --feed-forward 32 --encoder-layers 1 --decoder-layers 1 --vocab-size 4000 "
        "--mini-batch-words 2000 --precision f32").split()


def make_halves(letters, seed):
    draw = random.Random(seed)
    words = ["".join(draw.choice(letters) for _ in range(draw.randint(2, 9))) for _ in range(20_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]  # Zipf's law
    return [" ".join(draw.choices(words, weights, k=draw.randint(3, 9))) for _ in range(HALVES)]


def write(path, letters, lines):
    first, second = make_halves(letters, 1), make_halves(letters, 2)
    with open(path, "w", encoding="utf-8") as file:
        for block in range(0, lines, HALVES):
            behind = second[block // HALVES]
            file.writelines(f"{front} {behind}\n" for front in first[:min(HALVES, lines - block)])


def measure(command):
    """Seconds of the CPU and peak megabytes."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        messages = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, command))}\n{messages}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def commands(attune, folder, model):
    source, target = folder / "text.a", folder / "text.b"
    pair = [source, target]
    for path in pair:
        path.with_suffix(path.suffix + "1k").write_bytes(subprocess.run(["head", "-n", "1000", path], capture_output=True, check=True).stdout)
    valid = [path.with_suffix(path.suffix + "1k") for path in pair]
    yield "vocab --kind bpe", [attune, "vocab", "--kind", "bpe", "-t", *pair, "-o", folder / "made.spm"]
    yield "vocab --kind word", [attune, "vocab", "--kind", "word", "-t", *pair, "-o", folder / "made.txt"]
    yield "check --seconds 0", [attune, "check", "--seconds", "0", *TINY, "-m", folder / "checked", "-t", *pair, "--valid-sets", *valid,
                                "-v", model / "vocab.spm"]
    yield "train, until the first update", [attune, "train", *TINY, "-m", folder / "run", "--overwrite", "-t", *pair, "-v", model / "vocab.spm",
                                            "--after", "1u"]
    yield "shortlist", [attune, "shortlist", "-m", model, "-t", *pair]
    yield "align --iterations 1", [attune, "align", "--iterations", "1", *pair]
    yield "clean", [attune, "clean", "-t", *pair, "-o", folder / "clean.a", folder / "clean.b"]
    yield "evaluate (BLEU)", [attune, "evaluate", source, "-r", target]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attune")
    parser.add_argument("--lines", type=int, nargs="+", default=[100_000, 1_000_000, 4_000_000, 20_000_000])
    parser.add_argument("--folder", type=pathlib.Path, help="where the files go meanwhile")
    parser.add_argument("--only", default="", help="verbs whose name has this")
    given = parser.parse_args()
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = pathlib.Path(scratch)
        model = folder / "model"
        for lines in given.lines:
            write(folder / "text.a", "abcdefghilmnoprstuvz", lines)
            write(folder / "text.b", "äbcdéfghijklmnöprstüwß", lines)
            if not model.exists():
                measure([given.attune, "train", *TINY, "-m", model, "-t", folder / "text.a", folder / "text.b", "--after", "1u"])
            for name, command in commands(given.attune, folder, model):
                if given.only in name:
                    seconds, megabytes = measure(command)
                    print(f"| {lines:,} | {name} | {seconds:.1f} s | {megabytes:.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
