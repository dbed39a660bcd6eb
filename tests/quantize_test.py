"""`attune quantize` and `attune shortlist` as a user sees them. usage: quantize_test.py ATTUNE"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
LETTERS = "abcdefghijkl"


def sentences(seed, count):
    rng = random.Random(seed)
    return [" ".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 7))) for _ in range(count)]


def translation(line):
    return " ".join(letter.upper() for letter in reversed(line.split()))


def run(*arguments, text="", code=0, **keywords):
    result = subprocess.run([PROGRAM, *map(str, arguments)], input=text, text=True, capture_output=True, timeout=120,
                            **keywords)
    assert result.returncode == code, (arguments, result.returncode, result.stderr)
    return result


class Quantize(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Models that write letters backwards and as capitals, and the same in 8 bits."""
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-quantize-"))
        lines = sentences(1, 2000)
        cls.data = cls.folder / "src", cls.folder / "tgt"
        cls.data[0].write_text("".join(f"{line}\n" for line in lines))
        cls.data[1].write_text("".join(f"{translation(line)}\n" for line in lines))
        shared = ["--train-sets", *cls.data, "--vocab-kind", "word", "--mini-batch-words", "500", "--lr-warmup", "50u",
                  "--label-smoothing", "0", "--dropout", "0", "--vocabs", cls.folder / "vocab.txt"]
        cls.models = {}
        for name, arguments in {
                "rnn": ["--type", "rnn", "--embedding", "32", "--hidden", "64", "--after", "200u", "--learning-rate",
                        "0.01"],
                "transformer": ["--type", "transformer", "--d-model", "32", "--heads", "2", "--feed-forward", "64",
                                "--encoder-layers", "1", "--decoder-layers", "1", "--learning-rate", "0.005", "--after", "600u"]}.items():
            run("train", *arguments, *shared, "--model", cls.folder / name)
            run("quantize", cls.folder / name, cls.folder / f"{name}-int8")
            cls.models[name] = cls.folder / name, cls.folder / f"{name}-int8"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_a_quantised_model_translates_as_the_full_one(self):
        lines = sentences(2, 300)
        for name, (full, small) in self.models.items():
            right = [sum(out == translation(line) for out, line in
                         zip(run("translate", "-m", model, text="\n".join(lines)).stdout.splitlines(), lines))
                     for model in (full, small)]
            self.assertGreater(right[0], 150, name)
            self.assertGreater(right[1], right[0] - 10, name)

    def test_plain_loops_find_the_same_words(self):
        text = "\n".join(sentences(3, 20))
        for _, small in self.models.values():
            fast = run("translate", "-m", small, text=text).stdout
            plain = run("translate", "-m", small, text=text, env={"ATTUNE_KERNELS": "ref"}).stdout
            same = sum(a == b for a, b in zip(fast.splitlines(), plain.splitlines()))
            self.assertGreaterEqual(same, 18)

    def test_batches_and_threads_change_nothing(self):
        lines = sentences(4, 100)
        for _, small in self.models.values():
            whole = run("translate", "-m", small, "--json", "--cpu-threads", "1", text="\n".join(lines)).stdout
            for options in (["--cpu-threads", "3"], ["--mini-batch-words", "1"]):
                self.assertEqual(run("translate", "-m", small, "--json", *options, text="\n".join(lines)).stdout, whole)

    def test_it_says_what_became_of_the_weights(self):
        full, _ = self.models["transformer"]
        out = run("quantize", full, self.folder / "again", "--verbose").stdout
        self.assertRegex(out, r"decoder\.layer0\.self\.qkv\.weight +\d\.\d\d% +\d\.\d\d%\n")
        before, after = out.splitlines()[-2:]
        self.assertRegex(before, r"transformer/.*: [\d.]+ kB$")
        self.assertRegex(after, r"again: [\d.]+ kB \([2-4]\d\.\d%\)$")
        names = sorted(path.name for path in (self.folder / "again").iterdir())
        self.assertEqual(names, ["config.json", "vocab.txt", "weights.safetensors"])

    def test_what_makes_no_sense_is_refused(self):
        full, small = self.models["transformer"]
        self.assertIn("already quantised", run("quantize", small, self.folder / "new", code=2).stderr)
        self.assertIn("this already exists", run("quantize", full, small, code=2).stderr)
        self.assertIn("no such model folder", run("quantize", self.folder / "none", self.folder / "new", code=2).stderr)
        tuned = run("train", "--type", "transformer", "--d-model", "32", "--heads", "2", "--feed-forward", "64",
                    "--encoder-layers", "1", "--decoder-layers", "1", "--train-sets", *self.data, "--after", "1u",
                    "--pretrained-model", small, "--model", self.folder / "tuned", code=2)
        self.assertIn("this model is quantised, and weights of 8 or 16 bits cannot be trained further", tuned.stderr)

    def test_a_shortlist_leaves_translations_as_they_are(self):
        lines = sentences(5, 200)
        for name, models in self.models.items():
            for model in models:
                refused = run("translate", "-m", model, "--shortlist", text="a\n", code=2)
                self.assertIn("this model has no shortlist; `attune shortlist` makes one", refused.stderr)
                made = run("shortlist", "-m", model, "--train-sets", *self.data, "--best", "2", "--frequent", "1")
                self.assertRegex(made.stdout, r"learned from 1,900 lines; on 100 other lines, a sentence may write \d+ of 27 words, and 100.0% of the reference's are among them\n")
                every = run("translate", "-m", model, text="\n".join(lines)).stdout.splitlines()
                listed = run("translate", "-m", model, "--shortlist", text="\n".join(lines)).stdout.splitlines()
                same = sum(a == b for a, b in zip(every, listed))
                self.assertGreater(same, 190, name)
                one = run("translate", "-m", model, "--shortlist", "--mini-batch-words", "1", text="\n".join(lines))
                self.assertEqual(one.stdout.splitlines(), listed)
                (next(model.glob("**/shortlist.safetensors"))).unlink()

    def test_a_shortlist_can_be_the_models_default(self):
        copy = self.folder / "default"
        shutil.copytree(self.models["rnn"][1], copy)
        run("shortlist", "-m", copy, "-t", *self.data, "--best", "1", "--frequent", "0")
        config = json.loads((copy / "config.json").read_text())
        config["decoding"]["shortlist"] = True
        (copy / "config.json").write_text(json.dumps(config))
        words = set(run("translate", "-m", copy, "--sampling", "--temperature", "50", text="a a\n" * 40).stdout.split())
        self.assertLessEqual(words, {"A", "a", "<unk>"})
        (copy / "shortlist.safetensors").write_bytes(b"damaged")
        self.assertIn("shortlist.safetensors", run("translate", "-m", copy, text="a\n", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
