"""Backups: made through a server and on a stopped one, verified, restored on other back ends, after kills and damage.

usage: test_backup.py [--client=terraform|tofu]
"""
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import unittest
import urllib.request

import koya_client
import koya_e2e
import koya_provider
import koya_s3
import koya_upstream
from koya_e2e import Server, cli, tar_gz, wait_until
from koya_mirror import ALLOWED, PACKAGE
from test_postgres import POSTGRES, Postgres

BUCKET = "koya"
KILLS = 12
MOVE_KILLS = 25  # each way
SESSION = "name IN ('backup', 'gc', 'mirror-bound')"  # what a backup holds meanwhile


def toml(settings):
    """A settings file: {"catalog": {"url": …}}."""
    lines = []
    for section, values in settings.items():
        lines += [f"[{section}]", *(f"{name} = {json.dumps(str(value))}" for name, value in values.items())]
    return "\n".join(lines) + "\n"


class BackupTestCase(koya_e2e.TestCase):
    def setUp(self):
        super().setUp()
        self.place = self.folder / "backups"

    def koya(self, *arguments, status=0, environment=None, **more):
        run = cli(*arguments, environment=environment, timeout=120, **more)
        self.assertEqual(run.returncode, status, f"{arguments}: {run.stdout}{run.stderr}")
        return run.stdout + run.stderr

    def made(self):
        """The ids of complete backups."""
        return sorted(path.parent.name for path in self.place.glob("*/manifest.json"))

    def publish(self, koya, count, size=2000):
        archives = {}
        for number in range(count):
            address = f"acme/module{number}/null"
            archives[address] = tar_gz({"main.tf": f"# {address}\n", "data": os.urandom(size)})
            koya.publish(address, "1.0.0", archives[address])
        return archives

    def koya_ends_sessions(self, koya):
        """What 30 seconds would do."""
        with contextlib.closing(sqlite3.connect(koya.data / "koya.db", timeout=30)) as catalog:
            catalog.execute(f"DELETE FROM lease WHERE {SESSION}")
            catalog.commit()

    def tables(self, *place):
        """{name: (rows, digest)} of the records of a stopped server."""
        self.koya("admin", "backup", self.place, *place)
        manifest = json.loads((self.place / self.made()[-1] / "manifest.json").read_text())
        return {each["name"]: (each["rows"], each["sha256"]) for each in manifest["tables"]
                if each["name"] != "audit"}  # which has an entry about each backup

    def kill_in_between(self, command, kills, longest, seed, after=lambda: None):
        """Runs the command so often, and kills it at random points."""
        chance = random.Random(seed)
        for _ in range(kills):
            process = subprocess.Popen(command, env=koya_e2e.clean_environment(HOME="/nonexistent"),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=chance.uniform(0.02, longest))
            process.kill()
            process.wait()
            after()

    def assert_serves(self, koya, archives):
        for address, archive in archives.items():
            self.assertEqual(koya.download(address, "1.0.0"), archive)


class Backups(BackupTestCase):
    def test_a_stopped_server_is_backed_up_and_restored(self):
        koya = self.server()
        archives = self.publish(koya, 3)
        koya.stop()
        self.koya("admin", "backup", self.place, "--data", koya.data)
        (first,) = self.made()
        self.assertIn("Verified", self.koya("admin", "backup", "--check", self.place, "--all"))
        subprocess.run(["sha256sum", "-c", "--quiet", "manifest.sha256"], cwd=self.place / first, check=True)
        shutil.rmtree(koya.data)
        said = self.koya("admin", "restore", self.place, "--data", self.folder / "new")
        self.assertIn("server.secret is not that of the original", said)
        again = self.server(name="new")
        self.assert_serves(again, archives)
        self.assertIn("not empty", self.koya("admin", "restore", self.place, "--data", self.other_data(again),
                                             status=1))

    def other_data(self, koya):
        koya.stop()
        return koya.data

    def test_bad_input_is_explained(self):
        koya = self.server()
        self.publish(koya, 1)
        environment = koya.dev_environment
        # A frozen registry is backed up as any other.
        self.koya("admin", "freeze", "on", environment=environment)
        self.koya("admin", "backup", self.place, environment=environment)
        (name,) = self.made()
        for arguments, words in (
                (("backup", "--check", self.folder / "nothing"), "no backup folder"),
                (("backup", "--check", self.place, "--at", "20200101T000000Z"), name),
                (("backup", self.place, "--all"), "--check"),
                (("restore", self.place), "--config"),
                (("restore", self.folder, "--data", self.folder / "x"), "no complete backup"),
                (("backup", "s3://BAD_bucket/x"), "bucket")):
            said = self.koya("admin", *arguments, status=1, environment=environment)
            self.assertIn(words, said)
        manifest = self.place / name / "manifest.json"
        text = bytearray(manifest.read_bytes())
        text[len(text) // 2] ^= 1
        manifest.write_bytes(text)
        for command in (("backup", "--check", self.place), ("restore", self.place, "--data", self.folder / "y")):
            self.assertIn("damaged", self.koya("admin", *command, status=1))
        config = self.folder / "koya.toml"
        config.write_text(toml({"server": {"data": koya.data}, "backup": {"to": koya.data / "backups"}}))
        self.assertIn("backup.to", self.koya("config", "check", config, status=1))

    def test_a_command_that_is_killed_is_continued(self):
        koya = self.server()
        archives = self.publish(koya, 40, 20_000)
        command = [str(koya_e2e.KOYA), "admin", "backup", str(self.place)]
        environment = koya_e2e.clean_environment(HOME="/nonexistent", **koya.dev_environment)
        chance = random.Random(94)
        for _ in range(KILLS):
            # Leases of the one before expire; each waits for that.
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=chance.uniform(0.02, 0.6))
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.koya_ends_sessions(koya)
        self.koya("admin", "backup", self.place, environment=koya.dev_environment)
        self.koya("admin", "backup", "--check", self.place, "--all")
        koya.stop()
        self.koya("admin", "restore", self.place, "--data", self.folder / "new")
        self.assert_serves(self.server(name="new"), archives)

    def test_a_restore_that_is_killed_is_repeated(self):
        koya = self.server()
        archives = self.publish(koya, 40, 20_000)
        self.koya("admin", "backup", self.place, environment=koya.dev_environment)
        koya.stop()
        new = self.folder / "new"
        command = [str(koya_e2e.KOYA), "admin", "restore", str(self.place), "--data", str(new)]
        chance = random.Random(95)
        for _ in range(KILLS):
            process = subprocess.Popen(command, env=koya_e2e.clean_environment(HOME="/nonexistent"),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                if process.wait(timeout=chance.uniform(0.02, 0.4)) == 0:
                    break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        else:
            again = koya_e2e.cli("admin", "restore", self.place, "--data", new, home=self.folder)
            if again.returncode:  # the last one was killed when it had done all but exit
                self.assertIn("is not empty", again.stderr)
        self.assert_serves(self.server(name="new"), archives)

    def test_a_full_disk_on_either_side_loses_nothing(self):
        koya = self.server()
        archives = self.publish(koya, 20, 200_000)
        small = self.folder / "small"
        koya_e2e.small_disk(self, small, "2m")
        said = self.koya("admin", "backup", small / "backups", status=1, environment=koya.dev_environment)
        self.assertIn("full", said)
        self.assertFalse(list(small.glob("backups/*/manifest.json")))
        self.koya_ends_sessions(koya)
        self.koya("admin", "backup", self.place, environment=koya.dev_environment)
        koya.stop()
        shutil.rmtree(small / "backups")
        said = self.koya("admin", "restore", self.place, "--data", small / "new", status=1)
        self.assertIn("full", said)
        self.koya("admin", "backup", "--check", self.place, "--all")
        self.koya("admin", "restore", self.place, "--data", self.folder / "new")
        self.assert_serves(self.server(name="new"), archives)

    def test_a_server_makes_backups_by_its_schedule(self):
        koya = self.server("--backup.to", str(self.place), "--backup.every", "1s", "--backup.keep", "1")
        archives = self.publish(koya, 2)
        wait_until(self.made, "there is a backup", 60)
        def status():
            return koya.request("GET", "/api/v1/admin/status", token=koya.token).json()

        wait_until(lambda: status()["backup"]["id"], "the status knows it", 30)
        self.assertEqual(status()["backup"]["id"], self.made()[-1])
        self.assertNotIn("backup_old", [each["code"] for each in status()["todo"]])
        self.assertRegex(koya.cli("status").stdout, r"backup +2\d+T\d+Z, 0 hours old")
        with urllib.request.urlopen(koya.dev_environment["KOYA_METRICS"] + "/metrics", timeout=10) as answer:
            age = re.search(r"^koya_backup_age_seconds (\S+)$", answer.read().decode(), re.MULTILINE)
        self.assertLess(float(age[1]), 300)
        koya.stop()
        self.koya("admin", "restore", self.place, "--data", self.folder / "new")
        self.assert_serves(self.server(name="new"), archives)


@unittest.skipIf(koya_s3.missing(), f"not installed: {', '.join(koya_s3.missing())}")
@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class OnOtherBackEnds(BackupTestCase):
    def setUp(self):
        super().setUp()
        (self.folder / "postgres").mkdir()
        self.postgres = self.enterContext(Postgres(self.folder / "postgres"))
        self.store = koya_s3.Radosgw(self.folder / "ceph")
        self.addCleanup(self.store.kill)
        self.store.start().make_bucket(BUCKET)
        (self.folder / "keys").write_text(f"{koya_s3.ACCESS}\n{koya_s3.SECRET}\n")
        (self.folder / "secret").write_text("a secret of sixteen and more\n")
        self.secret = ("--server.secret_file", str(self.folder / "secret"))

    def config(self, name):
        path = self.folder / f"{name}.toml"
        path.write_text(toml({
            "server": {"data": self.folder / name, "secret_file": self.folder / "secret"},
            "catalog": {"url": self.postgres.url},
            "blobs": {"url": f"s3://{BUCKET}/registry"},
            "blobs.s3": {"endpoint": f"http://127.0.0.1:{self.store.port}", "region": koya_s3.REGION,
                         "access_key_file": self.folder / "keys"}}))
        return path

    def test_under_load_from_sqlite_to_postgresql_and_a_bucket_and_back_with_the_same_lock_file(self):
        upstream = koya_upstream.Upstream()
        self.addCleanup(upstream.off)
        mirrored = koya_provider.good()
        upstream.add("theirs/demo", mirrored, koya_provider.author())
        pulls = (*ALLOWED, "--upstream.hosts", upstream.host, "--upstream.ca_file",
                 koya_upstream.certificate()[1])
        koya = Server(self.folder / "data", *self.secret, *pulls)
        self.addCleanup(koya.__exit__)
        koya.start()
        package = PACKAGE.path(upstream, "theirs/demo")
        self.assertEqual(koya.get(package).body, mirrored[koya_provider.ZIP])
        author = koya_provider.author()
        koya_provider.add_key(koya, "acme", author.armor)
        files = koya_provider.release("1.0.0", author)
        koya_provider.publish(koya, "acme/demo", "1.0.0", files)
        archives = self.publish(koya, 5)
        client = koya_client.Client(koya_client.PROGRAM, koya, self.folder / "client").require(
            demo=("acme/demo", "1.0.0"))
        client.succeed("init")
        lock = (client.config / ".terraform.lock.hcl").read_text()

        over = threading.Event()

        def load():
            number = 0
            while not over.is_set():
                koya.publish(f"load/module{number}/null", "1.0.0", tar_gz({"main.tf": f"# {number}\n"}))
                number += 1

        thread = threading.Thread(target=load)
        thread.start()
        try:
            time.sleep(0.5)
            self.koya("admin", "backup", self.place, environment=koya.dev_environment)
        finally:
            over.set()
            thread.join()
        self.koya("admin", "backup", "--check", self.place, "--all")
        koya.stop()
        shutil.rmtree(koya.data)
        upstream.faults[upstream.file_path("theirs/demo", koya_provider.ZIP)] = koya_upstream.drop

        config = self.config("other")
        said = self.koya("admin", "restore", self.place, "--config", config)
        self.assertNotIn("stay sealed", said)
        other = Server(self.folder / "other", "--config", str(config), *pulls, listen=koya.listen)
        self.addCleanup(other.__exit__)
        other.start()
        self.assert_holds(client, other, archives, lock)
        self.assertEqual(other.get(package).body, mirrored[koya_provider.ZIP])
        self.publish_more(other)

        # The server writes to a bucket itself; then everything goes back to SQLite and a folder.
        to = f"s3://{BUCKET}/backups"
        self.koya("admin", "backup", to, environment=other.dev_environment)
        self.koya("admin", "backup", "--check", to, "--all", "--config", config)
        other.stop()
        back = self.folder / "back.toml"
        back.write_text(toml({
            "server": {"data": self.folder / "back", "secret_file": self.folder / "secret"},
            "backup": {"to": to},
            "blobs.s3": {"endpoint": f"http://127.0.0.1:{self.store.port}", "region": koya_s3.REGION,
                         "access_key_file": self.folder / "keys"}}))
        self.koya("admin", "restore", to, "--config", back)
        again = Server(self.folder / "back", *self.secret, *pulls, listen=koya.listen)
        self.addCleanup(again.__exit__)
        again.start()
        self.assert_holds(client, again, archives, lock)
        self.assertEqual(again.get(package).body, mirrored[koya_provider.ZIP])
        self.assertEqual(again.get("/v1/modules/later/more/null/versions").status, 200)
        self.assertIn("intact", self.koya("audit", "verify", environment=again.dev_environment).lower())

    def move(self, start, to, seed, after=lambda: None):
        """Killed at random points, and run to its end."""
        command = [str(koya_e2e.KOYA), "admin", "move", "--config", str(start), "--to", str(to)]
        self.kill_in_between(command, MOVE_KILLS, 1.5, seed, after)

        def ended():
            run = cli(*command[1:], timeout=120)
            if "is being made" in run.stderr or "lease" in run.stderr:
                return False  # of the one that was killed: it ends by itself
            self.assertTrue(run.returncode == 0 or "moved before" in run.stderr, run)
            return True
        wait_until(ended, "the move has ended", 120)

    def test_a_move_there_and_back_that_is_killed_loses_nothing(self):
        koya = Server(self.folder / "data", *self.secret)
        self.addCleanup(koya.__exit__)
        archives = self.publish(koya.start(), 30, 20_000)
        start = self.folder / "from.toml"
        start.write_text(toml({"server": {"data": koya.data, "secret_file": self.folder / "secret"}}))
        to = self.config("other")
        self.koya("admin", "move", "--config", start, "--to", to, status=1)  # a server runs
        koya.stop()
        before = self.tables("--config", start)
        self.koya_ends_sessions(koya)
        self.move(start, to, 96, lambda: self.koya_ends_sessions(koya))
        with self.assertRaises(koya_e2e.StartFailed) as refused:
            koya.start()
        self.assertIn("was moved to", refused.exception.output)
        self.assertEqual(self.tables("--config", to), before)
        self.end_leases_of_postgres()
        back = self.folder / "back.toml"
        back.write_text(toml({"server": {"data": self.folder / "back", "secret_file": self.folder / "secret"}}))
        self.move(to, back, 97, self.end_leases_of_postgres)
        self.assertEqual(self.tables("--config", back), before)
        with Server(self.folder / "back", *self.secret, listen=koya.listen) as again:
            self.assert_serves(again, archives)
        self.koya("admin", "move", "--config", start, "--take-back")
        with koya:
            self.assert_serves(koya, archives)

    def end_leases_of_postgres(self):
        subprocess.run([POSTGRES / "psql", "-q", "-c", f"DELETE FROM lease WHERE {SESSION}", self.postgres.url],
                       check=True)

    def publish_more(self, koya):
        koya.publish("later/more/null", "1.0.0", tar_gz({"main.tf": "# more\n"}))

    def assert_holds(self, client, koya, archives, lock):
        self.assert_serves(koya, archives)
        client.koya = koya
        client.forget()
        client.succeed("init", "-lockfile=readonly")
        self.assertEqual((client.config / ".terraform.lock.hcl").read_text(), lock)


if __name__ == "__main__":
    koya_client.main()
