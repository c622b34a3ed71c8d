"""The running product's HTTP, down to the bytes: what an HTTP library would not send or show."""
import concurrent.futures
import gzip
import json
import os
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

import koya_e2e
import koya_metrics
from koya_e2e import Answer, PLAIN_MODULE, read_answer, tar_gz, wait_until, write_files

VERSIONS = "/v1/modules/http/doc/null/versions"
BIG = os.urandom(3 << 20)  # does not compress


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Requests(koya_e2e.SharedServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = tar_gz({**PLAIN_MODULE, "big.bin": BIG})
        for number in range(40):
            cls.koya.publish("http/doc/null", f"1.{number}.0", tar_gz(PLAIN_MODULE))
        cls.koya.publish("http/big/null", "1.0.0", cls.archive)
        cls.archive_path = cls.koya.archive_path("http/big/null", "1.0.0")

    def raw(self, text, head=False):
        """The answer to bytes as they are, and whether the server then closed."""
        with self.koya.socket() as sock:
            sock.sendall(text.encode("latin-1") if isinstance(text, str) else text)
            answer = read_answer(sock, head)
            sock.settimeout(1)
            try:
                closed = sock.recv(1) == b""
            except (TimeoutError, socket.timeout):
                closed = False
            return answer, closed

    def line(self, request_line, *fields):
        lines = [request_line, "Host: " + self.koya.address, "User-Agent: koya-e2e", *fields]
        return "\r\n".join(lines) + "\r\n\r\n"

    # ---- documents

    def test_discovery_is_open_whatever_is_sent(self):
        for fields in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}):
            answer = self.koya.get("/.well-known/terraform.json", fields)
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.headers["Content-Type"], "application/json")
            self.assertEqual(answer.json()["modules.v1"], "/v1/modules/")

    def test_every_answer_has_an_id_of_its_own(self):
        ids = set()
        for path in ("/.well-known/terraform.json", VERSIONS, "/nothing", self.archive_path):
            answer = self.koya.get(path)
            ids.add(answer.headers["X-Request-Id"])
            self.assertIn("Date", answer.headers)
        self.assertEqual(len(ids - {None}), 4)
        self.koya.log_mark()
        logged = {record.get("request_id") for record in self.koya.log_records()}
        self.assertLessEqual(ids, logged)

    def test_etag_gzip_and_304(self):
        plain = self.koya.get(VERSIONS)
        packed = self.koya.get(VERSIONS, {"Accept-Encoding": "gzip"})
        self.assertEqual(plain.status, 200)
        self.assertIsNone(plain.headers["Content-Encoding"])
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        self.assertIn("Accept-Encoding", plain.headers["Vary"])
        self.assertIn("Accept-Encoding", packed.headers["Vary"])
        self.assertNotEqual(plain.headers["ETag"], packed.headers["ETag"])
        document = plain.json()["modules"]
        self.assertEqual(len(document), 1)
        self.assertEqual(len(document[0]["versions"]), 40)
        self.assertTrue(document[0]["source"])

        for answer, fields in ((plain, {}), (packed, {"Accept-Encoding": "gzip"})):
            etag = answer.headers["ETag"]
            for condition in (etag, f'"x", {etag}', "*", f"W/{etag}"):
                again = self.koya.get(VERSIONS, {**fields, "If-None-Match": condition})
                self.assertEqual((again.status, again.body), (304, b""), condition)
                self.assertEqual(again.headers["ETag"], etag)
        again = self.koya.get(VERSIONS, {"If-None-Match": '"other"'})
        self.assertEqual(again.status, 200)

        before = plain.headers["ETag"]
        self.koya.publish("http/doc/null", "2.0.0", tar_gz(PLAIN_MODULE))
        after = self.koya.get(VERSIONS, {"If-None-Match": before})
        self.assertEqual(after.status, 200, "a publish shows at once")
        self.assertIn('"2.0.0"', after.body.decode())
        answer = self.koya.request("DELETE", "/api/v1/modules/http/doc/null/2.0.0",
                                   b'{"reason":"test"}', token=self.koya.token)
        self.assertEqual(answer.status, 204)
        self.assertNotIn('"2.0.0"', self.koya.get(VERSIONS).body.decode())

    def test_no_gzip_for_those_who_refuse_it(self):
        for value in ("identity", "gzip;q=0", "br", ""):
            answer = self.koya.get(VERSIONS, {"Accept-Encoding": value})
            self.assertIsNone(answer.headers["Content-Encoding"], value)

    def test_download_document_for_each_client(self):
        path = "/v1/modules/http/doc/null/1.0.0/download"
        for fields in ({"User-Agent": "OpenTofu/1.10.0"}, {"Accept": "application/json"}):
            answer = self.koya.get(path, fields)
            self.assertEqual(answer.status, 200, fields)
            self.assertEqual(answer.json()["location"], answer.headers["X-Terraform-Get"])
        for fields in ({"User-Agent": "Terraform/1.11.4"}, {"User-Agent": "dependabot"}, {}):
            answer = self.koya.get(path, {"User-Agent": "x", **fields})
            self.assertEqual((answer.status, answer.body), (204, b""), fields)
            for name in ("User-Agent", "Accept"):
                self.assertIn(name, answer.headers["Vary"])
        location = urllib.parse.urlsplit(answer.headers["X-Terraform-Get"])
        self.assertEqual(f"{location.scheme}://{location.netloc}", self.koya.url)
        self.assertTrue(location.path.endswith(".tar.gz"))
        self.assertRegex(location.query, r"(^|&)checksum=sha256:[0-9a-f]{64}(&|$)")

    def test_lookups_are_lenient(self):
        self.koya.publish("http/lenient/null", "1.0.0+x.1", tar_gz(PLAIN_MODULE))
        for version in ("1.0.0+x.1", "1.0.0%2Bx.1", "v1.0.0+x.1"):
            answer = self.koya.get(f"/v1/modules/HTTP/Lenient/null/{version}/download")
            self.assertEqual(answer.status, 204, version)

    # ---- the wider module API

    def test_the_module_api_that_tools_read(self):
        for system in ("aws", "google"):
            self.koya.publish(f"wider/net/{system}", "1.0.0", tar_gz(PLAIN_MODULE))
        self.koya.publish("wider/net/aws", "1.1.0", tar_gz(PLAIN_MODULE))
        for path in ("/v1/modules/wider", "/v1/modules/wider/net",
                     "/v1/modules/search?q=wider+net"):
            listed = self.koya.get(path)
            self.assertEqual(listed.status, 200, path)
            found = {(one["namespace"], one["name"], one["provider"], one["version"])
                     for one in listed.json()["modules"]}
            self.assertEqual(found, {("wider", "net", "aws", "1.1.0"),
                                     ("wider", "net", "google", "1.0.0")}, path)
        details = self.koya.get("/v1/modules/wider/net/aws").json()
        self.assertEqual((details["version"], details["versions"]), ("1.1.0", ["1.1.0", "1.0.0"]))
        one = self.koya.get("/v1/modules/wider/net/aws/1.0.0").json()
        self.assertEqual(one["version"], "1.0.0")
        latest = self.koya.get("/v1/modules/wider/net/aws/download")
        self.assertEqual(latest.status, 302)
        self.assertTrue(latest.headers["Location"].endswith("/wider/net/aws/1.1.0/download"))

        seen, path = [], "/v1/modules/wider?limit=1"
        for _ in range(3):
            page = self.koya.get(path).json()
            seen += [one["provider"] for one in page["modules"]]
            self.assertEqual(page["meta"]["limit"], 1)
            path = page["meta"].get("next_url")
            if not path:
                break
        self.assertEqual(seen, ["aws", "google"])
        self.assertEqual(self.koya.get("/v1/modules/nobody/net/aws").status, 404)

    # ---- files

    def test_archives_ranges_and_head(self):
        whole = self.koya.get(self.archive_path)
        self.assertEqual(whole.body, self.archive)
        self.assertEqual(whole.headers["Accept-Ranges"], "bytes")
        self.assertIn("immutable", whole.headers["Cache-Control"])
        self.assertIsNone(whole.headers["Content-Encoding"])
        size, etag = len(self.archive), whole.headers["ETag"]

        head = self.koya.request("HEAD", self.archive_path)
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(head.headers["Content-Length"], str(size))
        self.assertEqual(head.headers["ETag"], etag)

        for value, first, end in (("bytes=0-9", 0, 10), ("bytes=100-", 100, size),
                                  ("bytes=-7", size - 7, size), ("bytes=5-99999999999", 5, size)):
            part = self.koya.get(self.archive_path, {"Range": value})
            self.assertEqual(part.status, 206, value)
            self.assertEqual(part.body, self.archive[first:end], value)
            self.assertEqual(part.headers["Content-Range"], f"bytes {first}-{end - 1}/{size}")
        beyond = self.koya.get(self.archive_path, {"Range": f"bytes={size}-"})
        self.assertEqual(beyond.status, 416)
        self.assertEqual(beyond.headers["Content-Range"], f"bytes */{size}")
        for value in ("bytes=x", "lines=1-2", "bytes=9-5"):
            self.assertEqual(self.koya.get(self.archive_path, {"Range": value}).status, 200, value)
        kept = self.koya.get(self.archive_path, {"Range": "bytes=0-9", "If-Range": etag})
        self.assertEqual(kept.status, 206)
        changed = self.koya.get(self.archive_path, {"Range": "bytes=0-9", "If-Range": '"other"'})
        self.assertEqual(changed.status, 200)
        known = self.koya.get(self.archive_path, {"If-None-Match": etag})
        self.assertEqual((known.status, known.body), (304, b""))

    def test_head_of_documents(self):
        for path in (VERSIONS, "/.well-known/terraform.json", "/nothing"):
            full, head = self.koya.get(path), self.koya.request("HEAD", path)
            self.assertEqual((head.status, head.body), (full.status, b""))
            self.assertEqual(head.headers["Content-Length"], full.headers["Content-Length"])

    # ---- methods and paths

    def test_methods(self):
        def allowed(answer):
            return {name.strip() for name in answer.headers["Allow"].split(",")} - {"OPTIONS"}

        for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"):
            answer = self.koya.request(method, VERSIONS)
            self.assertEqual((answer.status, allowed(answer)), (405, {"GET", "HEAD"}), method)
            answer.errors()
        answer = self.koya.request("OPTIONS", VERSIONS)
        self.assertIn(answer.status, (200, 204, 405))
        self.assertEqual(allowed(answer), {"GET", "HEAD"})
        answer = self.koya.request("GET", "/api/v1/modules/http/doc/null/1.0.0")
        self.assertIn(answer.status, (200, 405))
        answer, _ = self.raw(self.line("CONNECT example.com:443 HTTP/1.1"))
        self.assertEqual(answer.status, 501)

    def test_paths_that_two_parsers_could_read_differently(self):
        for path in ("/v1/modules/../secret", "/v1/%2e%2e/x", "/v1/%2E./x", "/v1//modules",
                     "/v1/a%2Fb", "/v1/a%2fb", "/v1/a%00b", "/v1/a%0ab", "/v1/%zz", "/v1/%4",
                     "/v1/\x7f", "/v1/a\x01b", "*", "x"):
            with self.subTest(path):
                answer, _ = self.raw(self.line(f"GET {path} HTTP/1.1"))
                self.assertEqual(answer.status, 400)
                answer.errors()
        for path in ("/v1/./x", "/v1/a%5Cb", "/v1/a\\b", "/v1/caf%C3%A9", "/v1/%ff"):
            with self.subTest(path):
                answer, _ = self.raw(self.line(f"GET {path} HTTP/1.1"))
                self.assertIn(answer.status, (400, 404))

    def test_heads_that_are_refused(self):
        get = f"GET {VERSIONS} HTTP/1.1"
        put = "PUT /api/v1/modules/http/x/null/1.0.0 HTTP/1.1"
        for name, status, text in (
            ("two Content-Length", 400, self.line(put, "Content-Length: 1", "Content-Length: 2")),
            ("Content-Length twice the same", 400,
             self.line(put, "Content-Length: 1", "Content-Length: 1")),
            ("list of lengths", 400, self.line(put, "Content-Length: 1, 1")),
            ("length and chunked", 400,
             self.line(put, "Content-Length: 3", "Transfer-Encoding: chunked")),
            ("signed length", 400, self.line(put, "Content-Length: +1")),
            ("empty length", 400, self.line(put, "Content-Length: ")),
            ("two Host", 400, self.line(get, "Host: other")),
            ("no Host", 400, f"{get}\r\n\r\n"),
            ("two Authorization", 400,
             self.line(get, "Authorization: Bearer a", "Authorization: Bearer b")),
            ("blank before the colon", 400, self.line(get, "X-A : b")),
            ("folded field", 400, self.line(get, "X-A: b", " c")),
            ("NUL in a field", 400, self.line(get, "X-A: b\0c")),
            ("no version", 400, f"GET {VERSIONS}\r\n\r\n"),
            ("HTTP/2 in words", (400, 505), f"GET {VERSIONS} HTTP/2.0\r\nHost: x\r\n\r\n"),
            ("unknown coding", (400, 501), self.line(put, "Transfer-Encoding: gzip, chunked")),
            ("obsolete chunked", (400, 501), self.line(put, "Transfer-Encoding: xchunked")),
            ("large head", 431, self.line(get, *(f"X-{i}: {'v' * 900}" for i in range(30)))),
        ):
            with self.subTest(name):
                answer, closed = self.raw(text)
                self.assertIn(answer.status, status if isinstance(status, tuple) else (status,))
                answer.errors()
                self.assertTrue(closed, "what follows on this connection cannot be trusted")

    def test_what_is_too_long_is_a_page_for_browsers(self):
        browser = ("Accept: text/html,*/*;q=0.8", "Accept-Language: ja")
        long = "x" * 40_000
        for name, status, text in (
            ("target", 414, self.line(f"GET /search?q={long} HTTP/1.1", *browser)),
            ("cookies", 431, self.line("GET /modules HTTP/1.1", f"Cookie: a={long}", *browser)),
            ("target that is none", 400, self.line("GET /modules//x HTTP/1.1", *browser)),
            ("method", 405, self.line("DELETE /modules HTTP/1.1", *browser)),
        ):
            with self.subTest(name):
                answer, closed = self.raw(text)
                self.assertEqual(answer.status, status)
                self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
                self.assertIn('<html lang="ja"', answer.body.decode())
                self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
                self.assertIsNone(answer.headers["Set-Cookie"])
                self.assertEqual(closed, status != 405)
        for name, status, text in (
            ("target of a program", 414, self.line(f"GET /search?q={long} HTTP/1.1")),
            ("target for programs", 414, self.line(f"GET /api/v1/search?q={long} HTTP/1.1",
                                                   *browser)),
            ("no end", 414, f"GET /{long}"),
        ):
            with self.subTest(name):
                answer, closed = self.raw(text)
                self.assertEqual(answer.status, status)
                answer.errors()
                self.assertTrue(closed)

    def test_pipelining_and_keep_alive(self):
        with self.koya.socket() as sock:
            one = self.line(f"GET {VERSIONS} HTTP/1.1")
            missing = self.line("GET /nothing HTTP/1.1")
            sock.sendall((one + missing + one + self.line(
                f"GET {VERSIONS} HTTP/1.1", "Connection: close")).encode())
            reader = sock.makefile("rb")
            statuses = []
            for _ in range(4):
                statuses.append(int(reader.readline().split()[1]))
                length = 0
                while (line := reader.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                reader.read(length)
            self.assertEqual(statuses, [200, 404, 200, 200])
            self.assertEqual(reader.read(), b"")

    def test_http_1_0(self):
        answer, closed = self.raw(f"GET {VERSIONS} HTTP/1.0\r\nHost: {self.koya.address}\r\n\r\n")
        self.assertEqual(answer.status, 200)
        self.assertTrue(closed)

    def test_plain_http_on_the_tls_port_is_closed_at_once(self):
        begin = time.monotonic()
        with socket.create_connection((self.koya.host, self.koya.port), 10) as sock:
            sock.sendall(self.line("GET / HTTP/1.1").encode())
            sock.settimeout(8)
            try:
                while sock.recv(4096):
                    pass
            except ConnectionResetError:
                pass
        self.assertLess(time.monotonic() - begin, 6)  # not after the handshake's 10 s

    def test_tls_versions(self):
        chosen = "h2" if os.environ.get("KOYA_SERVER_HTTP2") == "true" else "http/1.1"
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = self.koya.tls()
            context.minimum_version = context.maximum_version = version
            context.set_alpn_protocols(["h2", "http/1.1"])
            with socket.create_connection((self.koya.host, self.koya.port), 10) as raw, \
                    context.wrap_socket(raw, server_hostname=self.koya.host) as sock:
                self.assertEqual(sock.selected_alpn_protocol(), chosen)
        run = subprocess.run(["openssl", "s_client", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0",
                              "-connect", f"{self.koya.host}:{self.koya.port}"],
                             input="", capture_output=True, text=True, timeout=20)
        self.assertNotEqual(run.returncode, 0)

    # ---- uploads

    def test_expect_100_continue(self):
        archive = tar_gz(PLAIN_MODULE)
        path = "PUT /api/v1/modules/http/expect/null/1.0.0 HTTP/1.1"
        fields = (f"Authorization: Bearer {self.koya.token}", f"Content-Length: {len(archive)}",
                  "Expect: 100-continue")
        with self.koya.socket() as sock:
            sock.sendall(self.line(path, *fields).encode())
            self.assertTrue(sock.recv(200).startswith(b"HTTP/1.1 100 "))
            sock.sendall(archive)
            self.assertEqual(read_answer(sock).status, 201)
        # Without rights the answer comes instead of "continue".
        with self.koya.socket() as sock:
            sock.sendall(self.line(path, *fields[1:]).encode())
            self.assertEqual(read_answer(sock).status, 401)

    def test_chunked_upload(self):
        archive = tar_gz(PLAIN_MODULE)
        for number, step in enumerate((1, 7, 64, len(archive))):
            def pieces():
                for at in range(0, len(archive), step):
                    yield archive[at:at + step]
            answer = self.koya.put_module("http/chunked/null", f"1.0.{number}", pieces())
            self.assertEqual(answer.status, 201, answer)
        with self.koya.socket() as sock:
            sock.sendall(self.line("PUT /api/v1/modules/http/chunked/null/2.0.0 HTTP/1.1",
                                   f"Authorization: Bearer {self.koya.token}",
                                   "Transfer-Encoding: chunked").encode() + b"zz\r\n")
            self.assertEqual(read_answer(sock).status, 400)

    def stored_files(self):
        return sorted(path for path in (self.koya.data / "blobs").rglob("*") if path.is_file())

    def test_a_cut_off_upload_stores_nothing(self):
        before = self.stored_files()
        for fields in (["Content-Length: 1000000"], ["Transfer-Encoding: chunked"]):
            sock = self.koya.socket()
            sock.sendall(self.line("PUT /api/v1/modules/http/cut/null/1.0.0 HTTP/1.1",
                                   f"Authorization: Bearer {self.koya.token}", *fields).encode())
            sock.sendall(b"1000\r\n" if "chunked" in fields[0] else b"")
            sock.sendall(os.urandom(4096))
            wait_until(lambda: len(self.stored_files()) > len(before), "the upload arrives")
            sock.close()
            wait_until(lambda: self.stored_files() == before, "what had arrived is removed")
        self.assertEqual(self.koya.get("/v1/modules/http/cut/null/versions").status, 404)

    # ---- what takes its time: run beside each other

    def test_slow_clients_are_cut_off(self):
        begin = time.monotonic()
        token = f"Authorization: Bearer {self.koya.token}"

        def slow_head():
            with self.koya.socket(40) as sock:
                sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
                for _ in range(8):  # a byte now and then does not help
                    time.sleep(1)
                    sock.sendall(b"X")
                return read_answer(sock), time.monotonic() - begin

        def stalled_body():
            with self.koya.socket(40) as sock:
                sock.sendall(self.line("PUT /api/v1/modules/http/slow/null/1.0.0 HTTP/1.1", token,
                                       "Content-Length: 100000").encode() + b"x")
                return read_answer(sock), time.monotonic() - begin

        def dripping_body():
            with self.koya.socket(60) as sock:
                sock.sendall(self.line("PUT /api/v1/modules/http/drip/null/1.0.0 HTTP/1.1", token,
                                       "Content-Length: 100000").encode())
                sock.settimeout(1)
                while time.monotonic() - begin < 50:
                    try:
                        sock.sendall(b"x")
                        status = sock.recv(12)
                        return Answer(int(status.split()[1]), {}, b""), time.monotonic() - begin
                    except TimeoutError:
                        pass
                return None, 50

        def silent():
            """Nothing at all, not even a TLS handshake."""
            with socket.create_connection((self.koya.host, self.koya.port), 40) as sock:
                sock.settimeout(40)
                return sock.recv(1), time.monotonic() - begin

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            head, stalled, drip, quiet = [
                task.result() for task in [pool.submit(each) for each in (
                    slow_head, stalled_body, dripping_body, silent)]]
        self.assertEqual(head[0].status, 408)
        self.assertTrue(8 < head[1] < 18, head[1])
        self.assertEqual(stalled[0].status, 408)
        self.assertTrue(18 < stalled[1] < 32, stalled[1])
        self.assertEqual(drip[0].status, 408)
        self.assertTrue(18 < drip[1] < 45, drip[1])
        self.assertEqual(quiet[0], b"")
        self.assertTrue(8 < quiet[1] < 18, quiet[1])

    # ---- operations

    def metrics(self, path):
        url = urllib.parse.urlsplit(self.koya.dev_environment["KOYA_METRICS"])
        address = url.netloc or url.path
        with socket.create_connection(address.rsplit(":", 1), 10) as sock:
            sock.sendall(f"GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
            return read_answer(sock)

    def test_metrics_and_health_are_on_a_listener_of_their_own(self):
        self.koya.get(VERSIONS)
        answer = self.metrics("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertIn("text/plain", answer.headers["Content-Type"])
        text = answer.body.decode()
        self.assertRegex(text, r"(?m)^koya_\w*request\w*\{.*\} [1-9]")
        self.assertNotIn("http/doc/null", text, "no addresses in labels")
        documented, _ = koya_metrics.documented()
        scraped = koya_metrics.scraped(text)
        self.assertLessEqual(scraped.items(), documented.items())
        for path in ("/healthz", "/readyz"):
            self.assertEqual(self.metrics(path).status, 200)
        for path in ("/metrics", "/healthz", "/readyz"):
            self.assertEqual(self.koya.get(path).status, 404)

    def test_the_log_holds_no_secrets(self):
        self.koya.request("GET", VERSIONS + "?token=hush-hush",
                          headers={"Authorization": f"Bearer {self.koya.token}"})
        self.koya.log_mark()
        text = self.koya.log_path.read_text()
        self.assertNotIn("hush-hush", text)
        self.assertNotIn(self.koya.token, text)


class Limits(koya_e2e.TestCase):
    def test_bodies_over_the_limit_are_answered_not_reset(self):
        config = write_files(self.folder, {"koya.toml": "[limits]\nmodule_bytes = '1MiB'\n"})
        koya = self.server("--config", str(config / "koya.toml"))
        for number, body in enumerate((bytes(8 << 20), iter([bytes(1 << 20)] * 8))):
            answer = koya.put_module("http/large/null", f"1.0.{number}", body)
            self.assertEqual(answer.status, 413)
            self.assertRegex(answer.errors(), r"1(\.0)? ?MiB|1048576|1,048,576")
        koya.publish("http/large/null", "2.0.0", tar_gz(PLAIN_MODULE))

    def test_a_full_disk_is_507_and_nothing_is_lost(self):
        koya_e2e.small_disk(self, self.folder / "disk", "24m")
        koya = self.server(name="disk/data")
        koya.publish("http/full/null", "1.0.0", tar_gz(PLAIN_MODULE))
        large = tar_gz({**PLAIN_MODULE, "big.bin": os.urandom(40 << 20)})
        answer = koya.put_module("http/full/null", "2.0.0", large)
        self.assertEqual(answer.status, 507, answer)
        self.assertRegex(answer.errors(), r"(?i)full|space")
        self.assertEqual(koya.get("/v1/modules/http/full/null/2.0.0/download").status, 404)
        koya.publish("http/full/null", "3.0.0", tar_gz(PLAIN_MODULE))
        koya.download("http/full/null", "1.0.0")
        koya.stop()
        koya.start()
        koya.download("http/full/null", "3.0.0")


class Draining(koya_e2e.TestCase):
    def begin_upload(self, koya, archive):
        sock = koya.socket()
        sock.sendall((
            "PUT /api/v1/modules/http/drain/null/1.0.0 HTTP/1.1\r\n"
            f"Host: {koya.address}\r\nAuthorization: Bearer {koya.token}\r\n"
            f"Content-Length: {len(archive)}\r\n\r\n").encode() + archive[: len(archive) // 2])
        blobs = koya.data / "blobs"
        wait_until(lambda: any(path.is_file() for path in blobs.rglob("*")), "the upload arrives")
        return sock

    def test_a_running_upload_is_finished(self):
        koya = self.server()
        archive = tar_gz({**PLAIN_MODULE, "big.bin": BIG})
        with self.begin_upload(koya, archive) as sock, koya.socket() as idle:
            stopper = threading.Thread(target=koya.stop)
            stopper.start()
            self.assertEqual(idle.recv(1), b"", "idle connections end at once")

            def refused():
                try:
                    socket.create_connection((koya.host, koya.port), 5).close()
                except OSError:
                    return True
                return False

            wait_until(refused, "no new connections are taken")
            sock.sendall(archive[len(archive) // 2:])
            self.assertEqual(read_answer(sock).status, 201)
            stopper.join()
        koya.start()
        self.assertEqual(koya.download("http/drain/null", "1.0.0"), archive)

    def test_an_upload_that_never_ends_does_not_keep_the_server(self):
        koya = self.server()
        with self.begin_upload(koya, tar_gz({**PLAIN_MODULE, "big.bin": BIG})):
            begin = time.monotonic()
            koya.stop()
            self.assertLess(time.monotonic() - begin, 18)
        koya.start()
        self.assertEqual(koya.get("/v1/modules/http/drain/null/versions").status, 404)


class BehindAProxy(koya_e2e.TestCase):
    def test_insecure_http(self):
        """Plain HTTP between a proxy and Koya; what clients see is the proxy's URL."""
        koya = self.server("--insecure-http", "--server.trusted_proxies", "127.0.0.1",
                           "--url", "https://registry.example.com",
                           listen=f"127.0.0.1:{free_port()}", dev=False)
        self.assertEqual(koya.url, "https://registry.example.com")
        koya.scheme, koya.host, koya.port = "http", *koya.listen.rsplit(":", 1)
        forwarded = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}
        answer = koya.get("/.well-known/terraform.json", forwarded)
        self.assertEqual(answer.status, 200)
        self.assertEqual(json.loads(answer.body)["modules.v1"], "/v1/modules/")
        self.assertIn("max-age=", answer.headers["Strict-Transport-Security"])
        self.assertIsNone(koya.get("/").headers["Strict-Transport-Security"])

        def logged():
            return [record for record in koya.log_records() if record.get("method") == "GET"]

        self.assertEqual(wait_until(logged, "the log has it")[0]["remote"], "192.0.2.7")


if __name__ == "__main__":
    koya_e2e.main()
