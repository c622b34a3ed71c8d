"""Three servers on one database and one bucket, and 200 clients who want one cold package.

Each round has a package of its own, that none of the servers has seen. The upstream sends so many
bytes a second and no more; one client that asks it directly, in the same round, says how long that
takes. The servers share core 0; PostgreSQL, the S3 server, the upstream and the clients core 1.
"""
import contextlib
import math
import os
import statistics
import time

import koya_upstream
import stampede
import storage
import test_postgres
from koya_provider import ZIP
from servers import Koya, free_port, stolen_seconds

SERVERS = 3
GOAL = 1.15  # of the upstream's own time, until the last client has its last byte
# Of the cores, taken by the host during a round. The load needs most of both: what is taken is
# missing, and a kernel that is late drops what it cannot queue, and sends it again.
MUCH = 0.02


def start_three(bench, upstream, postgres, bucket):
    """Plain HTTP; each tells the others where it can be asked for what it is fetching."""
    folder, three = bench.folder / "replicas", []
    for number in range(SERVERS):
        koya = Koya(folder / f"server-{number + 1}", tls=False)
        koya.name = "three servers"
        koya.arguments += (*bucket, *stampede.asks(upstream), "--catalog.url", postgres.url,
                           "--server.secret_file", str(folder / "server.secret"),
                           "--cluster.listen", f"127.0.0.1:{free_port()}")
        three.append(koya.start())
    return three


def one_round(number, three, upstream):
    address = f"cold{number + 1}/demo"
    path = stampede.offer(upstream, address)
    place = f"/mirror/{upstream.host}/{address}/1.0.0"
    for koya in three:  # the documents were asked for before, the package was not
        assert koya.get(f"{place}.json").status == 200
    figures, stolen, begin = {}, stolen_seconds(), time.monotonic()
    for who in ("direct", "koya")[::1 if number % 2 else -1]:
        if who == "koya":
            figures |= stampede.measure(three, f"{place}/{ZIP}", upstream, path)
        else:
            figures["direct"] = stampede.direct(upstream, path)
    upstream.faults.pop(path)
    cores = os.cpu_count() * (time.monotonic() - begin)
    return figures | {"stolen": (stolen_seconds() - stolen) / cores}


def run(bench):
    if storage.lacks("replicas", postgres=True):
        return None
    with contextlib.ExitStack() as ending:
        folder = bench.folder / "replicas"
        (folder / "postgres").mkdir(parents=True)
        postgres = ending.enter_context(test_postgres.Postgres(folder / "postgres"))
        storage.with_the_load(postgres.process.pid)
        store, bucket = storage.start_store(folder)
        ending.callback(store.kill)
        upstream = koya_upstream.Upstream()
        ending.callback(upstream.off)
        three = start_three(bench, upstream, postgres, bucket)
        for koya in three:
            ending.callback(koya.stop)
        rounds = []
        for number in range(max(bench.options.rounds, 4)):
            rounds.append(one_round(number, three, upstream))
            print(f"  replicas: {rounds[-1]}", flush=True)
        return {"rounds": rounds}


def markdown(figures):
    rounds = figures["rounds"]
    ratio = storage.words([each["last_slowest"] / each["direct"] for each in rounds])
    alone = [each["last_slowest"] / each["direct"] for each in rounds if each["stolen"] <= MUCH]
    asked = max(each["upstream_requests"] for each in rounds)
    median = {name: statistics.median(each[name] for each in rounds)
              for name in ("direct", "first_median", "first_slowest", "last_slowest", "cpu")}
    verdict = {True: "holds", False: "**missed**"}
    return ["", f"## A stampede on three servers: {stampede.CLIENTS} clients, one cold package of "
            "100 MiB", "",
            f"{len(rounds)} rounds, each with a package of its own; PostgreSQL and a bucket of "
            "Ceph's gateway behind the servers, which send each other what one of them fetches. "
            "Medians of the rounds; the ratio with its quartiles.", "",
            "| upstream requests, at most | first byte, median | first byte, slowest client "
            "| last byte, slowest client | the upstream's own | ratio | CPU of the three | peak "
            "memory of one |", "|---|---|---|---|---|---|---|---|",
            f"| {asked} | {median['first_median']:.3f} s | {median['first_slowest']:.3f} s | "
            f"{median['last_slowest']:.2f} s | {median['direct']:.2f} s | {ratio['median']:.3f} "
            f"({ratio['low']:.3f}–{ratio['high']:.3f}) | {median['cpu']:.2f} s | "
            f"{max(each['peak_megabytes'] for each in rounds):.0f} MB |", "",
            f"One upstream request: {verdict[asked == 1]}; last byte ≤ {GOAL} ×: "
            f"{verdict[ratio['median'] <= GOAL]}. In {len(alone)} of the rounds the host took at "
            f"most {100 * MUCH:.0f} % of the cores; the worst of these: "
            f"{max(alone, default=math.nan):.3f}."]
