"""An upgrade while everybody works: the program of the last release (tools/last-release) and this one on one
database and one blob folder, in both orders, and back again. Nothing that either acknowledged is lost,
and nobody is answered anything but what is right.
"""
import json
import pathlib
import subprocess
import sys
import unittest

import koya_e2e
import koya_provider
import koya_upgrade
import koya_upstream
from koya_e2e import KOYA, wait_until
from koya_upgrade import Load, PatientServer, right
from test_postgres import POSTGRES, Postgres

LAST_RELEASE = koya_upgrade.last_release()
# Bytes may wait so long between their arrival and the record that refers to them; a folder has no
# ledger that would renew them. More than any pause of a machine that others keep busy.
GRACE = "30s"
# The last release collects a minute after its start.
COLLECTS_SECONDS = 400
# A busy machine is no failure here.
PATIENT = ("--catalog.read_timeout", "60s", "--catalog.write_timeout", "60s")


class Upgrade(koya_e2e.TestCase):
    def setUp(self):
        super().setUp()
        self.upstream = koya_upstream.Upstream()
        self.addCleanup(self.upstream.off)
        self.arguments = [*PATIENT, *koya_upgrade.upstream_arguments(self.upstream),
                          "--server.secret_file", str(self.folder / "server.secret")]

    def prepared(self, name, program, *arguments, dev=False):
        if not dev:
            arguments += "--insecure-http", "--access.default_visibility", "public"
        server = PatientServer(self.folder / name, *self.arguments, *arguments, program=program, dev=dev)
        self.addCleanup(server.__exit__)
        return server

    def bootstrap(self, program):
        """An administrator's token, made by that program, which is stopped again."""
        with self.prepared("bootstrap", program, dev=True) as server:
            made = right(server.request("POST", "/api/v1/tokens", json.dumps(
                {"name": "upgrade", "scope": "admin"}), token=server.token), 201)
            return made.json()["token"]


@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class UpgradeOfServers(Upgrade):
    def setUp(self):
        super().setUp()
        (self.folder / "postgres").mkdir()
        self.postgres = self.enterContext(Postgres(self.folder / "postgres"))
        (self.folder / "blobs").mkdir()
        self.arguments += ["--catalog.url", self.postgres.url, "--blobs.gc_grace", GRACE]

    def prepared(self, name, program, *arguments, **more):
        server = super().prepared(name, program, *arguments, **more)
        server.data.mkdir(exist_ok=True)
        blobs = server.data / "blobs"
        if not blobs.exists():
            blobs.symlink_to(self.folder / "blobs")
        return server

    def old(self, name, *arguments):
        return self.prepared(name, LAST_RELEASE, *arguments)

    def new(self, name, collects):
        return self.prepared(name, KOYA, "--blobs.gc_every", collects)

    def start_load(self, program):
        """All that the load is to be read from is up to the caller."""
        return Load(self.upstream, self.bootstrap(program))

    def sql(self, statement):
        run = subprocess.run(
            [POSTGRES / "psql", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement, self.postgres.url],
            capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def steps(self):
        return int(self.sql("SELECT MAX(number) FROM schema_migration"))

    @staticmethod
    def collected(server):
        """How many blobs it has removed."""
        return sum(each.get("removed", 0) for each in server.log_records()
                   if each.get("message") == "garbage collected")

    def wait_collected(self, load, *servers, before=0):
        """Until any of them has removed more than `before`: where several are at it, one finds nothing
        left."""
        names = " or ".join(each.data.name for each in servers)

        def done():
            load.check_failures()
            return max(0, sum(self.collected(each) for each in servers) - before)

        count = wait_until(done, f"{names} collects garbage", COLLECTS_SECONDS)
        print(f"{names} removed {count} blobs", flush=True)

    def test_one_after_the_other_from_the_last_release_to_this_one_and_back(self):
        load = self.start_load(LAST_RELEASE)
        before = self.steps()
        one, two = self.old("one").start(), self.old("two").start()
        load.prepare(one)
        with load:
            load.admit(one), load.admit(two)
            load.wait_rounds()
            # Its steps are taken while the others are at work.
            three = load.admit(self.new("three", "1h").start())
            print(f"{one.busy + two.busy} times the database was too busy meanwhile", flush=True)
            self.assertGreaterEqual(self.steps(), before)
            load.wait_rounds()
            load.check_everything(one, two, three)
            self.wait_collected(load, one, two)

            load.stop(one)
            load.wait_rounds()
            load.check_everything(two, three)
            # Its machine was only restarted: it comes back as it was, on the new schema.
            one = load.admit(one.start())
            load.wait_rounds()
            load.check_everything(one, three)

            # This one collects while the last release publishes.
            load.stop(three)
            before = self.collected(three)
            three = load.admit(self.new("three", "1s").start())
            self.wait_collected(load, three, before=before)
            load.wait_rounds()
            load.stop(two)
            two = load.admit(self.new("two", "1s").start())
            load.wait_rounds()
            load.stop(one)
            load.wait_rounds()
            count = load.check_everything(two, three, again=True)

            # And back, which is as good as the way there.
            load.admit(one.start())
            load.stop(two)
            load.stop(three)
            load.wait_rounds()
            load.check_everything(one)
        load.check_everything(one, again=True)
        koya_upgrade.check_blobs(self.folder / "blobs")
        print(f"{count} things were published, and read from all", flush=True)

    def test_the_last_release_starts_beside_this_one_on_its_schema(self):
        load = self.start_load(KOYA)
        steps = self.steps()
        one = self.new("one", "1s").start()
        load.prepare(one)
        with load:
            load.admit(one)
            load.wait_rounds()
            two = load.admit(self.old("two").start())
            load.wait_rounds()
            load.check_everything(one, two)
            load.stop(one)
            load.wait_rounds()
            load.admit(one.start())
            load.wait_rounds()
            load.check_everything(one, two)
        load.check_everything(one, two, again=True)
        self.assertEqual(self.steps(), steps, "the older one leaves the schema as it is")
        koya_upgrade.check_blobs(self.folder / "blobs")


class UpgradeOfOneServer(Upgrade):
    """SQLite and a folder: one program at a time."""

    def test_a_data_folder_goes_there_and_back(self):
        admin = self.bootstrap(LAST_RELEASE)
        load = Load(self.upstream, admin, seed=1)
        server = self.prepared("bootstrap", LAST_RELEASE)
        load.prepare(server.start())
        with load:
            for program in (KOYA, LAST_RELEASE, KOYA):
                load.admit(server)
                load.wait_rounds(2)
                load.stop(server)
                server = self.prepared("bootstrap", program).start()
                load.check_everything(server, again=True)
            load.admit(server)
            load.wait_rounds(2)
        load.check_everything(server, again=True)
        koya_upgrade.check_blobs(server.data / "blobs")


if __name__ == "__main__":
    if reason := koya_upgrade.why_no_last_release():
        print(f"skipped: {reason}")
        sys.exit(koya_e2e.SKIPPED)
    koya_e2e.main()
