"""What nobody has read inside modules is read in the background, or at once by the command."""
import json
import sqlite3

import koya_e2e
from koya_e2e import tar_gz, wait_until
from koya_mirror import MirrorTestCase

FILES = {"main.tf": 'variable "cidr_block" {\n  type = string\n}\n'}


def forget(data):
    """As if an older program had published it all: nobody has looked inside."""
    database = sqlite3.connect(data / "koya.db")
    with database:
        gone = database.execute("DELETE FROM module_contents").rowcount
    database.close()
    return gone


def kept(data):
    database = sqlite3.connect(f"file:{data / 'koya.db'}?mode=ro", uri=True)
    try:
        return database.execute("SELECT COUNT(*) FROM module_contents").fetchone()[0]
    finally:
        database.close()


class Readings(koya_e2e.TestCase):
    def published(self):
        koya = self.server()
        for version in ("1.0.0", "1.1.0"):
            koya.publish("acme/network/aws", version, tar_gz({**FILES, "version.tf": f"# {version}\n"}))
        koya.stop()
        self.assertEqual(forget(koya.data), 2)
        return koya

    def test_the_background_reads_what_an_older_program_published(self):
        koya = self.published()
        koya.start()
        wait_until(lambda: kept(koya.data) == 2, "the background has read them")
        inside = koya.get("/api/v1/modules/acme/network/aws/1.0.0").json()
        self.assertEqual([each["name"] for each in inside["root"]["inputs"]], ["cidr_block"])

    def test_the_command_reads_a_stopped_servers_data(self):
        koya = self.published()
        run = koya_e2e.cli("inspect", "--all", "--data", koya.data, "--json", home=self.folder)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(json.loads(run.stdout),
                         {"next": None, "read": 2, "left": 0, "problems": []})
        self.assertIn("2 of 2 analyzed", run.stderr)
        self.assertEqual(kept(koya.data), 2)

    def test_the_command_names_what_cannot_be_read(self):
        koya = self.published()
        archives = [each for each in koya.data.rglob("*") if each.is_file()
                    and each.read_bytes()[:2] == b"\x1f\x8b"]
        self.assertEqual(len(archives), 2)
        archives[0].chmod(0o600)
        archives[0].write_bytes(b"no archive" + archives[0].read_bytes()[10:])
        run = koya_e2e.cli("inspect", "--all", "--data", koya.data, "--json", home=self.folder)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual((report["read"], report["left"]), (1, 1))
        self.assertEqual([each["address"] for each in report["problems"]], ["acme/network/aws"])
        self.assertIn("cannot be read", run.stderr)

    def test_it_takes_an_administrator(self):
        koya = self.server()
        made = json.loads(koya.cli("token", "create", "reader", "--scope", "read",
                                   "--json").stdout)
        for token, status in ((None, 401), (made["token"], 403)):
            answer = koya.request("POST", "/api/v1/inspect", b"{}", token=token)
            self.assertEqual(answer.status, status, answer)


class Mirrored(MirrorTestCase):
    def test_what_was_mirrored_is_read(self):
        upstream = self.registry()
        koya = self.mirror("data", upstream)
        upstream.add_module("acme/vpc/aws", tar_gz(FILES), suffix="tar.gz")
        got = koya.get(f"/origin/{upstream.host}/v1/modules/acme/vpc/aws/1.0.0/download")
        self.assertEqual(got.status, 204, got)
        run = koya.cli("inspect", "--all", "--json")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual((report["left"], report["problems"]), (0, []))
        self.assertEqual(kept(koya.data), 1, "before anybody has asked for it")
        inside = koya.get(f"/api/v1/mirror/modules/{upstream.host}/acme/vpc/aws/1.0.0/inside",
                          token=koya.token).json()
        self.assertEqual([each["name"] for each in inside["root"]["inputs"]], ["cidr_block"])
        found = koya.get("/api/v1/search?q=cidr_block%20kind:input").json()
        self.assertEqual([(each["address"], each["hostname"]) for each in found["hits"]],
                         [(f"{upstream.host}/acme/vpc/aws", upstream.host)])
        self.assertEqual(koya.get("/v1/modules/search?q=vpc").json()["modules"], [])
        koya.stop()
        self.assertEqual(forget(koya.data), 1)
        koya.start()
        wait_until(lambda: kept(koya.data) == 1, "the background has read it")


if __name__ == "__main__":
    koya_e2e.main()
