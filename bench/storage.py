"""Archives in a bucket: Koya on an S3 server beside Koya on a folder, and beside the S3 server.

The S3 server is Ceph's gateway, in memory (koya_s3.py): it has core 1 with the load, Koya core 0.
Each figure is a ratio within a round, what is compared taking turns in it; shown are the median and
the quartiles. Nothing here is compared with another machine's S3 server, or a network.
"""
import http.client
import os
import re
import shutil
import statistics
import subprocess
import time
import urllib.request

import koya_s3
import load
from servers import LOAD_CORE, Koya

from koya_e2e import tar_gz
from test_postgres import POSTGRES

MEGABYTE = 1 << 20
SIZE = 100 * MEGABYTE
BUCKET = "bench"
GOALS = {"warm document": 1.02, "warm archive": 1.02, "cold, first byte": 1.2,
         "cold, throughput": 0.9, "upload": 1.3}


def archive(text):
    """Bytes that no store has seen before, and that do not pack."""
    return tar_gz({"main.tf": f"# {text}\n", "noise.bin": os.urandom(SIZE - 64_000)})


def fetch(port, path, fields=()):
    """(first byte, last byte) in seconds of one GET over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.connect()
    begin = time.monotonic()
    connection.request("GET", path, headers=dict(fields))
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    scrap = bytearray(MEGABYTE)
    size = len(answer.read1(1))  # readinto would wait for all of what it has room for
    first = time.monotonic() - begin
    while got := answer.readinto(scrap):
        size += got
    last = time.monotonic() - begin
    connection.close()
    return first, last, size


def timed(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def words(samples):
    low, median, high = statistics.quantiles(samples, n=4)
    return {"median": median, "low": low, "high": high}


def lacks(row, postgres=False):
    """Whether something is not installed that the row needs, which is then said by name."""
    missing = koya_s3.missing()
    if postgres and not (POSTGRES / "postgres").exists():
        missing.append("PostgreSQL 15")
    if missing:
        print(f"  {row}: SKIPPED, not installed: {', '.join(missing)}", flush=True)
    return bool(missing)


def with_the_load(pid):
    """What is not measured shares the core of the load."""
    subprocess.run(["taskset", "-acp", LOAD_CORE, str(pid)], check=True, stdout=subprocess.DEVNULL)


def start_store(folder):
    """An S3 server with an empty bucket, and the arguments of a Koya that keeps its blobs there."""
    folder.mkdir(exist_ok=True)
    store = koya_s3.Radosgw(folder / "ceph")
    store.start().make_bucket(BUCKET)
    for pid in store.pids():
        with_the_load(pid)
    keys = folder / "keys"
    keys.write_text(f"{koya_s3.ACCESS}\n{koya_s3.SECRET}\n")
    return store, ("--blobs.url", f"s3://{BUCKET}/koya", "--blobs.s3.endpoint",
                   f"http://127.0.0.1:{store.port}", "--blobs.s3.region", koya_s3.REGION,
                   "--blobs.s3.access_key_file", str(keys))


class Storage:
    """One S3 server, and Koya on it and on a folder."""

    def __init__(self, bench):
        self.bench, self.rounds = bench, max(bench.options.rounds, 4)
        self.store, bucket = start_store(bench.folder / "storage")
        self.folder, self.s3 = (self.koya(name, more)
                                for name, more in (("on-folder", ()), ("on-s3", bucket)))

    def koya(self, name, more):
        """A server whose administrator's token is known; plain HTTP."""
        data = self.bench.folder / name
        with Koya(data, tls=True) as first:  # --dev makes the token
            token = first.token
        koya = Koya(data, tls=False)
        koya.arguments = [*koya.arguments, *more]
        koya.name, koya.bearer = name, token
        return koya.start()

    def stop(self):
        for koya in (self.folder, self.s3):
            koya.stop()
        self.store.kill()

    def publish(self, koya, version, data):
        answer = koya.put_module("bench/big/null", version, data, token=koya.bearer, timeout=300)
        assert answer.status == 201, answer

    def warm(self, measure):
        """The cost of a warm answer on the bucket against that on the folder.

        A ratio of 1.02 is looked for where single ones differ by a tenth: four in each round.
        """
        ratios = []
        for number in range(-1, 4 * self.rounds):
            costs = {}
            for koya in (self.folder, self.s3)[::1 if number % 2 else -1]:
                costs[koya] = measure(koya).cost
            if number >= 0:
                ratios.append(costs[self.s3] / costs[self.folder])
        return words(ratios)

    def from_store(self):
        """Bytes of archives that the server has had from the bucket so far."""
        listen = self.s3.arguments[self.s3.arguments.index("--metrics.listen") + 1]
        with urllib.request.urlopen(f"http://{listen}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        return float(re.search(r'archive_source_bytes_total\{source="store"\} (\S+)', text)[1])

    def fetch_cold(self, path):
        """What the server keeps on its disk is taken from it, as anybody may at any time."""
        for _ in range(90):
            shutil.rmtree(self.s3.data / "cache/sha256", ignore_errors=True)
            time.sleep(1)  # what was opened from the cache is let go within a minute
            before = self.from_store()
            took = fetch(self.s3.port, path)
            if self.from_store() - before >= took[2]:  # else the last one was just being kept
                return took
        raise RuntimeError("an archive that was taken from the cache is not fetched from the bucket")

    def cold(self):
        """An archive that only the bucket has, against a plain GET of its object."""
        firsts, throughputs = [], []
        path = self.s3.archive_path("bench/big/null", "1.0.0")
        (key,) = [key for key, size in self.store.objects(BUCKET).items() if size > SIZE // 2]
        place = f"/{BUCKET}/{key}"
        for number in range(-1, 2 * self.rounds):
            took = {}
            for who in ("koya", "store")[::1 if number % 2 else -1]:
                if who == "koya":
                    took[who] = self.fetch_cold(path)
                else:
                    took[who] = fetch(self.store.port, place, self.store.signed("GET", place).items())
            assert took["koya"][2] == took["store"][2]
            if number >= 0:
                firsts.append(took["koya"][0] / took["store"][0])
                throughputs.append(took["store"][1] / took["koya"][1])
        return words(firsts), words(throughputs)

    def uploads(self):
        """Koya on the bucket against Koya on the folder plus the store by itself."""
        ratios = []
        for number in range(-1, self.rounds):
            data, version = archive(f"upload {number}"), f"2.0.{number + 1}"
            took = {}
            for who in ("folder", "s3", "store")[::1 if number % 2 else -1]:
                action = {"folder": lambda: self.publish(self.folder, version, data),
                          "s3": lambda: self.publish(self.s3, version, data),
                          "store": lambda: self.store.write(BUCKET, "plain", data)}[who]
                took[who] = timed(action)
            if number >= 0:
                ratios.append(took["s3"] / (took["folder"] + took["store"]))
        return words(ratios)


def run(bench):
    if lacks("storage"):
        return None
    storage = Storage(bench)
    try:
        data = archive("first")
        for koya in (storage.folder, storage.s3):
            storage.publish(koya, "1.0.0", data)
        path, seconds = "/v1/modules/bench/big/null/versions", max(bench.options.seconds // 2, 1)
        figures = {
            "warm document": storage.warm(
                lambda koya: load.requests(koya, path, 32, seconds, "identity")),
            "warm archive": storage.warm(lambda koya: load.download(
                koya, koya.archive_path("bench/big/null", "1.0.0"), len(data), 5))}
        figures["cold, first byte"], figures["cold, throughput"] = storage.cold()
        figures["upload"] = storage.uploads()
        print(f"  storage: {figures}", flush=True)
        return {"rounds": storage.rounds, "rows": figures}
    finally:
        storage.stop()


WORK = {
    "warm document": "warm document, CPU: bucket against folder",
    "warm archive": "warm archive of 100 MB, CPU: bucket against folder",
    "cold, first byte": "cold archive, first byte: Koya against the store itself",
    "cold, throughput": "cold archive, throughput: Koya against the store itself",
    "upload": "upload of 100 MB: bucket against folder plus the store by itself",
}


def markdown(figures):
    lines = ["", "## Archives in a bucket", "",
             f"{figures['rounds']} rounds; ratios: median (quartiles). The S3 server is Ceph's "
             "gateway with its store in memory, on the core of the load.", "",
             "| work | ratio | goal |", "|---|---|---|"]
    for name, row in figures["rows"].items():
        goal = GOALS[name]
        at_least = name == "cold, throughput"
        holds = row["median"] >= goal if at_least else row["median"] <= goal
        lines.append(f"| {WORK[name]} | {row['median']:.2f} ({row['low']:.2f}–{row['high']:.2f}) | "
                     f"{'≥' if at_least else '≤'} {goal}: {'holds' if holds else '**missed**'} |")
    return lines
