"""What a user may do wrong: every case has a message that says where, and an exit code.
usage: bad_input_test.py ATTUNE"""
import os
import shutil
import subprocess
import unittest

from small_models import PROGRAM, ModelTest, run, sentences


class BadInput(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.train_reversers()

    def translated(self, text, *options, model=None):
        return self.done("translate", "-m", model or self.rnn, *options, text=text)

    def test_lines_that_are_no_text_stop_or_are_skipped_or_copied(self):
        text = b"a b\nc \xff d\ne\0f\nb a\n"
        stopped = run("translate", "-m", self.rnn, text=text)
        self.assertEqual((stopped.returncode, stopped.out), (2, "b a\n"))
        self.assertIn("line 2: byte 3 is not UTF-8; --on-error skip or copy continues", stopped.err)
        skipped = run("translate", "-m", self.rnn, "--on-error", "skip", text=text)
        self.assertEqual((skipped.returncode, skipped.out.splitlines()[1:3]), (0, ["", ""]))
        self.assertIn("line 3: byte 2 is NUL", skipped.err)
        copied = run("translate", "-m", self.rnn, "--on-error", "copy", text=text)
        self.assertEqual(copied.stdout.split(b"\n")[1:3], [b"c \xff d", b"e\0f"])

    def test_a_bad_line_stops_at_once_though_the_pipe_is_open(self):
        process = subprocess.Popen([PROGRAM, "translate", "-m", self.rnn], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(b"a b\n\xff\n")
        process.stdin.flush()
        self.assertEqual(process.wait(timeout=120), 2)
        self.assertIn(b"line 2: byte 1 is not UTF-8", process.stderr.read())
        process.stdin.close()
        process.stderr.close()

    def test_a_million_characters(self):
        options = ["--beam-size", "1", "--max-length", "4"]
        one_word = self.translated("x" * 1_000_000 + "\na b c\n", *options)
        self.assertEqual(one_word.splitlines()[1], "c b a")
        result = run("translate", "-m", self.rnn, *options, text="a b c d " * 125_000 + "\na b c\n")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.err, r"^attune: line 1 is longer than the model can read \(1000 tokens\): it was cut into "
                                     r"\d+ parts\n$")
        self.assertEqual(result.out.splitlines()[1], "c b a")

    def test_a_line_longer_than_the_model_reads_is_cut_with_a_warning(self):
        line = " ".join(sentences(9, 30))
        result = run("translate", "-m", self.transformer, text=line + "\na b\n")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.err, r"^attune: line 1 is longer than the model can read \(16 tokens\): it was cut into \d+ parts\n$")
        self.assertEqual(len(result.out.splitlines()), 2)

    def test_unknown_characters_are_translated(self):
        self.assertEqual(len(self.translated("\U0001F600 ß 你好\n\u0301\n").splitlines()), 2)

    def test_no_input_gives_no_output(self):
        self.assertEqual(self.translated(""), "")
        self.assertEqual(self.translated("\n"), "\n")

    def test_a_closed_output_ends_it_quietly(self):
        command = f"yes 'a b c' | {PROGRAM} translate -m {self.rnn} | head -n 2"
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.stdout, result.stderr), ("c b a\n" * 2, ""))

    def test_an_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "translate", "-m", self.rnn], input=b"a b\n", stdout=full, capture_output=False,
                                    stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (1, b"attune: the output cannot be written: No space left on device\n"))

    def copy_of(self, model, name):
        folder = self.folder / name
        shutil.copytree(model / "last", folder)
        return folder

    def test_a_model_folder_that_lacks_a_file(self):
        for name, message in (("config.json", "it has no config.json"), ("weights.safetensors", "weights.safetensors"),
                              ("vocab.txt", "there is no such vocabulary file")):
            folder = self.copy_of(self.rnn, f"without-{name}")
            os.remove(folder / name)
            self.refused("translate", "-m", folder, text="a\n", message=message)

    def test_a_model_folder_with_a_file_of_another_model(self):
        folder = self.copy_of(self.rnn, "other-weights")
        shutil.copy(self.transformer / "last/weights.safetensors", folder)
        self.refused("translate", "-m", folder, text="a\n", message="weights.safetensors")
        folder = self.copy_of(self.rnn, "other-vocabulary")
        (folder / "vocab.txt").write_text("attune vocabulary 1 word 4\n<unk>\tspecial\n<s>\tspecial\n</s>\tspecial\na\t1\n")
        self.refused("translate", "-m", folder, text="a\n", message="weights.safetensors")
        self.refused("translate", "-m", self.rnn, "-m", self.train_other(), text="a\n",
                     message="have different vocabularies and cannot be combined")

    def train_other(self):
        return self.train("other", [["x y", "y x"], ["y", "x"]], "--type", "rnn", "--embedding", "4", "--hidden", "4", "--after",
                          "1u", "--vocab-kind", "word")

    def test_a_damaged_model_folder(self):
        for name in ("config.json", "weights.safetensors", "vocab.txt"):
            folder = self.copy_of(self.rnn, f"cut-{name}")
            data = (folder / name).read_bytes()
            (folder / name).write_bytes(data[: len(data) // 2])
            self.refused("translate", "-m", folder, text="a\n", message=name)

    def test_wrong_use_is_refused(self):
        for arguments, message in (([], "--model is required"),
                                   (["-m", self.folder / "none"], "there is no such model folder"),
                                   (["-m", self.rnn, "--beam-size", "0"], "beam_size: must be positive"),
                                   (["-m", self.rnn, "--beam", "3"], "did you mean"),
                                   (["-m", self.rnn, "--alignment", "medium"], "hard, soft, or a threshold"),
                                   (["-m", self.rnn, "--alignment", "1.5"], "hard, soft, or a threshold"),
                                   (["-m", self.rnn, "--on-error", "cry"], "--on-error"),
                                   (["-m", self.rnn, "--temperature", "0"], "temperature: must be at least 0.001"),
                                   (["-m", self.rnn, "--top-p", "2"], "top_p: must be above 0 and at most 1"),
                                   (["-m", self.rnn, "--max-length", "-3"], "max_length: must be positive"),
                                   (["-m", self.rnn, "--max-length", "many"], "should be a whole number"),
                                   (["-m", self.rnn, "--n-best", "9", "--beam-size", "2"], "raise beam_size"),
                                   (["-m", self.rnn, "--mini-batch-words", "0"], "--mini-batch-words"),
                                   (["-m", self.rnn, "--cpu-threads", "-1"], "--cpu-threads"),
                                   (["-m", self.rnn, "--weights", "1", "2"], "there are 1 models, but 2 weights"),
                                   (["-m", self.rnn, "--weights", "-1"], "weights must be positive"),
                                   (["-m", self.rnn, "--prefix", self.folder / "none"], "cannot open it")):
            self.refused("translate", *arguments, text="a\n", message=message)

    def test_memory_does_not_grow_with_the_input(self):
        def peak(count):
            command = f"yes 'a b c' | head -n {count} | /usr/bin/env python3 -c '{SCRIPT}' {PROGRAM} {self.rnn}"
            return int(subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=100).stdout)
        self.assertLess(peak(12_000), peak(2_000) + 20_000)  # kB


SCRIPT = ("import resource, subprocess, sys; "
          "subprocess.run([sys.argv[1], \"translate\", \"-m\", sys.argv[2], \"-b\", \"1\"], stdout=subprocess.DEVNULL); "
          "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")

if __name__ == "__main__":
    unittest.main()
