"""The Python module: import attune. usage: python_test.py ATTUNE PACKAGE_PARENT MAKE_WHEEL"""
import base64
import hashlib
import inspect
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

PROGRAM, PARENT, MAKE_WHEEL = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
del sys.argv[1:4]
sys.path.insert(0, str(PARENT))

import numpy  # noqa: E402

import attune  # noqa: E402

RNN = {"type": "rnn", "embedding": 16, "hidden": 32, "dropout": 0, "vocab_kind": "word", "learning_rate": 0.01,
       "lr_warmup": "10u", "mini_batch_words": 300}
GPT = {"type": "gpt", "layers": 1, "d_model": 16, "heads": 2, "feed_forward": 16, "vocab_kind": "word"}
BERT = GPT | {"type": "bert"}


def reversed_pairs(count):
    """Lines of letters and the same backwards; some are Chinese."""
    signs = "a b c d 我 爱 你".split()
    lines = [[signs[(i * i + 3 * j * i + j) % len(signs)] for j in range(1 + i % 5)] for i in range(count)]
    return [" ".join(line) for line in lines], [" ".join(reversed(line)) for line in lines]


class PythonModule(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-python-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.chdir(cls.folder)
        sources, targets = reversed_pairs(300)
        for name, lines in {"a": sources, "b": targets}.items():
            pathlib.Path(f"train.{name}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        cls.seen, cls.validations = [], []
        cls.run_ = attune.train(RNN, train_sets=["train.a", pathlib.Path("train.b")], valid_sets=["train.a", "train.b"],
                                model="run", after="200u", valid_freq="100u", on_progress=cls.seen.append,
                                on_validation=cls.validations.append)
        cls.model = attune.Model(pathlib.Path("run"))
        attune.train(GPT, train_sets=["train.a"], model="gpt", after="3u", on_progress=lambda progress: None)
        attune.train(BERT, train_sets=["train.a"], model="bert", after="3u", on_progress=lambda progress: None)

    def test_training_tells_how_it_goes(self):
        self.assertEqual(self.run_.progress.updates, 200)
        self.assertEqual([v.progress.updates for v in self.validations], [100, 200])
        self.assertIn("bleu", self.run_.scores)
        self.assertEqual(len(self.validations[0].samples[0]), 3)
        self.assertTrue(self.seen)
        self.assertTrue(all(0 < one.share <= 1 and one.loss > 0 for one in self.seen))
        self.assertEqual(self.run_.model().path, self.model.path)

    def test_texts_are_what_the_command_line_gives(self):
        sources = reversed_pairs(300)[0]
        result = subprocess.run([PROGRAM, "translate", "-m", "run", "-b", "3"], input="\n".join(sources) + "\n", text=True,
                                encoding="utf-8", capture_output=True, check=True)
        self.assertEqual(self.model.translate(sources, beam_size=3), result.stdout.splitlines())
        self.assertEqual(self.model.translate(sources[7], beam_size=3), result.stdout.splitlines()[7])
        self.assertEqual(self.model.translate([]), [])

    def test_outputs_have_scores_tokens_and_alignments(self):
        one, two = self.model.outputs(["a b 我"], n_best=2, alignment=True, beam_size=4)[0]
        self.assertEqual(one.text, str(one))
        self.assertGreaterEqual(one.normalised, two.normalised)
        self.assertAlmostEqual(sum(one.word_scores), one.score, places=5)
        self.assertEqual(len(one.alignment[0]), len(self.model.source_tokens("a b 我")))
        self.assertEqual([output.text for output in self.model.translate("a b 我", n_best=2, beam_size=4)], [one.text, two.text])
        self.assertAlmostEqual(self.model.score(["a b 我"], [one.text])[0].log_p, one.score, places=3)

    def test_streams_give_the_text_in_parts_and_may_be_left(self):
        text = self.model.translate("a b c d", beam_size=1)
        self.assertEqual("".join(self.model.stream("a b c d")), text)
        for part in self.model.stream("a b c d"):
            self.assertTrue(text.startswith(part))
            break

    def test_ensembles_and_options_are_those_of_the_command_line(self):
        two = attune.Model(["run", "run"], weights=[1, 3])
        self.assertEqual(two.translate("a b"), self.model.translate("a b"))
        self.assertEqual(self.model.translate("a b c", sampling=True, seed=3), self.model.translate("a b c", sampling=True, seed=3))

    def test_mistakes_are_answered_with_the_sentences_of_the_command_line(self):
        for call, text in ((lambda: attune.Model("nowhere"), "nowhere: there is no such model folder"),
                           (lambda: self.model.translate("a", beam_sise=3), "unknown key 'beam_sise', did you mean 'beam_size'?"),
                           (lambda: self.model.translate("a", beam_size=0), "beam_size"),
                           (lambda: self.model.generate("a"), "a language model"),
                           (lambda: attune.train({"modle": "x"}), "did you mean 'model'"),
                           (lambda: attune.train("none.yml"), "none.yml"),
                           (lambda: self.model.score(["a", "b"], ["c"]), "2 sources, but 1 targets"),
                           (lambda: attune.evaluate(["a"], ["a"], metrics="blue"), "bleu")):
            with self.assertRaises(attune.UsageError) as caught:
                call()
            self.assertIn(text, str(caught.exception))
            self.assertIsInstance(caught.exception, ValueError)
            self.assertIsInstance(caught.exception, attune.Error)
        with self.assertRaises(TypeError):
            self.model.outputs("a b")

    def test_language_models_continue_text(self):
        model = attune.Model("gpt")
        output = model.generate("a 我", max_length=5)
        self.assertTrue(output.text.startswith("a 我"))
        self.assertEqual("a 我" + "".join(model.generate_stream("a 我", max_length=5)), output.text)
        self.assertEqual(len(model.generate("a", n_best=3, beam_size=3, max_length=4)), 3)
        self.assertEqual(len(model.score(["a b", "我 爱"])), 2)
        draws = {model.generate("a", temperature=2.0, seed=seed, max_length=6).text for seed in range(1, 9)}
        self.assertGreater(len(draws), 1)

    def test_masked_models_fill(self):
        masks = attune.Model("bert").fill("a [MASK] b [MASK]", top=3)
        self.assertEqual([len(mask) for mask in masks], [3, 3])
        self.assertGreaterEqual(masks[0][0].probability, masks[0][1].probability)
        self.assertIn(masks[0][0].word, masks[0][0].text)

    def asked(self, verb, text, *options):
        """The JSON that the program answers a line with."""
        return json.loads(subprocess.run([PROGRAM, verb, "-m", *options, "--json"], input=text + "\n", text=True, encoding="utf-8",
                                         capture_output=True, check=True).stdout)

    def trained(self, name, columns, **settings):
        files = []
        for i, lines in enumerate(columns):
            files.append(f"{name}.{i}")
            pathlib.Path(files[-1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
        attune.train(BERT, train_sets=files, model=name, on_progress=lambda progress: None, **settings)
        return attune.Model(name)

    def test_texts_get_classes(self):
        texts = ["a b", "我 爱", "c b", "你 爱"] * 20
        model = self.trained("classes", [texts, ["letters", "汉字"] * 40], task="classify", after="100u", learning_rate=0.01,
                             lr_warmup="10u", dropout=0)
        found = model.classify("我 你", top=2)
        expected = self.asked("classify", "我 你", "classes", "--top", "2")
        self.assertEqual([label.label for label in found.labels[0]], [label["label"] for label in expected["labels"]])
        self.assertAlmostEqual(found.labels[0][0].probability, expected["labels"][0]["probability"], places=5)
        self.assertEqual([one.labels[0][0].label for one in model.classify(["a c", "我 你"])], ["letters", "汉字"])

    def test_questions_get_answers(self):
        passages = [f"a {word} b" for word in ("我 你", "c", "你")] * 20
        model = self.trained("answers", [["d"] * 60, passages, ["我 你", "c", "你"] * 20], task="answer", after="30u")
        found, expected = model.answer("d", "a 你 b"), self.asked("answer", "d\ta 你 b", "answers")
        self.assertEqual((found.text, found.begin), (expected["answer"], expected["begin"]))
        self.assertEqual("a 你 b".encode()[found.begin:found.begin + len(found.text.encode())].decode(), found.text)

    def test_samples_get_numbers(self):
        pathlib.Path("series.csv").write_text("".join(f"{i % 5},{i % 3}\n" for i in range(60)))
        pathlib.Path("numbers.before").write_text("".join(f"series.csv:{i}-{i + 6}\n" for i in range(40)))
        pathlib.Path("numbers.after").write_text("".join(f"series.csv:{i + 6}-{i + 12}\n" for i in range(40)))
        attune.train(type="bert", layers=1, d_model=16, heads=2, feed_forward=16, task="predict", source="vectors", model="numbers",
                     train_sets=["numbers.before", "numbers.after"], after="5u", on_progress=lambda progress: None)
        found, = attune.Model("numbers").predict(["series.csv:3-9"])
        self.assertEqual(found.dtype, numpy.float32)
        numpy.testing.assert_allclose(found, self.asked("predict", "series.csv:3-9", "numbers")["rows"], rtol=1e-4)

    def test_vectors_depend_on_the_context(self):
        model = attune.Model("gpt")
        one, two = model.embed(["a b 我", "我 b 我"])
        self.assertEqual(one.vectors.shape, (len(one.tokens), 16))
        self.assertEqual(one.vectors.dtype, numpy.float32)
        self.assertFalse(numpy.allclose(one.vectors[-1], two.vectors[-1]))
        numpy.testing.assert_array_equal(model.embed("a b 我").vectors, one.vectors)
        self.assertEqual(repr(one), "<Embedded '<s> a b 我', 4 vectors of 16>")
        self.assertRaises(attune.UsageError, lambda: model.embed("a", layer=7))

    def test_attention_is_arrays_and_pictures(self):
        seen = self.model.attend("a b 我")
        self.assertEqual(seen.target, self.model.translate("a b 我"))
        weights = seen.layer("cross", -1)
        self.assertEqual(weights.shape, (1, len(seen.output_tokens), len(seen.source_tokens)))
        self.assertEqual(weights.dtype, numpy.float32)
        numpy.testing.assert_allclose(weights.sum(axis=2), 1, atol=1e-5)
        layers = seen.layers
        del seen  # the arrays keep what they need
        numpy.testing.assert_allclose(layers[0].weights.sum(axis=2), 1, atol=1e-5)
        forced = self.model.attend("a b", "b a")
        self.assertEqual(forced.target, "b a")
        self.assertTrue(forced.svg(layer=0, head=0).startswith("<svg"))
        self.assertIn("<iframe", forced._repr_html_())
        forced.save("look.html"), forced.save("look.svg"), forced.save("look.json")
        self.assertIn("我", self.model.attend("我 爱").json())
        self.assertIn("cross_attention", json.loads(pathlib.Path("look.json").read_text(encoding="utf-8")))
        for wrong in (lambda: forced.layer("encoder", 0), lambda: forced.layer("cross", 3), lambda: forced.save("look.png"),
                      lambda: forced.svg(kind="corss")):
            self.assertRaises(attune.UsageError, wrong)

    def test_scores_are_those_of_evaluate(self):
        hypotheses, references = ["the cat sat", "我 爱 你"], ["the cat sat down", "我 爱 他"]
        for name, lines in {"hyp": hypotheses, "ref": references}.items():
            pathlib.Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        shown = json.loads(subprocess.run([PROGRAM, "evaluate", "hyp", "-r", "ref", "-m", "bleu", "chrf", "ter", "--json"],
                                          capture_output=True, text=True, check=True).stdout)
        found = attune.evaluate(hypotheses, references, metrics=["bleu", "chrf", "ter"])
        self.assertEqual([(one.name, one.signature) for one in found], [(one["name"], one["signature"]) for one in shown])
        for one, expected in zip(found, shown):
            self.assertAlmostEqual(one.score, expected["score"], places=9)
        two = attune.evaluate(hypotheses, [references, hypotheses], metrics="chrf")[0]
        self.assertAlmostEqual(two.score, 100)
        self.assertIn("nrefs:2", str(two))
        self.assertIn("chrf", attune.metric_names())

    def test_vocabularies_split_and_join(self):
        words = attune.Vocabulary("run/vocab.txt")
        self.assertEqual(words.decode(words.encode("a 我")), "a 我")
        self.assertIsNone(words.id("none"))
        self.assertEqual(words.piece(words.id("我")), "我")
        learned = attune.Vocabulary.learn(["今天 天气 很 好", "how are you", "how is it"], kind="bpe", size=300)
        learned.save("own.spm")
        again = attune.Vocabulary("own.spm")
        self.assertEqual(again.encode("how 天气"), learned.encode("how 天气"))
        self.assertEqual(again.join(again.pieces("how 天气")), "how 天气")
        self.assertRaises(attune.Error, lambda: again.decode([10**6]))

    def test_quantised_folders_open(self):
        attune.quantize("run", "run8")
        self.assertEqual(attune.Model("run8").translate("a b c"), self.model.translate("a b c"))

    def test_models_go_to_other_toolkits_and_back(self):
        attune.train(type="transformer", d_model=16, heads=2, feed_forward=16, encoder_layers=1, decoder_layers=1,
                     vocab_kind="bpe", vocab_size=300, train_sets=["train.a", "train.b"], model="small", after="3u",
                     on_progress=lambda progress: None)
        self.assertEqual(attune.convert("small", "ct2", to="ctranslate2"), ["ct2"])
        self.assertEqual(attune.convert("ct2", "again"), ["again"])
        self.assertEqual(attune.Model("again").translate("a b", max_length=5), attune.Model("small").translate("a b", max_length=5))
        self.assertRaisesRegex(attune.UsageError, "nowhere", lambda: attune.convert("nowhere", "other"))

    def test_threads_translate_at_once(self):
        sources = reversed_pairs(60)[0]
        expected, found = self.model.translate(sources), {}
        workers = [threading.Thread(target=lambda i=i: found.update({i: self.model.translate(sources)})) for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual([found[i] for i in range(4)], [expected] * 4)

    def test_an_exception_of_a_callback_ends_the_run_which_can_be_continued(self):
        class Enough(Exception):
            pass

        def stop(validation):
            raise Enough

        settings = RNN | {"train_sets": ["train.a", "train.b"], "valid_sets": ["train.a", "train.b"], "model": "broken",
                          "valid_freq": "5u"}
        with self.assertRaises(Enough):
            attune.train(settings, after="10u", on_validation=stop)
        run = attune.train(settings, after="10u", on_progress=lambda progress: None)
        self.assertEqual(run.progress.updates, 10)

    def interrupted(self, code):
        """A Python that gets SIGINT once it has printed a line; what it prints after that."""
        child = subprocess.Popen([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(PARENT)!r})\n{code}"],
                                 stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        return child.communicate(timeout=120)[0], child.returncode

    def test_ctrl_c_ends_training_with_everything_saved(self):
        settings = RNN | {"train_sets": ["train.a", "train.b"], "model": "stopped", "after": "1000000u"}
        told, code = self.interrupted(f"""
import attune
try:
    attune.train({settings!r}, on_progress=lambda progress: print(progress.updates, flush=True))
except KeyboardInterrupt:
    print("interrupted")
""")
        self.assertEqual(code, 0)
        self.assertTrue(told.endswith("interrupted\n"), told)
        self.assertTrue(list(pathlib.Path("stopped/checkpoints").iterdir()))

    def test_ctrl_c_ends_translating(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        told, code = self.interrupted("""
import attune
model = attune.Model("run")
try:
    print("ready", flush=True)
    while True:
        model.translate(["a b c d"] * 1000000, beam_size=8)
except KeyboardInterrupt:
    print("interrupted")
""")
        self.assertEqual((told, code), ("interrupted\n", 0))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 20)  # all of it would take minutes

    def test_comparisons_give_a_report(self):
        pathlib.Path("recipe.yml").write_text("""folder: compared
budget: 3u
shared: {train_sets: [train.a, train.b], valid_sets: [train.a, train.b], vocab_kind: word, mini_batch_words: 200}
tests: [{name: test, source: train.a, references: [train.b]}]
models:
  - {name: GRU, type: rnn, embedding: 8, hidden: 8}
""")
        folder, tables = attune.compare("recipe.yml")
        self.assertIn("GRU", tables)
        self.assertTrue(pathlib.Path(folder, "report.html").exists())
        self.assertRaisesRegex(attune.UsageError, "none.yml", lambda: attune.compare("none.yml"))

    def test_the_wheel_holds_the_package(self):
        wheel = pathlib.Path(subprocess.run([sys.executable, MAKE_WHEEL, PARENT / "attune", attune.__version__, "."],
                                            capture_output=True, text=True, check=True).stdout.strip())
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            for line in archive.read(f"attune-{attune.__version__}.dist-info/RECORD").decode().splitlines():
                name, digest, size = line.split(",")
                if digest:
                    content = archive.read(name)
                    found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, int(size)), (f"sha256={found}", len(content)))
            archive.extractall("installed")
        self.assertLessEqual({"attune/__init__.py", "attune/py.typed", "attune/_attune.pyi"}, names)
        code = "import attune, sys; sys.exit('installed' not in attune.__file__)"
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": "installed"}, check=True)


class Help(unittest.TestCase):
    def undescribed(self, owner, name):
        for part, value in vars(owner).items():
            if not part.startswith("_") and (callable(value) or isinstance(value, property)):
                if not (value.__doc__ or "").strip():
                    yield f"{name}.{part}"
                if inspect.isclass(value) and value.__module__.startswith("attune"):
                    yield from self.undescribed(value, f"{name}.{part}")

    def test_everything_is_described(self):
        self.assertEqual([*self.undescribed(attune, "attune"), *self.undescribed(attune.ops, "attune.ops")], [])


class Tensors(unittest.TestCase):
    def test_memory_is_shared_with_numpy(self):
        for dtype in (numpy.float32, numpy.float64, numpy.int32):
            array = numpy.arange(6, dtype=dtype).reshape(2, 3)
            tensor = attune.tensor(array)
            array[1, 2] = 50
            self.assertEqual(tensor.numpy()[1, 2], 50)
            tensor.numpy()[0, 0] = 7
            self.assertEqual(array[0, 0], 7)
            self.assertEqual((tensor.shape, tensor.numpy().dtype), ((2, 3), dtype))
        self.assertEqual(attune.tensor([[1.0, 2.0]]).dtype, "f32")
        self.assertRaises(ValueError, lambda: attune.tensor(numpy.zeros((1, 1, 1, 1, 1))))

    def test_attention_by_hand(self):
        x = numpy.array([[1.0], [2.0], [3.0]])  # 我 爱 你, with Q = K = V and d = 1
        scores = numpy.exp(x @ x.T)
        expected = scores / scores.sum(axis=1, keepdims=True) @ x
        found = attune.ops.attention(*[attune.tensor(x)] * 3)
        numpy.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)

    def test_gradients_are_those_of_differences(self):
        random = numpy.random.default_rng(1)
        x, w = random.normal(size=(4, 3)), random.normal(size=(2, 3))

        def loss(numbers):
            y = attune.ops.linear(attune.tensor(numbers), attune.tensor(w), activation="tanh")
            return attune.ops.sum(attune.ops.mul(y, y)).item()

        leaf = attune.leaf(x.copy())
        y = attune.ops.linear(leaf, attune.tensor(w), activation="tanh")
        attune.backward(attune.ops.sum(attune.ops.mul(y, y)))
        for i, j in ((0, 0), (3, 2)):
            step = numpy.zeros_like(x)
            step[i, j] = 1e-6
            self.assertAlmostEqual(leaf.gradient.numpy()[i, j], (loss(x + step) - loss(x - step)) / 2e-6, places=6)

    def test_a_small_model_learns(self):
        random = numpy.random.default_rng(1)
        inputs = random.normal(size=(64, 4)).astype(numpy.float32)
        targets = (inputs[:, 0] > inputs[:, 1]).astype(numpy.int32)
        weight = attune.leaf(numpy.zeros((2, 4), dtype=numpy.float32))
        optimiser = attune.Adam([weight], learning_rate=0.1)
        for _ in range(60):
            loss, _, counted, correct = attune.ops.linear_cross_entropy(attune.tensor(inputs), weight, None,
                                                                        attune.tensor(targets))
            attune.backward(loss, 1 / counted)
            optimiser.step()
        self.assertGreater(correct, 60)

    def test_shapes_that_do_not_fit_are_errors(self):
        self.assertRaises(attune.Error, lambda: attune.ops.matmul(attune.tensor(numpy.ones((2, 3))), attune.tensor(numpy.ones((2, 3)))))
        self.assertRaises(ValueError, lambda: attune.ops.activate(attune.tensor([1.0]), "relo"))


if __name__ == "__main__":
    unittest.main()
