"""The recipes of examples/ and the models of the guide still run: each recipe makes its data, is sound for
`attune check`, and trains a little. usage: examples_test.py ATTUNE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
FEW = {"answering": ["2000"], "picture-to-text": ["200"], "picture-questions": ["200"], "speech": ["1"]}  # less data, which takes time to make
RECIPES = sorted(path.parent.name for path in EXAMPLES.glob("*/make_data.py"))
RUNNING = [name for name in RECIPES if name != "speech" or shutil.which("espeak-ng")]  # its voices


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-examples-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        ignore = shutil.ignore_patterns("data", "run", "__pycache__")
        shutil.copytree(EXAMPLES, cls.folder, dirs_exist_ok=True, ignore=ignore)

    def done(self, name, *command):
        result = subprocess.run([str(word) for word in command], cwd=self.folder / name, capture_output=True, text=True,
                                timeout=120)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def train(self, name):
        run = self.folder / name / "run"
        if run.exists():
            return
        text = (self.folder / name / "config.yml").read_text()
        if "pretrained_model: ../" in text:
            self.train(text.split("pretrained_model: ../")[1].split("/")[0])
        self.done(name, sys.executable, "make_data.py", *FEW.get(name, []))
        checked = self.done(name, PROGRAM, "check", "config.yml", "--seconds", "0")
        self.assertRegex(checked.stdout, r"Training can start")
        few = ["--after", "3u", "--valid-freq", "3u", "--disp-freq", "1u"]
        trained = self.done(name, PROGRAM, "train", "config.yml", *few)
        self.assertIn("validation after update 3", trained.stderr)
        self.assertTrue((run / "last" / "weights.safetensors").exists())

    def test_every_task_has_a_recipe(self):
        self.assertEqual(RECIPES, ["answering", "classification", "dialogue", "digits", "graph", "language-model", "masked-language-model",
                                   "picture-questions", "picture-to-text", "series", "speech", "summarisation", "tagging", "translation"])

    def test_every_recipe_runs(self):
        for name in RUNNING:
            with self.subTest(name):
                self.assertTrue((EXAMPLES / name / "README.md").exists())
                self.train(name)

    def test_the_classifier_says_what_it_took_over(self):
        self.train("classification")
        log = (self.folder / "classification/run/train.log").read_text()
        self.assertRegex(log, r"starting from \S+; new: pool\.weight, pool\.bias, classes\.weight, "
                              r"classes\.bias; not used: mask\.")

    def test_data_is_the_same_every_time(self):
        for name in RUNNING:
            self.train(name)
            read = lambda: {path.name: path.read_bytes() for path in (self.folder / name / "data").rglob("*") if path.is_file()}
            before = read()
            self.done(name, sys.executable, "make_data.py", *FEW.get(name, []))
            self.assertEqual(read(), before, name)

    def test_every_model_of_the_guide_is_accepted_as_it_stands(self):
        guide = (EXAMPLES.parent / "docs/guide/models.md").read_text()
        models = re.findall(r"(?ms)^```yaml\n(.*?)^```", guide)
        self.assertGreater(len(models), 8)
        for number, model in enumerate(models):
            config = self.folder / f"model-{number}.yml"
            config.write_text(f"{model}\nmodel: none\ntrain_sets: [none, none]\nafter: 1u\n")
            self.done(".", PROGRAM, "train", config, "--dump-config")


if __name__ == "__main__":
    unittest.main()
