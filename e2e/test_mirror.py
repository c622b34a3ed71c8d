"""What clients see, and what is kept, when the registry that Koya mirrors is in trouble or lies.

Every row of the tables is a fault of a scripted registry: it is asked for through both faces,
/mirror/ and /origin/, and then, with the fault gone, everything must be there and be right.
"""
import collections
import concurrent.futures
import json
import time

import koya_e2e
import koya_upstream
from koya_e2e import wait_until
from koya_mirror import (ALL, ALLOWED, CUT, DOWNLOAD, INDEX, PACKAGE, RELEASES, SIGNED, VERSION,
                         VERSIONS, MirrorTestCase, fetch, status)
from koya_provider import SIGNATURE, SUMS, ZIP, author
from koya_upstream import (answer, drop, extended, flipped, hang, hang_within, longer, redirect,
                           redirect_to_itself, trickle, truncated)

ROWS_AT_ONCE = 8
NO_BREAKER = ("--upstream.breaker_failures", "100000")
CLIENT_PATIENCE = 9  # seconds; a client gives up after ten

# The first two of every place are one of /mirror/ and one of /origin/.
BEFORE_FILES = (INDEX, VERSIONS, VERSION, DOWNLOAD)

# Where a fault lies: the path at the upstream, and the faces that meet it.
PLACES = {
    "discovery": (lambda up, address: koya_upstream.DISCOVERY, BEFORE_FILES),
    "versions": (lambda up, address: up.versions_path(address), BEFORE_FILES),
    "download": (lambda up, address: up.download_path(address), RELEASES),
    "sums": (lambda up, address: up.file_path(address, SUMS), RELEASES),
    "signature": (lambda up, address: up.file_path(address, SIGNATURE), RELEASES),
    "zip": (lambda up, address: up.file_path(address, ZIP), (PACKAGE,)),
}

Row = collections.namedtuple("Row", "name place fault seen")


def everywhere(name, fault, seen, places):
    return [Row(name, place, fault, seen) for place in places]


DOCUMENTS = ("discovery", "versions", "download")
FETCHED = (*DOCUMENTS, "sums", "signature")
HTML = answer(200, b"<!DOCTYPE html><title>Sign in</title>", "text/html")
NEVER_WHOLE = {CUT, 502}  # which of the two depends on how far the bytes had come

STATUSES = [row for number, seen in ((401, 502), (403, 502), (404, 404), (410, 404),
                                     (500, 502), (501, 502), (502, 502), (503, 502), (204, 502))
            for row in everywhere(f"{number}", answer(number, b""), seen, DOCUMENTS)]
STATUSES += [row for number in (401, 404, 500)
             for row in everywhere(f"{number}", answer(number, b""), 502, ("sums", "signature"))]
STATUSES += [Row(f"{number}", "zip", answer(number, b"no"), seen)
             for number, seen in ((401, 502), (403, 502), (404, 502), (410, 502), (500, 502),
                                  (503, 502), (204, 502), (206, 502))]
STATUSES += everywhere("429", answer(429, b"", Retry_After="30"), 503, (*FETCHED, "zip"))

CONTENTS = [
    *everywhere("a page", HTML, 502, FETCHED),
    Row("a page", "zip", HTML, NEVER_WHOLE),
    *everywhere("nothing", answer(200, b""), 502, FETCHED),
    Row("nothing", "zip", answer(200, b""), NEVER_WHOLE),
    *everywhere("an array", answer(200, b"[]"), 502, DOCUMENTS),
    *everywhere("null", answer(200, b"null"), 502, DOCUMENTS),
    *everywhere("two documents", answer(200, b"{}{}"), 502, DOCUMENTS),
    *everywhere("nested too deep", answer(200, b"[" * 100_000), 502, DOCUMENTS),
    *everywhere("cut off", truncated, 502, FETCHED),
    *everywhere("dropped", drop, 502, (*FETCHED, "zip")),
    Row("a page that says it is JSON", "versions", answer(200, b"<html>"), 502),
    Row("no media type", "discovery", answer(200, b"{}", ""), 502),
    Row("text/json", "discovery", answer(200, b"{}", "text/json"), 502),
    Row("2 MiB", "discovery", answer(200, b'{"x":"' + b"x" * (2 << 20) + b'"}'), 502),
    Row("another shasum", "download", None, 502),
    Row("truncated", "zip", truncated, NEVER_WHOLE),
    Row("another last byte", "zip", flipped, NEVER_WHOLE),
    Row("longer than the documents say", "zip", extended, NEVER_WHOLE),
    Row("packed once more", "zip", answer(200, b"\x1f\x8b", Content_Encoding="gzip"), 502),
    Row("one byte of it is another", "sums", flipped, 502),
    Row("one byte of it is another", "signature", flipped, 502),
]


def own_registries(rows, most=None):
    """How many: discovery is remembered for the whole host, so each asks another one."""
    return len(BEFORE_FILES[:most]) * sum(row.place == "discovery" for row in rows)


class FaultTable(MirrorTestCase):
    """One server and one registry; a row has a namespace of its own, and for faults of the whole
    registry a registry of its own."""

    OWN_REGISTRIES = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.own = [cls.registry() for _ in range(cls.OWN_REGISTRIES)]
        cls.koya = cls.mirror("data", cls.upstream, *cls.own)

    # ---- rows

    def run_rows(self, rows, most=None):
        """All rows, seen in all their faces or the first of them; some at a time."""
        own = iter(self.own)
        jobs = []
        for number, row in enumerate(rows):
            for face in PLACES[row.place][1][:most]:
                upstream = next(own) if row.place == "discovery" else self.upstream
                jobs.append((row, face, upstream, f"row{number}-{len(jobs)}/demo"))
        with concurrent.futures.ThreadPoolExecutor(ROWS_AT_ONCE) as pool:
            outcomes = [pool.submit(self.run_row, *job) for job in jobs]
        for (row, face, *_), outcome in zip(jobs, outcomes):
            with self.subTest(f"{row.place}: {row.name}, seen in {face.name}"):
                outcome.result()

    def run_row(self, row, face, upstream, address):
        upstream.add(address, self.files, author())
        path = PLACES[row.place][0](upstream, address)
        self.break_it(row, upstream, path)
        began = time.monotonic()
        got = fetch(self.koya, face.path(upstream, address))
        took = time.monotonic() - began
        self.assert_seen(row, face, got)
        self.assertLess(took, CLIENT_PATIENCE)
        self.assertGreater(upstream.asked(path), 0, "the fault was never met")
        self.mend(upstream, path)
        self.assert_all_right(upstream, address, (face, PACKAGE))

    def break_it(self, row, upstream, path):
        if row.fault is None:
            document = json.loads(upstream.goods[path].body)
            upstream.faults[path] = answer(
                200, json.dumps({**document, "shasum": "0" * 64}).encode())
        else:
            upstream.faults[path] = row.fault

    def mend(self, upstream, path):
        del upstream.faults[path]

    def assert_seen(self, row, face, got):
        if face is VERSION and row.seen == 404:
            # A 404 here would keep clients from asking anywhere else.
            self.assertEqual((status(got), got != CUT and got.json()), (200, {"archives": {}}))
            return
        expected = row.seen if isinstance(row.seen, set) else {row.seen}
        self.assertIn(status(got), expected, got)
        if got == CUT:
            return
        if got.status >= 400:
            self.assertTrue(got.errors())
        if got.status == 503:
            self.assertEqual(got.headers["Retry-After"], "30")


class Statuses(FaultTable):
    ARGUMENTS = (*ALLOWED, *NO_BREAKER)
    OWN_REGISTRIES = own_registries(STATUSES)

    def test_statuses(self):
        self.run_rows(STATUSES)
        self.assert_only_ours_is_kept()


class Contents(FaultTable):
    ARGUMENTS = (*ALLOWED, *NO_BREAKER)
    OWN_REGISTRIES = own_registries(CONTENTS, 2)

    def test_contents(self):
        self.run_rows(CONTENTS, 2)
        self.assert_only_ours_is_kept()
        said = " ".join(record.get("detail", "") + record.get("message", "")
                        for record in self.koya.log_records())
        self.assertIn("has changed upstream", said)

    def test_a_dropped_connection_and_a_passing_error_are_tried_once_more(self):
        for number, fault in enumerate((drop, answer(500), answer(502), answer(503), answer(429))):
            with self.subTest(number):
                address = f"once-{number}/demo"
                self.upstream.add(address, self.files, author())
                path = self.upstream.versions_path(address)

                def first(handler, good, path=path, fault=fault):
                    del self.upstream.faults[path]
                    fault(handler, good)

                self.upstream.faults[path] = first
                got = self.koya.get(INDEX.path(self.upstream, address))
                self.assertEqual(got.status, 200, got)
                self.assertEqual(self.upstream.asked(path), 2)

    def test_more_bytes_than_announced(self):
        self.upstream.add("longer/demo", self.files, author())
        self.upstream.faults[self.upstream.file_path("longer/demo", ZIP)] = longer
        got = fetch(self.koya, PACKAGE.path(self.upstream, "longer/demo"))
        if got != CUT and got.status == 200:  # what was announced is all there
            self.assertEqual(got.body, self.files[ZIP])
        self.upstream.faults.clear()
        self.assert_all_right(self.upstream, "longer/demo")

    def test_more_bytes_than_packages_says(self):
        self.upstream.add("sized/demo", self.files, author(), packages=True)
        path = self.upstream.file_path("sized/demo", ZIP)
        self.upstream.faults[path] = extended
        self.assertIn(status(fetch(self.koya, PACKAGE.path(self.upstream, "sized/demo"))),
                      NEVER_WHOLE)
        self.upstream.faults.clear()
        self.assert_all_right(self.upstream, "sized/demo")


HANGING = [
    *everywhere("hangs before its head", hang, 504, FETCHED),
    *everywhere("hangs in its body", hang_within, 504, FETCHED),
    *everywhere("trickles", trickle(40, 0.3), 504, FETCHED),
    Row("hangs before its head", "zip", hang, 504),
    Row("hangs in its body", "zip", hang_within, {CUT, 504}),
]


class Hanging(FaultTable):
    ARGUMENTS = (*ALLOWED, *NO_BREAKER, "--upstream.timeout", "2s")
    OWN_REGISTRIES = own_registries(HANGING, 2)

    def test_hanging(self):
        self.run_rows(HANGING, 2)
        self.assert_only_ours_is_kept()

    def test_an_archive_that_trickles_arrives(self):
        self.upstream.add("slow/demo", self.files, author())
        self.upstream.faults[self.upstream.file_path("slow/demo", ZIP)] = trickle(6, 0.6)
        got = self.koya.get(PACKAGE.path(self.upstream, "slow/demo"))
        self.assertEqual(got.body, self.files[ZIP])


REDIRECTS = [row for name, fault in (
    ("in circles", redirect_to_itself), ("nowhere", redirect("")),
    ("to http", redirect("http://127.0.0.1:1/x")), ("to a file", redirect("file:///etc/passwd")),
    ("to ftp", redirect("ftp://127.0.0.1/x")), ("with a password", redirect("https://u:p@[::1]/x")),
    ("to a private address", lambda handler, good: redirect(
        f"https://127.0.0.2:{handler.upstream.elsewhere}/x")(handler, good)),
) for row in everywhere(f"redirected {name}", fault, 502, (*FETCHED, "zip"))]


class Crowd(MirrorTestCase):
    """Registries that hang, many of them, beside one that answers."""

    HOSTS = 64
    # Longer than the test: whoever hangs at its end has hung all the time.
    ARGUMENTS = (*ALLOWED, *NO_BREAKER, "--upstream.timeout", "25s")

    def test_a_healthy_registry_answers_beside_64_that_hang(self):
        silent = [self.registry(shake_hands=False) for _ in range(self.HOSTS)]
        healthy = self.registry()
        healthy.add("acme/demo", self.files, author())
        self.koya = self.mirror("data", healthy, *silent)
        with concurrent.futures.ThreadPoolExecutor(self.HOSTS) as pool:
            hanging = [pool.submit(fetch, self.koya, INDEX.path(each, "acme/demo"))
                       for each in silent]
            wait_until(lambda: all(each.connections for each in silent), "all are being waited for")
            began = time.monotonic()
            self.assert_all_right(healthy, "acme/demo")
            took = time.monotonic() - began
            self.assertFalse([each for each in hanging if each.done()],
                             "the answers came after those that hang")
            print(f"{len(ALL)} cold answers beside {self.HOSTS} registries that hang: {took:.2f} s")
            for each in silent:
                each.off()


class Redirects(FaultTable):
    ARGUMENTS = (*ALLOWED, *NO_BREAKER)
    OWN_REGISTRIES = own_registries(REDIRECTS, 2)

    def test_redirects_that_are_not_followed(self):
        elsewhere = self.registry("127.0.0.2")
        for upstream in (self.upstream, *self.own):
            upstream.elsewhere = elsewhere.port
        self.run_rows(REDIRECTS, 2)
        self.assertEqual(elsewhere.connections, 0)
        self.assert_only_ours_is_kept()

    def test_redirects_that_are_followed(self):
        for place in ("versions", "download", "sums", "signature", "zip"):
            with self.subTest(place):
                address = f"moved-{place}/demo"
                self.upstream.add(address, self.files, author())
                path = PLACES[place][0](self.upstream, address)
                self.upstream.goods["/moved" + path] = self.upstream.goods[path]
                self.upstream.faults[path] = redirect("/moved" + path)
                self.assert_all_right(self.upstream, address)


class Unreachable(MirrorTestCase):
    """Registries that are not there, come back, and may not be gone to."""

    ARGUMENTS = (*ALLOWED, *NO_BREAKER, "--upstream.timeout", "1s")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.down, cls.silent = cls.registry(), cls.registry(shake_hands=False)
        cls.koya = cls.mirror("data", cls.down, cls.silent)

    def assert_everywhere(self, upstream, expected, koya=None):
        for face in (INDEX, VERSION, VERSIONS, DOWNLOAD, PACKAGE):
            with self.subTest(face.name):
                got = (koya or self.koya).get(face.path(upstream, "acme/demo"))
                self.assertEqual(got.status, expected, got)
                self.assertTrue(got.errors())

    def test_refused_and_back(self):
        self.down.add("acme/demo", self.files, author())
        self.down.off()
        self.assert_everywhere(self.down, 502)
        self.down.on()
        self.assert_all_right(self.down, "acme/demo")

    def test_never_shakes_hands(self):
        self.assert_everywhere(self.silent, 504)

    def test_unknown_host(self):
        for upstream in (self.registry(), self.registry("127.0.0.2")):
            upstream.add("acme/demo", self.files, author())
            for face in (INDEX, VERSIONS, DOWNLOAD, PACKAGE, *SIGNED):
                got = self.koya.get(face.path(upstream, "acme/demo"))
                self.assertEqual(got.status, 404, got)
                self.assertIn("upstream.hosts", got.errors())
            got = self.koya.get(VERSION.path(upstream, "acme/demo"))
            self.assertEqual((got.status, got.json()), (200, {"archives": {}}))
            self.assertEqual(upstream.connections, 0)

    def test_private_addresses_and_names_that_lead_to_them(self):
        own = self.registry()
        own.add("acme/demo", self.files, author())
        name = f"localhost:{own.port}"
        koya = self.mirror("private", own, name, arguments=())
        own.connections = 0
        self.assert_everywhere(own, 502, koya)
        for path in ("mirror/{}/acme/demo/index.json", "origin/{}/v1/providers/acme/demo/versions"):
            got = koya.get("/" + path.format(name))
            self.assertEqual(got.status, 502, got)
            self.assertIn("upstream.allow_private_addresses", got.errors())
        self.assertEqual(own.connections, 0)
        koya.stop()


if __name__ == "__main__":
    koya_e2e.main()
