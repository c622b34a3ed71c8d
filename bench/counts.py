"""What a request costs in system calls and allocations: counts, which no neighbour on the machine moves.

The program is traced (strace) for the one, and has another malloc before its own for the other: both slow
it down, so that no time is taken of these requests.
"""
import contextlib
import http.client
import pathlib
import signal
import subprocess
import tempfile

import tokens
from servers import Koya

import koya_e2e
from koya_e2e import PLAIN_MODULE, tar_gz

REQUESTS = 4000
HERE = pathlib.Path(__file__).resolve().parent


class CountedKoya(Koya):
    """Koya, which tells how often it has allocated."""

    def __init__(self, folder):
        super().__init__(folder / "data", tls=False)
        library, self.counter = folder / "count_allocations.so", folder / "allocations"
        subprocess.run(["clang-19", "-O2", "-shared", "-fPIC", "-o", library,
                        HERE / "count_allocations.c"], check=True)
        self.counter.write_bytes(bytes(8))
        self.environment = {**self.environment, "LD_PRELOAD": str(library),
                            "BENCH_ALLOCATIONS": str(self.counter)}

    def command(self):
        return koya_e2e.Server.command(self)  # without taskset, which would be counted too

    def allocations(self):
        return int.from_bytes(self.counter.read_bytes()[:8], "little")


class Tracer:
    """strace on a process and all its threads, for as long as the context lasts."""

    def __init__(self, pid, folder):
        self.pid, self.output = pid, folder / "calls"

    def __enter__(self):
        self.process = subprocess.Popen(
            ["strace", "-f", "-c", "-U", "calls,name", "-o", self.output, "-p", str(self.pid)],
            stderr=subprocess.PIPE, text=True)
        first = self.process.stderr.readline()
        assert "attached" in first, first
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=30)

    def calls(self):
        return sum(int(line.split()[0]) for line in self.output.read_text().splitlines()
                   if line.split() and line.split()[0].isdigit() and line.split()[-1] != "total")


def ask(connection, path, fields):
    for _ in range(REQUESTS):
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read(), (path, answer.status)


def count(server, folder, path, fields):
    """(system calls, allocations) of one request of many, over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with contextlib.closing(connection):
        ask(connection, path, fields)  # so that everything that is kept is there
        before = server.allocations()
        ask(connection, path, fields)
        allocations = server.allocations() - before
        with Tracer(server.pid, folder) as tracer:
            ask(connection, path, fields)
    return tracer.calls() / REQUESTS, allocations / REQUESTS


def measure():
    """{what: (system calls, allocations) of a request}"""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="koya-bench-")))
        with Koya(folder / "data", tls=True) as seeded:  # which makes an administrator's token
            seeded.publish("acme/vpc/aws", "1.0.0", tar_gz(PLAIN_MODULE))
        server = stack.enter_context(CountedKoya(folder))
        plain, signed = tokens.archives(server)
        document = "/v1/modules/acme/vpc/aws/versions"
        bearer = {"Authorization": f"Bearer {server.token}"}
        ways = {"a document": (document, {}), "a document, with a token": (document, bearer),
                "an archive": (plain, {}), "an archive, by a capability URL": (signed, {})}
        figures = {}
        for what, (path, fields) in ways.items():
            figures[what] = count(server, folder, path, fields)
            print(f"  {what}: {figures[what][0]:.2f} system calls, {figures[what][1]:.2f} "
                  "allocations", flush=True)
    return figures


def markdown(figures):
    lines = ["", "## Counts", "", f"Of one request of {REQUESTS}, over one connection, plain HTTP.", "",
             "| | system calls | allocations |", "|---|---|---|"]
    return lines + [f"| {what} | {calls:.2f} | {allocations:.2f} |"
                    for what, (calls, allocations) in figures.items()]
