"""Releases of known providers that were made again, or signed with another key, as they happened:
each meets this registry before or after the change, and a real client after both.

Each test names the public report, and each provider has its own name at a scripted registry. Of a
registry that indexes a release once, the documents keep the first digests (registry.opentofu.org);
of one that reads releases again, they follow (registry.terraform.io).

usage: test_rereleases.py [--client=terraform,tofu]
"""
import json
import urllib.request

import koya_client
from koya_e2e import wait_until
from koya_mirror import ALLOWED, CUT, MirrorTestCase, fetch, status
from koya_provider import (PLATFORM, author, key, platforms_with_ours, release, stem, sums_of,
                           unsigned, zh)
from test_mirror_install import MirrorClient
from test_policy_install import ago

PLATFORMS = platforms_with_ours("darwin_arm64")
OTHER = next(each for each in PLATFORMS if each != PLATFORM)
OTHER_BYTES = "its registry now offers other bytes than those seen first"


def build(address, version, signer=None, again=False):
    """The files of a release; `again`: of a second build from the same source."""
    return release(version, signer or author(), type_name=address.split("/")[1], platforms=PLATFORMS,
                   padding=b"# built again\n" if again else b"")


def zip_name(address, version, platform=PLATFORM):
    return f"{stem(address.split('/')[1], version)}_{platform}.zip"


class Rereleases(MirrorTestCase):
    def setUp(self):
        name = self._testMethodName
        self.upstream = self.registry()
        self.koya = self.mirror(name, self.upstream, arguments=(
            *ALLOWED, "--policy.watch", "1s", "--mirror.freshness", "1s"))
        self.home = self.folder / f"{name}-clients"

    # ---- the registry

    def offer(self, address, version, files, signer=None, **age):
        """Lists a release that was made so long ago."""
        self.upstream.add(address, files, signer or author(), version=version)
        self.upstream.listed[address][-1]["discovered"] = ago(**age)
        self.upstream.put(self.upstream.versions_path(address), {"versions": self.upstream.listed[address]})

    def replace(self, address, version, files, signer=None, indexed_again=True):
        """Offers other files under a version that is listed; the registry's documents may not follow."""
        if not indexed_again:
            for name, data in files.items():
                self.upstream.put(self.upstream.file_path(address, name), data)
            return
        listed = list(self.upstream.listed[address])
        self.upstream.add(address, files, signer or author(), version=version)
        self.upstream.listed[address] = listed
        self.upstream.put(self.upstream.versions_path(address), {"versions": listed})

    # ---- this registry

    def run_koya(self, *arguments, status=0):
        run = self.koya.cli(*arguments)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def set(self, *conditions, exception=""):
        """Puts rules in force, each named as its condition, and one exception (its members)."""
        rules = "".join(f'\n[[rule]]\nname = "{each.split()[0]}"\nmatch = ["*/*/*"]\n{each}\n'
                        for each in conditions)
        if exception:
            exception = f'\n[[exception]]\n{exception}\nuntil = 2100-01-01\nreason = "the author says so"\n'
        file = self.folder / "policy.toml"
        file.write_text(f'version = 1\nbelieve_times_of = ["{self.upstream.host}"]\n{rules}{exception}')
        self.run_koya("policy", "set", file, "--reason", "a test")

    def explain(self, address, version):
        run = self.koya.cli("policy", "explain", f"{self.upstream.host}/{address}", version, "--json")
        return json.loads(run.stdout)

    def get_zip(self, address, version, platform=PLATFORM):
        name = zip_name(address, version, platform)
        return fetch(self.koya, f"/mirror/{self.upstream.host}/{address}/{version}/{name}")

    def wait_for_list(self, address, version):
        """Until this registry has read a list with that version, or speaks of it there."""
        path = f"/origin/{self.upstream.host}/v1/providers/{address}/versions"
        wait_until(lambda: version in self.koya.get(path).body.decode(), f"{version} is in the list")

    def restart(self):
        """A server that started compares what it holds without waiting for the next day."""
        self.koya.stop()
        self.koya.start()

    def metrics(self):
        with urllib.request.urlopen(self.koya.dev_environment["KOYA_METRICS"] + "/metrics") as answer:
            return answer.read().decode()

    def verify_lock(self, client, status):
        return self.run_koya("verify", "--lock", client.config / ".terraform.lock.hcl", status=status).stdout

    # ---- clients

    def client(self, name, address, constraint):
        host = self.upstream.host
        services = f'{{ "providers.v1" = "{self.koya.url}/origin/{host}/v1/providers/" }}'
        client = MirrorClient(self.koya, host, self.home / name, f'host "{host}" {{\n  services = {services}\n}}\n')
        return client.require(demo=(address, constraint))

    def install(self, client, address, version, *arguments):
        """Runs init; asserts that it installed that version, and returns its output."""
        said = client.succeed("init", "-no-color", *arguments)
        self.assertEqual(client.locked(address)[0], version, said)
        return said

    # ---- what happened

    def test_databricks_built_twice_within_minutes(self):
        """databricks/terraform-provider-databricks#3660: 1.47.0 had other checksums for some minutes."""
        address = "databricks/databricks"
        self.set('minimum_age = "7d"', 'signature = "required"')
        self.offer(address, "1.46.0", build(address, "1.46.0"), days=30)
        self.offer(address, "1.47.0", build(address, "1.47.0"), minutes=5)
        said = self.install(self.client("first", address, "~> 1.46"), address, "1.46.0")
        self.assertIn(f"{address} 1.47.0 is held until", said)
        self.assertTrue(self.explain(address, "1.47.0")["pinned"], "on its first day")
        self.replace(address, "1.47.0", build(address, "1.47.0", again=True))
        self.restart()
        wait_until(lambda: self.explain(address, "1.47.0")["verdict"] == "refuse", "the change is noticed")
        verdict = self.explain(address, "1.47.0")
        self.assertEqual((verdict["reasons"][0]["text"], verdict["until"], verdict["instead"]),
                         (OTHER_BYTES, None, "1.46.0"))
        said = self.install(self.client("second", address, "~> 1.46"), address, "1.46.0")
        self.assertIn(f"{address} 1.47.0 is refused: {OTHER_BYTES}", said)
        self.assertIn(f"1.47.0 is refused: {OTHER_BYTES}", self.client("exact", address, "1.47.0").refuse(
            "init", "-no-color"))
        self.assertIn(OTHER_BYTES, self.get_zip(address, "1.47.0").errors())
        [entry] = json.loads(self.run_koya("audit", "list", "--action", "policy.changed", "--json").stdout)["entries"]
        self.assertIn("1.47.0", json.dumps(entry))
        self.assertIn("\nkoya_policy_changed_total 1\n", self.metrics())
        # An exception does not lift it; the author's next version does.
        self.set('minimum_age = "7d"', exception=f'rules = ["minimum_age"]\nmatch = ["*/{address}"]\n'
                                                 'versions = "1.47.0"')
        self.assertEqual(self.explain(address, "1.47.0")["verdict"], "refuse")
        self.offer(address, "1.48.0", build(address, "1.48.0"), days=8)
        self.wait_for_list(address, "1.48.0")
        self.install(self.client("third", address, "1.48.0"), address, "1.48.0")

    def test_cloudposse_built_again_by_hand(self):
        """cloudposse/terraform-provider-utils#536: a manual run replaced the files of 2.2.0."""
        address = "cloudposse/utils"
        first, second = build(address, "2.2.0"), build(address, "2.2.0", again=True)
        self.offer(address, "2.2.0", first, hours=2)
        client = self.client("first", address, "~> 2.2")
        self.install(client, address, "2.2.0")
        self.replace(address, "2.2.0", second, indexed_again=False)
        # Those who have its lock file, and those who come new, get the bytes seen first.
        self.install(client.forget(), address, "2.2.0", "-lockfile=readonly")
        newcomer = self.client("newcomer", address, "2.2.0")
        self.install(newcomer, address, "2.2.0")
        self.assertIn(zh(first[zip_name(address, "2.2.0")]), newcomer.locked(address)[1])
        self.assertIn("hashes known", self.verify_lock(newcomer, 0))
        # A lock file of the second build, made elsewhere.
        lock = newcomer.config / ".terraform.lock.hcl"
        lock.write_text(lock.read_text().replace(zh(first[zip_name(address, "2.2.0")]),
                                                 zh(second[zip_name(address, "2.2.0")])))
        self.assertIn("differs: this registry has other bytes for that release", self.verify_lock(newcomer, 1))
        # The package of another platform was never here, and is not the one of the first documents.
        self.assertIn(status(self.get_zip(address, "2.2.0", OTHER)), (CUT, 502))
        self.assertIn("\nkoya_mirror_checksum_mismatches_total 1\n", self.metrics())
        wait_until(lambda: all(zh(each[zip_name(address, "2.2.0", OTHER)]).removeprefix("zh:")
                               in self.koya.log_tail(100_000) for each in (first, second)), "the log has both digests")

    def test_checkly_deleted_and_made_again(self):
        """checkly/terraform-provider-checkly#118: all releases were lost and made again, 0.6.9 with them."""
        address = "checkly/checkly"
        old = {version: build(address, version) for version in ("0.6.8", "0.6.9")}
        for version, files in old.items():
            self.offer(address, version, files, days=300)
        client = self.client("first", address, "0.6.9")
        self.install(client, address, "0.6.9")
        for version in old:
            self.replace(address, version, build(address, version, again=True))
        # "A host without a cached provider fails": with this registry it does not.
        self.install(client.forget(), address, "0.6.9", "-lockfile=readonly")
        answer = self.get_zip(address, "0.6.9", OTHER)
        self.assertEqual(answer.status, 502, answer)
        self.assertIn(zh(old["0.6.9"][zip_name(address, "0.6.9", OTHER)]).removeprefix("zh:"), answer.errors())
        # What was never here has no first bytes: a lock file tells, and this registry that it differs.
        other = self.client("other", address, "0.6.8")
        self.install(other, address, "0.6.8")
        lock = other.config / ".terraform.lock.hcl"
        now = build(address, "0.6.8", again=True)[zip_name(address, "0.6.8")]
        lock.write_text(lock.read_text().replace(zh(now), zh(old["0.6.8"][zip_name(address, "0.6.8")])))
        self.assertIn("differs", self.verify_lock(other, 1))

    def offer_artifactory(self):
        """jfrog/artifactory as of 16 July 2024: the SHA256SUMS of 11.2.0 lists none of its packages."""
        address = "jfrog/artifactory"
        self.offer(address, "11.1.0", build(address, "11.1.0"), days=30)
        files = unsigned("11.2.0", type_name="artifactory", platforms=PLATFORMS)
        sums = sums_of({"terraform-provider-artifactory_11.2.0_manifest.json": b"{}"})
        name = f"{stem('artifactory', '11.2.0')}_SHA256SUMS"
        self.offer(address, "11.2.0", {**files, name: sums, f"{name}.sig": author().sign(sums)}, days=1)
        return address

    def test_artifactory_lists_no_package(self):
        """jfrog/terraform-provider-artifactory#1027: "checksum list has no SHA-256 hash"."""
        address = self.offer_artifactory()
        self.client("first", address, "~> 11.1").refuse("init", "-no-color")
        os_name, arch = PLATFORM.split("_")
        path = f"/origin/{self.upstream.host}/v1/providers/{address}/11.2.0/download/{os_name}/{arch}"
        answer = self.koya.get(path)
        self.assertEqual(answer.status, 502, answer)
        self.assertIn(f"SHA256SUMS does not list {zip_name(address, '11.2.0')}", answer.errors())
        self.install(self.client("exact", address, "11.1.0"), address, "11.1.0")
        self.assertIsNone(self.explain(address, "11.2.0")["pinned"])

    def test_artifactory_a_day_later(self):
        """jfrog/terraform-provider-artifactory#1029: the same for others, until 11.2.1 six days later."""
        address = self.offer_artifactory()
        self.set('minimum_age = "3d"')
        client = self.client("first", address, "~> 11.1")
        said = self.install(client, address, "11.1.0")
        self.assertIn("jfrog/artifactory 11.2.0 is held until", said)
        self.offer(address, "11.2.1", build(address, "11.2.1"), days=3, minutes=1)
        self.wait_for_list(address, "11.2.1")
        self.install(client.forget(lock=True), address, "11.2.1")

    def test_opennebula_indexed_before_it_was_made_again(self):
        """opentofu/registry#2346: indexed at 14:48, made again at 17:08, opennebula 1.5.0."""
        address = "opennebula/opennebula"
        first, second = build(address, "1.5.0"), build(address, "1.5.0", again=True)
        self.offer(address, "1.5.0", first, hours=20)
        self.replace(address, "1.5.0", second, indexed_again=False)
        client = self.client("first", address, "1.5.0")
        client.refuse("init", "-no-color")
        answer = self.koya.get(f"/mirror/{self.upstream.host}/{address}/1.5.0.json")
        self.assertEqual(answer.status, 502, answer)
        digests = [zh(each[zip_name(address, "1.5.0", "linux_amd64")]).removeprefix("zh:") for each in (first, second)]
        self.assertIn(f"the document says shasum {digests[0]}, and SHA256SUMS says {digests[1]}", answer.errors())
        # The registry indexes it again: nothing was pinned, so this is the first sight of it.
        self.replace(address, "1.5.0", second)
        self.install(client, address, "1.5.0")

    def test_cloudstack_changed_and_signed_by_another(self):
        """apache/cloudstack-terraform-provider#109: the files of 0.5.0 changed after they were indexed;
        opentofu/registry#415 and #5541: releases of one signer, then of another."""
        address = "cloudstack/cloudstack"
        self.set('minimum_age = "7d"', 'proof = "no-downgrade"', 'signature = "pinned"')
        self.offer(address, "0.4.0", build(address, "0.4.0"), days=100)
        self.offer(address, "0.5.0", build(address, "0.5.0"), days=1)
        self.install(self.client("first", address, ">= 0.4.0"), address, "0.4.0")
        self.assertTrue(self.explain(address, "0.5.0")["pinned"], "on its first day")
        self.replace(address, "0.5.0", build(address, "0.5.0", again=True), indexed_again=False)
        self.restart()
        wait_until(lambda: self.explain(address, "0.5.0")["verdict"] == "refuse", "the change is noticed")
        said = self.install(self.client("second", address, ">= 0.4.0"), address, "0.4.0")
        self.assertIn(f"0.5.0 is refused: {OTHER_BYTES}", said)
        # The release after it is signed by another person.
        other = key("nistp256", "another")
        self.offer(address, "0.6.0", build(address, "0.6.0", other), other, days=8)
        self.wait_for_list(address, "0.6.0")
        reasons = {each["rule"]: each["text"] for each in self.explain(address, "0.6.0")["reasons"]}
        self.assertIn(f"it is signed by the key {other.fingerprint}, which is new to its namespace", reasons["signature"])
        self.assertIn("it has less proof than the version before it", reasons["proof"])
        said = self.install(self.client("third", address, ">= 0.4.0"), address, "0.4.0")
        self.assertIn("cloudstack/cloudstack 0.6.0 is held: ", said)
        self.set('minimum_age = "7d"', 'proof = "no-downgrade"', 'signature = "pinned"', exception=
                 f'rules = ["proof", "signature"]\nmatch = ["*/{address}"]\nversions = "0.6.0"')
        self.install(self.client("fourth", address, ">= 0.4.0"), address, "0.6.0")

    def test_artifactory_lost_its_key(self):
        """jfrog/terraform-provider-artifactory#240: the registry replaced the key where it should add one."""
        address = "jfrog/artifactory"
        old, new = author(), key("nistp256", "another")
        for version in ("2.6.21", "2.6.22"):
            self.offer(address, version, build(address, version), days=30)
        client = self.client("first", address, "2.6.22")
        self.install(client, address, "2.6.22")
        for version in ("2.6.21", "2.6.22"):
            self.replace(address, version, build(address, version), new)
        # What is here stays, with the key that signed it; what is not is refused until the key is back.
        self.install(client.forget(), address, "2.6.22", "-lockfile=readonly")
        before = self.client("before", address, "2.6.21")
        before.refuse("init", "-no-color")
        answer = self.koya.get(f"/mirror/{self.upstream.host}/{address}/2.6.21.json")
        self.assertIn("SHA256SUMS is signed by none of the keys that are listed", answer.errors())
        self.replace(address, "2.6.21", build(address, "2.6.21"), old)
        self.install(before, address, "2.6.21")
        # The version after it has the new key.
        self.set('signature = "pinned"')
        self.offer(address, "2.6.23", build(address, "2.6.23", new), new, days=0)
        self.wait_for_list(address, "2.6.23")
        said = self.install(self.client("after", address, "~> 2.6"), address, "2.6.22")
        self.assertIn(f"2.6.23 is held: it is signed by the key {new.fingerprint}, which is new to its namespace "
                      "(rule signature)", said)
        self.set('signature = "pinned"', exception=f'rules = ["signature"]\nmatch = ["*/jfrog/*"]\n'
                                                   'versions = "2.6.23"')
        self.install(self.client("lifted", address, "~> 2.6"), address, "2.6.23")


if __name__ == "__main__":
    koya_client.main()
