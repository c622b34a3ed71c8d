"""What servers of earlier schemas kept opens with this program: all is there, and work goes on."""
import base64
import json
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
import urllib.parse

import koya_e2e
import koya_provider
import test_postgres
from koya_e2e import Server

OLDER = pathlib.Path(__file__).resolve().parent / "older"
SCHEMAS = sorted(folder.name for folder in OLDER.glob("schema-*"))


class OlderData(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def restore(self, schema):
        """A data folder with the blobs and the secret; the catalog is the caller's."""
        data = self.folder / schema
        facts = json.loads((OLDER / schema / "facts.json").read_text())
        for digest, text in json.loads((OLDER / schema / "blobs.json").read_text()).items():
            path = data / "blobs/sha256" / digest[:2] / digest[2:]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(text))
        (data / "server.secret").write_text(facts["secret"])
        return data, facts

    def assert_all_there(self, koya, draft, token):
        listed = koya.get("/v1/modules/acme/vpc/aws/versions").json()["modules"][0]["versions"]
        self.assertEqual([each["version"] for each in listed], ["1.0.0"])
        archive = koya_e2e.tar_gz({"main.tf": "# größe 1.0.0\n"})
        self.assertEqual(koya.download("acme/vpc/aws", "1.0.0"), archive)
        self.assertEqual(koya.put_module("Acme/vpc/aws", "1.0.0", archive, token).status, 200)
        self.assertEqual(koya.put_module("acme/vpc/aws", "1.1.0", archive, token).status, 409,
                         "it was withdrawn")
        self.assertEqual(koya.put_module("beta/vpc/aws", "1.0.0", archive, token).status, 403)

        document = koya_provider.download(koya, "acme/demo", "1.0.0", "linux_amd64")
        (key,) = document["signing_keys"]["gpg_public_keys"]
        zips = koya_provider.unsigned("1.0.0", platforms=("linux_amd64",))
        for name, data in zips.items():
            answer = koya.get(f"/download/providers/acme/demo/1.0.0/{name}")
            self.assertEqual((answer.status, answer.body), (200, data))

        path = f"/api/v1/providers/acme/demo/1.1.0/drafts/{draft}/commit"
        answer = koya.request("POST", path, '{"sign": true}', token=token)
        self.assertEqual(answer.status, 404, "it belongs to another, who opened it")
        answer = koya.request("POST", path, '{"sign": true}', token=koya.token)
        self.assertEqual(answer.status, 201, answer)
        document = koya_provider.download(koya, "acme/demo", "1.1.0", "linux_amd64")
        self.assertEqual(document["signing_keys"]["gpg_public_keys"], [key], "sealed by the secret")

        mirrored = "/mirror/registry.example.com/acme/other/"
        archives = koya.get(mirrored + "2.0.0.json").json()["archives"]
        (other,) = koya_provider.unsigned("2.0.0", "other", platforms=("linux_amd64",)).values()
        self.assertIn(koya_provider.zh(other), archives["linux_amd64"]["hashes"])
        url = urllib.parse.urljoin(mirrored, archives["linux_amd64"]["url"])
        answer = koya.get(url)
        self.assertEqual((answer.status, answer.body), (200, other), url)

    def test_a_data_folder(self):
        for schema in SCHEMAS:
            with self.subTest(schema):
                data, facts = self.restore(schema)
                with sqlite3.connect(data / "koya.db") as database:
                    database.executescript((OLDER / schema / "catalog.sqlite.sql").read_text())
                database.close()
                with Server(data) as koya:
                    self.assert_all_there(koya, **facts["sqlite"])
                with Server(data) as koya:
                    self.assertIn("1.1.0", koya_provider.versions(koya, "acme/demo"))

    @unittest.skipUnless((test_postgres.POSTGRES / "postgres").exists(),
                         "PostgreSQL 15 is not installed")
    def test_a_postgresql_dump(self):
        for schema in SCHEMAS:
            with self.subTest(schema), tempfile.TemporaryDirectory(prefix="koya-e2e-") as folder:
                data, facts = self.restore(schema)
                cluster = pathlib.Path(folder) / "postgres"
                cluster.mkdir()
                with test_postgres.Postgres(cluster) as postgres:
                    psql = [test_postgres.POSTGRES / "psql", "-q", "-v", "ON_ERROR_STOP=1",
                            "-f", OLDER / schema / "catalog.postgres.sql", postgres.url]
                    subprocess.run(psql, check=True, capture_output=True)
                    with Server(data, "--catalog.url", postgres.url) as koya:
                        self.assert_all_there(koya, **facts["postgres"])


if __name__ == "__main__":
    koya_e2e.main()
