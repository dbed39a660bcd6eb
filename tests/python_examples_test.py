"""The scripts and notebooks of examples/python run, and their types are right.
usage: python_examples_test.py ATTUNE PACKAGE_PARENT EXAMPLES PACKAGE_SOURCE"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PARENT, EXAMPLES, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
del sys.argv[1:5]
ROOT = EXAMPLES.parent.parent


class PythonExamples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-python-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        shutil.copytree(EXAMPLES.parent / "translation", cls.folder / "translation",
                        ignore=shutil.ignore_patterns("data", "run"))
        cls.run_script(cls.folder / "translation/make_data.py")
        (cls.folder / "data").symlink_to("translation/data")
        cls.trained = cls.run_script("train_from_dict.py", "20u")

    @classmethod
    def run_script(cls, name, *arguments):
        result = subprocess.run([sys.executable, EXAMPLES / name, *arguments], cwd=cls.folder, text=True, encoding="utf-8",
                                capture_output=True, env=os.environ | {"PYTHONPATH": str(PARENT), "PYTHONIOENCODING": "utf-8"},
                                check=False)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def test_training(self):
        self.assertIn("the best model is in run/", self.trained)

    def test_translating_a_file(self):
        texts = self.run_script("translate_file.py", "run", "data/valid.en").splitlines()
        self.assertEqual(len(texts), len((self.folder / "data/valid.en").read_text().splitlines()))

    def test_scores(self):
        shown = self.run_script("compare_scores.py", "run", "two hundred", "zweihundert")
        self.assertIn("reference", shown)
        self.assertIn("chrF2|nrefs:1", shown)

    def test_plot(self):
        self.run_script("plot_attention.py", "run", "two hundred", "attention.png")
        self.assertTrue((self.folder / "attention.png").read_bytes().startswith(b"\x89PNG"))

    def test_types(self):
        mypy = shutil.which("mypy")
        self.assertTrue(mypy, "mypy is not installed")
        result = subprocess.run([mypy, "--python-executable", sys.executable, "--ignore-missing-imports", "--cache-dir",
                                 self.folder / "mypy", *sorted(EXAMPLES.glob("*.py")), SOURCE], capture_output=True, text=True,
                                cwd=self.folder, env=os.environ | {"MYPYPATH": str(SOURCE.parent)}, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_guide(self):
        """Its blocks run one after the other, in both languages the same; training is shorter, no browser opens."""
        pages = [ROOT / f"docs/guide/python{ending}" for ending in (".md", ".zh-CN.md")]
        blocks, others = (re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text(encoding="utf-8")) for page in pages)
        self.assertEqual(blocks, others)
        (self.folder / "runs").mkdir()
        (self.folder / "runs/en-de").symlink_to("../run")
        for name in ("train", "dev"):
            for side in ("en", "de"):
                shutil.copy(self.folder / f"data/valid.{side}", self.folder / f"{name}.{side}")
        head = "import webbrowser\nwebbrowser.open = lambda address: None\nlines = ['one hundred', 'two']\n"
        code = head + "\n".join(blocks).replace('"model": "runs/en-de", "time": "30min"', '"model": "runs/new", "time": "2s"')
        (self.folder / "guide.py").write_text(code, encoding="utf-8")
        self.run_script(self.folder / "guide.py")
        self.assertTrue((self.folder / "look.html").exists())

    def test_notebooks(self):
        """From top to bottom by Debian's nbconvert, as a reader would run them; a cell that fails fails the test."""
        home = self.folder / "jupyter"
        environment = os.environ | {"PYTHONPATH": str(PARENT), "UPDATES": "20u", "HOME": str(home), "IPYTHONDIR": str(home),
                                    "JUPYTER_DATA_DIR": str(home), "JUPYTER_RUNTIME_DIR": str(home), "JUPYTER_CONFIG_DIR": str(home)}
        names = ("attention.ipynb", "attention.zh-CN.ipynb")
        for name in names:  # a notebook runs in its own folder
            shutil.copy(EXAMPLES / name, self.folder / f"read-{name}")
        result = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace",
                                 "--ExecutePreprocessor.timeout=300", "--ExecutePreprocessor.startup_timeout=300",
                                 *(f"read-{name}" for name in names)],
                                cwd=self.folder, text=True, capture_output=True, check=False, env=environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in names:
            cells = json.loads((self.folder / f"read-{name}").read_text(encoding="utf-8"))["cells"]
            outputs = [output for cell in cells for output in cell.get("outputs", ())]
            self.assertIn("sums of the rows", "".join("".join(output.get("text", ())) for output in outputs))
            self.assertTrue(any("<iframe" in "".join(output.get("data", {}).get("text/html", ())) for output in outputs), name)


if __name__ == "__main__":
    unittest.main()
