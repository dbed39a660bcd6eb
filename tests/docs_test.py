"""The commands that the documents show run as printed, each page in a fresh folder, in their order; only training is
shorter, and servers have a free port. What a page shows as refused is refused in these words.
usage: docs_test.py ATTUNE"""
import os
import pathlib
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
GOLDEN = ROOT / "tests/golden/marian"
sys.path.insert(0, str(ROOT / "bench"))
import opus_model
PAGES = [f"docs/guide/{name}.md" for name in ("adapt", "align", "align.zh-CN", "attend", "check", "convert", "data", "evaluate", "quantize", "train",
                                              "translate")]

TINY = "--d-model 16 --heads 2 --feed-forward 16 --encoder-layers 1 --decoder-layers 1 --vocab-size 320 --mini-batch-words 300"
TINY_YAML = "{type: rnn, embedding: 16, hidden: 16, model: run, vocab_size: 320, mini_batch_words: 200, after: 3u}"
RECIPE = """folder: compared
budget: 3u
shared: {train_sets: [train.en, train.de], valid_sets: [dev.en, dev.de], vocab_kind: word, mini_batch_words: 200}
tests: [{name: test, source: new.en, references: [reference.de]}]
models:
  - {name: Bahdanau, type: rnn, embedding: 16, hidden: 16}
  - {name: Transformer, type: transformer, d_model: 16, heads: 2, feed_forward: 16, encoder_layers: 1, decoder_layers: 1}
"""
UNIT = '<tu><tuv xml:lang="en-US"><seg>{}</seg></tuv>{}</tu>\n'
FRENCH = '<tuv xml:lang="fr-FR"><seg>{}</seg></tuv>'

NO_ENGINE = "build it with ./run wasm"

# What needs more than a folder: another program, or a cluster.
ELSEWHERE = ["python3 bench/peers/ct2_compare.py", "#SBATCH"]


class Shown:
    """A command of a page, and what the page prints below it."""

    def __init__(self, command):
        self.command, self.output = command, []

    @property
    def refusal(self):
        """As far as it does not depend on sizes."""
        lines = [line for line in self.output if line.startswith("attune: ")]
        return re.sub(r"\d+", "#", lines[0]) if lines else None


def shown(page):
    """The commands of a page: lines of its blocks after `$`; where a block has none, lines that call attune."""
    found = []
    for language, block in re.findall(r"(?ms)^```(\w*)\n(.*?)^```", (ROOT / page).read_text()):
        block = block.replace("\\\n", "")
        prompts, current = "$ " in block[:2] or "\n$ " in block, None
        for line in block.splitlines():
            if prompts and line.startswith("$ cat ") and "$ cat " in line[2:]:
                current = None  # files side by side
            elif prompts and line.startswith("$ ") or not prompts and line.startswith("attune "):
                current = Shown(re.sub(r"\s{2,}#.*", "", line.removeprefix("$ ")))
                found.append(current)
            elif current:
                current.output.append(line)
    return [s for s in found if not any(s.command.startswith(name) for name in ELSEWHERE)]


def columns_shown(page):
    """Files that a page shows side by side: {name: lines}."""
    files = {}
    for block in re.findall(r"(?ms)^```\n(.*?)^```", (ROOT / page).read_text()):
        lines = block.splitlines()
        heads = list(re.finditer(r"\$ cat (\S+)", lines[0]))
        edges = [head.start() for head in heads] + [None]
        for head, start, end in zip(heads, edges, edges[1:]):
            rows = [row for row in lines[1:] if not row.startswith("$")][:4 if len(heads) == 3 else 2]
            files[head[1]] = [row[start:end].strip() for row in rows]
    return files


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def shorter(command):
    """With less training and fewer measurements."""
    command = re.sub(r"--time \S+", "--time 3s", command)
    if re.search(r"attune train ", command) and "--time" not in command:
        command = re.sub(r"--after \S+|--valid-freq \S+", "", command) + " --after 3u --valid-freq 3u"
    if re.search(r"attune check ", command):
        command += " --seconds 0.2"
    return command


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = pathlib.Path(tempfile.mkdtemp(prefix="attune-docs-"))
        cls.addClassCleanup(shutil.rmtree, cls.world)
        cls.environment = os.environ | {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
        ignore = shutil.ignore_patterns("data", "run", "__pycache__")
        shutil.copytree(ROOT / "examples", cls.world / "examples", ignore=ignore)
        cls.make_texts()
        cls.make_models()

    @classmethod
    def make_texts(cls):
        write = lambda name, lines: (cls.world / name).write_text("".join(f"{line}\n" for line in lines))
        subprocess.run([sys.executable, "make_data.py"], cwd=cls.world / "examples/translation", check=True)
        data = cls.world / "examples/translation/data"
        english, german = ((data / f"train.{side}").read_text().splitlines()[:500] for side in ("en", "de"))
        for name, part in {"train": slice(0, 400), "dev": slice(400, 420), "new": slice(420, 440), "test": slice(440, 460)}.items():
            write(f"{name}.en", english[part])
            write("reference.de" if name == "new" else f"{name}.de", german[part])
        spelled = [" ".join(line) for line in german]
        write("train.zh", spelled[:400]), write("test.zh", spelled[440:460]), write("test.gold", ["0-0 1p1"] * 20)
        for name, part in {"multi30k": slice(0, 150), "dev": slice(400, 420)}.items():
            write(f"{name}.en", english[part]), write(f"{name}.de", german[part])
        for name, part in {"tatoeba": slice(150, 300), "talk": slice(420, 440)}.items():
            write(f"{name}.en", english[part]), write(f"{name}.fr", german[part])
        for name, part in {"mine": slice(0, 100), "general": slice(100, 200), "general-dev": slice(200, 220)}.items():
            write(f"{name}.en", english[part]), write(f"{name}.de", german[part])
        write("dev.src", english[:20]), write("dev.links", ["0-0"] * 20), write("dates.txt", ["二〇二六年", "1999"])
        write("train.txt", english + [""] + german), write("valid.txt", english[:40])
        write("a.en", english[:3]), (cls.world / "a.de").write_bytes(b"eins\nzw\xff\ndrei\n")
        units = [UNIT.format(a, "" if i % 99 == 9 else FRENCH.format(b)) for i, (a, b) in enumerate(zip(english, german))]
        units.append(UNIT.format("twice", FRENCH.format("zweimal")) * 2 + UNIT.format("in 1984", FRENCH.format("en 1948")))
        (cls.world / "memory.tmx").write_text('<?xml version="1.0"?><tmx version="1.4"><header/><body>' + "".join(units) +
                                              "</body></tmx>\n")
        write("config.yml", [TINY_YAML]), write("recipe.yml", [RECIPE])

    @classmethod
    def make_models(cls):
        pairs = {"en-de": "train.en train.de", "de-en": "train.de train.en", "big": "train.en train.de"}
        for name, files in pairs.items():
            cls.made(f"attune train -t {files} -m runs/{name} {TINY} --after 5u --valid-sets dev.en dev.de --valid-freq 5u")
        shutil.copytree(cls.world / "runs/en-de/last", cls.world / "transformer-guided")
        cls.made(f"attune train -t train.en train.de -m runs/dates --type rnn --embedding 16 --hidden 16 --vocab-size 320 "
                 "--after 4u --valid-sets dev.en dev.de --valid-freq 2u --attend-sentence seven")
        for name in ("bahdanau", "transformer"):
            shutil.copytree(cls.world / "runs/dates/last", cls.world / "build/demo" / name)
        (cls.world / "marian-en-de").mkdir()
        shutil.copy(GOLDEN / "t_tied_all_relu.npz", cls.world / "marian-en-de/model.npz")
        shutil.copy(GOLDEN / "s_plain.npz", cls.world / "model.npz")
        for name in ("marian-en-de/vocab.yml", "v.en.yml", "v.de.yml"):
            shutil.copy(GOLDEN / "both.yml", cls.world / name)
        cls.made("attune convert runs/en-de marian-mt --to huggingface")
        opus_model.D, opus_model.HIDDEN, opus_model.LAYERS, opus_model.WORDS, opus_model.WAVE = 16, 32, 1, 60, 3
        opus_model.write(cls.world / "opus-mt-en-de")

    @classmethod
    def made(cls, command):
        result = subprocess.run(command, shell=True, cwd=cls.world, env=cls.environment, capture_output=True, text=True)
        assert result.returncode == 0, f"{command}\n{result.stderr}"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-docs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(self.world, self.folder, dirs_exist_ok=True)
        self.place, self.places = self.folder, [self.folder]

    def run_as_printed(self, page, item):
        command = shorter(item.command)
        if change := re.match(r"cd (\S+)( && )?", command):
            self.place = self.folder / change[1]
            command = command[change.end():]
        self.place = self.place_of(re.findall(r"(?:-t|-m|<|^attune convert|^ls) ([\w./-]+)", command))
        if self.place not in self.places:
            self.places.append(self.place)
        if command.startswith("attune serve"):
            return self.serves(command)
        result = subprocess.run(command, shell=True, cwd=self.place, env=self.environment, capture_output=True, timeout=300,
                                executable="/bin/bash")
        errors = result.stderr.decode()
        if command.startswith("attune page") and NO_ENGINE in errors:  # ./run wasm builds the other kind, and tests it
            return self.assertEqual(result.returncode, 2, f"{page}: {command}")
        if item.refusal and "--on-error" not in command:
            self.assertNotEqual(result.returncode, 0, f"{page}: {command}")
            self.assertIn(item.refusal, re.sub(r"\d+", "#", errors), f"{page}: {command}")
        else:
            self.assertEqual(result.returncode, 0, f"{page}: {command}\n{errors}")
        return result.stdout.decode()

    def place_of(self, names):
        """The folder that has these files: a section may have left that of an earlier one."""
        exists = lambda folder, name: (folder / name).exists() or any(folder.glob(name + ".*"))
        having = (place for place in [self.place, *self.places] if all(exists(place, name) for name in names))
        return next(having, self.place)

    def serves(self, command):
        port = free_port()
        process = subprocess.Popen(f"exec {command} --port {port}", shell=True, cwd=self.place, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.terminate)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return port
            self.assertIsNone(process.poll(), command)
            time.sleep(0.1)
        self.fail(f"nothing answers: {command}")

    def test_the_readme(self):
        commands = shown("README.md")
        self.assertGreaterEqual(len(commands), 8)
        for item in commands:
            with self.subTest(item.command):
                self.run_as_printed("README.md", item)

    def test_the_guide(self):
        for page in PAGES:
            commands = shown(page)
            self.assertGreaterEqual(len(commands), 2, page)
            self.setUp()
            if page.endswith("evaluate.md"):
                for name, lines in columns_shown(page).items():
                    (self.folder / name).write_text("".join(f"{line}\n" for line in lines))
            for item in commands:
                with self.subTest(page=page, command=item.command):
                    output = self.run_as_printed(page, item)
                    if page.endswith("evaluate.md"):
                        self.assertEqual(output.splitlines(), item.output)

    def test_the_comparison(self):
        page = "docs/guide/compare.md"
        recipe = self.folder / "examples/ladder/dates.yml"
        change = lambda old, new: recipe.write_text(re.sub(old, new, recipe.read_text(), count=1))
        change("budget: .*", "budget: 2u")
        *commands, refused = shown(page)
        self.assertIn("was trained with different settings", refused.refusal)
        for item in commands:
            self.run_as_printed(page, item)
        self.assertTrue((recipe.parent / "run/dates/report.html").exists())
        change("attention: additive", "attention: concat")
        self.run_as_printed(page, refused)

    def test_a_served_model_answers_as_the_page_says(self):
        serve, ask = shown("docs/serving.md")[:2]
        port = self.run_as_printed("docs/serving.md", serve)
        answer = self.run_as_printed("docs/serving.md", Shown(ask.command.replace("5000", str(port))))
        self.assertRegex(answer, r'^\{"translatedText":".*"\}')

    def test_pages_in_both_languages_show_the_same_commands(self):
        own = {"align"}  # has an example of its own in Chinese, which test_the_guide runs
        guide = sorted({path.stem for path in (ROOT / "docs/guide").glob("*.md") if "." not in path.stem} - own)
        for page in ["README", "examples/README", "docs/serving", "docs/scaling", *(f"docs/guide/{name}" for name in guide)]:
            self.assertEqual([s.command for s in shown(f"{page}.md")], [s.command for s in shown(f"{page}.zh-CN.md")], page)


if __name__ == "__main__":
    unittest.main()
