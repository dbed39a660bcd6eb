"""check_layers accepts a good tree and refuses each kind of bad one. usage: layers_test.py CHECK_LAYERS"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)


class Layers(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            result = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return result.returncode, result.stdout

    def refused(self, name, text, message):
        status, output = self.check({name: text})
        self.assertEqual(status, 1)
        self.assertIn(message, output)

    def test_a_good_tree_passes(self):
        status, output = self.check({
            "include/attune/tensor.h": '#include <vector>\n#include "attune/shape.h"\n',
            "src/ops/softmax.cpp": '#include <dnnl.h>\n#include "attune/ops.h"\n#include "tensor/arena.h"\n',
            "src/ops/softmax_test.cpp": '#include <gtest/gtest.h>\n#include "testing/op_check.h"\n',
            "src/ops/softmax_cases.cpp": '#include "attune/ops/norms.h"\n#include "testing/operation.h"\n',
            "src/cli/verbs/train.cpp": '#include "train/trainer.h"\n',
            "bench/loss.cpp": '#include "testing/op_case.h"\n',
        })
        self.assertEqual(status, 0, output)

    def test_includes_that_point_upwards_are_refused(self):
        self.refused("src/base/log.h", '\n#include "tensor/arena.h"\n', "src/base/log.h:2: base may not include tensor")
        self.refused("src/tensor/a.cpp", '#include "attune/ops.h"\n', "tensor may not include ops; it sees base")
        self.refused("src/decode/search/beam.cpp", '#include "train/loss.h"\n', "decode may not include train")
        self.refused("src/text/a.cpp", '#include "config/fields.h"\n', "text may not include config; it sees base")
        self.refused("src/ops/a.cpp", '#include "testing/op_case.h"\n', "ops may not include testing")
        self.refused("src/train/a.cpp", '#include "cli/verb.h"\n', "train may not include cli")

    def test_rooms_of_a_house_have_layers_of_their_own(self):
        self.refused("src/serve/http/a.cpp", '#include "serve/api/routes.h"\n', "serve/http may not include serve; it sees base")
        self.refused("src/serve/markup/a.cpp", '#include "serve/engine/a.h"\n', "serve/markup may not include serve/engine")
        status, output = self.check({
            "src/serve/api/a.cpp": '#include "serve/http/a.h"\n#include "serve/api/b.h"\n#include "serve/engine/c.h"\n',
            "src/serve/http/a_test.cpp": '#include "serve/api/fixture.h"\n',
            "src/decode/search/a.cpp": '#include "decode/b.h"\n',
        })
        self.assertEqual(status, 0, output)

    def test_full_rooms_are_refused(self):
        room = {f"src/base/a{i}.{suffix}": "" for i in range(26) for suffix in ("h", "cpp")}
        status, output = self.check(room)
        self.assertEqual(status, 1)
        self.assertIn("src/base:1: 26 sources, at most 25", output)
        del room["src/base/a7.h"], room["src/base/a7.cpp"]
        self.assertEqual(self.check(room)[0], 0)

    def test_public_headers_stand_on_their_own(self):
        self.refused("include/attune/tensor.h", '#include "base/check.h"\n', "only the standard library")
        self.refused("include/attune/tensor.h", "#include <fmt/core.h>\n", "only the standard library")
        self.refused("include/attune/rows.h", '#include "attune/ops.h"\n', "tensor may not include ops")
        self.refused("include/attune/new.h", "", "belongs to no layer")

    def test_onednn_stays_in_ops(self):
        self.refused("src/nn/linear.cpp", "#include <oneapi/dnnl/dnnl.hpp>\n", "only ops and bench do")

    def test_long_files_are_refused(self):
        self.refused("src/base/a.cpp", "\n" * 401, "src/base/a.cpp:401: 401 lines, at most 400")
        self.refused("include/attune/ops.h", "\n" * 151, "151 lines, at most 150")

    def test_unknown_folders_are_refused(self):
        self.refused("src/misc/a.cpp", "", "belongs to no layer")
        self.refused("src/base/a.cpp", '#include "check.h"\n', 'as in "base/check.h"')


if __name__ == "__main__":
    unittest.main()
