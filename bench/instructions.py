#!/usr/bin/env python3
"""What a warm request costs: instructions in user mode of the loop that answers it.

usage: instructions.py [--record] [--only WORD]

Koya runs on the processor that valgrind (callgrind) emulates. It is the same on every machine that has AVX2, so
glibc and OpenSSL choose the same code there: one program has one set of figures, whatever else the machine does.
One connection asks for the same thing FEW times and then MANY times; the difference is what the further requests
cost. The figure is the median of TIMES differences. A token is looked up again each second: each round is so short
that most rounds have no lookup, even beside other work. Threads that write the log or wait are left out.

Each row is compared with bench/instructions.json and may be TOLERANCE off, up or down. A change that adds cost has
to say so: it records again (--record, or `make instructions RECORD=1`).
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import mirror
import seed
import tokens
from servers import Koya

import koya_e2e
import koya_provider

RECORD = pathlib.Path(__file__).with_suffix(".json")
TOLERANCE = 0.03
WARM, FEW, MANY, TIMES = 50, 5, 15, 31
# The counting is cut where the engine refuses a request, which no warm request reaches.
MARK = "koya::http::RequestExchange::ErrorResponse*"
LISTED, VERSIONS = "bench/list/null", 25  # 1.5 KB
PLATFORM = "linux_amd64"
START_SECONDS = 300  # valgrind takes its time


class CountedKoya(Koya):
    """Koya with one loop, whose instructions are counted."""

    def __init__(self, folder, data, tls):
        super().__init__(folder / data, tls)
        self.counts = folder / f"{data}.counts"
        # Debian's valgrind cannot read the debug information of clang 19.
        self.stripped = folder / "koya"
        if not self.stripped.exists():
            subprocess.run(["strip", "-g", "-o", self.stripped, koya_e2e.KOYA], check=True)

    def command(self):
        command = koya_e2e.Server.command(self)
        return ["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--dump-before={MARK}",
                f"--callgrind-out-file={self.counts}", "--log-file=/dev/null", str(self.stripped),
                *command[1:]]

    def start(self):
        usual, koya_e2e.START_SECONDS = koya_e2e.START_SECONDS, START_SECONDS
        try:
            return super().start()
        finally:
            koya_e2e.START_SECONDS = usual

    def cut(self, connection):
        """{thread: instructions since the last cut}"""
        connection.request("DELETE", "/.well-known/terraform.json")
        answer = connection.getresponse()
        assert answer.status == 405 and answer.read(), answer.status
        found = {}
        for file in self.counts.parent.glob(f"{self.counts.name}.*"):
            total = re.search(r"^(?:summary|totals): (\d+)", file.read_text(), re.MULTILINE)
            found[file.suffix.rpartition("-")[2]] = int(total[1])
            file.unlink()
        assert found, f"{MARK} was not reached"
        return found


class Threads:
    """The threads of a process, as the kernel sees them."""

    def __init__(self, pid, stack):
        self.files = []
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            self.files.append(os.open(task / "stat", os.O_RDONLY))
            stack.callback(os.close, self.files[-1])

    def wait_until_asleep(self):
        while any(self.runs(file) for file in self.files):
            time.sleep(0)

    @staticmethod
    def runs(file):
        try:
            line = os.pread(file, 200, 0)
        except ProcessLookupError:
            return False  # it has ended
        return line[line.rindex(b")") + 2:][:1] == b"R"


def ask(connection, threads, path, fields, status, times):
    for _ in range(times):
        # A request that is there before the loop waits for it takes another way through Asio.
        threads.wait_until_asleep()
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status, (path, answer.status)


def count(koya, path, fields, status=200):
    """Instructions a request."""
    costs = []
    with contextlib.ExitStack() as stack:
        connection = stack.enter_context(contextlib.closing(koya.connection(timeout=300)))
        threads = Threads(koya.pid, stack)
        ask(connection, threads, path, fields, status, WARM)
        koya.cut(connection)
        for _ in range(TIMES):
            ask(connection, threads, path, fields, status, FEW)
            few = koya.cut(connection)
            ask(connection, threads, path, fields, status, MANY)
            many = koya.cut(connection)
            loop = max(many, key=many.get)
            costs.append((many[loop] - few[loop]) / (MANY - FEW))
    return statistics.median(costs)


def fill(data):
    """A data folder with all that is asked for, made before anything is counted."""
    with koya_e2e.Server(data) as koya:
        seed.publish_on(koya, [PLATFORM])
    seed.multiply(data, {LISTED: VERSIONS})
    packages = data.parent / "packages" / mirror.ADDRESS
    packages.mkdir(parents=True)
    zips = koya_provider.unsigned("1.0.0", type_name="big", platforms=[PLATFORM])
    for name, zipped in zips.items():
        (packages / name).write_bytes(zipped)
    mirror.koya("mirror", "import", data.parent / "packages", "--data", data)


def rows(koya):
    """(what, path, fields, status)"""
    document = f"/v1/modules/{LISTED}/versions"
    with contextlib.closing(koya.connection(timeout=300)) as connection:
        connection.request("GET", document)
        answer = connection.getresponse()
        answer.read()
    tag, bearer = {"If-None-Match": answer.headers["ETag"]}, {"Authorization": f"Bearer {koya.token}"}
    how = "TLS" if koya.tls_on else "plain"
    yield f"1.5 KB document, {how}", document, {}, 200
    yield f"1.5 KB document with a token, {how}", document, bearer, 200
    if koya.tls_on:
        return
    basic = base64.b64encode(f"any:{koya.token}".encode()).decode()
    yield "1.5 KB document with a token in Basic, plain", document, {"Authorization": f"Basic {basic}"}, 200
    yield "1.5 KB document not modified", document, tag, 304
    archive, signed = tokens.archives(koya)
    yield "archive of 300 bytes", archive, {}, 200
    yield "archive by a capability URL", signed, {}, 200
    download = f"/v1/providers/{seed.FIRST_PROVIDER}/1.0.0/download/linux/amd64"
    yield "provider download document", download, {}, 200
    yield "mirrored index", f"/mirror/{mirror.ADDRESS}/index.json", {}, 200


def measure(only=""):
    """{what: instructions a request}"""
    figures = {}
    with tempfile.TemporaryDirectory(prefix="koya-bench-") as name:
        folder = pathlib.Path(name)
        fill(folder / "tls")
        shutil.copytree(folder / "tls", folder / "plain")
        for tls in (False, True):
            with CountedKoya(folder, "tls" if tls else "plain", tls) as koya:
                for what, path, fields, status in rows(koya):
                    if only not in what:
                        continue
                    figures[what] = count(koya, path, fields, status)
                    print(f"  {what}: {figures[what]:,.0f} instructions", flush=True)
    return figures


def why_not():
    """Why the figures would mean nothing here; "": they do."""
    if not shutil.which("valgrind"):
        return "there is no valgrind: tools/install-packages test"
    if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text().split():
        return "the processor has no AVX2: other code is chosen for it"
    if os.environ.get("KOYA_BUILD_TYPE", "Release") != "Release":
        return "the program is not optimised"
    return ""


def compare(figures, recorded):
    """A line for each row that is off, or was never recorded."""
    for what, now in figures.items():
        if (before := recorded.get(what)) is None:
            yield f"{what}: {now:,.0f}, never recorded"
        elif abs(now / before - 1) > TOLERANCE:
            yield f"{what}: {before:,} → {now:,.0f} ({now / before:.3f} ×)"


def markdown(figures):
    return ["", "## Instructions", "",
            "In user mode, of one warm request, over one connection.", "",
            "| | instructions |", "|---|---|",
            *(f"| {what} | {now:,.0f} |" for what, now in figures.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write instructions.json again")
    parser.add_argument("--only", default="", help="the rows whose name has this word")
    options = parser.parse_args()
    if reason := why_not():
        print(f"skipped: {reason}")
        return koya_e2e.SKIPPED
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    figures = measure(options.only)
    if options.record:
        recorded |= {what: round(now) for what, now in figures.items()}
        RECORD.write_text(json.dumps(recorded, indent=2) + "\n")
        return 0
    wrong = list(compare(figures, recorded))
    print("\n".join(wrong))
    if wrong:
        print(f"Off by more than {TOLERANCE:.0%}. If that is meant, say why in the commit, and record again: "
              "make instructions RECORD=1")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
