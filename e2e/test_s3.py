"""A registry whose bytes lie in a bucket: two servers on one PostgreSQL and a real S3 server.

The S3 server is Ceph's gateway from Debian's packages (koya_s3.py), reached through a wire that can
be cut. What is asked here is what operators meet; each fault of the store by itself is in the tests
of blobs/s3.
"""
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
import urllib.parse

import koya_e2e
import koya_metrics
import koya_provider
import koya_s3
import koya_upstream
from koya_e2e import Server, StartFailed, tar_gz, wait_until
from test_postgres import POSTGRES, Postgres

BUCKET = "koya"


class Wire:
    """A TCP relay to the store, which can be cut and mended, or take requests and send no answers."""

    def __init__(self, port):
        self.target, self.cut, self.silent, self.pairs = port, False, False, set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.cut:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self.target))
            self.pairs |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                if not self.silent:
                    sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            shut(end)

    def set_cut(self, cut):
        self.cut = cut
        if cut:
            for end in list(self.pairs):
                shut(end)
            self.pairs.clear()

    def close(self):
        self.listener.close()
        self.set_cut(True)


def shut(end):
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def get_plain(url):
    """(status, body) of a GET without credentials."""
    with contextlib.closing(http.client.HTTPConnection(url.netloc, timeout=10)) as asked:
        asked.request("GET", f"{url.path}?{url.query}")
        answer = asked.getresponse()
        return answer.status, answer.read()


def operations(server, path):
    listen = server.arguments[server.arguments.index("--metrics.listen") + 1]
    status, text = get_plain(urllib.parse.urlsplit(f"http://{listen}{path}"))
    return status, text.decode()


def metrics(server):
    return operations(server, "/metrics")[1]


def number(server, name):
    return float(re.search(rf"^{re.escape(name)} (\S+)$", metrics(server), re.MULTILINE)[1])


@unittest.skipIf(koya_s3.missing(), f"not installed: {', '.join(koya_s3.missing())}")
@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class OnABucket(unittest.TestCase):
    """Two servers, each with its own cache, on one database and one bucket."""

    ARGUMENTS = ()
    PREFIX = "registry"
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "postgres").mkdir()
        cls.postgres = cls.enterClassContext(Postgres(cls.folder / "postgres"))
        cls.store = koya_s3.Radosgw(cls.folder / "ceph", cls.certificate())
        cls.addClassCleanup(cls.store.kill)
        cls.store.start().make_bucket(BUCKET)
        cls.wire = Wire(cls.store.port)
        cls.addClassCleanup(cls.wire.close)
        (cls.folder / "keys").write_text(f"{koya_s3.ACCESS}\n{koya_s3.SECRET}\n")
        cls.one, cls.two = (cls.enterClassContext(cls.server(name)) for name in ("one", "two"))
        # Each start with --dev replaces the dev token, which all on the database share.
        made = cls.two.request("POST", "/api/v1/tokens", '{"name": "lasting", "scope": "admin"}',
                               token=cls.two.token)
        assert made.status == 201, made
        cls.token = made.json()["token"]

    @classmethod
    def certificate(cls):
        """What the store shows over TLS, with its key; none: it does not speak TLS."""
        return None

    @classmethod
    def bucket(cls, prefix=None, port=None, **more):
        settings = {"blobs.url": f"s3://{BUCKET}/{prefix or cls.PREFIX}",
                    "blobs.s3.endpoint": f"http://127.0.0.1:{port or cls.wire.port}",
                    "blobs.s3.region": koya_s3.REGION,
                    "blobs.s3.access_key_file": str(cls.folder / "keys"), **more}
        return [word for name, value in settings.items() for word in (f"--{name}", value)]

    @classmethod
    def server(cls, name, *more, catalog=None, **bucket):
        data = cls.folder / name
        data.mkdir(exist_ok=True)
        return Server(data, "--catalog.url", catalog or cls.postgres.url, "--server.secret_file",
                      str(cls.folder / "server.secret"), "--metrics.listen",
                      f"127.0.0.1:{koya_s3.free_port()}", *cls.bucket(**bucket), *cls.ARGUMENTS,
                      *more)

    def publish(self, address, version="1.0.0", text="", server=None):
        archive = tar_gz({"main.tf": f"# {address} {version} {text}\n"})
        answer = (server or self.one).put_module(address, version, archive, token=self.token)
        self.assertEqual(answer.status, 201, answer)
        return archive

    def object_of(self, archive):
        """The key of the object that holds these bytes."""
        digest = hashlib.sha256(archive).hexdigest()
        place = f"{self.PREFIX}/sha256/{digest[:2]}/{digest[2:]}/"
        return [key for key in self.store.objects(BUCKET) if key.startswith(place)]


class ServersOnABucket(OnABucket):
    def test_what_one_publishes_the_other_serves_from_the_bucket(self):
        archive = self.publish("acme/vpc/aws")
        for _ in range(2):  # from the bucket, then from the cache
            self.assertEqual(self.two.download("acme/vpc/aws", "1.0.0"), archive)
        path = self.two.archive_path("acme/vpc/aws", "1.0.0")
        head = self.two.request("HEAD", path)
        self.assertEqual((head.status, int(head.headers["Content-Length"])), (200, len(archive)))
        part = self.two.get(path, {"Range": "bytes=5-9"})
        self.assertEqual((part.status, part.body), (206, archive[5:10]))

    def test_objects_are_named_by_their_digest_and_hold_just_the_bytes(self):
        archive = self.publish("acme/named/aws")
        (key,) = self.object_of(archive)  # which looks for the digest
        self.assertEqual(self.store.read(BUCKET, key), archive)

    def test_a_large_archive_goes_up_in_parts_and_comes_back_whole(self):
        archive = tar_gz({"main.tf": "# large\n", "noise.bin": os.urandom(40 << 20)})
        answer = self.one.put_module("acme/large/aws", "1.0.0", archive, token=self.token)
        self.assertEqual(answer.status, 201, answer)
        (key,) = self.object_of(archive)
        self.assertEqual(self.store.objects(BUCKET)[key], len(archive))
        self.assertEqual(self.two.download("acme/large/aws", "1.0.0"), archive)

    def test_the_same_bytes_under_two_names_are_one_object(self):
        archive = tar_gz({"main.tf": "# twice\n"})
        for address, server in (("acme/first/aws", self.one), ("acme/second/aws", self.two)):
            answer = server.put_module(address, "1.0.0", archive, token=self.token)
            self.assertEqual(answer.status, 201, answer)
        self.assertEqual(len(self.object_of(archive)), 1)

    def test_a_provider_is_published_on_one_and_installed_from_the_other(self):
        author = koya_provider.key("ed25519")
        answer = koya_provider.add_key(self.one, "acme", author.armor, self.token)
        self.assertEqual(answer.status, 201, answer)
        files = koya_provider.release("1.0.0", author, platforms=koya_provider.TWO)
        draft = koya_provider.Draft(self.one, "acme/demo", "1.0.0", self.token)
        for name, data in files.items():
            draft.koya = self.two if name.endswith(".zip") else self.one
            answer = draft.put(name, data)
            self.assertEqual(answer.status, 200, answer)
        answer = draft.commit()
        self.assertEqual(answer.status, 201, answer)
        document = koya_provider.download(self.two, "acme/demo", "1.0.0", "linux_amd64")
        for field in ("download_url", "shasums_url", "shasums_signature_url"):
            path = urllib.parse.urlsplit(document[field]).path
            answer = self.two.get(path)
            self.assertEqual((answer.status, answer.body), (200, files[path.rsplit("/", 1)[1]]))

    def test_the_cache_may_be_deleted_while_the_server_runs(self):
        archive = self.publish("acme/cached/aws")
        self.assertEqual(self.two.download("acme/cached/aws", "1.0.0"), archive)
        for server in (self.one, self.two):
            koya_s3.delete_cache(server)
        for server in (self.one, self.two):
            self.assertEqual(server.download("acme/cached/aws", "1.0.0"), archive)
        self.publish("acme/cached/aws", "1.1.0", server=self.two)

    def test_a_small_file_that_was_asked_for_needs_neither_the_cache_nor_the_store(self):
        archive = self.publish("acme/small/aws")
        path = self.two.archive_path("acme/small/aws", "1.0.0")
        self.addCleanup(self.wire.set_cut, False)
        first, answer = wait_until(lambda: self.answers_without_a_store(path), "it is in memory")
        try:
            self.assertEqual((answer.status, answer.body), (200, archive))
            for field in ("ETag", "Content-Type", "Cache-Control", "Accept-Ranges"):
                self.assertEqual(answer.headers[field], first.headers[field], field)
            self.assertEqual(answer.headers["ETag"], f'"{hashlib.sha256(archive).hexdigest()}"')
            part = self.two.get(path, {"Range": "bytes=5-9"})
            self.assertEqual((part.status, part.body), (206, archive[5:10]))
            self.assertEqual(part.headers["Content-Range"], f"bytes 5-9/{len(archive)}")
            self.assertEqual(self.two.get(path, {"Range": f"bytes={len(archive)}-"}).status, 416)
            self.assertEqual(self.two.get(path, {"If-None-Match": answer.headers["ETag"]}).status,
                             304)
            head = self.two.request("HEAD", path)
            self.assertEqual((head.status, int(head.headers["Content-Length"])),
                             (200, len(archive)))
        finally:
            self.wire.set_cut(False)

    def answers_without_a_store(self, path):
        """(an answer from the cache, one when neither is there), and the store away from then on; None: not yet. What
        the other server published is heard of a little later here, and what is kept of it let go."""
        self.wire.set_cut(False)
        first = self.kept(path)
        if first is None or first.status != 200:
            return None
        koya_s3.delete_cache(self.two)
        self.wire.set_cut(True)
        answer = self.two.get(path)
        return (first, answer) if answer.status == 200 else None

    def kept(self, path):
        """The second answer whose bytes came from the cache: by then they are in memory."""
        self.two.get(path)
        cached = any(each.is_file() for each in (self.two.data / "cache/sha256").rglob("*"))
        return self.two.get(path) if cached else None

    def test_an_object_that_is_gone_is_an_error_and_comes_back_with_its_bytes(self):
        archive = self.publish("acme/lost/aws")
        (key,) = self.object_of(archive)
        self.store.delete(BUCKET, key)
        path = self.two.archive_path("acme/lost/aws", "1.0.0")
        answer = self.two.get(path)
        self.assertEqual(answer.status, 500, answer)
        digest = hashlib.sha256(archive).hexdigest()
        wait_until(lambda: any(digest in json.dumps(record) for record in self.two.log_records()
                               if record["level"] == "error"), "the log names what is lost")
        answer = self.two.put_module("acme/lost/aws", "1.0.0", archive, token=self.token)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(self.two.get(path).body, archive)
        self.assertEqual(len(self.object_of(archive)), 1)

    def test_verify_reads_the_store_whatever_the_cache_holds(self):
        for number, (how, state) in enumerate((("gone", "missing"), ("shorter", "damaged"),
                                               ("another byte", "damaged"))):
            with self.subTest(how):
                address = f"acme/verified{number}/aws"
                archive = self.publish(address)
                self.assertEqual(self.one.download(address, "1.0.0"), archive)  # it is cached
                (key,) = self.object_of(archive)
                if how == "gone":
                    self.store.delete(BUCKET, key)
                elif how == "shorter":
                    self.store.write(BUCKET, key, archive[:-1])
                else:
                    self.store.write(BUCKET, key, archive[:-1] + bytes([archive[-1] ^ 1]))
                (found,) = self.verified(address)
                self.assertEqual((found["state"], found["repaired"]), (state, False))
                self.assertIn("--repair", found["problem"])
                (found,) = self.verified(address, "--repair")
                self.assertTrue(found["repaired"], found)
                self.assertEqual(self.verified(address), [])
                koya_s3.delete_cache(self.one)
                self.assertEqual(self.one.download(address, "1.0.0"), archive)

    def test_verify_drops_a_copy_that_is_not_what_the_store_has(self):
        archive = self.publish("acme/copy/aws")
        self.assertEqual(self.one.download("acme/copy/aws", "1.0.0"), archive)
        digest = hashlib.sha256(archive).hexdigest()
        copy = self.one.data / "cache/sha256" / digest[:2] / digest[2:]
        copy.chmod(0o600)
        with open(copy, "r+b") as file:
            file.write(b"?")
        (found,) = self.verified("acme/copy/aws")
        self.assertTrue(found["repaired"], found)
        self.assertEqual(self.verified("acme/copy/aws"), [])

    def test_objects_that_no_record_names_are_listed(self):
        archive = self.publish("acme/known/aws")
        name = f"sha256/00/{'0' * 62}/left"
        self.store.write(BUCKET, f"{self.PREFIX}/{name}", b"left over")
        run = self.one.cli("verify", "--storage", "--json", environment={"KOYA_TOKEN": self.token})
        self.assertEqual(run.returncode, 0, run.stderr)
        found = {each["address"]: each["size"] for each in json.loads(run.stdout)["things"]}
        self.assertEqual(found.get(name), 9, found)
        (known,) = self.object_of(archive)
        self.assertNotIn(known.removeprefix(f"{self.PREFIX}/"), found)
        self.assertIn("1 objects", run.stderr)
        self.store.delete(BUCKET, f"{self.PREFIX}/{name}")

    def verified(self, address, *arguments):
        """What `koya verify` finds of this one; other tests leave damage of theirs."""
        run = self.one.cli("verify", *arguments, "--json", timeout=120,
                           environment={"KOYA_TOKEN": self.token})
        report = json.loads(run.stdout)
        open_findings = [each for each in report["findings"] if not each["repaired"]]
        self.assertEqual(run.returncode, 1 if open_findings else 0, run.stdout + run.stderr)
        return [each for each in report["findings"] if each["address"] == address]

    def test_altered_bytes_never_reach_a_client_whole(self):
        archive = self.publish("acme/altered/aws")
        (key,) = self.object_of(archive)
        self.store.write(BUCKET, key, archive[:-1] + bytes([archive[-1] ^ 1]))
        path = self.two.archive_path("acme/altered/aws", "1.0.0")
        for _ in range(3):  # cut off before the last byte, and an error once it is known as lost
            with contextlib.suppress(http.client.IncompleteRead):
                answer = self.two.get(path)
                self.assertIn(answer.status, (500, 503), answer)

    def test_without_the_store_what_is_cached_is_served_and_the_rest_waits(self):
        cached, cold = self.publish("acme/warm/aws"), self.publish("acme/cold/aws")
        self.assertEqual(self.two.download("acme/warm/aws", "1.0.0"), cached)
        cold_path = self.two.archive_path("acme/cold/aws", "1.0.0")
        self.wire.set_cut(True)
        try:
            self.assertEqual(self.two.download("acme/warm/aws", "1.0.0"), cached)
            answer = self.two.get(cold_path)
            self.assertEqual(answer.status, 503, answer)
            self.assertIn("Retry-After", answer.headers)
            answer = self.two.put_module("acme/refused/aws", "1.0.0", tar_gz({"main.tf": "# x\n"}),
                                         token=self.token)
            self.assertEqual(answer.status, 503, answer)
            self.assertEqual(self.two.get("/v1/modules/acme/refused/aws/versions").status, 404)
        finally:
            self.wire.set_cut(False)
        wait_until(lambda: self.two.get(cold_path).body == cold, "the store is back")
        self.publish("acme/refused/aws", server=self.two)

    def test_metrics_say_where_bytes_came_from(self):
        archive = self.publish("acme/metric/aws")
        names = [f'koya_archive_source_bytes_total{{source="{source}"}}'
                 for source in ("store", "cache", "upstream", "peer", "redirect")]
        before = [number(self.two, name) for name in names]
        self.assertEqual(self.two.download("acme/metric/aws", "1.0.0"), archive)
        after = [number(self.two, name) for name in names]
        self.assertEqual([now - then for now, then in zip(after, before)],
                         [len(archive), 0, 0, 0, 0])

    def test_metrics_are_those_that_are_documented(self):
        self.publish("acme/scraped/aws")
        self.assertEqual(self.two.get("/v1/modules/acme/scraped/aws/versions").status, 200)
        documented, may_be_missing = koya_metrics.documented()
        scraped = koya_metrics.scraped(metrics(self.two))
        for name in may_be_missing - set(scraped):
            del documented[name]
        self.assertEqual(scraped, documented)

    def test_metrics_show_what_the_catalog_does(self):
        self.publish("acme/lane/aws")
        for pool in ("read", "write"):
            self.assertGreater(number(self.one, f'koya_catalog_started_total{{pool="{pool}"}}'), 0)
            self.assertGreaterEqual(
                number(self.one, f'koya_catalog_connections_total{{pool="{pool}"}}'), 1)
            self.assertEqual(number(self.one, f'koya_catalog_circuit_open{{pool="{pool}"}}'), 0)


class GarbageInABucket(OnABucket):
    ARGUMENTS = ("--blobs.gc_grace", "1s", "--blobs.trash_for", "1s", "--blobs.gc_every", "1s")

    def collected(self, what):
        """Bytes, by whichever of the servers did it."""
        return sum(number(server, f"koya_gc_{what}_bytes_total") for server in (self.one, self.two))

    def test_what_is_withdrawn_leaves_the_bucket_and_what_is_not_stays(self):
        gone, stays = self.publish("acme/gone/aws"), self.publish("acme/stays/aws")
        answer = self.one.request("DELETE", "/api/v1/modules/acme/gone/aws/1.0.0",
                                  '{"reason":"broken"}', token=self.token)
        self.assertEqual(answer.status, 204, answer)
        wait_until(lambda: not self.object_of(gone), "the object goes")
        for name in ("marked", "removed"):
            wait_until(lambda name=name: self.collected(name) == len(gone), f"it is {name}")
        self.assertEqual(len(self.object_of(stays)), 1)
        koya_s3.delete_cache(self.two)
        self.assertEqual(self.two.download("acme/stays/aws", "1.0.0"), stays)


class MirroringOnABucket(OnABucket):
    """What other registries have, while the store is away."""

    @classmethod
    def setUpClass(cls):
        cls.upstream = koya_upstream.Upstream()
        cls.addClassCleanup(cls.upstream.off)
        author = koya_provider.author()
        cls.files = koya_provider.release("1.0.0", author,
                                          platforms=koya_provider.platforms_with_ours())
        cls.upstream.add("acme/demo", cls.files, author)
        cls.ARGUMENTS = ("--upstream.hosts", cls.upstream.host,
                         "--upstream.allow_private_addresses", "127.0.0.1/32",
                         "--upstream.ca_file", str(koya_upstream.certificate()[1]))
        newer = koya_provider.release("2.0.0", author,
                                      platforms=koya_provider.platforms_with_ours())
        cls.newer = cls.upstream.add("acme/demo", newer, author, version="2.0.0")
        super().setUpClass()

    def test_a_release_that_nobody_has_asked_for_is_sent_too_and_kept_when_the_store_is_back(self):
        stem = koya_provider.stem("demo", "2.0.0")
        place = f"/mirror/{self.upstream.host}/acme/demo/2.0.0/{stem}_"
        os_name, arch = koya_provider.PLATFORM.split("_")
        document = (f"/origin/{self.upstream.host}/v1/providers/acme/demo/2.0.0/download/{os_name}/"
                    f"{arch}")
        self.wire.set_cut(True)
        try:
            # The first one waits as long as the store is waited for.
            answer = wait_until(lambda: self.ok(self.one.get(document)), "it is described", 60)
            paths = [urllib.parse.urlsplit(answer.json()[field]).path
                     for field in ("shasums_url", "shasums_signature_url", "download_url")]
            for server in (self.one, self.two):
                for path in paths:
                    answer = wait_until(lambda: self.ok(server.get(path)), "it is sent", 60)
                    self.assertEqual(answer.body, self.newer[path.rsplit("/", 1)[1]], path)
            self.assertEqual(self.object_of(self.newer[f"{stem}_SHA256SUMS"]), [])
        finally:
            self.wire.set_cut(False)
        for name in (f"{stem}_SHA256SUMS", f"{stem}_SHA256SUMS.sig"):
            wait_until(lambda: self.object_of(self.newer[name]), "the documents are stored")
        package = f"{place}{koya_provider.PLATFORM}.zip"
        # Either server may have stored the documents: this one may still take the store for lost, and
        # then it sends the package without storing it.
        wait_until(lambda: self.ok(self.one.get(package)) and
                   self.object_of(self.newer[package.rsplit("/", 1)[1]]), "it is sent again, and kept")

    def ok(self, answer):
        """None for what is told to ask again."""
        self.assertIn(answer.status, (200, 503, 504), answer)
        return answer if answer.status == 200 else None

    def test_a_package_is_sent_though_it_cannot_be_kept(self):
        place = f"/mirror/{self.upstream.host}/acme/demo"
        self.assertEqual(self.one.get(f"{place}/1.0.0.json").status, 200)
        name = koya_provider.ZIP
        self.wire.set_cut(True)
        try:
            answer = self.one.get(f"{place}/1.0.0/{name}")
            self.assertEqual((answer.status, answer.body), (200, self.files[name]))
        finally:
            self.wire.set_cut(False)
        wait_until(lambda: self.one.get(f"{place}/1.0.0/{name}").status == 200, "it is sent again",
                   30)
        wait_until(lambda: self.object_of(self.files[name]), "it is kept")
        self.assertEqual(self.two.get(f"{place}/1.0.0/{name}").body, self.files[name])


class ABucketInTrouble(OnABucket):
    """What makes publishing impossible is said by /readyz, with the setting to look at, and in the
    log; what is held is served meanwhile."""

    def assert_not_ready(self, server, *words):
        def reasons():
            status, text = operations(server, "/readyz")
            return text if status == 503 else None
        said = wait_until(reasons, "it is not ready")
        for word in words:
            self.assertIn(word, said)
        self.assertEqual(operations(server, "/readyz?degraded=1")[0], 200)
        wait_until(lambda: any(each["message"] == "the object store cannot be used"
                               for each in server.log_records()), "the log says so")

    def test_a_store_that_hangs_and_one_that_is_cut_off(self):
        for trouble in ("silent", "cut"):
            with self.subTest(trouble):
                with self.server(trouble) as server:
                    self.assertEqual(operations(server, "/readyz")[0], 200)
                    set_trouble = (self.wire.set_cut if trouble == "cut" else
                                   lambda on: setattr(self.wire, "silent", on))
                    set_trouble(True)
                    try:
                        self.assert_not_ready(server)
                    finally:
                        set_trouble(False)
                    wait_until(lambda: operations(server, "/readyz")[0] == 200, "it is back")

    def test_a_bucket_that_is_gone(self):
        self.store.make_bucket("gone")
        with self.server("gone", **{"blobs.url": "s3://gone/registry"}) as server:
            for key in self.store.objects("gone"):
                self.store.delete("gone", key)
            status, body = self.store.request("DELETE", "/gone")
            self.assertEqual(status, 204, body)
            self.assert_not_ready(server, "blobs.url", "gone")
            self.store.make_bucket("gone")
            wait_until(lambda: operations(server, "/readyz")[0] == 200, "it is back")


class RedirectsToABucket(OnABucket):
    ARGUMENTS = ("--blobs.s3.redirect", "all", "--blobs.s3.redirect_min", "1KiB")

    def test_clients_are_sent_to_the_store_but_never_for_head(self):
        archive = tar_gz({"main.tf": "# sent\n", "noise.bin": os.urandom(4096)})
        answer = self.one.put_module("acme/sent/aws", "1.0.0", archive, token=self.token)
        self.assertEqual(answer.status, 201, answer)
        path = self.two.archive_path("acme/sent/aws", "1.0.0")
        answer = self.two.get(path)
        self.assertEqual((answer.status, answer.headers["Cache-Control"]), (302, "no-store"))
        place = urllib.parse.urlsplit(answer.headers["Location"])
        self.assertEqual(place.netloc, f"127.0.0.1:{self.wire.port}")
        status, body = get_plain(place)
        self.assertEqual((status, body), (200, archive))
        head = self.two.request("HEAD", path)
        self.assertEqual((head.status, int(head.headers["Content-Length"])), (200, len(archive)))
        small = self.publish("acme/small/aws")
        self.assertEqual(self.two.download("acme/small/aws", "1.0.0"), small)


class OverTlsWithASession(OnABucket):
    """As a store on the network is met: TLS with a CA of the house, the bucket's name in the host's,
    and keys that end soon and came with a token, from the environment."""

    ARGUMENTS = ("--blobs.s3.redirect", "all", "--blobs.s3.redirect_min", "1KiB")

    @classmethod
    def certificate(cls):
        made = cls.folder / "store.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=store",
                        "-addext", f"subjectAltName=DNS:{BUCKET}.localhost", "-keyout",
                        cls.folder / "store.key", "-out", cls.folder / "store-ca.pem"],
                       check=True, capture_output=True)
        made.write_text((cls.folder / "store-ca.pem").read_text()
                        + (cls.folder / "store.key").read_text())
        return made

    @classmethod
    def bucket(cls, prefix=None, port=None, **more):
        words = super().bucket(**{
            "blobs.s3.endpoint": f"https://localhost:{cls.store.tls_port}",
            "blobs.s3.path_style": "false", "blobs.s3.ca_file": str(cls.folder / "store-ca.pem")})
        at = words.index("--blobs.s3.access_key_file")
        return words[:at] + words[at + 2:]

    @classmethod
    def server(cls, name, *more, **named):
        server = super().server(name, *more, **named)
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        server.environment |= dict(zip(names, cls.store.session_keys()))
        return server

    def test_large_and_small_go_and_come(self):
        large = tar_gz({"main.tf": "# large\n", "noise.bin": os.urandom(20 << 20)})
        answer = self.one.put_module("acme/large/aws", "1.0.0", large, token=self.token)
        self.assertEqual(answer.status, 201, answer)
        self.publish("acme/small/aws")
        for address in ("acme/large/aws", "acme/small/aws"):
            path = self.two.archive_path(address, "1.0.0")
            head = self.two.request("HEAD", path)
            self.assertEqual(head.status, 200, head)
        sent = self.two.get(self.two.archive_path("acme/large/aws", "1.0.0"))
        self.assertEqual(sent.status, 302, sent)
        place = urllib.parse.urlsplit(sent.headers["Location"])
        self.assertEqual((place.scheme, place.netloc),
                         ("https", f"{BUCKET}.localhost:{self.store.tls_port}"))
        trust = ssl.create_default_context(cafile=self.folder / "store-ca.pem")
        asked = http.client.HTTPSConnection("127.0.0.1", self.store.tls_port, timeout=30)
        asked.sock = trust.wrap_socket(socket.create_connection(("127.0.0.1", asked.port), 30),
                                       server_hostname=place.hostname)
        with contextlib.closing(asked):
            asked.request("GET", f"{place.path}?{place.query}", headers={"Host": place.netloc})
            answer = asked.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, large))

    def test_what_is_not_sent_on_is_read_from_there(self):
        small = self.publish("acme/tiny/aws")  # below redirect_min
        self.assertEqual(self.two.download("acme/tiny/aws", "1.0.0"), small)

    def test_another_ca_is_refused_with_the_settings_name(self):
        stranger = self.server("stranger")
        place = stranger.arguments.index("--blobs.s3.ca_file") + 1
        stranger.arguments = (*stranger.arguments[:place], str(koya_upstream.certificate()[1]),
                              *stranger.arguments[place + 1:])
        with self.assertRaises(StartFailed) as failed:
            stranger.start().kill()
        self.assertIn("blobs.s3.ca_file", str(failed.exception))


class StartingOnABucket(OnABucket):
    """What is told at the start, and the way back that it names."""

    def refused(self, *words, **server):
        """The start fails with a message that has all of `words`."""
        with self.assertRaises(StartFailed) as failed:
            self.server(f"refused-{len(os.listdir(self.folder))}", **server).start().kill()
        self.assertEqual(failed.exception.status, 1, failed.exception.output)
        for word in words:
            self.assertIn(word, failed.exception.output)
        self.assertNotIn(koya_s3.SECRET, failed.exception.output)

    def test_settings_that_do_not_fit_the_store(self):
        (self.folder / "wrong-keys").write_text(f"{koya_s3.ACCESS}\nnot the secret at all\n")
        self.refused("blobs.s3.access_key_file",
                     **{"blobs.s3.access_key_file": str(self.folder / "wrong-keys")})
        self.refused("blobs.s3.access_key_file",
                     **{"blobs.s3.access_key_file": str(self.folder / "no-such-file")})
        self.refused("no-such-bucket", "blobs.url",
                     **{"blobs.url": "s3://no-such-bucket/registry"})
        self.refused("blobs.url", **{"blobs.url": "s3://Not_A_Bucket/x"})

    def test_a_store_that_is_away_is_an_error_or_waited_for(self):
        port = koya_s3.free_port()
        self.refused("blobs.s3.endpoint", "--wait", port=port)
        with self.server("waiting", "--wait", port=port) as waiting:
            self.assertEqual(waiting.get("/.well-known/terraform.json").status, 200)

    def test_a_bucket_that_belongs_to_another_catalog(self):
        self.publish("acme/owned/aws")
        (self.folder / "copy").mkdir()
        with Postgres(self.folder / "copy") as other:
            self.refused("koya admin adopt-storage", catalog=other.url)
            self.adopt(other.url)
            with self.server("adopted", catalog=other.url):
                pass
            self.refused("koya admin adopt-storage")
        self.adopt(self.postgres.url)  # back to whom it belongs
        with self.server("again"):
            pass

    def adopt(self, catalog):
        config = self.folder / "adopt.toml"
        settings = {"server.data": str(self.folder / "adopter"), "catalog.url": catalog,
                    "server.secret_file": str(self.folder / "server.secret")}
        words = iter(self.bucket())
        settings |= {name.removeprefix("--"): value for name, value in zip(words, words)}
        config.write_text("".join(f"{name} = {json.dumps(value)}\n"
                                  for name, value in settings.items()))
        done = koya_e2e.cli("admin", "adopt-storage", "--config", config, home=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"s3://{BUCKET}/{self.PREFIX}", done.stdout)

    def test_a_catalog_whose_bytes_lie_elsewhere(self):
        archive = self.publish("acme/elsewhere/aws")
        self.refused("koya admin move", prefix="another")
        data = self.folder / "folder"
        with Server(data):
            pass
        with Server(data) as koya:
            koya.publish("acme/here/aws", "1.0.0", archive)
        with self.assertRaises(StartFailed) as failed:
            Server(data, *self.bucket(prefix="third")).start().kill()
        self.assertIn("koya admin move", failed.exception.output)
        self.assertEqual(failed.exception.status, 1)


if __name__ == "__main__":
    koya_e2e.main()
