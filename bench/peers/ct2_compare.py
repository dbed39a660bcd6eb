"""Translates a text with a transformer of attune and with CTranslate2, and says how many lines come out the same.

usage: ct2_compare.py MODEL TEXT [--beams 1,4] [--show N]

CTranslate2 is the npm package, installed into build/. Both get the same weights (`attune convert`), and outputs of at
most 256 words; sums of log probabilities are divided by the length. Their beams differ by definition: in attune a
hypothesis that ended keeps its place in the beam (docs/decisions/0007-search.md), CTranslate2 gives the place to another.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import ct2_install

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ATTUNE = ROOT / "build/release/attune"
PACKAGE = ROOT / "build/bench-decoding"


def by_attune(model, lines, beam):
    command = [ATTUNE, "translate", "-m", model, "-b", str(beam), "-n", "1", "--max-length", "256",
               "--max-length-factor", "0"]
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def by_ctranslate2(model, lines, beam):
    request = json.dumps({"model": str(model), "lines": lines, "beam": beam, "batch": 32})
    command = ["node", ROOT / "bench/peers/ct2_worker.mjs", PACKAGE, "2"]
    reply = json.loads(subprocess.run(command, input=request, capture_output=True, text=True, check=True).stdout)
    return reply["texts"] if "texts" in reply else sys.exit(reply["error"])


def scores(model, pairs):
    """Sums of log probabilities divided by lengths, as attune reads the texts again."""
    command = [ATTUNE, "score", "-m", model, "-n", "1", "--tsv"]
    text = "".join(f"{line}\t{output}\n" for line, output in pairs)
    written = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return [float(line.split()[0]) for line in written.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="model folder of a transformer with a SentencePiece vocabulary")
    parser.add_argument("text", help="one sentence a line")
    parser.add_argument("--beams", default="1,4")
    parser.add_argument("--show", type=int, default=3, help="differences to show")
    options = parser.parse_args()
    if reason := ct2_install.install(PACKAGE):
        sys.exit(reason)
    lines = pathlib.Path(options.text).read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        converted = pathlib.Path(folder) / "model"
        subprocess.run([ATTUNE, "convert", options.model, converted, "--to", "ctranslate2"], check=True,
                       stdout=subprocess.DEVNULL)
        for beam in map(int, options.beams.split(",")):
            mine, theirs = by_attune(options.model, lines, beam), by_ctranslate2(converted, lines, beam)
            other = [i for i, line in enumerate(lines) if mine[i] != theirs[i]]
            print(f"beam {beam}: {len(lines) - len(other)} of {len(lines)} lines are the same")
            ours, others = (scores(options.model, [(lines[i], outputs[i]) for i in other]) for outputs in (mine, theirs))
            if other:
                print(f"  of the others attune's output has the higher score {sum(a > b for a, b in zip(ours, others))} times, "
                      f"CTranslate2's {sum(a < b for a, b in zip(ours, others))} times")
            for i in other[:options.show]:
                print(f"  line {i + 1}: {lines[i]}\n    attune       {mine[i]}\n    CTranslate2  {theirs[i]}")


if __name__ == "__main__":
    main()
