"""Making a pretrained model one's own as a user sees it: training it further, keeping parts of it, adapters.
usage: adapt_test.py ATTUNE"""
import json
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import time
import unittest
import urllib.request

from small_models import PROGRAM, ModelTest, lines, run, sentences

BLOCKS = ["--d-model", "16", "--heads", "2", "--feed-forward", "32"]
TYPES = {
    "transformer": ["--encoder-layers", "1", "--decoder-layers", "1", *BLOCKS],
    "rnn": ["--embedding", "16", "--hidden", "16"],
    "deep_rnn": ["--embedding", "16", "--hidden", "16", "--norm", "gates"],
    "gpt": ["--layers", "1", "--text-pairs", "true", *BLOCKS],
    "bert": ["--layers", "1", *BLOCKS],
}


def columns(kind, texts):
    """Letters and their reversals; for a masked language model the letters alone."""
    return [texts] if kind == "bert" else [texts, [text[::-1] for text in texts]]


def tensors(path):
    """The tensors of a safetensors file: {name: bytes}."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: data[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]]
            for name, entry in header.items()}


class AdaptingTest(ModelTest):
    @classmethod
    def setUpClass(cls):
        """A model of each type that has begun to write letters backwards."""
        super().setUpClass()
        cls.bases = {kind: cls.train(f"base-{kind}", columns(kind, sentences(1, 300)), "--type", kind, *options,
                                     "--vocab-kind", "word", "--mini-batch-words", "200", "--after", "30u",
                                     "--lr-warmup", "5u", "--cpu-threads", "1") for kind, options in TYPES.items()}

    def adapt(self, kind, run_name, *options, code=0):
        """A run over the base of that type, from other sentences, validated on new and old ones."""
        files = {}
        for name, seed, count in (("mine", 2, 120), ("dev", 3, 12), ("old", 1, 12)):
            files[name] = [self.folder / f"{kind}-{name}.{side}" for side in ("en", "fr")][:1 if kind == "bert" else 2]
            for file, texts in zip(files[name], columns(kind, sentences(seed, count))):
                file.write_text(lines(texts))
        pairs = ["--text-pairs", "true"] if kind == "gpt" else []
        result = run("train", "--pretrained-model", self.bases[kind], "-t", *files["mine"], "--valid-sets", *files["dev"],
                     *files["old"], "-m", self.folder / run_name, "--after", "12u", "--early-stopping", "0", "--cpu-threads", "1", *pairs, *options)
        self.assertEqual(result.returncode, code, result.err)
        return result

    def refused(self, message, kind, *options):
        self.assertIn(message, self.adapt(kind, "refused", *options, code=2).err)


class Adapting(AdaptingTest):
    def test_every_type_is_adapted_with_its_scores_before_and_after(self):
        for kind in TYPES:
            result = self.adapt(kind, f"mine-{kind}")
            self.assertIn("starting from", result.err)
            self.assertIn("validation after update 0", result.err)
            metric = {"bert": "perplexity", "gpt": "perplexity"}.get(kind, "bleu")
            self.assertRegex(result.err, rf"before and after: {kind}-dev: {metric} \S+ -> \S+.*; {kind}-old: {metric} \S+ -> ")
            config = (self.folder / f"mine-{kind}/config.yml").read_text()
            self.assertIn("\nlr_schedule: linear\n", config)
            self.assertIn("\nvocab_kind: word\n", config)
            rate = float(re.search(r"\nlearning_rate: (\S+)", config)[1])
            self.assertTrue(1e-4 < rate < 5e-3, rate)
            self.assertEqual(json.loads((self.folder / f"mine-{kind}/last/config.json").read_text())["model"]["type"], kind)

    def test_the_run_s_own_configuration_resumes_it(self):
        self.adapt("transformer", "again")
        result = run("train", self.folder / "again/config.yml", "--after", "14u")
        self.assertEqual(result.returncode, 0, result.err)
        self.assertIn("this run finished after update 12", result.err)
        self.assertIn("finished after 14 updates", result.err)

    def test_keys_that_contradict_the_pretrained_model_are_refused(self):
        path = f"the pretrained model {self.bases['transformer']}"
        self.refused(f"{path}/last has d_model: 16, not 32; leave it out", "transformer", "--d-model", "32")
        self.refused(f"{path}/last has type: transformer, not rnn", "transformer", "--type", "rnn")
        self.refused("has norm: post, not pre", "transformer", "--norm", "pre")
        self.refused("vocab_size: the vocabulary is that of the pretrained model", "transformer", "--vocab-size", "5")
        self.refused("vocab_kind: the vocabulary is that of the pretrained model", "transformer", "--vocab-kind", "bpe")
        self.refused("size: ", "transformer", "--size", "tiny")
        self.refused("lora_rank: adapters stand over a pretrained model", "transformer", "--lora-rank", "2",
                     "--pretrained-model", "")
        self.adapt("transformer", "same", "--d-model", "16", "--heads", "2", "--dropout", "0.2")

    def test_frozen_parameters_stay_as_they_are(self):
        self.adapt("transformer", "frozen", "--freeze", "embeddings", "encoder")
        before, after = (tensors(folder / "last/weights.safetensors")
                         for folder in (self.bases["transformer"], self.folder / "frozen"))
        self.assertEqual(before.keys(), after.keys())
        for name in before:
            self.assertEqual(before[name] == after[name], name.split(".")[0] in ("source", "target", "encoder"), name)
        self.refused("freeze: no parameter of this model matches 'encodr'; their names begin with decoder, encoder",
                     "transformer", "--freeze", "encodr")
        self.refused("freeze: nothing is left to be trained", "transformer", "--freeze", "*")

    def test_a_frozen_run_resumes_bit_by_bit(self):
        common = ["--freeze", "decoder", "--lr-schedule", "constant", "--lr-warmup", "0"]
        self.adapt("rnn", "whole-frozen", *common)
        self.adapt("rnn", "parts-frozen", *common, "--after", "5u")
        self.adapt("rnn", "parts-frozen", *common)
        self.assertEqual(*((self.folder / name / "last/weights.safetensors").read_bytes()
                           for name in ("whole-frozen", "parts-frozen")))

    def test_corpora_are_mixed_by_weight(self):
        texts = {"own": sentences(7, 10), "general": sentences(8, 40)}
        files = []
        for name, of in texts.items():
            for side, column in zip(("en", "fr"), columns("", of)):
                files.append(self.folder / f"{name}.{side}")
                files[-1].write_text(lines(column))
        result = run("train", "--pretrained-model", self.bases["transformer"], "-t", *files, "--train-weights", "4", "1",
                     "-m", self.folder / "mixed", "--after", "1e", "--valid-freq", "0")
        self.assertEqual(result.returncode, 0, result.err)
        words = 4 * sum(len(line.split()) + 1 for line in texts["own"]) + sum(len(line.split()) + 1 for line in texts["general"])
        summary = json.loads((self.folder / "mixed/last/config.json").read_text())["training"]
        self.assertEqual(summary["target_tokens"], words)


class Adapters(AdaptingTest):
    def test_every_type_has_adapters(self):
        for kind in TYPES:
            result = self.adapt(kind, f"lora-{kind}", "--lora-rank", "2", "--learning-rate", "0.02")
            self.assertRegex(result.err, r"with adapters in \d+ layers; [\d,]+ of [\d,]+ numbers are trained")
            model = self.folder / f"lora-{kind}/last"
            self.assertTrue((model / "adapter.safetensors").exists())
            self.assertFalse((model / "weights.safetensors").exists() or (model / "vocab.txt").exists())
            self.assertTrue(all(name.endswith((".lora_a", ".lora_b")) for name in tensors(model / "adapter.safetensors")))
            about = json.loads((model / "config.json").read_text())["adapter"]
            self.assertEqual((about["base"], about["rank"], about["alpha"]), (f"../../base-{kind}/last", 2, 4))
            whole = self.folder / f"whole-{kind}"
            self.assertEqual(run("convert", model, whole, "--to", "attune").returncode, 0)
            self.assertEqual(tensors(whole / "weights.safetensors").keys(),
                             tensors(self.bases[kind] / "last/weights.safetensors").keys())
            texts = sentences(9, 8)
            rows = "".join("\t".join(row) + "\n" for row in zip(*columns(kind, texts)))
            tsv = ["--tsv"] if kind != "bert" else []
            scores = [[float(line) for line in run("score", "-m", folder, *tsv, text=rows).out.split()]
                      for folder in (model, whole, self.bases[kind])]
            self.assertEqual(len(scores[0]), 8)
            for adapted, merged in zip(*scores[:2]):
                self.assertAlmostEqual(adapted, merged, delta=2e-4)
            self.assertNotEqual(scores[0], scores[2])

    def test_places_and_alpha_are_chosen(self):
        self.adapt("transformer", "places", "--lora-rank", "1", "--lora-alpha", "3", "--lora-places", "self.qkv", "cross.*")
        layers = {name.rsplit(".", 1)[0] for name in tensors(self.folder / "places/last/adapter.safetensors")}
        self.assertEqual(layers, {"encoder.layer0.self.qkv", "decoder.layer0.self.qkv", "decoder.layer0.cross.q",
                                  "decoder.layer0.cross.kv", "decoder.layer0.cross.out"})
        self.refused("lora_places: no linear layer of this model matches 'selb'", "transformer", "--lora-rank", "1",
                     "--lora-places", "selb")
        self.refused("lora_places: it belongs to lora_rank", "transformer", "--lora-places", "self")
        self.refused("freeze: with lora_rank all weights stay as they are", "transformer", "--lora-rank", "1", "--freeze", "norm")

    def test_a_run_of_adapters_resumes_bit_by_bit(self):
        common = ["--lora-rank", "2", "--lr-schedule", "constant", "--lr-warmup", "0", "--exponential-smoothing", "0.1"]
        self.adapt("transformer", "whole-run", *common)
        self.adapt("transformer", "parts", *common, "--after", "5u")
        self.adapt("transformer", "parts", *common)
        self.assertEqual(*((self.folder / name / "last/adapter.safetensors").read_bytes() for name in ("whole-run", "parts")))

    def test_it_is_translated_attended_quantised_exported_and_adapted_further(self):
        self.adapt("transformer", "used", "--lora-rank", "2", "--learning-rate", "0.02")
        model, text = self.folder / "used", lines(sentences(9, 8))
        whole, small = self.folder / "used-whole", self.folder / "used-small"
        self.assertEqual(run("convert", model, whole, "--to", "attune").returncode, 0)
        self.assertEqual(run("quantize", model, small).returncode, 0)
        self.assertEqual(run("convert", model, self.folder / "used-ct2", "--to", "ctranslate2").returncode, 0)
        outputs = [run("translate", "-m", folder, "--beam-size", "2", text=text) for folder in (model, whole, small)]
        self.assertEqual([output.returncode for output in outputs], [0, 0, 0])
        self.assertEqual(outputs[0].out, outputs[1].out)
        self.assertEqual(len(outputs[2].out.splitlines()), 8)
        self.assertEqual(run("attend", "-m", model, "--source", "a b").returncode, 0)
        self.assertIn("this is an adapter itself; make a whole model of it first",
                      self.adapt("transformer", "over", "--lora-rank", "2", "--pretrained-model", str(model), code=2).err)
        self.adapt("transformer", "further", "--pretrained-model", str(model))
        self.assertTrue((self.folder / "further/last/weights.safetensors").exists())

    def test_a_base_that_is_gone_or_changed_is_refused(self):
        base, model = self.folder / "other-base", self.folder / "over-other"
        shutil.copytree(self.bases["transformer"] / "last", base)
        common = ["--lora-rank", "2", "--pretrained-model", str(base), "--lr-schedule", "constant"]
        self.adapt("transformer", "over-other", *common, "--after", "3u")
        with open(base / "weights.safetensors", "r+b") as file:
            content = (self.bases["rnn"] / "last/weights.safetensors").read_bytes()
            file.write(content), file.truncate(len(content))
        self.assertEqual(run("translate", "-m", model, text="a\n").returncode, 2)
        shutil.rmtree(base)
        shutil.copytree(self.retrained(), base)
        self.assertIn("this adapter was trained over other weights", run("translate", "-m", model, text="a\n").err)
        self.assertIn("has other weights now than when this run was started",
                      self.adapt("transformer", "over-other", *common, code=2).err)
        shutil.rmtree(base)
        self.assertIn("which is not there; write where it is into config.json", run("translate", "-m", model, text="a\n").err)

    def retrained(self):
        self.adapt("transformer", "retrained")
        return self.folder / "retrained/last"

    def test_a_server_has_several_over_one_base(self):
        for name in ("one", "two"):
            self.adapt("transformer", name, "--lora-rank", "2", "--seed", str(len(name) + ord(name[0])),
                       "--learning-rate", "0.05")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen([PROGRAM, "serve", "-m", f"en-de={self.bases['transformer']}",
                                   "-m", f"en-fr={self.folder / 'one'}", "-m", f"en-es={self.folder / 'two'}",
                                   "--port", str(port), "--quiet"], stderr=subprocess.PIPE)
        try:
            for target, folder in (("de", self.bases["transformer"]), ("fr", self.folder / "one"), ("es", self.folder / "two")):
                body = json.dumps({"q": "a b c", "source": "en", "target": target}).encode()
                request = urllib.request.Request(f"http://127.0.0.1:{port}/translate", body,
                                                 {"Content-Type": "application/json"})
                for attempt in range(100):
                    try:
                        answer = json.loads(urllib.request.urlopen(request, timeout=20).read())
                        break
                    except OSError:
                        self.assertIsNone(server.poll())
                        time.sleep(0.1)
                self.assertEqual(answer["translatedText"], run("translate", "-m", folder, text="a b c\n").out.strip())
        finally:
            server.terminate()
            server.communicate()


if __name__ == "__main__":
    unittest.main()
