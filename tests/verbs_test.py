"""score, generate, fill and classify as a user sees them. usage: verbs_test.py ATTUNE"""
import json
import math
import os
import pty
import random
import signal
import subprocess
import unittest

from small_models import PROGRAM, ModelTest, lines, run, sentences

ANIMALS, VERBS, PLACES = ["cat", "dog", "mouse", "heron"], ["sleeps", "eats", "sings"], ["here", "there", "outside"]
SIZES = ["--d-model", "32", "--heads", "2", "--feed-forward", "64", "--layers", "1", "--max-positions", "32",
         "--mini-batch-words", "300", "--learning-rate", "0.01", "--lr-warmup", "20u"]


def stories(seed, count):
    rng = random.Random(seed)
    return [f"the {rng.choice(ANIMALS)} {rng.choice(VERBS)} {rng.choice(PLACES)}" for _ in range(count)]


class Score(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.train_reversers()

    def test_scores_are_those_of_translate(self):
        texts = sentences(3, 40)
        source, target = self.folder / "source", self.folder / "target"
        for models in ([self.rnn], [self.transformer], [self.rnn, self.transformer]):
            chosen = [word for model in models for word in ("-m", model)]
            if len(models) > 1:
                chosen += ["--weights", "3", "1"]
            found = [json.loads(line)["outputs"][0] for line in
                     self.done("translate", *chosen, "--json", text=lines(texts)).splitlines()]
            found = [(text, output) for text, output in zip(texts, found) if output["ended"]]
            self.assertGreater(len(found), 20)
            source.write_text(lines(text for text, output in found))
            target.write_text(lines(output["text"] for text, output in found))
            scored = [json.loads(line) for line in
                      self.done("score", source, target, *chosen, "--json", "--normalize", "0.6").splitlines()]
            self.assertEqual([s["line"] for s in scored], list(range(len(found))))
            for (text, output), score in zip(found, scored):
                self.assertEqual(score["tokens"], output["tokens"] + ["</s>"])
                self.assertAlmostEqual(score["score"], output["score"], places=4)
                self.assertAlmostEqual(score["normalised"], output["normalised"], places=4)
                for a, b in zip(score["word_scores"], output["word_scores"]):
                    self.assertAlmostEqual(a, b, places=4)

    def test_text_and_summary_say_the_same(self):
        pairs = "a b c\tc b a\n\t\na\t\nb c\tc c b\n"
        text = self.done("score", "-m", self.rnn, "--tsv", "--word-scores", text=pairs).splitlines()
        self.assertEqual(len(text), 4)
        self.assertEqual(text[1], "0 ||| WordScores=")
        total = tokens = 0
        for line in text:
            score, words = line.split(" ||| WordScores=")
            self.assertAlmostEqual(float(score), sum(map(float, words.split())), delta=1e-3)
            total += float(score)
            tokens += len(words.split())
        self.assertEqual(tokens, 4 + 0 + 1 + 4)
        summary = json.loads(self.done("score", "-m", self.rnn, "--tsv", "--summary", "--json", text=pairs))
        self.assertEqual((summary["lines"], summary["tokens"], summary["words"], summary["unknown"]), (4, 9, 9, 0))
        self.assertAlmostEqual(summary["log_p"], total, places=3)
        self.assertAlmostEqual(summary["perplexity"], math.exp(-total / 9), delta=0.001 * summary["perplexity"])
        self.assertEqual(summary["characters"], len("c b a") + len("") + len("c c b") + 3)
        self.assertIn("perplexity", self.done("score", "-m", self.rnn, "--tsv", "--summary", text=pairs))

    def test_what_cannot_be_scored(self):
        self.refused("score", "-m", self.rnn, text="a\n", message="2 columns are scored, but 1 file was given")
        self.refused("score", "-m", self.rnn, "--tsv", text="a\tb\nc\n",
                     lines_before=1,
                     message="line 2: there are 1 columns, but this model reads 2")
        self.refused("score", "-m", self.rnn, "-", "-", text="a\n", message="only one of the columns can come from stdin")
        self.refused("score", "-m", self.rnn, "--tsv", text="\tb\n", message="line 1: a column is blank")
        self.refused("score", "-m", self.transformer, "--tsv", text="a\tb\n" + "a " * 40 + "\tb\n",
                     lines_before=1, message="line 2: it has 41 tokens, but the model reads at most 16")
        result = run("score", "-m", self.rnn, "--tsv", "--on-error", "skip", text=b"a\ta\n\xff\tb\na\ta\n")
        self.assertEqual(result.returncode, 0)
        self.assertIn("line 2, column 1: byte 1 is not UTF-8: it is left out, with the score nan", result.err)
        first, second, third = result.out.splitlines()
        self.assertEqual((first, second), (third, "nan"))


class LanguageModels(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gpt = cls.train("gpt", [stories(1, 600)], "--type", "gpt", "--vocab-size", "300", "--after", "150u", *SIZES)
        cls.rnn_lm = cls.train("rnn_lm", [stories(1, 600)], "--type", "rnn_lm", "--vocab-kind", "word", "--embedding", "16",
                               "--hidden", "32", "--after", "100u", "--learning-rate", "0.01", "--lr-warmup", "20u",
                               "--mini-batch-words", "300")
        rng = random.Random(2)
        pairs = [(f"what does the {a} do", f"it {v}") for a, v in zip(ANIMALS, VERBS + ["flies"])] * 100
        rng.shuffle(pairs)
        cls.answering = cls.train("answering", list(map(list, zip(*pairs))), "--type", "gpt", "--text-pairs", "--vocab-kind", "word",
                                  "--after", "150u", *SIZES)

    def generated(self, *arguments, model=None, text=""):
        return self.done("generate", "-m", model or self.gpt, *arguments, text=text)

    def test_a_prompt_goes_on_where_it_stops(self):
        for prompt in ("the cat", "the h", "the her", "the ", "t", "the cat s"):
            out = self.generated(prompt)
            self.assertTrue(out.startswith(prompt), (prompt, out))
            self.assertRegex(out, r"^the (cat|dog|mouse|heron) (sleeps|eats|sings) (here|there|outside)\n$")
        self.assertRegex(self.generated("the dog", model=self.rnn_lm), r"^the dog (sleeps|eats|sings) \w+\n$")
        self.assertEqual(self.generated("the  cat").split(), self.generated("the cat").split())

    def test_prompts_come_from_stdin_line_by_line(self):
        out = self.generated(text="the cat\n\nthe dog s").splitlines()
        self.assertEqual([out[0], out[2]], [self.generated("the cat")[:-1], self.generated("the dog s")[:-1]])
        self.assertTrue(out[1].startswith("the "))

    def test_pairs_are_answered(self):
        self.assertEqual(self.generated("what does the cat do", model=self.answering), "it sleeps\n")
        self.assertEqual(self.generated("--answer", "false", "--max-length", "1", "it", model=self.answering)[:2], "it")
        score = lambda *columns: float(self.done("score", "-m", self.answering, "--tsv", text="\t".join(columns) + "\n"))
        self.assertGreater(score("what does the cat do", "it sleeps"), score("what does the cat do", "it eats"))

    def test_samples_are_the_same_for_the_same_seed(self):
        options = ["--temperature", "1", "--top-k", "40", "--num-samples", "8", "the"]
        first = self.generated(*options)
        self.assertEqual(self.generated(*options), first)
        self.assertGreater(len(set(first.splitlines())), 2)
        self.assertNotEqual(self.generated(*options, "--seed", "5"), first)
        fewer = self.generated("--temperature", "1", "--top-k", "40", "--num-samples", "3", "the")
        self.assertEqual(fewer.splitlines(), first.splitlines()[:3])
        self.assertEqual(len(self.generated("--num-samples", "3", "--beam-size", "3", "the").splitlines()), 3)
        self.refused("generate", "-m", self.gpt, "--num-samples", "2", "the", message="greedy search has one output")

    def test_it_ends_at_a_stop_text_or_at_the_maximum_length(self):
        whole = self.generated("the cat")[:-1]
        word = whole.split()[-1]
        self.assertEqual(self.generated("--stop", word, "the cat"), whole[: -len(word)] + "\n")
        self.assertEqual(self.generated("--stop", word[1:], "--stop", "xyz", "the cat"), whole[: -len(word) + 1] + "\n")
        self.assertEqual(self.generated("--max-length", "1", "the cat", model=self.rnn_lm),
                         " ".join(self.generated("the cat", model=self.rnn_lm).split()[:3]) + "\n")

    def test_json_scores_are_those_of_score(self):
        for options in ([], ["--beam-size", "3"], ["--temperature", "1.5"]):
            record = json.loads(self.generated("--json", *options, "the cat"))
            self.assertEqual((record["prompt"], record["line"], record["sample"]), ("the cat", 0, 0))
            self.assertAlmostEqual(sum(record["word_scores"]), record["score"])
            if options:  # the pieces that were chosen may not be those that the text is cut into
                continue
            score = json.loads(self.done("score", "-m", self.gpt, "--json", text=record["text"] + "\n"))
            self.assertEqual(score["tokens"], record["tokens"] + ["</s>"])
            self.assertAlmostEqual(score["score"], record["score"], places=4)

    def test_text_comes_token_by_token(self):
        process = subprocess.Popen([PROGRAM, "generate", "-m", self.rnn_lm], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        parts = []
        process.stdin.write(b"the\n")
        process.stdin.flush()
        while not b"".join(parts).endswith(b"\n"):
            parts.append(os.read(process.stdout.fileno(), 1000))
        self.assertRegex(b"".join(parts).decode(), r"^the \w+ \w+ \w+\n$")
        process.stdin.close()
        self.assertEqual(process.wait(timeout=120), 0)
        process.stdout.close()

    def test_on_a_terminal_it_asks_and_control_c_ends_it(self):
        terminal, other = pty.openpty()
        process = subprocess.Popen([PROGRAM, "generate", "-m", self.rnn_lm], stdin=other, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.assertEqual(process.stderr.read(2), b"> ")
        os.write(terminal, b"the cat\n")
        self.assertTrue(process.stdout.readline().startswith(b"the cat "))
        self.assertEqual(process.stderr.read(2), b"> ")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=120), 130)
        for file in (process.stdout, process.stderr):
            file.close()
        os.close(terminal)
        os.close(other)

    def test_what_cannot_be_generated(self):
        self.refused("generate", "-m", self.gpt, text=b"the\xff\n", message="prompt 1: byte 4 is not UTF-8")
        self.refused("generate", "-m", self.gpt, "the cat " * 40, message="leaves the model no room to write")
        self.refused("generate", "-m", self.gpt, "--temperature", "-1", "x", message="temperature: must be at least 0.001")


class Readers(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        texts = stories(4, 600)
        cls.bert = cls.train("bert", [texts], "--type", "bert", "--vocab-kind", "word", "--after", "250u", *SIZES)
        cls.classifier = cls.train("classifier", [texts, [t.split()[1] for t in texts]], "--type", "bert", "--task",
                                   "classify", "--vocab-kind", "word", "--after", "60u", *SIZES)
        tags = [" ".join(["D", "N", "V", "A"]) for _ in texts]
        cls.tagger = cls.train("tagger", [texts, tags], "--type", "rnn_lm", "--tagger", "--vocab-kind", "word", "--embedding",
                               "16", "--hidden", "16", "--after", "60u", "--learning-rate", "0.02", "--lr-warmup", "20u",
                               "--mini-batch-words", "300")

    def test_masks_get_candidates(self):
        text = "the [MASK] sleeps here\n\n[MASK] cat [MASK] there\n"
        found = [line.split(" ||| ") for line in self.done("fill", "-m", self.bert, "--top", "4", text=text).splitlines()]
        self.assertEqual([(line, mask) for line, mask, *_ in found], [("0", "0")] * 4 + [("2", "0")] * 4 + [("2", "1")] * 4)
        self.assertEqual({word for line, mask, p, word, text in found[:4]}, set(ANIMALS))
        self.assertEqual(found[0][4], f"the {found[0][3]} sleeps here")
        self.assertEqual((found[4][3], found[4][4]), ("the", "the cat [MASK] there"))
        self.assertEqual({word for _, _, _, word, _ in found[8:11]}, set(VERBS))
        shares = [float(p) for _, _, p, _, _ in found[:4]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertAlmostEqual(sum(shares), 1, delta=0.1)
        together = self.done("fill", "-m", self.bert, "--together", "--mask-token", "_", text="_ cat _ _\n")
        self.assertRegex(together, r"^the cat (sleeps|eats|sings) (here|there|outside)\n$")
        record = json.loads(self.done("fill", "-m", self.bert, "--json", "--top", "2", text="[MASK] cat [MASK] there\n"))
        self.assertEqual([len(mask) for mask in record["masks"]], [2, 2])
        self.assertEqual(record["masks"][0][0]["word"], "the")
        self.refused("fill", "-m", self.bert, text="the cat\n", message="line 1: it has no [MASK]")
        self.refused("fill", "-m", self.tagger, text="the cat\n", message="a masked language model")

    def test_masked_models_score_each_token_given_all_others(self):
        text = "the cat sleeps here\nthe the the cat\n"
        good, bad = (json.loads(line) for line in self.done("score", "-m", self.bert, "--json", text=text).splitlines())
        self.assertEqual(good["tokens"], ["the", "cat", "sleeps", "here"])
        self.assertGreater(good["score"], bad["score"])
        filled = json.loads(self.done("fill", "-m", self.bert, "--json", text="the cat [MASK] here\n"))
        p = {c["word"]: c["probability"] for c in filled["masks"][0]}["sleeps"]
        self.assertAlmostEqual(good["word_scores"][2], math.log(p), places=4)

    def test_texts_get_classes(self):
        text = "the cat sleeps here\n\nthe heron eats there\n"
        first, blank, third = self.done("classify", "-m", self.classifier, text=text).split("\n")[:3]
        self.assertEqual((first.split("\t")[0], blank, third.split("\t")[0]), ("cat", "", "heron"))
        several = self.done("classify", "-m", self.classifier, "--top", "4", text=text).splitlines()[0].split("\t")
        self.assertEqual(set(several[::2]), set(ANIMALS))
        self.assertAlmostEqual(sum(map(float, several[1::2])), 1, delta=0.05)
        record = json.loads(self.done("classify", "-m", self.classifier, "--json", text="the dog eats here\n"))
        self.assertEqual(record["labels"][0]["label"], "dog")
        score = float(self.done("score", "-m", self.classifier, "--tsv", text="the dog eats here\tdog\n"))
        self.assertAlmostEqual(score, math.log(record["labels"][0]["probability"]), places=4)
        self.refused("score", "-m", self.classifier, "--tsv", text="the dog\tyeti\n", message="line 1: the model has no class 'yeti'")
        long = run("classify", "-m", self.classifier, text="the cat " * 40 + "\n")
        self.assertEqual(long.returncode, 0)
        self.assertIn("line 1 is longer than the model can read: its last 50 tokens were ignored", long.err)

    def test_words_get_tags(self):
        self.assertEqual(self.done("classify", "-m", self.tagger, text="the cat sleeps here\n\nthe dog eats\n"),
                         "D N V A\n\nD N V\n")
        record = json.loads(self.done("classify", "-m", self.tagger, "--json", "--top", "2", text="the cat\n"))
        self.assertEqual((record["tokens"], record["labels"][1][0]["label"], len(record["labels"][1])), (["the", "cat"], "N", 2))
        score = json.loads(self.done("score", "-m", self.tagger, "--tsv", "--json", text="the cat\tD N\n"))
        self.assertAlmostEqual(score["word_scores"][1], math.log(record["labels"][1][0]["probability"]), places=4)
        self.refused("score", "-m", self.tagger, "--tsv", text="the cat\tD\n", message="line 1: there are 2 tokens but 1 tags")

    def test_each_verb_names_the_one_that_fits(self):
        for verb, model, message in (("translate", self.tagger, "use `attune classify` with it"),
                                     ("translate", self.bert, "use `attune fill` with it"),
                                     ("generate", self.bert, "this model fills in masked words"),
                                     ("classify", self.bert, "this model fills in masked words")):
            self.refused(verb, "-m", model, text="the\n", message=message)


if __name__ == "__main__":
    unittest.main()
