"""The mirror, and releases that are unusual, changed, forbidden, stale, or wanted by many."""
import concurrent.futures
import contextlib
import hashlib
import json
import random
import sqlite3
import threading
import time

import koya_e2e
import koya_provider
from koya_e2e import wait_until
from koya_mirror import (ALLOWED, CUT, DOWNLOAD, INDEX, LISTS, PACKAGE, SIGNED, VERSION, VERSIONS,
                         MirrorTestCase, fetch, mirror_path, origin_path, status)
from koya_provider import SUMS, TWO, ZIP, author, h1, key, package, signed, unsigned, zh
from koya_upstream import answer, drop, flipped, hang, held, truncated

BIG = 20 << 20


def listed(koya, face, upstream, address):
    """The versions that a list names."""
    got = koya.get(face.path(upstream, address))
    assert got.status == 200, got
    versions = got.json()["versions"]
    return list(versions) if face is INDEX else [each["version"] for each in versions]


def dies(made, data):
    """A signature by a key that its owner revokes afterwards."""
    signature = made.sign(data)
    certificate = made.home / f"openpgp-revocs.d/{made.fingerprint}.rev"
    koya_provider.gpg("--import", home=made.home,
                      stdin=certificate.read_bytes().replace(b":-----", b"-----"))
    return signature


class Releases(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", cls.upstream)

    def offer(self, address, files=None, *keys, **more):
        return self.upstream.add(address, files or self.files, *(keys or (author(),)), **more)

    def seen(self, address, *faces):
        return [status(fetch(self.koya, face.path(self.upstream, address))) for face in faces]

    # ---- keys

    def test_keys_that_are_refused(self):
        turncoat = key("ed25519", "turncoat")
        sums = self.files[SUMS]
        for name, keys, signature, word in (
                ("wrong", (author(),), author().sign(b"something else"), "another SHA256SUMS"),
                ("unknown", (key("nistp256"),), author().sign(sums), "none of the keys"),
                ("revoked", (turncoat,), dies(turncoat, sums), "revoked"),
                ("armored", (author(),), author().sign(sums, "--armor"), "armored"),
                ("no-signature", (author(),), b"\x00" * 64, "cannot be read")):
            with self.subTest(name):
                address = f"{name}/demo"
                files = {**self.files, koya_provider.SIGNATURE: signature}
                self.offer(address, files, *keys)
                for face in (VERSION, DOWNLOAD, PACKAGE, *SIGNED):
                    got = self.koya.get(face.path(self.upstream, address))
                    self.assertEqual(got.status, 502, f"{face.name}: {got}")
                    self.assertIn(word, got.errors())
                self.assertEqual(self.upstream.asked(self.upstream.file_path(address, ZIP)), 0)
                self.assert_not_kept(signature)
                self.upstream.listed.pop(address)
                self.offer(address)
                self.assert_all_right(self.upstream, address)

    def test_an_expired_key_is_served(self):
        old = key("ed25519", "expired", expires="1d", at="20200101T000000")
        signature = old.sign(self.files[SUMS], "--faked-system-time", "20200101T100000")
        self.offer("expired/demo", {**self.files, koya_provider.SIGNATURE: signature}, old)
        for face in (INDEX, VERSION, VERSIONS, DOWNLOAD, PACKAGE):
            got = self.koya.get(face.path(self.upstream, "expired/demo"))
            self.assertEqual(got.status, 200, got)
            face.right(got, self.files)

        def warned():
            return [record for record in self.koya.log_records()
                    if record["level"] == "warn" and "expired" in json.dumps(record)]
        wait_until(warned, "the log warns of the expired key")

    def test_the_authors_files_are_unchanged(self):
        self.offer("author/demo", None, key("nistp256"), author(), packages=True)
        document = self.koya.get(DOWNLOAD.path(self.upstream, "author/demo")).json()
        self.assertEqual([each["ascii_armor"].strip() for each in
                          document["signing_keys"]["gpg_public_keys"]],
                         [each.armor.strip() for each in (key("nistp256"), author())])
        for field, name in (("shasums_url", SUMS), ("download_url", ZIP),
                            ("shasums_signature_url", koya_provider.SIGNATURE)):
            self.assertTrue(document[field].startswith(self.koya.url + "/"), document[field])
            got = self.koya.get(document[field].removeprefix(self.koya.url))
            self.assertEqual(got.body, self.files[name])
        self.assertEqual(set(document["packages"]), set(TWO))
        for platform, told in document["packages"].items():
            data = self.files[ZIP.replace("linux_amd64", platform)]
            self.assertIn(zh(data), told["hashes"])
            self.assertEqual(told["package_size"], len(data))

    # ---- SHA256SUMS and zips

    def test_blank_lines_in_sums(self):
        zips = unsigned("1.0.0", platforms=TWO)
        self.offer("blank/demo", signed(zips, author(), more_sums=b"\n\n"))
        self.assertEqual(self.seen("blank/demo", INDEX, VERSION, PACKAGE), [200, 200, 200])
        got = self.koya.get(DOWNLOAD.path(self.upstream, "blank/demo"))
        self.assertEqual(got.status, 502, got)
        self.assertIn("blank lines", got.errors())

    def test_a_zip_with_folders(self):
        binary = {koya_provider.BINARY: b"#!/bin/sh\n", "docs/index.md": b"# demo\n"}
        files = {"docs/": b"", **binary}
        zips = unsigned("1.0.0", platforms=TWO, contents=files)
        self.offer("folders/demo", signed(zips, author()))
        self.assertEqual(self.seen("folders/demo", PACKAGE), [200])

        def hashes():
            got = self.koya.get(VERSION.path(self.upstream, "folders/demo"))
            told = got.json()["archives"]["linux_amd64"]["hashes"]
            return told if len(told) > 1 else None
        told = wait_until(hashes, "the hashes of the zip that is held")
        self.assertCountEqual(told, [zh(zips[ZIP]), h1(binary), h1(files)])

    def test_a_missing_platform(self):
        self.offer("few/demo")
        path = origin_path(self.upstream, "few/demo", "1.0.0/download/plan9/arm")
        for _ in range(2):  # before and after the release is known
            got = self.koya.get(path)
            self.assertEqual(got.status, 404, got)
            self.assertTrue(got.errors())
            self.assertEqual(self.seen("few/demo", VERSION, DOWNLOAD, PACKAGE), [200, 200, 200])
        name = ZIP.replace("linux_amd64", "plan9_arm")
        got = self.koya.get(mirror_path(self.upstream, "few/demo", f"1.0.0/{name}"))
        self.assertEqual(got.status, 404, got)

    def test_what_is_not_there(self):
        self.offer("there/demo")
        for address, file in (("there/demo", "9.9.9"), ("there/demo", "not-a-version"),
                              ("nobody/demo", "1.0.0")):
            got = self.koya.get(mirror_path(self.upstream, address, f"{file}.json"))
            self.assertEqual((got.status, got.json()), (200, {"archives": {}}))
            got = self.koya.get(origin_path(self.upstream, address, f"{file}/download/linux/amd64"))
            self.assertEqual(got.status, 404, got)
        self.assertEqual(self.seen("nobody/demo", INDEX, VERSIONS, PACKAGE), [404, 404, 404])

    # ---- lists

    def test_bad_entries_are_skipped(self):
        self.offer("odd/demo")
        good = self.upstream.listed["odd/demo"][0]
        bad = [None, 7, "1.2.0", [], {}, {"version": None}, {"version": 3}, {"version": "not"},
               {"version": "1.2"}, {"version": "v1.2.0"}, {"version": "01.2.0"}, {"version": ""},
               {"version": "18446744073709551616.0.0"}, {"version": "1.0.0"},
               {"version": "1.99999999999999999999999.0"}]
        odd = [{"version": "1.1.0", "platforms": 7}, {"version": "1.3.0", "platforms": [None, {}]},
               {"version": "1.4.0"}]
        self.upstream.put(self.upstream.versions_path("odd/demo"),
                          {"versions": [*bad[:-2], good, *bad[-2:], *odd], "more": {"x": 1}})
        for face in LISTS:
            self.assertCountEqual(listed(self.koya, face, self.upstream, "odd/demo"),
                                  ["1.0.0", "1.1.0", "1.3.0", "1.4.0"])
        self.assertEqual(self.seen("odd/demo", VERSION, DOWNLOAD, PACKAGE), [200, 200, 200])

        def said():
            return [record for record in self.koya.log_records()
                    if record.get("skipped") == len(bad) and "odd/demo" in json.dumps(record)]
        wait_until(said, "the log says how many were skipped")

    def test_release_times(self):
        self.offer("timed/demo")
        one = self.upstream.listed["timed/demo"][0]
        self.upstream.put(self.upstream.versions_path("timed/demo"), {"versions": [
            {**one, "discovered": "2026-04-07T10:11:12.345Z"}, {**one, "version": "1.1.0", "discovered": 7},
            {**one, "version": "1.2.0", "discovered": "2999-01-01T00:00:00Z"}, {**one, "version": "1.3.0"}]})
        got = self.koya.get(VERSIONS.path(self.upstream, "timed/demo")).json()["versions"]
        self.assertEqual({each["version"]: each.get("discovered") for each in got}, {
            "1.0.0": "2026-04-07T10:11:12Z", "1.1.0": None, "1.2.0": None, "1.3.0": None})

    def attach(self, address, name, text, **stated):
        self.upstream.put(self.upstream.file_path(address, name), text)
        return {"name": name, "url": self.upstream.url(self.upstream.file_path(address, name)), **stated}

    def log_of(self, address):
        return [record for record in self.koya.log_records()
                if address in json.dumps(record) and "left out" in record.get("message", "")]

    def test_attachments_are_pinned(self):
        address, sbom = "attached/demo", b'{"bomFormat": "CycloneDX"}'
        about = {"subject": [{"digest": {"sha256": hashlib.sha256(self.files[SUMS]).hexdigest()}}]}
        entries = [self.attach(address, "a.cdx.json", sbom),
                   self.attach(address, "b.intoto.jsonl", json.dumps(about).encode())]
        self.offer(address, attachments=entries)
        listed = self.koya.get(DOWNLOAD.path(self.upstream, address)).json()["attachments"]
        self.assertEqual([each["name"] for each in listed], ["a.cdx.json", "b.intoto.jsonl"])
        self.assertEqual(listed[0]["sha256"], hashlib.sha256(sbom).hexdigest())
        self.assertEqual(listed[0]["size"], len(sbom))
        self.assertEqual(self.log_of(address), [])

        other = b'{"bomFormat": "CycloneDX", "version": 2}'
        self.offer(address, attachments=[
            self.attach(address, "a.cdx.json", other, sha256=hashlib.sha256(other).hexdigest())])
        self.assertEqual(self.koya.get(PACKAGE.path(self.upstream, address)).status, 200)
        before = self.upstream.total()
        for entry, text, media_type in zip(
                listed, (sbom, json.dumps(about).encode()), ("application/json", "application/x-ndjson")):
            place = entry["url"].removeprefix(self.koya.url)
            self.assertTrue(place.startswith("/origin/"), entry)
            got = self.koya.get(place)
            self.assertEqual((got.status, got.body), (200, text))
            self.assertEqual(got.headers["Content-Type"], media_type)
        self.assertEqual(self.upstream.total(), before)
        self.assertEqual(self.koya.get(listed[0]["url"].removeprefix(self.koya.url) + ".cdx.json").status, 404)

    def test_attachments_that_are_left_out(self):
        for name, given, why in (
                ("text", "x", "not a list"), ("object", {"type": "sbom"}, "not a list"),
                ("number", [1], "not an object"), ("ending", [{"url": "/x.html"}], "name ends with"),
                ("plain", [{"url": "http://example.com/x.cdx.json"}], "https"),
                ("gone", [{"url": "/nothing.cdx.json"}], "404"),
                ("html", [self.attach("attached-html/demo", "x.cdx.json", b"<html>")], "JSON"),
                ("large", [self.attach("attached-large/demo", "x.cdx.json", b" " * (17 << 20))], "the limit is"),
                ("many", [self.attach("attached-many/demo", f"{n}.cdx.json", b'{"bomFormat":"CycloneDX"}')
                          for n in range(33)], "limits.attachments")):
            address = f"attached-{name}/demo"
            self.offer(address, attachments=given)
            document = self.koya.get(DOWNLOAD.path(self.upstream, address)).json()
            self.assertEqual(len(document.get("attachments", [])), 32 if name == "many" else 0, name)
            wait_until(lambda a=address: self.log_of(a), f"the log says why: {name}")
            self.assertIn(why, json.dumps(self.log_of(address)), name)
            self.assertEqual(self.koya.get(PACKAGE.path(self.upstream, address)).status, 200, name)

    def test_ten_thousand_versions(self):
        numbers = [f"{n // 100}.{n % 100}.0" for n in range(1, 10_001)]
        one = [{"os": "linux", "arch": "amd64"}]
        self.upstream.put(self.upstream.versions_path("many/demo"), {"versions": [
            {"version": each, "protocols": ["5.0"], "platforms": one} for each in numbers]})
        for face in LISTS:
            began = time.monotonic()
            self.assertCountEqual(listed(self.koya, face, self.upstream, "many/demo"), numbers)
            self.assertLess(time.monotonic() - began, 9)

    # ---- other bytes tomorrow

    def test_other_bytes_tomorrow(self):
        other = signed(unsigned("1.0.0", platforms=TWO, padding=b"# other\n"), author())
        path = self.upstream.file_path
        for name, faces in (("seen", (VERSION,)), ("described", (DOWNLOAD,)), ("held", (PACKAGE,))):
            with self.subTest(name):
                address = f"{name}-first/demo"
                self.offer(address)
                self.assertEqual(set(self.seen(address, *faces)), {200})
                self.upstream.listed.pop(address)
                self.offer(address, other)
                for face in (VERSION, DOWNLOAD, *SIGNED):
                    face.right(self.koya.get(face.path(self.upstream, address)), self.files)
                got = fetch(self.koya, PACKAGE.path(self.upstream, address))
                if name == "held":
                    self.assertEqual(got.body, self.files[ZIP])
                else:
                    self.assertIn(status(got), (CUT, 502))
                    self.assert_refusal_is_logged(address)
                self.upstream.listed.pop(address)
                self.offer(address)
                self.assert_all_right(self.upstream, address)
        self.assert_not_kept(other[ZIP])

    def assert_refusal_is_logged(self, address):
        def said():
            return [record for record in self.koya.log_records()
                    if f"{address} 1.0.0" in (text := json.dumps(record))
                    and "has changed upstream" in text and record["message"] != "request"]
        wait_until(said, "the log says that it was refused")

    def assert_not_kept(self, data):
        kept = [path.read_bytes() for path in (self.koya.data / "blobs").rglob("*")
                if path.is_file()]
        self.assertTrue(kept)
        self.assertNotIn(data, kept)


class Held(MirrorTestCase):
    """What is held is served, whatever befalls upstream."""

    ARGUMENTS = (*ALLOWED, "--upstream.timeout", "1s", "--upstream.breaker_failures", "100000")
    FAULTS = {"drop": drop, "hang": hang, "truncated": truncated, "page": answer(200, b"<html>"),
              "array": answer(200, b"[]"), **{f"status-{number}": answer(number) for number in
                                              (401, 403, 429, 500, 502, 503)}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream, cls.gone = cls.registry(), cls.registry()
        cls.koya = cls.mirror("data", cls.upstream, cls.gone)
        for name in ("fine", *cls.FAULTS):
            cls.hold(cls.upstream, f"{name}/demo")
        cls.hold(cls.gone, "acme/demo")
        # Lists are believed for a minute at least: these have been.
        cls.koya.stop()
        catalog = next(path for path in cls.koya.data.iterdir()
                       if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3")
        with contextlib.closing(sqlite3.connect(catalog)) as database, database:
            database.execute("UPDATE upstream_document SET checked_at = checked_at - 3600")
        cls.koya.start()

    @classmethod
    def hold(cls, upstream, address):
        upstream.add(address, cls.files, author())
        for face in (INDEX, PACKAGE):
            got = cls.koya.get(face.path(upstream, address))
            assert got.status == 200, got

    def assert_stale(self, upstream, address):
        for face in (INDEX, VERSIONS, VERSION, DOWNLOAD, PACKAGE, *SIGNED):
            got = self.koya.get(face.path(upstream, address))
            self.assertEqual(got.status, 200, f"{face.name}: {got}")
            face.right(got, self.files)
            warning = got.headers.get("Warning", "")
            self.assertEqual(warning.startswith("110 "), face in LISTS, f"{face.name}: {warning}")

    def test_faults(self):
        for name, fault in self.FAULTS.items():
            with self.subTest(name):
                self.upstream.faults[self.upstream.versions_path(f"{name}/demo")] = fault
                for place in (self.upstream.file_path(f"{name}/demo", ZIP),
                              self.upstream.download_path(f"{name}/demo")):
                    self.upstream.faults[place] = fault
                self.assert_stale(self.upstream, f"{name}/demo")

    def test_off_and_on_again(self):
        self.gone.off()
        self.assert_stale(self.gone, "acme/demo")
        self.gone.on()
        newer = koya_provider.release("1.1.0", author(), platforms=TWO)
        self.gone.add("acme/demo", newer, author(), version="1.1.0")

        def both():
            return set(listed(self.koya, INDEX, self.gone, "acme/demo")) == {"1.0.0", "1.1.0"}
        wait_until(both, "recovery is noticed")
        got = self.koya.get(VERSIONS.path(self.gone, "acme/demo"))
        self.assertNotIn("Warning", got.headers)

    def test_a_list_that_was_asked_for_again_is_not_marked(self):
        got = self.koya.get(INDEX.path(self.upstream, "fine/demo"))
        self.assertNotIn("Warning", got.headers)
        self.assertEqual(self.upstream.asked(self.upstream.versions_path("fine/demo")), 2)


class Breaker(MirrorTestCase):
    ARGUMENTS = (*ALLOWED, "--upstream.breaker_failures", "2")

    def test_a_registry_that_keeps_failing_is_left_alone(self):
        upstream = self.registry()
        koya = self.mirror("data", upstream)
        upstream.add("acme/demo", self.files, author())
        path = upstream.versions_path("acme/demo")
        upstream.faults[path] = answer(500)
        seen = [koya.get(INDEX.path(upstream, "acme/demo")) for _ in range(6)]
        self.assertEqual([got.status for got in seen], [502, 502, 503, 503, 503, 503])
        for got in seen[2:]:
            self.assertIn(int(got.headers["Retry-After"]), range(1, 31))
            self.assertTrue(got.errors())
        self.assertEqual(upstream.asked(path), 4)  # each of the two was tried once more
        koya.stop()


class Policy(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        for address in ("good/demo", "bad/demo", "held/demo"):
            cls.upstream.add(address, cls.files, author())

    def assert_denied(self, koya, address, word):
        got = koya.get(INDEX.path(self.upstream, address))
        self.assertEqual(got.status, 404, got)
        got = koya.get(VERSION.path(self.upstream, address))
        self.assertEqual((got.status, got.json()), (200, {"archives": {}}))
        got = koya.get(VERSIONS.path(self.upstream, address))
        self.assertEqual((got.status, got.json()["versions"]), (200, []))
        self.assertIn(word, " ".join(got.json()["warnings"]))
        for face in (DOWNLOAD, PACKAGE, *SIGNED):
            got = koya.get(face.path(self.upstream, address))
            self.assertEqual(got.status, 403, f"{face.name}: {got}")
            self.assertIn(word, got.errors())

    def test_deny_and_allow(self):
        self.koya = self.mirror("data", self.upstream)
        self.assert_all_right(self.upstream, "held/demo")
        arguments = self.koya.arguments
        for setting, rules in (("deny", f"{self.upstream.host}/bad/*,*/HELD/demo"),
                               ("allow", f"{self.upstream.host}/good/*")):
            with self.subTest(setting):
                self.koya.stop()
                self.koya.arguments = (*arguments, f"--policy.{setting}", rules)
                self.koya.start()
                before = self.upstream.total()
                for address in ("bad/demo", "held/demo"):
                    self.assert_denied(self.koya, address, f"policy.{setting}")
                self.assertEqual(self.upstream.total(), before)
                self.assert_all_right(self.upstream, "good/demo")


class Crowd(MirrorTestCase):
    """Many clients, and curious ones, while a package arrives."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", cls.upstream)
        noise = random.Random(1).randbytes(BIG)
        binary = {koya_provider.BINARY: noise}
        zips = {ZIP: package(binary, koya_provider.zipfile.ZIP_STORED)}
        cls.big = signed(zips, author())

    def cold(self, name):
        """A release whose documents are known, and whose zip is not here; (its path, our path)."""
        address = f"{name}/demo"
        self.upstream.add(address, self.big, author())
        self.assertEqual(self.koya.get(VERSION.path(self.upstream, address)).status, 200)
        return self.upstream.file_path(address, ZIP), PACKAGE.path(self.upstream, address)

    def test_fifty_at_once(self):
        theirs, ours = self.cold("crowd")
        digest = hashlib.sha256(self.big[ZIP]).hexdigest()

        def client(_):
            return hashlib.sha256(self.koya.request("GET", ours, timeout=90).body).hexdigest()
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            got = set(pool.map(client, range(50)))
        self.assertEqual(got, {digest})
        self.assertEqual(self.upstream.asked(theirs), 1)

    def test_fifty_ask_for_a_list_at_once(self):
        self.upstream.add("lists/demo", self.files, author())
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            got = list(pool.map(lambda _: self.koya.get(INDEX.path(self.upstream, "lists/demo")),
                                range(50)))
        self.assertEqual({each.status for each in got}, {200})
        self.assertEqual(self.upstream.asked(self.upstream.versions_path("lists/demo")), 1)

    def during_a_fill(self, name):
        """Half of the zip has come; (gate that lets the rest come, our path)."""
        theirs, ours = self.cold(name)
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.upstream.faults[theirs] = held(gate)
        return theirs, ours, gate

    def test_head_range_and_first_bytes_during_a_fill(self):
        theirs, ours, gate = self.during_a_fill("during")
        data, size = self.big[ZIP], len(self.big[ZIP])
        with contextlib.closing(self.koya.connection()) as first:
            first.request("GET", ours)
            arriving = first.getresponse()
            self.assertEqual(arriving.status, 200)
            self.assertEqual(arriving.headers["Content-Length"], str(size))
            begun = arriving.read(1 << 20)  # bytes come before all have come
            self.assertEqual(begun, data[:1 << 20])
            head = self.koya.request("HEAD", ours)
            self.assertEqual((head.status, head.headers["Content-Length"]), (200, str(size)))
            self.assertEqual(head.body, b"")
            part = self.koya.get(ours, {"Range": "bytes=1000-1999"})
            self.assertEqual((part.status, part.body), (206, data[1000:2000]))
            self.assertEqual(part.headers["Content-Range"], f"bytes 1000-1999/{size}")
            beyond = self.koya.get(ours, {"Range": f"bytes={size}-"})
            self.assertEqual(beyond.status, 416)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                tail = pool.submit(self.koya.get, ours, {"Range": "bytes=-1000"})
                time.sleep(0.2)
                self.assertFalse(tail.done(), "it cannot be known yet")
                gate.set()
                self.assertEqual((tail.result().status, tail.result().body), (206, data[-1000:]))
            self.assertEqual(begun + arriving.read(), data)
        self.assertEqual(self.upstream.asked(theirs), 1)

    def test_it_goes_on_when_the_first_client_leaves(self):
        theirs, ours, gate = self.during_a_fill("leaves")
        first = self.koya.connection()
        first.request("GET", ours)
        first.getresponse().read(1 << 20)
        first.close()
        gate.set()
        self.assertEqual(self.koya.get(ours).body, self.big[ZIP])
        self.assertEqual(self.upstream.asked(theirs), 1)

    def test_all_are_cut_off_when_the_end_is_wrong(self):
        theirs, ours = self.cold("wrong")
        self.upstream.faults[theirs] = flipped
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            got = list(pool.map(lambda _: fetch(self.koya, ours, timeout=60), range(10)))
        self.assertLessEqual({status(each) for each in got}, {CUT, 502})
        self.assertIn(CUT, got)
        del self.upstream.faults[theirs]
        self.assertEqual(self.koya.get(ours).body, self.big[ZIP])


if __name__ == "__main__":
    koya_e2e.main()
