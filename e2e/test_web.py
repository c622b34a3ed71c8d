"""Every page in Chromium, over a registry that the demo has filled: in each language and theme, for whoever is
signed in and for strangers.

usage: test_web.py [--reduced] [unittest's arguments]

axe-core finds nothing, nothing is refused by the Content-Security-Policy, no request leaves the server, nothing
scrolls sideways from 320 to 1920 px, and what there is is the same with and without scripts but for "Copy".
What a page may weigh is in BUDGETS. `--reduced`, as in `make check`: each page once, in a language, theme and
width that change from page to page. KOYA_WEB_ONLY names pages by a regular expression.

Golden pictures (browser/golden) are compared where Chromium's major version and the fonts are those that they
were made with; KOYA_WEB_GOLDEN=write makes them anew. KOYA_E2E_PICTURES names a folder for pictures of all pages.
Skipped, by name, without node, npm and Chromium; see koya_browser.py.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import urllib.parse

import koya_browser
import koya_e2e
import koya_pages
from koya_browser import LANGUAGES, needs_chromium
from koya_pages import EXAMINED, NETWORK, THEMES, WIDTHS
from koya_sign_in import Browser, SecureServer

REDUCED = "--reduced" in sys.argv
ONLY = re.compile(os.environ.get("KOYA_WEB_ONLY", ""))
BATCH = 40  # looks of one Chromium

KILO = 1000
MOST_REQUESTS = 4  # of a first visit: the page, style, script, icon
MOST_NODES = 600
# (beginning of the path, most): 50 rows of six columns; all there is of something, every request of a group.
MANY_NODES = (("/-/admin/audit", 900), ("/-/docs/", 1_300))
MOST_SHIFT = 0.01  # a header that is painted before its last word arrives; 0.1 is what counts as good
# What a page may weigh: (bytes, bytes as they travel). Texts of authors come on top: README, docs, files. Pages
# of errors, and those that hold a form's secret, come as they are.
BUDGET = (20 * KILO, 5_500)
BUDGETS = {
    "/modules/{namespace}/{name}/{system}": (32 * KILO, 9 * KILO),
    "/modules/{namespace}/{name}/{system}/{version}": (32 * KILO, 9 * KILO),
    "/modules/{namespace}/{name}/{system}/{version}/files/{path...}": (64 * KILO, 16 * KILO),
    "/-/docs/{name}": (44 * KILO, 10_500),
    "/-/docs/api/{name}": (40 * KILO, 6_500),
    "/-/admin/audit": (32 * KILO, 5_500),  # 50 rows of six columns
    "/providers/{namespace}/{type}/{version}/docs": (32 * KILO, 9 * KILO),
    "/providers/{namespace}/{type}/{version}/docs/{kind}/{name}": (32 * KILO, 9 * KILO),
}
# 5 kB in the brotli of the design, which Koya does not speak.
ASSETS = {"css": (20 * KILO, 6 * KILO), "js": (2 * KILO, 1 * KILO), "svg": (1 * KILO, 1 * KILO)}

GOLDEN = koya_browser.FOLDER / "golden"
MADE_WITH = GOLDEN / "made-with.json"
# (name, path, language, theme, width); of the start page without what came last, whose order is that of the
# seconds in which the demo published it.
PICTURES = (
    ("home", "/", "en", "light", 1280),
    ("home-ja-narrow", "/", "ja", "dark", 390),
    ("search", "/search?q=subnet&sort=name", "en", "dark", 1280),
    ("modules-zh", "/modules", "zh", "light", 1280),
    ("module", NETWORK, "en", "light", 1280),
    ("module-zh-narrow", "/modules/edge/waf/aws", "zh", "light", 390),
    ("inputs-ja", f"{NETWORK}/4.2.0/inputs", "ja", "light", 1280),
    ("changes", f"{NETWORK}/4.2.0/changes?from=3.1.1&to=4.2.0", "en", "light", 1280),
    ("versions-narrow", f"{NETWORK}/latest/versions", "en", "dark", 390),
    ("usage-form", f"{NETWORK}/4.2.0/usage", "en", "light", 1280),
    ("docs-dark", "/providers/kumo/inventory/2.3.1/docs/resources/host", "en", "dark", 1280),
    ("nothing-ja", "/nothing/here", "ja", "light", 1280),
)
HEIGHTS = {1280: 800, 390: 760}
# Down to what is searched for: the examples below it are of what was published last, and everything was just now.
HEIGHTS_OF_HOME = {1280: 296, 390: 336}


def words(faults):
    return "\n".join(f"{what}:\n" + "\n".join(f"    {each}" for each in told) for what, told in faults.items())


class Looking(unittest.TestCase):
    """Looks at pages, and tells all that is wrong at once."""

    def looks(self, pages, url, cookies=()):
        """The looks that a run takes of these pages, by what they are called."""
        looks = {}
        for number, page in enumerate(pages):
            if not ONLY.search(page):
                continue
            for turn, (language, theme) in enumerate((each, theme) for theme in THEMES for each in LANGUAGES):
                if REDUCED and turn != number % (len(LANGUAGES) * len(THEMES)):
                    continue
                examined = EXAMINED[number % 2:][:1] if REDUCED else EXAMINED
                looks[f"{page} ({language}, {theme})"] = {
                    "url": url + page, "language": language, "theme": theme, "cookies": list(cookies),
                    "examine": examined, "widths": WIDTHS, "tree": REDUCED or theme == "light",
                    "pictures": self.pictures(page, language, theme)}
        return looks

    def pictures(self, page, language, theme):
        folder = koya_browser.pictures_folder()
        name = re.sub(r"[^A-Za-z0-9.]+", "_", page).strip("_")[:80] or "home"
        return [{"file": str(folder / f"{name}-{language}-{theme}-{width}.png"), "width": width,
                 "height": HEIGHTS[width], "whole": True} for width in EXAMINED] if folder else []

    def look(self, looks):
        names, faults = list(looks), {}
        for begin in range(0, len(names), BATCH):
            batch = names[begin:begin + BATCH]
            _, seen = koya_pages.look([looks[name] for name in batch])
            for name, each in zip(batch, seen, strict=True):
                told = each["faults"] + ([] if "nodes" not in each else self.over_budget(each, looks[name]))
                if told:
                    faults[name] = told
            print(f"  {begin + len(batch)} of {len(names)} looks, {len(faults)} with faults", flush=True)
        self.assertFalse(faults, "\n" + words(faults))

    def over_budget(self, seen, look):
        told = []
        if seen["requests"] > MOST_REQUESTS:
            told.append(f"{seen['requests']} requests, at most {MOST_REQUESTS}")
        path = urllib.parse.urlsplit(seen["url"]).path
        most = next((most for begin, most in MANY_NODES if path.startswith(begin)), MOST_NODES)
        if seen["nodes"] > most:
            told.append(f"{seen['nodes']} elements, at most {most}")
        if seen["shift"]["sum"] > MOST_SHIFT:
            told.append(f"moves by {seen['shift']['sum']:.4f} while it is shown: {seen['shift']['moved']}")
        if not seen["lang"].startswith(look["language"]):
            told.append(f"is in {seen['lang']}")
        return told


@needs_chromium
class FilledRegistry(Looking):
    @classmethod
    def setUpClass(cls):
        koya_pages.Demo.of(cls).fill_for_tests()
        cls.patterns = koya_pages.page_patterns()
        cls.somebody, cls.stranger = cls.koya.browser(signed_in=True), cls.koya.browser()

    @classmethod
    @functools.cache
    def crawl(cls):
        ways_in = ("/", *koya_pages.WAYS_IN, koya_pages.consent_path(cls.koya))
        return koya_pages.Crawl(cls.koya, cls.somebody, cls.patterns).follow(*ways_in)

    @classmethod
    @functools.cache
    def strangers_crawl(cls):
        return koya_pages.Crawl(cls.koya, cls.stranger, cls.patterns).follow("/", "/login")

    def test_every_page_of_the_route_table_is_found(self):
        seen = {page.pattern for crawl in (self.crawl(), self.strangers_crawl()) for page in crawl.pages}
        missed = [each for each in self.patterns if each not in seen and each not in koya_pages.ELSEWHERE]
        self.assertEqual(missed, [], "no link leads there: add one to WAYS_IN, or say in ELSEWHERE where it is seen")
        self.assertEqual([each for each in koya_pages.ELSEWHERE if each not in self.patterns], [], "not there any more")

    def test_no_link_leads_nowhere(self):
        self.assertEqual(self.crawl().broken, [])
        self.assertEqual(self.strangers_crawl().broken, [])

    def test_pages_weigh_what_they_may(self):
        cookies = "; ".join(f"{each['name']}={each['value']}"
                            for each in koya_pages.cookies_of(self.somebody, self.koya))
        faults, heaviest = {}, (0, 0, "")
        for page in self.crawl().pages:
            for language in LANGUAGES:
                fields = {"Cookie": f"{cookies}; lang={language}"}
                raw, sent = koya_pages.sizes(fields, self.koya, page.path)
                heaviest = max(heaviest, (sent, raw, page.path))
                most = BUDGETS.get(page.pattern, BUDGET)
                if raw > most[0] or (sent > most[1] and sent != raw):
                    faults[f"{page.path} ({language})"] = [f"{raw} bytes, {sent} as they travel; at most {most}"]
        print(f"  the heaviest: {heaviest[2]}, {heaviest[1]} bytes, {heaviest[0]} as they travel")
        self.assertFalse(faults, "\n" + words(faults))

    def test_assets_weigh_what_they_may(self):
        page = self.stranger.open(self.koya.url + "/").body
        assets = re.findall(r'"(/-/assets/[^"]+\.(\w+))"', page)
        self.assertEqual({kind for _, kind in assets}, set(ASSETS))
        for path, kind in assets:
            raw, sent = koya_pages.sizes({}, self.koya, path)
            self.assertTrue(raw <= ASSETS[kind][0] and sent <= ASSETS[kind][1], f"{path}: {raw}, {sent}")

    def test_pages_of_whoever_is_signed_in(self):
        pages = [page.path for page in self.crawl().pages]
        self.assertGreater(len(pages), 60)
        self.look(self.looks(pages, self.koya.url, koya_pages.cookies_of(self.somebody, self.koya)))

    def test_pages_of_strangers(self):
        self.look(self.looks(["/", "/login", "/modules", "/search?q=subnet", NETWORK, "/namespaces/finance",
                              koya_pages.consent_path(self.koya)], self.koya.url))

    def test_golden_pictures(self):
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        looks = [{"url": self.koya.url + path, "language": language, "theme": theme,
                  "pictures": [{"file": str(out / f"{name}.png"), "width": width,
                                "height": (HEIGHTS_OF_HOME if path == "/" else HEIGHTS)[width]}]}
                 for name, path, language, theme, width in PICTURES]
        made_with = {"chromium": koya_pages.chromium_version().split(".")[0], "fonts": koya_pages.fonts()}
        if os.environ.get("KOYA_WEB_GOLDEN") == "write":
            koya_pages.write_golden(looks, out, GOLDEN, made_with, MADE_WITH)
        known = json.loads(MADE_WITH.read_text()) if MADE_WITH.exists() else {"chromium": "none", "fonts": {}}
        if known != made_with:
            self.skipTest(f"golden pictures are of Chromium {known['chromium']} with {known['fonts']}, "
                          f"here are {made_with['chromium']} and {made_with['fonts']}")
        koya_pages.look(looks)
        different = koya_pages.different(GOLDEN, out, [name for name, *_ in PICTURES])
        if different and (kept := koya_browser.pictures_folder()):
            for name in different:
                shutil.copy(out / f"{name}.png", kept / f"golden-{name}.png")
        self.assertEqual(different, {}, "share of pixels that differ; KOYA_WEB_GOLDEN=write makes the pictures "
                                        "anew, KOYA_E2E_PICTURES keeps what was seen")


@needs_chromium
class EmptyRegistry(Looking):
    """Before anybody has published anything, and before there is an administrator."""

    def test_pages(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        koya = SecureServer(folder / "data").start()
        self.addCleanup(koya.__exit__)
        koya_e2e.wait_until(koya.setup_file.exists, "the set-up token appears")
        new = ["/", "/-/first-run"]
        self.look(self.looks(new, koya.url))
        koya.set_up()
        browser = Browser(koya.ca)
        browser.open(f"{koya.url}/login")
        self.assertEqual(browser.sign_in().status, 200)
        pages = ["/", "/modules", "/providers", "/search?q=anything", "/-/mirror", "/-/mirror/packages"]
        self.look(self.looks(pages, koya.url, koya_pages.cookies_of(browser, koya)))


if __name__ == "__main__":
    if REDUCED:
        sys.argv.remove("--reduced")
    koya_e2e.main()
