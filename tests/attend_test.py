"""attune attend, as its users see it. usage: attend_test.py ATTUNE"""
import base64
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, text=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


class Attend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        for side, words in (("a", "one two three four"), ("b", "eins zwei drei vier")):
            words = words.split()
            lines = [" ".join(words[(i * k) % 4] for k in range(1, 2 + i % 4)) for i in range(64)]
            (cls.folder / side).write_text("\n".join(lines) + "\n")
        sets = [cls.folder / "a", cls.folder / "b"]
        common = ["--train-sets", *sets, "--valid-sets", *sets, "--vocab-kind", "word", "--after", "20u", "--valid-freq", "10u",
                  "--valid-metrics", "perplexity", "--disp-freq", "10u"]
        block = ["--d-model", 16, "--heads", 4, "--feed-forward", 16]
        cls.rnn, cls.transformer, cls.gpt = (cls.folder / name for name in ("rnn", "transformer", "gpt"))
        for arguments in (["--type", "rnn", "--embedding", 8, "--hidden", 8, "--model", cls.rnn],
                          ["--type", "transformer", "--encoder-layers", 2, "--decoder-layers", 3, *block, "--model", cls.transformer,
                           "--attend-sentence", "one two\teins zwei"],
                          ["--type", "gpt", "--text-pairs", "true", "--layers", 2, *block, "--model", cls.gpt]):
            result = run("train", *common, *arguments)
            assert result.returncode == 0, result.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_source_may_follow_the_model(self):
        named, plain = (run("attend", "-m", self.rnn, *source, "--format", "json") for source in (["--source", "one two"], ["one two"]))
        self.assertEqual((plain.returncode, plain.stderr), (0, ""))
        self.assertEqual(plain.stdout, named.stdout)

    def attend(self, *arguments, model=None, text=None):
        result = run("attend", "-m", model or self.transformer, *arguments, text=text)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def json(self, *arguments, **options):
        return json.loads(self.attend(*arguments, "--format", "json", **options))

    def test_json_is_bertviz_head_view(self):
        seen = self.json("--source", "one two three", "--target", "eins zwei")
        self.assertEqual(seen["encoder_tokens"], ["one", "two", "three", "</s>"])
        self.assertEqual(seen["decoder_tokens"], ["<s>", "eins", "zwei"])
        self.assertEqual(seen["decoder_outputs"], ["eins", "zwei", "</s>"])
        for kind, layers, queries, keys in (("encoder", 2, 4, 4), ("decoder", 3, 3, 3), ("cross", 3, 3, 4)):
            weights = seen[f"{kind}_attention"]
            self.assertEqual((len(weights), len(weights[0]), len(weights[0][0]), len(weights[0][0][0])), (layers, 4, queries, keys))
            for row in (row for layer in weights for head in layer for row in head):
                self.assertAlmostEqual(sum(row), 1, places=4)
        self.assertEqual(seen["decoder_attention"][0][0][0][1:], [0, 0])
        rnn = self.json("--source", "one two", model=self.rnn)
        self.assertIsNone(rnn["encoder_attention"])
        self.assertEqual((len(rnn["cross_attention"]), len(rnn["cross_attention"][0])), (1, 1))
        gpt = self.json("--source", "one", "--target", "eins", model=self.gpt)
        self.assertEqual((gpt["decoder_tokens"], len(gpt["decoder_attention"])), (["one", "<s>", "eins"], 2))

    def test_without_a_target_it_shows_what_translate_writes(self):
        text = "one two three\n"
        written = run("translate", "-m", self.transformer, "--max-length", 8, text=text).stdout
        seen = self.json("--max-length", 8, text=text)
        self.assertEqual(seen["target"] + "\n", written)
        path = [node for node in seen["tree"] if node["on_result"]]
        self.assertEqual([node["token"] for node in path[1:]], seen["decoder_outputs"])
        for node in path[:-1]:
            self.assertLessEqual(sum(candidate["p"] for candidate in node["candidates"]), 1 + 1e-6)

    def test_alignments_are_those_of_translate(self):
        text = "one two three\nfour\n"
        for format, kind in (("soft", "soft"), ("pharaoh", "hard")):
            expected = run("translate", "-m", self.transformer, "--max-length", 8, "--alignment", kind, text=text).stdout.splitlines()
            lines = self.attend("--format", format, "--max-length", 8, text=text).splitlines()
            if kind == "hard":
                expected = [line.split(" ||| ")[1] for line in expected]
                self.assertEqual(lines, expected)
                continue
            for line, other in zip(lines, expected, strict=True):
                self.assertEqual(line.split(" ||| ")[0], other.split(" ||| ")[0])
                numbers = [[float(x) for x in re.split("[ ,]", part.split(" ||| ")[1])] for part in (line, other)]
                for a, b in zip(*numbers, strict=True):
                    self.assertAlmostEqual(a, b, places=4)

    def test_the_terminal_shows_one_matrix_or_all(self):
        one = self.attend("--source", "one two", "--target", "eins", "--layer", "-1", "--head", "2")
        self.assertIn("one two → eins", one)
        self.assertEqual(len(re.findall(r"(?m)^ *eins ", one)), 1)
        every = self.attend("--source", "one two", "--target", "eins", "--layer", "all", "--head", "all", "--kind", "encoder")
        self.assertEqual(re.findall(r"layer (\d), head (\d)", every), [(str(l), str(h)) for l in range(2) for h in range(4)])
        self.assertNotIn("\033", every)
        picture = self.attend("--source", "one two", "--target", "eins", "--format", "svg")
        self.assertTrue(picture.startswith("<svg "))

    def test_lines_of_stdin_and_empty_ones(self):
        lines = self.attend("--format", "json", "--max-length", 5, text="one\teins\n\ntwo\n").splitlines()
        seen = [json.loads(line) for line in lines]
        self.assertEqual([s["forced"] for s in seen], [True, False, False])
        self.assertEqual((seen[1]["encoder_tokens"], seen[1]["cross_attention"]), ([], None))

    def test_a_page_holds_all_models_and_lines(self):
        file = self.folder / "page.html"
        result = run("attend", "-m", self.rnn, "-m", self.transformer, "--format", "html", "-o", file, "--max-length", 5,
                     text="one two\n<script>\n")
        if "built without its pages" in result.stderr:
            self.skipTest("built without pages")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        page = file.read_text("utf-8")
        packed = json.loads(re.search(r'(?s)id="attune-data">(.*?)</script>', page)[1])["deflated"]
        text = zlib.decompress(base64.b64decode(packed)).decode()
        data = json.loads(text)
        self.assertEqual([[m["type"] for m in s["models"]] for s in data["sentences"]], [["rnn", "transformer"]] * 2)
        self.assertEqual([m["model"] for m in data["sentences"][0]["models"]], ["rnn", "transformer"])
        self.assertNotIn(str(self.folder), text)  # no path of this machine
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)', page), [])

    def test_numbers_hold_what_weights_were_computed_from(self):
        file = self.folder / "numbers.html"
        run("attend", "-m", self.transformer, "-m", self.gpt, "--format", "html", "--numbers", "-o", file, "--max-length", 5,
            text="one two\n")
        packed = json.loads(re.search(r'(?s)id="attune-data">(.*?)</script>', file.read_text("utf-8"))[1])["deflated"]
        models = json.loads(zlib.decompress(base64.b64decode(packed)))["sentences"][0]["models"]
        for model, layers, decoder in ((models[0], 2 + 3 + 3, 3), (models[1], 2, 2)):
            self.assertEqual(len(model["inputs"]), layers)
            self.assertEqual(len(model["guesses"]), decoder)
            tokens = len(model["decoder_tokens"])
            self.assertEqual([s["vectors"]["rows"] for s in model["states"] if s["decoder"]], [tokens] * (decoder + 1))
        result = run("attend", "-m", self.transformer, "--format", "html", "--numbers", "--words", "-o", file, text="one\n")
        self.assertEqual(result.returncode, 2)

    def test_vectors_of_tokens_or_of_whole_texts(self):
        def embed(model, *options, text="one two\n\ntwo one\n"):
            return [json.loads(line) for line in run("embed", "-m", model, *options, text=text).stdout.splitlines()]
        for model in (self.transformer, self.gpt, self.rnn):
            every, mean = embed(model), embed(model, "--pool", "mean")
            self.assertEqual([len(line["vectors"]) for line in every], [len(line["tokens"]) for line in every])
            self.assertEqual(every[1]["tokens"], [])
            one = every[0]["vectors"]
            for i, x in enumerate(mean[0]["vector"]):
                self.assertAlmostEqual(x, sum(row[i] for row in one) / len(one), places=4)
            word = every[0]["tokens"].index("two"), every[2]["tokens"].index("two")
            self.assertNotEqual(every[0]["vectors"][word[0]], every[2]["vectors"][word[1]])  # another sentence, another vector
        self.assertNotEqual(embed(self.transformer, "--layer", "0"), embed(self.transformer))
        result = run("embed", "-m", self.transformer, "--layer", "2", text="one\n")
        self.assertEqual((result.returncode, "there is no layer 2: there are layers 0 to 1" in result.stderr), (2, True), result.stderr)

    def test_heads_are_left_out_one_by_one(self):
        files = self.folder / "a", self.folder / "b"
        result = run("attend", "-m", self.transformer, "--ablate", *files)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = [line.split("\t") for line in result.stdout.splitlines()]
        self.assertEqual(rows[0], ["attention", "head", "loss"])
        self.assertEqual(len(rows) - 1, (2 + 3 + 3) * 4)
        losses = [float(loss) for _, _, loss in rows[1:]]
        self.assertEqual(losses, sorted(losses, reverse=True))
        # The same by hand: a folder in which these columns of W^O are 0 scores worse by as much.
        attention, head, loss = rows[1]
        changed = self.folder / "changed"
        shutil.copytree(next(p for p in self.transformer.iterdir() if p.name.startswith("best-")), changed)
        weights = bytearray((changed / "weights.safetensors").read_bytes())
        size = struct.unpack("<Q", weights[:8])[0]
        header = json.loads(weights[8 : 8 + size])
        header.pop("__metadata__")  # with the checksum
        weights[8 : 8 + size] = json.dumps(header, separators=(",", ":")).encode().ljust(size)
        entry = header[attention + ".out.weight"]
        rows_, columns = entry["shape"]
        for r in range(rows_):
            at = 8 + size + entry["data_offsets"][0] + 4 * (r * columns + int(head) * columns // 4)
            weights[at : at + columns] = bytes(columns)  # 4 bytes for each of columns / 4
        (changed / "weights.safetensors").write_bytes(weights)
        def nats(model):
            said = run("score", "-m", model, *files, "--word-scores", "--json")
            self.assertEqual(said.stderr, "")
            scores = [score for line in said.stdout.splitlines() for score in json.loads(line)["word_scores"]]
            return -sum(scores) / len(scores)
        best = next(p for p in self.transformer.iterdir() if p.name.startswith("best-"))
        self.assertAlmostEqual(nats(changed) - nats(best), float(loss), places=3)
        self.assertTrue(run("attend", "-m", self.transformer, "--ablate", *files, "--format", "svg").stdout.startswith("<svg "))
        refused = run("attend", "-m", self.transformer, "--ablate", *files, "--format", "json")
        self.assertEqual((refused.returncode, "--ablate writes a table" in refused.stderr), (2, True), refused.stderr)
        rnn = run("attend", "-m", self.rnn, "--ablate", *files)  # its attention counts as one head
        self.assertEqual((rnn.returncode, len(rnn.stdout.splitlines())), (0, 2), rnn.stderr)
        self.assertTrue(rnn.stdout.splitlines()[1].startswith("decoder.layer0.cross\t0\t"))

    def test_gradients_are_drawn_in_the_place_of_attention(self):
        arguments = "attend", "-m", self.transformer, "--source", "one two", "--target", "two one", "--gradients"
        seen = json.loads(run(*arguments, "--format", "json").stdout)
        table = {each["kind"]: each["rows"] for each in seen["gradients"]}
        self.assertEqual({kind: len(rows) for kind, rows in table.items()}, {"cross": 3, "decoder": 3})
        soft = run(*arguments, "--format", "soft").stdout.strip().split(" ||| ")[1]
        for drawn, row in zip(soft.split(" "), table["cross"]):
            for share, x in zip(drawn.split(","), row):
                self.assertAlmostEqual(float(share), abs(x) / sum(map(abs, row)), places=3)
        self.assertNotEqual(run(*arguments).stdout, run(*arguments[:-1]).stdout)
        refused = run(*arguments, "--head", "0")
        self.assertEqual((refused.returncode, "--gradients go through the whole model" in refused.stderr), (2, True), refused.stderr)

    def test_a_run_keeps_the_attention_of_a_sentence(self):
        records = [json.loads(line) for line in (self.transformer / "validations.jsonl").read_text().splitlines()]
        self.assertEqual([record["update"] for record in records], [10, 20])
        seen = json.loads(records[0]["attention"])
        self.assertEqual((seen["encoder_tokens"], seen["target"]), (["one", "two", "</s>"], "eins zwei"))
        self.assertEqual(len(records[0]["samples"]) % 3, 0)

    def test_wrong_use_is_refused_with_a_sentence(self):
        for arguments, words in ((["--source", "one", "--layer", "7"], "there is no layer 7 of cross attention: there are layers 0 to 2"),
                                 (["--source", "one", "--head", "4"], "there is no head 4"),
                                 (["--source", "one", "--head", "x"], "a number or 'all'"),
                                 (["--source", "one", "--format", "svg", "--head", "all"], "draws one matrix"),
                                 (["--format", "svg"], "--format svg draws one sentence, but 2 were given"),
                                 (["--run", self.transformer], "add --format html"),
                                 (["--run", self.folder, "--format", "html"], "not the folder of a training run"),
                                 (["-m", self.rnn, "--format", "pharaoh"], "html compares them")):
            result = run("attend", "-m", self.transformer, *arguments, "--max-length", 5, text="one\ntwo\n")
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(words, result.stderr)
        self.assertIn("give a model with -m", run("attend", text="").stderr)
        result = run("attend", "-m", self.rnn, "--source", "one", "--kind", "encoder")
        self.assertIn("a model of type rnn has no encoder attention", result.stderr)
        bad = subprocess.run([PROGRAM, "attend", "-m", self.rnn], input=b"ok\n\xff\n", capture_output=True)
        self.assertEqual(bad.returncode, 2)
        self.assertIn(b"line 2: byte 1 is not UTF-8", bad.stderr)


if __name__ == "__main__":
    unittest.main()
