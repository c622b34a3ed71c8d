"""A database that hangs, or is locked by another program: what is held is served, the rest is told why,
and all goes on by itself afterwards."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time
import unittest
import urllib.error
import urllib.request

import koya_e2e
import koya_provider
import koya_upstream
from koya_e2e import wait_until
from koya_sign_in import PASSWORD, Browser, SecureServer
from test_postgres import POSTGRES, Postgres

READ_SECONDS, WRITE_SECONDS = 2, 3
TIMEOUTS = ("--catalog.read_timeout", f"{READ_SECONDS}s", "--catalog.write_timeout",
            f"{WRITE_SECONDS}s")
# Beside the deadlines themselves; the machine may have other things to do.
SPARE_SECONDS = 10
RECOVERY_SECONDS = 30
BEGINS = "the catalog does not respond"
STALE_SECONDS = 6
MARK = '111 koya "Catalog Unreachable"'
IS_OVER = "the catalog responds again"
TOKENS = "/api/v1/tokens"  # which only a token opens


def processes_of(pid):
    """A process and its children; PostgreSQL has no grandchildren."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


@contextlib.contextmanager
def frozen(pid):
    os.kill(pid, signal.SIGSTOP)  # first: it starts no more children
    pids = processes_of(pid)
    try:
        for each in pids:
            os.kill(each, signal.SIGSTOP)
        yield
    finally:
        for each in pids:
            os.kill(each, signal.SIGCONT)


def operations(server, path):
    """The status, and the body, of the operator's listener."""
    try:
        with urllib.request.urlopen(server.dev_environment["KOYA_METRICS"] + path,
                                    timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read()


def timed(function, *arguments):
    begun = time.monotonic()
    result = function(*arguments)
    return result, time.monotonic() - begun


class CatalogInTrouble(koya_e2e.TestCase):
    def archive(self, text):
        return koya_e2e.tar_gz({"main.tf": f"# {text}\n"})

    def put(self, address, text):
        return self.koya.request("PUT", f"/api/v1/modules/{address}/1.0.0", self.archive(text),
                                 token=self.token)

    def versions(self, address):
        return self.koya.get(f"/v1/modules/{address}/versions")

    def publish(self, address):
        answer = self.put(address, address)
        self.assertEqual(answer.status, 201, answer)

    def told(self, words):
        return [record for record in self.koya.log_records()
                if record.get("message", "").startswith(words)]

    def last_used(self, name):
        tokens = self.koya.request("GET", TOKENS, token=self.token).json()["tokens"]
        return next(each for each in tokens if each["name"] == name)["last_used"]

    def assert_unavailable(self, answer):
        self.assertEqual(answer.status, 503, answer)
        self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        self.assertIn("server's", answer.errors())


@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class PostgresHangs(CatalogInTrouble):
    def setUp(self):
        super().setUp()
        (self.folder / "postgres").mkdir()
        self.postgres = self.enterContext(Postgres(self.folder / "postgres"))
        self.koya = self.server("--catalog.url", self.postgres.url, *TIMEOUTS)
        self.token = self.koya.token

    def test_what_is_held_is_served_and_the_rest_told_why_until_all_goes_on(self):
        for name in ("kept", "unasked"):
            self.publish(f"acme/{name}/aws")
        self.assertEqual(self.versions("acme/kept/aws").status, 200)
        archive = self.koya.archive_path("acme/kept/aws", "1.0.0")
        self.assertEqual(self.koya.get(archive).status, 200)
        self.assertEqual(operations(self.koya, "/readyz"),
                         (200, b'{"ready":true,"reasons":[]}\n'))

        with frozen(self.postgres.process.pid):
            self.while_it_hangs(archive)

        wait_until(lambda: operations(self.koya, "/readyz")[0] == 200, "ready again",
                   RECOVERY_SECONDS)
        answer = wait_until(lambda: self.stored("acme/doubt/aws"), "publishing works again",
                            RECOVERY_SECONDS)
        self.assertIn(answer.status, (200, 201))
        for name in ("kept", "unasked", "doubt"):
            self.assertEqual(self.versions(f"acme/{name}/aws").status, 200, name)
        self.assertEqual(self.koya.download("acme/doubt/aws", "1.0.0"),
                         self.archive("acme/doubt/aws"))
        wait_until(lambda: self.told(IS_OVER), "the log says that it is over")
        self.assertEqual([len(self.told(words)) for words in (BEGINS, IS_OVER)], [1, 1])

    def test_a_token_that_cannot_be_checked_counts_as_none_for_public_things(self):
        self.publish("acme/kept/aws")
        path = "/v1/modules/acme/kept/aws/versions"
        unknown = "koya_" + "a" * 43
        self.assertEqual(self.koya.get(path, token=self.token).status, 200)
        self.assertEqual(self.koya.get(path, token=unknown).status, 401)
        with frozen(self.postgres.process.pid):
            for secret in (self.token, unknown):
                self.assertEqual(self.koya.get(path, token=secret).status, 200)
            self.assertEqual(self.koya.get(path, token="koya_short").status, 401)
            self.assert_unavailable(self.koya.get(TOKENS, token=self.token))
        wait_until(lambda: self.koya.get(path, token=unknown).status == 401,
                   "tokens are checked again", RECOVERY_SECONDS)

    def test_what_is_private_is_told_to_be_out_of_reach_and_never_to_be_absent(self):
        self.publish("acme/kept/aws")
        answer = self.koya.request("PUT", "/api/v1/namespaces/acme", b'{"visibility":"private"}',
                                   token=self.token)
        self.assertIn(answer.status, (200, 201), answer)
        path = "/v1/modules/acme/kept/aws/versions"
        document = self.koya.get("/v1/modules/acme/kept/aws/1.0.0/download", token=self.token)
        url = document.headers["X-Terraform-Get"].partition("&checksum=")[0]
        archive = url.removeprefix(self.koya.url)
        self.assertIn("sig=", archive)
        self.assertEqual(self.koya.get(archive).status, 200)
        self.assertEqual(self.koya.get(path).status, 404)
        with frozen(self.postgres.process.pid):
            self.assertEqual(self.koya.get(archive).status, 200, "the URL alone decides")
            altered = archive.replace("/kept/", "/kep/")
            self.assertEqual(self.koya.get(altered).status, 403)
            answer = wait_until(lambda: self.unless_ok(self.koya.get(path, token=self.token)),
                                "the token counts no longer")
            self.assert_unavailable(answer)
        wait_until(lambda: self.koya.get(path, token=self.token).status == 200,
                   "the token is checked again", RECOVERY_SECONDS)

    def test_where_strangers_read_nothing_a_token_that_cannot_be_checked_is_no_strangers(self):
        strict = self.server("--catalog.url", self.postgres.url, *TIMEOUTS,
                             "--access.anonymous", "none")
        path = "/v1/modules/acme/kept/aws/versions"
        self.publish("acme/kept/aws")
        self.assertEqual(strict.get(path, token=self.token).status, 200)
        with frozen(self.postgres.process.pid):
            # What was checked a moment ago counts for a second.
            answer = wait_until(lambda: self.unless_ok(strict.get(path, token=self.token)),
                                "the token counts no longer")
            self.assert_unavailable(answer)
            self.assertEqual(strict.get(path).status, 401)
        wait_until(lambda: strict.get(path, token=self.token).status == 200,
                   "the token is checked again", RECOVERY_SECONDS)

    def test_what_is_held_is_marked_while_the_database_is_away_and_given_for_so_long_only(self):
        koya = self.beside("stale", "--catalog.serve_stale", f"{STALE_SECONDS}s")
        self.token = koya.token  # its start replaced the other's
        answer = koya.put_module("acme/kept/aws", "1.0.0", self.archive("kept"), token=self.token)
        self.assertEqual(answer.status, 201, answer)
        paths = ("/v1/modules/acme/kept/aws/versions", "/v1/modules/acme/kept/aws/1.0.0/download")
        for path in paths:
            answer = koya.get(path)
            self.assertIn(answer.status, (200, 204), answer)
            self.assertIsNone(answer.headers["Warning"], answer)
        archive = koya.archive_path("acme/kept/aws", "1.0.0")
        self.assertEqual(koya.get(archive).status, 200)
        with frozen(self.postgres.process.pid):
            for path in paths:
                answer = wait_until(lambda: self.marked(koya.get(path)), "the answer is marked",
                                    RECOVERY_SECONDS)
                self.assertEqual(answer.headers["Warning"], MARK)
            self.assertIsNone(koya.get("/.well-known/terraform.json").headers["Warning"])
            seen = set()

            def is_over():
                answer = koya.get(paths[0])
                seen.add(answer.status)
                return answer if answer.status == 503 else None

            self.assert_unavailable(wait_until(is_over, "it is too old", RECOVERY_SECONDS))
            self.assertEqual(seen, {200, 503}, "and never anything else")
            self.assertEqual(koya.get(archive).status, 200, "archives go on")
            self.assertEqual(operations(koya, "/readyz?degraded=1")[0], 503)
            self.assertEqual(koya.get("/.well-known/terraform.json").status, 200)
        for path in paths:
            wait_until(lambda: koya.get(path).status in (200, 204) and
                       not koya.get(path).headers["Warning"], "it is as before", RECOVERY_SECONDS)

    def beside(self, name, *arguments):
        """Another server on the same database."""
        return self.server("--catalog.url", self.postgres.url, *TIMEOUTS, "--server.secret_file",
                           str(self.folder / "data/server.secret"), *arguments, name=name)

    def marked(self, answer):
        self.assertIn(answer.status, (200, 204), answer)
        return answer if answer.headers["Warning"] else None

    def test_a_token_that_was_checked_counts_for_the_time_that_was_asked_for(self):
        koya = self.beside("grace", "--access.offline_grace", "10m")
        token = koya.token
        answer = koya.put_module("acme/secret/aws", "1.0.0", self.archive("secret"), token=token)
        self.assertEqual(answer.status, 201, answer)
        answer = koya.request("PUT", "/api/v1/namespaces/acme", b'{"visibility":"private"}',
                              token=token)
        self.assertIn(answer.status, (200, 201), answer)
        path = "/v1/modules/acme/secret/aws/versions"
        browser = self.signed_in(koya, "ada")
        self.await_changes(koya)  # each of which may have it look again
        self.assertEqual(koya.get(path, token=token).status, 200)
        self.assertEqual(koya.get(path).status, 404)
        self.assertEqual(browser.open(koya.url).status, 200)
        with frozen(self.postgres.process.pid):
            answer = wait_until(lambda: self.marked(koya.get(path, token=token)),
                                "the database is away", RECOVERY_SECONDS)
            page = browser.open(koya.url)
            self.assertEqual(page.status, 200, page)
            self.assertIn("ada", page.text)
            self.assert_unavailable(koya.get(path, token="koya_" + "a" * 43))
            self.assert_unavailable(koya.put_module("acme/new/aws", "1.0.0", self.archive("new"),
                                                    token=token))
            grace = "tokens that were checked before stay valid without the catalog"
            wait_until(lambda: any(each.get("message") == grace for each in koya.log_records()),
                       "the log says so")
            wait_until(lambda: b"tokens that were checked stay valid for another" in
                       operations(koya, "/readyz?degraded=1")[1], "so does the operator's page",
                       RECOVERY_SECONDS)
            self.assertEqual(operations(koya, "/readyz?degraded=1")[0], 200)
            self.assertEqual(operations(koya, "/readyz")[0], 503)

    def await_changes(self, koya):
        """Until the server has read all changes that were made before."""
        begun = time.monotonic()

        def read_since():
            text = operations(koya, "/metrics")[1].decode()
            age = re.search(r"^koya_change_feed_age_seconds ([0-9.e+-]+)$", text, re.MULTILINE)
            return time.monotonic() - float(age[1]) > begun + 1

        wait_until(read_since, "the changes are known", RECOVERY_SECONDS)

    def add_person(self, koya, name):
        answer = koya.request("POST", "/api/v1/users", json.dumps({"name": name}),
                              token=koya.token)
        self.assertEqual(answer.status, 201, answer)
        answer = koya.request("PUT", f"/api/v1/users/{name}/password",
                              json.dumps({"password": PASSWORD}), token=koya.token)
        self.assertIn(answer.status, (200, 204), answer)

    def signed_in(self, koya, name):
        """The browser of somebody whose page says so."""
        self.add_person(koya, name)
        browser = Browser(koya.data / "dev/ca.pem")
        browser.open(f"{koya.url}/login")
        self.assertIn(name, browser.sign_in(name, PASSWORD).text)
        return browser

    def test_a_database_that_is_read_only_is_read(self):
        self.publish("acme/kept/aws")
        archive = self.koya.archive_path("acme/kept/aws", "1.0.0")
        self.read_only("on")
        answer = wait_until(lambda: self.unless(201, self.put("acme/new/aws", "new")),
                            "nothing is taken any more", RECOVERY_SECONDS)
        self.assert_unavailable(answer)
        self.assertIn("read-only", answer.errors())
        for path, token in ((archive, None), ("/v1/modules/acme/kept/aws/versions", None),
                            ("/v1/modules/acme/kept/aws/1.0.0", None), (TOKENS, self.token)):
            answer = self.koya.get(path, token=token)
            self.assertEqual(answer.status, 200, answer)
            self.assertIsNone(answer.headers["Warning"], path)
        self.assertEqual(operations(self.koya, "/readyz")[0], 200)
        self.read_only("off")
        wait_until(lambda: self.put("acme/newer/aws", "newer").status == 201, "it takes changes",
                   RECOVERY_SECONDS)

    def test_while_it_is_read_only_nothing_is_pinned_and_no_use_is_noted(self):
        """Public things, a token's use, signing in and what other registries have."""
        upstream = koya_upstream.Upstream()
        self.addCleanup(upstream.off)
        author = koya_provider.author()
        files = {version: upstream.add("acme/demo", koya_provider.release(version, author), author,
                                       version=version) for version in ("1.0.0", "2.0.0")}
        koya = SecureServer(self.folder / "secure", "--catalog.url", self.postgres.url, *TIMEOUTS,
                            "--server.secret_file", str(self.folder / "data/server.secret"),
                            "--upstream.hosts", upstream.host, "--upstream.ca_file",
                            str(koya_upstream.certificate()[1]),
                            "--upstream.allow_private_addresses", "127.0.0.1/32")
        self.addCleanup(koya.__exit__)
        koya.start()
        self.publish("acme/kept/aws")
        self.add_person(self.koya, "ada")
        made = self.koya.request("POST", "/api/v1/tokens", '{"name": "reader", "scope": "read"}',
                                 token=self.token)
        self.assertEqual(made.status, 201, made)
        place = f"/mirror/{upstream.host}/acme/demo"
        self.assertEqual(koya.get(f"{place}/1.0.0.json").status, 200)  # pins it
        browser = Browser(koya.ca)
        browser.open(f"{koya.url}/login")

        self.read_only("on")
        wait_until(lambda: self.unless(201, self.put("acme/new/aws", "new")),
                   "nothing is taken any more", RECOVERY_SECONDS)
        document = "/v1/modules/acme/kept/aws/versions"
        for _ in range(2):
            answer = koya.get(document, token=made.json()["token"])
            self.assertEqual(answer.status, 200, answer)
        self.assertIsNone(self.last_used("reader"), "the use came to nothing, and nobody minded")
        name = koya_provider.ZIP
        for _ in range(2):  # it is not kept
            answer = koya.get(f"{place}/1.0.0/{name}")
            self.assertEqual((answer.status, answer.body), (200, files["1.0.0"][name]))
        newer = name.replace("1.0.0", "2.0.0")
        self.assert_told(koya.get(f"{place}/2.0.0/{newer}"))
        page = browser.sign_in("ada", PASSWORD)
        self.assertEqual(page.status, 503, page)
        self.assertIn("read-only", page.text)
        self.assert_told(koya.request("POST", "/api/v1/tokens", '{"name": "x", "scope": "read"}',
                                      token=self.token))

        self.read_only("off")
        wait_until(lambda: self.put("acme/newer/aws", "newer").status == 201, "it takes changes",
                   RECOVERY_SECONDS)
        self.assertEqual(koya.get(f"{place}/2.0.0/{newer}").body, files["2.0.0"][newer])

    def assert_told(self, answer):
        self.assertEqual(answer.status, 503, answer)
        self.assertIn("read-only", answer.errors())

    def read_only(self, value):
        run = subprocess.run(
            [POSTGRES / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-c",
             f"ALTER SYSTEM SET default_transaction_read_only = {value}", "-c",
             "SELECT pg_reload_conf()", self.postgres.url],
            capture_output=True, text=True, env={**os.environ, "PGOPTIONS":
                                                 "-c default_transaction_read_only=off"})
        self.assertEqual(run.returncode, 0, run)

    def unless(self, status, answer):
        return None if answer.status == status else answer

    def unless_ok(self, answer):
        return None if answer.status == 200 else answer

    def stored(self, address):
        answer = self.put(address, address)
        return None if answer.status == 503 else answer

    def while_it_hangs(self, archive):
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            uncached = [pool.submit(timed, self.versions, "acme/unasked/aws") for _ in range(8)]
            doubtful = pool.submit(timed, self.put, "acme/doubt/aws", "acme/doubt/aws")
            for path in (archive, "/v1/modules/acme/kept/aws/versions",
                         "/.well-known/terraform.json"):
                answer, seconds = timed(self.koya.get, path)
                self.assertEqual(answer.status, 200, path)
                self.assertLess(seconds, READ_SECONDS, path)
            for future in uncached:
                answer, seconds = future.result()
                self.assert_unavailable(answer)
                self.assertLess(seconds, READ_SECONDS + SPARE_SECONDS)
            answer, seconds = doubtful.result()
            self.assert_unavailable(answer)
            # A token is looked up, a version looked for, a version added.
            self.assertLess(seconds, 2 * READ_SECONDS + WRITE_SECONDS + SPARE_SECONDS)

        def not_ready():
            (status, body), seconds = timed(operations, self.koya, "/readyz")
            self.assertLess(seconds, 1)
            return body if status == 503 else None

        document = json.loads(wait_until(not_ready, "it says that it is not ready",
                                         RECOVERY_SECONDS))
        self.assertIs(document["ready"], False)
        self.assertRegex(document["reasons"][0], r"^the catalog has not responded for \d+ s$")
        self.assertEqual(operations(self.koya, "/healthz")[0], 200)
        # By now all but one a second are told at once.
        seconds = sorted(timed(self.versions, "acme/unasked/aws")[1] for _ in range(30))
        self.assertLess(seconds[20], 1, seconds)
        self.assertEqual(len(self.told(BEGINS)), 1)

    def test_the_server_stops_in_time_while_the_database_hangs(self):
        self.publish("acme/kept/aws")
        with frozen(self.postgres.process.pid):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                asked = pool.submit(self.versions, "acme/unasked/aws")
                self.koya.stop()
                with contextlib.suppress(OSError):
                    self.assert_unavailable(asked.result())


class SqliteIsLocked(CatalogInTrouble):
    HELD = "registry.example.com/acme/demo"

    def setUp(self):
        super().setUp()
        self.koya = self.server(*TIMEOUTS)
        self.token = self.koya.token

    @contextlib.contextmanager
    def locked(self):
        other = sqlite3.connect(self.folder / "data/koya.db", isolation_level=None)
        with contextlib.closing(other):
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    def test_publishing_is_told_why_reading_goes_on(self):
        for name in ("kept", "unasked"):
            self.publish(f"acme/{name}/aws")
        with self.locked(), concurrent.futures.ThreadPoolExecutor(8) as pool:
            writers = [pool.submit(timed, self.put, f"acme/late{number}/aws", "late")
                       for number in range(8)]
            for name in ("kept", "unasked"):
                answer, seconds = timed(self.versions, f"acme/{name}/aws")
                self.assertEqual(answer.status, 200, answer)
            for future in writers:
                answer, seconds = future.result()
                self.assert_unavailable(answer)
                self.assertLess(seconds, WRITE_SECONDS + SPARE_SECONDS)
        for number in range(8):
            wait_until(lambda: self.put(f"acme/late{number}/aws", "late").status in (200, 201),
                       "publishing works again", RECOVERY_SECONDS)
        self.assertEqual(operations(self.koya, "/readyz")[0], 200)

    def make_token(self, name):
        run = self.koya.cli("token", "create", name, "--scope", "admin", "--json",
                            environment={"KOYA_TOKEN": self.token})
        self.assertEqual(run.returncode, 0, run)
        return json.loads(run.stdout)["token"]

    def test_nobody_waits_until_a_use_is_noted(self):
        """Each download of what is held, and each request with a token, took catalog.write_timeout."""
        zip_bytes = koya_provider.package({"terraform-provider-demo_v1.0.0": b"demo"})
        imported = self.koya.request("PUT", f"/api/v1/mirror/providers/{self.HELD}/1.0.0/linux/amd64",
                                     zip_bytes, token=self.token)
        self.assertEqual(imported.status, 201, imported)
        secret = self.make_token("reader")
        self.assertIsNone(self.last_used("reader"))
        file = f"/mirror/{self.HELD}/1.0.0/terraform-provider-demo_1.0.0_linux_amd64.zip"
        with self.locked():
            for _ in range(2):  # the second while the first one's note waits for the lock
                for path, token in ((file, None), (TOKENS, secret)):
                    answer, seconds = timed(self.koya.request, "GET", path, None, None, token)
                    self.assertEqual(answer.status, 200, answer)
                    self.assertLess(seconds, WRITE_SECONDS, path)
                time.sleep(1.5)
        self.assertEqual(self.koya.get(file).body, zip_bytes)

        def noted():
            self.koya.request("GET", TOKENS, token=secret)
            return self.last_used("reader")

        # A note that came to nothing, behind the server's own writes, is made again a minute later.
        wait_until(noted, "uses are noted again", 60 + RECOVERY_SECONDS)

    def test_a_use_just_before_the_stop_is_noted(self):
        secret = self.make_token("reader")
        used = self.koya.request("GET", TOKENS, token=secret)
        self.assertEqual(used.status, 200, used)
        self.koya.stop()
        self.koya.start()
        self.assertIsNotNone(self.last_used("reader"))


if __name__ == "__main__":
    koya_e2e.main()
