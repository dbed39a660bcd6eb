"""`attune check` as a user sees it. usage: check_test.py ATTUNE"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


class Check(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="attune-check-"))
        self.addCleanup(shutil.rmtree, self.path)
        rng = random.Random(7)
        lines = lambda count: [" ".join(rng.choices("abcdefgh", k=rng.randint(6, 20))) for _ in range(count)]
        for name, count in (("train", 500), ("valid", 20)):
            source = lines(count)
            self.write(f"{name}.src", source)
            self.write(f"{name}.tgt", [line[::-1] for line in source])
        (self.path / "config.yml").write_text(
            "type: rnn\nembedding: 8\nhidden: 8\nmodel: run\nvocab_kind: word\nafter: 5e\ncpu_threads: 1\n"
            "train_sets: [train.src, train.tgt]\nvalid_sets: [valid.src, valid.tgt]\n")

    def write(self, name, lines):
        (self.path / name).write_bytes(b"".join(line.encode("utf-8", "surrogateescape") + b"\n" for line in lines))

    def lines(self, name):
        return (self.path / name).read_text().splitlines()

    def attune(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, cwd=self.path)

    def check(self, *more, seconds="0"):
        before = sorted(self.path.rglob("*"))
        result = self.attune("check", "config.yml", "--seconds", seconds, *more)
        self.assertEqual(sorted(self.path.rglob("*")), before, "it writes nothing")
        return result

    def findings(self, *more, code):
        result = self.check("--json", *more)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(document["can_start"], code == 0)
        return {(f["severity"], f["kind"], f["where"]) for f in document["findings"]}

    def test_sound_data_can_start(self):
        result = self.check(seconds="0.1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for pattern in (r"(?m)^  train\.src +500 lines", r"(?m)^  500 examples, \d",
                        r"run/vocab\.txt: word, 11 tokens \(made in memory",
                        r"(?m)^  size +rnn, [\d,]+ parameters$", r"(?m)^  memory +[\d.]+ MB of ",
                        r"(?m)^  speed +[\d,]+ target tokens a second",
                        r"(?m)^  time +[\d.]+ s for 5e \(an epoch takes [\d.]+ s\)"):
            self.assertRegex(result.stdout, pattern)
        self.assertTrue(result.stdout.endswith("\nTraining can start.\n"), result.stdout)

    def test_everything_that_is_wrong_is_said_at_once(self):
        source, target = self.lines("train.src"), self.lines("train.tgt")
        source[3], source[5], source[8] = "", "caf\udce9", "a " * 300
        del target[250]
        self.write("train.src", source)
        self.write("train.tgt", target)
        self.write("valid.src", [*self.lines("valid.src")[:-1], source[0]])
        self.write("valid.tgt", [*self.lines("valid.tgt")[:-1], target[0]])
        result = self.check()
        self.assertEqual((result.returncode, result.stderr), (2, "attune: check: training cannot start like this\n"))
        for text in ("error    train.src:6: byte 4 is not UTF-8",
                     "error    train.tgt: it has 499 lines, but train.src has 500; judging by the lengths of lines, from about "
                     "line 25",
                     "warning  train.src: 1 of 500 lines are empty and will be left out: line 4",
                     "warning  train.src:9: 1 of 499 examples have more than 256 tokens and will be left out: train.src:9",
                     "warning  valid.src:20: 1 of 20 validation lines (5.0%) are also in the training files: valid.src:20",
                     "Training cannot start: 2 errors, 3 warnings."):
            self.assertIn(text, result.stdout)

    def test_missing_files_are_all_named(self):
        found = self.findings("--train-sets", "no.src", "no.tgt", "train.src", "train.tgt",
                              "--valid-sets", "no.valid", "valid.tgt", code=2)
        self.assertEqual(found, {("error", "unreadable_file", name) for name in ("no.src", "no.tgt", "no.valid")})

    def test_tables_are_checked_too(self):
        self.write("table.tsv", ["a b\tb a", "c", "d\te\tf", "g h\th \udcff"])
        self.write("valid.tsv", ["h g\tg h"])
        found = self.findings("--tsv", "--train-sets", "table.tsv", "--valid-sets", "valid.tsv", code=2)
        self.assertEqual(found, {("error", "columns", "table.tsv:2"), ("error", "invalid_utf8", "table.tsv:4"),
                                 ("warning", "empty_lines", "table.tsv (column 2)")})

    def test_a_vocabulary_that_does_not_know_the_text_is_warned_of(self):
        self.write("other.src", ["x y z"])
        self.attune("vocab", "-t", "other.src", "--kind", "word", "-o", "other.txt")
        self.assertEqual(self.findings("--vocabs", "other.txt", code=0), {("warning", "coverage", "other.txt")})
        self.assertEqual(self.findings("--vocabs", "train.src", "train.tgt", code=2), {("error", "configuration", "")})

    def test_a_run_that_is_there_goes_on_or_is_in_the_way(self):
        self.assertEqual(self.attune("train", "config.yml", "--after", "2u").returncode, 0)
        self.assertEqual(self.findings(code=0), {("note", "run_folder", "run")})
        self.assertEqual(self.findings("--hidden", "9", code=2), {("error", "run_folder", "run")})
        self.assertIn("file", self.check("--model", "train.src").stdout)

    def test_what_it_accepts_trains_and_what_it_refuses_does_not(self):
        self.assertEqual(self.check().returncode, self.attune("train", "config.yml", "--after", "1u").returncode)
        self.write("short.tgt", ["a"])
        for more in (["--train-sets", "train.src", "short.tgt"], ["--valid-sets", "valid.src", "short.tgt"],
                     ["--max-length", "1"], ["--train-weights", "1", "2"], ["--tsv", "--train-sets", "train.src"],
                     ["--type", "rnn_lm", "--tagger", "true", "--train-sets", "train.src", "valid.src"]):
            with self.subTest(more):
                self.assertEqual(self.check(*more).returncode, 2)
                self.assertEqual(self.attune("train", "config.yml", "--model", "new", *more).returncode, 2)

    def test_wrong_configurations_are_refused_as_in_training(self):
        result = self.check("--hiden", "3")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("unknown option '--hiden', did you mean '--hidden'?", result.stderr)


if __name__ == "__main__":
    unittest.main()
