"""The folder of a training run: what it keeps, says, refuses and never removes. usage: runs_test.py ATTUNE"""
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from train_test import PROGRAM, Case  # noqa: E402  (it takes the program from the command line)

SECONDS = 600  # until what should have ended counts as hanging


def tensors(path):
    """Shapes by name of a safetensors file."""
    data = path.read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    return {name: info["shape"] for name, info in header.items() if name != "__metadata__"}


class Runs(Case):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder.path / "run"

    def refused(self, result, message, code=2):
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertIn(message, result.stderr)
        return result

    def train(self, *more, kind="rnn", run="run", **keywords):
        return self.folder.train(kind, run, *more, **keywords)

    def files(self):
        return {path: path.read_bytes() for path in self.run_folder.rglob("*") if path.is_file() and path.name != ".lock"}

    def attune(self, *arguments, **keywords):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=SECONDS, **keywords)


class Checkpoints(Runs):
    def test_hold_every_parameter_and_its_moments_by_name(self):
        self.done(self.train("--after", "1u"))
        model = tensors(self.run_folder / "last/weights.safetensors")
        kinds = ("values", "first_moment", "second_moment", "average")
        self.assertEqual(tensors(self.folder.checkpoints("run")[-1]),
                         {f"{kind}/{name}": shape for kind in kinds for name, shape in model.items()})

    def test_of_another_model_are_refused_with_what_differs_and_what_to_do(self):
        self.done(self.train("--after", "1u"))
        for name in ("run.json", "config.yml"):  # somebody made the configuration fit by hand
            path = self.run_folder / name
            if path.exists():
                path.write_text(path.read_text().replace('"hidden": 16', '"hidden": 20').replace("\nhidden: 16", "\nhidden: 20"))
        result = self.refused(self.train("--hidden", "20"), "this checkpoint belongs to a different model")
        self.assertNotIn("view_rows", result.stderr)
        self.assertIn("but the model expects [", result.stderr)
        self.assertIn("--overwrite", result.stderr)

    def test_that_are_damaged_are_left_out_of_the_average(self):
        self.done(self.train("--after", "30u", "--keep-checkpoints", "3"))
        damaged = self.run_folder / "checkpoints/update-00000028.safetensors"
        content = bytearray(damaged.read_bytes())
        content[len(content) // 2] ^= 1
        damaged.write_bytes(content)
        result = self.done(self.train("--after", "31u", "--keep-checkpoints", "3", "--average-last", "3"))
        self.assertIn("update-00000028.safetensors", result.stderr)
        self.assertIn("the mean of the last 2 checkpoints", result.stderr)

    def test_for_a_stop_do_not_change_what_is_averaged(self):
        more = ["--after", "120u", "--keep-checkpoints", "3", "--average-last", "3", "--save-freq", "40u"]
        self.done(self.train(*more, run="whole"))
        for seen in ("00000040", "00000080"):
            process = self.folder.start("rnn", "run", *more)
            self.wait_for(process, lambda: any(path.name >= f"update-{seen}" for path in self.folder.checkpoints("run")))
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=SECONDS)
            if process.returncode == 0:
                break
        self.done(self.train(*more))
        for model in ("average", "last"):
            self.assertEqual(self.folder.weights("run", model), self.folder.weights("whole", model))
        self.assertEqual([path.name for path in self.folder.checkpoints("run")],
                         [path.name for path in self.folder.checkpoints("whole")])
        self.assertEqual(self.folder.losses("run"), self.folder.losses("whole"))


class Threads(Runs):
    def test_any_number_of_them_gives_the_same_bits(self):
        large = {"rnn": ["--embedding", "64", "--hidden", "64"], "rnn_lm": ["--embedding", "64", "--hidden", "64", "--cell", "lstm"],
                 "transformer": ["--d-model", "64", "--feed-forward", "128"]}
        for kind, sizes in large.items():
            weights = set()
            for threads in ("1", "2", "3"):
                self.done(self.train(*sizes, "--after", "4u", "--mini-batch-words", "1500", "--shuffle-window", "1000",
                                     "--cpu-threads", threads, kind=kind, run=f"{kind}-{threads}"))
                weights.add(self.folder.weights(f"{kind}-{threads}"))
            self.assertEqual(len(weights), 1, kind)


class Saying(Runs):
    def test_the_run_says_which_of_its_models_is_the_best(self):
        for metrics in (["exact", "bleu"], ["perplexity", "bleu"], ["ter", "bleu"]):
            self.done(self.train("--valid-metrics", *metrics, run=metrics[0]))
            run = self.folder.path / metrics[0]
            (run / "best-bleu/config.json").write_text("damaged")
            self.done(self.attune("translate", "-m", run, input="a b c\n"))
            self.assertEqual(json.loads((run / "run.json").read_text())["best"], f"best-{metrics[0]}")

    def test_every_best_model_tells_of_all_metrics_of_its_validation(self):
        self.done(self.train("--after", "20u"))
        for metric in ("bleu", "chrf", "perplexity"):
            summary = json.loads((self.run_folder / f"best-{metric}/config.json").read_text())["training"]
            self.assertEqual([(entry.split()[0], entry.split()[2]) for entry in summary["best"]],
                             [("bleu", "20"), ("chrf", "20"), ("perplexity", "20")])

    def test_an_epoch_ends_with_its_last_batch(self):
        result = self.done(self.train("--after", "3u", "--mini-batch-words", "100000", "--shuffle-window", "1000"))
        self.assertIn("finished after 3 updates, 3 epochs", result.stderr)
        result = self.done(self.train("--after", "2e", run="epochs"))
        self.assertIn(", 2 epochs, ", result.stderr)

    def test_every_record_comes_once(self):
        more = ["--average-last", "2", "--valid-freq", "1e", "--disp-freq", "5u", "--save-freq", "1e"]
        self.done(self.train("--after", "2e", *more))
        self.done(self.train("--after", "2e", *more))
        self.done(self.train("--after", "3e", *more))
        count = collections.Counter((record["kind"], record["update"]) for record in self.folder.losses("run"))
        self.assertEqual(set(count.values()), {1}, count)
        self.assertEqual([kind for kind, _ in count].count("validation"), 3)
        self.assertEqual([kind for kind, _ in count].count("average"), 1)

    def test_a_damaged_record_does_not_cut_what_follows(self):
        self.done(self.train("--after", "30u", "--disp-freq", "5u"))
        log = self.run_folder / "metrics.jsonl"
        lines = log.read_bytes().splitlines()
        lines[1] = lines[1].replace(b'"', b"'", 1)
        log.write_bytes(b"\n".join(lines) + b"\n")
        self.done(self.train("--after", "40u", "--disp-freq", "5u"))
        self.assertEqual(log.read_bytes().splitlines()[:len(lines)], lines)

    def test_a_log_that_cannot_be_written_is_told_with_its_reason(self):
        (self.run_folder / "train.log").mkdir(parents=True)
        result = self.refused(self.train(), "train.log", code=1)
        self.assertIn("Is a directory", result.stderr)


class Overwriting(Runs):
    def test_takes_the_lock_first(self):
        process = self.folder.start("rnn", "run", "--after", "100000u", "--early-stopping", "0", "--save-freq", "0")
        self.wait_for(process, lambda: (self.run_folder / "best-bleu").exists())
        self.refused(self.train("--overwrite"), "another process is training in this folder")
        self.assertTrue((self.run_folder / "best-bleu/config.json").exists())
        self.assertTrue(self.folder.checkpoints("run"))
        process.kill()
        process.communicate()

    def test_removes_nothing_before_all_is_checked(self):
        self.done(self.train("--after", "10u"))
        before = self.files()
        for wrong in (["--train-sets", "none.src", "none.tgt"], ["--valid-sets", "none.src", "none.tgt"],
                      ["--type", "bert", "--attention", "none"], ["--attention", "dot", "--encoder-hidden", "3"]):
            self.assertEqual(self.train(*wrong, "--overwrite").returncode, 2, wrong)
            self.assertEqual(self.files(), before, wrong)

    def test_removes_nothing_that_the_run_did_not_write(self):
        self.run_folder.mkdir()
        own = {"config.yml": "# mine: größer\n", "notes.txt": "日記", "last/notes.txt": "mine", "checkpoints/notes.txt": "mine"}
        for name, text in own.items():
            (self.run_folder / name).parent.mkdir(exist_ok=True)
            (self.run_folder / name).write_text(text)
        own.pop("last/notes.txt")  # a model folder is replaced as a whole
        self.done(self.train("--after", "5u"))
        (self.run_folder / "last/notes.txt").write_text("mine")
        (self.run_folder / "best-mine").mkdir()
        self.done(self.train("--after", "5u", "--overwrite", "--valid-freq", "0"))
        self.assertTrue((self.run_folder / "best-mine").exists())
        for name, text in own.items():
            self.assertEqual((self.run_folder / name).read_text(), text)

    def test_makes_the_vocabulary_anew(self):
        self.done(self.train("--after", "5u", "--vocab-kind", "unigram", "--vocab-size", "275"))
        unigram = (self.run_folder / "vocab.spm").read_bytes()
        self.done(self.train("--after", "5u", "--vocab-kind", "bpe", "--vocab-size", "275", "--overwrite"))
        self.assertNotEqual((self.run_folder / "vocab.spm").read_bytes(), unigram)
        self.done(self.train("--after", "5u", "--overwrite"))
        self.assertFalse((self.run_folder / "vocab.spm").exists())
        for name in ("train.src", "train.tgt"):
            path = self.folder.path / name
            path.write_text(path.read_text().translate(str.maketrans("abcdefgh", "äöüßéжя日")))
        self.done(self.train("--after", "5u", "--overwrite"))
        self.assertIn("日", (self.run_folder / "vocab.txt").read_text())
        given = self.folder.path / "given.txt"
        shutil.copy(self.run_folder / "vocab.txt", given)
        self.done(self.train("--after", "5u", "--overwrite", "--vocabs", str(given)))
        self.done(self.train("--after", "5u", "--overwrite", "--vocabs", str(given)))
        self.assertTrue(given.exists())


class Ending(Runs):
    def test_a_stderr_that_cannot_be_written_does_not_end_a_run(self):
        self.done(self.train(run="whole"))
        arguments = [PROGRAM, *self.folder.arguments("rnn", "full", "--disp-freq", "1u")]
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run(arguments, stderr=full, timeout=SECONDS).returncode, 0)
        arguments = [PROGRAM, *self.folder.arguments("rnn", "closed", "--disp-freq", "1u")]
        self.assertEqual(subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *arguments], timeout=SECONDS).returncode, 0)
        for run in ("full", "closed"):
            self.assertEqual(self.folder.weights(run), self.folder.weights("whole"))
            self.assertIn("finished after 60 updates", (self.folder.path / run / "train.log").read_text())
            self.assertEqual((self.folder.path / run / ".lock").read_bytes(), b"")

    def test_signals_that_would_end_it_save_and_stop(self):
        for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGXCPU, signal.SIGXFSZ):
            run = f"run-{number}"
            process = self.folder.start("rnn", run, "--after", "100000u", "--early-stopping", "0", "--save-freq", "0",
                                        preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in
                                                            (signal.SIGPIPE, signal.SIGXFSZ)])
            self.wait_for(process, lambda: (self.folder.path / run / "best-bleu").exists())
            process.send_signal(number)
            _, err = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 130, (number, err))
            self.assertGreaterEqual(int(self.folder.checkpoints(run)[-1].name[7:15]), 20)

    def test_a_reader_of_stderr_who_leaves_lets_it_save(self):
        process = self.folder.start("rnn", "run", "--after", "100000u", "--early-stopping", "0", "--save-freq", "0",
                                    "--disp-freq", "1u", preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        self.wait_for(process, lambda: (self.run_folder / "best-bleu").exists())
        process.stderr.close()
        self.assertEqual(process.wait(SECONDS), 130)
        self.assertGreaterEqual(int(self.folder.checkpoints("run")[-1].name[7:15]), 20)

    def test_an_error_on_the_way_saves_first_and_its_advice_is_taken(self):
        self.done(self.train(run="whole"))
        lines = (self.folder.path / "train.src").read_bytes().splitlines()
        source = self.folder.path / "bad.src"
        common = ["--train-sets", str(source), str(self.folder.path / "train.tgt"), "--vocabs",
                  str(self.folder.path / "whole/vocab.txt"), "--save-freq", "0", "--shuffle-window", "20"]
        stopped = 0
        for bad in range(0, 300, 60):  # where in the epoch it comes is not known; at the very beginning there is no update
            source.write_bytes(b"\n".join([*lines[:bad], b"a \xff b", *lines[bad + 1:]]) + b"\n")
            run = f"run-{bad}"
            result = self.refused(self.train(*common, run=run), f"bad.src:{bad + 1}")
            update = int(self.folder.checkpoints(run)[-1].name[7:15])
            stopped = max(stopped, update)
            if update > 0:
                self.assertIn(f"update {update} is saved", result.stderr)
            result = self.done(self.train(*common, "--replace-invalid-utf8", run=run))
            self.assertIn(f"resuming after update {update}", result.stderr)
        self.assertGreater(stopped, 0)

    def test_a_lower_learning_rate_is_taken_as_advised(self):
        high = ["--clip-norm", "0", "--lr-warmup", "0", "--lr-schedule", "constant", "--valid-freq", "0"]
        self.refused(self.train("--learning-rate", "1e38", *high), "Try a lower learning_rate", code=1)
        result = self.done(self.train("--learning-rate", "0.001", *high))
        self.assertIn("from now on learning_rate: 1e+38 -> 0.001", result.stderr)
        count = collections.Counter((record["kind"], record["update"]) for record in self.folder.losses("run"))
        self.assertLessEqual(set(count.values()), {1}, count)


class Knowing(Runs):
    def test_a_replaced_vocabulary_is_refused_and_a_changed_corpus_is_said(self):
        self.done(self.train("--after", "10u"))
        vocabulary = self.run_folder / "vocab.txt"
        lines = vocabulary.read_text().splitlines()
        vocabulary.write_text("\n".join([*lines[:-2], lines[-1], lines[-2]]) + "\n")
        self.refused(self.train("--after", "12u"), "this run was started with a different vocabulary")
        vocabulary.write_text("\n".join(lines) + "\n")
        self.assertNotIn("has changed since", self.done(self.train("--after", "12u")).stderr)
        source = self.folder.path / "train.src"
        source.write_text(source.read_text().replace("a b", "b a"))
        result = self.done(self.train("--after", "14u"))
        self.assertIn(f"this file has changed since the run was last started: {source}", result.stderr)
        self.assertEqual(result.stderr.count("has changed since"), 1)
        self.assertNotIn("has changed since", self.done(self.train("--after", "16u")).stderr)

    def test_a_text_that_is_translated_in_parts_is_known_by_its_content(self):
        for seed in ("1", "2"):
            self.done(self.train("--after", "5u", "--seed", seed, run=f"model-{seed}"))
        text, moved = self.folder.path / "text", self.folder.path / "elsewhere"
        text.write_text("a b c\nd e f\n" * 50)
        model = self.folder.path / "model"
        shutil.copytree(self.folder.path / "model-1/last", model)
        parts = lambda source, which: self.attune("translate", "-m", which, "--input", source, "--output",
                                                  self.folder.path / "out", "--part-lines", "30")
        self.done(parts(text, model))
        shutil.move(text, moved)
        shutil.move(model, self.folder.path / "moved")
        self.assertIn("all 4 parts are done", self.done(parts(moved, self.folder.path / "moved")).stderr)
        moved.write_text("a b c\nd e g\n" * 50)
        self.refused(parts(moved, self.folder.path / "moved"), "were made differently")
        moved.write_text("a b c\nd e f\n" * 50)
        shutil.copytree(self.folder.path / "model-2/last", model)
        self.refused(parts(moved, model), "were made differently")


class Refusing(Runs):
    def test_what_is_no_configuration_file_does_not_hang(self):
        fifo = self.folder.path / "fifo"
        os.mkfifo(fifo)
        for path, message in ((fifo, "this is a pipe, and nobody has written to it"), ("/dev/zero", "this is a device, not a file"),
                              (self.folder.path, "this is a folder, not a file")):
            for verb in ("train", "check", "compare"):
                self.refused(self.attune(verb, path), message)
        written = self.folder.path / "config.yml"
        written.write_text("type: rnn\nhidden: 12\nmodel: m\ntrain_sets: [a, b]\nafter: 1u\n")
        result = subprocess.run(["sh", "-c", 'cat "$1" | "$2" train /dev/stdin --dump-config', "sh", written, PROGRAM],
                                capture_output=True, text=True, timeout=SECONDS)
        self.assertIn("\nhidden: 12\n", result.stdout)

    def test_absurd_sizes_are_refused_with_the_key(self):
        for kind, key in (("transformer", "encoder_layers"), ("transformer", "d_model"), ("rnn", "decoder_layers"),
                          ("rnn", "hidden"), ("gpt", "layers"), ("gpt", "max_positions"), ("bert", "layers"),
                          ("bert", "feed_forward"), ("rnn_lm", "embedding"), ("rnn_lm", "layers"), ("rnn", "vocab_size"),
                          ("rnn", "max_length")):
            self.refused(self.train(f"--{key.replace('_', '-')}", "100000000", kind=kind),
                         f"{key}: must be at most")


if __name__ == "__main__":
    unittest.main()
