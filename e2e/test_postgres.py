"""Several servers on one PostgreSQL database and one blob folder.

Starts PostgreSQL from Debian's package as an ordinary user, on loopback, in a temporary folder.
"""
import concurrent.futures
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

import koya_e2e
import koya_provider
from koya_e2e import Server, wait_until

POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
# A notification takes milliseconds; the periodic read that covers a lost one, a second.
SHOWS_WITHIN_SECONDS = 3


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    """A cluster of its own, gone when it is closed."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        # PostgreSQL refuses to run as root: its package made a user for it.
        root = os.geteuid() == 0
        self.user = pwd.getpwnam("postgres") if root else pwd.getpwuid(os.geteuid())
        if root:
            os.chmod(self.folder.parent, 0o755)
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.as_user = {"user": self.user.pw_uid, "group": self.user.pw_gid} if root else {}

    def __enter__(self):
        data = self.folder / "data"
        initdb = [POSTGRES / "initdb", "-D", data, "-U", "koya", "-A", "trust", "--no-sync"]
        subprocess.run(initdb, check=True, capture_output=True, cwd=self.folder, **self.as_user)
        self.log = open(self.folder / "postgres.log", "wb")
        self.process = subprocess.Popen(
            [POSTGRES / "postgres", "-D", data, "-p", str(self.port), "-k", self.folder,
             "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
            stdout=self.log, stderr=self.log, cwd=self.folder, **self.as_user)
        ready = [POSTGRES / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        wait_until(lambda: subprocess.run(ready).returncode == 0, "PostgreSQL answers")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)  # at once, whoever is connected
        self.process.wait(timeout=30)
        self.log.close()

    @property
    def url(self):
        return f"postgresql://koya@127.0.0.1:{self.port}/postgres"


class TwoServers(unittest.TestCase):
    """Two servers that share a database and a blob folder."""

    ARGUMENTS = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "postgres").mkdir()
        cls.postgres = cls.enterClassContext(Postgres(cls.folder / "postgres"))
        # One blob folder for both, as replicas on one machine would have.
        (cls.folder / "blobs").mkdir()
        cls.one, cls.two = (cls.enterClassContext(cls.server(name)) for name in ("one", "two"))

    @classmethod
    def server(cls, name):
        data = cls.folder / name
        data.mkdir()
        (data / "blobs").symlink_to(cls.folder / "blobs")
        return Server(data, "--catalog.url", cls.postgres.url,
                      "--server.secret_file", str(cls.folder / "server.secret"), *cls.ARGUMENTS)

    def publish(self, server, address, version, token):
        archive = koya_e2e.tar_gz({"main.tf": f"# {address} {version}\n"})
        answer = server.put_module(address, version, archive, token=token)
        self.assertEqual(answer.status, 201, answer)
        return archive


@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class TwoServersOnOneDatabase(TwoServers):
    def versions(self, server, address):
        answer = server.get(f"/v1/modules/{address}/versions")
        if answer.status == 404:
            return []
        return [entry["version"] for entry in answer.json()["modules"][0]["versions"]]

    def test_a_publish_on_one_shows_on_the_other(self):
        # The second server's start replaced the dev token, which both catalogs share.
        token = self.two.token
        archive = self.publish(self.one, "acme/shared/aws", "1.0.0", token)
        for server in (self.one, self.two):
            self.assertEqual(self.versions(server, "acme/shared/aws"), ["1.0.0"])
        self.assertEqual(self.two.download("acme/shared/aws", "1.0.0"), archive)
        # Now the second has the list in its cache: it must learn of the next publish.
        self.publish(self.one, "acme/shared/aws", "1.1.0", token)
        self.assertEqual(self.versions(self.one, "acme/shared/aws"), ["1.1.0", "1.0.0"])
        wait_until(lambda: self.versions(self.two, "acme/shared/aws") == ["1.1.0", "1.0.0"],
                   "the publish shows on the other server", SHOWS_WITHIN_SECONDS)
        answer = self.two.request("DELETE", "/api/v1/modules/acme/shared/aws/1.1.0",
                                  '{"reason":"broken"}', token=token)
        self.assertEqual(answer.status, 204, answer)
        wait_until(lambda: self.versions(self.one, "acme/shared/aws") == ["1.0.0"],
                   "the withdrawal shows on the other server", SHOWS_WITHIN_SECONDS)

    def test_a_token_that_is_revoked_on_one_is_refused_by_the_other_within_a_second(self):
        token = self.two.token
        path = "/v1/modules/acme/revoked/aws/versions"
        self.publish(self.one, "acme/revoked/aws", "1.0.0", token)
        for number in range(5):
            made = self.one.request("POST", "/api/v1/tokens",
                                    json.dumps({"name": f"r{number}", "scope": "read"}),
                                    token=token).json()["token"]
            for server in (self.one, self.two, self.two):
                self.assertEqual(server.get(path, token=made).status, 200)
            revoked = self.one.request("DELETE", f"/api/v1/tokens/r{number}", token=token)
            self.assertEqual(revoked.status, 204, revoked)
            since = time.monotonic()
            self.assertEqual(self.one.get(path, token=made).status, 401)
            # What was asked a second later or more must not succeed.
            while self.two.get(path, token=made).status != 401:
                self.assertLess(time.monotonic() - since, 1)
            self.assertEqual(self.two.get(path).status, 200)

    def test_a_freeze_on_one_holds_on_the_other_and_so_does_its_end(self):
        token = self.two.token
        self.publish(self.one, "acme/frozen/aws", "1.0.0", token)

        def publishes(server, number):
            archive = koya_e2e.tar_gz({"main.tf": f"# {number}\n"})
            answer = server.put_module(f"acme/frozen{number}/aws", "1.0.0", archive, token=token)
            self.assertIn(answer.status, (200, 201, 503), answer)
            return answer.status != 503

        for frozen in (True, False):
            done = self.one.request("PUT", "/api/v1/admin/freeze",
                                    json.dumps({"state": "on" if frozen else "off",
                                                "reason": "a drill"}), token=token)
            self.assertEqual(done.status, 200, done)
            self.assertEqual(publishes(self.one, "one"), not frozen)
            wait_until(lambda: publishes(self.two, "two") != frozen, "the other server knows",
                       SHOWS_WITHIN_SECONDS)
            for server in (self.one, self.two):
                self.assertEqual(self.versions(server, "acme/frozen/aws"), ["1.0.0"])

    def test_of_two_racing_publishes_one_wins(self):
        token = self.two.token

        def publish(server, number, text):
            archive = koya_e2e.tar_gz({"main.tf": f"# {text}\n"})
            address = f"acme/race{number}/aws"
            return server.put_module(address, "1.0.0", archive, token=token).status

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for number in range(20):
                racers = [pool.submit(publish, server, number, text)
                          for server, text in ((self.one, "a"), (self.two, "b"))]
                self.assertEqual(sorted(racer.result() for racer in racers), [201, 409])

    def draft(self, address, version, files):
        """Opened on one server, its files sent to the other: the draft, and the other's view."""
        token = self.two.token
        draft = koya_provider.Draft(self.one, address, version, token)
        draft.koya = self.two
        for name, data in files.items():
            answer = draft.put(name, data)
            self.assertEqual(answer.status, 200, answer)
        return draft

    def test_a_provider_published_on_one_shows_on_the_other(self):
        token, author = self.two.token, koya_provider.key("ed25519")
        answer = koya_provider.add_key(self.one, "acme", author.armor, token)
        self.assertEqual(answer.status, 201, answer)
        for version in ("1.0.0", "1.1.0"):
            files = koya_provider.release(version, author, platforms=koya_provider.TWO)
            answer = self.draft("acme/demo", version, files).commit()
            self.assertEqual(answer.status, 201, answer)
            for server in (self.one, self.two):
                wait_until(lambda: version in koya_provider.versions(server, "acme/demo"),
                           "the release shows", SHOWS_WITHIN_SECONDS)
                document = koya_provider.download(server, "acme/demo", version, "linux_amd64")
                (shown,) = document["signing_keys"]["gpg_public_keys"]
                self.assertEqual(shown["key_id"], author.key_id)
        path = "/api/v1/providers/acme/demo/1.0.0/deprecation"
        answer = self.one.request("PUT", path, '{"message": "use 1.1.0"}', token=token)
        self.assertEqual(answer.status, 204, answer)
        wait_until(lambda: "use 1.1.0" in self.two.get("/v1/providers/acme/demo/versions")
                   .body.decode(), "the deprecation shows on the other", SHOWS_WITHIN_SECONDS)

    def test_of_two_racing_releases_one_wins_and_both_sign_with_one_key(self):
        def commit(server, draft):
            draft.koya = server
            return draft.commit(sign=True).status

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for number in range(10):
                drafts = [self.draft("signers/demo", f"1.{number}.0", koya_provider.unsigned(
                    f"1.{number}.0", platforms=koya_provider.TWO, padding=padding))
                    for padding in (b"# one\n", b"# two\n")]
                self.assertEqual(sorted(pool.map(commit, (self.one, self.two), drafts)),
                                 [201, 409])
        keys = self.one.request("GET", "/api/v1/namespaces/signers/keys",
                                token=self.two.token).json()["keys"]
        self.assertEqual([key["server_made"] for key in keys], [True])

    def test_the_servers_are_ready_on_their_own_listener(self):
        for server in (self.one, self.two):
            url = server.dev_environment["KOYA_METRICS"] + "/readyz"
            with urllib.request.urlopen(url, timeout=10) as answer:
                self.assertEqual(answer.status, 200)


if __name__ == "__main__":
    koya_e2e.main()
