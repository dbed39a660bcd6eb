"""`attune translate` as a user sees it. usage: translate_test.py ATTUNE"""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
LETTERS = "abcdefgh"


def sentences(seed, count):
    rng = random.Random(seed)
    return [" ".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 9))) for _ in range(count)]


def run(*arguments, text="", **keywords):
    data = text if isinstance(text, bytes) else text.encode()
    result = subprocess.run([PROGRAM, *map(str, arguments)], input=data, capture_output=True, timeout=120, **keywords)
    result.out, result.err = result.stdout.decode("utf-8", "replace"), result.stderr.decode()
    return result


class Translate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Two models that learn to write letters backwards."""
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-translate-"))
        lines = sentences(1, 2000)
        (cls.folder / "src").write_text("".join(f"{line}\n" for line in lines))
        (cls.folder / "tgt").write_text("".join(f"{line[::-1]}\n" for line in lines))
        shared = ["--train-sets", cls.folder / "src", cls.folder / "tgt", "--vocab-kind", "word", "--mini-batch-words",
                  "500", "--lr-warmup", "50u", "--label-smoothing", "0", "--dropout", "0", "--vocabs",
                  cls.folder / "vocab.txt"]
        cls.rnn, cls.transformer = cls.folder / "rnn", cls.folder / "transformer"
        for arguments in (["--type", "rnn", "--embedding", "32", "--hidden", "64", "--after", "150u",
                           "--learning-rate", "0.01", "--model", cls.rnn],
                          ["--type", "transformer", "--d-model", "32", "--heads", "2", "--feed-forward", "64",
                           "--encoder-layers", "1", "--decoder-layers", "1", "--max-positions", "16", "--after", "60u",
                           "--model", cls.transformer]):
            result = run("train", *arguments, *shared)
            assert result.returncode == 0, result.err

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def translated(self, text, *options, model=None):
        result = run("translate", "-m", model or self.rnn, *options, text=text)
        self.assertEqual(result.returncode, 0, result.err)
        return result.out

    def test_lines_keep_their_order_and_blank_lines_stay(self):
        lines = sentences(7, 300)
        lines[5] = lines[17] = lines[-1] = ""
        lines[40] = "  "
        out = self.translated("".join(f"{line}\n" for line in lines)).splitlines()
        self.assertEqual(len(out), 300)
        self.assertEqual([out[i] for i in (5, 17, 40, 299)], ["", "", "  ", ""])
        right = sum(a == b[::-1] for a, b in zip(out, lines))
        self.assertGreater(right, 240)

    def test_batches_threads_and_order_change_nothing(self):
        lines = sentences(8, 200)
        whole = self.translated("\n".join(lines), "--cpu-threads", "1").splitlines()
        self.assertEqual(self.translated("\n".join(lines), "--cpu-threads", "3").splitlines(), whole)
        self.assertEqual(self.translated("\n".join(lines), "--mini-batch-words", "1").splitlines(), whole)
        self.assertEqual(self.translated("\n".join(lines[::-1])).splitlines(), whole[::-1])

    def test_n_best_lists_are_marians(self):
        out = self.translated("a b c\n\nd e\n", "--n-best", "-b", "3", "--word-scores", "--alignment").splitlines()
        self.assertEqual([line.split(" ||| ")[0] for line in out], ["0", "0", "0", "1", "2", "2", "2"])
        parts = out[0].split(" ||| ")
        self.assertEqual(parts[1], "c b a")
        self.assertRegex(parts[2], r"^\d+-\d+( \d+-\d+)*$")
        self.assertRegex(parts[3], r"^WordScores= -?[\d.]+( -?[\d.]+){3}$")
        self.assertRegex(parts[4], r"^F0= -[\d.e-]+$")
        scores = [float(line.split(" ||| ")[-1]) for line in out[:3]]
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_alignments_are_pairs_or_weights(self):
        pairs = self.translated("a b c\n", "--alignment", "hard").strip().split(" ||| ")[1]
        self.assertEqual(len(pairs.split()), 3)
        self.assertEqual(pairs.split(), sorted(pairs.split()))
        soft = self.translated("a b c\n", "--alignment", "soft").strip().split(" ||| ")[1].split()
        self.assertEqual(len(soft), 4)  # and </s>
        for row in soft:
            self.assertAlmostEqual(sum(map(float, row.split(","))), 1, places=4)
        self.assertEqual(self.translated("a b\n", "--alignment", "0").split(" ||| ")[1].split(),
                         ["0-0", "0-1", "1-0", "1-1", "2-0", "2-1"])

    def test_json_has_everything(self):
        record = json.loads(self.translated("a b\n", "--json", "--alignment", "--n-best", "2"))
        self.assertEqual((record["line"], record["source"], len(record["outputs"])), (0, "a b", 2))
        best = record["outputs"][0]
        self.assertEqual((best["text"], best["tokens"], best["ended"]), ("b a", ["b", "a"], True))
        self.assertAlmostEqual(sum(best["word_scores"]), best["score"])
        self.assertEqual(len(best["attention"]), 3)

    def test_ensembles_and_sampling(self):
        both = self.translated("a b c d\n", "-m", self.transformer, "--weights", "0.9", "0.1")
        self.assertEqual(both, "d c b a\n")
        draws = {self.translated("a b c\n", "--sampling", "--temperature", "20", "--seed", seed) for seed in range(5)}
        self.assertGreater(len(draws), 1)
        same = [self.translated("a b c\n" * 3, "--sampling", "--temperature", "20", "--cpu-threads", n) for n in (1, 2)]
        self.assertEqual(same[0], same[1])

    def test_a_long_line_is_cut_with_a_warning(self):
        line = " ".join(sentences(9, 30))
        result = run("translate", "-m", self.transformer, text=line + "\na b\n")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.err, r"^attune: line 1 is longer than the model can read \(16 tokens\): it was cut into \d+ parts\n$")
        self.assertEqual(len(result.out.splitlines()), 2)

    def test_bad_lines_stop_or_are_skipped_or_copied(self):
        text = b"a b\nc \xff d\ne\0f\nb a\n"
        stopped = run("translate", "-m", self.rnn, text=text)
        self.assertEqual(stopped.returncode, 2)
        self.assertIn("line 2: byte 3 is not UTF-8", stopped.err)
        skipped = run("translate", "-m", self.rnn, "--on-error", "skip", text=text)
        self.assertEqual((skipped.returncode, skipped.out.splitlines()[1:3]), (0, ["", ""]))
        self.assertIn("line 3: byte 2 is NUL", skipped.err)
        copied = run("translate", "-m", self.rnn, "--on-error", "copy", text=text)
        self.assertEqual(copied.stdout.split(b"\n")[1:3], [b"c \xff d", b"e\0f"])

    def test_answers_come_as_soon_as_a_line_is_there(self):
        process = subprocess.Popen([PROGRAM, "translate", "-m", self.rnn], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        for line in ("a b", "c d e"):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), line[::-1] + "\n")
        process.stdin.close()
        self.assertEqual(process.wait(timeout=30), 0)
        process.stdout.close()

    def test_a_closed_pipe_ends_it_quietly(self):
        command = f"yes 'a b c' | {PROGRAM} translate -m {self.rnn} | head -n 2"
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.stdout, result.stderr), ("c b a\n" * 2, ""))

    def test_wrong_use_is_refused(self):
        for arguments, message in (([], "--model is required"),
                                   (["-m", self.folder / "none"], "there is no such model folder"),
                                   (["-m", self.rnn, "--beam-size", "0"], "beam_size: it should be positive"),
                                   (["-m", self.rnn, "--beam", "3"], "did you mean"),
                                   (["-m", self.rnn, "--alignment", "medium"], "hard, soft, or a threshold"),
                                   (["-m", self.rnn, "--on-error", "cry"], "--on-error")):
            result = run("translate", *arguments, text="a\n")
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(message, result.err)

    def test_no_input_gives_no_output(self):
        self.assertEqual(self.translated(""), "")


if __name__ == "__main__":
    unittest.main()
