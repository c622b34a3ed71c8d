"""Modules of other registries through /origin/: archives and git repositories, whole and broken.

Every row of the tables is a fault of a scripted registry, of where it points to, or of the module
itself: what the client saw is named; then, with the fault gone, the module must be there.
"""
import collections
import concurrent.futures
import hashlib
import io
import tarfile
import threading
import time
import urllib.parse

import koya_e2e
import koya_git
import koya_upstream
from koya_e2e import tar_gz, wait_until, zip_of
from koya_git import Program, Submodule, Symlink, huge
from koya_mirror import ALLOWED, CUT, MirrorTestCase, fetch, status
from koya_upstream import (answer, drop, flipped, hang, hang_within, held, longer, redirect,
                           redirect_to_itself, trickle, truncated)

ROWS_AT_ONCE = 8
CLIENT_PATIENCE = 9  # seconds; a client gives up on a document after ten
FILES = {"main.tf": b'output "made" {\n  value = "upstream"\n}\n',
         "modules/subnet/main.tf": b'output "made" {\n  value = "subnet"\n}\n'}


def unpack(data):
    """{name: bytes} of a .tar.gz; asserts that it holds plain files only."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive:
            assert member.isfile(), member
            files[member.name] = archive.extractfile(member).read()
    return files


def tar_of(*members):
    """A .tar.gz of (name, bytes) files and (name, target, type) links."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content, *link in members:
            info = tarfile.TarInfo(name)
            if link:
                info.type, info.linkname = link[0], content
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


class ModuleTestCase(MirrorTestCase):
    """A registry, a git server, and a mirror that may pull from the one and what it points to."""

    ARGUMENTS = (*ALLOWED, "--upstream.breaker_failures", "100000", "--upstream.timeout", "3s")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.git = koya_git.GitServer()
        cls.addClassCleanup(cls.git.off)
        cls.koya = cls.mirror("data", cls.upstream)

    def path(self, address, rest):
        return f"/origin/{self.upstream.host}/v1/modules/{address}/{rest}"

    def download(self, address, version="1.0.0", **more):
        return fetch(self.koya, self.path(address, f"{version}/download"), **more)

    def assert_module(self, address, files, version="1.0.0"):
        """The module is to be had, and holds these files."""
        got = self.download(address, version)
        self.assertEqual(status(got), 204, got)
        place = urllib.parse.urlsplit(got.headers["X-Terraform-Get"])
        self.assertTrue(place.path.endswith(".tar.gz"), place)
        archive = self.koya.get(place.path)
        self.assertEqual(archive.status, 200, archive)
        self.assertEqual(place.query, f"checksum=sha256:{hashlib.sha256(archive.body).hexdigest()}")
        self.assertEqual(unpack(archive.body), files)
        return archive

    def repository(self, address, files, **more):
        return self.git.repository(address + ".git", files, tag="v1.0.0", **more)


class Locations(ModuleTestCase):
    """Where registries say that modules are."""

    def test_archives(self):
        whole = tar_gz(FILES)
        digest = hashlib.sha256(whole).hexdigest()
        subnet = {"main.tf": FILES["modules/subnet/main.tf"]}
        rows = [
            ("a tar", whole, "tar.gz", "", FILES),
            ("tgz", whole, "tgz", "", FILES),
            ("a zip", zip_of(FILES), "zip", "", FILES),
            ("no ending", whole, "bin", "?archive=tar.gz", FILES),
            ("a top folder", tar_gz(FILES, top="vpc-1"), "tar.gz", "//vpc-1", FILES),
            ("any top folder", tar_gz(FILES, top="vpc-1"), "bin", "//*?archive=tar.gz", FILES),
            ("a folder", whole, "tar.gz", "//modules/subnet", subnet),
            ("a checksum", whole, "tar.gz", f"?checksum=sha256:{digest}", FILES),
            ("folder and checksum", whole, "tar.gz",
             f"//modules/subnet?checksum=sha256:{digest}", subnet),
            ("other parameters", whole, "tar.gz", "?signature=abc&expires=1", FILES),
        ]
        for number, (name, archive, suffix, more, files) in enumerate(rows):
            for as_json in (False, True):
                with self.subTest(name, as_json=as_json):
                    address = f"row{number}/{'json' if as_json else 'field'}/aws"
                    self.upstream.add_module(address, archive, suffix=suffix, more=more,
                                             as_json=as_json)
                    self.assert_module(address, files)
                    path = self.upstream.module_archive_path(address, suffix=suffix)
                    self.assertEqual(self.upstream.asked(path), 1)
        queries = [query for path, query, _ in self.upstream.requests if path.startswith("/packages")]
        self.assertIn("expires=1&signature=abc", ["&".join(sorted(query.split("&")))
                                                  for query in queries])
        self.assertFalse([query for query in queries if "checksum" in query or "archive" in query])

    def test_relative(self):
        for number, form in enumerate(("/files/{}.tar.gz", "./{}.tar.gz", "../x/{}.tar.gz")):
            with self.subTest(form):
                address = f"relative/m{number}/aws"
                self.upstream.add_module(address, location=form.format(number))
                base = self.upstream.url(self.upstream.module_download_path(address))
                place = urllib.parse.urljoin(base, form.format(number))
                self.upstream.put(urllib.parse.urlsplit(place).path, tar_gz(FILES))
                self.assert_module(address, FILES)

    def test_a_page_that_points_on(self):
        self.upstream.put("/packages/pointed.tar.gz", tar_gz(FILES))
        pointed = self.upstream.url("/packages/pointed.tar.gz")
        page = f'<html><head><meta name="terraform-get" content="{pointed}"></head></html>'
        for number, (fields, body) in enumerate((({"X-Terraform-Get": pointed}, b""),
                                                 (None, page.encode()))):
            address = f"pointed/m{number}/aws"
            self.upstream.put(f"/page{number}", body, "text/html", fields=fields)
            self.upstream.add_module(address, location=self.upstream.url(f"/page{number}"))
            self.assert_module(address, FILES)

    def test_git(self):
        made = self.repository("acme/vpc", FILES)
        first = made.run("rev-parse", "refs/tags/v1.0.0")
        made.commit({**FILES, "later.tf": b""}, "refs/heads/later")
        subnet = {"main.tf": FILES["modules/subnet/main.tf"]}
        for number, (location, files) in enumerate((
                (f"git::{made.url}?ref=v1.0.0", FILES),
                (f"git::{made.url}?ref={first}", FILES),
                (f"git::{made.url}?ref=later", {**FILES, "later.tf": b""}),
                (f"git::{made.url}?depth=1&ref=v1.0.0", FILES),
                (f"git::{made.url}//modules/subnet?ref=v1.0.0", subnet),
                (f"{made.url}?ref=v1.0.0", FILES),
                (f"git::{made.url}", {**FILES, "later.tf": b""}))):
            with self.subTest(location):
                address = f"git/m{number}/aws"
                self.upstream.add_module(address, location=location)
                self.assert_module(address, files)

    def test_git_repositories_that_are_odd(self):
        files = {
            "main.tf": FILES["main.tf"], "LICENSE": b"free\n", "run.sh": Program(b"#!/bin/sh\n"),
            "docs/LICENSE": Symlink("../LICENSE"), "examples/all": Symlink("../docs"),
            "away": Symlink("/etc/passwd"), "broken": Symlink("nowhere"),
            "vendor": Submodule("https://git.example.com/other.git"),
            ".gitattributes": b"* text eol=crlf\nLICENSE export-ignore\nmain.tf export-subst\n",
            "crlf.txt": b"one\r\ntwo\n", "ident.txt": b"$Format:%H$ $Id$\n",
        }
        made = self.repository("odd/vpc", files)
        self.upstream.add_module("odd/vpc/aws", location=f"git::{made.url}?ref=v1.0.0")
        mark = self.koya.log_mark()
        got = unpack(self.assert_files("odd/vpc/aws").body)
        self.assertEqual(set(got) - {".gitmodules"},
                         {"main.tf", "LICENSE", "run.sh", "docs/LICENSE", "examples/all/LICENSE",
                          ".gitattributes", "crlf.txt", "ident.txt"})
        for name in ("docs/LICENSE", "examples/all/LICENSE"):
            self.assertEqual(got[name], b"free\n")
        for name in ("crlf.txt", "ident.txt", ".gitattributes"):
            self.assertEqual(got[name], files[name])
        self.koya.log_mark()
        said = " ".join(record.get("warning", "") for record in self.koya.log_records()[mark:])
        for word in ("away", "broken", "vendor"):
            self.assertIn(word, said)
        self.assertNotIn("root:", str(got))

    def assert_files(self, address):
        got = self.download(address)
        self.assertEqual(status(got), 204, got)
        return self.koya.get(urllib.parse.urlsplit(got.headers["X-Terraform-Get"]).path)

    def test_no_hook_and_no_configuration_of_the_repository_runs(self):
        made = self.repository("hooked/vpc", {
            **FILES, ".lfsconfig": b"[lfs]\n\turl = https://127.0.0.1:1/\n",
            ".gitattributes": b"* filter=evil diff=evil merge=evil\n"})
        self.upstream.add_module("hooked/vpc/aws", location=f"git::{made.url}?ref=v1.0.0")
        got = unpack(self.assert_files("hooked/vpc/aws").body)
        self.assertEqual(got["main.tf"], FILES["main.tf"])

    def test_versions(self):
        self.upstream.add_module("listed/vpc/aws", tar_gz(FILES))
        self.upstream.list_modules("listed/vpc/aws", "1.0.0", "v1.1.0", "1.2", "1.0.0", "no version",
                                   "18446744073709551616.0.0", "2.0.0-rc.1")
        got = self.koya.get(self.path("listed/vpc/aws", "versions"))
        versions = [each["version"] for each in got.json()["modules"][0]["versions"]]
        self.assertEqual(sorted(versions), ["1.0.0", "1.1.0", "1.2.0", "2.0.0-rc.1"])
        many = [f"1.{minor}.{patch}" for minor in range(100) for patch in range(100)]
        self.upstream.add_module("many/vpc/aws", tar_gz(FILES))
        self.upstream.list_modules("many/vpc/aws", *many)
        got = self.koya.get(self.path("many/vpc/aws", "versions"))
        self.assertEqual(len(got.json()["modules"][0]["versions"]), 10_000)

    def test_release_times(self):
        self.upstream.add_module("timed/vpc/aws", tar_gz(FILES))
        self.upstream.list_modules("timed/vpc/aws", "v1.0.0", "1.1.0", "1.2.0", "1.3.0", discovered={
            "v1.0.0": "2026-04-07T12:11:12.5+02:00", "1.1.0": "soon", "1.2.0": "2999-01-01T00:00:00Z"})
        got = self.koya.get(self.path("timed/vpc/aws", "versions")).json()["modules"][0]["versions"]
        self.assertEqual({each["version"]: each.get("discovered") for each in got}, {
            "1.0.0": "2026-04-07T10:11:12Z", "1.1.0": None, "1.2.0": None, "1.3.0": None})

    def test_only_what_the_settings_allow(self):
        koya = self.mirror("off", self.upstream, arguments=(*self.ARGUMENTS, "--mirror.modules=false"))
        self.upstream.add_module("allowed/vpc/aws", tar_gz(FILES))
        for rest in ("versions", "1.0.0/download"):
            got = koya.get(self.path("allowed/vpc/aws", rest))
            self.assertEqual(got.status, 404)
            self.assertIn("mirror.modules", got.errors())
        koya = self.mirror("denied", self.upstream,
                           arguments=(*self.ARGUMENTS, "--policy.deny", "*/allowed/vpc/*"))
        before = self.upstream.total()
        for rest in ("versions", "1.0.0/download"):
            got = koya.get(self.path("allowed/vpc/aws", rest))
            self.assertEqual(got.status, 403)
            self.assertIn('policy.deny "*/allowed/vpc/*"', got.errors())
        self.assertEqual(self.upstream.total(), before)
        for host in ("other.example.com", self.git.host):
            got = self.koya.get(f"/origin/{host}/v1/modules/allowed/vpc/aws/versions")
            self.assertEqual(got.status, 404)

    def test_one_fetch_for_everybody_and_none_when_upstream_is_gone(self):
        address = "many/clients/aws"
        gate = threading.Event()
        self.upstream.add_module(address, tar_gz(FILES))
        path = self.upstream.module_archive_path(address)
        self.upstream.faults[path] = held(gate)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = [pool.submit(self.download, address) for _ in range(20)]
            koya_e2e.wait_until(lambda: self.upstream.asked(path), "the fetch has begun")
            gate.set()
            self.assertEqual({status(each.result()) for each in answers}, {204})
        self.assertEqual(self.upstream.asked(path), 1)
        del self.upstream.faults[path]
        self.koya.get(self.path(address, "versions"))
        self.upstream.off()
        self.addCleanup(self.upstream.on)
        self.assert_module(address, FILES)
        self.assertEqual(self.koya.get(self.path(address, "versions")).status, 200)

    def test_a_version_that_becomes_another_is_refused(self):
        address = "moved/vpc/aws"
        self.upstream.add_module(address, tar_gz(FILES))
        first = self.assert_module(address, FILES)
        self.upstream.add_module(address, tar_gz({"main.tf": b"# another"}))
        self.assertEqual(self.assert_module(address, FILES).body, first.body)
        # Its bytes are lost here; nothing but the same ones may come back.
        digest = hashlib.sha256(first.body).hexdigest()
        blob = next(path for path in (self.koya.data / "blobs").rglob("*")
                    if path.is_file() and "".join(path.parts).endswith(digest))
        self.koya.stop()
        blob.unlink()
        self.koya.start()
        place = self.path(address, "1.0.0/moved-vpc-aws-1.0.0.tar.gz")
        got = self.koya.get(place)
        self.assertEqual(got.status, 502)
        self.assertIn("has changed upstream", got.errors())
        self.upstream.add_module(address, tar_gz(FILES))
        self.assertEqual(self.koya.get(place).body, first.body)


Row = collections.namedtuple("Row", "name fault seen")
HTML = answer(200, b"<!DOCTYPE html><title>Sign in</title>", "text/html")
STATUSES = [Row(str(number), answer(number, b""), seen) for number, seen in (
    (401, 502), (403, 502), (404, 404), (410, 404), (500, 502), (501, 502), (502, 502), (503, 502))]
DOCUMENTS = [*STATUSES,
             Row("429", answer(429, b"", Retry_After="30"), 503),
             Row("hangs", hang, 504), Row("hangs within", hang_within, 504),
             Row("trickles", trickle(30, 1), 504),
             Row("dropped", drop, 502), Row("cut off", truncated, 502),
             Row("a redirect to http", redirect("http://127.0.0.1:1/"), 502),
             Row("a redirect to a file", redirect("file:///etc/passwd"), 502),
             Row("a redirect to a private address", redirect("https://127.0.0.2:1/"), 502),
             Row("a redirect to itself", redirect_to_itself, 502)]
VERSIONS = [*DOCUMENTS, Row("a page", HTML, 502), Row("nothing", answer(200, b""), 502),
            Row("an array", answer(200, b"[]"), 502), Row("null", answer(200, b"null"), 502),
            Row("no module", answer(200, b'{"modules":[]}'), 502),
            Row("a null module", answer(200, b'{"modules":[null]}'), 502),
            Row("nested too deep", answer(200, b"[" * 100_000), 502)]
PLACES = [Row(place, answer(204, b"", X_Terraform_Get=place), 502) for place in (
    "file:///etc/passwd", "git::file:///etc/", "http://127.0.0.1:1/a.tar.gz", "/etc", "a.tar.gz",
    "git::http://127.0.0.1:1/a.git", "git::ext::sh -c id", "hg::https://127.0.0.1:1/a",
    "s3::https://127.0.0.1:1/a.zip", "oci://127.0.0.1:1/a", "acme/vpc/aws",
    "git::https://127.0.0.1:1/a.git?ref=--upload-pack=/bin/sh",
    "git::https://127.0.0.1:1/a.git?ref=v1&sshkey=AAAA", "git::ssh://-oProxyCommand=id/a.git",
    "https://127.0.0.2:1/a.tar.gz", "git::https://127.0.0.2:1/a.git",
    "git::ssh://git@127.0.0.2/a.git", "https://127.0.0.1:1/a.tar.gz")]
DOWNLOADS = [*DOCUMENTS, *PLACES, Row("no location", answer(204, b""), 502),
             Row("a page", HTML, 502), Row("no body", answer(200, b""), 502),
             Row("an array", answer(200, b"[]"), 502),
             Row("a location that is no text", answer(200, b'{"location":1}'), 502)]
ARCHIVES = [*(row._replace(seen=502) for row in STATUSES),
            Row("429", answer(429, b"", Retry_After="30"), 503),
            Row("hangs", hang, 504), Row("hangs within", hang_within, 504),
            Row("dropped", drop, 502), Row("cut off", truncated, 502),
            Row("another last byte", flipped, 502), Row("a page", HTML, 502),
            Row("nothing", answer(200, b""), 502),
            Row("a redirect to http", redirect("http://127.0.0.1:1/"), 502),
            Row("a redirect to a private address", redirect("https://127.0.0.2:1/"), 502),
            Row("a bomb", answer(200, tar_gz({"main.tf": bytes(64 << 20)})), 502),
            Row("no configuration", answer(200, tar_gz({"README.md": b""})), 502),
            Row("out of the archive", answer(200, tar_of(("../main.tf", b""))), 502),
            Row("too large", answer(200, huge(5)), 502),
            Row("a device", answer(200, tar_of(("main.tf", "", tarfile.CHRTYPE))), 502)]


class Faults(ModuleTestCase):
    ARGUMENTS = (*ModuleTestCase.ARGUMENTS, "--limits.module_bytes", "4MiB")

    def run_rows(self, name, rows, path_of, asked="1.0.0/download"):
        with concurrent.futures.ThreadPoolExecutor(ROWS_AT_ONCE) as pool:
            outcomes = [pool.submit(self.run_row, row, f"{name}{number}/vpc/aws", path_of, asked)
                        for number, row in enumerate(rows)]
        for row, outcome in zip(rows, outcomes):
            with self.subTest(f"{name}: {row.name}"):
                outcome.result()

    def run_row(self, row, address, path_of, asked):
        self.upstream.add_module(address, tar_gz(FILES), as_json=True)
        path = path_of(address)
        self.upstream.faults[path] = row.fault
        began = time.monotonic()
        got = fetch(self.koya, self.path(address, asked))
        self.assertLess(time.monotonic() - began, CLIENT_PATIENCE)
        self.assertEqual(status(got), row.seen, got)
        self.assertTrue(got.errors())
        if row.seen == 503:
            self.assertEqual(got.headers["Retry-After"], "30")
        self.assertGreater(self.upstream.asked(path), 0, "the fault was never met")
        del self.upstream.faults[path]

        def there():
            again = fetch(self.koya, self.path(address, asked))
            return again if status(again) in (200, 204) else None

        koya_e2e.wait_until(there, f"{address} is there again")

    def test_versions(self):
        self.run_rows("list", VERSIONS, self.upstream.module_versions_path, "versions")

    def test_download(self):
        self.run_rows("document", DOWNLOADS, self.upstream.module_download_path)

    def test_archive(self):
        self.run_rows("archive", ARCHIVES, self.upstream.module_archive_path)
        wait_until(lambda: not [*(self.koya.data / "blobs/tmp").rglob("*")],
                   "what was refused is removed")
        kept = {hashlib.sha256(path.read_bytes()).hexdigest()
                for path in (self.koya.data / "blobs").rglob("*") if path.is_file()}
        # One module's files, many times: one archive.
        self.assertEqual(len(kept), 1, kept)
        self.assertEqual([*(self.koya.data / "scratch").rglob("*")], [])

    def test_longer_than_announced(self):
        self.upstream.add_module("longer/vpc/aws", tar_gz(FILES))
        path = self.upstream.module_archive_path("longer/vpc/aws")
        self.upstream.faults[path] = longer
        got = self.download("longer/vpc/aws")
        self.assertIn(status(got), (204, 502))  # what was announced is all there, or nothing
        del self.upstream.faults[path]
        self.assert_module("longer/vpc/aws", FILES)

    def test_a_wrong_checksum(self):
        self.upstream.add_module("sums/vpc/aws", tar_gz(FILES),
                                 more=f"?checksum=sha256:{'0' * 64}")
        got = self.download("sums/vpc/aws")
        self.assertEqual(status(got), 502)
        self.assertIn("checksum", got.errors())

    def test_git(self):
        whole = self.repository("faults/whole", FILES)
        large = self.repository("faults/large", {**FILES, "large.bin": huge(6)})
        optional = self.repository("faults/optional", FILES)
        commit = optional.run("rev-parse", "refs/tags/v1.0.0")
        optional.put_ref("refs/tags/--upload-pack=touch", commit)
        rows = [
            ("no such ref", f"git::{whole.url}?ref=v9"),
            ("no such commit", f"git::{whole.url}?ref={'4' * 40}"),
            ("no such repository", f"git::{self.git.url('/faults/none.git')}?ref=v1.0.0"),
            ("a ref like an option", f"git::{optional.url}?ref=--upload-pack=touch"),
            ("a huge repository", f"git::{large.url}?ref=v1.0.0"),
            ("no such folder", f"git::{whole.url}//missing?ref=v1.0.0"),
        ]
        for number, (name, location) in enumerate(rows):
            with self.subTest(name):
                address = f"gitfault/m{number}/aws"
                self.upstream.add_module(address, location=location)
                got = self.download(address)
                self.assertEqual(status(got), 502, got)
                self.assertTrue(got.errors())
                self.upstream.add_module(address, location=f"git::{whole.url}?ref=v1.0.0")
                self.assert_module(address, FILES)
        for place, fault in (("info/refs", answer(401, b"")), ("info/refs", answer(500, b"")),
                             ("info/refs", hang), ("git-upload-pack", answer(500, b"")),
                             ("git-upload-pack", drop), ("git-upload-pack", hang),
                             ("info/refs", redirect("https://127.0.0.2:1/x.git/info/refs"))):
            number += 1
            with self.subTest(f"{place} {number}"):
                address = f"gitfault/m{number}/aws"
                made = self.repository(f"faults/m{number}", FILES)
                self.upstream.add_module(address, location=f"git::{made.url}?ref=v1.0.0")
                path = f"/{made.name}/{place}"
                self.git.faults[path] = fault
                began = time.monotonic()
                got = self.download(address)
                self.assertLess(time.monotonic() - began, CLIENT_PATIENCE)
                self.assertIn(status(got), (502, 503, 504), got)
                del self.git.faults[path]
                if fault is not hang:
                    self.assert_module(address, FILES)
        self.assertEqual([*(self.koya.data / "scratch").rglob("*git*")], [])


class Slow(ModuleTestCase):
    ARGUMENTS = ALLOWED  # whose patience is that of clients

    def test_a_module_that_takes_long_is_there_the_second_time(self):
        address = "slow/vpc/aws"
        gate = threading.Event()
        self.upstream.add_module(address, tar_gz(FILES))
        path = self.upstream.module_archive_path(address)
        self.upstream.faults[path] = trickle(200, 0.1)
        began = time.monotonic()
        got = self.download(address)
        self.assertLess(time.monotonic() - began, CLIENT_PATIENCE)
        self.assertEqual(status(got), 503, got)
        self.assertEqual(got.headers["Retry-After"], "15")
        self.assertIn("still being fetched", got.errors())
        # The archive itself may be waited for, and the fetch that is under way serves.
        place = self.path(address, "1.0.0/slow-vpc-aws-1.0.0.tar.gz")
        archive = fetch(self.koya, place, timeout=60)
        self.assertEqual(unpack(archive.body), FILES)
        self.assertEqual(self.upstream.asked(path), 1)
        self.assert_module(address, FILES)
        gate.set()


if __name__ == "__main__":
    koya_e2e.main()
