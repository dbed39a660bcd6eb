"""Measures attune beside PyTorch and oneDNN on the same work, interleaved in one run; rows of fewer bits also beside
the same work in f32, by attune and by PyTorch.

Each side is a process of its own that times the rows it is asked for; see bench/worker.h for the protocol. Times
are medians. Memory is what a row needs beside its inputs, measured in fresh processes.
"""
import argparse
import contextlib
import datetime
import functools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ATTUNE = [str(ROOT / "build/release/attune"), "bench", "--worker"]
TORCH = [sys.executable, str(ROOT / "bench/peers/torch_worker.py")]
SAMPLE_SECONDS = 0.1  # a sample repeats a short row for about so long
ROW_SECONDS = 60  # a row gets fewer samples if it takes longer
PEAK_SAMPLES = 20  # of which the fastest counts, since others use the machine too
QUIET_SECONDS = 0.02  # until the threads of the other side stop spinning


def cpu_info(field):
    with open("/proc/cpuinfo") as info:
        return next((line.split(":")[1].strip() for line in info if line.startswith(field)), "unknown")


def openblas_core():
    """PyTorch's BLAS takes its slowest kernels for a CPU that is newer than itself, so it is told."""
    flags = cpu_info("flags").split()
    return "SkylakeX" if "avx512bw" in flags else "Haswell" if "avx2" in flags else ""


class Worker:
    def __init__(self, command, threads):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        if core := openblas_core():
            environment.setdefault("OPENBLAS_CORETYPE", core)
        if command == TORCH:  # the oneDNN in PyTorch 1.13 dies of an illegal instruction where it finds AMX
            environment.setdefault("DNNL_MAX_CPU_ISA", "AVX512_CORE_BF16")
            environment.setdefault("GOMP_SPINCOUNT", "10000")  # its threads otherwise hinder each other (0.7 s for 0.4)
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    @functools.cached_property
    def rows(self):
        return {row["name"]: row for row in self.ask(list=True)["rows"]}

    def ask(self, **request):
        print(json.dumps(request), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"bench: {' '.join(self.process.args)} ended during {request}")
        reply = json.loads(line)
        if "error" in reply:
            sys.exit(f"bench: {reply['error']}")
        return reply


class Side:
    """One way to do a row: a worker, and what to tell it."""

    def __init__(self, worker, row, **request):
        self.worker, self.request, self.samples = worker, dict(request, row=row), []
        once = self.measure(1)
        self.repeat = max(1, min(1000, int(SAMPLE_SECONDS / once)))
        self.cost = once * self.repeat

    def measure(self, repeat):
        time.sleep(QUIET_SECONDS)
        return self.worker.ask(**self.request, repeat=repeat)["seconds"]

    def sample(self):
        self.samples.append(self.measure(self.repeat))

    def median(self):
        return statistics.median(self.samples)


def torch_missing():
    found = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True)
    return found.returncode != 0


def measure_times(row, workers, samples):
    name = row["name"]
    sides = {"attune": Side(workers["attune"], name)}
    if row["onednn"]:
        sides["onednn"] = Side(workers["attune"], name, peer="onednn")
    # PyTorch's side has no counterpart of some rows.
    others = {"torch": name, "f32": row["f32"], "torch_f32": row["f32"]}
    sides |= {side: Side(workers[side], work) for side, work in others.items() if side in workers and work in workers[side].rows}
    fitting = int(ROW_SECONDS / sum(side.cost for side in sides.values()))
    for _ in range(max(3, min(samples, fitting))):
        for side in sides.values():
            side.sample()
    times = {f"{side}_seconds": each.median() for side, each in sides.items()}
    # Neighbours in time saw the same machine, so the ratio is the median of theirs.
    mine = sides.pop("attune").samples
    ratios = {f"{name}_ratio": statistics.median(b / a for a, b in zip(mine, side.samples))
              for name, side in sides.items()}
    return times | ratios


def measure_memory_of_f32(row, commands, threads, memory):
    """What the same work takes in f32, where that matters."""
    if not row["memory_share_f32"]:
        return {}
    if row["f32"] not in memory:
        memory[row["f32"]] = measure_memory({"name": row["f32"]}, commands, threads)
    return {"f32_megabytes": memory[row["f32"]]["attune_megabytes"]}


def measure_memory(row, commands, threads):
    result = {}
    for side, command in commands.items():
        with Worker(command, threads) as worker:
            result[f"{side}_megabytes"] = worker.ask(row=row["name"], memory=True)["megabytes"]
    return result


def judge(row, result, peak):
    """Adds ratio, rates and whether the row reaches its targets."""
    mine = result["attune_seconds"]
    verdicts = []
    peers = [peer for peer in (("onednn",) if row["onednn"] else ("torch", "torch_f32")) if f"{peer}_seconds" in result]
    if peers:
        result["peer"], result["ratio"] = min(((peer, result[f"{peer}_ratio"]) for peer in peers), key=lambda x: x[1])
        if target := result["threads"] > 1 and row["speed_threaded"] or row["speed"]:
            result["target"] = target
            verdicts.append(result["ratio"] >= target)
    if row["gain"]:
        result["gain_target"] = row["gain"]
        verdicts.append(result["f32_ratio"] >= row["gain"])
    if row["memory_share_f32"]:
        verdicts.append(result["attune_megabytes"] <= row["memory_share_f32"] * result["f32_megabytes"])
    if row["flops"]:
        result["gflops"] = row["flops"] / mine * 1e-9
        result["share_of_peak"] = result["gflops"] / peak if peak else 1.0
    if row["bytes"]:
        result["gigabytes_per_second"] = row["bytes"] / mine * 1e-9
    if row["megabytes"] and "attune_megabytes" in result:
        verdicts.append(result["attune_megabytes"] <= row["megabytes"])
    if row["memory_share"] and "torch_megabytes" in result:
        verdicts.append(result["attune_megabytes"] <= row["memory_share"] * result["torch_megabytes"])
    if verdicts:
        result["reached"] = all(verdicts)


HEADER = ("row", "threads", "attune ms", "torch ms", "oneDNN ms", "ratio", "target", "f32 ms", "torch f32", "gain",
          "target", "rate", "peak", "attune MB", "torch MB", "f32 MB", "")
WIDTHS = (42, 7, 10, 10, 10, 6, 6, 10, 10, 5, 6, 12, 5, 9, 9, 7, 5)


def cells(result):
    def show(key, form, factor=1):
        return form.format(result[key] * factor) if key in result else "-"

    moved = "gigabytes_per_second" in result
    rate = show("gigabytes_per_second", "{:.1f} GB/s") if moved else show("gflops", "{:.1f} GF/s")
    return (result["row"], str(result["threads"]), *(show(f"{side}_seconds", "{:.3f}", 1e3)
                                                     for side in ("attune", "torch", "onednn")),
            show("ratio", "{:.2f}"), show("target", "{:.2f}"), show("f32_seconds", "{:.3f}", 1e3),
            show("torch_f32_seconds", "{:.3f}", 1e3), show("f32_ratio", "{:.2f}"), show("gain_target", "{:.2f}"),
            rate, show("share_of_peak", "{:.0%}"), show("attune_megabytes", "{:.1f}"),
            show("torch_megabytes", "{:.1f}"), show("f32_megabytes", "{:.1f}"),
            {True: "ok", False: "short"}.get(result.get("reached"), ""))


def print_line(texts):
    first, *others = [text.ljust(width) if i == 0 else text.rjust(width)
                      for i, (text, width) in enumerate(zip(texts, WIDTHS))]
    print(" ".join([first, *others]).rstrip(), flush=True)


def machine():
    return f"{cpu_info('model name')}, {os.cpu_count()} cores"


def measure_peak(row, worker):
    side = Side(worker, row["name"])
    for _ in range(PEAK_SAMPLES):
        side.sample()
    return {"attune_seconds": min(side.samples)}


def measure(commands, threads, options, memory):
    """All rows with so many threads; `memory` keeps what was measured before, by row."""
    results, peak = [], 0
    with contextlib.ExitStack() as stack:
        in_f32 = {"f32" if side == "attune" else f"{side}_f32": command for side, command in commands.items()}
        workers = {side: stack.enter_context(Worker(command, threads)) for side, command in (commands | in_f32).items()}
        for row in sorted(workers["attune"].rows.values(), key=lambda row: row["name"] != "peak"):
            name = row["name"]
            if name != "peak" and not re.search(options.rows, name):
                continue
            times = measure_peak(row, workers["attune"]) if name == "peak" else measure_times(row, workers, options.samples)
            result = {"row": name, "threads": threads, **times}
            if name != "peak" and not row["onednn"]:
                if name not in memory:
                    compared = {side: command for side, command in commands.items() if f"{side}_seconds" in times}
                    memory[name] = measure_memory(row, compared, threads)
                result |= memory[name] | measure_memory_of_f32(row, commands, threads, memory)
            judge(row, result, peak)
            peak = peak or result["gflops"]
            results.append(result)
            print_line(cells(result))
    return results


def main():
    parser = argparse.ArgumentParser(prog="./run bench", description="Measures attune beside PyTorch and oneDNN.",
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="also write the rows to FILE")
    parser.add_argument("--rows", metavar="REGEX", default="", help="only rows whose names match")
    parser.add_argument("--threads", metavar="N,N", default="1,2", help="thread counts")
    parser.add_argument("--samples", metavar="N", type=int, default=9, help="measurements of which the median counts")
    options = parser.parse_args()
    counts = [int(count) for count in options.threads.split(",")]

    commands = {"attune": ATTUNE}
    if torch_missing():
        print("bench: PyTorch is missing (package python3-torch); attune is measured alone", file=sys.stderr)
    else:
        commands["torch"] = TORCH

    print(f"{machine()}, {datetime.date.today()}")
    print_line(HEADER)
    results, memory = [], {}
    for threads in counts:
        results += measure(commands, threads, options, memory)

    reached = [result["reached"] for result in results if "reached" in result]
    if reached:
        print(f"{sum(reached)} of {len(reached)} targets reached")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"machine": machine(), "date": str(datetime.date.today()), "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
