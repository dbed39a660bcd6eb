"""Small models for the tests of the command line, trained in seconds."""
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
LETTERS = "abcdefgh"


def run(*arguments, text="", **keywords):
    """attune with these arguments; `out` and `err` are what it wrote, as text."""
    data = text if isinstance(text, bytes) else text.encode()
    result = subprocess.run([PROGRAM, *map(str, arguments)], input=data, capture_output=True, timeout=120, **keywords)
    result.out, result.err = result.stdout.decode("utf-8", "replace"), result.stderr.decode()
    return result


def sentences(seed, count):
    rng = random.Random(seed)
    return [" ".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 9))) for _ in range(count)]


def lines(texts):
    return "".join(f"{text}\n" for text in texts)


class ModelTest(unittest.TestCase):
    """Has a folder for the whole class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    @classmethod
    def train(cls, name, columns, *options):
        """A model that learned from columns of lines."""
        files = [cls.folder / f"{name}.{i}" for i in range(len(columns))]
        for file, texts in zip(files, columns):
            file.write_text(lines(texts))
        result = run("train", "--train-sets", *files, "--model", cls.folder / name, "--label-smoothing", "0",
                     "--dropout", "0", *options)
        assert result.returncode == 0, result.err
        return cls.folder / name

    @classmethod
    def train_reversers(cls):
        """Two models that learn to write letters backwards."""
        forwards = sentences(1, 2000)
        columns = [forwards, [line[::-1] for line in forwards]]
        shared = ["--vocab-kind", "word", "--mini-batch-words", "500", "--lr-warmup", "50u", "--vocabs",
                  cls.folder / "vocab.txt"]
        cls.rnn = cls.train("rnn", columns, "--type", "rnn", "--embedding", "32", "--hidden", "64", "--after", "150u",
                            "--learning-rate", "0.01", *shared)
        cls.transformer = cls.train("transformer", columns, "--type", "transformer", "--d-model", "32", "--heads", "2",
                                    "--feed-forward", "64", "--encoder-layers", "1", "--decoder-layers", "1",
                                    "--max-positions", "16", "--after", "60u", *shared)

    def done(self, *arguments, text=""):
        """What a command writes that has nothing to complain about."""
        result = run(*arguments, text=text)
        self.assertEqual((result.returncode, result.err), (0, ""), arguments)
        return result.out

    def refused(self, *arguments, text="", message, lines_before=0):
        """Wrong use or bad input: what came before it is still there."""
        result = run(*arguments, text=text)
        self.assertEqual((result.returncode, len(result.out.splitlines())), (2, lines_before), (arguments, result.err))
        self.assertIn(message, result.err)
