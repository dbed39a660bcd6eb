"""Comparing as a user does: `attune compare RECIPE.yml`, interrupted, killed, started again, changed, and given
something broken. usage: compare_test.py ATTUNE"""
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

PROGRAM = os.path.abspath(sys.argv.pop(1))

RECIPE = """\
title: Small ladder
folder: run
budget: 60u
shared:
  train_sets: [train.src, train.tgt]
  valid_sets: [valid.src, valid.tgt]
  vocab_kind: word
  mini_batch_words: 200
  shuffle_window: 100
  valid_freq: 20u
  save_freq: 10u
  lr_warmup: 10u
  cpu_threads: 1
  tensorboard: false
metrics: [bleu, chrf]
tokenize: none
samples: 2
tests:
  - name: test
    source: valid.src
    references: [valid.tgt]
alignments:
  - name: reversed
    source: valid.src
    target: valid.tgt
    gold: valid.gold
models:
  - name: No attention
    about: one vector
    type: rnn
    attention: none
    embedding: 16
    hidden: 16
  - name: Attention
    like: No attention
    attention: additive
  - name: Transformer
    type: transformer
    encoder_layers: 2
    decoder_layers: 2
    d_model: 16
    heads: 2
    feed_forward: 32
"""


class Folder:
    """Words and their reversals, and a recipe that compares three models of them."""

    def __init__(self, recipe=RECIPE):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="attune-compare-"))
        rng = random.Random(7)
        for name, count in (("train", 300), ("valid", 20)):
            lines = [[rng.choice("abcdefgh") for _ in range(rng.randint(2, 8))] for _ in range(count)]
            self.write(f"{name}.src", [" ".join(line) for line in lines])
            self.write(f"{name}.tgt", [" ".join(reversed(line)) for line in lines])
            self.write(f"{name}.gold", [" ".join(f"{i}-{len(line) - 1 - i}" for i in range(len(line))) for line in lines])
        (self.path / "recipe.yml").write_text(recipe)

    def write(self, name, lines):
        (self.path / name).write_text("".join(f"{line}\n" for line in lines))

    def start(self, *more):
        return subprocess.Popen([PROGRAM, "compare", "recipe.yml", *more], cwd=self.path, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def compare(self, *more):
        process = self.start(*more)
        out, err = process.communicate(timeout=600)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def edit(self, old, new):
        text = (self.path / "recipe.yml").read_text()
        assert old in text, old
        (self.path / "recipe.yml").write_text(text.replace(old, new))

    def results(self):
        return json.loads((self.path / "run/results.json").read_text())

    def quality(self):
        """What does not depend on time: scores, outputs, attention, alignments."""
        return [(model["name"], model["tests"],
                 [([one["outputs"] for one in run["decodings"]], run["looks"], run["alignments"], run["outcome"],
                   [curve["values"] for curve in run["training"]["curves"]]) for run in model["runs"]])
                for model in self.results()["models"]]

    def wait_for(self, name):
        end = time.time() + 300
        while not list(self.path.glob(name)):
            assert time.time() < end, f"{name} did not appear"
            time.sleep(0.01)


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.whole = Folder()
        cls.first = cls.whole.compare()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.whole.path)

    def folder(self, recipe=RECIPE):
        folder = Folder(recipe)
        self.addCleanup(shutil.rmtree, folder.path)
        return folder

    def copy(self):
        folder = self.folder()
        shutil.copytree(self.whole.path / "run", folder.path / "run")
        return folder

    def refused(self, folder, *messages):
        result = folder.compare()
        self.assertEqual(result.returncode, 2, result.stderr)
        for message in messages:
            self.assertIn(message, result.stderr)
        self.assertEqual(result.stdout, "")

    def test_one_command_gives_table_report_and_results(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        self.assertIn("| No attention |", self.first.stdout)
        self.assertEqual((self.whole.path / "run/report.md").read_text(), self.first.stdout)
        page = (self.whole.path / "run/report.html").read_text()
        self.assertIn("<title>Small ladder</title>", page)
        self.assertIn("Without attention, the decoder sees one vector", page)
        self.assertIn('<h2><span lang="en">Quality</span><span lang="zh-CN">质量</span></h2>', page)
        english = page.count('<span lang="en"') + page.count('<text lang="en"')
        self.assertEqual(page.count('lang="zh-CN"'), english + 1)  # and the rule that hides one of them
        self.assertIn("[2/3] Attention: training", self.first.stderr)
        for name in ("scores-test", "lengths-test", "bleu-over-updates", "bleu-over-time", "training-speed"):
            xml.etree.ElementTree.parse(self.whole.path / f"run/plots/{name}.svg")
        models = self.whole.results()["models"]
        runs = [model["runs"][0] for model in models]
        self.assertEqual([run["training"]["updates"] for run in runs], [60, 60, 60])
        for run in runs:
            self.assertGreater(run["training"]["peak_memory"], 1 << 20)
            self.assertGreater(run["decodings"][0]["seconds"], 0)
            self.assertEqual(len(run["decodings"][0]["outputs"]), 20)
        ways = [[one["way"].split(":")[0] for one in run["alignments"][0]] for run in runs]
        self.assertEqual(ways, [[], ["attention"], ["best head", "mean of the heads of layer 1"]])

    def test_the_best_model_of_each_run_is_compared_and_named(self):
        for model in self.whole.results()["models"]:
            run = model["runs"][0]
            first = run["training"]["curves"][0]
            best = min(first["values"]) if first["metric"] in ("perplexity", "loss") else max(first["values"])
            self.assertEqual(run["outcome"]["rule"], f"best {first['metric']}")
            self.assertEqual(run["outcome"]["updates"], first["updates"][first["values"].index(best)])
            self.assertIn(60, first["updates"])
            self.assertFalse(run["outcome"]["stopped_early"])
        self.assertIn("| chosen as", self.first.stdout)
        self.assertNotIn("trained for", self.first.stdout)

    def test_a_model_that_stops_early_is_named(self):
        folder = self.folder(RECIPE.replace("    attention: additive", "    attention: additive\n    early_stopping: 1\n"
                                            "    valid_freq: 4u\n    learning_rate: 1e-9"))
        result = folder.compare()
        self.assertEqual(result.returncode, 0, result.stderr)
        run = folder.results()["models"][1]["runs"][0]
        self.assertTrue(run["outcome"]["stopped_early"])
        self.assertLess(run["training"]["updates"], 60)
        self.assertIn("Stopped by early_stopping before the end of the budget: Attention.", result.stdout)
        self.assertIn("trained for", result.stdout)

    def test_several_seeds_give_mean_and_spread_and_keep_what_is_trained(self):
        folder = self.copy()
        folder.edit("budget: 60u", "budget: 60u\nseeds: 2")
        result = folder.compare()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("already trained"), 3)
        self.assertIn("[2/6] No attention, seed 2: training", result.stderr)
        self.assertIn("(sd ", result.stdout)
        self.assertIn("Each model was trained 2 times, with different seeds.", result.stdout)
        for before, model in zip(self.whole.results()["models"], folder.results()["models"]):
            self.assertEqual([run["seed"] for run in model["runs"]], [1, 2])
            self.assertEqual(model["runs"][0]["decodings"], before["runs"][0]["decodings"])
            values = []
            for run in model["runs"]:
                folder.write("out.txt", run["decodings"][0]["outputs"])
                out = subprocess.run([PROGRAM, "evaluate", "out.txt", "-r", "valid.tgt", "--tokenize", "none", "--json"],
                                     cwd=folder.path, capture_output=True, text=True).stdout
                values.append(json.loads(out)[0]["score"])
            score = model["tests"][0]["scores"][0]
            self.assertAlmostEqual(score["value"], statistics.mean(values), places=9)
            self.assertAlmostEqual(score["deviation"], statistics.stdev(values), places=9)
        page = (folder.path / "run/report.html").read_text()
        self.assertIn('class="curve thin"', page)
        self.assertIn("3 models, 60u each, 2 seeds", page)

    def test_unspaced_text_gets_its_tokeniser_and_is_measured_by_characters(self):
        recipe = RECIPE[:RECIPE.index("  - name: Attention")].replace("budget: 60u", "budget: 4u").replace("tokenize: none\n", "")
        recipe = recipe[:recipe.index("alignments:")] + recipe[recipe.index("models:"):]
        folder = self.folder(recipe.replace("vocab_kind: word", "vocab_kind: char"))
        for name in ("train", "valid"):
            for side in ("src", "tgt"):
                text = (folder.path / f"{name}.{side}").read_text().replace(" ", "")
                folder.write(f"{name}.{side}", text.translate(dict(zip(map(ord, "abcdefgh"), "天地玄黄宇宙洪荒"))).split())
        result = folder.compare()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("tok:zh", result.stdout)
        self.assertIn("Source lengths are counted in characters, because the sources have no spaces", result.stdout)
        self.assertIn("valid_tokenize: zh", (folder.path / "run/no-attention/config.yml").read_text())

    def test_validation_uses_the_metrics_of_the_comparison_unless_the_recipe_names_others(self):
        recipe = RECIPE[:RECIPE.index("  - name: Attention")].replace("budget: 60u", "budget: 4u")
        for old, new, names in (("metrics: [bleu, chrf]", "metrics: [ter, exact]", ["ter", "exact", "perplexity"]),
                                ("  valid_freq: 20u", "  valid_freq: 20u\n  valid_metrics: [perplexity, chrf]",
                                 ["perplexity", "chrf"])):
            folder = self.folder(recipe.replace(old, new))
            result = folder.compare()
            self.assertEqual(result.returncode, 0, result.stderr)
            run = folder.results()["models"][0]["runs"][0]
            self.assertEqual([curve["metric"] for curve in run["training"]["curves"]], names)
            self.assertEqual(run["outcome"]["rule"], f"best {names[0]}")

    def test_scores_are_those_of_evaluate(self):
        model = self.whole.results()["models"][2]
        self.whole.write("out.txt", model["runs"][0]["decodings"][0]["outputs"])
        out = subprocess.run([PROGRAM, "evaluate", "out.txt", "-r", "valid.tgt", "--tokenize", "none", "--json"],
                             cwd=self.whole.path, capture_output=True, text=True).stdout
        self.assertAlmostEqual(json.loads(out)[0]["score"], model["tests"][0]["scores"][0]["value"], places=9)

    def test_started_again_it_does_nothing_twice(self):
        folder = self.copy()
        before = (folder.path / "run/results.json").read_text()
        stamps = {path: path.stat().st_mtime_ns for path in folder.path.glob("run/*/last/weights.safetensors")}
        again = folder.compare()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stderr.count("already trained"), 3)
        for step in ("training", "translating", "looking"):
            self.assertNotIn(f": {step}", again.stderr)
        self.assertEqual({path: path.stat().st_mtime_ns for path in stamps}, stamps)
        self.assertEqual((folder.path / "run/results.json").read_text(), before)

    def test_the_report_can_be_made_again_without_models_and_data(self):
        folder = self.copy()
        for path in [*folder.path.glob("*.src"), folder.path / "run/report.html", folder.path / "run/report.md"]:
            path.unlink()
        shutil.rmtree(folder.path / "run/attention")
        again = folder.compare("--report-only")
        self.assertEqual(again.returncode, 0, again.stderr)
        for name in ("run/report.html", "run/report.md"):
            self.assertEqual((folder.path / name).read_text(), (self.whole.path / name).read_text())

    def test_interrupted_and_killed_it_ends_as_if_it_had_not_been(self):
        folder = self.folder()
        process = folder.start()
        folder.wait_for("run/no-attention/checkpoints/update-*20.safetensors")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("run the same command again to continue", err)
        self.assertEqual(out, "")
        self.assertFalse((folder.path / "run/results.json").exists())

        origin = folder.path / "run/no-attention/compare/origin.json"  # as an attune wrote it that did not know a key
        lines = [line for line in json.loads(origin.read_text()) if not line.startswith("clip_norm: ")]
        origin.write_text(json.dumps(lines))
        process = folder.start()
        folder.wait_for("run/attention/checkpoints/update-*20.safetensors")
        process.kill()
        process.communicate(timeout=300)
        last = folder.compare()
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertIn("[1/3] No attention: already trained", last.stderr)
        self.assertEqual(folder.quality(), self.whole.quality())

    def test_a_changed_model_is_refused_and_retrained_when_asked(self):
        folder = self.copy()
        folder.edit("attention: additive", "attention: general")
        self.refused(folder, "recipe.yml:34: 'Attention' was trained with different settings or data", "attention: additive -> general",
                     "--retrain")
        again = folder.compare("--retrain")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stderr.count("already trained"), 2)
        self.assertIn("[2/3] Attention: training", again.stderr)

    def test_changed_data_and_budgets_are_changes_too(self):
        folder = self.copy()
        folder.write("train.src", ["a b"] * 300)
        self.refused(folder, "train.src: ", "'No attention' was trained with different settings or data")
        folder = self.copy()
        folder.edit("budget: 60u", "budget: 80u")
        self.refused(folder, "after: 60u -> 80u")

    def test_another_search_needs_no_training(self):
        folder = self.copy()
        folder.edit("metrics:", "decode:\n  beam_size: 2\nmetrics:")
        again = folder.compare()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stderr.count("already trained"), 3)

    def test_what_is_wrong_with_a_recipe_names_file_and_line(self):
        for old, new, message in (
                ("budget: 60u", "budgte: 60u", "recipe.yml:3: unknown key 'budgte', did you mean 'budget'?"),
                ("budget: 60u", "budget: soon", "budget: 'soon' is not a period"),
                ("    hidden: 16", "    hiden: 16", "recipe.yml:33: unknown key 'hiden', did you mean 'hidden'?"),
                ("    hidden: 16", "    hidden: 0", "recipe.yml:28: hidden: must be positive"),
                ("    hidden: 16", "    after: 9u", "recipe.yml:33: 'after' cannot be set here"),
                ("    heads: 2", "    heads: 3", "recipe.yml:37: heads: d_model 16 is not divisible by 3 heads"),
                ("like: No attention", "like: No atention", "recipe.yml:34: like: no earlier model is named 'No atention', "
                 "did you mean 'No attention'?"),
                ("name: Attention", "name: no-attention", "another model has the same or nearly the same name"),
                ("metrics: [bleu, chrf]", "metrics: [blue]", "metrics: it takes accuracy, answer_exact, answer_f1, bleu"),
                ("tokenize: none", "tokenize: 14a", "tokenize: it takes"),
                ("tokenize: none", "length_unit: letter", "length_unit: it takes auto, word, character"),
                ("budget: 60u", "budget: 60u\nseeds: [3]", "seeds: a list needs at least two"),
                ("budget: 60u", "budget: 60u\nseeds: [1, 2, 1]", "seeds: write how many"),
                ("budget: 60u", "budget: 60u\nseeds: 0", "seeds: must be positive"),
                ("budget: 60u", "budget: 60u\nseeds: some", "seeds: write how many"),
                ("tests:", "test:", "unknown key 'test', did you mean 'tests'?"),
                ("references: [valid.tgt]", "references: [missing.tgt]", "missing.tgt"),
                ("    source: valid.src\n    ref", "    sorce: valid.src\n    ref", "recipe.yml:20: unknown key 'sorce'")):
            with self.subTest(new):
                folder = self.folder(RECIPE.replace(old, new, 1))
                self.refused(folder, message)
                self.assertFalse((folder.path / "run").exists())

    def test_bad_test_sets_are_refused_before_training(self):
        folder = self.folder()
        folder.write("valid.tgt", ["a"] * 19)
        self.refused(folder, "valid.src has 20 lines, but valid.tgt has 19 lines")
        folder = self.folder()
        folder.write("valid.tgt", ["a"] * 10 + [" "] + ["a"] * 9)
        self.refused(folder, "valid.tgt, line 11: the reference is empty")
        folder = self.folder()
        folder.write("valid.gold", ["0-0"] * 5 + ["0+1"] + ["0-0"] * 14)
        self.refused(folder, "valid.gold:6: AER: '0+1' is not a link")
        self.assertFalse((folder.path / "run").exists())

    def test_numbers_that_are_none_are_refused_with_their_line(self):
        folder = self.copy()
        log = folder.path / "run/attention/metrics.jsonl"
        lines = log.read_text().splitlines()
        number = next(i for i, line in enumerate(lines) if '"validation"' in line)
        record = json.loads(lines[number])
        record["bleu"] = "nan"
        lines[number] = json.dumps(record)
        log.write_text("".join(f"{line}\n" for line in lines))
        (folder.path / "run/attention/compare/training.json").unlink()
        for name in ("results.json", "report.md", "report.html"):
            (folder.path / "run" / name).unlink()
        self.refused(folder, f"metrics.jsonl, line {number + 1}: 'bleu' is \"nan\"")
        self.assertFalse((folder.path / "run/results.json").exists())


if __name__ == "__main__":
    unittest.main()
