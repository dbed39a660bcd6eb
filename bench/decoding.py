"""Measures decoding: attune beside CTranslate2 and PyTorch, interleaved in one run. CTranslate2 is the npm package
`ctranslate2`, or with --ctranslate2 python the module of that name that python3 can import.

All three get the same sentences and models of the same sizes; attune and CTranslate2 raw text and the very same
weights (`attune convert --to ctranslate2`), PyTorch numbers of words. `batch32` has 32 sentences of 24 words, which
become 24 words; with --model and --text, `real` has all lines of a text in batches of about 32 sentences, and
`single` some of them one by one (median latency). Several threads are as many workers of one thread.
"""
import argparse
import contextlib
import datetime
import json
import pathlib
import random
import statistics
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent / "peers"))
import ct2_install
from run import ATTUNE, ROOT, Worker, machine, torch_missing

WORK = ROOT / "build/bench-decoding"
SIZES = {"small": [3, 256, 4, 1024, 8000], "base": [6, 512, 8, 2048, 32000], "opus": [6, 512, 8, 2048, 60000]}
CTRANSLATE2 = {"npm": ["node", str(ROOT / "bench/peers/ct2_worker.mjs"), str(WORK), "1"],
               "python": [sys.executable, str(ROOT / "bench/peers/ct2_worker.py"), "1"]}
SENTENCES, LENGTH = 32, 24
SINGLE_LINES = 100
TARGETS = {("batch32", "ct2", "f32"): 1.3, ("batch32", "ct2", "int8"): 1.3, ("batch32", "torch", "f32"): 1.8,
           ("real", "ct2", "f32"): 1.5, ("real", "ct2", "int8"): 1.5, ("real", "torch", "f32"): 1.5,
           ("single", "ct2", "f32"): 1.5, ("single", "ct2", "int8"): 1.5, ("single", "torch", "f32"): 4}


def attune(*arguments):
    subprocess.run([ATTUNE[0], *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def can_quantize():
    return "quantize" in subprocess.run([ATTUNE[0], "--help"], capture_output=True, text=True).stdout


class Model:
    """Model folders of attune and CTranslate2 by precision."""

    def __init__(self, name, size, folder=None):
        self.name, self.size = name, size
        self.f32 = pathlib.Path(folder) if folder else WORK / f"{name}-f32"
        if not folder and not self.f32.exists():
            with Worker(ATTUNE, 1) as worker:
                worker.ask(make=name, model=str(self.f32))

    @staticmethod
    def of_folder(path):
        path = pathlib.Path(path)
        if (path / "run.json").exists():
            path /= json.loads((path / "run.json").read_text())["best"] or "last"
        config = json.loads((path / "config.json").read_text())["model"]
        with open(path / "weights.safetensors", "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        sizes = [config[key] for key in ("decoder_layers", "d_model", "heads", "feed_forward")]
        return Model(path.name, sizes + header["output.bias"]["shape"], path)

    def folders(self, precision):
        mine, ct2 = WORK / f"{self.name}-{precision}", WORK / f"{self.name}-{precision}-ct2"
        if precision == "f32":
            mine = self.f32
        elif not mine.exists():
            attune("quantize", self.f32, mine)
        attune("convert", self.f32, ct2, "--to", "ctranslate2", "--precision", precision)
        return mine, ct2


class Side:
    """One toolkit: as many workers as there are threads, which all do the same at a time."""

    def __init__(self, commands, request):
        self.commands, self.request, self.samples = commands, request, []

    def ask(self):
        replies = [None] * len(self.commands)

        def one(i):
            replies[i] = self.commands[i].ask(**self.request)

        workers = [threading.Thread(target=one, args=(i,)) for i in range(len(replies))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return replies

    def sample(self):
        """Seconds until the slowest is done; of lines one by one the median."""
        found = [reply["seconds"] for reply in self.ask()]
        summary = sum if "batches" in self.request and "single" not in self.request else statistics.median
        if isinstance(found[0], list):
            found = [summary(seconds) for seconds in found]
        self.samples.append(max(found))

    def megabytes(self):
        return max(worker.ask(peak=True)["megabytes"] for worker in self.commands)


def random_lines(words, count):
    numbers = random.Random(1)
    return [" ".join(f"w{numbers.randrange(3, words)}" for _ in range(LENGTH - 1)) for _ in range(count)]


def batches_of(lengths, single):
    if single:
        return [[pair] for pair in lengths]
    ordered = sorted(lengths)
    return [ordered[i:i + SENTENCES] for i in range(0, len(ordered), SENTENCES)]


def measure(row, model, precision, beam, threads, lines, options, with_torch):
    single = {"single": True} if row == "single" else {}
    clock = {"cpu": True} if options.cpu else {}
    mine, ct2 = model.folders(precision)
    with contextlib.ExitStack() as stack:
        def workers(command):
            return [stack.enter_context(Worker(command, 1)) for _ in range(threads)]

        about = workers(ATTUNE)
        batch_words = SENTENCES * (LENGTH if row.startswith("batch") else 16)
        request = {"model": str(mine), "lines": lines, "beam": beam, "batch_words": batch_words}
        first = about[0].ask(**request)
        lengths = list(zip(first["read"], first["written"]))
        sides = {"attune": Side(about, request | single | clock),
                 "ct2": Side(workers(CTRANSLATE2[options.ctranslate2]),
                             {"model": str(ct2), "lines": lines, "beam": beam, "batch": SENTENCES} | single | clock)}
        if with_torch and precision == "f32":
            sides["torch"] = Side(workers([sys.executable, str(ROOT / "bench/peers/torch_decoding.py")]),
                                  {"size": model.size, "batches": batches_of(lengths, single), "beam": beam} | single | clock)
        same = None if single else sides["ct2"].ask()[0]["texts"]
        for side in sides.values():
            side.sample()
            side.samples.clear()
        for _ in range(options.samples):
            for side in sides.values():
                side.sample()
        result = {"row": row, "model": model.name, "precision": precision, "beam": beam, "threads": threads,
                  "words": sum(first["written"])}
        if same:
            result["same"] = statistics.mean(a == b for a, b in zip(first["texts"], same))
        for name, side in sides.items():
            seconds = statistics.median(side.samples)
            result |= {f"{name}_seconds": seconds, f"{name}_megabytes": side.megabytes()}
            if not single:
                result[f"{name}_rate"] = threads * result["words"] / seconds
            if name != "attune":
                # Neighbours in time saw the same machine.
                result[f"{name}_ratio"] = statistics.median(
                    b / a for a, b in zip(sides["attune"].samples, side.samples))
        return result


HEADER = ("row", "model", "numbers", "beam", "threads", "attune", "CTranslate2", "PyTorch", "to CT2", "to PyTorch",
          "same text", "MB: attune", "CT2", "PyTorch")


def cells(result):
    single = result["row"] == "single"

    def speed(side):
        if f"{side}_seconds" not in result:
            return "-"
        return f"{result[f'{side}_seconds'] * 1e3:.1f} ms" if single else f"{result[f'{side}_rate']:,.0f}"

    def ratio(side):
        key = f"{side}_ratio"
        if key not in result:
            return "-"
        target = TARGETS.get((result["row"], side, result["precision"]), 0)
        return f"{result[key]:.2f}" + (" (short)" if result[key] < target else "")

    def megabytes(side):
        key = f"{side}_megabytes"
        return f"{result[key]:.0f}" if key in result else "-"

    return (result["row"], result["model"], result["precision"], str(result["beam"]), str(result["threads"]),
            *map(speed, ("attune", "ct2", "torch")), ratio("ct2"), ratio("torch"),
            f"{result['same']:.1%}" if "same" in result else "-", *map(megabytes, ("attune", "ct2", "torch")))


def main():
    parser = argparse.ArgumentParser(prog="./run bench decoding", description=__doc__.splitlines()[0],
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    numbers = {"type": lambda text: [int(n) for n in text.split(",")], "metavar": "N,N"}
    words = {"type": lambda text: [word for word in text.split(",") if word], "metavar": "NAME,NAME"}
    parser.add_argument("--sizes", default=["small", "base"], help="random models; opus is base with 60,000 words", **words)
    parser.add_argument("--precisions", default=["f32", "int8"], help="of the weights", **words)
    parser.add_argument("--beams", default=[1, 4], help="1 is greedy search", **numbers)
    parser.add_argument("--threads", default=[1, 2], help="workers of one thread", **numbers)
    parser.add_argument("--sentences", type=int, default=SENTENCES, metavar="N", help="of random words, all in one batch")
    parser.add_argument("--samples", type=int, default=7, metavar="N", help="measurements of which the median counts")
    parser.add_argument("--model", metavar="FOLDER", help="a trained transformer, for the rows of real text")
    parser.add_argument("--text", metavar="FILE", help="what it translates")
    parser.add_argument("--ctranslate2", choices=CTRANSLATE2, default="npm", help="which build of it")
    parser.add_argument("--cpu", action="store_true", help="CPU time, where others use the machine too")
    parser.add_argument("--json", metavar="FILE", help="also write the rows to FILE")
    options = parser.parse_args()

    WORK.mkdir(parents=True, exist_ok=True)
    if options.ctranslate2 == "npm" and (reason := ct2_install.install(WORK)):
        sys.exit(f"bench: {reason}")
    with_torch = not torch_missing()
    precisions = [p for p in options.precisions if p == "f32" or can_quantize()]
    works = [(f"batch{options.sentences}", Model(name, SIZES[name]), random_lines(SIZES[name][4], options.sentences))
             for name in options.sizes]
    if options.model and options.text:
        model = Model.of_folder(options.model)
        lines = pathlib.Path(options.text).read_text().splitlines()
        works += [("real", model, lines), ("single", model, lines[:SINGLE_LINES])]

    print(f"{machine()}, {datetime.date.today()}; output words a second, or milliseconds a sentence")
    print("| " + " | ".join(HEADER) + " |\n" + "| --- " * len(HEADER) + "|")
    results = []
    for row, model, lines in works:
        for precision in precisions:
            for beam in options.beams:
                for threads in options.threads if row != "single" else [1]:
                    results.append(measure(row, model, precision, beam, threads, lines, options, with_torch))
                    print("| " + " | ".join(cells(results[-1])) + " |", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"machine": machine(), "date": str(datetime.date.today()), "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
