"""`attune translate` as a user sees it. usage: translate_test.py ATTUNE"""
import gzip
import json
import shutil
import subprocess
import unittest

from small_models import PROGRAM, ModelTest, lines, run, sentences


class Translate(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.train_reversers()

    def translated(self, text, *options, model=None):
        result = run("translate", "-m", model or self.rnn, *options, text=text)
        self.assertEqual(result.returncode, 0, result.err)
        return result.out

    def test_lines_keep_their_order_and_blank_lines_stay(self):
        texts = sentences(7, 300)
        texts[5] = texts[17] = texts[-1] = ""
        texts[40] = "  "
        out = self.translated(lines(texts)).splitlines()
        self.assertEqual(len(out), 300)
        self.assertEqual([out[i] for i in (5, 17, 40, 299)], ["", "", "  ", ""])
        right = sum(a == b[::-1] for a, b in zip(out, texts))
        self.assertGreater(right, 240)

    def test_n_best_lists_are_marians(self):
        out = self.translated("a b c\n\nd e\n", "--n-best", "-b", "3", "--word-scores", "--alignment").splitlines()
        self.assertEqual([line.split(" ||| ")[0] for line in out], ["0", "0", "0", "1", "2", "2", "2"])
        parts = out[0].split(" ||| ")
        self.assertEqual(parts[1], "c b a")
        self.assertRegex(parts[2], r"^\d+-\d+( \d+-\d+)*$")
        self.assertRegex(parts[3], r"^WordScores= -?[\d.]+( -?[\d.]+){3}$")
        self.assertRegex(parts[4], r"^F0= -[\d.e-]+$")
        scores = [float(line.split(" ||| ")[-1]) for line in out[:3]]
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_alignments_are_pairs_or_weights(self):
        pairs = self.translated("a b c\n", "--alignment", "hard").strip().split(" ||| ")[1]
        self.assertEqual(len(pairs.split()), 4)  # </s> is a token like the others
        self.assertEqual(pairs.split(), sorted(pairs.split()))
        soft = self.translated("a b c\n", "--alignment", "soft").strip().split(" ||| ")[1].split()
        self.assertEqual(len(soft), 4)  # and </s>
        for row in soft:
            self.assertAlmostEqual(sum(map(float, row.split(","))), 1, places=4)
        self.assertEqual(self.translated("a b\n", "--alignment", "0").split(" ||| ")[1].split(),
                         [f"{source}-{target}" for source in range(3) for target in range(3)])

    def test_alignments_of_a_line_in_parts_count_through_the_line(self):
        whole = [self.translated(f"{part}\n", "--alignment", "hard").strip().split(" ||| ") for part in ("a b!", "c d e!")]
        joined = self.translated("a b! c d e!\n", "--split-sentences", "--alignment", "hard").strip().split(" ||| ")
        first, second = ([tuple(map(int, pair.split("-"))) for pair in pairs.split()] for _, pairs in whole)
        sources, targets = 2, len(whole[0][0].split())
        expected = [pair for pair in first if pair[1] < targets and pair[0] < sources]
        expected += [(source + sources, target + targets) for source, target in second]
        found = [tuple(map(int, pair.split("-"))) for pair in joined[1].split()]
        self.assertEqual([pair for pair in found if pair[1] >= targets], sorted(pair for pair in expected if pair[1] >= targets))
        self.assertEqual(len(found), targets + len(second))

    def test_json_has_everything(self):
        record = json.loads(self.translated("a b\n", "--json", "--alignment", "--n-best", "2"))
        self.assertEqual((record["line"], record["source"], len(record["outputs"])), (0, "a b", 2))
        best = record["outputs"][0]
        self.assertEqual((best["text"], best["tokens"], best["ended"]), ("b a", ["b", "a"], True))
        self.assertAlmostEqual(sum(best["word_scores"]), best["score"])
        self.assertEqual(len(best["attention"]), 3)

    def test_ensembles_and_sampling(self):
        both = self.translated("a b c d\n", "-m", self.transformer, "--weights", "0.9", "0.1")
        self.assertEqual(both, "d c b a\n")
        draws = {self.translated("a b c\n", "--sampling", "--temperature", "20", "--seed", seed) for seed in range(5)}
        self.assertGreater(len(draws), 1)
        same = [self.translated("a b c\n" * 3, "--sampling", "--temperature", "20", "--cpu-threads", n) for n in (1, 2)]
        self.assertEqual(same[0], same[1])

    def test_samples_of_an_n_best_list_are_different(self):
        options = ["--sampling", "--temperature", "3", "--n-best", "6", "--seed", "4"]
        listed = [line.split(" ||| ")[:2] for line in self.translated("a b c\nd e\n", *options).splitlines()]
        for number in ("0", "1"):
            texts = [text for line, text in listed if line == number]
            self.assertEqual((len(texts), len(set(texts))), (6, 6), texts)
        alone = [line.split(" ||| ")[1] for line in self.translated("a b c\n", *options, "--cpu-threads", "1").splitlines()]
        self.assertEqual(alone, [text for line, text in listed if line == "0"])

    def test_files_may_be_packed(self):
        (self.folder / "in.gz").write_bytes(gzip.compress(b"a b\nc d\n"))
        (self.folder / "in.utf16").write_bytes("a b\nc d\n".encode("utf-16"))
        (self.folder / "in.bom").write_bytes(b"\xef\xbb\xbfa b\nc d\n")
        for name in ("in.gz", "in.utf16", "in.bom"):
            self.assertEqual(self.done("translate", "-m", self.rnn, self.folder / name), "b a\nd c\n", name)
        self.assertEqual(self.done("translate", "-m", self.rnn, text="\ufeffa b\nc d\n"), "b a\nd c\n")

    def test_answers_come_as_soon_as_a_line_is_there(self):
        process = subprocess.Popen([PROGRAM, "translate", "-m", self.rnn], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        for line in ("a b", "c d e"):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), line[::-1] + "\n")
        process.stdin.close()
        self.assertEqual(process.wait(timeout=120), 0)
        process.stdout.close()

    def test_an_output_begins_with_its_prefix(self):
        (self.folder / "prefixes").write_text("c\n\nh h\n")
        out = self.translated("a b c\nd e\na b\n", "--prefix", self.folder / "prefixes").splitlines()
        self.assertEqual(out[:2], ["c b a", "e d"])
        self.assertTrue(out[2].startswith("h h"), out[2])
        lists = self.translated("a b c\nd e\na b\n", "--prefix", self.folder / "prefixes", "--n-best").splitlines()
        for line in lists:
            number, text = line.split(" ||| ")[:2]
            self.assertTrue(text.startswith(["c", "", "h h"][int(number)]), line)
        result = run("translate", "-m", self.rnn, "--prefix", self.folder / "prefixes", text="a\nb\n")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.err, r"stdin ends after line 2, but \S+prefixes continues")
        result = run("translate", "-m", self.rnn, "--prefix", self.folder / "prefixes", "--max-length", "2",
                     text="a\nb\nc\n")
        self.assertIn("line 3: the prefix leaves no room for an output", result.err)

    def test_scores_are_normalised_as_asked(self):
        def scores(*options):
            *_, total, normalised = self.translated("a b c\n", "--n-best", "1", *options).strip().split(" ||| ")
            return float(total.split()[1]), float(normalised)
        for options, length in ((["--normalize", "0"], 1), (["--normalize", "1"], 4), (["-n", "0.5"], 2),
                                (["-n", "1", "--length-penalty", "google"], 9 / 6)):
            total, normalised = scores(*options)
            self.assertAlmostEqual(normalised, total / length, places=6)

    def test_lengths_and_repetitions_are_limited(self):
        self.assertEqual(self.translated("a b c d\n", "--max-length", "2"), "d c\n")
        self.assertEqual(self.translated("a b c d\n", "--max-length-factor", "0.4"), "d c\n")  # of 5 with </s>
        repeated = self.translated("a a a a\n", "--no-repeat-ngram", "1").split()
        self.assertEqual(len(set(repeated)), len(repeated))

    def test_coverage_changes_the_normalised_score_only(self):
        plain, covered = (json.loads(self.translated("a b c\n", "--json", "--coverage-penalty", x))["outputs"][0]
                          for x in ("0", "2"))
        self.assertEqual(plain["score"], covered["score"])
        self.assertLess(covered["normalised"], plain["normalised"])

    def test_unknown_words_are_written_suppressed_or_copied(self):
        (self.folder / "unknown").write_text("X\n")
        forced = ["--prefix", self.folder / "unknown"]
        self.assertTrue(self.translated("a b\n", *forced).startswith("X"))
        for how in ("write", "suppress", "copy"):
            self.assertNotIn("<unk>", self.translated("a b c\n", "--unk", how))
        # A model that is sure of an unknown word.
        texts = sentences(5, 400)
        model = self.train("unknown-words", [[f"{t} {c}{c}" for t, c in zip(texts, "ijklmnop" * 50)], ["q " + "XYZ"[i % 3] * (i + 1)
                           for i in range(400)]], "--type", "rnn", "--embedding", "16", "--hidden", "16", "--after", "60u",
                           "--vocab-kind", "word", "--vocab-size", "16", "--learning-rate", "0.02")
        line = "a b c hello\n"
        self.assertIn("<unk>", self.translated(line, model=model))
        self.assertNotIn("<unk>", self.translated(line, "--unk", "suppress", model=model))
        copied = self.translated(line, "--unk", "copy", model=model)
        self.assertRegex(copied, r"^(q )?(a|b|c|hello)\n$")

    def test_sentences_of_a_line_are_translated_by_themselves(self):
        both = json.loads(self.translated("a b c ! d e f ?\n", "--json", "--split-sentences"))["outputs"][0]
        one, two = (json.loads(self.translated(text, "--json"))["outputs"][0] for text in ("a b c !\n", "d e f ?\n"))
        self.assertEqual(both["text"], f"{one['text']} {two['text']}")
        self.assertAlmostEqual(both["score"], one["score"] + two["score"])

    def test_sampling_is_asked_for_by_its_options(self):
        greedy = self.translated("a b c\n" * 20)
        for option in (["--temperature", "9"], ["--top-p", "0.999999", "--temperature", "9"], ["--sampling", "--temperature", "9"]):
            self.assertNotEqual(self.translated("a b c\n" * 20, *option), greedy)
        self.assertEqual(self.translated("a b c\n" * 20, "--top-k", "1"), greedy)
        self.assertEqual(self.translated("a b c\n" * 20, "--temperature", "9", "--sampling=false"), greedy)

    def test_defaults_come_from_the_model_folder_and_the_command_line_wins(self):
        folder = self.folder / "defaults"
        shutil.copytree(self.rnn / "last", folder)
        config = json.loads((folder / "config.json").read_text())
        config["decoding"]["max_length"] = 2
        (folder / "config.json").write_text(json.dumps(config))
        self.assertEqual(self.translated("a b c d\n", model=folder), "d c\n")
        self.assertEqual(self.translated("a b c d\n", "--max-length", "50", model=folder), "d c b a\n")
        config["decoding"]["beam_sice"] = 2
        (folder / "config.json").write_text(json.dumps(config))
        result = run("translate", "-m", folder, text="a\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn("beam_sice", result.err)


if __name__ == "__main__":
    unittest.main()
