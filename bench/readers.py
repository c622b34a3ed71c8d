"""What strangers can make a server hold and compute by reading one large module.

A module of 100,000 inputs (its archive has some 830 KB) and one with a file of 4 MiB are published;
then strangers ask for what unfolds most, from one address and from 50, as fast as they get answers,
or without reading them, or leaving at once. Meanwhile a small module is published, and another
module's page is read, again and again: how long that takes is what everybody else feels. Memory is
the most that was resident during it. The processor's time shows what is
still computed once the strangers have gone.
"""
import contextlib
import hashlib
import socket
import statistics
import threading
import time

from servers import cpu_seconds, peak_megabytes, reset_peak, resident_megabytes

import koya_e2e
from koya_e2e import tar_gz

MOST_MEGABYTES = 512
MOST_WAIT = 1.5   # seconds, of everybody else
SETTLED = 2.0     # seconds after which nothing is computed for those who have gone
IDLE = 0.1        # seconds of processor that a second of a server takes that has nothing to do
SECONDS = 8
HUGE = "open/hugemodule/aws"
MIRRORED = "registry.invalid/evilcorp/hugemodule/aws/1.0.0"


def inputs(count, word="value"):
    """An archive of a module that has so many inputs."""
    def block(number):
        return (f'variable "v{number:06d}" {{\n  type = string\n  default = "{word} {number}"\n'
                f'  description = "Input {number}."\n}}\n')
    files = {f"inputs{at}.tf": "".join(block(each) for each in range(at, min(at + 10_000, count)))
             for at in range(0, count, 10_000)}
    return tar_gz({**files, "README.md": "# Large\n\nA module.\n"})


class Strangers:
    """Connections that ask for `path(number)` again and again until stop(), from so many addresses.
    They read the answers, hold them unread, or leave at once."""

    def __init__(self, port, path, connections, addresses, manner):
        self.port, self.path, self.addresses, self.manner = port, path, addresses, manner
        self.stopping, self.lock, self.number = threading.Event(), threading.Lock(), 0
        self.answers = {}
        self.threads = [threading.Thread(target=self.run, args=(each,), daemon=True)
                        for each in range(connections)]
        for each in self.threads:
            each.start()

    def next_path(self):
        with self.lock:
            self.number += 1
            return self.path(self.number)

    def connect(self, seat):
        address = f"127.0.0.{2 + seat % self.addresses}"
        return socket.create_connection(("127.0.0.1", self.port), 60, (address, 0))

    def ask(self, seat):
        with contextlib.closing(self.connect(seat)) as asked:
            asked.sendall(f"GET {self.next_path()} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n"
                          "Connection: close\r\n\r\n".encode())
            if self.manner == "leave":
                return "left"
            if self.manner == "hold":
                self.stopping.wait()
                return "held"
            first, scrap = asked.recv(1 << 16), True
            while scrap and not self.stopping.is_set():
                scrap = asked.recv(1 << 20)
            return first[9:12].decode()

    def run(self, seat):
        while not self.stopping.is_set():
            try:
                answer = self.ask(seat)
            except OSError:
                answer = "cut"
            with self.lock:
                self.answers[answer] = self.answers.get(answer, 0) + 1
            if self.manner == "leave" or answer == "503":
                self.stopping.wait(0.05)

    def stop(self):
        self.stopping.set()
        for each in self.threads:
            each.join(60)


class Everybody:
    """Publishes small modules and reads another module's page, until stop()."""

    def __init__(self, koya, label):
        self.koya, self.label, self.stopping = koya, label, threading.Event()
        self.pages, self.publishes, self.failures = [], [], []
        self.threads = [threading.Thread(target=each, daemon=True)
                        for each in (self.read, self.publish)]
        for each in self.threads:
            each.start()

    def timed(self, into, status, work):
        begin = time.monotonic()
        try:
            answer = work()
            if answer.status != status:
                self.failures.append(f"{answer.status} {answer.body[:200]!r}")
        except OSError as error:
            self.failures.append(repr(error))
        into.append(time.monotonic() - begin)

    def read(self):
        number = 0
        while not self.stopping.wait(0.2):
            number += 1
            path = f"/modules/open/small/aws/1.0.0/usage?name={self.label}{number}"
            self.timed(self.pages, 200, lambda path=path: self.koya.get(path))

    def publish(self):
        number = 0
        while not self.stopping.wait(0.3):
            number += 1
            archive = tar_gz({"main.tf": f'variable "name" {{ default = "{number}" }}\n'})
            address = f"open/{self.label}/aws"
            self.timed(self.publishes, 201, lambda n=number, archive=archive, address=address:
                       self.koya.put_module(address, f"1.0.{n}", archive))

    def stop(self):
        self.stopping.set()
        for each in self.threads:
            each.join(120)


def spelled(number, word):
    """One of the ways to write `word`, by the bits of `number`."""
    return "".join(letter.upper() if number >> at & 1 else letter for at, letter in enumerate(word))


ATTACKS = {
    # name: path of a request, connections, addresses, manner
    "page": (lambda n: f"/modules/{HUGE}/1.0.0/usage?x={n}", 60, 1, "read"),
    "page50": (lambda n: f"/modules/{HUGE}/1.0.0/usage?x={n}", 200, 50, "read"),
    "inputs50": (lambda n: f"/modules/{HUGE}/1.0.{n % 2}/inputs?q={n}", 200, 50, "read"),
    "leave": (lambda n: f"/modules/open/half/aws/1.0.0/usage?x={n}", 30, 1, "leave"),
    "readme": (lambda n: f"/api/v1/mirror/modules/{MIRRORED.replace('hugemodule', spelled(n, 'hugemodule'))}"
               "/readme", 60, 50, "read"),
    "document": (lambda n: f"/api/v1/modules/open/{spelled(n, 'hugemodule')}/aws/1.0.0", 60, 50, "read"),
    "diff": (lambda n: f"/api/v1/modules/open/{spelled(n, 'hugemodule')}/aws/diff?from=1.0.0&to=1.0.1",
             60, 50, "read"),
    "raw": (lambda n: "/modules/open/raw/aws/1.0.0/files/lambda.zip?raw=1", 150, 1, "hold"),
    "raw50": (lambda n: "/modules/open/raw/aws/1.0.0/files/lambda.zip?raw=1", 200, 50, "hold"),
}


def noise(size):
    """Bytes that cannot be packed."""
    return b"".join(hashlib.sha256(each.to_bytes(8, "big")).digest() for each in range(size // 32))


def prepare(koya):
    huge = inputs(100_000)
    koya.publish(HUGE, "1.0.0", huge)
    koya.publish(HUGE, "1.0.1", inputs(100_000, "other"))
    koya.publish("open/half/aws", "1.0.0", inputs(20_000))
    koya.publish("open/raw/aws", "1.0.0", tar_gz({"main.tf": "", "lambda.zip": noise(4 << 20)}))
    koya.publish("open/small/aws", "1.0.0", tar_gz({"main.tf": 'variable "name" {}\n'}))
    answer = koya.request("PUT", f"/api/v1/mirror/modules/{MIRRORED}", huge, token=koya.token)
    assert answer.status in (200, 201), answer


def settle(pid):
    """Waits until what comes after the publishes is done: the search index is written."""
    def is_idle():
        used = cpu_seconds(pid)
        time.sleep(1)
        return cpu_seconds(pid) - used < IDLE / 10
    koya_e2e.wait_until(is_idle, "the server to have nothing to do", 60)
    time.sleep(10)  # free memory is given back so often


def figures_of(koya, name, seconds):
    path, connections, addresses, manner = ATTACKS[name]
    pid = koya.process.pid
    before = resident_megabytes(pid)
    reset_peak(pid)
    everybody = Everybody(koya, name)
    strangers = Strangers(koya.port, path, connections, addresses, manner)
    time.sleep(seconds)
    strangers.stop()
    everybody.stop()
    peak = peak_megabytes(pid)
    time.sleep(SETTLED)
    used = cpu_seconds(pid)
    time.sleep(1)
    after = cpu_seconds(pid) - used
    return {"name": name, "connections": connections, "addresses": addresses, "before": before,
            "peak": peak, "left": resident_megabytes(pid), "pages": everybody.pages,
            "publishes": everybody.publishes, "after": after, "answers": strangers.answers,
            "failures": everybody.failures}


def measure(bench):
    """The figures of each attack, on one server."""
    with koya_e2e.Server(bench.folder / "readers", "--insecure-http") as koya:
        prepare(koya)
        settle(koya.process.pid)
        return [figures_of(koya, name, 2 if bench.options.quick else SECONDS) for name in ATTACKS]


def markdown(rows):
    lines = ["", "## Strangers who read what is large", "",
             f"A module of 100,000 inputs and one with a file of 4 MiB, read for {SECONDS} s each. Goals: at most "
             f"{MOST_MEGABYTES} MB, everybody else's pages and publishes within {MOST_WAIT} s and none refused, "
             f"and nothing computed {SETTLED:.0f} s after the strangers have gone.", "",
             "| what | strangers, addresses | MB before, at most, after | another page: median, most | "
             "publish: median, most | computed in the third second after | answers | |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        answers = ", ".join(f"{kind}: {count}" for kind, count in sorted(row["answers"].items()))
        lines.append(
            f"| {row['name']} | {row['connections']}, {row['addresses']} | {row['before']:.0f}, "
            f"{row['peak']:.0f}, {row['left']:.0f} | {statistics.median(row['pages']):.3f}, "
            f"{max(row['pages']):.2f} s | {statistics.median(row['publishes']):.3f}, "
            f"{max(row['publishes']):.2f} s | {row['after']:.2f} s | {answers} | {verdict(row)} |")
    return lines


def verdict(row):
    slow = max(row["pages"] + row["publishes"]) > MOST_WAIT
    missed = row["peak"] > MOST_MEGABYTES or row["after"] > IDLE or row["failures"] or slow
    return "**missed**" if missed else "holds"
