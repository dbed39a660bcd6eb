"""The commands of the course run as printed, each page in a fresh copy of its folder; data and training are smaller. What does
not depend on training comes out as printed. usage: course_test.py ATTUNE"""
import importlib.util
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from docs_test import PROGRAM, ROOT, shown

COURSE = ROOT / "docs/course"
PAGES = sorted(path.stem for path in COURSE.glob("[0-9]*.md") if not path.name.endswith(".zh-CN.md"))
LINES = 40  # of each file of data
# What a page prints does not depend on training, and not on how much data there is.
EXACT = ["python3 softmax.py", "paste ", "python3 shapes.py"]


def smaller(text):
    """A recipe or configuration with less training."""
    text = re.sub(r"(?m)^(budget|after): .*", r"\1: 2u", text)
    text = re.sub(r"(?m)^( *)(valid_freq|disp_freq): .*", r"\1\2: 2u", text)
    return re.sub(r"mini_batch_words: .*", "mini_batch_words: 100", text)


class Course(unittest.TestCase):
    def setUp(self):
        self.world = pathlib.Path(tempfile.mkdtemp(prefix="attune-course-"))
        self.addCleanup(shutil.rmtree, self.world)
        ignore = shutil.ignore_patterns("data", "run", "pictures", "__pycache__")
        self.folder = self.world / "docs/course"
        shutil.copytree(COURSE, self.folder, ignore=ignore)
        shutil.copytree(ROOT / "examples/masked-language-model", self.world / "examples/masked-language-model", ignore=ignore)
        for recipe in self.folder.glob("*.yml"):
            recipe.write_text(smaller(recipe.read_text()))

    def run_as_printed(self, command):
        command = re.sub(r"--seconds \S+", "--seconds 0.1", command)
        environment = os.environ | {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
        result = subprocess.run(command, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120,
                                executable="/bin/bash")
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}{result.stderr}")
        return result.stdout

    def shorten_data(self):
        for path in self.folder.glob("data/*/*"):
            lines = path.read_text().splitlines(keepends=True)
            if path.suffix != ".csv" and len(lines) > LINES:
                path.write_text("".join(lines[:LINES]))

    def test_every_command_runs(self):
        self.assertEqual(len(PAGES), 9)
        for page in PAGES:
            commands = shown(f"docs/course/{page}.md")
            self.assertGreaterEqual(len(commands), 2, page)
            self.setUp()
            for item in commands:
                with self.subTest(page=page, command=item.command):
                    output = self.run_as_printed(item.command)
                    if any(item.command.startswith(name) for name in EXACT):
                        self.assertEqual(output.splitlines(), item.output)
                self.shorten_data()

    def test_both_languages_show_the_same_commands_and_outputs(self):
        read = lambda name: [(item.command, item.output) for item in shown(f"docs/course/{name}")]
        for page in [*PAGES, "README"]:
            self.assertEqual(read(f"{page}.md"), read(f"{page}.zh-CN.md"), page)

    def test_every_page_has_its_parts(self):
        for page in PAGES:
            for ending, answer in (("", "Answer"), (".zh-CN", "答案")):
                text = (COURSE / f"{page}{ending}.md").read_text()
                self.assertIn(f"(pictures/{page}{ending}.svg)", text, page)  # the diagram
                self.assertRegex(text, r"\$\$", page)  # a formula
                self.assertGreaterEqual(len(re.findall(r"!\[", text)), 2, page)  # and a picture of what was measured
                self.assertIn(f"<summary>{answer}</summary>", text, page)

    def test_diagrams_are_those_that_the_script_draws(self):
        self.run_as_printed(f"{sys.executable} draw.py")
        for path in sorted((self.folder / "pictures").glob("*.svg")):
            self.assertEqual(path.read_text(), (COURSE / "pictures" / path.name).read_text(), path.name)

    def test_gradients_agree_with_differences(self):
        """One step of each cell, back through gradients.py, against central differences."""
        spec = importlib.util.spec_from_file_location("gradients", COURSE / "gradients.py")
        gradients = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(gradients)
        rng, size = random.Random(1), 4
        numbers = lambda count: [rng.uniform(-0.7, 0.7) for _ in range(count)]
        for cell, gates in (("rnn", 1), ("gru", 3), ("lstm", 4)):
            encoder = object.__new__(gradients.Encoder)
            encoder.cell, encoder.size = cell, size
            encoder.input, encoder.recurrent = ([numbers(size) for _ in range(gates * size)] for _ in range(2))
            encoder.input_bias, encoder.recurrent_bias = numbers(gates * size), numbers(gates * size)
            x, h, c, dh = numbers(size), numbers(size), numbers(size), numbers(size)
            dc = numbers(size) if cell == "lstm" else [0.0] * size
            dot = lambda a, b: sum(p * q for p, q in zip(a, b))
            value = lambda h, c: (lambda after: dot(after[0], dh) + dot(after[1], dc))(encoder.step(x, h, c))
            by_h, by_c = encoder.back(encoder.step(x, h, c)[2], dh, dc)
            for i in range(size):
                moved = lambda v, by: [*v[:i], v[i] + by, *v[i + 1:]]
                self.assertAlmostEqual((value(moved(h, 1e-5), c) - value(moved(h, -1e-5), c)) / 2e-5, by_h[i], 7, cell)
                if cell == "lstm":
                    self.assertAlmostEqual((value(h, moved(c, 1e-5)) - value(h, moved(c, -1e-5))) / 2e-5, by_c[i], 7, cell)


if __name__ == "__main__":
    unittest.main()
