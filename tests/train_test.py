"""Training as a user sees it: `attune train` from files to model folders, and what happens when it is
interrupted, killed, or given something broken. usage: train_test.py ATTUNE"""
import gzip
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1)

BLOCKS = ["--d-model", "16", "--heads", "2", "--feed-forward", "32"]
TYPES = {
    "rnn": ["--embedding", "16", "--hidden", "16"],
    "transformer": ["--encoder-layers", "1", "--decoder-layers", "1", *BLOCKS],
    "gpt": ["--layers", "1", "--text-pairs", "true", *BLOCKS],
    "rnn_lm": ["--embedding", "16", "--hidden", "16"],
    "bert": ["--layers", "1", *BLOCKS],
}
LETTERS = "abcdefgh"


def words(rng):
    return " ".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 8)))


class Folder:
    """Sequences of letters and their reversals, and runs that learn from them."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="attune-train-"))
        rng = random.Random(5)
        for name, count in (("train", 300), ("valid", 20)):
            lines = [words(rng) for _ in range(count)]
            (self.path / f"{name}.src").write_text("".join(f"{line}\n" for line in lines))
            (self.path / f"{name}.tgt").write_text("".join(f"{line[::-1]}\n" for line in lines))
            links = [" ".join(f"{i}-{len(line) // 2 - i}" for i in range(len(line) // 2 + 1)) for line in lines]
            (self.path / f"{name}.links").write_text("".join(f"{line}\n" for line in links))

    def arguments(self, kind, run, *more):
        pairs = kind in ("rnn", "transformer", "gpt")
        files = lambda name: [str(self.path / f"{name}.{side}") for side in (("src", "tgt") if pairs else ("src",))]
        options = ["--type", kind, *TYPES[kind], "--model", str(self.path / run), "--train-sets", *files("train"),
                   "--valid-sets", *files("valid"), "--vocab-kind", "word", "--mini-batch-words", "200",
                   "--shuffle-window", "100", "--after", "60u", "--valid-freq", "20u", "--save-freq", "7u",
                   "--exponential-smoothing", "0.01", "--lr-warmup", "10u", "--cpu-threads", "1", *more]
        merged, flag = {}, ""
        for word in options:
            if word.startswith("--"):
                merged[flag := word] = []
            else:
                merged[flag].append(word)
        return ["train", *(word for flag, values in merged.items() for word in (flag, *values))]

    def start(self, kind, run, *more, **keywords):
        return subprocess.Popen([PROGRAM, *self.arguments(kind, run, *more)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **keywords)

    def train(self, kind, run, *more, **keywords):
        process = self.start(kind, run, *more, **keywords)
        out, err = process.communicate(timeout=600)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def weights(self, run, model="last"):
        return (self.path / run / model / "weights.safetensors").read_bytes()

    def losses(self, run):
        """What the log says of losses and metrics, without times."""
        timed = ("seconds", "tokens_per_second", "memory")
        records = [json.loads(line) for line in (self.path / run / "metrics.jsonl").read_text().splitlines()]
        return [{key: value for key, value in record.items() if key not in timed} for record in records]

    def checkpoints(self, run):
        return sorted((self.path / run / "checkpoints").glob("update-*.safetensors"))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(shutil.rmtree, self.folder.path)

    def done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def wait_for(self, process, condition):
        while not condition():
            if process.poll() is not None:
                self.fail("it has ended: " + process.communicate()[1])
            time.sleep(0.02)


class Training(Case):
    def refused(self, result, message, code=2):
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertIn(message, result.stderr)

    def test_a_run_folder_holds_what_the_conventions_say(self):
        result = self.done(self.folder.train("rnn", "run"))
        run = self.folder.path / "run"
        for name in ("config.yml", "run.json", "metrics.jsonl", "train.log", "vocab.txt", "best-bleu/config.json",
                     "best-bleu/weights.safetensors", "best-bleu/vocab.txt", "best-chrf", "best-perplexity", "last"):
            self.assertTrue((run / name).exists(), name)
        self.assertEqual(len(list(run.glob("events.*"))), 1)
        self.assertEqual([path.name for path in self.folder.checkpoints("run")],
                         ["update-00000056.safetensors", "update-00000060.safetensors"])
        records = self.folder.losses("run")
        self.assertEqual([record["update"] for record in records if record["kind"] == "validation"], [20, 40, 60])
        self.assertIn("finished after 60 updates", result.stderr)
        self.assertIn("finished after 60 updates", (run / "train.log").read_text())
        config = json.loads((run / "last" / "config.json").read_text())
        self.assertEqual((config["format"], config["model"]["type"], config["training"]["updates"]), (2, "rnn", 60))

    def test_the_log_says_which_tokeniser_bleu_has(self):
        folder = self.folder
        chosen = self.done(folder.train("rnn", "spaced", "--after", "2u"))
        self.assertIn("BLEU of validations: tokeniser 13a (valid_tokenize: auto)", chosen.stderr)
        for name in ("train", "valid"):
            lines = (folder.path / f"{name}.tgt").read_text().replace(" ", "")
            (folder.path / f"{name}.tgt").write_text(lines.translate(dict(zip(map(ord, LETTERS), "天地玄黄宇宙洪荒"))))
        chosen = self.done(folder.train("rnn", "chinese", "--after", "2u", "--vocab-kind", "char"))
        self.assertIn("BLEU of validations: tokeniser zh (valid_tokenize: auto)", chosen.stderr)
        given = self.done(folder.train("rnn", "given", "--after", "2u", "--vocab-kind", "char", "--valid-tokenize", "char"))
        self.assertNotIn("BLEU of validations", given.stderr)

    def test_killed_at_random_moments_every_type_ends_with_the_same_weights(self):
        rng, total = random.Random(1), 0
        for kind in TYPES:
            with self.subTest(kind):
                self.done(self.folder.train(kind, f"{kind}-whole"))
                kills = 0
                for _ in range(6):
                    process = self.folder.start(kind, f"{kind}-killed")
                    newest = lambda: [path.name for path in self.folder.checkpoints(f"{kind}-killed")][-1:]
                    seen, changes = newest(), rng.choice((0, 1, 2))  # checkpoints that it may write before it is killed
                    while process.poll() is None and changes > 0:
                        if newest() != seen:
                            seen, changes = newest(), changes - 1
                        time.sleep(0.001)
                    time.sleep(rng.uniform(0, 0.05))
                    kills += process.poll() is None
                    process.kill()
                    process.communicate()
                self.done(self.folder.train(kind, f"{kind}-killed"))
                self.assertEqual(self.folder.weights(f"{kind}-killed"), self.folder.weights(f"{kind}-whole"), kills)
                self.assertEqual(self.folder.losses(f"{kind}-killed"), self.folder.losses(f"{kind}-whole"))
                total += kills
        self.assertGreater(total, 3, "it was hardly ever killed in time")

    def test_the_same_bits_with_accumulation_sampling_and_word_dropout(self):
        options = ["--optimizer-delay", "3", "--scheduled-sampling", "0.3", "--dropout-src", "0.1", "--dropout-trg",
                   "0.1", "--optimizer", "adamw", "--lr-schedule", "cosine"]
        self.done(self.folder.train("transformer", "whole", *options))
        self.done(self.folder.train("transformer", "parts", *options, "--after", "23u", "--lr-end", "60u"))
        self.done(self.folder.train("transformer", "whole2", *options, "--after", "60u", "--lr-end", "60u"))
        self.assertEqual(self.folder.weights("whole"), self.folder.weights("whole2"))
        self.done(self.folder.train("transformer", "parts", *options, "--after", "60u", "--lr-end", "60u"))
        self.assertEqual(self.folder.weights("parts"), self.folder.weights("whole"))

    def test_the_same_bits_with_sampled_subwords(self):
        for kind in ("bpe", "unigram"):
            options = ["--vocab-kind", kind, "--vocab-size", "300", "--subword-sampling", "0.2"]
            self.done(self.folder.train("rnn", f"{kind}-whole", *options))
            self.done(self.folder.train("rnn", f"{kind}-parts", *options, "--after", "23u"))
            self.done(self.folder.train("rnn", f"{kind}-parts", *options))
            self.assertEqual(self.folder.weights(f"{kind}-parts"), self.folder.weights(f"{kind}-whole"))
            self.done(self.folder.train("rnn", f"{kind}-plain", *options[:4]))
            self.assertNotEqual(self.folder.weights(f"{kind}-plain"), self.folder.weights(f"{kind}-whole"))
        for options, message in ((["--guided-alignment", self.folder.path / "train.links"], "text that is always split the same way"),
                                 (["--subword-sampling", "2"], "subword_sampling: must be at least 0 and below 1")):
            self.refused(self.folder.train("rnn", "no", "--subword-sampling", "0.1", *map(str, options)), message)

    def test_a_student_learns_from_its_teacher_with_the_same_bits(self):
        self.done(self.folder.train("rnn", "teacher"))
        options = ["--teacher", str(self.folder.path / "teacher"), "--teacher-weight", "0.7", "--consistency", "0.5"]
        self.done(self.folder.train("transformer", "whole", *options))
        self.done(self.folder.train("transformer", "parts", *options, "--after", "23u"))
        self.done(self.folder.train("transformer", "parts", *options))
        self.assertEqual(self.folder.weights("parts"), self.folder.weights("whole"))
        vocabularies = {(self.folder.path / run / "last/vocab.txt").read_bytes() for run in ("teacher", "whole")}
        self.assertEqual(len(vocabularies), 1)
        self.refused(self.folder.train("gpt", "no", *options), "but this model")

    def test_guided_attention_follows_the_alignment_and_resumes_with_the_same_bits(self):
        links = self.folder.path / "train.links"
        packed = self.folder.path / "links.gz"
        packed.write_bytes(gzip.compress(links.read_bytes()))
        for kind in ("rnn", "transformer"):
            options = ["--guided-alignment-weight", "1", "--disp-freq", "20u", "--guided-alignment"]
            self.done(self.folder.train(kind, f"{kind}-free"))
            result = self.done(self.folder.train(kind, f"{kind}-whole", *options, str(links)))
            losses = [record["alignment_loss"] for record in self.folder.losses(f"{kind}-whole") if record["kind"] == "training"]
            self.assertEqual(losses, sorted(losses, reverse=True))
            self.assertIn(f"  alignment {losses[-1]:.4f}  ", result.stderr)
            self.assertNotEqual(self.folder.weights(f"{kind}-whole"), self.folder.weights(f"{kind}-free"))
            shown = [json.loads((self.folder.path / f"{kind}-{run}/last/config.json").read_text())["decoding"]["attention_head"]
                     for run in ("free", "whole")]
            self.assertEqual(shown, [-1, 0])
            self.done(self.folder.train(kind, f"{kind}-parts", *options, str(packed), "--after", "23u"))
            self.done(self.folder.train(kind, f"{kind}-parts", *options, str(packed)))
            self.assertEqual(self.folder.weights(f"{kind}-parts"), self.folder.weights(f"{kind}-whole"))

    def test_alignments_that_do_not_fit_are_refused_with_file_and_line(self):
        path = self.folder.path
        lines = (path / "train.links").read_text().splitlines()

        def given(line, *more, kind="rnn"):
            (path / "bad.links").write_text("\n".join([*lines[:2], line, *lines[3:]]) + "\n")
            return self.folder.train(kind, "run", "--guided-alignment", str(path / "bad.links"), *more)

        source = (path / "train.src").read_text().splitlines()[2]
        self.refused(given("0-0 1:1"), f"{path}/bad.links:3: '1:1' is not a link: write 3-4")
        self.refused(given("0-0 9-1"), f"{path}/bad.links:3: 9-1 links word 9, but {path}/train.src:3 has "
                                       f"{len(source.split())} words")
        self.refused(given("0-0 1-9"), f"{path}/train.tgt:3 has")
        self.refused(given("\n"), f"{path}/bad.links has 301 lines, but {path}/train.src has 300")
        twice = [str(path / f"train.{side}") for side in ("src", "tgt")] * 2
        self.refused(given("", "--train-sets", *twice), "guided_alignment: it is one file for one corpus, but train_sets names 2 corpora")
        self.refused(given("", "--guided-alignment-weight", "0"), "guided_alignment_weight: must be positive")
        self.refused(given("", "--guided-alignment-cost", "ces"), "'guided_alignment_cost' takes ce, mult, mse")
        for kind, more in (("gpt", []), ("bert", []), ("rnn", ["--attention", "none"])):
            self.refused(given("", *more, kind=kind), f"guided_alignment: a model of type {kind} does not attend to a source")
        self.assertEqual(self.done(given("")).returncode, 0)  # a pair without links is none the worse

    def test_a_signal_saves_and_the_same_command_goes_on(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            run = f"run-{number}"
            process = self.folder.start("rnn", run, "--after", "100000u", "--early-stopping", "0", "--save-freq", "0")
            self.wait_for(process, lambda: (self.folder.path / run / "best-bleu").exists())
            process.send_signal(number)
            _, err = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 130)
            update = int(err.rsplit("stopped after update ", 1)[1].split(";")[0])
            self.assertGreaterEqual(update, 20)
            result = self.done(self.folder.train("rnn", run, "--after", f"{update + 5}u", "--save-freq", "0"))
            self.assertIn(f"resuming after update {update}", result.stderr)
            self.assertIn(f"finished after {update + 5} updates", result.stderr)

    def test_a_changed_configuration_is_refused_unless_it_is_harmless(self):
        self.done(self.folder.train("rnn", "run", "--after", "10u"))
        self.refused(self.folder.train("rnn", "run", "--hidden", "20"), "\n  hidden: 16 -> 20\n")
        self.done(self.folder.train("rnn", "run", "--after", "12u", "--disp-freq", "1u"))
        self.done(self.folder.train("rnn", "run", "--hidden", "20", "--after", "10u", "--overwrite"))

    def test_a_run_from_before_a_key_was_known_goes_on_with_its_default(self):
        self.done(self.folder.train("rnn", "run", "--after", "10u"))
        path = self.folder.path / "run/run.json"
        run = json.loads(path.read_text())
        for younger in ("guided_alignment_weight", "dropout_src"):
            del run["configuration"][younger]
        path.write_text(json.dumps(run))
        self.refused(self.folder.train("rnn", "run", "--dropout-src", "0.2"), "\n  dropout_src: 0 -> 0.2\n")
        self.assertIn("finished after 12 updates", self.done(self.folder.train("rnn", "run", "--after", "12u")).stderr)

    def test_a_second_process_in_the_folder_is_refused(self):
        process = self.folder.start("rnn", "run", "--after", "100000u", "--early-stopping", "0")
        self.wait_for(process, lambda: self.folder.checkpoints("run"))
        self.refused(self.folder.train("rnn", "run"), "another process is training in this folder")
        process.kill()
        process.communicate()

    def test_a_damaged_checkpoint_is_reported_and_the_one_before_is_used(self):
        self.done(self.folder.train("rnn", "whole"))
        self.done(self.folder.train("rnn", "run", "--after", "30u"))
        newest = self.folder.checkpoints("run")[-1]
        content = bytearray(newest.read_bytes())
        content[len(content) // 2] ^= 1
        newest.write_bytes(content)
        result = self.done(self.folder.train("rnn", "run"))
        self.assertIn("update-00000030.safetensors", result.stderr)
        self.assertIn("resuming after update 28", result.stderr)
        self.assertEqual(self.folder.weights("run"), self.folder.weights("whole"))

    def test_only_damaged_checkpoints_are_refused(self):
        self.done(self.folder.train("rnn", "run", "--after", "10u"))
        for path in self.folder.checkpoints("run"):
            path.write_bytes(path.read_bytes()[:1000])
        self.refused(self.folder.train("rnn", "run"), "safetensors")

    def test_a_full_disk_leaves_a_folder_that_loads(self):
        limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                         resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY)))
        self.done(self.folder.train("rnn", "whole"))
        self.done(self.folder.train("rnn", "run", "--after", "10u"))
        result = self.folder.train("rnn", "run", preexec_fn=limit)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("too large", result.stderr)
        self.done(self.folder.train("rnn", "run"))
        self.assertEqual(self.folder.weights("run"), self.folder.weights("whole"))

    def test_updates_that_are_not_finite_are_skipped_and_then_it_gives_up(self):
        result = self.folder.train("rnn", "run", "--learning-rate", "1e38", "--clip-norm", "0", "--lr-warmup", "0",
                                   "--lr-schedule", "constant", "--valid-freq", "0")
        self.refused(result, "Try a lower learning_rate", code=1)
        self.assertIn("was skipped", result.stderr)
        self.assertIn("returning to update 0, with 0.5 times the learning rate", result.stderr)

    def test_fine_tuning_starts_from_a_model_folder_with_its_vocabulary(self):
        self.done(self.folder.train("transformer", "first"))
        model = str(self.folder.path / "first")
        arguments = self.folder.arguments("transformer", "second", "--pretrained-model", model, "--after", "1u",
                                          "--learning-rate", "1e-9")
        del arguments[1:3 + len(TYPES["transformer"])]  # type and sizes are the pretrained model's
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600)
        self.done(result)
        self.assertIn("starting from", result.stderr)
        first, second = (json.loads((self.folder.path / run / "last/config.json").read_text())
                         for run in ("first", "second"))
        self.assertEqual(first["model"], second["model"])
        self.assertEqual((self.folder.path / "second/last/vocab.txt").read_bytes(),
                         (self.folder.path / "first/last/vocab.txt").read_bytes())

    def fine_tune(self, run, model, *more):
        return self.folder.train("rnn", run, "--pretrained-model", str(self.folder.path / model), "--after", "1u", *more)

    def test_fine_tuning_with_other_sizes_is_refused(self):
        self.done(self.folder.train("rnn", "first", "--after", "1u"))
        self.refused(self.fine_tune("second", "first", "--hidden", "20"), "has hidden: 16, not 20; leave it out")
        self.refused(self.fine_tune("third", "nowhere"), "nowhere: there is no such model folder")

    def test_fine_tuning_keeps_two_vocabularies_apart(self):
        self.done(self.folder.train("rnn", "first", "--after", "1u", "--joint-vocab", "false"))
        result = self.done(self.fine_tune("second", "first"))
        self.assertNotIn("new:", result.stderr)
        self.assertTrue((self.folder.path / "second/last/source.txt").exists())

    def test_the_file_and_the_command_line_say_the_same_and_the_latter_wins(self):
        config = self.folder.path / "config.yml"
        config.write_text(f"type: rnn\nmodel: {self.folder.path}/run\nhidden: 8\nmini-batch-words: 77\n"
                          f"train_sets: [{self.folder.path}/train.src, {self.folder.path}/train.tgt]\nafter: 2e\n")
        result = subprocess.run([PROGRAM, "train", config, "--hidden", "12", "--dump-config"], capture_output=True, text=True)
        self.assertIn("\nhidden: 12\n", result.stdout)
        self.assertIn("\nmini_batch_words: 77\n", result.stdout)
        for given, value in ((["--tsv"], "true"), (["--tsv", "false"], "false"), (["--tsv=true"], "true"), ([], "false")):
            self.assertIn(f"\ntsv: {value}\n", subprocess.run([PROGRAM, "train", config, *given, "--dump-config"],
                                                              capture_output=True, text=True).stdout)
        again = self.folder.path / "again.yml"
        again.write_text(result.stdout)
        self.assertEqual(subprocess.run([PROGRAM, "train", "-c", again, "--dump-config"], capture_output=True,
                                        text=True).stdout, result.stdout)

    def test_bad_input_is_refused_with_what_and_where(self):
        path = self.folder.path
        self.refused(self.folder.train("rnn", "run", "--hiden", "3"), "unknown option '--hiden', did you mean '--hidden'?")
        self.refused(self.folder.train("rnn", "run", "--after", "3x"), "after: '3x' is not a period")
        self.refused(self.folder.train("rnn", "run", "--train-sets", f"{path}/none", f"{path}/train.tgt"), f"{path}/none")
        (path / "short.tgt").write_text("a\n")
        self.refused(self.folder.train("rnn", "run", "--train-sets", f"{path}/train.src", f"{path}/short.tgt"), "300")
        (path / "bad.src").write_bytes(b"a b\nc \xff d\n")
        self.refused(self.folder.train("rnn_lm", "run", "--train-sets", f"{path}/bad.src"), "bad.src:2")
        (path / "bad.spm").write_bytes(b"\x0a\xff\xff\xff\xff")
        self.refused(self.folder.train("rnn", "run", "--vocabs", f"{path}/bad.spm"), "bad.spm")
        (path / "bad.yml").write_text("type: rnn\nhiden: 3\n")
        result = subprocess.run([PROGRAM, "train", path / "bad.yml"], capture_output=True, text=True)
        self.refused(result, "bad.yml:2: unknown key 'hiden', did you mean 'hidden'?")


if __name__ == "__main__":
    unittest.main()
