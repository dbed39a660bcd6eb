"""The command line as a user sees it. usage: cli_test.py ATTUNE"""
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def attune(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)


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


if __name__ == "__main__":
    unittest.main()
