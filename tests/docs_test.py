"""The commands that the documents show run as printed, in a fresh folder, in their order; only times are shorter.
usage: docs_test.py ATTUNE"""
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent

RECIPE = """folder: compared
budget: 3u
shared: {train_sets: [train.en, train.de], valid_sets: [dev.en, dev.de], vocab_kind: word, mini_batch_words: 200}
tests: [{name: test, source: new.en, references: [reference.de]}]
models:
  - {name: Bahdanau, type: rnn, embedding: 16, hidden: 16}
  - {name: Transformer, type: transformer, d_model: 16, heads: 2, feed_forward: 16, encoder_layers: 1, decoder_layers: 1}
"""


def commands(page):
    """The lines of the code blocks of a page that call attune, without their remarks."""
    found, inside = [], False
    for line in (ROOT / page).read_text().splitlines():
        if line.startswith("```"):
            inside = not inside
        elif inside and line.startswith("attune "):
            found.append(re.sub(r"\s{2,}#.*", "", line))
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-docs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        rng = random.Random(4)
        names = {"train.en": 300, "dev.en": 20, "new.en": 10}
        targets = {"train.en": "train.de", "dev.en": "dev.de", "new.en": "reference.de"}
        words = {"a": "ein", "dog": "Hund", "runs": "läuft", "fast": "schnell", "here": "hier"}
        for name, count in names.items():
            lines = [[rng.choice(list(words)) for _ in range(rng.randint(2, 7))] for _ in range(count)]
            (self.folder / name).write_text("".join(" ".join(line) + "\n" for line in lines))
            (self.folder / targets[name]).write_text("".join(" ".join(words[w] for w in line) + "\n" for line in lines))
        (self.folder / "recipe.yml").write_text(RECIPE)
        self.environment = os.environ | {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}

    def run_as_printed(self, command):
        short = re.sub(r"--time \S+", "--time 3s", command)
        short = short + " --seconds 0.2" if short.startswith("attune check") else short
        if short.startswith("attune serve"):
            return self.serves(short)
        result = subprocess.run(short, shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                timeout=300)
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr}")

    def serves(self, command):
        port = free_port()
        process = subprocess.Popen(f"exec {command} --port {port}", shell=True, cwd=self.folder, env=self.environment,
                                   stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:
                with socket.socket() as client:
                    if client.connect_ex(("127.0.0.1", port)) == 0:
                        return
                self.assertIsNone(process.poll(), command)
                time.sleep(0.1)
            self.fail(f"nothing answers: {command}")
        finally:
            process.terminate()
            process.wait(60)

    def test_the_readme(self):
        shown = commands("README.md")
        self.assertGreaterEqual(len(shown), 8)
        for command in shown:
            with self.subTest(command):
                self.run_as_printed(command)

    def test_both_readmes_show_the_same_commands(self):
        self.assertEqual(commands("README.md"), commands("README.zh-CN.md"))


if __name__ == "__main__":
    unittest.main()
