"""The mirror's part of the benchmark: importing, and what is held, beside nginx serving a static
export of the same mirror."""
import shutil
import subprocess
import time

import load
from providers import PLATFORMS, Packages, children_seconds
from servers import SERVER_CORE

from koya_e2e import KOYA, clean_environment

HOST = "registry.example.org"
IMPORTED, IMPORTED_BYTES = 200, 5_000_000
LARGE_BYTES = 100_000_000
CODE = 4 << 20  # of this program, in each package
SERVED_VERSIONS = 20
ADDRESS = f"{HOST}/bench/big"


def write_packages(folder, versions, platforms, size):
    """A filesystem_mirror in packed layout; no two zips have the same bytes."""
    packages = Packages(size, CODE)
    place = folder / ADDRESS
    place.mkdir(parents=True, exist_ok=True)
    for version in versions:
        for platform in platforms:
            packages.write(place / f"terraform-provider-big_{version}_{platform}.zip",
                           f"{version} {platform}")
    return sorted(place.glob("*.zip"))


def koya(*arguments):
    subprocess.run(["taskset", "-c", SERVER_CORE, str(KOYA), *map(str, arguments)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=clean_environment(HOME="/nonexistent"))


def cost(command):
    """(CPU seconds, wall seconds) of what `command` starts and waits for."""
    begin, before = time.perf_counter(), children_seconds()
    command()
    return children_seconds() - before, time.perf_counter() - begin


def importing(bench):
    """`koya mirror import` of a folder into a new data folder, and sha256sum over the same files."""
    folder = bench.folder / "imported"
    count = IMPORTED // 10 if bench.options.quick else IMPORTED
    platforms = PLATFORMS[:10]
    paths = write_packages(folder, [f"1.{n}.0" for n in range(count // 10)], platforms,
                           IMPORTED_BYTES)
    rounds = []
    for number in range(1 if bench.options.quick else 3):
        data = bench.folder / f"import-{number}"
        sums = cost(lambda: subprocess.run(
            ["taskset", "-c", SERVER_CORE, "sha256sum", *map(str, paths)], check=True,
            stdout=subprocess.DEVNULL))
        ours = cost(lambda data=data: koya("mirror", "import", folder, "--data", data))
        again = cost(lambda data=data: koya("mirror", "import", folder, "--data", data))
        rounds.append({"sums": sums, "import": ours, "again": again})
        shutil.rmtree(data)
    size = sum(path.stat().st_size for path in paths)
    unpacked = len(paths) * Packages(IMPORTED_BYTES, CODE).unpacked
    shutil.rmtree(folder)
    figures = {"packages": len(paths), "bytes": size, "unpacked_bytes": unpacked, "rounds": rounds}
    print(f"  import: {figures}", flush=True)
    return figures


def prepare(bench):
    """Before the servers get their copies of the data: some packages, and their static export."""
    folder = bench.folder / "static"
    write_packages(folder, [f"1.{n}.0" for n in range(SERVED_VERSIONS)], PLATFORMS[:1], 20_000_000)
    write_packages(folder, ["2.0.0"], PLATFORMS, 20_000_000)
    large = write_packages(folder, ["3.0.0"], ["linux_amd64"], LARGE_BYTES)[-1]
    bench.large_zip = large.name
    bench.large_zip_bytes = large.stat().st_size
    data = bench.folder / "seeded"
    koya("mirror", "import", folder, "--data", data)
    koya("mirror", "export", bench.files / "mirror", "--data", data)
    shutil.rmtree(folder)


def rows(bench, add):
    metadata, files = "µs CPU a request", "s CPU a GB"
    zip_path = f"/mirror/{ADDRESS}/3.0.0/{bench.large_zip}"
    static_path = f"/mirror/{ADDRESS}/{bench.large_zip}"

    def requests(file):
        return lambda server, _: load.requests(server, f"/mirror/{ADDRESS}/{file}", 32,
                                               bench.options.seconds, "identity")

    def download(times):
        return lambda server, _: load.download(
            server, zip_path if server.name == "koya" else static_path, bench.large_zip_bytes,
            times)

    note = "An export's VERSION.json has relative URLs, Koya's has absolute ones, and more bytes"
    for secure in (False, True):
        kind = "TLS" if secure else "plain"
        for file, name in (("index.json", "index.json"),
                           ("2.0.0.json", f"VERSION.json, {len(PLATFORMS)} platforms")):
            yield add(f"mirror {name}, {kind}", metadata, requests(file),
                      [] if secure else ["sendfile off"], secure, 0.78 if secure else 0.65,
                      None if secure else 0.85, note)
        yield add(f"mirrored 100 MB zip, {kind}", files, download(5 if secure else 10),
                  ["large buffers"] if secure else ["nopush off"], secure,
                  0.70 if secure else 0.60, 0.75 if secure else 1.00)


def markdown(figures):
    def ratios(name, figure):
        each = sorted(one[name][figure] / one["sums"][figure] for one in figures["rounds"])
        return f"{each[len(each) // 2]:.2f} ({each[0]:.2f}–{each[-1]:.2f})"

    gigabytes = figures["bytes"] / 1e9
    lines = ["", f"## Importing {figures['packages']} packages", "",
             f"{gigabytes:.2f} GB of zips, {figures['unpacked_bytes'] / 1e9:.1f} GB unpacked. "
             "`koya mirror import` on a stopped server's data hashes each zip, inflates every "
             "entry, hashes what comes out (h1), and syncs to the disk; `sha256sum` of the same "
             "files, on the same core, does the first.", "",
             "| | CPU | wall | CPU × `sha256sum` | wall × |", "|---|---|---|---|---|"]
    for key, name in (("sums", "`sha256sum`"), ("import", "import"),
                      ("again", "import again, all there")):
        cpu, wall = min(one[key] for one in figures["rounds"])
        lines.append(f"| {name} | {cpu:.2f} s | {wall:.2f} s | {ratios(key, 0)} | "
                     f"{ratios(key, 1)} |")
    return lines
