"""A real client installs other registries' providers from Koya, also when those are gone.

usage: test_mirror_install.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. The client trusts Koya's certificate and no
other, so that not one byte can come from the registry itself.
"""
import types

import koya_client
import koya_upstream
from koya_client import Client, unpacked
from koya_mirror import ALLOWED, MirrorTestCase
from koya_provider import (BINARY, FOUR_PLATFORMS, PLATFORM, STEM, add_key, author, h1,
                           platforms_with_ours, publish, release, script, zh)

OWN_NAME = "registry.example.test"
PLATFORMS = platforms_with_ours(*FOUR_PLATFORMS)
OUR_BINARY = {BINARY: script("demo", "1.0.0", PLATFORM)}


class MirrorClient(Client):
    """A client with a CLI configuration of its own, for providers of `host`."""

    def __init__(self, koya, host, folder, settings):
        super().__init__(koya_client.PROGRAM, types.SimpleNamespace(address=host, data=koya.data),
                         folder)
        self.settings = self.folder / "client.tfrc"
        self.settings.write_text(settings)

    def environment(self):
        return {**super().environment(), "TF_CLI_CONFIG_FILE": str(self.settings)}


class Origin(MirrorTestCase):
    """The registry under its own protocol: /origin/."""

    ARGUMENTS = (*ALLOWED, "--policy.deny", "*/denied/*")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", cls.upstream)

    def client(self, name, address, constraint="1.0.0"):
        host = self.upstream.host
        services = f'{{ "providers.v1" = "{self.koya.url}/origin/{host}/v1/providers/" }}'
        settings = f'host "{host}" {{\n  services = {services}\n}}\n'
        client = MirrorClient(self.koya, host, self.folder / name, settings)
        return client.require(demo=(address, constraint))

    def assert_complete(self, client, address):
        """The lock file knows every platform's zip, and this one's files."""
        version, hashes = client.locked(address)
        self.assertEqual(version, "1.0.0")
        zips = {zh(data) for name, data in self.files.items() if name.endswith(".zip")}
        self.assertEqual({each for each in hashes if each.startswith("zh:")}, zips)
        self.assertIn(h1(OUR_BINARY), hashes)
        self.assertEqual(unpacked(client.installed(address, "1.0.0")), OUR_BINARY)

    def test_install_and_again_without_upstream(self):
        address = "acme/demo"
        self.upstream.add(address, self.files, author())
        client = self.client("first", address, "~> 1.0")
        self.assertIn("signed", client.succeed("init", "-no-color"))
        self.assert_complete(client, address)
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")
        zip_path = self.upstream.file_path(address, f"{STEM}_{PLATFORM}.zip")
        self.assertEqual(self.upstream.asked(zip_path), 1)
        self.assertEqual(self.upstream.asked(koya_upstream.DISCOVERY), 1)

        self.upstream.off()
        self.addCleanup(self.upstream.on)
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")
        self.assert_complete(client, address)
        other = self.client("second", address)
        other.succeed("init", "-no-color")
        self.assert_complete(other, address)

    def test_packages_that_upstream_reports(self):
        address = "reported/demo"
        self.upstream.add(address, self.files, author(), packages=True)
        client = self.client("reported", address)
        client.succeed("init", "-no-color")
        self.assert_complete(client, address)

    def test_lock_for_four_platforms(self):
        address = "lock/demo"
        self.upstream.add(address, self.files, author())
        client = self.client("lock", address)
        client.succeed("providers", "lock", "-no-color",
                       *(f"-platform={each}" for each in FOUR_PLATFORMS))
        hashes = client.locked(address)[1]
        for platform in FOUR_PLATFORMS:
            self.assertIn(h1({BINARY: script("demo", "1.0.0", platform)}), hashes)
            self.assertEqual(self.upstream.asked(
                self.upstream.file_path(address, f"{STEM}_{platform}.zip")), 1)
        client.succeed("init", "-no-color", "-lockfile=readonly")

    def test_denied(self):
        self.upstream.add("denied/demo", self.files, author())
        client = self.client("denied", "denied/demo")
        client.refuse("init", "-no-color")
        self.assertIsNone(client.locked("denied/demo"))
        self.assertEqual(self.upstream.asked(self.upstream.versions_path("denied/demo")), 0)

    def test_a_wrong_signature_never_reaches_the_client(self):
        files = {**self.files, f"{STEM}_SHA256SUMS.sig": author().sign(b"something else")}
        self.upstream.add("forged/demo", files, author())
        client = self.client("forged", "forged/demo")
        client.refuse("init", "-no-color")
        self.assertIsNone(client.locked("forged/demo"))


class NetworkMirror(MirrorTestCase):
    """Koya's own providers under the name that it answers for: /mirror/NAME/."""

    ARGUMENTS = ("--server.names", OWN_NAME)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.koya = cls.mirror("data", cls.registry())
        assert add_key(cls.koya, "acme", author().armor).status == 201
        for version in ("1.0.0", "1.1.0"):
            publish(cls.koya, "acme/demo", version,
                    release(version, author(), platforms=PLATFORMS))

    def client(self, name, constraint, address="acme/demo"):
        url = f"{self.koya.url}/mirror/"
        settings = (f'provider_installation {{\n  network_mirror {{\n    url = "{url}"\n'
                    f'    include = ["{OWN_NAME}/*/*"]\n  }}\n'
                    f'  direct {{\n    exclude = ["{OWN_NAME}/*/*"]\n  }}\n}}\n')
        client = MirrorClient(self.koya, OWN_NAME, self.folder / name, settings)
        return client.require(demo=(address, constraint))

    def test_install(self):
        for constraint, version in (("1.0.0", "1.0.0"), ("~> 1.0", "1.1.0")):
            with self.subTest(version):
                binary = {f"terraform-provider-demo_v{version}": script("demo", version, PLATFORM)}
                client = self.client(f"own-{version}", constraint)
                mark = self.koya.log_mark()
                client.succeed("init", "-no-color")
                self.koya.log_mark()
                place = f"/mirror/{OWN_NAME}/acme/demo"
                arrived = [path for method, path in self.koya.requests(mark) if method == "GET"]
                self.assertEqual(arrived[:2], [f"{place}/index.json", f"{place}/{version}.json"])
                locked, hashes = client.locked("acme/demo")
                self.assertEqual(locked, version)
                self.assertIn(h1(binary), hashes)
                self.assertEqual(unpacked(client.installed("acme/demo", version)), binary)
                client.forget().succeed("init", "-no-color", "-lockfile=readonly")

    def test_unknown(self):
        for name, constraint, address in (("version", "9.9.9", "acme/demo"),
                                          ("provider", "1.0.0", "acme/nothing")):
            client = self.client(name, constraint, address)
            client.refuse("init", "-no-color")
            self.assertIsNone(client.locked(address))


if __name__ == "__main__":
    koya_client.main()
