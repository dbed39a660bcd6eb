"""The site of the course and the guide: every link of every page leads somewhere, both languages are there, and nothing is loaded
from elsewhere. usage: site_test.py NODE NPM"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

NPM = sys.argv.pop(2)
NODE = sys.argv.pop(1)
SITE = pathlib.Path(__file__).resolve().parent.parent / "docs/site"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="attune-site-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        fetched, wanted = SITE / "node_modules/.package-lock.json", SITE / "package-lock.json"
        if not fetched.exists() or fetched.stat().st_mtime < wanted.stat().st_mtime:
            subprocess.run([NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=SITE, check=True)
        live = cls.folder / "page.html"
        live.write_text("<!DOCTYPE html><title>live</title>")
        cls.out = cls.folder / "site"
        cls.built = subprocess.run([NODE, str(SITE / "build.mjs"), str(cls.out), str(live)], capture_output=True, text=True)
        cls.pages = {path.relative_to(cls.out).as_posix(): path.read_text() for path in cls.out.rglob("*.html")}

    def test_every_link_leads_somewhere(self):
        self.assertEqual(self.built.returncode, 0, self.built.stderr)

    def test_course_and_guide_are_there_in_both_languages(self):
        for folder in ("docs/course", "docs/guide"):
            english = {name[:-5] for name in self.pages if re.fullmatch(folder + r"/[^/.]+\.html", name)}
            chinese = {name[:-11] for name in self.pages if re.fullmatch(folder + r"/[^/.]+\.zh-CN\.html", name)}
            self.assertGreater(len(english), 9, folder)
            self.assertEqual(english, chinese, folder)

    def test_formulas_are_rendered(self):
        page = self.pages["docs/course/03-bahdanau.html"]
        self.assertIn('class="katex-display"', page)
        self.assertNotIn("$$", page)

    def test_nothing_is_loaded_from_elsewhere(self):
        loading = re.compile(r'(?:src|<link[^>]*href)="(?:https?:)?//')
        for name, page in self.pages.items():
            if name.startswith("docs/"):
                self.assertIsNone(loading.search(page), name)
        self.assertNotRegex((self.out / "style.css").read_text() + (self.out / "katex/katex.min.css").read_text(), r"url\((https?:)?//")

    def test_the_live_page_is_embedded(self):
        self.assertIn('<iframe src="../../live.html#language=en', self.pages["docs/course/README.html"])
        self.assertIn("language=zh", self.pages["docs/course/README.zh-CN.html"])
        self.assertTrue((self.out / "live.html").exists())


if __name__ == "__main__":
    unittest.main()
