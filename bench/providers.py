"""The provider registry's part of the benchmark: version lists, download documents, large packages
to many clients at once, and publishing.

The large packages are deflated machine code (this program, many times over), as real ones are: a
zip of 180 MB holds a binary of several hundred.
"""
import resource
import shutil
import struct
import subprocess
import time
import zlib

import load
from servers import LOAD_CORE, SERVER_CORE, Koya, cpu_seconds, peak_megabytes, reset_peak

import koya_provider
from koya_e2e import KOYA

PLATFORMS = ("darwin_amd64", "darwin_arm64", "freebsd_386", "freebsd_amd64", "freebsd_arm",
             "freebsd_arm64", "linux_386", "linux_amd64", "linux_arm", "linux_arm64",
             "linux_ppc64le", "linux_s390x", "windows_386", "windows_amd64", "windows_arm64")
VERSIONS = (1, 100, 450)
ZIP_BYTES = 180_000_000
CLIENTS = 50
PACKAGES = 16
AT_ONCE = 4  # uploads; and how many packages lie on the disk beside the server's copies
BIG = ("bench/big", "1.0.0")


def seeded():
    """{address: number of versions} for seed.multiply_providers."""
    return {address(count): count for count in VERSIONS}


def address(count):
    return f"bench/list-{count}"


def list_path(count):
    return f"/v1/providers/{address(count)}/versions"


def document_path():
    return f"/v1/providers/{address(100)}/1.0.50/download/linux/amd64"


def zip_name(platform):
    return f"{koya_provider.stem('big', '1.0.0')}_{platform}.zip"


def zip_path():
    return f"/download/providers/{'/'.join(BIG)}/{zip_name('linux_amd64')}"


# ---- packages

class Packages:
    """Writes zips of ZIP_BYTES that differ in one small entry only. `code`: how much of this
    program is repeated; less than `size` packed."""

    def __init__(self, size=ZIP_BYTES, code=None):
        code = KOYA.read_bytes()[:code]
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        # Flushed in full, so that the stream can be repeated and still be one stream.
        self.part = deflate.compress(code) + deflate.flush(zlib.Z_FULL_FLUSH)
        self.count = max(1, round(size / len(self.part)))
        self.unpacked = self.count * len(code)
        self.crc = 0
        for _ in range(self.count):
            self.crc = zlib.crc32(code, self.crc)

    def write(self, path, platform):
        entries = b""
        with open(path, "wb") as out:
            for name, method, crc, unpacked, parts in (
                (b"terraform-provider-big_v1.0.0", 8, self.crc, self.unpacked,
                 [self.part] * self.count + [b"\x03\x00"]),
                (b"PLATFORM", 0, zlib.crc32(platform.encode()), len(platform),
                 [platform.encode()]),
            ):
                packed = sum(map(len, parts))
                fields = struct.pack("<5H3L2H", 20, 0, method, 0, 0x5C21, crc, packed, unpacked,
                                     len(name), 0)
                offset = out.tell()
                out.write(b"PK\x03\x04" + fields + name)
                out.writelines(parts)
                entries += (b"PK\x01\x02" + struct.pack("<H", 0x0314) + fields +
                            struct.pack("<3H2L", 0, 0, 0, 0o100755 << 16, offset) + name)
            start = out.tell()
            out.write(entries + b"PK\x05\x06" +
                      struct.pack("<4H2LH", 0, 0, 2, 2, len(entries), start, 0))
        return path


# ---- what clients ask for

def prepare(bench):
    """Publishes the large package, and writes what Koya answers as files for nginx."""
    path = Packages().write(bench.folder / zip_name("linux_amd64"), "linux_amd64")
    for koya in (bench.plain, bench.tls):
        draft = koya_provider.Draft(koya, *BIG)
        with open(path, "rb") as data:
            answer = draft.put(path.name, data, timeout=120,
                               headers={"Content-Length": str(path.stat().st_size)})
        assert answer.status == 200 and not answer.json()["problems"], answer
        assert (answer := draft.commit(sign=True)).status == 201, answer
    target = bench.files / zip_path().lstrip("/")
    target.parent.mkdir(parents=True)
    path.rename(target)
    bench.zip_bytes = target.stat().st_size
    for each in (*map(list_path, VERSIONS), document_path()):
        bench.write(each, bench.tls.get(each).body)
        bench.write(each + ".gz", bench.tls.get(each, {"Accept-Encoding": "gzip"}).body)


def rows(bench, add):
    """`add` is Bench's way to make a row: (work, unit, measure, tuned, secure, …)."""
    metadata, files = "µs CPU a request", "s CPU a GB"

    def requests(path, encoding):
        return lambda server, _: load.requests(server, path, 32, bench.options.seconds, encoding)

    for count in VERSIONS:
        for encoding in ("identity", "gzip"):
            yield add(f"provider list, {count} × {len(PLATFORMS)}, plain, {encoding}", metadata,
                      requests(list_path(count), encoding), ["sendfile off", "large buffers"])
    for secure in (False, True):
        yield add(f"provider download document, {'TLS' if secure else 'plain'}", metadata,
                  requests(document_path(), "identity"), [] if secure else ["sendfile off"],
                  secure=secure)
    for secure in (False, True):
        yield add(f"180 MB zip to {CLIENTS} clients, {'TLS' if secure else 'plain'}", files,
                  lambda server, _: load.downloads(server, zip_path(), bench.zip_bytes, CLIENTS),
                  ["large buffers"] if secure else ["nopush off"], secure=secure)


# ---- publishing

def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def publish(bench):
    """One release of 16 packages of 180 MB, AT_ONCE at a time, against sha256sum of the same files.

    The packages of a batch are made before the clock runs, and removed after it.
    """
    count = AT_ONCE if bench.options.quick else PACKAGES
    data, batch = bench.folder / "publish", bench.folder / "batch"
    shutil.copytree(bench.folder / "seeded", data)
    batch.mkdir()
    packages = Packages()
    koya = bench.start(Koya(data, tls=False))
    draft = koya_provider.Draft(koya, *BIG)
    totals = dict.fromkeys(("cpu", "wall", "sums_cpu", "sums_wall"), 0.0)
    size = 0
    reset_peak(koya.pid)
    platforms = (*PLATFORMS, "openbsd_amd64")[:count]
    for first in range(0, count, AT_ONCE):
        paths = [packages.write(batch / zip_name(each), each)
                 for each in platforms[first:first + AT_ONCE]]
        size += sum(path.stat().st_size for path in paths)
        begin, before = time.perf_counter(), children_seconds()
        subprocess.run(["taskset", "-c", SERVER_CORE, "sha256sum", *map(str, paths)], check=True,
                       stdout=subprocess.DEVNULL)
        totals["sums_wall"] += time.perf_counter() - begin
        totals["sums_cpu"] += children_seconds() - before
        sample = upload(koya, draft, paths)
        for name, value in sample.items():
            totals[name] += value
        for path in paths:
            path.unlink()
    begin, before = time.perf_counter(), cpu_seconds(koya.pid)
    answer = draft.commit(sign=True)
    assert answer.status == 201 and len(answer.json()["packages"]) == count, answer
    figures = {
        "packages": count, "bytes": size, "unpacked_bytes": count * packages.unpacked, **totals,
        "commit_wall": time.perf_counter() - begin,
        "commit_cpu": cpu_seconds(koya.pid) - before,
        "peak_megabytes": peak_megabytes(koya.pid),
    }
    koya.stop()
    bench.running.remove(koya)
    shutil.rmtree(data)
    print(f"  publish: {figures}", flush=True)
    return figures


def upload(koya, draft, paths):
    transfers = [word for path in paths for word in (
        "-o", "/dev/null", "-T", str(path),
        f"{koya.base}{draft.release_path}/drafts/{draft.id}/files/{path.name}")]
    begin, before = time.perf_counter(), cpu_seconds(koya.pid)
    output = subprocess.run(
        ["taskset", "-c", LOAD_CORE, "curl", "-sS", "-Z", "--parallel-max", str(AT_ONCE),
         "--http1.1", "-H", f"Authorization: Bearer {draft.token}", "-w", "%{http_code}\n",
         *transfers], check=True, capture_output=True, text=True).stdout
    assert output.split() == ["200"] * len(paths), output
    return {"cpu": cpu_seconds(koya.pid) - before, "wall": time.perf_counter() - begin}


def markdown(figures):
    gigabytes = figures["bytes"] / 1e9
    unpacked = figures["unpacked_bytes"] / 1e9
    return [
        "", f"## A release of {figures['packages']} packages of 180 MB", "",
        f"{gigabytes:.2f} GB of zips, {unpacked:.1f} GB unpacked, {AT_ONCE} uploads at a time, "
        "plain HTTP. Koya hashes the zip, inflates every entry, hashes what comes out (h1), and "
        "syncs to the disk; `sha256sum` of the same files, on the same core, does the first.", "",
        "| | CPU | wall | CPU a GB of zip |", "|---|---|---|---|",
        *(f"| {name} | {figures[key + 'cpu']:.1f} s | {figures[key + 'wall']:.1f} s | "
          f"{figures[key + 'cpu'] / gigabytes:.2f} s |"
          for name, key in (("Koya, uploads", ""), ("`sha256sum`", "sums_"))),
        f"| Koya, commit | {figures['commit_cpu']:.3f} s | {figures['commit_wall']:.3f} s | |", "",
        f"CPU: {figures['cpu'] / figures['sums_cpu']:.2f} × that of `sha256sum`. Peak memory of "
        f"the server: {figures['peak_megabytes']:.0f} MB."]
