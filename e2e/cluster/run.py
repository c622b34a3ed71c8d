#!/usr/bin/env python3
"""Runs a cluster under load and faults, and checks what it promised. See README.md.

usage: run.py [--minutes N] [--seed S,…] [--blobs folder|s3] [--faults KIND,…] [--report FILE]

The time is divided into rounds of a few minutes, each with a cluster and a seed of its own (those
given, then one more each time), so that any round can be done again by itself. Exit status: 0 all
promises were kept, 1 one was not (or the harness failed), 77 skipped, for what is named.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checker  # noqa: E402
import faults  # noqa: E402
import history  # noqa: E402
import koya_s3  # noqa: E402
import parts  # noqa: E402
import report  # noqa: E402
import trouble  # noqa: E402
from aftermath import Aftermath  # noqa: E402
from cluster import Cluster, Program  # noqa: E402
from koya_e2e import KOYA, ROOT, SKIPPED  # noqa: E402
from operations import Load  # noqa: E402
from workers import Probes, Stampedes, Worker  # noqa: E402

WARM_SECONDS = 3.0
JOIN_SECONDS = 120


def say(text):
    print(text, flush=True)


class Round:
    """One cluster, one seed, one history."""

    def __init__(self, options, seed, minutes, folder):
        self.options, self.seed, self.minutes = options, seed, minutes
        self.folder = folder
        folder.mkdir(parents=True)

    def run(self):
        self.history = history.History(self.folder / "history.jsonl")
        with Cluster(self.folder / "cluster", KOYA, self.options.blobs,
                     self.options.places) as cluster:
            self.describe = cluster.describe()
            self.history.write("run", seed=self.seed, minutes=self.minutes, **self.describe)
            load = Load(cluster, self.history, self.seed)
            load.prepare()
            stampedes = self.trouble(cluster, load)
            cluster.wait_healthy()
            load.read_everything()
            Aftermath(cluster, load, stampedes, self.history).look(self.options.sweep)
            self.failures = load.failures + self.trouble_failures
        self.history.close()
        return self.judge()

    def trouble(self, cluster, load):
        """The load, and the faults while it runs."""
        kinds, self.skipped = trouble.available(cluster, self.options.faults)
        planned = trouble.plan(self.seed, kinds, self.minutes * 60)
        for each in planned:
            self.history.write("plan", number=each.number, kind=each.kind, target=each.target,
                               seconds=round(each.seconds, 3))
        stampedes = Stampedes(load)
        threads = [Worker(load, number) for number in range(self.options.workers)] + \
            [Probes(load, name) for name in Probes.PERIODS] + [stampedes]
        for thread in threads:
            thread.start()
        load.over.wait(WARM_SECONDS)
        faulty = trouble.Trouble(cluster, self.history, kinds, planned,
                                 self.history.now() + self.minutes * 60)
        faulty.start()
        if planned:
            faulty.join()
        else:
            load.over.wait(self.minutes * 60)
        load.over.wait(WARM_SECONDS)
        load.over.set()
        for thread in threads:
            thread.join(JOIN_SECONDS)
        self.trouble_failures, self.faults_done = faulty.failures, faulty.done
        self.notes = [note for kind in kinds for note in kind.notes]
        return stampedes

    def judge(self):
        events = history.read(self.history.path)
        violations = checker.check(events)
        kinds, delay = report.figures(events, violations)
        left = next((each.get("left_over") for each in events if each["what"] == "end"), None)
        if left:
            self.notes.append(f"{len(left)} uploads arrived after their rows were given up: {left}")
        return {"seed": self.seed, "minutes": round(self.minutes, 2), "cluster": self.describe,
                "commit": commit(),
                "faults": self.faults_done, "skipped": self.skipped, "kinds": kinds,
                "operations": sum(each["operations"] for each in kinds.values()),
                "revocation_delay": delay, "failures": self.failures, "notes": self.notes,
                "swept": next((each.get("swept") for each in events if each["what"] == "end"), False),
                "violations": [str(each) for each in violations]}


def commit():
    """Of this checkout, with a + when it has changes; nothing where there is no git."""
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty=+"],
                          capture_output=True, text=True)
    return done.stdout.strip()


def tell(result):
    say(f"round of seed {result['seed']}: {result['faults']} faults, {result['operations']} "
        f"operations, tokens accepted {result['revocation_delay']} s after their revocation at most")
    for name, why in result["skipped"].items():
        say(f"  SKIPPED {name}: {why}")
    say(report.table(result["kinds"]))
    for text in result["notes"]:
        say(f"NOTE: {text}")
    for text in result["failures"]:
        say(f"HARNESS: {text}")
    for text in result["violations"][:40]:
        say(f"VIOLATION: {text}")
    if len(result["violations"]) > 40:
        say(f"… and {len(result['violations']) - 40} violations more")


def rounds(options, folder):
    """The results, one round after the other, until the time is used up."""
    begun, number, results = time.monotonic(), 0, []
    while True:
        left = options.minutes - (time.monotonic() - begun) / 60
        # A round's beginning and end take time, too: another half a minute of faults is not worth it.
        if results and left < 1.0:
            return results
        minutes = max(0.25, min(options.round_minutes, left - 0.75))
        seed = options.seed[number] if number < len(options.seed) else seed + 1
        place = folder / f"seed-{seed}"
        say(f"=== seed {seed}: {minutes:.1f} minutes, blobs in {options.blobs}; {place}")
        try:
            results.append(Round(options, seed, minutes, place).run())
        except Exception as failure:
            traceback.print_exc()
            results.append({"seed": seed, "minutes": minutes, "cluster": {}, "faults": 0,
                            "skipped": {}, "kinds": {}, "operations": 0, "revocation_delay": 0,
                            "swept": False, "violations": [], "notes": [], "failures": [repr(failure)]})
        tell(results[-1])
        if options.report:
            with open(options.report, "a", encoding="ascii") as lines:
                lines.write(json.dumps({**results[-1], "times": options.times}) + "\n")
        if not bad(results[-1]) and not options.keep:
            shutil.rmtree(place, ignore_errors=True)
        number += 1


def bad(result):
    return bool(result["violations"] or result["failures"])


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--round-minutes", type=float, default=5)
    parser.add_argument("--seed", type=lambda text: [int(each) for each in text.split(",")],
                        default=[int.from_bytes(os.urandom(3))])
    parser.add_argument("--blobs", choices=("folder", "s3", "auto"), default="auto")
    parser.add_argument("--places", choices=("auto", "loopback"), default="auto",
                        help="loopback: no network namespaces, also where they could be made")
    parser.add_argument("--faults", type=lambda text: text.split(","), help="kinds; all unless given")
    parser.add_argument("--last-release", metavar="PROGRAM",
                        help="of the fault roll; else what `make last-release` has built")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--sweep", action="store_true", help="collect garbage at the end of a round")
    parser.add_argument("--folder", type=pathlib.Path, help="for histories and logs; else a new one")
    parser.add_argument("--keep", action="store_true", help="keep the folders of good rounds, too")
    parser.add_argument("--report", type=pathlib.Path, help="append a line of JSON for each round")
    parser.add_argument("--times", action="store_true",
                        help="nothing else runs on this machine: the report's times may be kept")
    options = parser.parse_args()
    if options.last_release:
        os.environ["KOYA_LAST_RELEASE"] = options.last_release
    if unknown := set(options.faults or ()) - {each.name for each in faults.KINDS}:
        parser.error(f"no kind of fault is called {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(each.name for each in faults.KINDS)}")
    return options


def missing(options):
    """Why this cannot run here, if so; and settles on what blobs are kept in."""
    if not KOYA.exists():
        return f"{KOYA} has not been built"
    if not (parts.POSTGRES / "postgres").exists():
        return "PostgreSQL 15 is not installed"
    knows = Program(KOYA).knows("blobs.url")
    if options.blobs == "auto":
        options.blobs = "s3" if knows and not koya_s3.missing() else "folder"
        if knows and options.blobs == "folder":
            say(f"blobs are kept in a folder: {', '.join(koya_s3.missing())} are not installed")
    elif options.blobs == "s3" and not knows:
        return "this koya does not know blobs.url"
    elif options.blobs == "s3" and koya_s3.missing():
        return f"{', '.join(koya_s3.missing())} are not installed"
    return None


def main():
    options = parse()
    if why := missing(options):
        say(f"skipped: {why}")
        sys.exit(SKIPPED)
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="koya-cluster-"))
    if os.geteuid() == 0:
        folder.mkdir(exist_ok=True)
        os.chmod(folder, 0o755)  # PostgreSQL runs as its own user
    results = rounds(options, folder)
    kinds = sorted({kind for each in results for kind in each["kinds"]})
    say(f"=== {len(results)} rounds, seeds {', '.join(str(each['seed']) for each in results)}: "
        f"{sum(each['faults'] for each in results)} faults, "
        f"{sum(each['operations'] for each in results)} operations, "
        f"{sum(len(each['violations']) for each in results)} violations")
    say(report.table({kind: report.merge([each["kinds"][kind] for each in results
                                          if kind in each["kinds"]]) for kind in kinds}))
    if any(bad(each) for each in results):
        say(f"histories and logs of the bad rounds: {folder}")
        sys.exit(1)
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
