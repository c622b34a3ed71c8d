#!/usr/bin/env python3
"""Run clang-tidy over our sources, in parallel, skipping what passed before.

usage: tidy.py [-p BUILD_FOLDER] [-j JOBS] [--all] [--alone] [FILE…]

What is compiled together (KOYA_JOIN) is looked at together: headers are most of the work.
--alone, in place of clang-tidy, has the compiler read each source by itself, tests too: what a
joined file gets from its neighbours does not hide a missing include then.

What was found in a file that passed is kept by a hash of the file, of every project header it
includes (directly or not), of .clang-tidy and of its compile command, below
$XDG_CACHE_HOME/koya/tidy: a second run costs what changed. Findings of any severity are shown; those
that .clang-tidy calls errors fail.
Tests and fuzz harnesses are looked at only when they are named.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.M)
IS_TEST = re.compile(r"_(test|suite|fake)(\.|_joined_)")
IS_JOINED = re.compile(r"_joined_\d+\.cc$")
ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG_TIDY = "clang-tidy-19"


def headers_of(file, seen):
    """Adds to `seen` every project header that `file` includes, directly or not."""
    for name in INCLUDE.findall(file.read_bytes()):
        for base in (ROOT / "src", file.parent):
            header = base / name.decode()
            if header.is_file():
                if header not in seen:
                    seen.add(header)
                    headers_of(header, seen)
                break
    return seen


def fingerprint(file, command):
    digest = hashlib.sha256()
    # The checkout's own place must not matter: CI checks out somewhere else each time.
    digest.update(command.replace(str(ROOT), "").encode())
    for part in [ROOT / ".clang-tidy", file, *sorted(headers_of(file, set()))]:
        digest.update(hashlib.sha256(part.read_bytes()).digest())
    return digest.hexdigest()


def expand(file, command):
    """The sources that `file` joins (KOYA_JOIN), or itself, each with its command to read it."""
    command = re.sub(r" (-o|-c) \S+", "", command) + " -fsyntax-only"
    if not IS_JOINED.search(file.name):
        return [(file, f"{command} {file}")]
    sources = [ROOT / "src" / name.decode() for name in INCLUDE.findall(file.read_bytes())]
    return [(source, f"{command} {source}") for source in sources]


def check(file, build, stamp, command):
    start = time.monotonic()
    run = subprocess.run(
        shlex.split(command) if command else [CLANG_TIDY, "--quiet", "-p", str(build), str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=build,
    )
    if run.returncode == 0:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(run.stdout)
    # stderr counts what was found in system headers; it matters only when clang-tidy itself failed.
    errors = "" if run.returncode == 0 else run.stderr
    return file, run.returncode, run.stdout + errors, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-p", dest="build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true", help="also what passed before")
    parser.add_argument("--alone", action="store_true", help="compile each source by itself")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()

    commands = {}
    for entry in json.loads((options.build / "compile_commands.json").read_text()):
        file = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        made = file.is_relative_to(options.build.resolve()) and not IS_JOINED.search(file.name)
        if file.is_relative_to(ROOT) and not made:
            commands.update(expand(file, entry["command"]) if options.alone
                            else [(file, entry["command"])])
    product = [file for file in commands
               if options.alone
               or not file.is_relative_to(ROOT / "fuzz") and not IS_TEST.search(file.name)]
    wanted = [file.resolve() for file in options.files] or sorted(product)
    unknown = [str(file) for file in wanted if file not in commands]
    if unknown:
        sys.exit(f"tidy: not in {options.build}/compile_commands.json: {' '.join(unknown)}")

    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache /= "koya/alone" if options.alone else "koya/tidy"
    stamps = {file: cache / fingerprint(file, commands[file]) for file in wanted}
    todo = [file for file in wanted if options.all or not stamps[file].exists()]
    name = "alone" if options.alone else "tidy"
    print(f"{name}: {len(wanted)} files, {len(todo)} to check", flush=True)

    failed = warned = 0
    for file in set(wanted) - set(todo):
        found = stamps[file].read_text().strip()
        warned += bool(found)
        if found:
            print(found, flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(check, file, options.build, stamps[file],
                            commands[file] if options.alone else None) for file in todo]
        for run in concurrent.futures.as_completed(runs):
            file, status, output, seconds = run.result()
            failed += status != 0
            warned += status == 0 and bool(output.strip())
            if not options.alone or output.strip():
                print(f"  {seconds:5.1f} s  {file.relative_to(ROOT)}", flush=True)
            if output.strip():
                print(output.rstrip(), flush=True)
    print(f"{name}: {failed} file(s) with errors, {warned} with warnings")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
