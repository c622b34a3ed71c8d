#!/usr/bin/env python3
"""Makes the pictures of docs/pictures, over a registry that the demo has filled.

usage: web_pictures.py FOLDER

Wanted: node, npm and Chromium, as the tests of pages (koya_browser.py).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import koya_browser
import koya_pages
from koya_pages import NETWORK

QUALITY = 0.85
MOST_BYTES = 2_000_000  # of all together
# (name, path, language, theme, width, height)
PICTURES = (
    ("home", "/", "en", "light", 1280, 900),
    ("home-narrow-dark-ja", "/", "ja", "dark", 390, 844),
    ("search", "/search?q=subnet", "en", "light", 1280, 900),
    ("module", NETWORK, "en", "light", 1280, 1000),
    ("module-zh", "/modules/edge/waf/aws", "zh", "light", 1280, 900),
    ("inputs-dark", f"{NETWORK}/4.2.0/inputs", "en", "dark", 1280, 1000),
    ("changes", f"{NETWORK}/4.2.0/changes?from=3.1.1&to=4.2.0", "en", "light", 1280, 900),
    ("usage-form-ja", f"{NETWORK}/4.2.0/usage?name=payments-prod&cidr=10.40.0.0%2F16", "ja", "light", 1280, 1000),
    ("versions-narrow", f"{NETWORK}/latest/versions", "en", "light", 390, 844),
    ("provider-dark", "/providers/kumo/inventory", "en", "dark", 1280, 1000),
    ("provider-docs", "/providers/kumo/inventory/2.3.1/docs/resources/host", "en", "light", 1280, 900),
    ("mirror", "/-/mirror", "en", "light", 1280, 900),
)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    if why := koya_browser.missing() or ("" if koya_browser.CHROMIUM else "Chromium is not installed"):
        sys.exit(f"pictures: {why}")
    out = pathlib.Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="koya-pictures-") as folder:
        with koya_pages.Demo(pathlib.Path(folder) / "data") as koya:
            koya.fill()
            looks = [{"url": koya.url + path, "language": language, "theme": theme, "pictures": [
                {"file": f"{folder}/{name}.png", "width": width, "height": height}]}
                for name, path, language, theme, width, height in PICTURES]
            koya_pages.look(looks)
        for old in out.glob("*.webp"):
            old.unlink()
        shrink([[f"{folder}/{name}.png", str(out / f"{name}.webp")] for name, *_ in PICTURES])
    size = sum(picture.stat().st_size for picture in out.glob("*.webp"))
    print(f"{len(PICTURES)} pictures, {size:,} bytes, in {out}")
    if size > MOST_BYTES:
        sys.exit(f"pictures: more than {MOST_BYTES:,} bytes")


def shrink(pairs):
    with tempfile.TemporaryDirectory(prefix="koya-chromium-") as home:
        subprocess.run(["node", "pictures.mjs"], cwd=koya_browser.FOLDER, check=True, text=True, stdout=subprocess.DEVNULL,
                       input=json.dumps({"chromium": koya_browser.CHROMIUM, "shrink": pairs, "quality": QUALITY}),
                       env={"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}, timeout=120)


if __name__ == "__main__":
    main()
