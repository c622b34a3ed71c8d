"""Hostile Markdown shown by Chromium with scripts on and without a Content-Security-Policy: no script
runs, nothing is asked for, no form submits, and no text leaves its place in the page.

The pages are written by markup_test (src/markup/hostile_test.cc), which $KOYA_MARKUP_TEST names.
Skipped, by name, without node, npm and Chromium; see koya_browser.py.
"""
import functools
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import koya_browser
import koya_e2e
from koya_browser import needs_chromium

WRITER = os.environ.get("KOYA_MARKUP_TEST", "")
TEST = "HostileTest.WritesPagesForABrowser"
SECONDS = 240


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def examine(pages):
    """What the texts of these pages did that they may not do."""
    plan = {"chromium": koya_browser.CHROMIUM, "pages": pages}
    with tempfile.TemporaryDirectory(prefix="koya-chromium-") as home:
        run = subprocess.run(["node", "hostile.mjs"], cwd=koya_browser.FOLDER, text=True,
                             input=json.dumps(plan), capture_output=True, timeout=SECONDS,
                             env={"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"})
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@needs_chromium
@unittest.skipUnless(os.access(WRITER, os.X_OK), "KOYA_MARKUP_TEST names no program: markup_test")
class HostileMarkdown(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="koya-markup-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        handler = functools.partial(QuietHandler, directory=folder.name)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def test_does_nothing(self):
        subprocess.run([WRITER, f"--gtest_filter={TEST}"], check=True, capture_output=True,
                       timeout=SECONDS, env={**os.environ, "KOYA_MARKUP_PAGES": str(self.folder)})
        pages = sorted(self.folder.glob("*.html"), key=lambda page: int(page.stem))
        self.assertGreaterEqual(len(pages), 80)
        found = examine([f"{self.url}/{page.name}" for page in pages])
        self.assertEqual(found["seen"], len(pages))
        for fault in found["faults"]:
            name = fault["url"].rsplit("/", 1)[1]
            print(fault["what"], (self.folder / name).read_text(errors="replace"), sep="\n")
        self.assertEqual(found["faults"], [])

    def test_would_see_it(self):
        """The examination finds what it is for."""
        bad = {
            "script": "<script>alert(1)</script>",
            "event": "<img src=/here/x onerror=alert(1)>",
            "link": "<a href='javascript:alert(1)'>x</a>",
            "request": "<img src=http://127.0.0.1:9/leak.png>",
            "form": "<form action=/x><button>x</button></form>",
            "place": "</div></main><p>x</p>",
            "style": "<b style='color:red'>x</b>",
            "name": "<b id=main>x</b>",
            "refresh": "<meta http-equiv=refresh content='0;url=/other'>",
        }
        for name, text in bad.items():
            page = self.folder / f"{name}.html"
            page.write_text("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>x</title>"
                            f"</head><body><main><div class=text>{text}</div></main>"
                            "<footer id=end>end</footer></body></html>")
            with self.subTest(name):
                self.assertTrue(examine([f"{self.url}/{page.name}"])["faults"])


if __name__ == "__main__":
    koya_e2e.main()
