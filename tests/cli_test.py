"""The command line as a user sees it. usage: cli_test.py ATTUNE"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


def attune(*arguments, text=""):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=60)


class CommandLine(unittest.TestCase):
    def refused(self, *arguments, message):
        result = attune(*arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", f"attune: {message}\n"))

    def test_help_lists_every_verb_with_a_line(self):
        result = attune("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^  info +version, CPU and the kernels in use$")

    def test_every_verb_has_help(self):
        verbs = [line.split()[0] for line in attune("--help").stdout.splitlines() if line.startswith("  ")]
        self.assertIn("info", verbs)
        for verb in verbs:
            result = attune(verb, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(f"Usage: attune {verb}", result.stdout)

    def test_version_and_info(self):
        self.assertRegex(attune("--version").stdout, r"^attune \d+\.\d+\.\d+\nbuilt by \w+ [\d.]+, \w+, with(out)? MPI, with(out)? pages\n$")
        self.assertRegex(attune("info").stdout, r"(?m)^kernels +\w+$")

    def test_no_verb_is_wrong_use(self):
        result = attune()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertTrue(result.stderr.startswith("attune: no verb was given\n\n"), result.stderr)
        self.assertIn("\n  train  ", result.stderr)

    def test_unknown_names_are_refused_with_the_nearest(self):
        self.refused("inof", message="unknown verb 'inof', did you mean 'info'?")
        self.refused("xyzzy", message="unknown verb 'xyzzy'")
        self.refused("info", "--hlep", message="info: unknown option '--hlep', did you mean '--help'?")
        self.refused("info", "--colour=red", message="info: unknown option '--colour'")
        self.refused("info", "more", message="info: unexpected argument 'more'")

    def test_options_show_their_defaults(self):
        self.assertRegex(attune("bench", "--help").stdout, r"--samples INT:INT in \[1 - 1000\]=9")
        self.refused("bench", "--samples", "0", message="bench: --samples: Value 0 not in range 1 to 1000")

    def test_values_of_lists_keep_their_brackets(self):
        result = attune("train", "--dump-config", "--type", "rnn", "--train-sets", "a", "b", "--model", "none", "--after",
                        "1u", "--vocab-symbols", "[MASK]", "[a,b]")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("""vocab_symbols: ["[MASK]", "[a,b]"]""", result.stdout.replace("'", '"'))
        self.assertRegex(result.stdout, r"train_sets: \[a, b\]")

    def test_help_shows_the_defaults_of_each_type(self):
        text = " ".join(attune("train", "--help").stdout.split())
        self.assertRegex(text, r"--positions VALUE=sinusoidal .*?; bert: learned; gpt: learned")

    def test_bench_times_rows_by_a_part_of_their_names(self):
        result = attune("bench", "linear_1x256", "--samples", "1")
        self.assertRegex(result.stdout, r"^linear_1x256x1024 +[\d.]+ ms +[\d.]+ GFLOP/s\n$")
        self.refused("bench", "linear_1x256x102", "liner_1x256x1024",
                     message="bench: no row 'liner_1x256x1024', did you mean 'linear_1x256x1024'? (--list shows all)")

    def test_vocab_makes_one_for_all_or_one_for_each_and_cuts_text(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            en, zh, tsv = folder / "train.en", folder / "train.zh.gz", folder / "train.tsv"
            english = ["A man is standing on a ladder.", "Two men are outside.", "The man stands outside."] * 5
            chinese = ["一个男人站在梯子上。", "两个男人在外面。", "那个男人站在外面。"] * 5
            en.write_text("\n".join(english) + "\n")
            zh.write_bytes(gzip.compress("\n".join(chinese).encode()))
            tsv.write_text("".join(f"{e}\t{c}\n" for e, c in zip(english, chinese)))
            joint, a, b = folder / "joint.spm", folder / "a", folder / "b"

            result = attune("vocab", "-t", en, zh, "--size", "320", "--user-symbols", "[MASK] <sep>", "-o", joint)
            self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
            self.assertRegex(result.stderr, r"joint.spm: unigram with \d+ tokens; 0.00% of the text is unknown\n  ▁ ?A ")
            text = "A man stands on [MASK]\n两个男人\n\n"
            for extra in [], ["--ids"]:
                cut = attune("vocab", "--encode", joint, *extra, text=text)
                self.assertEqual((cut.returncode, cut.stderr), (0, ""))
                self.assertNotEqual(cut.stdout, text)
                self.assertEqual(attune("vocab", "--decode", joint, *extra, text=cut.stdout).stdout, text)
            self.assertIn("[MASK]", attune("vocab", "--encode", joint, text=text).stdout.split())

            self.assertEqual(attune("vocab", "-t", en, zh, "--kind", "char", "-o", a, b).returncode, 0)
            self.assertTrue(a.read_text().startswith("attune vocabulary 1 char "))
            self.assertIn("男\t", b.read_text())
            self.assertNotIn("男\t", a.read_text())
            before = a.read_bytes(), b.read_bytes()
            self.assertEqual(attune("vocab", "-t", tsv, "--tsv", "--kind", "char", "-o", a, b).returncode, 0)
            self.assertEqual((a.read_bytes(), b.read_bytes()), before)

            self.refused("vocab", "-t", en, zh, "-o", a, b, joint,
                         message="vocab: 2 files for 3 vocabularies; give one -o for all together, or one for each")
            self.refused("vocab", "-t", en, "-o", folder / "x" / "y",
                         message=f"vocab: {folder}/x/y: there is no folder {folder}/x")
            self.refused("vocab", "-t", folder / "none", "-o", a, message=f"{folder}/none: there is no such file")
            en.write_bytes(b"good\nf\xfcr\n")
            self.refused("vocab", "-t", en, "-o", a, message=f"{en}:2: byte 2 is not UTF-8; convert the file, for "
                         "example with `iconv`, or have invalid bytes replaced")
            self.assertEqual(attune("vocab", "-t", en, "-o", a, "--kind", "word", "--replace-invalid-utf8").returncode, 0)
            self.refused("vocab", "--encode", en, message=f"{en}: byte 1: this is not a SentencePiece model, or it is "
                         "damaged here")

    def test_vocab_says_what_it_needs(self):
        self.refused("vocab", message="vocab: give one of --train-sets, --encode and --decode (--help shows examples)")
        self.refused("vocab", "-t", "x", message="vocab: name the file for the vocabulary: -o FILE")
        self.refused("vocab", "--kind", "wordpiece",
                     message="vocab: --kind takes unigram, bpe, word, char, byte, but 'wordpiece' was given")

    def test_bench_worker_answers_line_by_line(self):
        requests = [{"list": True}, {"row": "linear_1x256x1024", "repeat": 2},
                    {"row": "linear_1x256x1024", "peer": "onednn"}, {"row": "linear_1x256x1024", "memory": True},
                    {"row": "nothing"}, 7]
        result = attune("bench", "--worker", text="".join(json.dumps(request) + "\n" for request in requests))
        rows, mine, onednn, memory, unknown, malformed = map(json.loads, result.stdout.splitlines())
        self.assertIn("linear_1x256x1024", [row["name"] for row in rows["rows"]])
        self.assertGreater(min(mine["seconds"], onednn["seconds"]), 0)
        self.assertIn("megabytes", memory)
        self.assertEqual(unknown, {"error": "no row 'nothing'"})
        self.assertIn("error", malformed)


if __name__ == "__main__":
    unittest.main()
