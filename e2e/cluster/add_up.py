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
# Fault tests and their results

Three servers behind a balancer, on PostgreSQL with a synchronous standby, under load and faults. `make cluster` runs the test;
[e2e/cluster/README.md](../e2e/cluster/README.md) lists the faults and the promises that the checker verifies. This page adds up all
reports in [reliability.jsonl](reliability.jsonl), one round each with its seed; the README has the command that adds more.

**{rounds} rounds, {faults} faults, {operations} operations: {violations} violations.** A token was accepted
{delay:.2f} s after its revocation at most (promised: less than 1 s).{since}

Operations are those that began during a fault or within five seconds after it. *Acknowledged*: succeeded. *In doubt*: a change
that may have happened, and whose response said so. *Failed*: 5xx responses, refused or reset connections, and client timeouts; 200
and 206 are responses whose body did not arrive complete. The remaining operations were denied or rejected for a reason, such as a
version that exists or a revoked token.

{counts}
{times}
## Kills and upgrades

2026-11-29, at 44b6b24f, on 2 virtual cores that compiled at the same time; to repeat: `make soak SOAK="kill upgrade"`. Each round ends
the server with SIGKILL in the middle of its work, starts it again, and reads every acknowledged version. All of them were there, and
no file was incomplete.

| work | rounds | begun | acknowledged | complete, not acknowledged | absent | files verified |
|---|---|---|---|---|---|---|
| publishing modules | 200 | 5,019 | 4,219 | 89 | 711 | 4,604 |
| publishing providers | 200 | 2,007 | 1,433 | 38 | 536 | 416 |
| fetching packages of another registry | 100 | 600 | 248 | – | – | 1,318 |

Three servers went from the last release (03cb13fb) to this one and back, one after the other, under load: 901 things were published
meanwhile, and all servers had each of them.

## Pages

2026-11-30, at 51ada06e; to repeat: `make soak SOAK=web`. Chromium opened every page of the route table as strangers, users and
administrators meet it, in three languages and two themes, and on an empty registry, too: 1,038 looks, each at every width; and 15
journeys through the pages. No look found a fault (axe-core, links, sizes, requests to other hosts). Golden pictures were not compared:
the machine has one more font than they were taken with.

## Fuzzing

2026-11-30, at fa7f81ff; to repeat: `make soak SOAK=fuzz`. Each of the 40 harnesses ran for two minutes from its seeds, under
AddressSanitizer and UBSan, beside compilers: 5.6 million inputs, of which none failed.

## Anonymous requests for large contents

One server, with a module of 100,000 inputs (an archive of 830 KB, contents of 26 MB of JSON) and a module with a file of 4 MiB.
Anonymous clients request the largest responses while a small module is published and another module's page is read, again and
again. To repeat: `make bench BENCH_ARGS="--only large-readers"`; 2 virtual cores, client and server on both. Memory is the peak of
resident memory, times are the longest. *Before* was measured on an earlier version, without memory reservations (ADR 79).

| anonymous clients | before: memory | before: other requests | memory | another page | a publish |
|---|---|---|---|---|---|
| 60 connections of one address read a page | 4.9 GB | page 24.7 s, publish 26.3 s | 230 MB | 0.12 s | 0.15 s |
| 200 connections of 50 addresses read a page | | | 233 MB | 0.44 s | 0.65 s |
| the same, pages with the history of each input | | | 366 MB | 0.59 s | 0.97 s |
| request a page of 20,000 inputs and leave at once | 2.1 GB, still computing 35 s later | page 4.1 s | 105 MB, no computation 2 s later | 0.04 s | 0.10 s |
| 60 connections request a README, each with another spelling | 3.2 GB | both cores for 20 s | 233 MB | 0.08 s | 0.04 s |
| the same for all contents | | | 382 MB | 0.10 s | 0.21 s |
| the same for the changes between two versions | 1.4 GB for one | | 407 MB | 0.03 s | 0.02 s |
| 150 connections request the file and do not read it | 750 MB | | 138 MB | 0.01 s | 0.01 s |
| 200 connections of 50 addresses do the same | | | 187 MB | 0.01 s | 0.01 s |

A few of these requests are served at a time; the others wait 2 s and get 503 with `Retry-After`. Afterwards the server rests at 51 to
61 MB; before, it did not release its peak. `docs/limits.md` lists the cost that each address may cause.

## Violations and their fixes

Violations stay counted. Each cause is fixed and has a test of its own; `make check` repeats the seeds 2002, 2000 and 1001.

| rounds | violation | now |
|---|---|---|
| 1001 | a part (`Range`) of an archive was sent before the whole was verified, and had a wrong byte | the last byte of a part from the store waits until the whole is verified |
| 1000–1002 | an object that the store returned wrong twice stayed marked *lost*, though it was right | the next read that finds it right clears the mark |
| 2000, 2002 | an upload that arrived after its row was given up left an object | the server whose row was given up removes it; an upload that arrives even later is reported and not counted: rows are given up after two seconds in this test, after a day elsewhere |

## Rounds

{seeds}
"""

TIMES = """
## Length of outages

From the {rounds} rounds on machines that ran nothing else, in seconds, through the balancer. *First*: from the start of the fault to
the first success of an operation started after it, median and maximum. *Longest failure*: from the start of a failed operation to
the next success. *Cached*: content that servers have in memory or on disk; *uncached*: content that only the database has.

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
