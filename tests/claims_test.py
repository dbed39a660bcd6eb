"""Small files of other toolkits that claim to be large. usage: claims_test.py ATTUNE"""
import json
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROGRAM = sys.argv.pop(1)


class Claims(unittest.TestCase):
    """Files of less than a kilobyte that claim to hold ten gigabytes or more, in a process that cannot have four."""
    MEMORY = 4 << 30

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-claims-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def refused(self, path, reason, *more):
        size = path.stat().st_size if path.is_file() else sum(file.stat().st_size for file in path.iterdir())
        self.assertLess(size, 1024)
        out = self.folder / "out"
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (self.MEMORY, self.MEMORY))
        done = subprocess.run([PROGRAM, "convert", str(path), str(out), *map(str, more)], capture_output=True, text=True,
                              timeout=60, preexec_fn=limit)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertFalse(out.exists())

    def npz(self, shape, stated=None):
        """`Wemb` of that shape with sixteen bytes; `stated`: the length that the directory of the file gives."""
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        array_ = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(16)
        options = b"type: transformer\ndim-vocabs:\n  - 2\n  - 2\ntied-embeddings-all: true\n\0"
        settings = b"{'descr': '|i1', 'fortran_order': False, 'shape': (%d,), }\n" % len(options)
        path = self.folder / "model.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("special:model.yml.npy",
                          b"\x93NUMPY\x01\x00" + struct.pack("<H", len(settings)) + settings + options)
            file.writestr("Wemb.npy", array_)
        if stated:
            content = bytearray(path.read_bytes())
            struct.pack_into("<I", content, content.rindex(b"PK\x01\x02") + 24, stated)
            path.write_bytes(content)
        (self.folder / "both.yml").write_text("</s>: 0\n<unk>: 1\n")
        return path

    def test_npz(self):
        vocabulary = ["--vocabs", self.folder / "both.yml"]
        self.refused(self.npz("(2500000000, 1)"), "does not fit the 16 bytes", *vocabulary)
        self.refused(self.npz("(2, 2)", 0xFFFFFFF0), "claims to have 4294967280 bytes", *vocabulary)

    def test_safetensors(self):
        folder = self.folder / "hub"
        folder.mkdir()
        sizes = {"model_type": "gpt2", "n_embd": 50000, "n_layer": 1, "n_head": 1, "n_positions": 8, "vocab_size": 50000}
        (folder / "config.json").write_text(json.dumps(sizes))
        (folder / "vocab.json").write_text('{"a": 0}')
        (folder / "merges.txt").write_text("")
        header = json.dumps({"wte.weight": {"dtype": "F32", "shape": [50000, 50000], "data_offsets": [0, 10**10]}})
        for length in (len(header), 10**10):
            content = struct.pack("<Q", length) + header.encode() + bytes(16)
            (folder / "model.safetensors").write_bytes(content)
            self.refused(folder, "model.safetensors")

    def test_ctranslate2(self):
        folder = self.folder / "ct2"
        folder.mkdir()
        text = lambda value: struct.pack("<H", len(value) + 1) + value.encode() + b"\0"
        (folder / "shared_vocabulary.json").write_text('["<unk>", "<s>", "</s>"]')
        for count, rows, columns, stated, reason in (
                (1, 50000, 50000, 16, "'w' has more numbers than the file has bytes"),
                (1, 2, 2, 0xFFFFFFFF, "'w' has 4 numbers, but 4294967295 bytes"),
                (0xFFFFFFFF, 2, 2, 16, "the file ends within a variable's name")):
            variable = text("w") + struct.pack("<BIIBI", 2, rows, columns, 0, stated) + bytes(16)
            (folder / "model.bin").write_bytes(struct.pack("<I", 6) + text("TransformerSpec") +
                                               struct.pack("<II", 7, count) + variable)
            self.refused(folder, reason)

    def test_llama2c(self):
        (self.folder / "tok.bin").write_bytes(bytes(20))
        path, most = self.folder / "model.bin", 1 << 20
        wraps = (most, 699047, most, most // 2, 2, most - 1, 2)  # 2^62 + 4 numbers: modulo 2^64, 16 bytes
        for sizes in ((4096, 16384, 32, 32, 32, 2, 2048), (4, 4, 1, 1, 1, most, 4), wraps):
            path.write_bytes(struct.pack("<7i", *sizes) + bytes(16))
            self.refused(path, "model.bin: byte 28: the model's sizes require")


if __name__ == "__main__":
    unittest.main()
