"""Koya behind nginx, Caddy and HAProxy, with the configurations that the documentation gives.

Through each: 100 MB up and down, a range, a package while it still comes from another registry, the
client's address in the log, and a server that is away for a while.
"""
import contextlib
import http.client
import pathlib
import random
import re
import shutil
import socket
import ssl
import subprocess
import threading
import unittest

import koya_e2e
import koya_provider
import koya_s3
import koya_upstream
from koya_e2e import wait_until
from koya_mirror import ALLOWED, CUT, PACKAGE, VERSION, MirrorTestCase, fetch, status
from koya_provider import ZIP, author, package, signed
from koya_upstream import held

PATH = koya_s3.PATH
NGINX, CADDY, HAPROXY = (shutil.which(name, path=PATH) for name in ("nginx", "caddy", "haproxy"))
DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
CLIENT = "127.0.0.5"  # its address, as the proxy sees it
LARGE = 100 << 20


def block(file, language):
    """The block of configuration in that page of the documentation."""
    text, = re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / file).read_text(encoding="utf-8"),
                       re.DOTALL | re.MULTILINE)
    return text


def replaced(text, *pairs):
    for theirs, ours in pairs:
        assert theirs in text, (theirs, text)
        text = text.replace(theirs, ours)
    return text


class Behind(koya_e2e.Server):
    """A server whose URL is its proxy's; a client asks from CLIENT."""

    authority = None

    def tls(self):
        return ssl.create_default_context(cafile=self.authority or self.data / "dev/ca.pem")

    def connection(self, timeout=koya_e2e.ANSWER_SECONDS):
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout,
                                           context=self.tls(), source_address=(CLIENT, 0))


class InFront:
    """The tests; a class for each proxy says how it runs."""

    SERVER = ("--insecure-http",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.port, cls.checked = koya_s3.free_port(), koya_s3.free_port()
        cls.upstream = cls.registry()
        cls.koya = Behind(
            cls.folder / "data", *cls.SERVER, *ALLOWED, "--url", f"https://127.0.0.1:{cls.port}",
            "--server.trusted_proxies", "127.0.0.1", "--metrics.listen", f"127.0.0.1:{cls.checked}",
            "--upstream.hosts", cls.upstream.host, "--upstream.ca_file",
            koya_upstream.certificate()[1])
        both, own = koya_upstream.certificate()
        if "--insecure-http" in cls.SERVER:
            cls.koya.authority = own
        cls.addClassCleanup(cls.koya.__exit__)
        cls.koya.start()
        cls.run_proxy(both)
        wait_until(lambda: cls.status("/.well-known/terraform.json") == 200, "the proxy passes on")

    @classmethod
    def run_proxy(cls, certificate):
        config = cls.folder / "proxy.conf"
        config.write_text(cls.configuration(certificate))
        with open(cls.folder / "proxy.log", "wb") as log:
            process = subprocess.Popen(cls.command(config), stdout=log, stderr=log)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.terminate)

        def listens():
            assert process.poll() is None, (cls.folder / "proxy.log").read_text()
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", cls.port)) == 0
        wait_until(listens, "the proxy listens")

    @classmethod
    def status(cls, path):
        return status(fetch(cls.koya, path))

    def test_a_large_module_up_and_down(self):
        noise = random.Random(2).randbytes(LARGE)
        archive = package({"main.tf": b'output "x" {\n  value = 1\n}\n', "noise.bin": noise},
                          koya_provider.zipfile.ZIP_STORED)
        got = self.koya.put_module("acme/large/null", "1.0.0", archive, timeout=180)
        self.assertEqual(got.status, 201, got)
        whole = self.koya.download("acme/large/null", "1.0.0")
        self.assertGreater(len(whole), LARGE)
        path = self.koya.location("acme/large/null", "1.0.0").removeprefix(self.koya.url)
        part = self.koya.get(path, {"Range": f"bytes={LARGE}-{LARGE + 999}"})
        self.assertEqual((part.status, part.body), (206, whole[LARGE:LARGE + 1000]))

    def test_a_package_is_passed_on_while_it_comes(self):
        noise = random.Random(1).randbytes(20 << 20)
        files = signed({ZIP: package({koya_provider.BINARY: noise},
                                     koya_provider.zipfile.ZIP_STORED)}, author())
        self.upstream.add("during/demo", files, author())
        self.assertEqual(self.status(VERSION.path(self.upstream, "during/demo")), 200)
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.upstream.faults[self.upstream.file_path("during/demo", ZIP)] = held(gate)
        path = PACKAGE.path(self.upstream, "during/demo")
        with contextlib.closing(self.koya.connection()) as connection:
            connection.request("GET", path)
            arriving = connection.getresponse()
            self.assertEqual(arriving.status, 200)
            begun = arriving.read(1 << 20)
            part = self.koya.get(path, {"Range": "bytes=1000-1999"})
            self.assertEqual((part.status, part.body), (206, files[ZIP][1000:2000]))
            gate.set()
            self.assertEqual(begun + arriving.read(), files[ZIP])

    def test_the_log_has_the_clients_address(self):
        self.koya.get("/v1/modules", {"X-Forwarded-For": "203.0.113.9"})

        def remotes():
            return {record["remote"] for record in self.koya.log_records()
                    if record.get("path") == "/v1/modules"}
        self.assertEqual(wait_until(remotes, "it is in the log"), {CLIENT})

    def test_a_server_that_is_away_comes_back(self):
        self.koya.stop()
        try:
            wait_until(lambda: self.status("/v1/modules") in self.AWAY, "the proxy says so")
        finally:
            self.koya.start()
        wait_until(lambda: self.status("/v1/modules") == 200, "it is back")


@unittest.skipUnless(NGINX, "nginx is not installed")
class Nginx(InFront, MirrorTestCase):
    AWAY = (502,)

    @classmethod
    def configuration(cls, certificate):
        text = replaced(block("install.md", "nginx"),
                        ("listen 443 ssl", f"listen 127.0.0.1:{cls.port} ssl"),
                        ("/etc/nginx/registry.pem", str(certificate)),
                        ("/etc/nginx/registry.key", str(certificate)),
                        ("127.0.0.1:8443", cls.koya.listen))
        places = "".join(f"{name}_temp_path {cls.folder}/nginx-{name};\n" for name in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return (f"daemon off;\npid {cls.folder}/nginx.pid;\nevents {{}}\n"
                f"http {{\naccess_log off;\n{places}{text}}}\n")

    @classmethod
    def command(cls, config):
        return [NGINX, "-p", cls.folder, "-e", "stderr", "-c", config]


@unittest.skipUnless(CADDY, "Caddy is not installed")
class Caddy(InFront, MirrorTestCase):
    AWAY = (502,)

    @classmethod
    def configuration(cls, certificate):
        text = replaced(block("install.md", "caddyfile"),
                        ("registry.example.com {", f"https://127.0.0.1:{cls.port} {{\n"
                         f"  bind 127.0.0.1\n  tls {certificate} {certificate}"),
                        ("127.0.0.1:8443", cls.koya.listen))
        return ("{\n  admin off\n  auto_https off\n  default_sni 127.0.0.1\n"
                f"  storage file_system {cls.folder}/caddy\n}}\n{text}")

    @classmethod
    def command(cls, config):
        return [CADDY, "run", "--adapter", "caddyfile", "--config", config]


class HAProxy(InFront):
    @classmethod
    def command(cls, config):
        return [HAPROXY, "-db", "-f", config]


@unittest.skipUnless(HAPROXY, "HAProxy is not installed")
class HAProxyWithTls(HAProxy, MirrorTestCase):
    AWAY = (502, 503)

    @classmethod
    def configuration(cls, certificate):
        text = re.sub(r"  server koya[23] .*\n", "", block("scale-out.md", "haproxy"))
        return replaced(text, ("bind :443 ssl crt /etc/haproxy/koya.pem",
                               f"bind 127.0.0.1:{cls.port} ssl crt {certificate}"),
                        ("10.0.0.11:8443 check port 9090",
                         f"{cls.koya.listen} check port {cls.checked}"))


@unittest.skipUnless(HAPROXY, "HAProxy is not installed")
class HAProxyWithoutTls(HAProxy, MirrorTestCase):
    SERVER = ("--server.proxy_protocol",)
    AWAY = (CUT,)

    @classmethod
    def configuration(cls, certificate):
        return replaced(block("install.md", "haproxy"), ("bind :443", f"bind 127.0.0.1:{cls.port}"),
                        ("10.0.0.11:8443", cls.koya.listen), ("port 9090", f"port {cls.checked}"))


if __name__ == "__main__":
    koya_e2e.main()
