"""A real client meets the policy on releases of other registries.

usage: test_policy_install.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH.
"""
import datetime

import koya_client
from koya_e2e import tar_gz, wait_until, write_files
from koya_mirror import ALLOWED, MirrorTestCase
from koya_provider import PLATFORM, author, key, platforms_with_ours, release
from test_mirror_install import MirrorClient

RULES = """version = 1
believe_times_of = ["{host}"]

[[rule]]
name = "{name}"
match = ["*/*/*", "*/*/*/*"]
{condition}
"""


def ago(**since):
    at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**since)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


class Policy(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", cls.upstream)
        cls.free = cls.mirror("free", cls.upstream)  # a server without a policy

    def offer(self, address, *ages, keys=None):
        """Versions 1.0.0, 1.1.0 … that were released so long ago."""
        for minor, _ in enumerate(ages):
            version = f"1.{minor}.0"
            signer = (keys or {}).get(version, author())
            files = release(version, signer, platforms=platforms_with_ours(PLATFORM))
            self.upstream.add(address, files, signer, version=version)
        listed = self.upstream.listed[address]
        self.upstream.put(self.upstream.versions_path(address), {"versions": [
            {**each, "discovered": ago(**age)} for each, age in zip(listed, ages)]})

    def set(self, condition, name="cool-down", koya=None):
        file = self.folder / "policy.toml"
        file.write_text(RULES.format(host=self.upstream.host, name=name, condition=condition))
        run = (koya or self.koya).cli("policy", "set", file, "--reason", "a test")
        self.assertEqual(run.returncode, 0, run.stderr)

    def client(self, name, address, constraint="~> 1.0", koya=None):
        koya, host = koya or self.koya, self.upstream.host
        services = (f'{{ "providers.v1" = "{koya.url}/origin/{host}/v1/providers/"\n'
                    f'"modules.v1" = "{koya.url}/origin/{host}/v1/modules/" }}')
        settings = f'host "{host}" {{\n  services = {services}\n}}\n'
        client = MirrorClient(koya, host, self.folder / name, settings)
        return client.require(demo=(address, constraint)) if address else client

    def test_the_version_before_is_installed_and_the_reason_is_printed(self):
        self.offer("before/demo", {"days": 30}, {"days": 2})
        self.set('minimum_age = "7d"')
        client = self.client("before", "before/demo")
        said = client.succeed("init", "-no-color")
        self.assertEqual(client.locked("before/demo")[0], "1.0.0")
        self.assertIn("before/demo 1.1.0 is held until", said)
        self.assertIn("releases must be 7 days old (rule cool-down)", " ".join(said.split()))

    def test_a_version_that_was_handed_out_stays(self):
        self.set('prereleases = "refuse"')
        self.offer("stays/demo", {"days": 30}, {"days": 2})
        client = self.client("stays", "stays/demo")
        client.succeed("init", "-no-color")
        self.assertEqual(client.locked("stays/demo")[0], "1.1.0")
        self.set('minimum_age = "7d"')
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")
        self.assertEqual(client.locked("stays/demo")[0], "1.1.0")

    def test_a_lock_file_from_elsewhere_with_a_held_version_is_refused_in_words(self):
        self.offer("elsewhere/demo", {"days": 30}, {"days": 2})
        self.set('minimum_age = "7d"')
        there = self.client("there", "elsewhere/demo", koya=self.free)
        there.succeed("init", "-no-color")
        self.assertEqual(there.locked("elsewhere/demo")[0], "1.1.0")
        here = self.client("here", "elsewhere/demo")
        write_files(here.config, {".terraform.lock.hcl":
                                  (there.config / ".terraform.lock.hcl").read_text()})
        said = here.refuse("init", "-no-color")
        self.assertIn("elsewhere/demo 1.1.0 is held until", said)

    def test_it_installs_when_its_time_has_come(self):
        self.offer("time/demo", {"days": 30}, {"seconds": 0})
        self.set('minimum_age = "20s"')

        def newest():
            got = self.koya.get(f"/origin/{self.upstream.host}/v1/providers/time/demo/versions")
            return got.json()["versions"][-1]["version"]
        self.assertEqual(newest(), "1.0.0")
        wait_until(lambda: newest() == "1.1.0", "1.1.0 is old enough", 60)
        client = self.client("time", "time/demo")
        client.succeed("init", "-no-color")
        self.assertEqual(client.locked("time/demo")[0], "1.1.0")

    def test_another_key_is_held(self):
        self.offer("keys/demo", {"days": 30}, {"days": 20}, keys={"1.1.0": key("nistp256")})
        self.set('proof = "no-downgrade"', "proofs")
        client = self.client("keys", "keys/demo")
        said = client.succeed("init", "-no-color")
        self.assertEqual(client.locked("keys/demo")[0], "1.0.0")
        self.assertIn("it has less proof than the version before it (rule proofs)", " ".join(said.split()))

    def test_modules(self):
        for version in ("1.0.0", "1.1.0"):
            archive = tar_gz({"main.tf": f'output "made" {{\n  value = "{version}"\n}}\n'.encode()})
            self.upstream.add_module("held/vpc/aws", archive, version)
        self.upstream.list_modules("held/vpc/aws", "1.0.0", "1.1.0",
                                   discovered={"1.0.0": ago(days=30), "1.1.0": ago(days=2)})
        self.set('minimum_age = "7d"')

        def call(name, constraint):
            client = self.client(name, None)
            write_files(client.config, {"main.tf": f"""
module "vpc" {{
  source  = "{self.upstream.host}/held/vpc/aws"
  version = "{constraint}"
}}
"""})
            return client
        said = call("module-range", "~> 1.0").succeed("init", "-no-color")
        self.assertIn("1.0.0", said)
        self.assertNotIn("1.1.0", said)
        said = call("module-exact", "1.1.0").refuse("init", "-no-color")
        self.assertIn("The newest available version is 1.0.0", said)


if __name__ == "__main__":
    koya_client.main()
