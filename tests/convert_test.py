"""`attune convert` as a user sees it. usage: convert_test.py ATTUNE"""
import array
import json
import math
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
D, HEADS, WORDS = 16, 2, 40


def run(*arguments, text=""):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


def sentences(seed, count):
    rng = random.Random(seed)
    return [" ".join(rng.choice("abcdefgh") for _ in range(rng.randint(1, 9))) for _ in range(count)]


def read_ctranslate2(path):
    """Variables {name: (shape, numbers)} and aliases, by the description of the format alone."""
    data = pathlib.Path(path).read_bytes()
    place = 0

    def take(form):
        nonlocal place
        values = struct.unpack_from("<" + form, data, place)
        place += struct.calcsize("<" + form)
        return values if len(values) != 1 else values[0]

    def text():
        length = take("H")
        return take(f"{length}s")[:-1].decode()

    head = take("I"), text(), take("I")
    variables = {}
    for _ in range(take("I")):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        code = "fbhi"[take("B")]
        bytes_ = take("I")
        numbers = array.array(code)
        numbers.frombytes(data[place:place + bytes_])
        place += bytes_
        variables[name] = (shape, list(numbers))
    aliases = {text(): text() for _ in range(take("I"))}
    assert place == len(data)
    return head, variables, aliases


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    length, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        tensors[name] = (about["shape"], list(array.array("f", data[8 + length + begin:8 + length + end])))
    return tensors


class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A transformer with a SentencePiece vocabulary that learns a little of writing letters backwards."""
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-convert-"))
        lines = sentences(1, 1500)
        (cls.folder / "src").write_text("".join(f"{line}\n" for line in lines))
        (cls.folder / "tgt").write_text("".join(f"{line[::-1]}\n" for line in lines))
        made = run("vocab", "-t", cls.folder / "src", cls.folder / "tgt", "--size", WORDS, "--no-byte-fallback", "-o",
                   cls.folder / "vocab.spm")
        assert made.returncode == 0, made.stderr
        cls.model = cls.folder / "model"
        result = run("train", "--type", "transformer", "--d-model", D, "--heads", HEADS, "--feed-forward", 24,
                     "--encoder-layers", 1, "--decoder-layers", 2, "--max-positions", 32, "--after", "40u", "--model",
                     cls.folder / "run", "--train-sets", cls.folder / "src", cls.folder / "tgt", "--vocabs",
                     cls.folder / "vocab.spm", "--mini-batch-words", 500, "--lr-warmup", "20u", "--dropout", 0)
        assert result.returncode == 0, result.stderr
        cls.model = next(path.parent for path in (cls.folder / "run").rglob("weights.safetensors"))
        cls.lines = "".join(f"{line}\n" for line in sentences(2, 50))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def convert(self, *arguments):
        result = run("convert", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def refused(self, *arguments):
        result = run("convert", *arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        return result.stderr

    def exported(self, name, *options):
        out = self.folder / name
        self.convert(self.model, out, "--to", "ctranslate2", *options)
        return out

    def test_a_folder_for_ctranslate2_holds_the_same_numbers(self):
        out = self.exported("ct2")
        names = {path.name for path in out.iterdir()}
        self.assertEqual(names, {"config.json", "model.bin", "shared_vocabulary.json", "source.spm", "target.spm"})
        about = json.loads((out / "config.json").read_text())
        self.assertEqual((about["eos_token"], about["decoder_start_token"], about["add_source_eos"]),
                         ("</s>", "<s>", False))
        head, variables, aliases = read_ctranslate2(out / "model.bin")
        self.assertEqual(head, (6, "TransformerSpec", 7))
        mine = read_safetensors(self.model / "weights.safetensors")
        words = json.loads((out / "shared_vocabulary.json").read_text())
        self.assertEqual(words[:3], ["<unk>", "<s>", "</s>"])
        self.assertEqual([len(words), D], mine["source.weight"][0])
        pairs = {"encoder/embeddings_0/weight": "source.weight", "decoder/projection/bias": "output.bias",
                 "encoder/layer_0/ffn/linear_0/bias": "encoder.layer0.feed_forward.in.bias",
                 "encoder/layer_0/ffn/layer_norm/beta": "encoder.layer0.feed_forward.norm.beta",
                 "decoder/layer_1/self_attention/linear_0/weight": "decoder.layer1.self.qkv.weight",
                 "decoder/layer_0/self_attention/linear_1/weight": "decoder.layer0.self.out.weight",
                 "decoder/layer_0/attention/linear_0/weight": "decoder.layer0.cross.q.weight",
                 "decoder/layer_0/attention/linear_1/weight": "decoder.layer0.cross.kv.weight",
                 "decoder/layer_1/attention/linear_2/bias": "decoder.layer1.cross.out.bias",
                 "decoder/layer_1/ffn/linear_1/weight": "decoder.layer1.feed_forward.out.weight"}
        for theirs, name in pairs.items():
            self.assertEqual(variables[theirs], mine[name], name)
        matrices = {name for name, (shape, _) in variables.items() if shape and "encodings" not in name}
        self.assertEqual(len(matrices), len(mine))
        self.assertEqual(aliases, {"decoder/embeddings/weight": "encoder/embeddings_0/weight",
                                   "decoder/projection/weight": "encoder/embeddings_0/weight"})
        shape, table = variables["decoder/position_encodings/encodings"]
        self.assertEqual(shape, [32, D])
        self.assertAlmostEqual(table[5 * D + 6], math.sin(5 / 10000 ** (6 / D)), places=6)
        self.assertAlmostEqual(table[5 * D + 7], math.cos(5 / 10000 ** (6 / D)), places=6)
        settings = {name: numbers[0] for name, (shape, numbers) in variables.items() if not shape}
        self.assertEqual((settings["encoder/num_heads"], settings["decoder/pre_norm"], settings["decoder/activation"]),
                         (HEADS, 0, 0))

    def test_int8_has_a_scale_a_row(self):
        _, variables, _ = read_ctranslate2(self.exported("int8", "--precision", "int8") / "model.bin")
        mine = read_safetensors(self.model / "weights.safetensors")
        name = "decoder/layer_0/attention/linear_1/weight"
        (rows, columns), numbers = variables[name]
        scales = variables[name + "_scale"][1]
        self.assertEqual(len(scales), rows)
        for r in range(rows):
            row = numbers[r * columns:(r + 1) * columns]
            self.assertEqual(max(map(abs, row)), 127)
            for q, x in zip(row, mine["decoder.layer0.cross.kv.weight"][1][r * columns:]):
                self.assertLess(abs(q / scales[r] - x), 0.51 / scales[r])

    def test_what_comes_back_translates_alike(self):
        back = self.folder / "back"
        said = self.convert(self.exported("there"), back)
        self.assertIn("a model of type transformer with ", said)
        outputs = [run("translate", "-m", model, "-b", "2", text=self.lines).stdout for model in (self.model, back)]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(len(outputs[0].splitlines()), 50)

    def test_wrong_use_is_told(self):
        self.assertIn("there is no such file", self.refused(self.folder / "none", self.folder / "out"))
        self.assertIn("attune cannot convert this", self.refused(self.folder / "src", self.folder / "out"))
        self.assertIn("did you mean 'ctranslate2'", self.refused(self.model, self.folder / "out", "--to", "ctranslate"))
        (self.folder / "mine").mkdir()
        (self.folder / "mine/precious").write_text("x")
        self.assertIn("not a model", self.refused(self.model, self.folder / "mine", "--to", "ctranslate2"))
        self.assertEqual((self.folder / "mine/precious").read_text(), "x")

    def test_a_damaged_file_is_refused_with_the_byte(self):
        damaged = self.exported("damaged")
        data = (damaged / "model.bin").read_bytes()
        (damaged / "model.bin").write_bytes(data[:-1000])
        error = self.refused(damaged, self.folder / "out")
        self.assertRegex(error, r"model\.bin: byte \d+: the file ends within ")
        self.assertFalse((self.folder / "out").exists())


class Marian(unittest.TestCase):
    """Models of tests/golden/marian."""
    golden = pathlib.Path(__file__).resolve().parent / "golden" / "marian"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-marian-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def convert(self, *arguments):
        done = run("convert", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def named(self, name, out):
        return self.convert(self.golden / f"{name}.npz", out, "--vocabs", self.golden / "source.yml",
                            self.golden / "target.yml")

    def test_it_tells_what_it_found_and_the_model_can_be_used_like_any_other(self):
        for name, kind in (("t_post", "transformer"), ("s_alternating", "deep_rnn")):
            out = self.folder / name
            told = self.named(name, out).splitlines()
            self.assertIn("a Marian model", told[0])
            self.assertEqual(told[1], f"  {name}.npz with source.yml, target.yml")
            self.assertRegex(told[2], f"{out}: a model of type {kind} with [0-9,]+ parameters")
            for verb in (["translate", "-m", out], ["attend", "-m", out, "--format", "json"]):
                done = run(*verb, text="a straße .\n")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("<unk>", done.stdout)  # as in Marian
            small = self.folder / f"{name}-small"
            self.assertEqual(run("quantize", out, small).returncode, 0)
            self.assertEqual(run("translate", "-m", small, text="日本\n").returncode, 0)

    def test_a_folder_with_several_models_becomes_an_ensemble(self):
        folder, out = self.folder / "opus", self.folder / "out"
        folder.mkdir()
        for name in ("s_plain.npz", "t_post.npz", "source.yml", "target.yml"):
            shutil.copy(self.golden / name, folder)
        settings = "models: [s_plain.npz, t_post.npz]\nvocabs: [source.yml, target.yml]\nrelative-paths: true\n"
        (folder / "decoder.yml").write_text(settings)
        told = self.convert(folder, out)
        self.assertIn(f"an ensemble of 2: attune translate -m {out / '1'} -m {out / '2'}", told)
        done = run("translate", "-m", out / "1", "-m", out / "2", text="a ä .\n")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 1), done.stderr)
        (folder / "t_post.npz").write_bytes((folder / "t_post.npz").read_bytes()[:5000])
        done = run("convert", folder, self.folder / "again")
        self.assertEqual(done.returncode, 2)
        self.assertIn("t_post.npz", done.stderr)
        self.assertFalse((self.folder / "again").exists())

    def test_what_is_missing_is_asked_for(self):
        folder = self.folder / "model"
        folder.mkdir()
        shutil.copy(self.golden / "t_post.npz", folder)
        refused = lambda *arguments: run("convert", folder, self.folder / "out", *arguments).stderr
        self.assertIn("name it with --vocabs", refused())
        for name in ("source.yml", "target.yml"):
            shutil.copy(self.golden / name, folder / name.replace("source", "en").replace("target", "de"))
        self.assertIn("Name them with --vocabs SOURCE TARGET", refused())
        self.assertIn("no such", refused("--vocabs", "nothing.yml").lower())
        self.assertFalse((self.folder / "out").exists())


class HuggingFace(unittest.TestCase):
    """Folders that tests/golden/huggingface.py describes, with random numbers."""
    golden = pathlib.Path(__file__).resolve().parent / "golden" / "huggingface"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-huggingface-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def make(self, name):
        about = json.loads((self.golden / "logits.json").read_text())[name]
        folder = self.folder / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(about["config"]))
        shutil.copy(self.golden / about["tokenizer"], folder / "tokenizer.json")
        header, numbers = {}, array.array("f")
        for tensor, shape in about["tensors"].items():
            begin = 4 * len(numbers)
            numbers.extend(random.Random(tensor).uniform(-0.5, 0.5) for _ in range(math.prod(shape)))
            header[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, 4 * len(numbers)]}
        text = json.dumps(header).encode()
        (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + numbers.tobytes())
        return folder

    def run_well(self, *arguments, **keywords):
        done = run(*arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_folder_becomes_a_model_like_any_other_and_a_folder_again(self):
        uses = {"gpt2": [("generate", "--max-length", 8), ("score",), ("attend", "--format", "json")],
                "llama": [("generate", "--max-length", 8)], "bert_mask": [("fill",)], "bert_classes": [("classify",)]}
        for name, verbs in uses.items():
            with self.subTest(name):
                folder, out = self.make(name), self.folder / f"{name}-out"
                told = self.run_well("convert", folder, out).splitlines()
                self.assertIn("a Hugging Face folder", told[0])
                self.assertRegex(told[1], r"  model_type \w+, \d+ tensors in one file, F32")
                self.assertRegex(told[2], f"{out}: a model of type (gpt|bert) with [0-9,]+ parameters")
                small = self.folder / f"{name}-small"
                self.run_well("quantize", out, small)
                text = "the [MASK] ä 日\n" if name == "bert_mask" else "the ä 日\n"
                for verb, *options in verbs:
                    for model in (out, small):
                        self.assertTrue(self.run_well(verb, "-m", model, *options, text=text).strip())
                again = self.folder / f"{name}-again"
                self.assertIn("a Hugging Face folder", self.run_well("convert", out, again, "--to", "huggingface"))
                before, after = (read_safetensors(each / "model.safetensors") for each in (folder, again))
                for tensor, numbers in after.items():
                    self.assertEqual(numbers, before[tensor], tensor)
                second = self.folder / f"{name}-second"
                self.run_well("convert", again, second)
                verb, *options = verbs[0]
                self.assertEqual(self.run_well(verb, "-m", second, *options, text=text),
                                 self.run_well(verb, "-m", out, *options, text=text))

    def test_a_tokenizer_can_be_the_vocabulary_of_a_new_model(self):
        words = self.folder / "tokenizer.json"
        shutil.copy(self.golden / "gpt2.json", words)
        (self.folder / "text").write_text("the cat and the größere 日本\n" * 200)
        self.run_well("train", "--type", "gpt", "--d-model", 16, "--heads", 2, "--feed-forward", 16, "--layers", 1,
                      "--output-bias", "false", "--after", "20u", "--mini-batch-words", 500, "-t", self.folder / "text",
                      "--vocabs", words, "-m", self.folder / "run")
        self.run_well("generate", "-m", self.folder / "run", "--max-length", 6, text="the\n")
        self.run_well("convert", self.folder / "run", self.folder / "out", "--to", "huggingface")
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()),
                         ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"])

    def test_a_pickle_is_refused_with_the_way_out(self):
        folder = self.make("gpt2")
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        done = run("convert", folder, self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("safe_serialization=True", done.stderr)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
