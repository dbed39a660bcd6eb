"""What a newcomer types first: no sizes, no type, names from other toolkits. usage: first_hour_test.py ATTUNE"""
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())


class FirstHour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-first-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        rng = random.Random(3)
        for name, count in (("train", 400), ("valid", 20)):
            lines = [" ".join(rng.choice("äbcdé月") for _ in range(rng.randint(2, 8))) for _ in range(count)]
            (cls.folder / f"{name}.a").write_text("".join(f"{line}\n" for line in lines))
            (cls.folder / f"{name}.b").write_text("".join(f"{line[::-1]}\n" for line in lines))
        cls.files = ["-t", "train.a", "train.b", "--valid-sets", "valid.a", "valid.b"]

    def attune(self, *arguments, **keywords):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, **keywords)

    def done(self, *arguments, **keywords):
        result = self.attune(*arguments, **keywords)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, message, *arguments):
        result = self.attune(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn(message, result.stderr)

    def test_a_size_is_chosen_said_kept_and_the_run_ends_in_time(self):
        begin = time.monotonic()
        log = self.done("train", *self.files, "-m", "timed", "--time", "4s").stderr
        self.assertLess(time.monotonic() - begin, 60)
        chosen = re.search(r"size (\w+): ([\d,]+) parameters, for 400 lines of about \d+ tokens, \d+ threads? and 4\.0 s", log)
        self.assertTrue(chosen, log)
        self.assertLess(log.index("size "), log.index("making the vocabulary"))
        kept = (self.folder / "timed/config.yml").read_text()
        for line in ("type: transformer", "size: auto", "time: 4s", "after: 4s", "lr_schedule: linear", "vocab_kind: word"):
            self.assertIn(line, kept)
        updates = int(re.search(r"finished after ([\d,]+) updates", log)[1].replace(",", ""))
        self.assertRegex(log, rf"validation after update {updates:,} ")
        self.assertRegex(log, r"best bleu [\d.]+, after update [\d,]+: timed/best-bleu \(what -m timed takes\)")
        again = self.done("train", *self.files, "-m", "timed", "--time", "6s").stderr
        self.assertIn("this run finished after update", again)
        self.assertNotIn("size tiny:", again)
        self.assertEqual(self.done("translate", "-m", "timed", "valid.a").stdout.count("\n"), 20)

    def test_every_type_and_size_trains(self):
        for kind, columns in (("rnn", 2), ("transformer", 2), ("gpt", 2), ("rnn_lm", 1), ("bert", 1)):
            with self.subTest(kind):
                files = ["-t", *("train.a", "train.b")[:columns]]
                self.done("train", "--type", kind, *files, "-m", f"run-{kind}", "--size", "tiny", "--after", "2u")
        dumped = self.done("train", *self.files, "-m", "none", "--size", "big", "--heads", "4", "--dump-config")
        self.assertIn("d_model: 1024", dumped.stdout)
        self.assertIn("\nheads: 4\n", dumped.stdout)
        self.assertIn("size big:", dumped.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_a_run_with_sizes_of_its_own_has_the_documented_defaults(self):
        dumped = self.done("train", *self.files, "-m", "none", "--d-model", "32", "--after", "5u", "--dump-config")
        for line in ("encoder_layers: 6", "learning_rate: 0.001", "lr_schedule: inverse_sqrt"):
            self.assertIn(f"\n{line}\n", dumped.stdout)
        self.assertEqual(dumped.stderr, "")

    def test_a_run_that_is_stopped_early_leaves_a_model(self):
        command = [PROGRAM, "train", *self.files, "-m", "stopped", "--size", "tiny", "--time", "20min"]
        process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not list((self.folder / "stopped").glob("checkpoints/*")):
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        log = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 130, log)
        self.assertIn("it was not validated yet; the model so far: stopped/last", log)
        self.done("translate", "-m", "stopped", "valid.a")

    def test_check_says_what_is_chosen_and_what_cannot_work(self):
        report = self.done("check", *self.files, "-m", "none", "--time", "10min", "--seconds", "0.2")
        self.assertRegex(report.stdout, r"chosen +size \w+: ")
        sizes = re.findall(r"(?m)^  (tiny|small|base|big) +([\d,]+) +([\d,]+) +\S.*?(  \(chosen\))?$", report.stdout)
        self.assertEqual([size[0] for size in sizes], ["tiny", "small", "base", "big"], report.stdout)
        self.assertEqual(sum(bool(size[3]) for size in sizes), 1)
        trap = self.done("check", *self.files, "-m", "none", "--size", "tiny", "--after", "10u", "--lr-schedule",
                         "transformer", "--learning-rate", "0.001", "--seconds", "0")
        self.assertIn("learning_rate is a factor, usually 1 or 2, but it is 0.001", trap.stdout)
        large = json.loads(self.done("check", *self.files, "-m", "none", "--size", "base", "--time", "1s", "--seconds",
                                     "0.2", "--json").stdout)
        self.assertIn("size", {finding["kind"] for finding in large["findings"]})

    def test_names_of_other_toolkits_are_answered(self):
        train = ["train", *self.files, "-m", "none"]
        for option, value, answer in (("--epochs", "5", "write `--after 5e` for five epochs"), ("--batch-size", "64", "`--mini-batch-words`"),
                                      ("--lr", "0.1", "write `--learning-rate`"), ("--gpu", "0", "attune runs on CPUs"),
                                      ("--dim-emb", "512", "`--d-model`")):
            self.refused(f"unknown option '{option}': ", *train, option, value)
            self.refused(answer, *train, option, value)
        self.refused("unknown option '--prompt': it is given without a name", "generate", "-m", "none", "--prompt", "春眠")
        self.refused("write `--max-length`", "generate", "-m", "none", "--max-new-tokens", "9")
        (self.folder / "marian.yml").write_text("dim-emb: 512\nmodel: none\ntrain_sets: [train.a, train.b]\n")
        self.refused("marian.yml:1: unknown key 'dim_emb': write `d_model`", "train", "marian.yml")
        self.refused("Bahdanau's score is called additive", *train, "--type", "rnn", "--attention", "bahdanau")
        self.refused("'hidden' belongs to models of type deep_rnn, rnn, rnn_lm; this one has type transformer", *train, "--hidden", "64")
        self.refused("size: it takes auto, tiny, small, base, big", *train, "--size", "huge")
        self.refused("time: '5e' is not a time", *train, "--time", "5e")

    def test_translate_says_that_it_wrote_nothing(self):
        self.done("train", *self.files, "-m", "empty", "--size", "tiny", "--after", "1u", "--valid-freq", "0")
        result = self.done("translate", "-m", "empty", "valid.a", "--max-length", "1")
        self.assertEqual(result.stdout.strip(), "")
        self.assertIn("20 of 20 lines were translated into nothing", result.stderr)
        both = self.attune("translate", "-m", "empty", "valid.a", "--input", "valid.a", "--output", "parts")
        self.assertEqual(both.returncode, 2)

    def test_json_has_the_source_tokens(self):
        self.done("train", *self.files, "-m", "json", "--size", "tiny", "--after", "1u", "--valid-freq", "0")
        line = json.loads(self.done("translate", "-m", "json", "--json", input="ä 月 c\n").stdout)
        self.assertEqual(line["source_tokens"], ["ä", "月", "c", "</s>"])


if __name__ == "__main__":
    unittest.main()
