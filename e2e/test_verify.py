"""Bytes that go bad where they are stored: koya verify names each, publishing again mends each."""
import hashlib
import json
import re

import koya_e2e
from koya_e2e import PLAIN_MODULE, tar_gz
from koya_provider import (SIGNATURE, SUMS, TWO, ZIP, PublishTestCase, author, good, publish,
                           signed, unsigned, write_dist)

ARMORED = SUMS + ".asc"
DAMAGES = ("cut short", "another byte", "gone")


def armored(files):
    """The same release with its signature in armor, as gpg --armor leaves it."""
    rest = {name: data for name, data in files.items() if name != SIGNATURE}
    return {**rest, ARMORED: author().sign(files[SUMS], "--armor")}


class LockFiles(PublishTestCase):
    def test_lock_files(self):
        address = self.namespace("locked") + "/demo"
        publish(self.koya, address, "1.0.0", good())
        name = f"{self.koya.address}/{address}"
        known = "zh:" + hashlib.sha256(good()[ZIP]).hexdigest()
        lock = self.folder / "lock.hcl"

        def verify(hashes, *more, status):
            lock.write_text(f'provider "{name}" {{\n  version = "1.0.0"\n  hashes = [\n'
                            + "".join(f'    "{each}",\n' for each in hashes) + "  ]\n}\n")
            run = self.koya.cli("verify", "--lock", lock, *more)
            self.assertEqual(run.returncode, status, run.stdout + run.stderr)
            return run
        run = verify([known], status=0)
        self.assertRegex(run.stdout, f"^{re.escape(name)} 1.0.0: 1 of 1 hashes known; published here 20")
        run = verify([known, "zh:" + "0" * 64], status=1)
        self.assertIn("differs: this registry has other bytes", run.stdout)
        [provider] = json.loads(verify([known, "h9:x"], "--json", status=0).stdout)["providers"]
        self.assertEqual((provider["file"], provider["from"], [each["state"] for each in provider["hashes"]]),
                         (str(lock), "published", ["known", "unchecked"]))
        lock.write_text("<<<<<<< HEAD\n")
        run = self.koya.cli("verify", "--lock", lock)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{lock}: line 1", run.stderr)
        self.assertEqual(self.koya.cli("verify", "--lock", lock, "--quick").returncode, 2)


class Verify(PublishTestCase):
    def verify(self, *arguments, status=0):
        run = self.koya.cli("verify", *arguments, "--json", timeout=120)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return json.loads(run.stdout)

    def blob(self, digest):
        return self.koya.data / "blobs/sha256" / digest[:2] / digest[2:]

    def damage(self, digest, how):
        blob = self.blob(digest)
        data = blob.read_bytes()
        if how == "gone":
            blob.unlink()
        elif how == "cut short":
            with open(blob, "r+b") as file:
                file.truncate(len(data) // 2)
        else:
            with open(blob, "r+b") as file:
                file.seek(len(data) // 2)
                file.write(bytes([data[len(data) // 2] ^ 1]))

    def assert_found(self, name, how):
        state = "missing" if how == "gone" else "damaged"
        report = self.verify(status=1)
        self.assertEqual([(each["name"], each["state"], each["repaired"])
                          for each in report["findings"]], [(name, state, False)], how)
        self.assertIn("publish the same again", report["findings"][0]["problem"])

    def assert_whole(self):
        report = self.verify()
        self.assertEqual((report["findings"], report["warnings"]), ([], []))

    def test_modules(self):
        for address, archive in (("verify/root/aws", tar_gz(PLAIN_MODULE)),
                                 ("verify/folder/aws", tar_gz(PLAIN_MODULE, top="vpc-1.0.0"))):
            published = self.koya.publish(address, "1.0.0", archive)
            digest = published["digest"].removeprefix("sha256:")
            served = self.blob(digest).read_bytes()
            for how in DAMAGES:
                with self.subTest(f"{address}: {how}"):
                    self.damage(digest, how)
                    self.assert_found(f"{address} 1.0.0", how)
                    answer = self.koya.put_module(address, "1.0.0", archive)
                    self.assertEqual(answer.status, 200, answer)
                    self.assertEqual(answer.json()["digest"], published["digest"])
                    self.assertEqual(self.koya.download(address, "1.0.0"), served)
                    self.assertEqual(self.blob(digest).read_bytes(), served)
                    self.assert_whole()

    def test_a_damaged_module_that_was_never_opened_answers_500(self):
        published = self.koya.publish("verify/cut/aws", "1.0.0",
                                      tar_gz({"main.tf": "# cut short\n"}))
        digest = published["digest"].removeprefix("sha256:")
        self.damage(digest, "cut short")
        answer = self.koya.get(self.koya.archive_path("verify/cut/aws", "1.0.0"))
        self.assertEqual(answer.status, 500, answer)
        self.assertIn("damaged", answer.errors())
        self.assertEqual(self.koya.put_module("verify/cut/aws", "1.0.0",
                                              tar_gz({"main.tf": "# cut short\n"})).status, 200)
        self.koya.download("verify/cut/aws", "1.0.0")
        self.assert_whole()

    def test_providers_with_the_command_line(self):
        address = self.namespace("verify") + "/demo"
        dist = write_dist(self.folder / "dist", armored(good()))
        publishing = ("publish", "provider", dist, address)
        run = self.koya.cli(*publishing)
        self.assertEqual(run.returncode, 0, run.stderr)
        base = f"/download/providers/{address}/1.0.0/"
        served = {name: self.koya.get(base + name).body for name in (ZIP, SUMS, SIGNATURE)}
        self.assertEqual(served[ZIP], good()[ZIP])
        for name, what in ((ZIP, "linux_amd64"), (SUMS, "SHA256SUMS"), (SIGNATURE, "SHA256SUMS")):
            digest = hashlib.sha256(served[name]).hexdigest()
            for how in DAMAGES:
                with self.subTest(f"{name}: {how}"):
                    self.damage(digest, how)
                    self.assert_found(f"{address} 1.0.0 {what}", how)
                    run = self.koya.cli(*publishing)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertIn("Already published", run.stdout)
                    self.assertEqual(self.koya.get(base + name).body, served[name])
                    self.assertEqual(self.blob(digest).read_bytes(), served[name])
                    self.assert_whole()
        run = self.koya.cli(*publishing)
        self.assertNotIn("damaged", run.stderr)

    def test_a_signature_that_cannot_be_made_again_is_said(self):
        address = self.namespace("unsigned") + "/demo"
        zips = unsigned("1.0.0", platforms=TWO, padding=b"# of its own\n")
        publish(self.koya, address, "1.0.0", signed(zips, author()))
        signature = self.koya.get(f"/download/providers/{address}/1.0.0/{SIGNATURE}").body
        digest = hashlib.sha256(signature).hexdigest()
        self.damage(digest, "gone")
        other = {**signed(zips, author()), SIGNATURE: author().sign(
            signed(zips, author())[SUMS], "--digest-algo", "SHA256")}
        dist = write_dist(self.folder / "dist", other)
        run = self.koya.cli("publish", "provider", dist, address)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(digest, run.stderr)
        self.assertIn("backup", run.stderr)
        # What was published stays what it was: the operator's backup mends it.
        self.assert_found(f"{address} 1.0.0 SHA256SUMS", "gone")
        self.blob(digest).write_bytes(signature)
        self.assert_whole()


class Ways(koya_e2e.SharedServerTestCase):
    """How it is asked, and where."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in "abc":
            cls.koya.publish(f"ways/{name}/aws", "1.0.0", tar_gz({"main.tf": f"# {name}\n"}))

    def run_verify(self, *arguments, status=0, **more):
        run = self.koya.cli("verify", *arguments, **more)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def test_it_goes_on_where_it_is_told(self):
        self.assertIn("Checked 3: 0 damaged", self.run_verify().stdout)
        self.assertIn("Checked 3: 0 damaged", self.run_verify("--quick", "--jobs", "1").stdout)
        report = self.run_verify("--json", "--after", "modules/ways/a/aws").stdout
        self.assertEqual(json.loads(report)["checked"], 2)
        run = self.run_verify("--after", "nowhere", status=1)
        self.assertIn("modules/acme/vpc/aws", run.stderr)
        run = self.koya.cli("mirror", "verify", "--json")
        self.assertEqual(json.loads(run.stdout)["checked"], 0)

    def test_wrong_usage(self):
        for arguments in (("--jobs", "0"), ("everything",), ("--data", "d", "--server", "https://a"),
                          ("--quik",)):
            run = self.run_verify(*arguments, status=2)
            self.assertIn("koya verify", run.stderr)

    def test_only_administrators_of_everything(self):
        made = self.koya.cli("token", "create", "of-ways", "--scope", "admin", "--namespace", "ways")
        token = made.stdout.strip()
        run = self.run_verify(status=1, environment={"KOYA_TOKEN": token})
        self.assertIn("belongs to no namespace", run.stderr)
        # An author may check what they may publish.
        path = "/api/v1/modules/ways/a/aws/1.0.0/verify"
        self.assertEqual(self.koya.request("POST", path, token=token).json()["state"], "ok")


class Stopped(koya_e2e.TestCase):
    def test_on_a_stopped_servers_data(self):
        koya = self.server()
        published = koya.publish("stopped/vpc/aws", "1.0.0", tar_gz(PLAIN_MODULE))
        run = koya_e2e.cli("verify", "--data", koya.data)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)  # it is running
        koya.stop()
        run = koya_e2e.cli("verify", "--data", koya.data)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        digest = published["digest"].removeprefix("sha256:")
        (koya.data / "blobs/sha256" / digest[:2] / digest[2:]).unlink()
        run = koya_e2e.cli("verify", "--data", koya.data, "--quick")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("stopped/vpc/aws 1.0.0: missing", run.stdout)
        self.assertIn("Checked 1: 1 damaged or missing, 0 repaired", run.stdout)
        koya.start()
        self.assertEqual(koya.put_module("stopped/vpc/aws", "1.0.0", tar_gz(PLAIN_MODULE)).status,
                         200)
        koya.download("stopped/vpc/aws", "1.0.0")


if __name__ == "__main__":
    koya_e2e.main()
