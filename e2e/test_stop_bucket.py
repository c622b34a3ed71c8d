"""SIGTERM to a server on a bucket, while it waits for a store that says nothing or is busy: a clean
end soon after the drain, and nothing is left.

Each test sees by the wire's count that the store is being waited for. Server.stop() asserts the exit
status: a server that does not end by itself within five seconds of the drain is ended by its alarm.
"""
import contextlib
import os
import threading

import koya_e2e
import koya_s3
import koya_upstream
import test_s3
from koya_e2e import tar_gz, wait_until
from koya_mirror import ALLOWED, PACKAGE, VERSION, fetch
from koya_provider import ZIP, author, release
from koya_upstream import held
from test_cluster_fills import metric

DRAIN = ("--timeouts.drain", "1s")
BUSY = (b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nRetry-After: 6\r\n"
        b"Connection: close\r\n\r\n")


class Hush(test_s3.Wire):
    """A way to the store on which requests of some methods, for objects, are taken and not answered:
    or with what is set."""

    def __init__(self, port):
        self.methods, self.answer, self.met = (), None, []
        super().__init__(port)

    def pump(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                line = data.split(b"\r\n", 1)[0]
                method = line.split(b" ", 1)[0].decode(errors="replace")
                if method not in self.methods or b"/sha256/" not in line:
                    sink.sendall(data)
                    continue
                self.met.append(method)
                if self.answer:
                    source.sendall(self.answer)
                    break
                while source.recv(1 << 16):
                    pass
                break
        for end in (source, sink):
            test_s3.shut(end)


class StopOnABucket(test_s3.OnABucket):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hush = Hush(cls.store.port)
        cls.addClassCleanup(cls.hush.close)
        cls.upstream = koya_upstream.Upstream()
        cls.addClassCleanup(cls.upstream.off)

    def setUp(self):
        self.hush.methods, self.hush.answer = (), None
        self.hush.met.clear()

    def stopping(self, *more, name=""):
        """A server that is to be stopped, behind the wire."""
        name = self.id().rsplit(".", 1)[1] + name
        koya = self.server(name, *DRAIN, *more, port=self.hush.port)
        self.addCleanup(koya.__exit__)
        return koya.start()

    def beside(self, work, *arguments, **more):
        """Does what may never end, or end badly."""
        def run():
            with contextlib.suppress(OSError, koya_s3.http.client.HTTPException):
                work(*arguments, **more)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 30)

    def wait_for(self, method):
        wait_until(lambda: method in self.hush.met, f"the store is asked: {method}")

    def assert_stops_clean(self, koya):
        koya.stop()
        staged = [path for path in (koya.data / "cache").rglob("tmp/*") if path.is_file()]
        self.assertEqual(staged, [])
        last = max(koya.log_records(), key=lambda record: record["time"])
        self.assertEqual(last["message"], "stopped", last)

    def test_while_a_publish_waits_for_the_store(self):
        koya = self.stopping()
        self.hush.methods = ("PUT",)
        self.beside(koya.put_module, "acme/silent/aws", "1.0.0", tar_gz({"main.tf": "# silent\n"}),
                    token=self.token)
        self.wait_for("PUT")
        self.assert_stops_clean(koya)
        self.assertEqual(self.one.get("/v1/modules/acme/silent/aws/versions").status, 404)

    def test_while_a_large_publish_waits_for_the_store(self):
        koya = self.stopping("--blobs.s3.part_bytes", "5MiB")
        self.hush.methods = ("PUT",)
        archive = tar_gz({"main.tf": "# large\n", "noise.bin": os.urandom(30 << 20)})
        self.beside(koya.put_module, "acme/parts/aws", "1.0.0", archive, token=self.token)
        wait_until(lambda: len(self.hush.met) >= 4, "four parts are under way")
        self.assert_stops_clean(koya)

    def test_while_a_publish_is_told_to_come_back(self):
        koya = self.stopping()
        self.hush.methods, self.hush.answer = ("PUT",), BUSY
        self.beside(koya.put_module, "acme/busy/aws", "1.0.0", tar_gz({"main.tf": "# busy\n"}),
                    token=self.token)
        self.wait_for("PUT")
        self.assert_stops_clean(koya)

    def test_while_an_archive_is_read_from_the_store(self):
        self.publish("acme/cold/aws")
        koya = self.stopping()
        path = koya.archive_path("acme/cold/aws", "1.0.0")
        self.hush.methods = ("GET",)
        self.beside(koya.get, path)
        self.wait_for("GET")
        self.assert_stops_clean(koya)

    def test_while_an_archive_is_read_for_nobody(self):
        self.publish("acme/left/aws")
        koya = self.stopping()
        path = koya.archive_path("acme/left/aws", "1.0.0")
        self.hush.methods = ("GET",)
        with contextlib.closing(koya.connection()) as connection:
            connection.request("GET", path)
            self.wait_for("GET")
        self.assert_stops_clean(koya)

    def test_while_a_client_is_to_be_sent_to_the_store(self):
        archive = tar_gz({"main.tf": "# sent\n", "noise.bin": os.urandom(100_000)})
        answer = self.one.put_module("acme/sent/aws", "1.0.0", archive, token=self.token)
        self.assertEqual(answer.status, 201, answer)
        koya = self.stopping("--blobs.s3.redirect", "all", "--blobs.s3.redirect_min", "1KiB")
        path = koya.archive_path("acme/sent/aws", "1.0.0")
        self.hush.methods = ("HEAD",)
        self.beside(koya.get, path)
        self.wait_for("HEAD")
        self.assert_stops_clean(koya)

    def test_while_the_bucket_is_swept(self):
        self.publish("acme/swept/aws")
        answer = self.one.request("DELETE", "/api/v1/modules/acme/swept/aws/1.0.0",
                                  '{"reason":"broken"}', token=self.token)
        self.assertEqual(answer.status, 204, answer)
        self.hush.methods = ("DELETE",)
        koya = self.stopping("--blobs.gc_grace", "1s", "--blobs.trash_for", "1s",
                             "--blobs.gc_every", "1s")
        self.wait_for("DELETE")
        self.assert_stops_clean(koya)

    def mirroring(self, address, *more, name=""):
        koya = self.stopping("--upstream.hosts", self.upstream.host, "--upstream.ca_file",
                             str(koya_upstream.certificate()[1]), *ALLOWED, *more, name=name)
        self.assertEqual(koya.get(VERSION.path(self.upstream, address)).status, 200)
        return koya

    def test_while_a_mirrored_package_is_being_stored(self):
        self.upstream.add("store/demo", release("1.0.0", author()), author())
        koya = self.mirroring("store/demo")
        self.hush.methods = ("PUT",)
        self.beside(fetch, koya, PACKAGE.path(self.upstream, "store/demo"))
        self.wait_for("PUT")
        self.assert_stops_clean(koya)

    def reading_along(self, address):
        """A server that downloads a package, which does not end, and one that reads along."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.upstream.add(address, release("1.0.0", author()), author())
        holder, follower = (self.mirroring(address, "--cluster.listen",
                                           f"127.0.0.1:{koya_s3.free_port()}", name=name)
                            for name in ("-holder", "-follower"))
        theirs = self.upstream.file_path(address, ZIP)
        self.upstream.faults[theirs] = held(gate)
        for server in (holder, follower):
            self.beside(fetch, server, PACKAGE.path(self.upstream, address))
            wait_until(lambda: self.upstream.asked(theirs) == 1, "one asks upstream")
        wait_until(lambda: metric(follower, 'koya_archive_source_bytes_total{source="peer"}') > 0,
                   "the other reads along")
        return holder, follower

    def test_while_it_reads_along_from_another_server(self):
        holder, follower = self.reading_along("along/demo")
        self.assert_stops_clean(follower)
        self.assert_stops_clean(holder)

    def test_while_another_server_reads_along(self):
        holder, follower = self.reading_along("ahead/demo")
        self.assert_stops_clean(holder)
        self.assert_stops_clean(follower)  # which takes over, or is about to


if __name__ == "__main__":
    koya_e2e.main()
