"""Looking after a registry: freeze, what the collector would remove, compacting, verification of
drafts, and the disaster of the runbook that no other test plays."""
import json
import shutil
import sqlite3
import unittest

import koya_e2e
import koya_s3
import koya_upstream
from koya_e2e import PLAIN_MODULE, Server, tar_gz, write_files
from koya_mirror import ALLOWED, PACKAGE, MirrorTestCase
from koya_provider import ZIP, author


class Operating(koya_e2e.TestCase):
    def setUp(self):
        super().setUp()
        self.module = write_files(self.folder / "module", PLAIN_MODULE)

    def registry(self, *arguments):
        """A server on the test's folder, for a with statement."""
        return Server(self.folder / "data", *arguments)

    def publish(self, koya, version, status=0):
        run = koya.cli("publish", "module", self.module, "acme/vpc/aws", version)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stderr

    def local(self, koya, *arguments, status=0):
        """A command on the data of a stopped server."""
        run = koya_e2e.cli(*arguments, "--data", koya.data, home=self.folder)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def test_a_frozen_registry_is_read_and_not_changed_until_that_ends(self):
        with self.registry() as koya:
            self.publish(koya, "1.0.0")
            self.assertFalse(json.loads(koya.cli("admin", "freeze", "--json").stdout)["frozen"])
            done = koya.cli("admin", "freeze", "on", "--reason", "moving, until 14:00")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("moving, until 14:00", done.stdout)
            self.assertIn("moving, until 14:00", self.publish(koya, "1.1.0", status=1))
            refused = koya.request("POST", "/api/v1/tokens", "{}", token=koya.token)
            self.assertEqual(refused.status, 503)
            self.assertEqual(refused.headers["Retry-After"], "30")
            self.assertEqual(koya.get("/v1/modules/acme/vpc/aws/versions").status, 200)
            self.assertTrue(koya.download("acme/vpc/aws", "1.0.0"))
            status = koya.cli("status", "--json")
            self.assertEqual(status.returncode, 1)
            self.assertIn("frozen", [each["code"] for each in json.loads(status.stdout)["todo"]])
            verified = koya.cli("verify", "--json")
            self.assertEqual(verified.returncode, 0, verified.stderr)
        # It lasts over a restart, and ends on the data of a stopped server, too.
        with self.registry() as koya:
            self.publish(koya, "1.1.0", status=1)
        self.assertIn("not frozen", self.local(koya, "admin", "freeze", "off").stdout)
        with self.registry() as koya:
            self.publish(koya, "1.1.0")
            for action in ("server.freeze", "server.unfreeze"):
                entries = koya.cli("audit", "list", "--action", action)
                self.assertIn(action, entries.stdout)
        self.assertEqual(koya.cli("admin", "freeze", "perhaps").returncode, 2)

    def test_the_collector_shows_what_it_would_remove(self):
        with self.registry("--blobs.gc_grace", "1s") as koya:
            self.publish(koya, "1.0.0")
            blobs = koya.data / "blobs"
            orphan = next(path for path in blobs.rglob("*") if path.is_file())
            plan = json.loads(koya.cli("admin", "gc", "--dry-run", "--json").stdout)
            self.assertGreaterEqual(plan["referenced"]["count"], 1)
            self.assertEqual(plan["unused"]["count"], 0)
            self.assertEqual(plan["grace_s"], 1)
            self.assertIsNone(plan["next"])
            shown = koya.cli("admin", "gc", "--dry-run")
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn("blobs.gc_grace", shown.stdout)
            self.assertTrue(orphan.exists())
        self.assertEqual(koya.cli("admin", "gc").returncode, 2, "it cannot be started by hand")

    def test_a_catalog_is_compacted_while_no_server_runs(self):
        with self.registry() as koya:
            self.publish(koya, "1.0.0")
            refused = koya_e2e.cli("admin", "compact", "--data", koya.data, home=self.folder)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("another koya server", refused.stderr)
        catalog = koya.data / "koya.db"
        with sqlite3.connect(catalog) as database:
            database.execute("CREATE TABLE filler (bytes BLOB)")
            database.execute("INSERT INTO filler VALUES (zeroblob(4000000))")
            database.execute("DROP TABLE filler")
        database.close()
        done = json.loads(self.local(koya, "admin", "compact", "--json").stdout)
        self.assertGreater(done["before"], done["after"] + 3_000_000)
        self.assertEqual(done["after"], catalog.stat().st_size)
        with self.registry() as koya:
            self.assertTrue(koya.download("acme/vpc/aws", "1.0.0"))

    def test_rows_that_were_lost_come_back_with_the_catalog_and_all_bytes_are_there(self):
        """Runbook: rows of the database."""
        with self.registry() as koya:
            self.publish(koya, "1.0.0")
        shutil.copy(koya.data / "koya.db", self.folder / "last-night.db")
        with self.registry() as koya:
            self.publish(koya, "1.1.0")
            gone = koya.cli("withdraw", "acme/vpc/aws", "1.0.0", "--reason", "mistake",
                            "--yes")
            self.assertEqual(gone.returncode, 0, gone.stderr)
        shutil.copy(self.folder / "last-night.db", koya.data / "koya.db")
        with self.registry() as koya:
            verified = koya.cli("verify", "--quick")
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
            self.assertTrue(koya.download("acme/vpc/aws", "1.0.0"))
            # What was published since can be published again.
            self.publish(koya, "1.1.0")

    def test_files_of_drafts_are_verified(self):
        with self.registry() as koya:
            opened = koya.request("POST", "/api/v1/providers/acme/demo/1.0.0/drafts", "{}",
                                  token=koya.token)
            self.assertEqual(opened.status, 201, opened)
            draft = opened.json()["id"]
            name = "terraform-provider-demo_1.0.0_manifest.json"
            sent = koya.request(
                "PUT", f"/api/v1/providers/acme/demo/1.0.0/drafts/{draft}/files/{name}",
                json.dumps({"version": 1, "metadata": {"protocol_versions": ["5.0"]}}),
                token=koya.token)
            self.assertIn(sent.status, (200, 201, 204), sent)
            whole = koya.cli("verify", "--json", "--rate", "1MiB/s")
            self.assertEqual(whole.returncode, 0, whole.stdout + whole.stderr)
            self.assertEqual(json.loads(whole.stdout)["checked"], 1)
            for path in (koya.data / "blobs").rglob("*"):
                if path.is_file():
                    path.write_bytes(path.read_bytes().replace(b"5.0", b"6.0"))
            damaged = koya.cli("verify")
            self.assertEqual(damaged.returncode, 1)
            self.assertIn(f"acme/demo 1.0.0 {name} (draft): damaged", damaged.stdout)
            resumed = koya.cli("verify", "--after", "drafts/" + "f" * 64)
            self.assertEqual(resumed.returncode, 0, resumed.stdout + resumed.stderr)
            self.assertEqual(koya.cli("verify", "--rate", "fast").returncode, 2)


@unittest.skipIf(koya_s3.missing(), f"not installed: {', '.join(koya_s3.missing())}")
class LostBucket(MirrorTestCase):
    def registry_on_bucket(self):
        return Server(
            self.folder / "data", *ALLOWED, "--upstream.hosts", self.upstream.host,
            "--upstream.ca_file", koya_upstream.certificate()[1], "--blobs.url", "s3://archives/koya",
            "--blobs.s3.endpoint", f"http://127.0.0.1:{self.store.port}", "--blobs.s3.region",
            koya_s3.REGION, "--blobs.s3.access_key_file", str(self.folder / "keys"))

    def test_a_lost_bucket_is_filled_again(self):
        """Runbook: the bucket."""
        self.store = koya_s3.Radosgw(self.folder / "ceph")
        self.addCleanup(self.store.kill)
        self.store.start().make_bucket("archives")
        (self.folder / "keys").write_text(f"{koya_s3.ACCESS}\n{koya_s3.SECRET}\n")
        self.upstream = self.registry()
        self.upstream.add("theirs/demo", self.files, author())
        package = PACKAGE.path(self.upstream, "theirs/demo")
        archive = tar_gz({"main.tf": "# ours\n"})
        with self.registry_on_bucket() as koya:
            koya.publish("acme/vpc/aws", "1.0.0", archive)
            self.assertEqual(koya.get(package).body, self.files[ZIP])
            self.assertEqual(koya.cli("admin", "freeze", "on").returncode, 0)
        for key in list(self.store.objects("archives")):
            self.store.delete("archives", key)
        config = self.folder / "adopt.toml"
        config.write_text(
            f'server.data = "{koya.data}"\nserver.insecure_http = true\nblobs.url = "s3://archives/koya"\n'
            f'blobs.s3.endpoint = "http://127.0.0.1:{self.store.port}"\n'
            f'blobs.s3.region = "{koya_s3.REGION}"\nblobs.s3.access_key_file = "{self.folder}/keys"\n')
        adopted = koya_e2e.cli("admin", "adopt-storage", "--config", config, home=self.folder)
        self.assertEqual(adopted.returncode, 0, adopted.stderr)
        # The package of the other registry is in no cache any more.
        shutil.rmtree(koya.data / "cache/sha256")
        again = self.registry_on_bucket()
        again.listen = koya.listen
        with again:
            self.assertEqual(again.cli("admin", "freeze", "off").returncode, 0)
            found = again.cli("verify", "--repair", "--json")
            self.assertEqual(found.returncode, 1, "a copy of ours is needed")
            lost = [each["address"] for each in json.loads(found.stdout)["findings"]
                    if not each["repaired"]]
            self.assertIn("acme/vpc/aws", lost)
            self.assertNotIn("theirs/demo", " ".join(lost))
            published = again.put_module("acme/vpc/aws", "1.0.0", archive)  # the same bytes again
            self.assertEqual(published.status, 200, published)
            found = again.cli("verify", "--json")
            self.assertEqual(found.returncode, 0, found.stdout)
            self.assertEqual(again.download("acme/vpc/aws", "1.0.0"), archive)
            self.assertEqual(again.get(package).body, self.files[ZIP])


if __name__ == "__main__":
    koya_e2e.main()
