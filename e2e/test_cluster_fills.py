"""Three servers on one PostgreSQL database and one blob folder, and a package that none of them has:
it is downloaded once, and whoever dies while they do it is replaced."""
import concurrent.futures
import hashlib
import http.client
import pathlib
import random
import re
import shutil
import signal
import ssl
import tempfile
import threading
import unittest
import urllib.request

import koya_e2e
import koya_provider
import koya_upstream
from koya_e2e import wait_until
from koya_mirror import ALLOWED, PACKAGE, VERSION, fetch
from koya_provider import ZIP, author, package, signed
from koya_upstream import Upstream, held
from test_postgres import POSTGRES, Postgres, free_port

BIG = 20 << 20
CLIENTS_EACH = 20


def metric(server, name):
    """Its value; 0 when there is none."""
    with urllib.request.urlopen(server.dev_environment["KOYA_METRICS"] + "/metrics",
                                timeout=10) as answer:
        text = answer.read().decode()
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0


def only_the_first(fault):
    """The first request gets the fault, later ones what is right."""
    first = threading.Lock()

    def send(handler, good):
        if first.acquire(blocking=False):
            return fault(handler, good)
        koya_upstream.head(handler, good.status, len(good.body), good.content_type)
        handler.wfile.write(good.body)
        return None
    return send


@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class ThreeServers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "postgres").mkdir()
        self.postgres = self.enterContext(Postgres(self.folder / "postgres"))
        (self.folder / "blobs").mkdir()
        self.upstream = Upstream()
        self.addCleanup(self.upstream.off)
        noise = random.Random(1).randbytes(BIG)
        zips = {ZIP: package({koya_provider.BINARY: noise}, koya_provider.zipfile.ZIP_STORED)}
        self.upstream.add("cold/demo", signed(zips, author()), author())
        self.zip = zips[ZIP]
        self.digest = hashlib.sha256(self.zip).hexdigest()
        self.theirs = self.upstream.file_path("cold/demo", ZIP)
        self.ours = PACKAGE.path(self.upstream, "cold/demo")
        self.peer_ports = [free_port() for _ in range(3)]
        self.servers = [self.server(name, port)
                        for name, port in zip(("one", "two", "three"), self.peer_ports)]
        for server in self.servers:
            self.assertEqual(server.get(VERSION.path(self.upstream, "cold/demo")).status, 200)

    def server(self, name, peer_port):
        data = self.folder / name
        data.mkdir()
        (data / "blobs").symlink_to(self.folder / "blobs")
        server = koya_e2e.Server(
            data, "--catalog.url", self.postgres.url, "--server.secret_file",
            str(self.folder / "server.secret"), "--upstream.hosts", self.upstream.host,
            "--upstream.ca_file", koya_upstream.certificate()[1],
            "--cluster.listen", f"127.0.0.1:{peer_port}", *ALLOWED)
        self.addCleanup(server.__exit__)
        return server.start()

    def peer_bytes(self, server):
        return metric(server, 'koya_archive_source_bytes_total{source="peer"}')

    def client(self, server):
        """The digest of what came; "cut" when not all of it did."""
        got = fetch(server, self.ours, timeout=90)
        return got if isinstance(got, str) else hashlib.sha256(got.body).hexdigest()

    def crowd(self, pool, servers):
        return [pool.submit(self.client, server) for server in servers
                for _ in range(CLIENTS_EACH)]

    def half_way(self, pool, fault):
        """The first server has half of it from upstream, and both others as much from there."""
        self.upstream.faults[self.theirs] = fault
        first = self.crowd(pool, self.servers[:1])
        wait_until(lambda: self.upstream.asked(self.theirs) == 1, "one asks upstream")
        others = self.crowd(pool, self.servers[1:])
        for server in self.servers[1:]:
            wait_until(lambda: self.peer_bytes(server) >= BIG / 4, "the others follow")
        return first, others

    def test_sixty_clients_of_three_servers_make_one_download(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            first, others = self.half_way(pool, held(gate))
            gate.set()
            got = {each.result() for each in first + others}
        self.assertEqual(got, {self.digest})
        self.assertEqual(self.upstream.asked(self.theirs), 1)
        for server in self.servers[1:]:
            self.assertEqual(self.peer_bytes(server), len(self.zip))
        self.assert_stored()
        wait_until(lambda: not [*(self.folder / "blobs/tmp").rglob("*")], "nothing is half done")
        for server in self.servers:
            self.assertEqual(self.client(server), self.digest)
        self.assertEqual(self.upstream.asked(self.theirs), 1)

    def test_a_server_that_is_killed_is_replaced(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            first, others = self.half_way(pool, only_the_first(held(gate)))
            self.servers[0].kill()
            got = {each.result() for each in others}
            self.assertEqual({each.result() for each in first}, {"cut"})
        self.assertEqual(got, {self.digest})
        self.assertEqual(self.upstream.asked(self.theirs), 2)
        take_overs = [metric(server, "koya_mirror_takeovers_total")
                      for server in self.servers[1:]]
        # None where the machine is so busy that the lease ended before a server found the other dead.
        self.assertIn(sorted(take_overs), ([0, 1], [0, 0]))
        self.assert_stored()

    def test_a_server_that_is_stopped_is_replaced_when_its_lease_runs_out(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        stopped = self.servers[0].process
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            first, others = self.half_way(pool, only_the_first(held(gate)))
            stopped.send_signal(signal.SIGSTOP)
            try:
                got = {each.result() for each in others}
            finally:
                stopped.send_signal(signal.SIGCONT)
            self.assertEqual(got, {self.digest})
            self.assertEqual(self.upstream.asked(self.theirs), 2)
            # It wakes up, and has been without a byte for too long, or goes on where it was, or in
            # the store: nobody gets anything else.
            gate.set()
            self.assertLessEqual({each.result() for each in first}, {self.digest, "cut"})
        self.assertEqual(self.upstream.asked(self.theirs), 2)

    def test_strangers_get_nothing_from_the_listener_of_the_cluster(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        path = f"/internal/fills/sha256/{self.digest}"
        for fields in ({}, {"Range": "bytes=0-"},
                       {"Range": "bytes=0-", "Koya-Peer-Time": "1", "Koya-Peer-Mac": "0" * 64}):
            with self.subTest(fields):
                connection = http.client.HTTPSConnection(
                    "127.0.0.1", self.peer_ports[0], timeout=20, context=context)
                self.addCleanup(connection.close)
                connection.request("GET", path, headers=fields)
                answer = connection.getresponse()
                self.assertEqual((answer.status, answer.read()), (403, b""))
                self.assertEqual(connection.sock.version() if connection.sock else "TLSv1.3",
                                 "TLSv1.3")
        self.assertEqual(metric(self.servers[0], "koya_peer_requests_denied_total"), 3)
        # Nor does anybody who does not speak the newest TLS, or knows another page.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            http.client.HTTPSConnection("127.0.0.1", self.peer_ports[0], timeout=20,
                                        context=context).request("GET", "/")

    def assert_stored(self):
        """The zip lies in the store, whole."""
        def stored():
            return [path for path in (self.folder / "blobs").rglob("*")
                    if path.is_file() and "".join(path.parts).endswith(self.digest)]
        path, = wait_until(stored, "the zip is stored")
        self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), self.digest)


if __name__ == "__main__":
    koya_e2e.main()
