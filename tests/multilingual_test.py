"""Multilingual models as their users see them: several directions in one folder. usage: multilingual_test.py ATTUNE"""
import gzip
import json
import pathlib
import random
import subprocess
import tempfile
import unittest

from serve_server import PROGRAM, Server

LETTERS = "abcdefgh"
# What the "languages" are: de is en backwards, fr is en with other letters.
OTHER = str.maketrans(LETTERS, "éèêàçùôî")


def run(*arguments, text=""):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300)


def sentences(seed, count):
    rng = random.Random(seed)
    return [" ".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 7))) for _ in range(count)]


def lines(texts):
    return "".join(f"{text}\n" for text in texts)


def tmx(pairs, languages):
    units = "".join("<tu>" + "".join(f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>' for language, text in zip(languages, pair))
                    + "</tu>\n" for pair in pairs)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header/><body>\n{units}</body></tmx>\n'


class Multilingual(unittest.TestCase):
    DIRECTIONS = ["en-fr", "en-de", "de-en"]
    SMALL = ["--type", "rnn", "--embedding", "32", "--hidden", "64", "--vocab-kind", "word", "--label-smoothing", "0", "--dropout", "0",
             "--learning-rate", "0.01", "--lr-warmup", "50u", "--mini-batch-words", "600", "--tensorboard", "false"]

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        for name, seed, count in (("train", 1, 2000), ("dev", 2, 40)):
            texts = sentences(seed, count)
            for language, of in (("en", texts), ("de", [text[::-1] for text in texts]),
                                 ("fr", [text.translate(OTHER) for text in texts])):
                (cls.folder / f"{name}.{language}").write_text(lines(of))
        cls.model = cls.folder / "model"
        cls.log = cls.train(cls.model, "-t", cls.folder / "train", "--valid-sets", cls.folder / "dev", "--languages", *cls.DIRECTIONS,
                            "--after", "350u", "--valid-freq", "350u", "--valid-metrics", "exact", "perplexity")

    @classmethod
    def train(cls, folder, *options):
        result = run("train", *cls.SMALL, "-m", folder, *options)
        assert result.returncode == 0, result.stderr
        return result.stderr

    def done(self, *arguments, text=""):
        result = run(*arguments, text=text)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return result.stdout

    def refused(self, *arguments, message, text=""):
        result = run(*arguments, text=text)
        self.assertEqual(result.returncode, 2, (arguments, result.stderr))
        self.assertIn(message, result.stderr)

    def test_one_model_translates_into_each_language(self):
        for target, expected in (("fr", "a c e b".translate(OTHER)), ("de", "b e c a")):
            self.assertEqual(self.done("translate", "-m", self.model, "--target-language", target, text="a c e b\n\n"), f"{expected}\n\n")
        pieces = json.loads(self.done("translate", "-m", self.model, "--target-language", "fr", "--json", text="a b\n"))["source_tokens"]
        self.assertEqual(pieces, [">>fr<<", "a", "b", "</s>"])

    def test_the_language_has_to_be_known(self):
        message = f"{self.model}/best-exact: this model translates into fr, de, en; say which, as in --target-language fr"
        for verb in (["translate"], ["score", self.folder / "dev.en", self.folder / "dev.fr"], ["attend", "--source", "a b"],
                     ["align", self.folder / "dev.en", self.folder / "dev.fr"]):
            self.refused(*verb, "-m", self.model, message=message)
        self.refused("translate", "-m", self.model, "--target-language", "it",
                     message="this model does not translate into 'it', only into fr, de, en")

    def test_validation_is_by_direction_and_the_mean_decides(self):
        records = [json.loads(line) for line in (self.model / "metrics.jsonl").read_text().splitlines()]
        of_sets = {record["set"]: record for record in records if record["kind"] == "validation_set"}
        self.assertEqual(list(of_sets), self.DIRECTIONS)
        mean = [record for record in records if record["kind"] == "validation"][-1]
        for metric in ("exact", "perplexity"):
            self.assertAlmostEqual(mean[metric], sum(record[metric] for record in of_sets.values()) / 3, places=4)
        self.assertGreater(mean["exact"], 80)
        for direction in self.DIRECTIONS:
            self.assertIn(f"  {direction}  exact ", self.log)

    def test_scoring_and_attention_read_the_token(self):
        files = [self.folder / "dev.en", self.folder / "dev.fr"]
        right, wrong = (float(self.done("score", "-m", self.model, "--target-language", target, *files, "--summary", "--json")
                              .split('"perplexity":')[1].split(",")[0]) for target in ("fr", "de"))
        self.assertLess(right, 2)
        self.assertGreater(wrong, 2 * right)
        seen = self.done("attend", "-m", self.model, "--target-language", "fr", "a b", "--format", "json")
        self.assertIn('">>fr<<"', seen)
        links = self.done("attend", "-m", self.model, "--target-language", "fr", "--words", "--format", "pharaoh", text="a b c\n")
        self.assertLessEqual({pair.split("-")[0] for pair in links.split()}, {"0", "1", "2"})

    def test_check_takes_directions(self):
        result = run("check", *self.SMALL, "-m", self.folder / "unused", "-t", self.folder / "train", "--languages", *self.DIRECTIONS,
                     "--after", "5u", "--seconds", "0")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_quantised_folder_knows_its_directions(self):
        self.assertEqual(run("quantize", self.model, self.folder / "small").returncode, 0)
        self.refused("translate", "-m", self.folder / "small", message="this model translates into fr, de, en")

    def test_the_files_may_come_in_any_way(self):
        """The same directions from stems, from pairs of files, and from TMX give the same model."""
        folder, texts = self.folder, {language: (self.folder / f"train.{language}").read_text().splitlines() for language in ("en", "de", "fr")}
        (folder / "memory.tmx").write_text(tmx(zip(*texts.values()), texts))
        (folder / "train.fr.gz").write_bytes(gzip.compress((folder / "train.fr").read_bytes()))
        ways = {"stem": ["train"], "files": ["train.de", "train.en", "train.fr.gz"], "tmx": ["memory.tmx"]}
        weights = set()
        for name, files in ways.items():
            self.train(folder / name, "-t", *(folder / file for file in files), "--languages", *self.DIRECTIONS, "--after", "8u")
            weights.add((folder / name / "last/weights.safetensors").read_bytes())
        self.assertEqual(len(weights), 1)

    def test_a_run_resumes_with_the_same_bits(self):
        options = ["-t", self.folder / "train", "--languages", *self.DIRECTIONS]
        self.train(self.folder / "whole", *options, "--after", "12u")
        self.train(self.folder / "parts", *options, "--after", "5u")
        self.train(self.folder / "parts", *options, "--after", "12u")
        self.assertEqual(*((self.folder / name / "last/weights.safetensors").read_bytes() for name in ("whole", "parts")))

    def test_one_target_need_not_be_said(self):
        self.train(self.folder / "into-en", "-t", self.folder / "train", "--languages", "fr-en", "de-en", "--after", "5u")
        self.assertEqual(run("translate", "-m", self.folder / "into-en", text="a b\n").returncode, 0)
        self.train(self.folder / "plain", "-t", self.folder / "train.en", self.folder / "train.de", "--after", "5u")
        self.refused("translate", "-m", self.folder / "plain", "--target-language", "de",
                     message="this model has no choice of target languages, so leave out 'de'")

    def test_what_cannot_be_is_refused(self):
        def train(*options):
            return ["train", *self.SMALL, "-m", self.folder / "no", "--after", "5u", "-t", self.folder / "train", *options]
        self.refused(*train("--languages", "en-fr", "en-it"), message="train_sets: no corpus has both languages of en-it")
        self.refused(*train("--languages", "en-fr", "en-fr"), message="languages: en-fr is given twice")
        self.refused(*train("--languages", "en-fr", "--joint-vocab", "false"), message="one vocabulary for all languages")
        self.refused(*train("--languages", "en-fr", "--columns", "1", "2"), message="columns are found by the names of languages")

    def test_a_comparison_is_into_one_language(self):
        recipe = self.folder / "recipe.yml"
        recipe.write_text(f"""\
folder: {self.folder}/comparison
budget: 5u
target_language: fr
metrics: [chrf]
shared: {{train_sets: [{self.folder}/train], languages: [en-fr, en-de], vocab_kind: word, disp_freq: 1u, tensorboard: false,
          cpu_threads: 1}}
tests: [{{name: dev, source: {self.folder}/dev.en, references: [{self.folder}/dev.fr]}}]
models: [{{name: small, type: rnn, embedding: 8, hidden: 8}}, {{name: smaller, type: rnn, embedding: 8, hidden: 4}}]
""")
        result = run("compare", recipe)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_direction_is_served(self):
        with Server(model=self.model) as server:
            for source, target, text, expected in (("en", "fr", "a c", "é ê"), ("en", "de", "a c", "c a"), ("de", "en", "c a", "a c"),
                                                   ("de", "fr", "c a", "é ê")):  # the last through English
                self.assertEqual(server.translate(text, source=source, target=target), (200, {"translatedText": expected}), (source, target))
            status, _, languages = server.request("GET", "/languages")
            self.assertEqual({one["code"]: one["targets"] for one in json.loads(languages)},
                             {"de": ["en", "fr"], "en": ["de", "fr"], "fr": []})
            models = json.loads(server.request("GET", "/v1/models")[2])["data"]
            self.assertEqual([(one["id"], one["source"], one["target"]) for one in models],
                             [("en-fr", "en", "fr"), ("en-de", "en", "de"), ("de-en", "de", "en")])
            self.assertEqual(server.translate("a", source="fr", target="en")[0], 400)
            found = server.post("/detect", {"q": "Der Turm ist sehr hoch, und das Haus ist klein."})[1]
            self.assertEqual(found[0]["language"], "de")
            self.assertNotIn("fr", [one["language"] for one in found])
            found = server.post("/detect", {"q": "Это предложение на другом языке."})[1]
            self.assertLess(found[0]["confidence"], 10)
        with Server(model=f"en-de={self.model}") as server:
            self.assertEqual(server.translate("a c"), (200, {"translatedText": "c a"}))
            self.assertEqual(len(json.loads(server.request("GET", "/v1/models")[2])["data"]), 1)


if __name__ == "__main__":
    unittest.main()
