"""Manual pages and completions tell what --help tells. usage: manual_test.py ATTUNE"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


def attune(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout


def completed(line, shell="bash"):
    """What bash offers after this line."""
    script = attune("completion", "bash")
    words = line.split(" ")
    array = " ".join(f"'{word}'" for word in words)
    code = f"{script}\nCOMP_WORDS=({array})\nCOMP_CWORD={len(words) - 1}\n_attune\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    return subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, check=True).stdout.split()


# zsh completes at a terminal only, so it gets one (zpty). What its widgets offer goes through compadd.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PROMPT= ; autoload -Uz compinit; compinit -D -u; source ./_attune; compdef _attune attune
compadd() {
  local -a offered
  [[ ${(M)@:#-[OAD]} ]] || { builtin compadd -O offered "$@"; print -rl -- $offered >>offered }
  builtin compadd "$@"
}
finished() { print >finished }; comppostfuncs=(finished); bindkey "^I" complete-word; print >ready'
while [[ ! -f ready ]] sleep 0.05
zpty -w -n shell $1$'\t'
while [[ ! -f finished ]] sleep 0.05
zpty -d shell
cat offered
"""


class Manual(unittest.TestCase):
    verbs = [line.split()[0] for line in attune("--help").splitlines() if line.startswith("  ")]

    def test_every_verb_has_a_page_with_its_options(self):
        with tempfile.TemporaryDirectory() as folder:
            attune("manual", "--folder", folder)
            pages = {path.name for path in pathlib.Path(folder).iterdir()}
            self.assertEqual(pages, {"attune.1", *(f"attune-{verb}.1" for verb in self.verbs)})
            overview = (pathlib.Path(folder) / "attune.1").read_text()
            for verb in self.verbs:
                self.assertIn(f"\\fB{verb}\\fR", overview)
                page = (pathlib.Path(folder) / f"attune-{verb}.1").read_text().replace("\\-", "-")
                for option in re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", attune(verb, "--help")):
                    self.assertIn(f"\\fB{option}\\fR", page, verb)
                self.assertNotIn("[[]]", page, verb)
                self.assertFalse([line for line in page.splitlines() if line.startswith((".", "'")) and not
                                  re.match(r"\.(TH|SH|SS|TP|BR|nf|fi)\b", line)], verb)

    def test_pages_are_troff_that_man_accepts(self):
        for verb in ("", "train", "translate", "evaluate"):
            page = attune("manual", *([verb] if verb else []))
            result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-K", "utf8"], input=page, capture_output=True, text=True,
                                    check=True)
            self.assertEqual(result.stderr, "", verb)

    def test_an_unknown_verb_is_refused(self):
        result = subprocess.run([PROGRAM, "manual", "trian"], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (2, "attune: manual: there is no verb 'trian'\n"))

    def test_bash_completes_verbs_options_and_words(self):
        self.assertEqual(completed("attune tra"), ["train", "translate"])
        self.assertIn("--beam-size", completed("attune translate --be"))
        self.assertEqual(completed("attune train --lr-schedule cos"), ["cosine"])
        self.assertEqual(completed("attune attend --format sv"), ["svg"])
        self.assertEqual(completed("attune translate new"), [])  # bash then offers files

    def test_other_shells_know_all_options(self):
        for shell in ("zsh", "fish"):
            script = attune("completion", shell)
            for verb in self.verbs:
                self.assertIn(verb, script)
            self.assertIn("beam-size", script)
            result = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""), shell)

    def test_fish_completes_verbs_options_words_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "new.en").touch()
            (pathlib.Path(folder) / "attune.fish").write_text(attune("completion", "fish"))
            for line, expected in {"attune tra": ["train", "translate"], "attune translate --be": ["--beam-size"],
                                   "attune train --lr-schedule cos": ["cosine"], "attune translate new": ["new.en"]}.items():
                found = subprocess.run(["fish", "--no-config", "-c", "source attune.fish; complete -C $argv[1]", line], cwd=folder,
                                       capture_output=True, text=True, check=True, env=os.environ | {"HOME": folder}).stdout
                self.assertEqual([one.split("\t")[0] for one in found.splitlines()], expected)

    def test_zsh_completes_verbs_options_words_and_files(self):
        for line, expected in {"attune tra": ["train", "translate"], "attune translate --be": ["--beam-size"],
                               "attune train --lr-schedule cos": ["cosine"], "attune translate new": ["new.en"]}.items():
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "new.en").touch()
                (pathlib.Path(folder) / "_attune").write_text(attune("completion", "zsh"))
                found = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", line], cwd=folder, capture_output=True, text=True, check=True,
                                       timeout=60, env=os.environ | {"HOME": folder, "TERM": "dumb"}).stdout
                self.assertEqual(found.split(), expected, line)


if __name__ == "__main__":
    unittest.main()
