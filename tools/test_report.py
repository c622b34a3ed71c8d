#!/usr/bin/env python3
"""Say which tests took longest, and which were skipped and why.

usage: test_report.py LOG…

A LOG is what ctest leaves in build/PRESET/Testing/Temporary/LastTest.log, or the output of one test
program or step, NAME.log. Skipped are whole programs as well as single tests of one: GoogleTest,
Python's unittest and lines that begin with "skipped:" all say so in their own way.
"""
import collections
import pathlib
import re
import sys

SHOWN = 10
TEST = re.compile(r"^\d+/\d+ Test: (\S+)\n(.*?)^<end of output>\nTest time = +([0-9.]+) sec$",
                  re.M | re.S)
SKIP = re.compile(r""": Skipped\n(?:skipped: )?(.+)|^skipped: (.+)|\.\.\. skipped ['"](.*)['"]$""", re.M)


def tests(log):
    """(name, seconds, output) of what a log tells of."""
    text = log.read_text(errors="replace")
    if log.name != "LastTest.log":
        return [(log.stem, 0.0, text)]
    preset = log.parts[-4]
    return [(f"{match[1]} ({preset})", float(match[3]), match[2]) for match in TEST.finditer(text)]


def main():
    found = [each for log in sys.argv[1:] for each in tests(pathlib.Path(log))]
    skipped = collections.defaultdict(collections.Counter)
    for name, _, output in found:
        for match in SKIP.finditer(output):
            skipped[match[match.lastindex]][name] += 1
    print("The slowest tests:")
    for name, seconds, _ in sorted(found, key=lambda each: -each[1])[:SHOWN]:
        if seconds:
            print(f"{seconds:6.0f} s  {name}")
    for why, names in sorted(skipped.items()):
        print(f"SKIPPED: {why}: " + ", ".join(
            f"{name}, {count} tests" if count > 1 else name for name, count in names.items()))


if __name__ == "__main__":
    main()
