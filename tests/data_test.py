"""Corpora in the formats that people have, as a user sees them: train, check, vocab, clean. usage: data_test.py ATTUNE"""
import csv
import gzip
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import escape

PROGRAM = sys.argv.pop(1)
SMALL = ["--type", "transformer", "--encoder-layers", "1", "--decoder-layers", "1", "--d-model", "16", "--heads", "2",
         "--feed-forward", "32", "--after", "1u", "--cpu-threads", "1", "--vocab-kind", "word"]
PAIRS = [(f"The {animal} & the {number} <b>hats</b>", f"Der {animal} – die {number} Hüte 🎩")
         for animal in ("cat", "dog", "heron", "mouse") for number in ("one", "two", "three", "four", "five")]


def tmx(pairs, more=""):
    units = "".join(f'<tu><tuv xml:lang="en-US"><seg>{escape(a)}</seg></tuv>\n'
                    f'<tuv xml:lang="DE"><seg>{escape(b)}</seg></tuv></tu>\n' for a, b in pairs)
    return f'<?xml version="1.0"?>\n<tmx version="1.4"><header/><body>\n{units}{more}</body></tmx>\n'


class InFolder(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="attune-data-")
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run_attune(self, *arguments, **more):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, cwd=self.folder, timeout=300, **more)

    def done(self, *arguments, **more):
        result = self.run_attune(*arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result

    def refused(self, *arguments, **more):
        result = self.run_attune(*arguments, **more)
        self.assertEqual(result.returncode, 2, result.stderr.decode())
        return result.stderr.decode()


class FormatsTest(InFolder):
    def train(self, run, *arguments, **more):
        return self.done("train", *SMALL, "--model", run, *arguments, **more).stderr.decode()

    def all_formats(self):
        table = self.folder / "pairs.csv"
        with open(table, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("id", "en", "de"), *((i, *pair) for i, pair in enumerate(PAIRS))])
        lines = "".join(json.dumps({"translation": dict(zip(("en", "de"), pair))}) + "\n" for pair in PAIRS)
        catalogue = 'msgid ""\nmsgstr "Language: de\\n"\n' + "".join(f'\nmsgid "{a}"\nmsgstr "{b}"\n' for a, b in PAIRS)
        units = "".join(f"<trans-unit><source>{escape(a)}</source><target>{escape(b)}</target></trans-unit>"
                        for a, b in PAIRS)
        for side, language in enumerate(("en", "de")):
            self.write(f"moses.{language}", "".join(pair[side] + "\n" for pair in PAIRS))
        return [self.write("memory.tmx", tmx(PAIRS)), str(table), self.write("lines.jsonl", lines),
                self.write("packed.jsonl.xz", lzma.compress(lines.encode())),
                self.write("packed.tmx.gz", gzip.compress(tmx(PAIRS).encode())),
                self.write("wide.tmx", tmx(PAIRS).replace('"1.0"', '"1.0" encoding="UTF-16"').encode("utf-16")),
                self.write("de.po", catalogue),
                self.write("file.xlf", '<xliff version="1.2"><file source-language="en" target-language="de"><body>'
                                       f"{units}</body></file></xliff>"),
                self.write("table.tsv", "de\ten\n" + "".join(f"{b}\t{a}\n" for a, b in PAIRS)),
                str(self.folder / "moses")]

    def test_every_format_gives_the_same_model(self):
        plain = self.train("plain", "-t", "moses.en", "moses.de") if self.all_formats() else ""
        weights = (self.folder / "plain/last/weights.safetensors").read_bytes()
        self.assertIn("20 lines", plain)
        for i, path in enumerate(self.all_formats()):
            log = self.train(f"run-{i}", "-t", path, "--languages", "en", "de")
            self.assertIn("20 lines", log, path)
            self.assertEqual((self.folder / f"run-{i}/last/weights.safetensors").read_bytes(), weights, path)

    def test_several_formats_are_one_corpus_for_every_verb(self):
        files = self.all_formats()
        words = ["-t", *files, "--languages", "en", "de"]
        self.assertIn("200 lines", self.train("run", *words, "--valid-sets", files[0]))
        kept = (self.folder / "run/config.yml").read_text()
        self.assertIn("languages: [en, de]", kept)
        self.assertIn("200 examples", self.done("check", *SMALL, "--model", "new", *words, "--seconds", "0").stdout.decode())
        self.done("vocab", *words, "-o", "words.en", "words.de", "--kind", "word")
        self.assertIn("heron", (self.folder / "words.en").read_text())
        self.assertIn("Hüte", (self.folder / "words.de").read_text())
        self.assertNotIn("Hüte", (self.folder / "words.en").read_text())
        self.done("shortlist", "-m", "run", *words)

    def test_a_pipe_is_recognised_by_its_content(self):
        self.assertIn("20 lines", self.train("run", "-t", "/dev/stdin", "--languages", "en", "de",
                                             input=lzma.compress(tmx(PAIRS).encode())))
        self.assertIn("2 lines", self.train("other", "-t", "/dev/stdin", "--columns", "2", "1", input=b"a,b\nc,d\n"))

    def test_what_is_missing_is_said(self):
        path = self.write("memory.tmx", tmx(PAIRS, '<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>'))
        self.assertIn("`--languages en-US DE`; it has en-US, DE", self.refused("train", *SMALL, "-m", "run", "-t", path))
        self.assertIn("its languages are en-US, DE, en",
                      self.refused("train", *SMALL, "-m", "run", "-t", path, "--languages", "en", "ja"))
        log = self.train("run", "-t", path, "--languages", "en", "de")
        self.assertEqual(log.count("1 of 21 are left out: 1 without de (first on line 43)"), 1, log)
        table = self.write("a.csv", "id,en,de\n1,a,b\n")
        self.assertIn("it has id, en, de", self.refused("train", *SMALL, "-m", "x", "-t", table))
        found = self.run_attune("check", *SMALL, "-m", "new", "-t", table, "--seconds", "0")
        self.assertEqual(found.returncode, 2)
        self.assertIn("it has id, en, de", found.stdout.decode())

    def test_a_billion_laughs_are_refused(self):
        laughs = '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>' + tmx(PAIRS).split("\n", 1)[1]
        self.assertIn("defines an entity of its own",
                      self.refused("train", *SMALL, "-m", "x", "-t", self.write("a.tmx", laughs), "--languages", "en", "de"))

    def test_bad_lines_stop_or_are_skipped_and_listed(self):
        source = self.write("a.en", "one\ntwo\nthree\n")
        target = self.write("a.de", b"eins\nzw\xffei\ndrei\n")
        self.assertIn("a.de:2: byte 3 is not UTF-8", self.refused("train", *SMALL, "-m", "x", "-t", source, target))
        log = self.train("run", "-t", source, target, "--bad-lines", "skip")
        self.assertIn("1 of 3 are left out: 1 column 2 is not UTF-8", log)
        self.assertIn("2 lines", log)
        self.assertEqual((self.folder / "run/left-out.tsv").read_text(), f"{source}:2\tcolumn 2 is not UTF-8\n")
        table = self.write("t.tsv", "a\tb\nc\nd\te\n")
        self.assertIn("t.tsv:2: it has 1 columns, but the first line has 2",
                      self.refused("train", *SMALL, "-m", "x", "-t", table, "--tsv"))
        self.assertIn("2 lines", self.train("tsv", "-t", table, "--tsv", "--bad-lines", "skip"))
        short = self.write("short.de", "eins\n")
        self.assertIn("has 1 lines", self.refused("train", *SMALL, "-m", "x", "-t", source, short, "--bad-lines", "skip"))


class CleanTest(InFolder):
    ROWS = [("A good sentence.", "Ein guter Satz."), ("A good sentence.", "Ein guter Satz."), ("Same", "Same"),
            ("Привет, это не английский", "Das ist kein Englisch"), ("<b>bold</b>", "fett"), ("In 1999", "Im Jahr 1998"),
            ("A", "Ein sehr viel längerer Satz als der andere, der so kurz ist"), ("Übrig", "Left over")]

    def clean(self, *arguments):
        return json.loads(self.done("clean", *arguments, "--json").stdout)

    def test_counts_and_lists_what_it_leaves_out(self):
        path = self.write("memory.tmx", tmx(self.ROWS, '<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>'))
        counts = self.clean("-t", path, "--languages", "en", "de", "-o", "clean.en", "clean.de", "--left-out", "out.tsv")
        self.assertEqual(counts, {"read": 9, "kept": 2, "left_out": {
            "duplicates": 1, "identical": 1, "markup": 1, "numbers": 1, "ratio": 1, "script": 1, "without de": 1}})
        self.assertEqual((self.folder / "clean.en").read_text(), "A good sentence.\nÜbrig\n")
        self.assertEqual((self.folder / "clean.de").read_text(), "Ein guter Satz.\nLeft over\n")
        left_out = (self.folder / "out.tsv").read_text().splitlines()
        self.assertEqual(len(left_out), 7)
        self.assertEqual(left_out[1], f"identical\t{path}:7\tSame\tSame")
        table = self.done("clean", "-t", path, "--languages", "en", "de", "-o", "clean.tsv").stdout.decode()
        self.assertRegex(table, r"kept +2 +22\.2%")
        self.assertEqual((self.folder / "clean.tsv").read_text(), "A good sentence.\tEin guter Satz.\nÜbrig\tLeft over\n")

    def test_rules_can_be_set_and_turned_off(self):
        source = self.write("a.en", "".join(a + "\n" for a, _ in self.ROWS))
        target = self.write("a.de", "".join(b + "\n" for _, b in self.ROWS))
        rules = ["duplicates", "identical", "markup", "numbers", "script"]
        self.assertEqual(self.clean("-t", source, target, "-o", "o", "--keep", *rules, "--ratio", "100")["kept"], 8)
        self.assertEqual(self.clean("-t", source, target, "-o", "o", "--keep", *rules)["left_out"], {"ratio": 1})
        self.assertEqual(self.clean("-t", source, target, "-o", "o", "--longest", "3")["kept"], 0)
        self.assertIn("there is no such rule", self.refused("clean", "-t", source, target, "-o", "o", "--keep", "all"))

    def test_bytes_that_are_no_text_and_broken_rows_are_left_out(self):
        path = self.write("a.csv", b"en,de\nfine,gut\n\xff,x\nshort\n")
        self.assertEqual(self.clean("-t", path, "--columns", "en", "de", "-o", "o.tsv")["left_out"],
                         {"the first row has 2 fields, but this one has 1": 1, "utf8": 1})

    def test_nothing_is_written_if_it_fails(self):
        path = self.write("a.tmx", tmx(PAIRS)[:-20])
        self.assertIn("cut off", self.refused("clean", "-t", path, "--languages", "en", "de", "-o", "o.tsv"))
        self.assertEqual(os.listdir(self.folder), ["a.tmx"])


if __name__ == "__main__":
    unittest.main()
