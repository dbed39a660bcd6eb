#!/usr/bin/env python3
"""Data-parallel training on one machine: one rank with n threads beside n ranks with one thread each, in turns; and,
as root, between small hosts (network namespaces) whose link is as slow as wanted.

  python3 bench/mpi.py                      # 1 rank x 2 threads, 2 ranks x 1 thread
  python3 bench/mpi.py --gbit 1 10          # two hosts with such links, too
"""
import argparse
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile

import mpi_hosts

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = 6000
SIZES = {  # parameters with a vocabulary of 6,000: 1.5, 9 and 50 million
    "small": ["--d-model", "128", "--heads", "4", "--feed-forward", "512", "--encoder-layers", "2", "--decoder-layers", "2"],
    "medium": ["--d-model", "256", "--heads", "4", "--feed-forward", "1024", "--encoder-layers", "4", "--decoder-layers", "4"],
    "base": ["--d-model", "512", "--heads", "8", "--feed-forward", "2048", "--encoder-layers", "6", "--decoder-layers", "6"],
}


def make_data(folder, lines=4000):
    rng = random.Random(1)
    words = [f"w{i}" for i in range(WORDS)]
    sentence = lambda: " ".join(rng.choices(words, k=max(3, round(rng.gauss(20, 8)))))
    for side in ("src", "tgt"):
        (folder / f"train.{side}").write_text("".join(sentence() + "\n" for _ in range(lines)))


def train(launcher, options, folder, ranks, threads, batches):
    """Means over a run without its first updates: tokens a second, seconds an update, shares of the exchange."""
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    warm, updates = 3, options.updates
    result = subprocess.run(
        [*launcher, options.attune, "train", "--type", "transformer", *SIZES[options.size], "--model", run, "--train-sets",
         folder / "train.src", folder / "train.tgt", "--vocabs", folder / "vocab.txt", "--vocab-kind", "word", "--vocab-size",
         str(WORDS + 10), "--mini-batch-words", str(options.words), "--after", f"{warm + updates}u", "--save-freq", "0",
         "--disp-freq", f"{warm}u", "--optimizer-delay", str(batches // ranks), "--cpu-threads", str(threads),
         "--tensorboard", "false", *(["--shard-optimizer"] if options.shard else [])],
        capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    first, rest = records[0], records[1:]
    seconds, tokens = rest[-1]["seconds"] - first["seconds"], rest[-1]["tokens"] - first["tokens"]
    mean = lambda key: statistics.mean(record.get(key, 0) for record in rest)
    return {"tokens_per_second": tokens / seconds, "update_seconds": seconds / (rest[-1]["update"] - first["update"]),
            "exchange": mean("exchange"), "waiting": mean("waiting")}


def show(name, measured):
    median = {key: statistics.median(one[key] for one in measured) for key in measured[0]}
    text = f"{name:28} {median['tokens_per_second']:9,.0f} tokens/s  {1000 * median['update_seconds']:7.0f} ms an update"
    if median["exchange"]:
        update = 1000 * median["update_seconds"]
        hidden = 1 - median["waiting"] / median["exchange"]
        text += (f"  exchange {update * median['exchange']:6.1f} ms, waiting {update * median['waiting']:6.1f} ms"
                 f" ({100 * hidden:.0f}% hidden)")
    print(text, flush=True)
    return median


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attune", default=ROOT / "build/release/attune")
    parser.add_argument("--size", choices=SIZES, default="medium")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--words", type=int, default=1500, help="tokens of a batch")
    parser.add_argument("--updates", type=int, default=12)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--shard", action="store_true", help="with --shard-optimizer")
    parser.add_argument("--gbit", type=float, nargs="*", default=[], help="rates of links between small hosts")
    parser.add_argument("--delay", type=float, default=0, help="of a link, microseconds (a kernel with netem)")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    count, results = options.ranks, {}
    with tempfile.TemporaryDirectory(prefix="attune-mpi-") as name:
        folder = pathlib.Path(name)
        make_data(folder)
        local = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(count)]
        one, several = [], []
        train([], argparse.Namespace(**{**vars(options), "updates": 3}), folder, 1, 1, 1)  # makes the vocabulary
        for _ in range(options.samples):
            one.append(train([], options, folder, 1, count, count))
            several.append(train(local, options, folder, count, 1, count))
        results["one"] = show(f"1 rank x {count} threads", one)
        results["several"] = show(f"{count} ranks x 1 thread", several)
        ratios = [b["tokens_per_second"] / a["tokens_per_second"] for a, b in zip(one, several)]
        results["ratio"] = statistics.median(ratios)
        print(f"{'ratio':28} {results['ratio']:9.2f}")
        for gbit in options.gbit:
            with mpi_hosts.Hosts(count, gbit, options.delay) as hosts:
                measured = [train(hosts.launcher(), options, folder, count, 1, count) for _ in range(options.samples)]
            results[f"{gbit:g} Gbit/s"] = show(f"{count} hosts, {gbit:g} Gbit/s", measured)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
