"""Products of 16 bits as a user sees them: `precision` in training, --precision, `quantize --precision bf16`. Where the
CPU has no such instructions, the same products run by plain ones. usage: precision_test.py ATTUNE"""
import pathlib
import unittest

from small_models import ModelTest, lines, run, sentences

WAYS = (["--cpu-threads", "2"], ["--cpu-threads", "3", "--mini-batch-words", "37"], ["--mini-batch-words", "1"])
SHARED = ["--vocab-kind", "word", "--mini-batch-words", "500", "--lr-warmup", "50u", "--precision", "bf16"]
SIZES = {"rnn": ["--type", "rnn", "--embedding", "32", "--hidden", "64", "--learning-rate", "0.01", "--after", "150u"],
         "transformer": ["--type", "transformer", "--d-model", "32", "--heads", "2", "--feed-forward", "64", "--encoder-layers",
                         "1", "--decoder-layers", "1", "--learning-rate", "0.005", "--after", "500u"]}


class Precision(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        forwards = sentences(1, 2000)
        cls.columns = [forwards, [line[::-1] for line in forwards]]
        cls.models = {name: cls.train(name, cls.columns, *SHARED, *size) for name, size in SIZES.items()}
        for name, model in cls.models.items():
            assert run("quantize", "--precision", "bf16", model, cls.folder / f"{name}-bf16").returncode == 0
        cls.texts = sentences(2, 200)

    def right(self, model, *options):
        out = self.done("translate", "-m", model, *options, text=lines(self.texts)).splitlines()
        return sum(line == text[::-1] for line, text in zip(out, self.texts, strict=True))

    def test_models_learn_and_translate(self):
        for name, model in self.models.items():
            exact = self.right(model)
            self.assertGreater(exact, 100, name)
            for other in ([model, "--precision", "bf16"], [model, "--precision", "auto"], [self.folder / f"{name}-bf16"]):
                self.assertGreater(self.right(*other), exact - 10, other)

    def test_rounding_when_a_model_is_loaded_or_made_is_almost_the_same(self):
        for name, model in self.models.items():  # words that are looked up are rounded in the folder only
            loaded, made = (self.done("translate", "-m", *of, text=lines(self.texts)).splitlines()
                            for of in ((model, "--precision", "bf16"), (self.folder / f"{name}-bf16",)))
            self.assertGreater(sum(a == b for a, b in zip(loaded, made, strict=True)), 190)

    def test_batches_order_and_threads_change_nothing(self):
        for name, model in self.models.items():
            for of in ((model, "--precision", "bf16"), (self.folder / f"{name}-bf16",)):
                def written(texts, *options):
                    return self.done("translate", "-m", *of, "--word-scores", "--beam-size", "2", *options,
                                     text=lines(texts)).splitlines()

                expected = written(self.texts, "--cpu-threads", "1")
                for options in WAYS:
                    self.assertEqual(written(self.texts, *options), expected, options)
                self.assertEqual(written(self.texts[::-1])[::-1], expected)

    def test_a_folder_of_bf16_is_half_the_size_and_says_so(self):
        for name, model in self.models.items():
            before, after = ((folder / "weights.safetensors").stat().st_size
                             for folder in (model / "last", self.folder / f"{name}-bf16"))
            self.assertLess(after, 0.6 * before)
            self.assertIn(b'"BF16"', (self.folder / f"{name}-bf16/weights.safetensors").read_bytes()[:4000])
        again = run("quantize", self.folder / "rnn-bf16", self.folder / "again")
        self.assertEqual(again.returncode, 2)
        self.assertIn("already quantised", again.err)
        told = self.done("quantize", "--precision", "bf16", "--verbose", self.models["rnn"], self.folder / "told")
        self.assertIn("what 16 bits change", told)

    def test_a_stopped_run_goes_on_with_the_same_bits(self):
        weights = lambda folder: (pathlib.Path(folder) / "last/weights.safetensors").read_bytes()
        for name, size in SIZES.items():
            whole, half = size[:-1] + ["40u"], size[:-1] + ["17u"]
            once = self.train(f"{name}-once", self.columns, *SHARED, *whole)
            self.train(f"{name}-twice", self.columns, *SHARED, *half)
            twice = self.train(f"{name}-twice", self.columns, *SHARED, *whole)
            self.assertEqual(weights(once), weights(twice), name)
            three = self.train(f"{name}-three", self.columns, *SHARED, *whole, "--cpu-threads", "3")
            self.assertEqual(weights(once), weights(three), name)

    def test_info_says_what_auto_means(self):
        said = [line for line in self.done("info").splitlines() if line.startswith("bf16 ")]
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], r"(AMX|AVX-512 BF16|widened to f32); precision auto is (bf16|f32)$")
        bound = run("info", env={"ATTUNE_BF16": "widen"}).out
        self.assertIn("widened to f32; precision auto is f32", bound)

    def test_an_unknown_precision_is_refused(self):
        for command in (["translate", "-m", self.models["rnn"], "--precision", "f16"],
                        ["train", "--precision", "f16", "--train-sets", "x", "--model", "y"],
                        ["quantize", "--precision", "f32", self.models["rnn"], self.folder / "no"]):
            result = run(*command)
            self.assertEqual(result.returncode, 2, command)
            self.assertIn("bf16", result.err)


if __name__ == "__main__":
    unittest.main()
