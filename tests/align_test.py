"""attune align, and alignments by attention, as their users see them. usage: align_test.py ATTUNE"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
WORDS = {"猫": "cat", "狗": "Hündin", "房子": "house", "看见": "sees", "红": "red", "大": "big", "他": "he", "书": "book"}


def run(*arguments, text=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


class Align(unittest.TestCase):
    # The target has the words of the source in reverse.
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        rng = random.Random(3)
        lines = [rng.sample(list(WORDS), rng.randint(1, 5)) for _ in range(300)]
        cls.gold = [" ".join(f"{i}-{len(line) - 1 - i}" for i in range(len(line))) for line in lines]
        cls.write("zh", [" ".join(line) for line in lines])
        cls.write("en", [" ".join(WORDS[word] for word in reversed(line)) for line in lines])
        cls.write("gold", cls.gold)
        cls.sides = [cls.folder / "zh", cls.folder / "en"]
        cls.common = ["--train-sets", *cls.sides, "--valid-sets", *cls.sides, "--vocab-size", 290, "--after", "6u", "--valid-freq",
                      "6u", "--valid-metrics", "perplexity", "--type", "transformer", "--encoder-layers", 1, "--decoder-layers", 2,
                      "--d-model", 16, "--heads", 2, "--feed-forward", 16]
        cls.model = cls.folder / "model"
        result = run("train", *cls.common, "--model", cls.model)
        assert result.returncode == 0, result.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def write(cls, name, lines):
        (cls.folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return cls.folder / name

    def align(self, *arguments):
        result = run("align", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, *arguments, message):
        result = run("align", *arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn(message, result.stderr)

    def assert_fits(self, links):
        for line, source, target in zip(links, *(side.read_text().splitlines() for side in self.sides), strict=True):
            for link in line.split():
                i, j = map(int, link.split("-"))
                self.assertTrue(i < len(source.split()) and j < len(target.split()), (link, source, target))

    def test_words_that_translate_each_other_are_linked(self):
        for how in ("grow-diag-final-and", "intersect", "union", "forward", "backward"):
            self.assertEqual(self.align(*self.sides, "--symmetrize", how).splitlines(), self.gold, how)

    def test_gold_links_measure_the_error(self):
        links = sum(len(line.split()) for line in self.gold)
        self.assertEqual(self.align(*self.sides, "--gold", self.folder / "gold"),
                         f"AER = 0.0 (precision = 100.0 recall = 100.0 links = {links} sure = {links})\n")

    def test_other_text_teaches_too_and_unknown_words_go_by_their_places(self):
        source, target = self.write("new.zh", ["狗 红", "", "新 词 语", "猫"]), self.write("new.en", ["red Hündin", "", "a b c", ""])
        self.assertEqual(self.align(source, target, "-t", *self.sides), "0-1 1-0\n\n0-0 1-1 2-2\n\n")

    def test_a_model_aligns_by_its_attention(self):
        links = self.align(*self.sides, "-m", self.model, "--symmetrize", "forward").splitlines()
        self.assert_fits(links)
        self.assertTrue(any(links))
        pairs = "".join(f"{a}\t{b}\n" for a, b in zip(*(side.read_text().splitlines() for side in self.sides)))
        self.assertEqual(run("attend", "-m", self.model, "--words", "--format", "pharaoh", text=pairs).stdout.splitlines(), links)

    def test_what_attend_writes_guides_training(self):
        source = self.sides[0].read_text()
        result = run("attend", "-m", self.model, "--words", "--format", "pharaoh", "--max-length", 8, text=source)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(all(re.fullmatch(r"(\d+-\d+( \d+-\d+)*)?", line) for line in result.stdout.splitlines()))
        pairs = "".join(f"{a}\t{b}\n" for a, b in zip(*(side.read_text().splitlines() for side in self.sides)))
        for name, links in (("attended", run("attend", "-m", self.model, "--words", "--format", "pharaoh", text=pairs).stdout),
                            ("aligned", self.align(*self.sides))):
            file = self.write(name, links.splitlines())
            result = run("train", *self.common, "--model", self.folder / f"guided-{name}", "--guided-alignment", file)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_wrong_use_is_explained(self):
        self.refused(*self.sides, "--symmetrize", "grow", message="unknown way to symmetrise 'grow'")
        self.refused(*self.sides, "-m", self.model, "-t", *self.sides, message="leave one out")
        self.refused(self.sides[0], self.write("short", ["a"]), message="short")
        self.refused(*self.sides, "--gold", self.write("short.gold", ["0-0"]), message="short.gold has 1 lines")
        self.refused(*self.sides, "--gold", self.write("bad.gold", ["0+0"] * 300), message="'0+0' is not a link")


if __name__ == "__main__":
    unittest.main()
