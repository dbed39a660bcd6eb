"""The demos, cut short. usage: demo_test.py ATTUNE LIBREOFFICE_PAIRS"""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

PAIRS = sys.argv.pop(2)
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, **options):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=240, **options)


class Dates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.home.name) / "with blank"
        cls.result = run(PROGRAM, "demo", "--updates", 1, "--seed", 7, "--folder", cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def test_it_says_what_it_did_and_nothing_else(self):
        self.assertEqual((self.result.returncode, self.result.stderr), (0, ""))
        for name in ("Bahdanau", "Transformer"):
            self.assertRegex(self.result.stdout, rf"(?m)^  {name} +[\d,]+ parameters  ▁ +\d+ s +\d+\.\d% of 1,000 new dates right$")
        self.assertEqual(len(re.findall(r"(?m)^  .*(?: [✓✗] .*){2}$", self.result.stdout)), 6)
        self.assertNotIn("\033", self.result.stdout)

    def test_columns_stand_below_one_another_in_every_language(self):
        lines = re.findall(r"(?m)^  (.*?)  \d{4}-\d\d-\d\d(?: \d\d:\d\d)?$", self.result.stdout)
        self.assertEqual(len(lines), 6)
        wide = re.compile("[\u3000-\u9fff\uff00-\uffef]")
        self.assertEqual(len({len(line) + len(wide.findall(line)) for line in lines}), 1)

    def test_the_page_has_both_models_for_all_dates(self):
        page = (self.folder / "attention.html").read_text("utf-8")
        packed = json.loads(re.search(r'(?s)id="attune-data">(.*?)</script>', page)[1])["deflated"]
        text = zlib.decompress(base64.b64decode(packed)).decode()
        data = json.loads(text)
        self.assertEqual([len(sentence["models"]) for sentence in data["sentences"]], [2] * 6)
        self.assertIn("二〇二六年十一月十六日下午三点半", text)
        self.assertLessEqual(len(page.encode()), 700_000)
        self.assertNotIn(str(self.folder), text)
        # A beam, whose tree branches; runs with attention that emerges; both languages.
        parents = [node["parent"] for node in data["sentences"][0]["models"][0]["tree"]]
        self.assertGreater(len(parents), len(set(parents)))
        self.assertEqual([run["name"] for run in data["runs"]], ["Bahdanau", "Transformer"])
        for run_of_page in data["runs"]:
            seen = json.loads(run_of_page["validations"][0]["attention"])
            self.assertEqual({layer["kind"] for layer in seen["layers"]}, {"cross"})
        self.assertEqual((data["opens"], data["title"]["zh"]), ("training", "两个模型学读日期"))

    def test_what_it_says_to_type_next_works(self):
        command = re.search(r"(?m)^    \S+ (train .*/bahdanau\.yml --attention general --model .*)$", self.result.stdout)[1]
        command = command.replace(str(self.folder), ".").split()
        result = run(PROGRAM, *command, "--after", "1u", "--valid-freq", "0", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "general/last/config.json").is_file())

    def test_a_second_demo_begins_anew(self):
        result = run(PROGRAM, "demo", "--updates", 1, "--seed", 7, "--folder", self.folder)
        measured = lambda text: re.findall(r"([\d.]+% of|[✓✗] .*)", text)
        self.assertEqual(measured(result.stdout), measured(self.result.stdout))

    def test_own_text_is_shown_at_the_beginning_and_at_the_end(self):
        config = self.folder / "own.yml"
        files = {name: f"[{self.folder}/{name}.written, {self.folder}/{name}.iso]" for name in ("train", "valid")}
        config.write_text(f"type: rnn\nhidden: 8\nvocab_kind: char\nmini_batch: 2\ntrain_sets: {files['train']}\n"
                          f"valid_sets: {files['valid']}\nmodel: {self.folder}/own\n")
        result = run(PROGRAM, "demo", "--config", config, "--minutes", 0.001)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for word in ("at first", "now", "reference"):
            self.assertGreaterEqual(len(re.findall(rf"(?m)^    {word} ", result.stdout)), 6)
        self.assertTrue((self.folder / "own/attention.html").is_file())
        again = run(PROGRAM, "demo", "--config", config, "--minutes", 0.001)
        self.assertEqual(again.returncode, 2)
        self.assertIn("has already been trained for 0.001 minutes", again.stderr)

    def test_wrong_use_is_refused(self):
        self.assertIn("--minutes requires --config", run(PROGRAM, "demo", "--minutes", 3).stderr)
        self.assertEqual(run(PROGRAM, "demo", "--updates", -1).returncode, 2)


class Pairs(unittest.TestCase):
    def test_paragraphs_are_matched_by_file_and_id(self):
        english = """<p id="par_id1">Click <span class="emph">Save</span>
            <img alt="no"> <span class="MAC">on a <b>Mac</b></span><span>here</span>.</p>
            <h2 id="hd_id2">Tables</h2><p id="par_id3">Only English</p><p id="par_id4">same</p><p>no id</p>"""
        chinese = """<p id="par_id1">点击<span class="emph">保存</span><span class="MAC">苹果</span>。</p>
            <h2 id="hd_id2">表格</h2><p id="par_id4">same</p>"""
        with tempfile.TemporaryDirectory() as home:
            folder = pathlib.Path(home)
            for package, name, text in (("libreoffice-help-en-us", "en-US", english),
                                        ("libreoffice-help-zh-cn", "zh-CN", chinese)):
                page = folder / package / "usr/share/libreoffice/help" / name / "text/a/b.html"
                page.parent.mkdir(parents=True)
                page.write_text(text, "utf-8")
            result = run(sys.executable, PAIRS, folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            pairs = list(zip(*[(folder / f"valid.{code}").read_text("utf-8").splitlines() for code in ("en", "zh")]))
            self.assertEqual(sorted(pairs), [("Click Save here.", "点击保存。"), ("Tables", "表格")])


if __name__ == "__main__":
    unittest.main()
