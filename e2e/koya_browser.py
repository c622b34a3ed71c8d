"""Chromium, driven by Playwright, and what npm has to install for it.

node and npm come from PATH, Chromium from Debian. Where one of them is not there, or npm cannot
install what package-lock.json names, tests are skipped, and say which.
"""
import contextlib
import fcntl
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "browser"
CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser")
                 if os.access(path, os.X_OK)), None)
LANGUAGES = ("en", "ja", "zh")
INSTALL_SECONDS = 120


def pictures_folder():
    """Where pictures of pages go: $KOYA_E2E_PICTURES; None: nowhere."""
    named = os.environ.get("KOYA_E2E_PICTURES")
    if not named:
        return None
    folder = pathlib.Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def alone_in(folder):
    """Tests run at once, and npm ci removes what is installed before it installs it anew: one at a time."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


@functools.cache
def missing():
    """What is not there, in words; "" when everything is."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            return f"{program} is not on PATH (Debian: nodejs, npm)"
    with alone_in(FOLDER):
        return why_not_installed()


def why_not_installed():
    """Installs what package-lock.json names, where that is not done; why it cannot be, or nothing."""
    lock, done = FOLDER / "package-lock.json", FOLDER / "node_modules/.package-lock.json"
    if done.exists() and done.stat().st_mtime >= lock.stat().st_mtime:
        return ""
    try:
        run = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                             cwd=FOLDER, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"npm ci in e2e/browser took more than {INSTALL_SECONDS} s"
    return "" if run.returncode == 0 else f"npm ci in e2e/browser failed: {run.stderr[-300:]}"


def needs_node(test):
    """Skips a test or a class without what npm installs, when it is about to run."""
    return unittest.skipIf(missing(), missing())(test)


def needs_chromium(test):
    reason = "" if CHROMIUM else "Chromium is not installed (Debian: chromium)"
    return needs_node(unittest.skipUnless(CHROMIUM, reason)(test))


def browse(steps, language="en", scripts=False, timeout=120, foreign=None):
    """Takes the steps in a fresh browser; the pages that it saw. See browser/browse.mjs.
    `foreign`: an origin whose pages need not be as ours are."""
    pictures = pictures_folder()
    plan = {"chromium": CHROMIUM, "language": language, "scripts": scripts, "steps": steps,
            "pictures": str(pictures) if pictures else None}
    # Chromium keeps things at home; several run at once.
    with tempfile.TemporaryDirectory(prefix="koya-chromium-") as home:
        run = subprocess.run(["node", "browse.mjs"], cwd=FOLDER, input=json.dumps(plan), text=True,
                             capture_output=True, timeout=timeout,
                             env={"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"})
    assert run.returncode == 0, run.stderr
    pages = json.loads(run.stdout)["pages"]
    for page in pages:
        if foreign and page["url"].startswith(foreign):
            continue
        assert not page["violations"], page
        assert not page["overflows"], f"wider than its window: {page}"
    return pages
