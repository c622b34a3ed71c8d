#!/usr/bin/env python3
"""Two programs of Koya side by side, on the same data, in one run: what did a change cost?

usage: beside.py OTHER_KOYA [--rounds 15] [--seconds 1] [--only WORD]

OTHER_KOYA is the program from before; the other one is build/koya, or KOYA_BIN. The two take turns within
each round, the order turning too; the ratio of their CPU times is taken inside a round. Shown are its
median, its quartiles, and the least and the most. The data is made by the older program, and taken up by
the newer one.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import tempfile

import load
import providers
import run
import seed
from servers import Koya, need_programs

import koya_e2e
from koya_e2e import tar_gz


class Build(Koya):
    """Koya, of one of the two programs."""

    def __init__(self, name, program, data, tls):
        super().__init__(data, tls)
        self.name, self.program, self.uploads = name, str(program), 0

    def command(self):
        return [self.program if word == str(koya_e2e.KOYA) else word for word in super().command()]


class Comparison:
    def __init__(self, folder, other, options):
        self.folder, self.options, self.running = folder, options, []
        self.programs = {"before": other, "after": koya_e2e.KOYA}
        self.archive = tar_gz({"main.tf": "", "big.bin": os.urandom(run.ARCHIVE_BYTES - 35_000)})

    def start(self):
        seeded = self.folder / "seeded"
        with Build("before", self.programs["before"], seeded, tls=True) as koya:
            seed.publish_on(koya, providers.PLATFORMS)
        seed.multiply(seeded, {run.Bench.list_address(name): count
                               for name, count in run.LISTS.items()})
        seed.multiply_providers(seeded, providers.seeded())
        seed.analyze(seeded)
        self.servers = {}
        for tls in (False, True):
            for name, program in self.programs.items():
                data = self.folder / f"{name}-{tls}"
                shutil.copytree(seeded, data)
                koya = Build(name, program, data, tls).start()
                self.running.append(koya)
                koya.publish("bench/big/null", "1.0.0", self.archive)
                self.servers[name, tls] = koya
        self.archive_path = koya.archive_path("bench/big/null", "1.0.0")

    def stop(self):
        for koya in self.running:
            koya.stop()

    def rows(self):
        """(what, over TLS, measure of a server and a round)"""
        def requests(path, connections=32, encoding="identity"):
            return lambda koya, _: load.requests(koya, path, connections, self.options.seconds,
                                                 encoding)

        def versions(name):
            return f"/v1/modules/{run.Bench.list_address(name)}/versions"

        for tls in (False, True):
            how = "TLS" if tls else "plain"
            for connections in (32, 256):
                yield (f"1.5 KB document, {how}, {connections} connections", tls,
                       requests(versions("1.5 KB"), connections))
            for name in ("30 KB", "250 KB"):
                for encoding in ("identity", "gzip"):
                    yield (f"{name} version list, {how}, {encoding}", tls,
                           requests(versions(name), encoding=encoding))
            for count in (100, 450):
                yield (f"provider list, {count} × {len(providers.PLATFORMS)}, {how}, gzip", tls,
                       requests(providers.list_path(count), encoding="gzip"))
            yield f"provider download document, {how}", tls, requests(providers.document_path())
            yield (f"100 MB archive, {how}", tls,
                   lambda koya, _: load.download(koya, self.archive_path, len(self.archive), 4))
            yield f"50 MB upload, {how}", tls, self.upload

    def upload(self, koya, number):
        file = self.folder / f"upload-{number}.tar.gz"
        if not file.exists():
            file.write_bytes(tar_gz({"main.tf": f"# {number}\n", "big.bin": os.urandom(50 << 20)}))
        koya.uploads += 1
        return load.upload(koya, f"/api/v1/modules/bench/upload/null/1.0.{koya.uploads}", file,
                           koya.token)

    def compare(self, tls, measure):
        """The costs of both, round by round."""
        costs = {name: [] for name in self.programs}
        for number in range(-1, self.options.rounds):  # round -1 warms up, and is thrown away
            for name in costs if number % 2 else reversed(costs):
                sample = measure(self.servers[name, tls], number)
                if number >= 0:
                    costs[name].append(sample.cost)
        return costs


def words(costs):
    ratios = [after / before for before, after in zip(costs["before"], costs["after"])]
    low, median, high = statistics.quantiles(ratios, n=4)
    return (f"{statistics.median(costs['before']):.3g} → {statistics.median(costs['after']):.3g}: "
            f"{median:.2f}, {low:.2f}–{high:.2f} ({min(ratios):.2f}–{max(ratios):.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=pathlib.Path, help="the program from before")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=1, help="of load in each round")
    parser.add_argument("--only", default="", help="the rows whose name has this word")
    options = parser.parse_args()
    need_programs()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-beside-"))
    comparison = Comparison(folder, options.other.resolve(), options)
    try:
        comparison.start()
        print("µs CPU a request, or s CPU a GB; after ÷ before: median, quartiles (least–most)")
        for what, tls, measure in comparison.rows():
            if options.only in what:
                print(f"  {what}: {words(comparison.compare(tls, measure))}", flush=True)
    finally:
        comparison.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
