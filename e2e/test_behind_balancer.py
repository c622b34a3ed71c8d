"""A real client installs through HAProxy from three servers on one database and one bucket.

usage: test_behind_balancer.py --client=terraform|tofu

While it does, one server after the other is killed, every five seconds. And it installs with each
setting of blobs.s3.redirect; and what is held is there while the database is not. HAProxy has the
configuration that docs/scale-out.md gives. Skipped, by name, without the client, HAProxy, PostgreSQL or Ceph.
"""
import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import types
import unittest

import koya_client
import koya_e2e
import koya_provider
import koya_s3
import koya_upstream
from koya_e2e import Server, tar_gz, wait_until
from test_catalog_trouble import MARK, frozen
from test_postgres import POSTGRES, Postgres

HAPROXY = shutil.which("haproxy", path=koya_s3.PATH)
KILL_EVERY_SECONDS = 5
KILLS = 6
CUT_OFF = ("EOF", "connection reset by peer")  # as a client says it
GUIDE = pathlib.Path(__file__).resolve().parents[1] / "docs/scale-out.md"


def configuration(port, certificate, servers):
    """That of the guide, on {name: (port, operators' port)}, and looking more often."""
    text, = re.findall(r"^```haproxy\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"),
                       re.DOTALL | re.MULTILINE)
    lines = "".join(f"  server {name} 127.0.0.1:{each} check port {check}\n"
                    for name, (each, check) in servers.items())
    text, backends = re.subn(r"(  server \S+ 10\.0\.0\.\d+:8443 check port 9090\n)+", lines, text)
    assert backends == 2, text
    for theirs, ours in (("bind :443 ssl crt /etc/haproxy/koya.pem",
                          f"bind 127.0.0.1:{port} ssl crt {certificate}"),
                         ("inter 1s fall 2 rise 1", "inter 300ms fall 1 rise 1")):
        assert text.count(theirs) == 1, (theirs, text)
        text = text.replace(theirs, ours)
    return text


class Balancer:
    """HAProxy with TLS in front of {name: (port, operators' port)}."""

    def __init__(self, folder, port, servers):
        certificate, self.ca = koya_upstream.certificate()
        self.port, self.config = port, folder / "haproxy.cfg"
        self.config.write_text(configuration(port, certificate, servers))
        self.stats, self.more = folder / "haproxy.sock", folder / "haproxy-more.cfg"
        self.more.write_text(f"global\n  stats socket {self.stats} mode 600 level operator\n")

    def __enter__(self):
        self.process = subprocess.Popen([HAPROXY, "-db", "-f", self.more, "-f", self.config],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self.listening, "HAProxy listens")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def listening(self):
        assert self.process.poll() is None, "HAProxy ended"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def status(self, backend):
        """UP or DOWN."""
        with socket.socket(socket.AF_UNIX) as asked:
            asked.connect(str(self.stats))
            asked.sendall(b"show stat\n")
            with asked.makefile(encoding="ascii") as lines:
                rows = [line.split(",") for line in lines]
        status = rows[0].index("status")
        found, = (row[status] for row in rows if row[:2] == [backend, "BACKEND"])
        return found

    def request(self, method, path, body=None, token=None):
        context = ssl.create_default_context(cafile=self.ca)
        asked = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=60)
        asked.request(method, path, body, {"Authorization": f"Bearer {token}"} if token else {})
        answer = asked.getresponse()
        body = answer.read()
        asked.close()
        return koya_e2e.Answer(answer.status, answer.headers, body)


class Replica(Server):
    """One of several servers at one URL, which is not its own address."""

    def start(self):
        port = int(self.listen.rpartition(":")[2])
        super().start()
        self.scheme, self.host, self.port = "http", "127.0.0.1", port
        return self


@unittest.skipUnless(HAPROXY, "HAProxy is not installed")
@unittest.skipIf(koya_s3.missing(), f"not installed: {', '.join(koya_s3.missing())}")
@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class BehindABalancer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "postgres").mkdir()
        cls.postgres = cls.enterClassContext(Postgres(cls.folder / "postgres"))
        cls.store = koya_s3.Radosgw(cls.folder / "ceph")
        cls.addClassCleanup(cls.store.kill)
        cls.store.start().make_bucket("koya")
        (cls.folder / "keys").write_text(f"{koya_s3.ACCESS}\n{koya_s3.SECRET}\n")
        names = ("one", "two", "three")
        ports = {name: (koya_s3.free_port(), koya_s3.free_port()) for name in names}
        port = koya_s3.free_port()
        cls.url = f"https://127.0.0.1:{port}"
        cls.token = cls.make_token()
        cls.servers = [cls.server(name, *ports[name]) for name in names]
        for server in cls.servers:
            cls.enterClassContext(server)
        cls.balancer = cls.enterClassContext(Balancer(cls.folder, port, ports))
        cls.publish()

    @classmethod
    def arguments(cls):
        return ["--url", cls.url, "--catalog.url", cls.postgres.url,
                "--server.secret_file", str(cls.folder / "secret"), "--blobs.url", "s3://koya/e2e",
                "--blobs.s3.endpoint", f"http://127.0.0.1:{cls.store.port}",
                "--blobs.s3.region", koya_s3.REGION,
                "--blobs.s3.access_key_file", str(cls.folder / "keys"),
                "--blobs.s3.redirect_min", "1KiB"]

    @classmethod
    def server(cls, name, port, operations, *more):
        return Replica(cls.folder / name, *cls.arguments(), "--insecure-http",
                       "--access.default_visibility", "public", "--server.trusted_proxies", "127.0.0.1/32", "--metrics.listen",
                       f"127.0.0.1:{operations}", *more, dev=False, listen=f"127.0.0.1:{port}")

    @classmethod
    def make_token(cls):
        """An administrator's, by a server that goes again."""
        port = koya_s3.free_port()
        with Replica(cls.folder / "first", *cls.arguments(), listen=f"127.0.0.1:{port}") as first:
            first.scheme = "https"
            made = first.request("POST", "/api/v1/tokens", '{"name": "all", "scope": "admin"}',
                                 token=first.token)
            assert made.status == 201, made
            return made.json()["token"]

    @classmethod
    def publish(cls):
        author = koya_provider.key("ed25519")
        one = cls.servers[0]
        assert koya_provider.add_key(one, "acme", author.armor, cls.token).status == 201
        draft = koya_provider.Draft(one, "acme/demo", "1.0.0", cls.token)
        files = koya_provider.release("1.0.0", author,
                                      platforms=koya_provider.platforms_with_ours(),
                                      padding=os.urandom(300_000))
        for name, data in files.items():
            answer = draft.put(name, data)
            assert answer.status == 200, answer
        assert draft.commit().status == 201
        archive = tar_gz({"main.tf": 'output "name" {\n  value = "balanced"\n}\n',
                          "noise.bin": os.urandom(200_000)})
        answer = one.put_module("acme/name/null", "1.0.0", archive, token=cls.token)
        assert answer.status == 201, answer

    def client(self, name):
        """A client that knows of the balancer only."""
        data = self.folder / "door"
        (data / "dev").mkdir(parents=True, exist_ok=True)
        shutil.copy(self.balancer.ca, data / "dev/ca.pem")
        (data / "dev/client.tfrc").write_text("")
        door = types.SimpleNamespace(data=data, address=self.url.removeprefix("https://"))
        client = koya_client.Client(koya_client.PROGRAM, door, self.folder / name)
        client.require(demo=("acme/demo", "1.0.0"))
        with open(client.config / "main.tf", "a", encoding="utf-8") as main:
            main.write(f'module "name" {{\n  source  = "{door.address}/acme/name/null"\n'
                       '  version = "1.0.0"\n}\n')
        return client

    def install(self, name):
        client = self.client(name)
        client.succeed("init", "-no-color")
        self.assertTrue(any(client.installed("acme/demo", "1.0.0").iterdir()))
        self.assertTrue((client.config / ".terraform/modules/name/main.tf").exists())

    def install_beside_kills(self, name, kills):
        """How often it had to be run again: what is in flight on a server that dies is cut, which
        no balancer mends once a byte of it has left, and clients do not ask again."""
        begin = time.monotonic()
        run = self.client(name).run("init", "-no-color")
        if run.returncode == 0:
            return 0
        words = run.stdout + run.stderr
        self.assertTrue(any(cut in words for cut in CUT_OFF), words)
        self.assertTrue(any(killed > begin - 1 for killed in list(kills)), words)
        self.install(name + "-again")
        return 1

    def test_it_installs_while_servers_are_killed(self):
        over, kills = threading.Event(), []
        self.addCleanup(over.set)

        def kill_in_turn():
            for number in range(KILLS):
                server = self.servers[number % len(self.servers)]
                kills.append(time.monotonic())
                server.kill()
                server.start()
                if over.wait(KILL_EVERY_SECONDS):
                    return

        killer = threading.Thread(target=kill_in_turn)
        killer.start()
        installed, again, begin = 0, 0, time.monotonic()
        while killer.is_alive():
            again += self.install_beside_kills(f"killed-{installed}", kills)
            installed += 1
        killer.join()
        print(f"{installed} installations in {time.monotonic() - begin:.0f} s, beside {KILLS} kills; "
              f"{again} were cut off and went well when run again", flush=True)
        self.assertGreater(installed, KILLS)
        self.assertLessEqual(again, KILLS)

    def ready(self, server, path="/readyz"):
        listen = server.arguments[server.arguments.index("--metrics.listen") + 1]
        asked = http.client.HTTPConnection(listen, timeout=10)
        asked.request("GET", path)
        status = asked.getresponse().status
        asked.close()
        return status == 200

    def test_what_is_held_is_served_while_no_server_has_its_database(self):
        path = "/v1/modules/acme/name/null/versions"
        for server in self.servers:  # so that each holds it
            wait_until(lambda server=server: server.get(path).status == 200, "it is held")
            self.assertTrue(self.ready(server))
        answers, over = [], threading.Event()

        def ask():
            while not over.is_set():
                answer = self.balancer.request("GET", path)
                answers.append((answer.status, answer.headers.get("Warning"), answer.body))

        asking = threading.Thread(target=ask)
        with frozen(self.postgres.process.pid):
            asking.start()
            self.addCleanup(asking.join)
            self.addCleanup(over.set)  # first
            for server in self.servers:
                wait_until(lambda server=server: not self.ready(server), "it is not ready")
                self.assertTrue(self.ready(server, "/readyz?degraded=1"))
            wait_until(lambda: self.balancer.status("koya") == "DOWN", "HAProxy knows")
            self.assertEqual(self.balancer.status("koya_degraded"), "UP")
            seen = len(answers)
            wait_until(lambda: len(answers) >= seen + 100, "it goes on", 60)
        for server in self.servers:
            wait_until(lambda server=server: self.ready(server), "it is ready again", 60)
        wait_until(lambda: answers[-1][1] is None, "it is as before", 60)
        over.set()
        asking.join()
        self.assertEqual({status for status, _, _ in answers}, {200})
        self.assertEqual({warning for _, warning, _ in answers}, {None, MARK})
        self.assertEqual(len({body for _, _, body in answers}), 1)

    def test_it_installs_with_each_kind_of_redirect(self):
        one = self.servers[0]
        kept = one.arguments
        self.addCleanup(setattr, one, "arguments", kept)
        for server in self.servers[1:]:
            server.stop()
        try:
            for redirect in ("off", "misses", "all"):
                with self.subTest(redirect):
                    one.stop()
                    koya_s3.delete_cache(one)  # so that all is missing
                    one.arguments = (*kept, "--blobs.s3.redirect", redirect)
                    one.start()
                    wait_until(lambda: self.balancer.request(
                        "GET", "/v1/modules/acme/name/null/versions").status == 200, "it is back")
                    self.install(f"redirected-{redirect}")
                    sent = [record for record in one.log_records() if record.get("status") == 302]
                    self.assertEqual(bool(sent), redirect != "off", sent)
        finally:
            for server in self.servers[1:]:
                server.start()


if __name__ == "__main__":
    koya_client.main()
