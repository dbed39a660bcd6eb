"""Several processes as a user sees them: `mpirun attune train` and `mpirun attune translate`, and what becomes of
a job when one of its ranks is killed. usage: mpi_test.py ATTUNE"""
import array
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from train_test import PROGRAM, TYPES, Case  # noqa: E402  (it takes the program from the command line)

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"]
SECONDS = 240  # until what should have ended counts as hanging


def values(path):
    """All numbers of a safetensors file, by name."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    tensors = json.loads(data[8:8 + size])
    tensors.pop("__metadata__", None)
    numbers = lambda begin, end: array.array("f", data[8 + size + begin:8 + size + end])
    return {name: numbers(*tensor["data_offsets"]) for name, tensor in tensors.items() if tensor["dtype"] == "F32"}


def distance(a, b):
    """|a - b| / |b| over all numbers."""
    assert a.keys() == b.keys()
    difference = sum((x - y)**2 for name in a for x, y in zip(a[name], b[name]))
    return (difference / sum(y * y for name in b for y in b[name]))**0.5


def start(count, arguments):
    return subprocess.Popen([*MPIRUN, str(count), PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def ended(process, seconds=SECONDS):
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("it hangs: " + process.communicate()[1])
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def rank_processes(mpirun):
    """The processes of a job by rank, as far as they are there."""
    ranks = {}
    try:
        children = pathlib.Path(f"/proc/{mpirun.pid}/task/{mpirun.pid}/children").read_text().split()
        for child in map(int, children):
            words = pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
            ranks.update((int(word.split(b"=")[1]), child) for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK="))
    except (FileNotFoundError, ProcessLookupError):  # it is just ending
        pass
    return ranks


class Training(Case):
    def train(self, count, kind, run, *more):
        return ended(start(count, self.folder.arguments(kind, run, *more)))

    def checkpoint(self, run):
        return self.folder.checkpoints(run)[-1]

    def test_two_ranks_train_as_one_with_twice_the_batches(self):
        long = ["--after", "100u", "--valid-freq", "50u", "--save-freq", "0", "--disp-freq", "25u"]
        for kind in TYPES:
            with self.subTest(kind):
                result = self.done(self.train(2, kind, f"{kind}-two", *long))
                self.done(self.folder.train(kind, f"{kind}-one", *long, "--optimizer-delay", "2"))
                self.assertIn("2 ranks, 2 batches per update: rank 0, 1 on ", result.stderr)
                self.assertRegex(result.stderr, r"\d+% waiting")
                self.assertEqual(result.stderr.count("finished after 100 updates"), 1)
                two, one = (values(self.folder.path / f"{kind}-{name}" / "last/weights.safetensors")
                            for name in ("two", "one"))
                self.assertLess(distance(two, one), 1e-3)
                for a, b in zip(self.folder.losses(f"{kind}-two"), self.folder.losses(f"{kind}-one")):
                    self.assertEqual([a[key] for key in ("kind", "update")], [b[key] for key in ("kind", "update")])
                    self.assertEqual(a.get("tokens"), b.get("tokens"))  # every sentence once an epoch
                    for key in ("loss", "perplexity", "gradient_norm"):
                        if key in b:
                            self.assertAlmostEqual(a[key] / b[key], 1, delta=2e-3, msg=key)

    def test_killed_at_random_moments_it_ends_at_once_and_the_next_start_goes_on(self):
        rng = random.Random(3)
        more = ["--after", "400u", "--valid-freq", "100u", "--save-freq", "10u", "--disp-freq", "10u"]
        self.done(self.train(2, "rnn", "whole", *more))
        log = self.folder.path / "killed/train.log"
        kills = 0
        for victim in (1, 0, 1, 0):
            former = log.stat().st_size if log.exists() else 0
            process = start(2, self.folder.arguments("rnn", "killed", *more))
            # A line of an update: all ranks know a checkpoint. Of later starts they know it from the beginning.
            known = b"  update " if kills == 0 else b"2 ranks, "
            self.wait_for(process, lambda: log.exists() and known in log.read_bytes()[former:] and
                          len(rank_processes(process)) == 2)
            time.sleep(rng.uniform(0, 0.1))
            pids = rank_processes(process)
            if process.poll() is not None or len(pids) < 2:
                break
            os.kill(pids[victim], signal.SIGKILL)
            result = ended(process)
            self.assertNotEqual(result.returncode, 0)
            if "is gone" not in result.stderr:
                continue  # it was just leaving, or just arriving
            kills += 1
            said = re.search(r"attune: rank (\d) \(.*, process (\d+)\) is gone, so the job ends; the last good checkpoint is "
                             r"(\S+); run the same command again to continue", result.stderr)
            self.assertIsNotNone(said, result.stderr)
            self.assertEqual((int(said[1]), int(said[2])), (victim, pids[victim]))
            self.assertIn(pathlib.Path(said[3]), self.folder.checkpoints("killed"))
        self.assertGreater(kills, 0, "it was never killed in time")
        self.done(self.train(2, "rnn", "killed", *more))
        self.assertEqual(self.folder.weights("killed"), self.folder.weights("whole"))
        self.assertEqual([record["loss"] for record in self.folder.losses("killed") if "loss" in record],
                         [record["loss"] for record in self.folder.losses("whole") if "loss" in record])

    def test_a_run_goes_on_with_another_number_of_ranks(self):
        three = ["--optimizer-delay", "3", "--after", "40u"]
        self.done(self.folder.train("transformer", "whole", *three))
        self.done(self.train(3, "transformer", "run", "--after", "20u"))
        result = self.done(self.folder.train("transformer", "run", *three))
        self.assertIn("finished after update 20", result.stderr)
        self.assertNotIn("an update now has", result.stderr)
        self.assertLess(distance(values(self.checkpoint("run")), values(self.checkpoint("whole"))), 1e-3)
        result = self.done(self.train(2, "transformer", "run"))
        self.assertIn("an update now has 2 batches instead of 3", result.stderr)
        self.assertIn("finished after 60 updates", result.stderr)

    def test_a_sharded_optimiser_gives_the_same_bits(self):
        self.done(self.train(2, "transformer", "whole"))
        self.done(self.train(2, "transformer", "parts", "--shard-optimizer", "--after", "30u"))
        self.done(self.train(2, "transformer", "parts", "--shard-optimizer"))
        whole, parts = (values(self.checkpoint(run)) for run in ("whole", "parts"))
        self.assertEqual(whole, parts)
        self.done(self.folder.train("transformer", "parts", "--after", "70u", "--optimizer-delay", "2"))

    def test_a_signal_to_one_rank_stops_all_and_saves(self):
        for number in (signal.SIGTERM, signal.SIGUSR1):
            process = start(2, self.folder.arguments("rnn", "run", "--after", "100000u"))
            log = self.folder.path / "run/train.log"
            self.wait_for(process, lambda: log.exists() and "validation after" in log.read_text())
            os.kill(rank_processes(process)[1], number)
            result = ended(process)
            self.assertEqual(result.returncode, 130, result.stderr)
            said = re.search(r"stopped after update (\d+); run the same command again to continue", result.stderr)
            self.assertEqual(self.checkpoint("run").name, f"update-{int(said[1]):08}.safetensors")
            shutil.rmtree(self.folder.path / "run")

    def test_what_is_wrong_is_said_once_and_ends_all(self):
        result = self.train(2, "rnn", "run", "--train-sets", "none.src", "none.tgt")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("none.src: there is no such file"), 1, result.stderr)
        result = self.train(2, "rnn", "run", "--learning-rate", "1e38", "--clip-norm", "0", "--lr-warmup", "0",
                            "--lr-schedule", "constant", "--valid-freq", "0")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("Try a lower learning_rate"), 1, result.stderr)


class Translating(Case):
    def setUp(self):
        super().setUp()
        self.done(self.folder.train("rnn", "run", "--after", "30u"))
        rng = random.Random(1)
        text = "".join(" ".join(rng.choice("abcdefgh") for _ in range(rng.randint(1, 30))) + "\n" for _ in range(4100))
        self.input, self.output = self.folder.path / "big.txt.gz", self.folder.path / "out"
        self.input.write_bytes(gzip.compress(text.encode()))
        self.model = ["translate", "-m", self.folder.path / "run"]
        self.arguments = [*self.model, "--input", self.input, "--output", self.output, "--part-lines", "100"]
        self.expected = self.done(subprocess.run([PROGRAM, *self.model], input=text, capture_output=True, text=True)).stdout

    def parts(self):
        return sorted(self.output.glob("part-*.txt"))

    def text(self):
        return "".join(part.read_text() for part in self.parts())

    def test_parts_are_done_by_all_ranks_once_even_if_one_is_killed(self):
        for _ in range(10):  # until it was killed in time
            shutil.rmtree(self.output, ignore_errors=True)
            process = start(2, self.arguments)
            self.wait_for(process, lambda: len(self.parts()) >= 3)
            pids = rank_processes(process)
            if len(pids) == 2:
                os.kill(pids[1], signal.SIGKILL)
            result = ended(process)
            before = {part: part.stat().st_mtime_ns for part in self.parts()}
            if len(before) < 41:
                break
        self.assertIn("attune: rank 1 (", result.stderr)
        self.assertTrue(3 <= len(before) < 41, len(before))
        self.assertTrue(all(part.read_text().count("\n") == 100 for part in before))
        result = self.done(ended(start(2, self.arguments)))
        self.assertEqual(self.text(), self.expected)
        self.assertTrue(all(part.stat().st_mtime_ns == moment for part, moment in before.items()))
        self.assertEqual(result.stderr.count("is written"), 41 - len(before))
        self.assertIn("all 41 parts are done", result.stderr)
        self.assertEqual([path.name for path in self.output.iterdir() if path.name.startswith(".")], [])

    def test_shards_need_no_mpi(self):
        run = lambda *more: subprocess.run([PROGRAM, *map(str, self.arguments), *more], capture_output=True, text=True)
        self.assertIn("20 of 41 parts are still missing", self.done(run("--shard", "1/2")).stderr)
        self.assertIn("all 41 parts are done", self.done(run("--shard", "2/2")).stderr)
        self.assertEqual(self.text(), self.expected)
        for wrong in ("0/2", "3/2", "1", "1/", "a/b"):
            self.assertEqual(run("--shard", wrong).returncode, 2, wrong)
        result = run("--beam-size", "7")
        self.assertEqual(result.returncode, 2)
        self.assertIn("were made differently", result.stderr)
        result = ended(start(2, self.model))
        self.assertEqual(result.returncode, 2)
        self.assertIn("give --input FILE and --output FOLDER", result.stderr)


if __name__ == "__main__":
    unittest.main()
