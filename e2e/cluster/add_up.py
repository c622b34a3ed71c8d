#!/usr/bin/env python3
"""Adds the reports of runs (run.py --report) up into docs/reliability.md.

usage: add_up.py [REPORT…]

Give it every report, the bad rounds, too: what is broken is mended, and tried again, but not forgotten.

The rounds are kept in docs/reliability.jsonl, one line each with its seed, and a round that is there
already is not counted twice. Times are taken only of rounds that were run with --times, on a machine
that did nothing else.
"""
import json
import pathlib
import sys

import parts  # noqa: F401  (knows where koya_e2e is)
import report
from koya_e2e import ROOT

KEPT = ROOT / "docs/reliability.jsonl"
PAGE = ROOT / "docs/reliability.md"

TEXT = """<!-- Made from reliability.jsonl by e2e/cluster/add_up.py; do not edit. -->
# What was tried to break it, and what came of it

Three servers behind a balancer, on PostgreSQL with a synchronous standby, under load and faults:
[e2e/cluster/README.md](../e2e/cluster/README.md) says what is done and what is promised; `make cluster` does it. This
page adds up all rounds whose report was kept in [reliability.jsonl](reliability.jsonl), each with its seed.

**{rounds} rounds, {faults} faults, {operations} operations: {violations} violations.** A token was accepted
{delay:.2f} s after its revocation at most (promised: less than 1 s).{since}

Operations are those that began during a fault or within five seconds after it. *Acknowledged*: done, or answered.
*In doubt*: a change that may have happened, which is what its client was told. *Failed*: answers 5xx, connections that
were refused or reset, and clients that gave up; everything else was refused for a reason (a version that exists, a token
that was revoked).

{counts}
{times}
## Strangers who read what is large

One server, a module of 100,000 inputs (its archive has 830 KB, what is inside it 26 MB of JSON) and one with a file of
4 MiB; strangers ask for what unfolds most, without a token, while a small module is published and another module's page is
read again and again (`make bench BENCH_ARGS="--only large-readers"`; 2 virtual cores, client and server on both). *Before* was
measured on an earlier version; memory is the most that was resident.

| what strangers do | before: memory | everybody else | now: memory | another page, at most | a publish, at most |
|---|---|---|---|---|---|
| 60 connections of one address read a page | 4.9 GB | page 24.7 s, publish 26.3 s | 230 MB | 0.12 s | 0.15 s |
| 200 connections of 50 addresses read a page | | | 233 MB | 0.44 s | 0.65 s |
| the same, pages with the history of each input | | | 366 MB | 0.59 s | 0.97 s |
| ask for a page of 20,000 inputs and leave at once | 2.1 GB, and 35 s later still computing | page 4.1 s | 105 MB, nothing computed 2 s later | 0.04 s | 0.10 s |
| 60 connections ask for a README, each spelled otherwise | 3.2 GB | both cores for 20 s | 233 MB | 0.08 s | 0.04 s |
| the same for all that is inside | | | 382 MB | 0.10 s | 0.21 s |
| the same for what changed between two versions | 1.4 GB for one | | 407 MB | 0.03 s | 0.02 s |
| 150 connections ask for the file and read nothing | 750 MB | | 138 MB | 0.01 s | 0.01 s |
| 200 of 50 addresses do so | | | 187 MB | 0.01 s | 0.01 s |

A few of the strangers get their answer at a time, the others wait 2 s and get 503 with `Retry-After`. Afterwards the server
rests at 51 to 61 MB; before it kept what the largest of all that had taken. `docs/limits.md` says what each address may cost.

## What was found

Violations stay counted; what made them is fixed, each with a test of its own.

| rounds | what | since |
|---|---|---|
| 1001 | a part (`Range`) of an archive that was still arriving was sent before anybody knew that the whole was right, and a byte was wrong | parts of what comes from the store wait for the whole with their last byte |
| 1000–1002 | an object that the store gave wrong bytes of twice stayed *lost*, though it was right | whoever reads it right again says so |
| 2000, 2002 | an upload that arrived after its row was given up left an object | whoever is told so removes it; what arrives later still is told and not counted: rows are given up after two seconds there, a day elsewhere |

## Rounds

{seeds}
"""

TIMES = """
## How long it was felt

Of the {rounds} rounds on machines that did nothing else. *First*: from the fault's begin to the first success of what
was begun after it, median and worst; *longest failure*: from a failed operation's begin to the next success. Through the
balancer. *Cached*: what servers have in memory or on disk; *uncached*: what only the database knows.

{table}
"""
UNTIMED = "\nNo round was run on a machine that did nothing else, so there are no times yet.\n"


def key(result):
    return (result["seed"], result["minutes"], result["cluster"].get("program"),
            result["cluster"].get("blobs"), result.get("commit"))


def read(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def sums(results):
    kinds = sorted({kind for each in results for kind in each["kinds"]})
    return {kind: report.merge([each["kinds"][kind] for each in results if kind in each["kinds"]])
            for kind in kinds}


def seeds(results):
    lines = ["| seed | minutes | checkout | blobs | network | balancer | faults | violations |",
             "|---|---|---|---|---|---|---|---|"]
    for each in results:
        cluster = each["cluster"]
        lines.append(f"| {each['seed']} | {each['minutes']:.1f} | {each.get('commit')} | "
                     f"{cluster.get('blobs')} | {cluster.get('network')} | "
                     f"{cluster.get('balancer')} | {each['faults']} | {len(each['violations'])} |")
    return "\n".join(lines)


def since_the_last(results):
    """What the rounds after the last one with a violation add up to, in words."""
    last = max((place for place, each in enumerate(results) if each["violations"]), default=-1)
    if last < 0 or last + 1 == len(results):
        return ""
    clean = results[last + 1:]
    return (f" The {len(clean)} rounds since\nthe last violation (seed {results[last]['seed']}): "
            f"{sum(each['faults'] for each in clean)} faults, "
            f"{sum(each['operations'] for each in clean)} operations, none.")


def page(results):
    timed = [each for each in results if each.get("times")]
    times = TIMES.format(rounds=len(timed), table=report.table(sums(timed))) if timed else UNTIMED
    return TEXT.format(
        rounds=len(results), faults=sum(each["faults"] for each in results),
        operations=sum(each["operations"] for each in results),
        violations=sum(len(each["violations"]) for each in results),
        delay=max((each["revocation_delay"] for each in results), default=0),
        since=since_the_last(results),
        counts=report.table(sums(results), times=False), times=times, seeds=seeds(results))


def main():
    results = read(KEPT)
    known = {key(each) for each in results}
    for path in map(pathlib.Path, sys.argv[1:]):
        for each in read(path):
            # What the harness itself broke says nothing.
            if key(each) not in known and not each["failures"]:
                known.add(key(each))
                results.append(each)
    KEPT.write_text("".join(json.dumps(each) + "\n" for each in results))
    PAGE.write_text(page(results))
    print(f"{len(results)} rounds in {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
