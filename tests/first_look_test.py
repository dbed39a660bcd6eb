"""The program of a first look: it has what it says, and what the demo says next works. usage: first_look_test.py ATTUNE"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, text=""):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=240, check=False)


class FirstLook(unittest.TestCase):
    def test_it_has_four_verbs_and_says_where_the_others_are(self):
        told = run("--help").stdout
        verbs = [line.split()[0] for line in told.splitlines() if line.startswith("  ")]
        self.assertEqual(verbs, ["attend", "demo", "train", "translate"])
        self.assertIn("`./run build` makes one with all verbs: build/release/attune\n", told)
        refused = run("serve")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("unknown verb 'serve'", refused.stderr)
        self.assertIn("`./run build`", refused.stderr)

    def test_the_demo_and_what_it_says_next(self):
        with tempfile.TemporaryDirectory() as home:
            home = pathlib.Path(home)
            told = run("demo", "--updates", 1, "--folder", home)
            self.assertEqual((told.returncode, told.stderr), (0, ""))
            self.assertEqual(told.stdout.count("of 1,000 new dates right"), 2)
            self.assertIn("<html", (home / "attention.html").read_text("utf-8"))
            trained = run("train", home / "bahdanau.yml", "--attention", "general", "--after", "2u", "--model", home / "general")
            self.assertEqual(trained.returncode, 0, trained.stderr)
            lines = run("translate", "-m", home / "general", text="May 1, 2020\n二〇二六年\n")
            self.assertEqual((lines.returncode, lines.stdout.count("\n")), (0, 2), lines.stderr)
            seen = run("attend", "-m", home / "transformer", "--source", "May 1, 2020", "--format", "svg")
            self.assertTrue(seen.stdout.startswith("<svg"), seen.stderr)


unittest.main()
