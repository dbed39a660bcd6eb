"""`attune evaluate` as a user sees it. usage: evaluate_test.py ATTUNE"""
import gzip
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).absolute()
VERSION = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout  # "attune 0.2.0"
SERIES = VERSION.split()[1].rpartition(".")[0]

REFERENCE = "The cat sat on the mat.\nIt costs $1,000.50.\nYes.\n"
FIRST = "The cat sat on the mat.\nIt costs $1,000.\nYes\n"
SECOND = "A cat sat on a mat.\n\nNo.\n"


class Evaluate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in {"ref": REFERENCE, "one": FIRST, "two": SECOND}.items():
            self.write(name, text.encode())

    def write(self, name, content):
        (pathlib.Path(self.folder.name) / name).write_bytes(content)

    def run_it(self, *arguments, text=""):
        return subprocess.run([PROGRAM, "evaluate", *arguments], input=text, capture_output=True, text=True, timeout=60,
                              cwd=self.folder.name)

    def output(self, *arguments, text=""):
        result = self.run_it(*arguments, text=text)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, *arguments, message, text=""):
        result = self.run_it(*arguments, text=text)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", f"attune: {message}\n"))

    # The numbers are those that sacreBLEU 2.6.0 prints for these files.
    def test_lines_are_those_of_sacrebleu(self):
        self.assertEqual(self.output("one", "-r", "ref", "-m", "bleu", "chrf", "ter").splitlines(), [
            f"        BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:attune-{SERIES} = 72.2 "
            "92.3/80.0/75.0/66.7 (BP = 0.926 ratio = 0.929 hyp_len = 13 ref_len = 14)",
            f"      chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:attune-{SERIES} = 90.5",
            f"TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:attune-{SERIES} = 20.0"])

    def test_confidence_intervals_are_those_of_sacrebleu(self):
        self.assertEqual(self.output("one", "-r", "ref", "-m", "ter", "--confidence", "-w", "2"),
                         f"TER|nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:attune-{SERIES} "
                         "= 20.00 (μ = 26.18 ± 50.00)\n")

    def test_sentence_level_takes_several_references_and_effective_order(self):
        lines = self.output("one", "-r", "ref", "two", "--sentence-level").splitlines()
        self.assertEqual([line.split(" = ")[1].split()[0] for line in lines], ["100.0", "42.7", "36.8"])
        self.assertTrue(lines[0].startswith("BLEU|nrefs:2|case:mixed|eff:yes|"))
        self.assertEqual(self.output("one", "-r", "ref", "two", "--sentence-level", "-b"), "100.0\n42.7\n36.8\n")
        entries = json.loads(self.output("one", "-r", "ref", "--sentence-level", "-m", "exact", "wer", "--json"))
        self.assertEqual([(entry["line"], entry["name"], entry["score"]) for entry in entries],
                         [(1, "exact", 100), (1, "WER", 0), (2, "exact", 0), (2, "WER", 100 / 3), (3, "exact", 0), (3, "WER", 100)])

    def test_several_systems_are_a_table(self):
        rows = self.output("one", "two", "-r", "ref", "-m", "bleu", "ter", "--paired-bs").splitlines()
        self.assertEqual(rows[:3], ["System  BLEU                            TER (lower is better)",
                                    "one     72.2 (64.9 ± 50.0)              20.0 (26.2 ± 50.0)",
                                    "two     16.7 (13.2 ± 13.9) p = 0.0010*  60.0 (66.6 ± 33.3) p = 0.0010*"])
        self.assertIn(f"BLEU  nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:attune-{SERIES}", rows)
        rows = self.output("one", "two", "-r", "ref", "--paired-ar", "-w", "2").splitlines()
        self.assertEqual(rows[:3], ["System  BLEU", "one     72.18", "two     16.68 p = 0.2582"])
        self.assertIn(f"BLEU  nrefs:1|ar:10000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:attune-{SERIES}", rows)

    def test_json_has_all_digits_and_every_part_of_the_signature(self):
        entry, = json.loads(self.output("one", "-r", "ref", "--tokenize", "intl", "--lowercase", "--smooth-method", "add-k",
                                        "--smooth-value", "2", "--json"))
        self.assertEqual(list(entry), ["name", "score", "signature", "system", "verbose_score", "nrefs", "case", "eff", "tok",
                                       "smooth", "version"])
        self.assertEqual((entry["name"], entry["tok"], entry["case"], entry["smooth"]), ("BLEU", "intl", "lc", "add-k[2.00]"))
        self.assertGreater(len(str(entry["score"])), 10)
        base, other = json.loads(self.output("one", "two", "-r", "ref", "--paired-bs", "--json"))
        self.assertEqual((base["system"], other["system"], other["p_value"]), ("one", "two", 1 / 1001))
        self.assertNotIn("p_value", base)

    def test_alignments_are_measured_against_gold(self):
        self.write("links", b"0-0 1-1 2-2\n")
        self.write("gold", b"0-0 1p1 1-2\n")
        self.assertEqual(self.output("links", "-r", "gold", "-m", "aer"),
                         f"AER|nrefs:1|version:attune-{SERIES} = 40.0 (precision = 66.7 recall = 50.0 links = 3 sure = 2)\n")
        entry, = json.loads(self.output("links", "-r", "gold", "-m", "aer", "--json"))
        self.assertAlmostEqual(entry["precision"], 200 / 3)
        self.assertAlmostEqual(entry["recall"], 50)
        self.write("links", b"0-0 1+1\n")
        self.refused("links", "-r", "gold", "-m", "aer",
                     message="line 1: AER: '1+1' is not a link: write 3-4 (sure) or 3p4 (possible), counted from 0")

    # F1 by hand: 1, 2 * 4 / (4 + 5), 1 of words; 1, 2 * 3 / (3 + 4), none of pairs.
    def test_rouge_is_three_scores(self):
        self.assertEqual(self.output("one", "-r", "ref", "-m", "rouge", "-b"), "96.3\n61.9\n96.3\n")

    def test_hypotheses_may_come_from_stdin(self):
        wanted = self.output("one", "-r", "ref")
        self.assertEqual(self.output("-r", "ref", text=FIRST), wanted)
        self.assertEqual(self.output("-", "-r", "ref", text=FIRST.replace("\n", " \r\n")), wanted)
        self.refused("-", "-r", "-", message="evaluate: stdin can be the hypotheses or the references, not both")

    def test_a_byte_order_mark_is_not_text(self):
        mark = b"\xef\xbb\xbf"
        self.write("marked", mark + FIRST.encode())
        self.write("marked_ref", mark + REFERENCE.encode())
        wanted = self.output("one", "-r", "ref", "-m", "bleu", "cer", "wer")
        self.assertEqual(self.output("marked", "-r", "ref", "-m", "bleu", "cer", "wer"), wanted)
        self.assertEqual(self.output("marked", "-r", "marked_ref", "-m", "bleu", "cer", "wer"), wanted)

    def test_help_lists_metrics_and_tokenisers(self):
        text = " ".join(self.output("--help").split())
        self.assertIn("any of accuracy, aer, answer_exact, answer_f1, bleu, cer,", text)
        self.assertIn("cer counts blanks as characters, cer-noblank does not", text)
        self.assertIn("tokeniser: 13a, char, flores101, flores200, intl, ja-mecab, ko-mecab, none, spm, zh", text)

    def test_rouge_takes_stems_and_sentences(self):
        self.write("summary", "The dogs were running.\\nCafés closed.\n".encode())
        self.write("summary_ref", "Cafés close.\\nThe dog runs.\n".encode())
        self.assertEqual(self.output("summary", "-r", "summary_ref", "-m", "rouge1", "rougeL", "rougeLsum", "-b"),
                         "36.4\n18.2\n36.4\n")
        self.assertEqual(self.output("summary", "-r", "summary_ref", "-m", "rouge1", "rougeLsum", "--rouge-stemmer", "-b"),
                         "90.9\n90.9\n")

    def test_files_may_be_packed(self):
        expected = self.output("one", "-r", "ref", "-b")
        self.write("one.gz", gzip.compress(FIRST.encode()))
        self.write("one.xz", lzma.compress(FIRST.encode()))
        self.write("ref.utf16", REFERENCE.encode("utf-16"))
        for name in ("one.gz", "one.xz"):
            self.assertEqual(self.output(name, "-r", "ref.utf16", "-b"), expected)

    def test_bad_input_is_named(self):
        self.write("short", b"a\n")
        self.write("empty", b"")
        self.write("latin", b"good\nb\xe4d\nx\n")
        self.refused("short", "-r", "ref",
                     message="evaluate: short has 1 line but ref has 3 lines: line i of one must belong to line i of the other")
        self.refused("one", "-r", "empty", message="evaluate: empty is empty")
        self.refused("-r", "ref", message="evaluate: stdin is empty")
        self.refused("latin", "-r", "ref", message="evaluate: latin, line 2: byte 2 is not UTF-8")
        self.refused("none", "-r", "ref", message="none: cannot open it: No such file or directory")

    def test_wrong_use_is_explained(self):
        self.refused("one", "-r", "ref", "-m", "blue", message="unknown metric 'blue', did you mean 'bleu'? Known: accuracy, aer, answer_exact, "
                     "answer_f1, bleu, cer, cer-noblank, chrf, chrf++, entity_f1, exact, mae, mse, rouge, rouge1, rouge2, rougeL, rougeLsum, ter, wer")
        self.refused("one", "-r", "ref", "--tokenize", "13b", message="unknown tokeniser '13b', did you mean '13a'? Known: 13a, char, "
                     "flores101, flores200, intl, ja-mecab, ko-mecab, none, spm, zh")
        self.refused("one", "one", "-r", "ref", message="evaluate: 'one' is given twice")
        self.refused("one", "-r", "ref", "--paired-bs",
                     message="evaluate: a paired test compares systems: give the baseline's file first, then the others")
        self.refused("one", "two", "-r", "ref", "--sentence-level",
                     message="evaluate: --sentence-level takes the output of one system")
        self.refused("one", "-r", "ref", "--sentence-level", "--confidence",
                     message="evaluate: --sentence-level has no statistical tests")

    def test_tokenised_text_is_pointed_out(self):
        self.write("tokenised", b"a b .\n" * 100)
        result = self.run_it("tokenised", "-r", "tokenised")
        self.assertEqual(result.returncode, 0)
        self.assertIn("tokenised: 100 lines end in ' .': is the text still tokenised?", result.stderr)
        self.assertEqual(self.run_it("tokenised", "-r", "tokenised", "--tokenize", "none").stderr, "")


if __name__ == "__main__":
    unittest.main()
