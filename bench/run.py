#!/usr/bin/env python3
"""Koya beside nginx, serving the same bytes, in one run.

usage: run.py [--rounds 5] [--seconds 2] [--only WORD] [--quick] [--filled DIR]

Each row's servers take turns within a round, the order turning too; a ratio is taken inside a
round, so that what else the machine does hits both alike; shown are the median and the spread of
the rounds. The server has core 0, the load core 1. The cost is the time that the server's threads
spent on the core (schedstat), per request or per GB. Koya runs with its metrics and its access log
on, the log going to a file; nginx runs with no log and an open-file cache, once as distributed
(sendfile on, tcp_nopush on) and once with each setting that is known to suit the work better; the
best of those counts.

Writes build/bench/report.md and report.json. Needs nothing but this machine.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import platform
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

import bursts
import counts
import days
import instructions
import large_catalogue
import load
import mirror
import pages
import policy
import providers
import readers
import readings
import replicas
import searches
import searches_postgres
import seed
import sign_ins
import stampede
import storage
import tokens
import usage_year
import usages
from servers import ROOT, Floor, Koya, Nginx, need_programs, resident_megabytes

from koya_e2e import KOYA, tar_gz

AS_DISTRIBUTED = "sendfile on; tcp_nopush on;"
MEGABYTE = 1 << 20
ARCHIVE_BYTES = 100 * MEGABYTE
LISTS = {"1.5 KB": 25, "30 KB": 510, "250 KB": 4230}  # versions in the list


@dataclasses.dataclass
class Row:
    work: str
    unit: str            # of the cost
    measure: object      # called with a server and the number of the round
    koya: object
    nginx: object        # as distributed
    tuned: list          # the same with other settings
    goal: float | None = None        # against nginx as distributed
    goal_tuned: float | None = None  # against the best of all settings
    note: str = ""
    floor: object = None             # the least that it could cost
    results: dict = dataclasses.field(default_factory=dict)

    def run(self, rounds):
        servers = [self.koya, self.nginx, *self.tuned, *([self.floor] if self.floor else [])]
        samples = {server.name: [] for server in servers}
        for number in range(-1, rounds):  # round -1 warms up, and is thrown away
            for server in servers if number % 2 else reversed(servers):
                sample = self.measure(server, number)
                if number >= 0:
                    samples[server.name].append(sample)
        costs = {name: [sample.cost for sample in each] for name, each in samples.items()}
        memory = {name: max(sample.memory for sample in each) for name, each in samples.items()
                  if each[0].memory is not None}
        best = min((server.name for server in (self.nginx, *self.tuned)),
                   key=lambda name: statistics.median(costs[name]))

        def ratio(name, figure="cost"):
            ratios = [getattr(one, figure) / getattr(other, figure)
                      for one, other in zip(samples["koya"], samples[name])]
            return {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)}

        def floor_ratio():
            pairs = zip(costs[self.floor.name], costs[self.nginx.name])
            ratios = [floor / nginx for floor, nginx in pairs]
            return {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)}

        self.results = {
            "floor": floor_ratio() if self.floor else None,
            "work": self.work, "unit": self.unit, "note": self.note, "rounds": rounds,
            "cost": {name: statistics.median(each) for name, each in costs.items()},
            "rate": {name: statistics.median(sample.rate for sample in each)
                     for name, each in samples.items()},
            "busy": {name: statistics.median(sample.busy for sample in each)
                     for name, each in samples.items()},
            "ratio": ratio(self.nginx.name), "goal": self.goal,
            "rate_ratio": ratio(self.nginx.name, "rate"),
            "best": best, "ratio_best": ratio(best), "goal_best": self.goal_tuned,
            "memory": memory,
        }
        floor = f"; a C loop {words(self.results['floor'])}" if self.floor else ""
        print(f"  {self.work}: {words(self.results['ratio'])} of nginx as distributed, "
              f"{words(self.results['ratio_best'])} of its best ({best}){floor}", flush=True)


def words(ratio):
    return f"{ratio['median']:.2f} ({ratio['min']:.2f}–{ratio['max']:.2f})"


def holds(ratio, goal):
    if goal is None:
        return ""
    return f"≤ {goal:.2f}: " + ("holds" if ratio["median"] <= goal else "**missed**")


# ---- what is served

class Bench:
    """The folders, servers and rows of one run."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.files = folder / "files"
        self.running = []

    def start(self, server):
        self.running.append(server.start())
        return server

    def stop(self):
        for server in self.running:
            server.stop()

    def seed(self):
        """One data folder, which the servers get copies of."""
        data = self.folder / "seeded"
        seed.publish_first(data, providers.PLATFORMS)
        seed.multiply(data, {self.list_address(name): count for name, count in LISTS.items()})
        seed.multiply_providers(data, providers.seeded())
        # What the server would otherwise do in the background, while it is measured.
        seed.analyze(data)

    def prepare(self):
        """Starts Koya, and writes what it answers as files for nginx."""
        self.archive = tar_gz({"main.tf": "", "big.bin": os.urandom(ARCHIVE_BYTES - 35_000)})
        for name in ("plain", "tls"):
            shutil.copytree(self.folder / "seeded", self.folder / name)
        self.plain = self.start(Koya(self.folder / "plain", tls=False))
        self.tls = self.start(Koya(self.folder / "tls", True, "--server.http2"))
        for koya in (self.plain, self.tls):
            koya.publish("bench/big/null", "1.0.0", self.archive)
        self.archive_path = self.tls.archive_path("bench/big/null", "1.0.0")
        self.write(self.archive_path, self.archive)
        for name in LISTS:
            path = self.list_path(name)
            self.write(path, self.tls.get(path).body)
            self.write(path + ".gz", self.tls.get(path, {"Accept-Encoding": "gzip"}).body)
        providers.prepare(self)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-keyout",
             str(self.folder / "key.pem"), "-out", str(self.folder / "certificate.pem")],
            check=True, capture_output=True)

    def write(self, path, data):
        file = self.files / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    @staticmethod
    def list_address(name):
        return f"bench/list-{LISTS[name]}/null"

    def list_path(self, name):
        return f"/v1/modules/{self.list_address(name)}/versions"

    def nginx(self, name, directives, tls=False, locations=""):
        folder = self.folder / f"nginx-{len(self.running)}"
        return self.start(Nginx(name, folder, self.files, directives,
                                self.folder if tls else None, locations))

    # ---- the rows

    def rows(self):
        small = self.list_path("1.5 KB")
        body = (self.files / small.lstrip("/")).read_text().replace("'", "")
        from_memory = f"location = {small} {{ return 200 '{body}'; }}"
        gzip_static = " gzip_static on;"
        plain = {
            "distributed": self.nginx("nginx", AS_DISTRIBUTED + gzip_static),
            "sendfile off": self.nginx("nginx, sendfile off", "sendfile off;" + gzip_static),
            "large buffers": self.nginx(
                "nginx, sendfile off, 256 KB buffers",
                "sendfile off; output_buffers 1 256k;" + gzip_static),
            "nopush off": self.nginx(
                "nginx, tcp_nopush off", "sendfile on; tcp_nopush off; sendfile_max_chunk 0;"
                + gzip_static),
        }
        tls = {
            "distributed": self.nginx("nginx", AS_DISTRIBUTED + gzip_static, True),
            "memory": self.nginx("nginx, return from memory", AS_DISTRIBUTED, True, from_memory),
            "large buffers": self.nginx(
                "nginx, 64 KB buffers",
                "sendfile off; output_buffers 2 64k; ssl_buffer_size 64k;" + gzip_static, True),
        }
        floor = self.start(Floor(self.folder, self.files))
        metadata, files = "µs CPU a request", "s CPU a GB"

        def requests(name, connections, encoding="identity"):
            return lambda server, _: load.requests(server, self.list_path(name), connections,
                                                   self.options.seconds, encoding)

        def add(work, unit, measure, servers, tuned, secure=False, goal=None, goal_tuned=None,
                note="", floor=None):
            koya = self.tls if secure else self.plain
            return Row(work, unit, measure, koya, servers["distributed"],
                       [servers[name] for name in tuned], goal, goal_tuned, note, floor)

        for connections in (32, 256):
            yield add(f"1.5 KB document, plain, {connections} connections", metadata,
                      requests("1.5 KB", connections), plain, ["sendfile off", "nopush off"],
                      goal=0.68, goal_tuned=0.85, floor=floor)
        for connections in (32, 256):
            yield add(f"1.5 KB document, TLS 1.3, {connections} connections", metadata,
                      requests("1.5 KB", connections), tls, ["memory"], secure=True,
                      goal=0.80, goal_tuned=0.85)
        for count in (1, 10, 100):
            yield add(f"1.5 KB document, HTTP/2, {count} streams", metadata,
                      lambda server, _, count=count: load.streams(server, small, count,
                                                                  self.options.seconds),
                      tls, ["memory"], secure=True, goal=0.80)
        for name in ("30 KB", "250 KB"):
            for encoding in ("identity", "gzip"):
                yield add(f"{name} version list, plain, {encoding}", metadata,
                          requests(name, 32, encoding), plain,
                          ["sendfile off", "large buffers", "nopush off"],
                          goal=0.95, goal_tuned=0.95,
                          floor=floor if encoding == "identity" else None)
        size = len(self.archive)
        yield add("100 MB archive, plain", files,
                  lambda server, _: load.download(server, self.archive_path, size, 10),
                  plain, ["nopush off"], goal_tuned=1.00, floor=floor)
        yield add("100 MB archive, TLS", files,
                  lambda server, _: load.download(server, self.archive_path, size, 5),
                  tls, ["large buffers"], secure=True, goal=0.68, goal_tuned=0.75)
        for secure in (False, True):
            yield add(f"100 MB upload, {'TLS' if secure else 'plain'}", files, self.upload,
                      tls if secure else plain, [], secure=secure, goal=None if secure else 2.4,
                      note="Koya hashes, inspects every entry and syncs to disk; nginx does not")
        yield from mirror.rows(self, lambda work, unit, measure, tuned, secure, goal, best, note="":
                               add(work, unit, measure, tls if secure else plain, tuned, secure,
                                   goal, best, note))
        if self.options.only in "page, plain" or self.options.only.startswith("page"):
            yield from pages.rows(self, Row, AS_DISTRIBUTED)
        yield from providers.rows(self, lambda work, unit, measure, tuned, secure=False: add(
            work, unit, measure, tls if secure else plain, tuned, secure))

    def upload(self, server, number):
        if server.name != "koya":
            return load.upload(server, f"/upload/{number + 1}.tar.gz", self.upload_file(number))
        secure = int(server is self.tls)
        return load.upload(server, f"/api/v1/modules/bench/upload/null/1.{secure}.{number + 1}",
                           self.upload_file(number), server.token)

    def upload_file(self, number):
        """Bytes that no server has seen before, the same for all servers of a round."""
        file = self.folder / f"upload-{number}.tar.gz"
        if not file.exists():
            big = self.archive[: ARCHIVE_BYTES // 2] + os.urandom(ARCHIVE_BYTES // 2 - 35_000)
            file.write_bytes(tar_gz({"main.tf": f"# {number}\n", "big.bin": big}))
        return file


# ---- what is measured of Koya alone, or once

def http2_request(path):
    """The preface, settings, and a GET as the first stream's only frame."""
    fields = b"\x82\x87\x04" + bytes([len(path)]) + path.encode() + b"\x01\x01x"
    settings, headers = b"\0\0\0\x04\0\0\0\0\0", bytes([0, 0, len(fields)]) + b"\x01\x05\0\0\0\x01"
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + headers + fields


def idle_memory(bench):
    """Memory with 256 idle TLS connections that have asked for something once."""
    figures = {}
    path = bench.list_path("1.5 KB")
    requests = {"http/1.1": f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
                "h2": http2_request(path)}
    for protocol, request in requests.items():
        idle_connections(bench, protocol, request, figures)
    print(f"  idle memory: {figures}", flush=True)
    return figures


def idle_connections(bench, protocol, request, figures):
    data = bench.folder / f"idle-{protocol[:2]}"
    shutil.copytree(bench.folder / "seeded", data)
    for server in (Koya(data, True, "--server.http2"), Nginx(
            "nginx", bench.folder / f"nginx-{data.name}", bench.files, AS_DISTRIBUTED, bench.folder)):
        server.start()
        context = ssl._create_unverified_context()
        context.set_alpn_protocols([protocol])
        before = resident_megabytes(server.pid)
        sockets = []
        for count in range(256):
            if count == 32:  # the next ones add only memory of their own
                few = resident_megabytes(server.pid)
            raw = socket.create_connection(("127.0.0.1", server.port), 10)
            sock = context.wrap_socket(raw)
            sock.sendall(request)
            answer = b""
            while not answer.endswith(b'"}]}]}'):
                answer += sock.recv(65536)
            sockets.append(sock)
        name = server.name if protocol == "http/1.1" else f"{server.name}, HTTP/2"
        connected = resident_megabytes(server.pid)
        figures[name] = {"started": before, "connected": connected, "kilobytes_each": (connected - few) * 1024 / 224}
        for sock in sockets:
            sock.close()
        server.stop()


def growth(bench):
    """How the answers change from 10 to 100,000 module versions."""
    rows = []
    for count in (10, 100, 1_000, 10_000, 100_000):
        data = bench.folder / f"growth-{count}"
        seed.publish_first(data)
        modules = {f"bench/module{number}/null": 10 for number in range(count // 10)}
        seed.multiply(data, modules)
        starts = []
        for _ in range(5):
            koya = Koya(data, tls=True).start()
            starts.append(koya.start_seconds)
            koya.stop()
        koya.start()
        memory = resident_megabytes(koya.pid)
        step = max(1, len(modules) // 200)
        paths = [f"/v1/modules/{address}/versions" for address in list(modules)[::step]]
        cold = latencies(koya, paths)
        warm = latencies(koya, (paths * (1 + 400 // len(paths)))[:400])
        rows.append({
            "versions": count, "modules": len(modules),
            "start_seconds": statistics.median(starts), "memory_megabytes": memory,
            "memory_after_megabytes": resident_megabytes(koya.pid),
            "first_p50_us": statistics.median(cold), "cached_p50_us": statistics.median(warm),
        })
        koya.stop()
        shutil.rmtree(data)
        print(f"  {rows[-1]}", flush=True)
    return rows


def latencies(koya, paths):
    """Microseconds for each path over one TLS connection."""
    connection = koya.connection()
    connection.request("GET", "/.well-known/terraform.json")
    connection.getresponse().read()
    taken = []
    for path in paths:
        begin = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.read() and answer.status == 200, path
        taken.append(1e6 * (time.perf_counter() - begin))
    connection.close()
    return taken


# ---- the report

ROOMS = {"publish": providers, "burst": bursts, "day": days, "import": mirror, "stampede": stampede, "storage": storage,
         "replicas": replicas, "catalogue": large_catalogue, "token": tokens, "counts": counts, "instructions": instructions,
         "sign_ins": sign_ins, "policy": policy, "usage": usages, "usage_year": usage_year,
         "search": searches, "search_postgres": searches_postgres, "reading": readings, "readers": readers, "pages_large": pages}


def markdown(report):
    machine = report["machine"]
    lines = [
        "# Koya beside nginx", "",
        f"{machine['time']}; {machine['cpu']}, {machine['cores']} cores, {machine['kernel']}; "
        f"Koya {machine['koya']}; {machine['nginx']}; {report['rounds']} rounds of "
        f"{report['seconds']} s. Ratios of the server's CPU time, lower is better: median "
        "(spread). Koya with access log and metrics on, nginx with no log. The C loop "
        "(bench/floor.c) is the least that any server costs, beside nginx as distributed.", "",
        "| work | Koya | nginx as distributed | ratio | goal | C loop | nginx's best for it | ratio "
        "| goal | throughput ratio |",
        "|---|---|---|---|---|---|---|---|---|---|"]
    for row in report["rows"]:
        cost = row["cost"]
        lines.append(
            f"| {row['work']} | {cost['koya']:.3g} {row['unit']} | {cost['nginx']:.3g} | "
            f"{words(row['ratio'])} | {holds(row['ratio'], row['goal'])} | "
            f"{words(row['floor']) if row.get('floor') else ''} | "
            f"{row['best']}: {cost[row['best']]:.3g} | {words(row['ratio_best'])} | "
            f"{holds(row['ratio_best'], row['goal_best'])} | {words(row['rate_ratio'])} |")
    lines += [f"\n{note}." for note in sorted({row["note"] for row in report["rows"]} - {""})]
    if rows := [row for row in report["rows"] if row["memory"]]:
        lines += ["", "## Peak memory while serving", "", "| work | server | peak |", "|---|---|---|"]
        lines += [f"| {row['work']} | {name} | {peak:.0f} MB |"
                  for row in rows for name, peak in row["memory"].items()]
    for name, room in ROOMS.items():
        if figures := report.get(name):
            lines += room.markdown(figures)
    if memory := report.get("idle_memory"):
        koya = memory["koya"]
        lines += ["", "## Memory with 256 idle TLS connections", "",
                  "| server | started | 256 connections | each more | goal |", "|---|---|---|---|---|"]
        for name, figures in memory.items():
            goal = ""
            if name == "koya":
                goal = "≤ 16 MB: " + ("holds" if koya["connected"] <= 16 else "**missed**")
            lines.append(f"| {name} | {figures['started']:.1f} MB | "
                         f"{figures['connected']:.1f} MB | {figures['kilobytes_each']:.0f} KB | {goal} |")
    if rows := report.get("growth"):
        lines += ["", "## From 10 to 100,000 module versions", "",
                  "Ten versions a module. Version lists over one TLS connection, client included: "
                  "the first time each, and from the cache.", "",
                  "| versions | start | memory, started | after the requests | list, first p50 | "
                  "list, cached p50 |", "|---|---|---|---|---|---|"]
        lines += [f"| {row['versions']:,} | {1000 * row['start_seconds']:.0f} ms | "
                  f"{row['memory_megabytes']:.1f} MB | {row['memory_after_megabytes']:.1f} MB | "
                  f"{row['first_p50_us']:.0f} µs | {row['cached_p50_us']:.0f} µs |"
                  for row in rows]
        ratio = rows[-1]["cached_p50_us"] / rows[0]["cached_p50_us"]
        start = rows[-1]["start_seconds"]
        verdicts = ["holds" if good else "**missed**" for good in (ratio <= 1.1, start <= 1)]
        lines += ["", f"Cached p50 at {rows[-1]['versions']:,} is {ratio:.2f} × that at "
                  f"{rows[0]['versions']} (goal ≤ 1.10: {verdicts[0]}); start-up {start:.2f} s "
                  f"(goal ≤ 1 s: {verdicts[1]})."]
    return "\n".join(lines) + "\n"


def machine():
    cpu = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo")
                if line.startswith("model name")), platform.machine())
    version = subprocess.run(["nginx", "-v"], capture_output=True, text=True).stderr.strip()
    koya = subprocess.run([str(KOYA), "version"], capture_output=True, text=True)
    return {"time": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "cpu": cpu,
            "cores": os.cpu_count(), "kernel": f"Linux {platform.release()}",
            "koya": koya.stdout.split()[-1] if koya.stdout.split() else "?",
            "nginx": version.removeprefix("nginx version: ")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of load in each round")
    parser.add_argument("--only", default="", help="the rows whose name has this word")
    parser.add_argument("--filled", type=pathlib.Path, default=None,
                        help="for pages-large and search-postgres: a data folder that searches.py filled, of which a copy is taken")
    parser.add_argument("--quick", action="store_true", help="two rounds")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 2, 2
    need_programs()
    report = {"machine": machine(), "rounds": options.rounds, "seconds": options.seconds,
              "rows": []}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-bench-"))
    folder.chmod(0o755)  # PostgreSQL, as its own user, has its place below
    bench = Bench(folder, options)
    try:
        bench.seed()
        # First, while the disk holds nothing else of size.
        if options.only in "publish":
            report["publish"] = providers.publish(bench)
        if options.only in "burst":
            report["burst"] = bursts.measure(bench)
        if options.only in "day":
            report["day"] = days.measure(bench)
        if options.only in "stampede":
            report["stampede"] = stampede.run(bench)
        if options.only in "import":
            report["import"] = mirror.importing(bench)
        if options.only in "sign-ins":
            report["sign_ins"] = sign_ins.measure(bench, "/v1/modules/acme/vpc/aws/versions")
        if options.only in "counts":
            report["counts"] = counts.measure()
        if options.only in "instructions" and not instructions.why_not():
            report["instructions"] = instructions.measure()
        if options.only in "policy":
            report["policy"] = policy.measure(bench)
        if options.only in "usage":
            report["usage"] = usages.measure(bench)
        if options.only in "usage-year":
            report["usage_year"] = usage_year.measure(bench)
        if options.only in "search":
            report["search"] = searches.measure(bench)
        if options.only in "search-postgres" and (figures := searches_postgres.measure(bench)):
            report["search_postgres"] = figures
        if options.only in "pages-large":
            report["pages_large"] = pages.large(bench)
        if options.only in "reading":
            report["reading"] = readings.measure(bench)
        if options.only in "large-readers":
            report["readers"] = readers.measure(bench)
        if options.only in "storage" and (figures := storage.run(bench)):
            report["storage"] = figures
        if options.only in "replicas" and (figures := replicas.run(bench)):
            report["replicas"] = figures
        if options.only in "catalogue" and (figures := large_catalogue.run(bench)):
            report["catalogue"] = figures
        if options.only in ("stampede", "burst", "day", "import", "sign-ins", "counts", "instructions", "storage",
                            "replicas", "catalogue", "usage", "usage-year", "search",
                            "search-postgres", "reading", "pages-large", "large-readers"):
            return write(report)
        mirror.prepare(bench)
        bench.prepare()
        for row in bench.rows():
            if options.only in row.work:
                row.run(options.rounds)
                report["rows"].append(row.results)
        if options.only in "token":
            report["token"] = tokens.measure(bench, bench.list_path("1.5 KB"))
        if options.only in "idle memory":
            report["idle_memory"] = idle_memory(bench)
        if options.only in "growth":
            report["growth"] = growth(bench)
    finally:
        bench.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return write(report)


def write(report):
    out = ROOT / "build/bench"
    out.mkdir(parents=True, exist_ok=True)
    (out / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    (out / "report.md").write_text(markdown(report))
    print(f"\n{markdown(report)}\nin {out}/report.md and report.json")


if __name__ == "__main__":
    sys.exit(main())
