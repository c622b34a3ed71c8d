"""What it takes to publish many module versions at once, beside one after another.

500 archives of a kilobyte are published to a server on SQLite, by one connection and by 64, in turns;
no two rounds have the same bytes. Every success is on the disk before it is answered, so the row has
this machine's disk, and one that takes 5 ms more for each fsync, as those of the cloud do.
The server has core 0, the load core 1.
"""
import shutil
import statistics
import time

from load import run
from servers import SlowDiskKoya, cpu_seconds

from koya_e2e import tar_gz

COUNT, CONNECTIONS, MODULES = 500, 64, 50
DISKS = {"this machine's disk": 0, "5 ms more for each fsync": 5000}  # microseconds
GOAL = 5.0


def orders(folder, server, number):
    """curl's orders to publish COUNT versions that no server has seen before."""
    lines = []
    for each in range(COUNT):
        file = folder / f"{each}.tar.gz"
        file.write_bytes(tar_gz({"main.tf": f'variable "v" {{ default = "{number} {each}" }}\n'}))
        address = f"bench/burst{each % MODULES}/null/{number + 1}.0.{each}"
        lines += ["next"] if lines else []
        lines += [f'url = "{server.base}/api/v1/modules/{address}"', f'upload-file = "{file}"',
                  f'header = "Authorization: Bearer {server.token}"', 'output = "/dev/null"',
                  'write-out = "%{http_code}\\n"', "silent", "insecure", "http1.1"]
    path = folder / "orders"
    path.write_text("\n".join(lines) + "\n")
    return path


def publish(folder, server, number, connections):
    """Seconds, and seconds of the server's CPU."""
    path = orders(folder, server, number)
    used, begin = cpu_seconds(server.pid), time.perf_counter()
    at_once = ["-Z", "--parallel-immediate", "--parallel-max", str(connections)]
    output = run("curl", *(at_once if connections > 1 else []), "-K", str(path))
    seconds = time.perf_counter() - begin
    assert output.split() == ["201"] * COUNT, output
    return seconds, cpu_seconds(server.pid) - used


def measure(bench):
    """{disk: {"one": [(seconds, CPU seconds)], "many": […]}}"""
    figures = {}
    for disk, microseconds in DISKS.items():
        folder = bench.folder / f"burst-{microseconds}"
        folder.mkdir()
        shutil.copytree(bench.folder / "seeded", folder / "data")
        server = SlowDiskKoya(folder, "data")
        server.delay(microseconds)
        of = figures[disk] = {"one": [], "many": []}
        with server:
            for number in range(bench.options.rounds + 1):  # round 0 warms up, and is thrown away
                for way, connections in (("one", 1), ("many", CONNECTIONS))[::1 if number % 2 else -1]:
                    version = 2 * number + (way == "many")
                    sample = publish(folder, server, version, connections)
                    of[way] += [sample] if number else []
        print(f"  burst, {disk}: {ratio(of):.2f}", flush=True)
    return figures


def ratio(of):
    return statistics.median(one[0] / many[0] for one, many in zip(of["one"], of["many"]))


def markdown(figures):
    lines = ["", "## Many publishes at once", "",
             f"{COUNT} modules of a kilobyte, on SQLite: one after another, and on {CONNECTIONS} connections; "
             "medians.", "",
             "| disk | one after another | at once | ratio | goal | CPU a publish: one after another, at once |",
             "|---|---|---|---|---|---|"]
    for disk, of in figures.items():
        def median(way, which):
            return statistics.median(sample[which] for sample in of[way])
        lines.append(
            f"| {disk} | {median('one', 0):.2f} s | {median('many', 0):.2f} s | {ratio(of):.2f} | "
            f"≥ {GOAL:.0f}: {'holds' if ratio(of) >= GOAL else '**missed**'} | "
            f"{1e3 * median('one', 1) / COUNT:.2f} ms, {1e3 * median('many', 1) / COUNT:.2f} ms |")
    return lines
