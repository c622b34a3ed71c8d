"""A mixed day: many clients at once, and whether one that is slow delays the others.

300 connections, each of which pauses between two requests, with a token: of 20 requests 12 are lists,
5 documents, 2 archives, and one publishes or searches. nginx serves the first three kinds as files;
their latencies are compared. Then lists, documents and archives are asked for beside a slow disk, a
client that hardly reads, and the upload of a large archive, in turns without. Beside the disk, quick
or slow, the same publishes and reads take place: they need the server's core on a quick disk too.
The server has core 0, the load core 1, where the slow clients run only when the load does not.
"""
import contextlib
import io
import os
import re
import shutil
import socket
import statistics
import subprocess
import tarfile
import threading
import time

import load
import providers
from servers import LOAD_CORE, SlowDiskKoya, cpu_seconds, resident_megabytes

from koya_e2e import tar_gz

SECONDS = 120
STATIC, CHANGING = 285, 15  # connections
PAUSE = 600  # ms at most, half of it on average
ARCHIVE, LARGE = 200_000, 200_000_000  # bytes
FLAT, GOAL = 1.1, 1.2
SLOW = 50_000  # microseconds more for each fsync, and for each part of a file that is read
PUBLISH_EVERY, READ_EVERY = 0.5, 6  # seconds, which is longer than one takes on the slow disk
UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}

SCRIPT = """
local paths = {{{paths}}}
local fields = {{{fields}}}
local number = {first}
function delay() return math.random(0, {pause}) end
function request()
  local path = paths[math.random(#paths)]
  if path ~= "" then return wrk.format("GET", path, fields) end
  number = number + 1
  local file = io.open(string.format("{archives}/%d.tar.gz", number), "rb")
  local body = file:read("a")
  file:close()
  local place = string.format("/api/v1/modules/bench/day%d/null/1.0.%d", number % 50, number)
  return wrk.format("PUT", place, fields, body)
end
"""


class Load:
    """wrk with a script: `paths`, of which "" is a publish of the next archive in `folder`."""

    def __init__(self, folder, server, paths, connections, seconds, token, first=0):
        named = [field.partition(": ") for field in
                 (*load.CLIENT_FIELDS, "Accept-Encoding: gzip", f"Authorization: Bearer {token}")]
        script = folder / f"load-{connections}.lua"
        script.write_text(SCRIPT.format(
            paths=", ".join(f'"{path}"' for path in paths), pause=PAUSE, archives=folder, first=first,
            fields=", ".join(f'["{name}"] = "{value}"' for name, _, value in named)))
        self.process = subprocess.Popen(
            ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
             "--timeout", "30s", "-s", script, server.base], stdout=subprocess.PIPE, text=True)

    def result(self):
        """How many requests, and their p50 and p99 in ms."""
        output = self.process.communicate()[0]
        if self.process.returncode or "Non-2xx" in output or "Socket errors" in output:
            raise RuntimeError(output)
        found = {share: float(value) * UNITS[unit] for share, value, unit in
                 re.findall(r"(50|99)%\s+([\d.]+)(us|ms|s)", output)}
        return {"requests": int(re.search(r"(\d+) requests in", output)[1]),
                "p50": found["50"], "p99": found["99"]}


def stand_back():
    """The thread that calls this runs on the load's core, when the load does not."""
    os.sched_setaffinity(0, {int(LOAD_CORE)})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class Day:
    """Koya, nginx with what Koya answers as files, and the paths."""

    def __init__(self, bench):
        self.bench, self.seconds = bench, SECONDS // 6 if bench.options.quick else SECONDS
        self.folder = bench.folder / "day"
        self.folder.mkdir()
        shutil.copytree(bench.folder / "seeded", self.folder / "data")
        self.koya = bench.start(SlowDiskKoya(self.folder, "data"))
        self.token = self.koya.token
        self.koya.publish("bench/day/null", "0.1.0", tar_gz({"main.tf": "", "a": os.urandom(ARCHIVE)}))
        self.koya.publish("bench/slow/null", "0.1.0",
                          tar_gz({"main.tf": "", "a": os.urandom(LARGE // 10)}))
        lists = [bench.list_path(name) for name in ("1.5 KB", "30 KB")]
        documents = [providers.document_path(), "/v1/modules/bench/day/null/0.1.0/download"]
        kinds = {"lists": [*lists, providers.list_path(1)], "documents": documents,
                 "archives": [self.koya.archive_path("bench/day/null", "0.1.0")]}
        self.static = [paths[number % len(paths)] for kind, times in
                       (("lists", 12), ("documents", 5), ("archives", 2))
                       for paths in (kinds[kind],) for number in range(times)]
        for path in set(self.static):
            agent = dict(field.split(": ", 1) for field in load.CLIENT_FIELDS)
            answer = self.koya.get(path, agent, token=self.token)
            assert answer.status == 200 and answer.body, (path, answer)
            bench.write(path, answer.body)
            if path not in kinds["archives"]:
                packed = self.koya.get(path, {**agent, "Accept-Encoding": "gzip"}, token=self.token)
                if packed.headers.get("Content-Encoding") == "gzip":
                    bench.write(path + ".gz", packed.body)
        self.nginx = bench.nginx("nginx", "sendfile on; tcp_nopush on; gzip_static on;")
        self.published = 0

    def ask(self, server, seconds):
        return Load(self.folder, server, self.static, STATIC, seconds, self.token)

    def archive(self, number):
        file = self.folder / f"{number}.tar.gz"
        file.write_bytes(tar_gz({"main.tf": f'variable "v" {{ default = "{number}" }}\n'}))
        return file

    def large_archive(self):
        """Not packed, which would take seconds."""
        file = self.folder / "large.tar.gz"
        with tarfile.open(file, "w:gz", compresslevel=0) as tar:
            for name, size in (("main.tf", 0), ("noise", LARGE)):
                entry = tarfile.TarInfo(name)
                entry.size = size
                tar.addfile(entry, io.BytesIO(os.urandom(size)))
        return file

    def whole(self):
        """A day of Koya's, and the static part of it of nginx's."""
        for number in range(1, 60 * self.seconds):
            self.archive(number)
        changing = ["", "/api/v1/search?q=list", "", "/api/v1/search?q=null+kind:module"]
        figures = {}
        for server in (self.koya, self.nginx):
            before, begin, memory = cpu_seconds(server.pid), time.monotonic(), []
            static = self.ask(server, self.seconds)
            other = server is self.koya and Load(self.folder, server, changing, CHANGING,
                                                 self.seconds, self.token)
            while static.process.poll() is None:
                memory.append(resident_megabytes(server.pid))
                time.sleep(self.seconds / 40)
            of = figures[server.name] = {"static": static.result(), "memory": memory}
            if other:
                of["changing"] = other.result()
            of["cpu"] = cpu_seconds(server.pid) - before
            of["busy"] = of["cpu"] / (time.monotonic() - begin)
            print(f"  day, {server.name}: {of['static']}, {of.get('changing')}, CPU {of['cpu']:.1f} s, "
                  f"memory {memory[0]:.0f} to {memory[-1]:.0f} MB", flush=True)
        return figures

    # ---- what is beside the others

    @contextlib.contextmanager
    def disk(self, delay):
        """Publishes, and reads of an archive that is not in memory, on a disk with that delay."""
        blob = max((self.koya.data / "blobs").rglob("*"), key=lambda path: path.stat().st_size)
        stopping, done = threading.Event(), []

        def repeat(work, every):
            stand_back()
            due = time.monotonic()
            while not stopping.wait(due - time.monotonic()):
                work()
                done.append(work)
                due = max(due + every, time.monotonic())

        def publish():
            self.published += 1
            version = f"2.0.{self.published}"
            self.koya.publish("bench/day/null", version, self.archive(version).read_bytes())

        def read():
            with open(blob, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            with socket.create_connection(("127.0.0.1", self.koya.port), 60) as sock:
                path = self.koya.archive_path("bench/slow/null", "0.1.0")
                sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
                while not stopping.is_set() and sock.recv(1 << 16):
                    pass

        self.koya.delay(delay)
        threads = [threading.Thread(target=repeat, args=each)
                   for each in ((publish, PUBLISH_EVERY), (read, READ_EVERY))]
        for thread in threads:
            thread.start()
        yield
        stopping.set()
        for thread in threads:
            thread.join()
        self.koya.delay(0)
        assert publish in done, "nothing waited for the disk"

    @contextlib.contextmanager
    def slow_client(self):
        """Reads a kilobyte ten times a second of an archive."""
        stopping = threading.Event()

        def read():
            stand_back()
            with socket.create_connection(("127.0.0.1", self.koya.port), 60) as sock:
                path = self.koya.archive_path("bench/slow/null", "0.1.0")
                sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                while not stopping.wait(0.1):
                    assert sock.recv(1024)

        thread = threading.Thread(target=read)
        thread.start()
        yield
        stopping.set()
        thread.join()

    @contextlib.contextmanager
    def upload(self):
        """200 MB, 100 MB of them a second, which are then inspected and stored."""
        self.published += 1
        file = self.large_archive()
        process = subprocess.Popen(
            ["taskset", "-c", LOAD_CORE, "chrt", "--idle", "0", "curl", "-sS", "--limit-rate", "100M", "-T", file, "-H",
             f"Authorization: Bearer {self.token}", "-o", "/dev/null", "-w", "%{http_code}",
             f"{self.koya.base}/api/v1/modules/bench/large/null/2.0.{self.published}"],
            stdout=subprocess.PIPE, text=True)
        yield
        assert process.communicate()[0] == "201"

    def beside(self):
        """{what: p99 beside it ÷ alone, a round}"""
        figures, seconds = {}, 2 * self.bench.options.seconds
        alone = contextlib.nullcontext
        for name, without, what in (
                ("a slow disk", lambda: self.disk(0), lambda: self.disk(SLOW)),
                ("a slow client", alone, self.slow_client),
                ("an upload of 200 MB", alone, self.upload)):
            figures[name] = []
            for number in range(-1, self.bench.options.rounds):  # round -1 warms up
                p99 = {}
                for way in (without, what)[::1 if number % 2 else -1]:
                    with way():
                        p99[way] = self.ask(self.koya, seconds).result()["p99"]
                if number >= 0:
                    figures[name].append((p99[without], p99[what]))
            print(f"  beside {name}: {ratio(figures[name]):.2f}", flush=True)
        return figures


def ratio(pairs):
    return statistics.median(beside / alone for alone, beside in pairs)


def measure(bench):
    day = Day(bench)
    return {"seconds": day.seconds, "servers": day.whole(), "beside": day.beside()}


def markdown(figures):
    lines = ["", "## A mixed day", "",
             f"{STATIC + CHANGING} connections for {figures['seconds']} s; nginx has the lists, documents and "
             "archives only.", "",
             "| server | requests a second | lists, documents, archives: p50, p99 | publishes and searches: p50, p99 "
             "| CPU, share of the core | memory: first, last, most |", "|---|---|---|---|---|---|"]
    for name, of in figures["servers"].items():
        kinds = [of[kind] for kind in ("static", "changing") if kind in of]
        count = sum(kind["requests"] for kind in kinds)
        times = [f"{kind['p50']:.2f} ms, {kind['p99']:.2f} ms" for kind in kinds] + [""]
        lines.append(
            f"| {name} | {count / figures['seconds']:.0f} | {times[0]} | {times[1]} | "
            f"{1e6 * of['cpu'] / count:.0f} µs a request, {100 * of['busy']:.0f} % | "
            f"{of['memory'][0]:.0f}, {of['memory'][-1]:.0f}, {max(of['memory']):.0f} MB |")
    memory = figures["servers"]["koya"]["memory"]
    growth = memory[-1] / memory[len(memory) // 4]
    lines += ["", f"Koya's memory at the end ÷ after a quarter: {growth:.2f} (goal ≤ {FLAT}: "
              f"{'holds' if growth <= FLAT else '**missed**'}).", "",
              "| beside | p99 without | p99 beside it | ratio | goal |", "|---|---|---|---|---|"]
    for name, pairs in figures["beside"].items():
        alone, beside = (statistics.median(each) for each in zip(*pairs))
        lines.append(f"| {name} | {alone:.2f} ms | {beside:.2f} ms | {ratio(pairs):.2f} | "
                     f"≤ {GOAL}: {'holds' if ratio(pairs) <= GOAL else '**missed**'} |")
    return lines
