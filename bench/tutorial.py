"""`attune train` beside the loop of PyTorch's tutorial on translation with attention, on the same sentences.

The text is cut as there: letters without accents, in lower case, and the marks . ! ? as words of their own; pairs of
at most ten words, French to English, whose English begins with "i am", "he is" and the like. Both sides train in
short runs that take turns. A rate is that of training alone: without reading files and making vocabularies.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import unicodedata

from run import ROOT, machine, openblas_core, torch_missing

PEER = ROOT / "bench/peers/torch_tutorial.py"
LONGEST, BATCH = 10, 32
TARGET = 5  # times as many sentences a second
SUBJECTS = {"i": ("am", "m"), "he": ("is", "s"), "she": ("is", "s"), "you": ("are", "re"), "we": ("are", "re"),
            "they": ("are", "re")}
# The tutorial's model as near as a configuration comes to it; attune has one layer more, before the output layer.
ATTUNE = """
type: rnn
cell: gru
bidirectional: false
embedding: 128
hidden: 128
attention: additive
dropout: 0.1
vocab_kind: word
vocab_size: 1000000
joint_vocab: false
mini_batch: 32
mini_batch_words: 100000
learning_rate: 0.001
lr_schedule: constant
lr_warmup: 0u
adam_beta2: 0.999
adam_epsilon: 1e-8
clip_norm: 0
label_smoothing: 0
tensorboard: false
disp_freq: 0
save_freq: 0
"""


def plain_words(line):
    letters = "".join(c for c in unicodedata.normalize("NFD", line.lower()) if unicodedata.category(c) != "Mn")
    return re.findall(r"[a-z]+|[.!?]", letters)


def begins_as_in_the_tutorial(english):
    return len(english) > 1 and english[1] in SUBJECTS.get(english[0], ())


def prepare(files, folder, every):
    """Writes the pairs that are taken; returns how many they are."""
    if len(files) == 2:
        pairs = zip(*(open(name, encoding="utf-8") for name in files))
    else:
        pairs = (line.split("\t")[:2] for line in open(files[0], encoding="utf-8"))
    count = 0
    with open(folder / "fr", "w") as french_file, open(folder / "en", "w") as english_file:
        for english, french in (map(plain_words, pair) for pair in pairs):
            if not 0 < len(english) <= LONGEST or not 0 < len(french) <= LONGEST:
                continue
            if every or begins_as_in_the_tutorial(english):
                print(*french, file=french_file)
                print(*english, file=english_file)
                count += 1
    return count


def environment(threads):
    return dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_CORETYPE=openblas_core())


def torch_run(folder, threads, steps):
    command = [sys.executable, PEER, folder / "fr", folder / "en", str(threads), str(steps)]
    done = subprocess.run(command, env=environment(threads), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def attune_run(folder, threads, steps):
    """The run's own seconds, and the processor time of the whole process. Both have a start that a run of one step
    has too: the first window of text is read then."""
    run = folder / f"run-{threads}"
    command = [ROOT / "build/release/attune", "train", folder / "config.yml", "--model", run, "--overwrite",
               "--after", f"{steps}u", "--disp-freq", f"{steps}u", "--cpu-threads", str(threads)]
    before = cpu_of_children()
    subprocess.run(command, env=environment(threads), stderr=subprocess.DEVNULL, check=True)
    last = json.loads((run / "metrics.jsonl").read_text().splitlines()[-1])
    return {"seconds": last["seconds"], "cpu_seconds": cpu_of_children() - before, "loss": last["loss"],
            "parameters": json.loads((run / "last/config.json").read_text())["training"]["parameters"]}


def compare(folder, threads, options):
    samples = {"attune": [], "torch": []}
    for _ in range(options.rounds):
        theirs = torch_run(folder, threads, options.steps)
        whole, start = attune_run(folder, threads, options.steps + 1), attune_run(folder, threads, 1)
        for side, seconds in (("torch", theirs.get), ("attune", lambda key: whole[key] - start[key])):
            samples[side].append([BATCH * options.steps / seconds(key) for key in ("seconds", "cpu_seconds")])
    print(f"\n{threads} {'thread' if threads == 1 else 'threads'}: sentences a second, median of {options.rounds} "
          f"runs of {options.steps} batches")
    print(f"{'':<16}{'attune':>10}{'PyTorch':>10}{'ratio':>8}")
    for i, clock in enumerate(("wall time", "processor time")):
        mine, peer = ([sample[i] for sample in samples[side]] for side in ("attune", "torch"))
        ratio = statistics.median(a / b for a, b in zip(mine, peer))
        verdict = "" if i else f"  target {TARGET}: {'ok' if ratio >= TARGET else 'short'}"
        print(f"{clock:<16}{statistics.median(mine):>10.0f}{statistics.median(peer):>10.0f}{ratio:>8.2f}{verdict}")
    print(f"parameters {whole['parameters']:,} and {theirs['parameters']:,}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./run bench tutorial", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="English and French text files, line by line; or one file of both "
                        "with a tab between them")
    parser.add_argument("--all", action="store_true", help="any pairs of at most ten words")
    parser.add_argument("--threads", metavar="N,N", default="1,2", help="thread counts (1,2)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side (3)")
    parser.add_argument("--steps", type=int, default=100, help="batches of a run (100)")
    options = parser.parse_args()
    if len(options.files) > 2:
        parser.error("give one file or two")
    if torch_missing():
        sys.exit("bench: PyTorch is missing (package python3-torch)")
    with tempfile.TemporaryDirectory(prefix="attune-tutorial-") as name:
        folder = pathlib.Path(name)
        count = prepare(options.files, folder, options.all)
        if count < BATCH:
            sys.exit(f"bench: only {count} pairs are left")
        print(f"{machine()}; {count:,} pairs", flush=True)
        (folder / "config.yml").write_text(f"train_sets: [{folder}/fr, {folder}/en]\n{ATTUNE}")
        for threads in (int(count) for count in options.threads.split(",")):
            compare(folder, threads, options)


if __name__ == "__main__":
    main()
