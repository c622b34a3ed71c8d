"""Several servers on one PostgreSQL database: who they are, what they agree on, how they start before
the database does and what they do on the way out."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pwd
import shutil
import signal
import subprocess
import unittest

import koya_e2e
from koya_e2e import Server, StartFailed, wait_until
from test_postgres import POSTGRES, Postgres, free_port

WAIT_SECONDS = 30
PGBOUNCER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")


def asked(port, path):
    """The status and the body of the operator's listener; None while nobody listens."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as ask:
        try:
            ask.request("GET", path)
            answer = ask.getresponse()
            return answer.status, answer.read().decode()
        except ConnectionError:
            return None


@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class Replicas(koya_e2e.TestCase):
    def setUp(self):
        super().setUp()
        (self.folder / "postgres").mkdir()
        self.postgres = Postgres(self.folder / "postgres")

    def start_postgres(self):
        self.enterContext(self.postgres)
        return self.postgres.url

    def prepared(self, name, *arguments, **more):
        """A server that was not started, and is gone with the test."""
        server = Server(self.folder / name, "--server.secret_file",
                        str(self.folder / "server.secret"), *arguments, **more)
        self.addCleanup(server.__exit__)
        return server

    def run_admin(self, *arguments):
        """`koya admin …` on the database itself."""
        run = koya_e2e.cli("admin", *arguments, "--data", str(self.folder / "tool"), environment={
            "KOYA_CATALOG_URL": self.postgres.url,
            "KOYA_SERVER_SECRET_FILE": str(self.folder / "server.secret")})
        self.assertEqual(run.returncode, 0, run)
        return run

    def admin(self, *arguments):
        return self.run_admin(*arguments).stdout

    def all_of(self, count):
        seen = json.loads(self.admin("replicas", "--json"))["replicas"]
        return seen if len(seen) == count else None

    def sql(self, statement):
        run = subprocess.run(
            [POSTGRES / "psql", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement, self.postgres.url],
            capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def refused(self, server):
        with self.assertRaises(StartFailed) as failed:
            server.start()
        self.assertEqual(failed.exception.status, 1)
        return failed.exception.output

    def test_three_that_start_at_once_agree_and_see_each_other_until_they_stop(self):
        url = self.start_postgres()
        servers = [self.prepared(name, "--catalog.url", url, "--insecure-http", dev=False)
                   for name in ("one", "two", "three")]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(Server.start, servers))
        two, three = servers[1:]
        self.assertEqual(self.sql("SELECT count(*) FROM installation"), "1")
        self.assertEqual(self.sql("SELECT count(*) = max(number) FROM schema_migration"), "t")
        self.assertEqual(len((self.folder / "server.secret").read_text().strip()), 43)

        seen = wait_until(lambda: self.all_of(3), "all three are seen", WAIT_SECONDS)
        ports = sorted(int(each["address"].rpartition(":")[2]) for each in seen)
        self.assertEqual(ports, sorted(each.port for each in servers))
        for each in seen:
            self.assertLess(each["feed_age_ms"], 10_000, each)
            self.assertLess(abs(each["clock_ahead_ms"]), 2_000, each)
            self.assertRegex(each["version"], r"^\d+\.\d+\.\d+")
            self.assertEqual(str(each["schema_step"]),
                             self.sql("SELECT max(number) FROM schema_migration"))
        self.assertIn(f":{two.port} ", self.admin("replicas"))

        two.stop()
        self.assertIsNotNone(self.all_of(2), "it went with its process")
        three.kill()
        self.sql("UPDATE replica SET seen_at = seen_at - 31")  # as half a minute later
        wait_until(lambda: self.all_of(1), "who died is seen no longer", WAIT_SECONDS)

    def test_servers_that_do_not_agree_on_a_setting_are_named(self):
        arguments = ("--catalog.url", self.start_postgres(), "--policy.deny", "*/evil/*")
        one = self.prepared("one", *arguments).start()
        wait_until(lambda: self.all_of(1), "it is seen", WAIT_SECONDS)
        self.assertEqual(self.run_admin("replicas").stderr, "")
        two = self.prepared("two", *arguments[:-1], "*/bad/*").start()
        wait_until(lambda: self.all_of(2), "both are seen", WAIT_SECONDS)
        said = self.run_admin("replicas").stderr
        self.assertIn("policy.deny is not the same on all servers", said)
        for each in (one, two):
            self.assertIn(f":{each.port}", said)
        self.assertNotIn("policy.allow", said)

    def token_that_counts(self, servers):
        """Each start with --dev replaced the token of the others."""
        for each in servers:
            if each.request("GET", "/api/v1/tokens", token=each.token).status == 200:
                return each.token
        raise AssertionError("no token counts")

    def test_another_secret_is_refused_until_it_is_named_as_the_one_before(self):
        url = self.start_postgres()
        arguments = ("--catalog.url", url)
        one = self.prepared("one", *arguments).start()
        first = (self.folder / "server.secret").read_text().strip()
        one.stop()
        second = "another secret of the servers"
        (self.folder / "server.secret").write_text(second)
        words = self.refused(one)
        for each in ("server.secret", str(self.folder / "server.secret"), "server.secret_previous",
                     "koya admin reseal"):
            self.assertIn(each, words)
        self.assertNotIn(first, words)
        self.assertNotIn(second, words)

        both = self.prepared("both", *arguments, "--server.secret_previous", first).start()
        (self.folder / "old").write_text(first)
        old = Server(self.folder / "two", "--server.secret_file", str(self.folder / "old"),
                     *arguments)
        with old:
            pass  # it was not given the new one yet
        both.stop()
        both.start()  # with a token of its own again
        run = both.cli("admin", "reseal", environment={"KOYA_TOKEN": both.token})
        self.assertEqual(run.returncode, 0, run)
        self.assertIn("server.secret", self.refused(old))
        both.stop()
        with one:
            pass

    def test_a_lost_secret_is_forgotten_on_purpose_only(self):
        one = self.prepared("one")
        one.start()
        one.stop()
        (self.folder / "server.secret").unlink()
        self.assertIn("koya admin forget-secret", self.refused(one))
        run = koya_e2e.cli("admin", "forget-secret", "--data", str(one.data), environment={
            "KOYA_SERVER_SECRET_FILE": str(self.folder / "server.secret")})
        self.assertEqual(run.returncode, 0, run)
        with one:
            pass

    # ---- before the database is there

    def test_a_server_waits_for_its_database_healthy_and_not_ready(self):
        port = free_port()
        server = self.prepared("one", "--catalog.url", self.postgres.url, "--metrics.listen",
                               f"127.0.0.1:{port}")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            started = pool.submit(server.start)
            status, body = wait_until(lambda: self.waiting(port), "it waits", WAIT_SECONDS)
            self.assertEqual(status, 503)
            document = json.loads(body)
            self.assertIs(document["ready"], False)
            self.assertIn("catalog.url", document["reasons"][0])
            self.assertEqual(asked(port, "/readyz?degraded=1")[0], 503)
            self.assertEqual(asked(port, "/healthz"), (200, "ok\n"))
            self.assertEqual(asked(port, "/metrics")[0], 200)
            self.start_postgres()
            started.result(timeout=WAIT_SECONDS)
        self.assertEqual(asked(port, "/readyz"), (200, '{"ready":true,"reasons":[]}\n'))
        told = [each for each in server.log_records()
                if each["message"].startswith("waiting for the database")]
        self.assertEqual(len(told), 1, told)

    def waiting(self, port):
        """What it says once its first try has failed: until then, that nothing has answered."""
        answer = asked(port, "/readyz")
        waits = answer and "starting: " in answer[1] and "has not responded yet" not in answer[1]
        return answer if waits else None

    def assert_stops_while_it_waits(self, server, port):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            started = pool.submit(server.start)
            wait_until(lambda: self.waiting(port), "it waits", WAIT_SECONDS)
            server.process.send_signal(signal.SIGTERM)
            with self.assertRaises(StartFailed) as ended:
                started.result(timeout=WAIT_SECONDS)
        self.assertEqual(ended.exception.status, 0)

    def test_a_server_that_waits_stops_when_it_is_told_to(self):
        port = free_port()
        server = self.prepared("one", "--catalog.url", self.postgres.url, "--metrics.listen",
                               f"127.0.0.1:{port}")
        self.assert_stops_while_it_waits(server, port)

    @contextlib.contextmanager
    def locked(self, table):
        """Nobody else reads the table, or writes it."""
        with subprocess.Popen([POSTGRES / "psql", "-Atq", "-v", "ON_ERROR_STOP=1",
                               self.postgres.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as other:
            other.stdin.write(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT 1;\n")
            other.stdin.flush()
            self.assertEqual(other.stdout.readline(), "1\n")
            yield
            other.stdin.close()

    def test_a_database_that_goes_away_while_the_server_starts_is_waited_for(self):
        """It was opened; then, for each table that the start asks next, there was no answer."""
        url = self.start_postgres()
        self.prepared("one", "--catalog.url", url).start().stop()
        for table in ("change", "installation", "token"):
            with self.subTest(table):
                port = free_port()
                server = self.prepared(f"on-{table}", "--catalog.url", url, "--metrics.listen",
                                       f"127.0.0.1:{port}", "--catalog.read_timeout", "1s",
                                       "--catalog.write_timeout", "1s")
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    with self.locked(table):
                        started = pool.submit(server.start)
                        wait_until(lambda: self.waiting(port), "it waits", WAIT_SECONDS)
                        self.assertEqual(asked(port, "/readyz")[0], 503)
                        self.assertEqual(asked(port, "/healthz"), (200, "ok\n"))
                    started.result(timeout=WAIT_SECONDS)
                wait_until(lambda: asked(port, "/readyz")[0] == 200, "it is ready", WAIT_SECONDS)
                server.stop()

    def test_a_server_whose_database_went_away_stops_when_it_is_told_to(self):
        url = self.start_postgres()
        self.prepared("one", "--catalog.url", url).start().stop()
        port = free_port()
        server = self.prepared("two", "--catalog.url", url, "--metrics.listen",
                               f"127.0.0.1:{port}", "--catalog.read_timeout", "1s")
        with self.locked("installation"):
            self.assert_stops_while_it_waits(server, port)

    def test_a_database_that_refuses_is_not_waited_for(self):
        self.start_postgres()
        base = f"127.0.0.1:{self.postgres.port}"
        for url, words in ((f"postgresql://koya:s3cret@{base}/nowhere", "has no such database"),
                           (f"postgresql://nobody:s3cret@{base}/postgres", "denies its user")):
            output = self.refused(self.prepared("one", "--catalog.url", url))
            self.assertIn(words, output)
            self.assertIn("catalog.url", output)
            self.assertNotIn("s3cret", output)

    def test_a_database_that_went_away_and_comes_back_refusing_ends_the_start(self):
        self.start_postgres()
        self.sql("CREATE ROLE guest SUPERUSER LOGIN")
        url = f"postgresql://guest@127.0.0.1:{self.postgres.port}/postgres"
        self.prepared("one", "--catalog.url", url).start().stop()
        port = free_port()
        server = self.prepared("two", "--catalog.url", url, "--metrics.listen",
                               f"127.0.0.1:{port}", "--catalog.read_timeout", "1s")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            with self.locked("installation"):
                started = pool.submit(server.start)
                wait_until(lambda: self.waiting(port), "it waits", WAIT_SECONDS)
                self.sql("ALTER ROLE guest NOLOGIN")
                self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         "WHERE usename = 'guest'")
                with self.assertRaises(StartFailed) as failed:
                    started.result(timeout=WAIT_SECONDS)
        self.assertEqual(failed.exception.status, 1)
        self.assertIn("denies its user", failed.exception.output)

    def test_who_waits_for_the_schema_serves_once_somebody_made_it(self):
        url = self.start_postgres()
        port = free_port()
        server = self.prepared("one", "--catalog.url", url, "--catalog.migrate", "wait",
                               "--metrics.listen", f"127.0.0.1:{port}")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            started = pool.submit(server.start)
            _, body = wait_until(lambda: self.waiting(port), "it waits", WAIT_SECONDS)
            self.assertIn("koya admin migrate", body)
            run = koya_e2e.cli("admin", "migrate", "--json", environment={"KOYA_CATALOG_URL": url})
            self.assertEqual(run.returncode, 0, run)
            self.assertIn("0001_schema", json.loads(run.stdout)["taken"])
            started.result(timeout=WAIT_SECONDS)
        run = koya_e2e.cli("admin", "migrate", environment={"KOYA_CATALOG_URL": url})
        self.assertEqual((run.returncode, run.stdout), (0, "Nothing to migrate\n"))

    # ---- on the way out

    def test_after_the_signal_it_accepts_for_a_while_and_is_not_ready(self):
        port = free_port()
        server = self.prepared("one", "--timeouts.drain_delay", "60s", "--metrics.listen",
                               f"127.0.0.1:{port}")
        server.start()
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: asked(port, "/readyz")[0] == 503, "it is not ready")
        self.assertEqual(asked(port, "/readyz?degraded=1"),
                         (503, '{"ready":false,"reasons":["stopping"]}\n'))
        self.assertEqual(asked(port, "/healthz")[0], 200)
        answer = server.put_module("acme/late/aws", "1.0.0",
                                   koya_e2e.tar_gz({"main.tf": "# late\n"}), token=server.token)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(server.get("/v1/modules/acme/late/aws/versions").status, 200)
        server.stop()  # the second signal does not wait for the minute

    # ---- behind a pooler

    @unittest.skipUnless(PGBOUNCER, "pgbouncer is not installed")
    def test_behind_pgbouncer_in_session_mode_changes_are_heard_of_at_once(self):
        self.start_postgres()
        url = self.pooled()
        one = self.prepared("one", "--catalog.url", url).start()
        two = self.prepared("two", "--catalog.url", url).start()
        token = self.token_that_counts([two, one])
        path = "/v1/modules/acme/pooled/aws/versions"
        self.assertEqual(two.get(path).status, 404)
        archive = koya_e2e.tar_gz({"main.tf": "# pooled\n"})
        answer = one.put_module("acme/pooled/aws", "1.0.0", archive, token=token)
        self.assertEqual(answer.status, 201, answer)
        wait_until(lambda: two.get(path).status == 200, "the other one hears of it")
        answer = one.get("/api/v1/admin/replicas", token=token)
        self.assertEqual(len(answer.json()["replicas"]), 2, answer)
        for server in (one, two):
            told = [each["message"] for each in server.log_records()]
            self.assertFalse([words for words in told if "notifications do not arrive" in words])

    def pooled(self):
        port = free_port()
        folder = self.folder / "pooler"
        folder.mkdir()
        (folder / "users").write_text('"koya" ""\n')
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\n* = host=127.0.0.1 port={self.postgres.port}\n[pgbouncer]\n"
            f"listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = trust\n"
            f"auth_file = {folder}/users\npool_mode = session\ndefault_pool_size = 40\n"
            # What libpq asks for at the start, and a pooler does not know.
            f"ignore_startup_parameters = extra_float_digits\nunix_socket_dir =\n")
        if os.geteuid() == 0:  # it does not run as root
            for each in (folder, *folder.iterdir()):
                os.chown(each, pwd.getpwnam("postgres").pw_uid, -1)
        log = open(folder / "log", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen([PGBOUNCER, folder / "pgbouncer.ini"], stdout=log, stderr=log,
                                   **self.postgres.as_user)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        ready = [POSTGRES / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        wait_until(lambda: subprocess.run(ready).returncode == 0, "pgbouncer answers",
                   WAIT_SECONDS)
        return f"postgresql://koya@127.0.0.1:{port}/postgres"


if __name__ == "__main__":
    koya_e2e.main()
