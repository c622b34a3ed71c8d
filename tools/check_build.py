#!/usr/bin/env python3
"""Fail when a change makes the build heavier than tools/build-budget.txt allows.

usage: check_build.py [--record] [NAME=BUILD_FOLDER…]

Nothing here depends on how busy the machine is. Of the source text alone: how many lines and files
the product has in src/ (without tests, fakes and suites), how many of those files have less than 40
lines, how many sources stand in the widest folder, how many of our headers an api source includes
(median, directly or not), how many units see catalog/catalog.h, and that .ci/run begins with what
fails fast and never leaves a sanitizer or tidy out. Of each build folder,
which must be configured: how many units the program has there, and how many lines are left of them after
the preprocessor (a precompiled header counts once). --record writes what it finds as the budget.
"""
import collections
import concurrent.futures
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUDGET = ROOT / "tools/build-budget.txt"
SLACK = 1.01  # of lines: system headers change with Debian's updates
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
NOT_PRODUCT = re.compile(r"_(test|suite|fake)\.|_suite_")
SMALL = 40  # lines of a file that has to say why it stands alone
STEP = re.compile(r"^(step(?:_until \d+)?) (\w+)", re.M)
FIRST_STEPS = ["lint", "packages", "test", "asan", "tsan", "tidy", "fuzz"]
NEVER_LEFT_OUT = FIRST_STEPS[:6]


def closures(source):
    """{file: every header of ours that it includes, directly or not}."""
    direct = {file: {header for name in INCLUDE.findall(file.read_text())
                     if (header := source / name).is_file()}
              for file in source.rglob("*") if file.suffix in (".h", ".cc")}
    found = {}
    for file in direct:
        seen, todo = set(), [file]
        while todo:
            new = direct[todo.pop()] - seen
            seen |= new
            todo += new
        found[file] = seen
    return found


def of_the_source(source):
    found = closures(source)
    product = [file for file in found if not NOT_PRODUCT.search(file.name)]
    lengths = [file.read_text().count("\n") for file in product]
    yield "product-lines", sum(lengths)
    yield "product-files", len(product)
    yield "small-files", sum(length < SMALL for length in lengths)
    folders = collections.Counter(file.parent for file in product if file.suffix == ".cc")
    yield "sources-of-the-widest-folder", max(folders.values())
    api = [len(found[file]) for file in product
           if source / "api" in file.parents and file.suffix == ".cc"]
    catalog = source / "catalog/catalog.h"
    yield "headers-of-an-api-source", math.ceil(statistics.median(api))
    yield "units-that-see-catalog", sum(
        file.suffix == ".cc" and catalog in headers for file, headers in found.items())


def preprocessed(command, folder):
    """(lines of the unit, the precompiled header that it uses, what it makes) of a compiler's command."""
    words = shlex.split(command)
    while "clang" not in words[0]:
        del words[0]  # the compiler cache
    made = header = None
    arguments = iter(words)
    kept = []
    for word in arguments:
        if word == "-o":
            made = next(arguments)
        elif word in ("-MF", "-MT"):
            next(arguments)
        elif word == "-emit-pch":
            kept.pop()
        elif word == "-include-pch":
            kept.pop()  # this word and the next stand behind an -Xclang each
            next(arguments)
            header = next(arguments)
        elif word != "-MD":
            kept.append("-E" if word == "-c" else word)
    run = subprocess.run([*kept, "-P"], cwd=folder, capture_output=True, check=True)
    return run.stdout.count(b"\n"), header, os.path.abspath(os.path.join(folder, made))


def of_a_build(name, folder):
    listed = subprocess.run(["ninja", "-C", folder, "-t", "commands", "koya"], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    commands = [line for line in listed if re.search(r"clang\S* .* -c ", line)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        units = list(pool.map(lambda command: preprocessed(command, folder), commands))
    precompiled = {made: lines for lines, _, made in units if made.endswith(".pch")}
    yield f"{name}-units", len(units)
    yield f"{name}-lines", sum(lines - precompiled.get(header, 0) for lines, header, _ in units)


def wrong_order(text):
    steps = STEP.findall(text)
    names = [name for _, name in steps]
    if names[:len(FIRST_STEPS)] != FIRST_STEPS:
        yield f".ci/run begins with {' '.join(names[:len(FIRST_STEPS)])}, not {' '.join(FIRST_STEPS)}"
    for how, name in steps:
        if how != "step" and name in NEVER_LEFT_OUT:
            yield f".ci/run leaves {name} out when time is short"


def read_budget():
    lines = (line.split("#")[0].split() for line in BUDGET.read_text().splitlines())
    return {line[0]: int(line[1]) for line in lines if line}


def record(figures):
    comments = [line for line in BUDGET.read_text().splitlines() if line.startswith("#")]
    rows = [f"{name} {figure}" for name, figure in {**read_budget(), **figures}.items()]
    BUDGET.write_text("\n".join(comments + rows) + "\n")


def main():
    arguments = sys.argv[1:]
    recording = "--record" in arguments
    builds = [each.partition("=")[::2] for each in arguments if each != "--record"]
    if not all(folder for _, folder in builds):
        sys.exit(__doc__)
    figures = dict(of_the_source(ROOT / "src"))
    for name, folder in builds:
        figures |= of_a_build(name, folder)
    print("check_build: " + ", ".join(f"{name} {figure:,}" for name, figure in figures.items()))
    if recording:
        record(figures)
        return
    budget = read_budget()
    problems = list(wrong_order((ROOT / ".ci/run").read_text()))
    for name, figure in figures.items():
        allowed = budget[name] * (SLACK if name.endswith("-lines") and name != "product-lines" else 1)
        if figure > allowed:
            problems.append(f"{name} is {figure:,}, and was {budget[name]:,} (tools/build-budget.txt)")
    if problems:
        sys.exit("\n".join(f"check_build: {problem}" for problem in problems))


if __name__ == "__main__":
    main()
