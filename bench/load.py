"""Load from the other core, and what it cost the server: CPU seconds per request or per GB."""
import dataclasses
import re
import subprocess
import time

from servers import LOAD_CORE, cpu_seconds, peak_megabytes, reset_peak

# What clients send with each request for metadata.
CLIENT_FIELDS = ("User-Agent: OpenTofu/1.10.0", "X-Terraform-Version: 1.10.0")


@dataclasses.dataclass
class Sample:
    cost: float  # CPU microseconds a request, or CPU seconds a GB
    rate: float  # requests a second, or MB a second
    busy: float  # share of its core that the server used
    memory: float | None = None  # peak while it served, in MB


def run(*command):
    done = subprocess.run(["taskset", "-c", LOAD_CORE, *command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def requests(server, path, connections, seconds, encoding="gzip", more=()):
    """wrk, one thread, `connections` kept alive; `more`: further header fields."""
    fields = [word for field in (*CLIENT_FIELDS, f"Accept-Encoding: {encoding}", *more)
              for word in ("-H", field)]
    before = cpu_seconds(server.pid)
    output = run("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", *fields,
                 server.base + path)
    used = cpu_seconds(server.pid) - before
    if "Non-2xx" in output or "Socket errors" in output:
        raise RuntimeError(f"{server.name} {path}: {output}")
    count, elapsed = re.search(r"(\d+) requests in ([\d.]+)s", output).groups()
    return Sample(1e6 * used / int(count), int(count) / float(elapsed), used / float(elapsed))


def streams(server, path, count, seconds):
    """h2load, one thread, eight connections with `count` requests at once on each, HTTP/2."""
    fields = [word for field in (*CLIENT_FIELDS, "Accept-Encoding: gzip") for word in ("-H", field)]
    before = cpu_seconds(server.pid)
    output = run("h2load", "-c8", f"-m{count}", f"-D{seconds}", *fields, server.base + path)
    used = cpu_seconds(server.pid) - before
    answered = int(re.search(r"status codes: (\d+) 2xx", output)[1])
    failed = re.search(r"(\d+) failed, (\d+) errored, (\d+) timeout", output)
    if "Application protocol: h2" not in output or any(map(int, failed.groups())):
        raise RuntimeError(f"{server.name} {path}: {output}")
    return Sample(1e6 * used / answered, answered / seconds, used / seconds)


def download(server, path, size, times):
    """curl, one connection, the file `times` over."""
    urls = [word for _ in range(times) for word in ("-o", "/dev/null", server.base + path)]
    before = cpu_seconds(server.pid)
    output = run("curl", "-sS", "-k", "--fail", "--http1.1", "-w",
                 "%{time_total} %{size_download}\n", *urls)
    used = cpu_seconds(server.pid) - before
    lines = [line.split() for line in output.splitlines()]
    assert [int(got) for _, got in lines] == [size] * times, output
    elapsed = sum(float(took) for took, _ in lines)
    total = size * times
    return Sample(used / (total / 1e9), total / 1e6 / elapsed, used / elapsed)


def downloads(server, path, size, clients):
    """curl, one connection for each of `clients`, the file once for each, all at the same time."""
    urls = [word for _ in range(clients) for word in ("-o", "/dev/null", server.base + path)]
    reset_peak(server.pid)
    before, begin = cpu_seconds(server.pid), time.perf_counter()
    output = run("curl", "-sS", "-k", "--fail", "--http1.1", "-Z", "--parallel-immediate",
                 "--parallel-max", str(clients), "-w", "%{size_download}\n", *urls)
    elapsed, used = time.perf_counter() - begin, cpu_seconds(server.pid) - before
    assert output.split() == [str(size)] * clients, output
    total = size * clients
    return Sample(used / (total / 1e9), total / 1e6 / elapsed, used / elapsed,
                  peak_megabytes(server.pid))


def upload(server, path, file, token=None):
    """curl -T, once."""
    fields = ["-H", f"Authorization: Bearer {token}"] if token else []
    before = cpu_seconds(server.pid)
    output = run("curl", "-sS", "-k", "--http1.1", "-T", str(file), "-o", "/dev/null", *fields,
                 "-w", "%{http_code} %{time_total} %{size_upload}", server.base + path)
    used = cpu_seconds(server.pid) - before
    status, elapsed, size = output.split()
    assert status == "201" and int(size) == file.stat().st_size, output
    return Sample(used / (int(size) / 1e9), int(size) / 1e6 / float(elapsed),
                  used / float(elapsed))
