"""Where output goes: devices, links, full disks, closed descriptors. usage: output_test.py ATTUNE"""
import os
import resource
import stat
import subprocess
import threading
import unittest

from small_models import PROGRAM, ModelTest, lines, run, sentences

FULL = b"the output cannot be written: No space left on device"


class Output(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.train_reversers()
        (cls.folder / "hyp").write_text(lines(sentences(3, 50)))

    def commands(self):
        """Every verb that writes to stdout."""
        hypotheses = self.folder / "hyp"
        return [["--help"], ["--version"], ["translate", "--help"], ["info"],
                ["evaluate", hypotheses, "-r", hypotheses], ["evaluate", hypotheses, "-r", hypotheses, "--sentence-level", "--json"],
                ["attend", "-m", self.transformer, "--source", "a b", "--format", "html"],
                ["attend", "-m", self.transformer, "--source", "a b"],
                ["vocab", "--encode", self.folder / "vocab.txt"],
                ["check", "-t", self.folder / "rnn.0", self.folder / "rnn.1", "-m", self.folder / "none", "--type", "rnn",
                 "--after", "1u"],
                ["train", "-t", self.folder / "rnn.0", self.folder / "rnn.1", "-m", self.folder / "none", "--type", "rnn",
                 "--after", "1u", "--dump-config"],
                ["score", "-m", self.rnn, self.folder / "rnn.0", self.folder / "rnn.1", "--summary"]]

    def test_a_full_disk_is_a_failure(self):
        for command in self.commands():
            with open("/dev/full", "wb") as full:
                result = subprocess.run([PROGRAM, *map(str, command)], input=b"a b\n", stdout=full, stderr=subprocess.PIPE, timeout=100)
            self.assertEqual(result.returncode, 1, command)
            self.assertIn(b"No space left on device", result.stderr, command)
            self.assertNotIn(b"terminate", result.stderr, command)

    def test_a_closed_output_or_input_is_a_failure(self):
        for command in self.commands():
            result = subprocess.run([PROGRAM, *map(str, command)], input=b"a b\n", stderr=subprocess.PIPE, timeout=100,
                                    preexec_fn=lambda: os.close(1))
            self.assertEqual(result.returncode, 1, command)
        for verb in ("translate", "score", "generate", "attend"):
            result = subprocess.run([PROGRAM, verb, "-m", self.rnn], capture_output=True, timeout=60,
                                    preexec_fn=lambda: os.close(0))
            self.assertIn(result.returncode, (1, 2), verb)
            self.assertNotEqual(result.stderr, b"", verb)

    def test_devices_and_links_stay_what_they_are(self):
        link, target = self.folder / "link.html", self.folder / "页面.html"
        link.symlink_to(target.name)
        self.done("attend", "-m", self.transformer, "--source", "a b", "--format", "html", "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertIn("<html", target.read_text())
        for name in ("vocab", "attend"):
            pipe = self.folder / f"{name}.pipe"
            os.mkfifo(pipe)
            read = []
            reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
            reader.start()
            if name == "vocab":
                result = run("vocab", "-t", self.folder / "rnn.0", "--kind", "word", "-o", pipe)
            else:
                result = run("attend", "-m", self.transformer, "--source", "a b", "-o", pipe)
            self.assertEqual(result.returncode, 0, result.err)
            reader.join(timeout=60)
            self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
            self.assertGreater(len(read[0]), 10)
        full = run("attend", "-m", self.transformer, "--source", "a b", "-o", "/dev/full")
        self.assertEqual(full.returncode, 1, full.err)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_memory_of_evaluate_does_not_grow_with_the_input(self):
        def peak(count):
            text = self.folder / f"{count}"
            text.write_text("a b c d e f g h\n" * count)
            command = [PROGRAM, "evaluate", text, "-r", text, "-m", "bleu", "chrf"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            status = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status[1])
            self.assertEqual(process.returncode, 0)
            return status[2].ru_maxrss  # kB

        self.assertLess(peak(200_000), peak(5_000) + 20_000)

    def test_absurd_numbers_are_refused(self):
        for options, message in ((["--beam-size", "1000000"], "beam_size: must be at most 10000, but is 1000000"),
                                 (["--max-length", "10000000000"], "max_length: must be at most"),
                                 (["--cpu-threads", "100000"], "must be a number from 0 to 1024, but is 100000"),
                                 (["--cpu-threads", "-1"], "must be a number from 0 to 1024, but is -1"),
                                 (["--temperature", "1e-40"], "temperature: must be at least 0.001"),
                                 (["--normalize", "nan"], "normalize: must be a number, but is nan")):
            self.refused("translate", "-m", self.rnn, *options, text="a\n", message=message)
        self.refused("serve", "-m", self.rnn, "--cpu-threads", "100000", text="", message="not in range 0 to 1024")
        self.refused("score", "-m", self.rnn, "--normalize", "nan", text="a\tb\n", message="normalize: must be a number")

    def test_a_killed_quantize_leaves_nothing_for_the_next(self):
        folder = self.folder / "killed"
        folder.mkdir()
        stale = folder / ".small.attune-tmp-99999999-1"
        stale.mkdir()
        (stale / "weights.safetensors").write_text("half")
        self.assertEqual(run("quantize", self.rnn, folder / "small").returncode, 0)
        self.assertEqual([path.name for path in folder.iterdir()], ["small"])


if __name__ == "__main__":
    unittest.main()
