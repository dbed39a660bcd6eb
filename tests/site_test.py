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

    def test_both_languages_have_the_same_parts(self):
        """Headings, tables, lists, blocks of code, formulas and pictures, in one order."""
        parts = re.compile(r"<(h[1-6]|tr|li|pre|img|iframe|details|span class=.katex-display)\b")
        for name, page in self.pages.items():
            if chinese := self.pages.get(name.replace(".html", ".zh-CN.html")):
                self.assertEqual(parts.findall(page), parts.findall(chinese), name)

    def test_what_is_wider_than_a_phone_scrolls_with_the_keyboard(self):
        for name, page in self.pages.items():
            if name != "live.html":
                self.assertNotRegex(page, r'<pre>|<span class="katex-display">', name)

    def test_formulas_are_rendered(self):
        page = self.pages["docs/course/03-bahdanau.html"]
        self.assertIn('class="katex-display" tabindex="0"', page)
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
