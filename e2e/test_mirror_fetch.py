"""`koya mirror fetch` warms a mirror; afterwards a real client needs no upstream.

usage: test_mirror_fetch.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. Clients trust Koya's certificate and no other.
"""
import json
import re
import subprocess
import threading
import types

import koya_client
import koya_e2e
import koya_upstream
from koya_client import Client
from koya_e2e import wait_until
from koya_mirror import ALLOWED, MirrorTestCase
from koya_provider import PLATFORM, STEM, author, platforms_with_ours, release, stem, zh

BOTH = platforms_with_ours("darwin_arm64")
MODULE = {"main.tf": 'output "name" {\n  value = "pulled"\n}\n'}


class MirrorFetch(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.versions = {each: release(each, author(), platforms=BOTH)
                        for each in ("1.0.0", "1.1.0", "2.0.0")}

    def start(self, name):
        """A registry with acme/demo in three versions, and an empty mirror of it."""
        self.upstream = self.registry()
        for version, files in self.versions.items():
            self.upstream.add("acme/demo", files, author(), version=version)
        self.upstream.add_module("acme/vpc/aws", koya_e2e.tar_gz(MODULE), "1.2.0")
        self.koya = self.mirror(name, self.upstream, arguments=ALLOWED)
        return self.upstream.host

    def fetch(self, *arguments, status=0, koya=None):
        run = (koya or self.koya).cli("mirror", "fetch", *arguments)
        self.assertEqual(run.returncode, status, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def client(self, name, koya=None):
        koya = koya or self.koya
        host = self.upstream.host
        client = Client(koya_client.PROGRAM, types.SimpleNamespace(address=host, data=koya.data),
                        self.folder / name)
        settings = client.folder / "client.tfrc"
        settings.write_text(koya.cli("client-config", "--upstream", host).stdout)
        inherited = client.environment
        client.environment = lambda: {**inherited(), "TF_CLI_CONFIG_FILE": str(settings)}
        return client

    def asked(self, version, platform=PLATFORM):
        return self.upstream.asked(
            self.upstream.file_path("acme/demo", f"{stem('demo', version)}_{platform}.zip"))

    def test_an_address(self):
        host = self.start("address")
        said = self.fetch(f"{host}/acme/demo@~> 1.0").stdout
        self.assertIn(f"{host}/acme/demo 1.1.0 {PLATFORM}", said)
        self.assertEqual([self.asked(each) for each in self.versions], [0, 1, 0])
        self.fetch("acme/demo", "--default-host", host, "--all-versions",
                   *(word for each in BOTH for word in ("--platform", each)))
        for version in self.versions:
            self.assertEqual([self.asked(version, each) for each in BOTH], [1, 1])
        self.upstream.off()
        client = self.client("address-client").require(demo=("acme/demo", "~> 1.0"))
        client.succeed("init", "-no-color")
        self.assertEqual(client.locked("acme/demo")[0], "1.1.0")

    def test_a_lock_file(self):
        self.start("first")
        other = self.mirror("second", self.upstream, arguments=ALLOWED)
        client = self.client("lock-client").require(demo=("acme/demo", "1.0.0"))
        client.succeed("init", "-no-color")
        lock = client.config / ".terraform.lock.hcl"
        self.fetch("--lock", lock, "--platform", BOTH[0], "--platform", BOTH[1], koya=other)
        text = lock.read_text()
        lock.write_text(re.sub(r'"zh:[0-9a-f]{4}', '"zh:0000', re.sub(r'"h1:...', '"h1:AAA', text)))
        said = self.fetch("--lock", lock, koya=other, status=1).stderr
        self.assertIn("hash mismatch", said)
        served = zh(self.versions["1.0.0"][f"{STEM}_{PLATFORM}.zip"])
        self.assertIn(served, said)
        self.assertIn("zh:0000" + served[7:], said)
        lock.write_text(text)
        self.upstream.off()
        away = self.client("lock-away", other).require(demo=("acme/demo", "1.0.0"))
        (away.config / ".terraform.lock.hcl").write_text(text)
        away.succeed("init", "-no-color", "-lockfile=readonly")

    def test_a_lock_file_is_verified_with_packages_fetched_for_it(self):
        host = self.start("verified")
        address, lock = f"{host}/acme/demo", self.folder / "verified.hcl"

        def verify(*hashes, fetch):
            lock.write_text(f'provider "{address}" {{\n  version = "1.0.0"\n  hashes = [\n'
                            + "".join(f'    "{each}",\n' for each in hashes) + "  ]\n}\n")
            run = self.koya.cli("verify", "--lock", lock, "--json", *(["--fetch"] if fetch else []))
            [provider] = json.loads(run.stdout)["providers"]
            return run.returncode, [each["state"] for each in provider["hashes"]]

        zips = [zh(self.versions["1.0.0"][f"{STEM}_{each}.zip"]) for each in BOTH]
        self.assertEqual(verify(*zips, "h1:other=", fetch=False), (1, ["unknown"] * 3))
        self.assertEqual(verify(*zips, "h1:other=", fetch=True), (1, ["known", "known", "differs"]))
        self.assertEqual([self.asked("1.0.0", each) for each in BOTH], [1, 1])
        archives = self.koya.get(f"/mirror/{address}/1.0.0.json").json()["archives"]
        h1 = [each for archive in archives.values() for each in archive["hashes"] if each.startswith("h1:")]
        self.assertEqual(verify(*h1, fetch=True), (0, ["known"] * len(h1)))
        self.assertEqual([self.asked("1.0.0", each) for each in BOTH], [1, 1])

    def test_a_configuration(self):
        host = self.start("config")
        client = self.client("config-client")
        files = {
            "main.tf": f'''module "inner" {{
  source = "./inner"
}}
module "vpc" {{
  source  = "{host}/acme/vpc/aws"
  version = "~> 1.0"
}}
''',
            "inner/main.tf": f'''terraform {{
  required_providers {{
    demo = {{
      source  = "{host}/acme/demo"
      version = "< 2.0"
    }}
  }}
}}
''',
        }
        koya_e2e.write_files(client.config, files)
        run = self.fetch("--config", client.config, "--json")
        document = json.loads(run.stdout)
        self.assertEqual(document["failed"], [])
        self.assertEqual(
            sorted((each["address"], each["version"]) for each in document["fetched"]),
            [(f"{host}/acme/demo", "1.1.0"), (f"{host}/acme/vpc/aws", "1.2.0")])
        self.upstream.off()
        client.succeed("init", "-no-color")
        self.assertEqual(client.locked("acme/demo")[0], "1.1.0")

    def test_what_is_not_there(self):
        host = self.start("unknown")
        said = self.fetch(f"{host}/acme/nothing", f"{host}/acme/none/aws", f"{host}/acme/demo@> 2",
                          f"{host}/acme/demo@9.9.9", "strange.example.test/acme/demo",
                          f"{host}/acme/demo@1.0.0", status=1)
        self.assertEqual(said.stderr.count("koya: "), 5, said.stderr)
        for address in ("acme/nothing", "acme/none/aws", "acme/demo: no version",
                        "strange.example.test/acme/demo"):
            self.assertIn(address, said.stderr)
        self.assertIn("1 fetched or already cached, 5 failed", said.stdout)

    def test_again_after_it_broke_off(self):
        host = self.start("again")
        path = self.upstream.file_path("acme/demo", f"{stem('demo', '1.1.0')}_{PLATFORM}.zip")
        self.upstream.faults[path] = koya_upstream.flipped
        run = self.fetch(f"{host}/acme/demo", "--all-versions", status=1)
        self.assertIn("2 fetched or already cached, 1 failed", run.stdout)
        del self.upstream.faults[path]
        before = self.upstream.asked(path)
        self.fetch(f"{host}/acme/demo", "--all-versions")
        self.assertEqual(self.upstream.asked(path), before + 1)
        self.assertEqual([self.asked("1.0.0"), self.asked("2.0.0")], [1, 1])
        total = self.upstream.total()
        self.fetch(f"{host}/acme/demo", "--all-versions")
        self.assertEqual(self.upstream.total(), total)
        self.assert_only_ours_is_kept(*(data for files in self.versions.values()
                                        for data in files.values()))

    def test_the_doctor_follows_a_provider(self):
        host = self.start("doctor")
        trust = {"SSL_CERT_FILE": str(koya_upstream.certificate()[1])}
        run = self.koya.cli("doctor", f"https://{host}", "--provider", "acme/demo", environment=trust)
        for words in ("3 versions, the newest is 2.0.0", f"{stem('demo', '2.0.0')}_{PLATFORM}.zip",
                      "SHA256SUMS names 2 packages", "its hash is that of SHA256SUMS"):
            self.assertIn(words, run.stdout)
        path = self.upstream.file_path("acme/demo", f"{stem('demo', '2.0.0')}_{PLATFORM}.zip")
        self.upstream.faults[path] = koya_upstream.flipped
        run = self.koya.cli("doctor", f"https://{host}", "--provider", "acme/demo", environment=trust)
        self.assertEqual(run.returncode, 1)
        self.assertIn("which is not that of SHA256SUMS", run.stdout)

    def test_it_waits_for_the_whole_package(self):
        host = self.start("slow")
        gate = threading.Event()
        self.addCleanup(gate.set)
        path = self.upstream.file_path("acme/demo", f"{STEM}_{PLATFORM}.zip")
        self.upstream.faults[path] = koya_upstream.held(gate)
        process = subprocess.Popen(
            [str(koya_e2e.KOYA), "mirror", "fetch", f"{host}/acme/demo@1.0.0"],
            env=koya_e2e.clean_environment(HOME="/nonexistent", **self.koya.dev_environment),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with process:
            self.addCleanup(process.kill)
            wait_until(lambda: self.upstream.asked(path), "the package is asked for")
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(1)  # half of the package is not enough
            gate.set()
            output = process.communicate(timeout=30)[0]
        self.assertEqual(process.returncode, 0, output)
        self.assertEqual(self.upstream.asked(path), 1)


if __name__ == "__main__":
    koya_client.main()
