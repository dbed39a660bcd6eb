"""Language models' text by lines, paragraphs and blocks; bytes as tokens; several validation sets.
usage: text_units_test.py ATTUNE"""
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
VERSES = ["床前明月光", "疑是地上霜", "举头望明月", "低头思故乡", "Ô temps, suspends ton vol", "et vous, heures propices"]
SIZES = {"gpt": ["--layers", "1", "--d-model", "16", "--heads", "2", "--feed-forward", "16"],
         "bert": ["--layers", "1", "--d-model", "16", "--heads", "2", "--feed-forward", "16"],
         "rnn_lm": ["--embedding", "8", "--hidden", "16"]}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-units-"))
        self.addCleanup(shutil.rmtree, self.folder)
        rng = random.Random(5)
        self.poems = ["\n".join(rng.choice(VERSES) for _ in range(rng.randint(1, 5))) for _ in range(60)]
        self.write("poems", "\n\n".join(self.poems[:40]) + "\n")
        self.write("more", "\n\n\n".join(self.poems[40:50]) + "\n")
        self.write("valid", "\n\n".join(self.poems[50:]) + "\n")

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def command(self, kind, run, *more, files=("poems",), valid=("valid",)):
        path = lambda names: [str(self.folder / name) for name in names]
        return [PROGRAM, "train", "--type", kind, *SIZES[kind], "--model", str(self.folder / run), "--train-sets", *path(files),
                "--valid-sets", *path(valid), "--mini-batch-words", "100", "--shuffle-window", "10", "--valid-freq", "20u",
                "--valid-metrics", "perplexity", "--after", "40u", "--lr-warmup", "5u", "--cpu-threads", "1", *more]

    def done(self, command, text=None):
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        result.stderr = re.sub(r"^\[[^]]*\] ", "", result.stderr, flags=re.M)  # the times
        return result

    def refused(self, command, message):
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn(message, result.stderr)

    def weights(self, run):
        return (self.folder / run / "last/weights.safetensors").read_bytes()


class Units(Case):
    def test_every_language_model_reads_by_every_unit(self):
        for kind in SIZES:
            for unit in ("line", "paragraph", "stream"):
                with self.subTest(f"{kind} by {unit}"):
                    run = f"{kind}-{unit}"
                    log = self.done(self.command(kind, run, "--text-unit", unit, "--max-length", "24", "--vocab-size", "330",
                                                 "--after", "3u", files=("poems", "more"))).stderr
                    lines = sum(poem.count("\n") + 1 for poem in self.poems[:50]) + 39 + 18  # and blank ones
                    self.assertIn(f"\n{lines} lines, " if unit == "line" else "\n50 paragraphs, ", log)

    def test_a_stream_resumes_exactly(self):
        more = ["--text-unit", "stream", "--max-length", "16", "--vocab-kind", "byte", "--train-weights", "2", "0.5"]
        both = {"files": ("poems", "more")}
        self.done(self.command("gpt", "whole", *more, **both))
        self.done(self.command("gpt", "parts", *more, "--after", "13u", "--save-freq", "5u", **both))
        self.done(self.command("gpt", "parts", *more, "--save-freq", "5u", **both))
        self.assertEqual(self.weights("whole"), self.weights("parts"))
        process = subprocess.Popen(self.command("gpt", "killed", *more, "--save-freq", "3u", **both), stderr=subprocess.PIPE)
        while not list((self.folder / "killed").glob("checkpoints/update-0000000[3-9].safetensors")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.done(self.command("gpt", "killed", *more, "--save-freq", "3u", **both))
        self.assertEqual(self.weights("whole"), self.weights("killed"))

    def test_line_breaks_are_learnt(self):
        self.write("chant", "\n\n".join(["月光\n地上霜"] * 50) + "\n")
        for kind in ("unigram", "char", "byte"):
            self.done(self.command("gpt", kind, "--text-unit", "paragraph", "--vocab-kind", kind, "--vocab-size", "280", "--after",
                                   "150u", "--learning-rate", "0.02", "--valid-freq", "0", files=("chant",)))
            self.assertEqual(self.done([PROGRAM, "generate", "-m", self.folder / kind, "月"]).stdout, "月光\n地上霜\n", kind)

    def test_two_files_are_two_texts_unless_they_are_pairs(self):
        self.write("a", "".join(f"what is {i}\n" for i in range(40)))
        self.write("b", "".join(f"it is {i}\n" for i in range(40)))
        files = {"files": ("a", "b"), "valid": ("a", "b")}
        log = self.done(self.command("gpt", "texts", "--vocab-kind", "word", **files)).stderr
        self.assertIn("\n80 lines, ", log)
        self.assertIn("b are read as two texts; with text_pairs, their lines belong together", log)
        log = self.done(self.command("gpt", "pairs", "--vocab-kind", "word", "--text-pairs", **files)).stderr
        self.assertIn("\n40 lines, ", log)
        self.assertNotIn("two texts", log)

    def test_wrong_use_is_explained(self):
        self.refused(self.command("gpt", "run", "--text-unit", "stream", "--text-pairs"), "text_unit: 'stream' is for texts without pairs")
        self.refused(self.command("gpt", "run", "--text-unit", "page"), "'text_unit' takes line, paragraph, stream")
        self.refused(self.command("gpt", "run", "--text-pairs", files=("poems", "more", "valid")), "3 files cannot be divided")
        self.write("bad", "a\n\nb\n")
        (self.folder / "bad").write_bytes(b"a\n\nb\nc\xff\n")
        self.refused(self.command("gpt", "run", "--text-unit", "stream", "--vocab-kind", "byte", files=("bad",)), "bad:3: byte 4")


class Sets(Case):
    def test_each_validation_set_has_its_scores_and_the_first_decides(self):
        log = self.done(self.command("gpt", "run", "--vocab-kind", "byte", "--text-unit", "stream", valid=("valid", "more"))).stderr
        self.assertRegex(log, r"\nvalidation after update 20 \(.*\)  perplexity [\d.]+ \(best\)\n  more  perplexity [\d.]+\n")
        self.assertRegex(log, r"\nbest perplexity [\d.]+, after update \d+: .*\n  on more: perplexity [\d.]+\n")
        records = [json.loads(line) for line in (self.folder / "run/metrics.jsonl").read_text().splitlines()]
        others = [record for record in records if record["kind"] == "validation_set"]
        self.assertEqual([(record["update"], record["set"]) for record in others], [(20, "more"), (40, "more")])
        best = json.loads((self.folder / "run/run.json").read_text())
        self.assertIn("best-perplexity", json.dumps(best))
        alone = self.done(self.command("gpt", "alone", "--vocab-kind", "byte", "--text-unit", "stream")).stderr
        score = r"best perplexity ([\d.]+), after update (\d+)"
        self.assertEqual(re.search(score, log).groups(), re.search(score, alone).groups())
        events = b"".join(path.read_bytes() for path in (self.folder / "run").glob("events.*"))
        self.assertIn(b"valid/perplexity", events)
        self.assertIn(b"valid-more/perplexity", events)


if __name__ == "__main__":
    unittest.main()
