"""The command line as a user sees it. usage: cli_test.py ATTUNE"""
import json
import re
import subprocess
import sys
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
        self.assertRegex(attune("--version").stdout, r"^attune \d+\.\d+\.\d+\n$")
        self.assertRegex(attune("info").stdout, r"(?m)^kernels +\w+$")

    def test_no_verb_is_wrong_use(self):
        self.refused(message="say what to do: `attune --help` lists the verbs")

    def test_unknown_names_are_refused_with_the_nearest(self):
        self.refused("inof", message="unknown verb 'inof', did you mean 'info'?")
        self.refused("xyzzy", message="unknown verb 'xyzzy'")
        self.refused("info", "--hlep", message="info: unknown option '--hlep', did you mean '--help'?")
        self.refused("info", "--colour=red", message="info: unknown option '--colour'")
        self.refused("info", "more", message="info: unexpected argument 'more'")

    def test_options_show_their_defaults(self):
        self.assertRegex(attune("bench", "--help").stdout, r"--samples INT:INT in \[1 - 1000\]=9")
        self.refused("bench", "--samples", "0", message="bench: --samples: Value 0 not in range 1 to 1000")

    def test_demo_learns_and_shows_where_it_looked(self):
        result = attune("demo", "--updates", "800", "mirror")
        right = int(re.search(r"(\d+) of 200 new words", result.stdout)[1])
        self.assertGreater(right, 150)
        self.assertIn("mirror -> ", result.stdout)
        self.assertRegex(result.stderr, r"update  800   loss a letter 0\.\d+")
        self.refused("demo", "Mirror", message="demo: 'Mirror' is not a word of 1 to 12 small letters a to z")

    def test_bench_times_rows_by_a_part_of_their_names(self):
        result = attune("bench", "linear_1x256", "--samples", "1")
        self.assertRegex(result.stdout, r"^linear_1x256x1024 +[\d.]+ ms +[\d.]+ GFLOP/s\n$")
        self.refused("bench", "linear_1x256x102", "liner_1x256x1024",
                     message="bench: no row 'liner_1x256x1024', did you mean 'linear_1x256x1024'? (--list shows all)")

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
