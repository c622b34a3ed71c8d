#!/usr/bin/env python3
"""Fail on coroutine shapes that compilers get wrong and clang-tidy does not see.

usage: check_coroutines.py SOURCE_ROOT…        (docs/coroutines.md tells why)

  cond ? co_await f() : T{}                a frame's temporaries are destroyed twice or never
  auto [a, b] = co_await f();              leaks when the frame is destroyed while suspended
  co_await f(Options{.name = …})           an aggregate temporary inside the awaited expression
"""
import pathlib
import re
import sys

from measure import strip

SHAPES = (
    (re.compile(r"\?[^;{}]*\bco_await\b|\bco_await\b[^;{}?()]*(\([^()]*\))?[^;{}?()]*\?"),
     "co_await inside ?:"),
    (re.compile(r"\bauto\s*&{0,2}\s*\[[^\]]*\]\s*=\s*co_await\b"),
     "a structured binding on co_await"),
    (re.compile(r"\bco_await\b[^;{}]*\w\s*\{\s*\.\w"), "an aggregate inside an awaited expression"),
)


def problems(file):
    code, _ = strip(file.read_text())
    for shape, words in SHAPES:
        for match in shape.finditer(code):
            yield f"{file}:{code.count(chr(10), 0, match.start()) + 1}: {words}: name it first"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    files = [file for root in sys.argv[1:] for file in sorted(pathlib.Path(root).rglob("*"))
             if file.suffix in (".h", ".cc")]
    found = [problem for file in files for problem in problems(file)]
    print("\n".join(found) if found else f"check_coroutines: {len(files)} files")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
