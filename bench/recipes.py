#!/usr/bin/env python3
"""What `attune train` reaches with nothing but data files and a time: the table of docs/guide/train.md.

usage: bench/recipes.py DATA [--rows multi30k-en-de poems ...] [--minutes 5 15 60] [--runs FOLDER] [-- OPTIONS OF TRAIN]

DATA has a folder for each corpus with the files that CORPORA names. Runs that are in FOLDER already are not trained again, and
one that was interrupted goes on, so that an evening's runs and another's make one table.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ATTUNE = ROOT / "build/release/attune"
# What each learns (a type, files for training, validation and test) and how it is measured.
CORPORA = {
    "multi30k-en-de": ("transformer", "multi30k", ["train.en", "train.de"], ["valid.en", "valid.de"], ["test2016.en", "test2016.de"], "bleu"),
    "multi30k-en-fr": ("transformer", "multi30k", ["train.en", "train.fr"], ["valid.en", "valid.fr"], ["test2016.en", "test2016.fr"], "bleu"),
    "tatoeba-zh-en": ("transformer", "tatoeba-zh-en", ["train.zh", "train.en"], ["valid.zh", "valid.en"], ["test.zh", "test.en"], "bleu"),
    "tatoeba-en-fr": ("transformer", "tatoeba-en-fr", ["train.en", "train.fr"], ["valid.en", "valid.fr"], ["test.en", "test.fr"], "bleu"),
    "scitldr": ("transformer", "summ-scitldr-en", ["train.src", "train.tgt"], ["valid.src", "valid.tgt"], ["test.src", "test.tgt"], "rouge"),
    "cmudict": ("transformer", "g2p-cmudict", ["train.gr", "train.ph"], ["valid.gr", "valid.ph"], ["test.gr", "test.ph"], "wer"),
    "poems": ("gpt", "lm-tang-poems-zh", ["train.txt"], ["valid.txt"], ["test.txt"], "perplexity"),
}


def attune(*command, **more):
    return subprocess.run([ATTUNE, *map(str, command)], check=True, text=True, **more)


def train(name, minutes, data, run, options):
    kind, folder, train_sets, valid_sets, _, _ = CORPORA[name]
    files = lambda names: [data / folder / file for file in names]
    log = run / "train.log"
    if not log.exists() or "finished after" not in log.read_text(encoding="utf-8"):
        attune("train", "--type", kind, "-t", *files(train_sets), "--valid-sets", *files(valid_sets), "--time", f"{minutes}min", "-m", run, *options,
               stdout=sys.stderr)


def measure(name, data, run):
    """The scores of the test set, as `attune evaluate` or `attune score` names them."""
    kind, folder, _, _, test, metric = CORPORA[name]
    source, target = data / folder / test[0], data / folder / test[-1]
    if kind == "gpt":
        report = json.loads(attune("score", "-m", run, "--summary", "--json", source, capture_output=True).stdout)
        return {"perplexity by characters": report["word_perplexity"]}
    with open(source, encoding="utf-8") as lines:
        output = attune("translate", "-m", run, "-b", "5", stdin=lines, stdout=subprocess.PIPE).stdout
    (run / "test.out").write_text(output, encoding="utf-8")
    scores = json.loads(attune("evaluate", run / "test.out", "-r", target, "-m", metric, "--json", capture_output=True).stdout)
    return {score["name"]: score["score"] for score in scores}


def sizes(run):
    """Parameters, and how often the corpus was seen: "less than an epoch", "11 epochs"."""
    log = (run / "train.log").read_text(encoding="utf-8")
    parameters = re.search(r"lines, ([\d,]+) parameters", log)[1]
    return parameters, re.findall(r"finished after [\d,]+ updates, (.*? epochs?),", log)[-1]


def main():
    given, options = (sys.argv[1:], []) if "--" not in sys.argv else (sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--rows", nargs="+", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--minutes", nargs="+", type=int, default=[5, 15, 60])
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "build/recipes")
    asked = parser.parse_args(given)
    print("| corpus | minutes | parameters | seen | test |\n| --- | --- | --- | --- | --- |")
    for name in asked.rows:
        for minutes in asked.minutes:
            run = asked.runs / f"{name}-{minutes}"
            train(name, minutes, asked.data, run, options)
            scores = ", ".join(f"{metric} {value:.2f}" for metric, value in measure(name, asked.data, run).items())
            print("|", " | ".join([name, str(minutes), *sizes(run), scores]), "|", flush=True)


if __name__ == "__main__":
    main()
