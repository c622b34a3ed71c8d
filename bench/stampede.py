"""Many clients want one package that nobody has asked for before, from an upstream that is slow.

Koya beside nginx with a cache and a lock. The upstream sends so many bytes a second and no more;
one client that asks it directly says how long that takes. Clients are threads of a process of their
own, which drop what they receive in the kernel. The servers have core 0, everything else core 1.
"""
import json
import multiprocessing
import os
import selectors
import socket
import statistics
import subprocess
import time

import koya_provider
import koya_upstream
from koya_provider import ZIP
from servers import LOAD_CORE, Koya, Nginx, cpu_seconds, peak_megabytes, reset_peak

CLIENTS = 200
PACKAGE_BYTES = 100 << 20
UPSTREAM_RATE = 20e6  # bytes a second
PIECE = 1 << 16
ADDRESS = "acme/demo"
GOALS = {"first": 0.05, "last": 1.06}
DISCARD = socket.MSG_TRUNC  # TCP drops the bytes in the kernel


def limited(handler, good):
    """The body at UPSTREAM_RATE, from its first byte on."""
    koya_upstream.head(handler, 200, len(good.body), good.content_type)
    begin = time.monotonic()
    for at in range(0, len(good.body), PIECE):
        handler.wfile.write(good.body[at:at + PIECE])
        ahead = (at + PIECE) / UPSTREAM_RATE - (time.monotonic() - begin)
        if ahead > 0.002:
            time.sleep(ahead)


class Client:
    """One download; `first` and `last` are seconds since its request was sent."""

    def __init__(self, port, path):
        self.sock = socket.create_connection(("127.0.0.1", port), 30)
        self.request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        self.head, self.left, self.first, self.last = b"", None, None, None

    def send(self):
        self.begin = time.monotonic()
        self.sock.sendall(self.request)
        self.sock.setblocking(False)

    def receive(self, scrap):
        """True when there is nothing more to come."""
        if self.left is None:
            data = self.sock.recv(4096)
            assert data, f"the connection ended within the head: {self.head!r}"
            self.head += data
            if b"\r\n\r\n" not in self.head:
                return False
            head, body = self.head.split(b"\r\n\r\n", 1)
            assert head.startswith(b"HTTP/1.1 200 "), head
            length = next(line for line in head.lower().split(b"\r\n")
                          if line.startswith(b"content-length:"))
            self.left = int(length.split(b":")[1]) - len(body)
            if body:
                self.first = time.monotonic() - self.begin
        else:
            got = self.sock.recv_into(scrap, 0, DISCARD)
            assert got, f"cut off, {self.left} bytes missing"
            self.first = self.first or time.monotonic() - self.begin
            self.left -= got
        if self.left == 0:
            self.last = time.monotonic() - self.begin
        return self.left == 0


def crowd(ports, path, clients, results):
    """All clients at once, dealt out to the ports; puts (first, last) of each into `results`."""
    os.sched_setaffinity(0, {int(LOAD_CORE)})
    everybody = [Client(ports[number % len(ports)], path) for number in range(clients)]
    scrap = bytearray(1 << 20)
    with selectors.DefaultSelector() as selector:
        for client in everybody:
            client.send()
            selector.register(client.sock, selectors.EVENT_READ, client)
        left = clients
        while left:
            for key, _ in selector.select(60):
                if key.data.receive(scrap):
                    selector.unregister(key.fileobj)
                    left -= 1
    results.put([(client.first, client.last) for client in everybody])


def measure(servers, path, upstream, package_path):
    """What the clients of all `servers` together see, and what it costs them."""
    asked = upstream.asked(package_path)
    results = multiprocessing.Queue()
    for server in servers:
        reset_peak(server.pid)
    before = sum(cpu_seconds(server.pid) for server in servers)
    ports = [server.port for server in servers]
    process = multiprocessing.Process(target=crowd, args=(ports, path, CLIENTS, results))
    process.start()
    times = results.get(timeout=300)
    process.join()
    firsts, lasts = zip(*times)
    return {"server": servers[0].name,
            "upstream_requests": upstream.asked(package_path) - asked,
            "first_median": statistics.median(firsts), "first_slowest": max(firsts),
            "last_slowest": max(lasts),
            "cpu": sum(cpu_seconds(server.pid) for server in servers) - before,
            "peak_megabytes": max(peak_megabytes(server.pid) for server in servers)}


def direct(upstream, path):
    """Seconds that the upstream itself takes to send the package to one client."""
    begin = time.monotonic()
    subprocess.run(["curl", "-sS", "-k", "--fail", "-o", "/dev/null", upstream.url(path)],
                   check=True)
    return time.monotonic() - begin


def offer(upstream, address=ADDRESS):
    """A signed release whose package does not pack, and its path."""
    files = koya_provider.release("1.0.0", koya_provider.author(), platforms=("linux_amd64",),
                                  padding=os.urandom(PACKAGE_BYTES))
    upstream.add(address, files, koya_provider.author())
    path = upstream.file_path(address, ZIP)
    upstream.faults[path] = limited
    return path


def asks(upstream):
    """The arguments of a server that mirrors this registry."""
    return ("--upstream.hosts", upstream.host, "--upstream.allow_private_addresses",
            "127.0.0.1/32", "--upstream.ca_file", str(koya_upstream.certificate()[1]))


def nginx_before(bench, upstream, package_path):
    cache = bench.folder / "nginx-cache"
    location = f"""location {package_path} {{
        proxy_pass https://{upstream.host}; proxy_cache packages; proxy_cache_lock on;
        proxy_cache_lock_timeout 300s; proxy_cache_lock_age 300s; proxy_cache_valid 200 1h;
        proxy_read_timeout 300s; proxy_buffering on; proxy_max_temp_file_size 1024m; }}"""
    return Nginx("nginx, cache with lock", bench.folder / "nginx-stampede", bench.files,
                 f"proxy_cache_path {cache} keys_zone=packages:10m max_size=2g; sendfile on;",
                 locations=location)


def run(bench):
    upstream = koya_upstream.Upstream()
    try:
        path = offer(upstream)
        figures = {"direct": direct(upstream, path), "rows": []}
        koya = Koya(bench.folder / "stampede", tls=False)
        koya.arguments += asks(upstream)
        for server, asked in ((koya, f"/mirror/{upstream.host}/{ADDRESS}/1.0.0/{ZIP}"),
                              (nginx_before(bench, upstream, path), path)):
            server.start()
            if server is koya:  # the documents were asked for before, the package was not
                assert koya.get(f"/mirror/{upstream.host}/{ADDRESS}/1.0.0.json").status == 200
            figures["rows"].append(measure([server], asked, upstream, path))
            server.stop()
            print(f"  stampede: {json.dumps(figures['rows'][-1])}", flush=True)
        return figures
    finally:
        upstream.off()


def markdown(figures):
    lines = ["", f"## A stampede: {CLIENTS} clients, one cold package of 100 MiB", "",
             f"The upstream sends {UPSTREAM_RATE / 1e6:.0f} MB/s; one client of its own takes "
             f"{figures['direct']:.2f} s. Plain HTTP to the clients, https to the upstream.", "",
             "| server | upstream requests | first byte, median | first byte, slowest client "
             "| last byte, slowest client | against the upstream's own | CPU | peak memory |",
             "|---|---|---|---|---|---|---|---|"]
    for row in figures["rows"]:
        share = row["last_slowest"] / figures["direct"]
        lines.append(
            f"| {row['server']} | {row['upstream_requests']} | {row['first_median']:.3f} s | "
            f"{row['first_slowest']:.3f} s | {row['last_slowest']:.2f} s | {share:.2f} × | "
            f"{row['cpu']:.2f} s | {row['peak_megabytes']:.0f} MB |")
    row = figures["rows"][0]
    share = row["last_slowest"] / figures["direct"]
    verdict = {True: "holds", False: "**missed**"}
    lines += ["", f"Koya: one upstream request: {verdict[row['upstream_requests'] == 1]}; first "
              f"byte ≤ {GOALS['first']:.2f} s: {verdict[row['first_median'] <= GOALS['first']]}; "
              f"last byte ≤ {GOALS['last']:.2f} ×: {verdict[share <= GOALS['last']]}."]
    return lines
