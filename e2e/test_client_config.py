"""A real client with exactly the configuration that `koya client-config` prints.

usage: test_client_config.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. The client trusts Koya's certificate and no
other, so that not one byte can come from the registry itself.
"""
import types

import koya_client
from koya_client import Client, unpacked
from koya_connect import ConnectProxy
from koya_mirror import ALLOWED, MirrorTestCase
from koya_provider import (BINARY, FOUR_PLATFORMS, PLATFORM, STEM, add_key, author, h1,
                           platforms_with_ours, publish, release, script, zh)

PLATFORMS = platforms_with_ours(*FOUR_PLATFORMS)
OUR_BINARY = {BINARY: script("demo", "1.0.0", PLATFORM)}
# A name without a port: clients take no other through a network mirror.
NAME = "registry.upstream.test"
OWN_NAME = "own.example.test"
PLACEHOLDER = "PUT-THE-TOKEN-HERE"


class ConfiguredClient(Client):
    """A client whose CLI configuration is what `koya client-config` prints."""

    def __init__(self, koya, host, folder, *arguments, token=None):
        super().__init__(koya_client.PROGRAM, types.SimpleNamespace(address=host, data=koya.data),
                         folder)
        run = koya.cli("client-config", *arguments)
        assert run.returncode == 0, run.stderr
        self.settings = self.folder / "client.tfrc"
        text = run.stdout
        if token is not None:
            assert PLACEHOLDER in text, text
            text = text.replace(PLACEHOLDER, token)
        self.settings.write_text(text)

    def environment(self):
        return {**super().environment(), "TF_CLI_CONFIG_FILE": str(self.settings)}


class Origin(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream, cls.other = cls.registry(), cls.registry("127.0.0.2")
        cls.koya = cls.mirror("data", cls.upstream, cls.other,
                              arguments=("--upstream.allow_private_addresses", "127.0.0.0/8"))

    def assert_complete(self, client, address):
        hashes = client.locked(address)[1]
        zips = {zh(data) for name, data in self.files.items() if name.endswith(".zip")}
        self.assertEqual({each for each in hashes if each.startswith("zh:")}, zips)
        self.assertIn(h1(OUR_BINARY), hashes)
        self.assertEqual(unpacked(client.installed(address, "1.0.0")), OUR_BINARY)

    def test_init_and_again_without_upstream(self):
        hosts = [self.upstream.host, self.other.host]
        wish = [word for host in hosts for word in ("--upstream", host)]
        clients = []
        for upstream in (self.upstream, self.other):
            upstream.add("acme/demo", self.files, author())
            client = ConfiguredClient(self.koya, upstream.host,
                                      self.folder / upstream.address, *wish)
            client.require(demo=("acme/demo", "~> 1.0")).succeed("init", "-no-color")
            self.assert_complete(client, "acme/demo")
            client.forget().succeed("init", "-no-color", "-lockfile=readonly")
            clients.append(client)
        for upstream in (self.upstream, self.other):
            upstream.off()
            self.addCleanup(upstream.on)
        for client in clients:
            client.forget().succeed("init", "-no-color", "-lockfile=readonly")
            client.forget(lock=True).succeed("init", "-no-color")
            self.assert_complete(client, "acme/demo")


class InternalOrigin(MirrorTestCase):
    """What is mirrored is for whoever has a token: the configuration has a place for it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream = cls.registry()
        cls.upstream.add("acme/demo", cls.files, author())
        cls.koya = cls.mirror("data", cls.upstream, arguments=(
            "--upstream.allow_private_addresses", "127.0.0.0/8", "--access.mirror", "internal"))

    def client(self, name, token, *more):
        client = ConfiguredClient(self.koya, self.upstream.host, self.folder / name, "--upstream",
                                  self.upstream.host, *more, token=token)
        return client.require(demo=("acme/demo", "~> 1.0"))

    def test_installs_with_the_token_in_its_place(self):
        made = self.koya.cli("token", "create", "reader", "--scope", "read")
        self.assertEqual(made.returncode, 0, made.stderr)
        client = self.client("good", made.stdout.strip())
        client.succeed("init", "-no-color")
        self.assertEqual(unpacked(client.installed("acme/demo", "1.0.0")), OUR_BINARY)
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")

    def test_is_refused_as_it_is_printed(self):
        self.client("placeholder", PLACEHOLDER).refuse("init", "-no-color")

    def test_with_token_writes_the_token_itself(self):
        client = self.client("written", None, "--with-token")
        self.assertIn(self.koya.token, client.settings.read_text())
        client.succeed("init", "-no-color")


class Mirror(MirrorTestCase):
    """Own and pulled providers through a network mirror, and what is neither, directly."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream = cls.registry()
        cls.proxy = ConnectProxy()
        cls.addClassCleanup(cls.proxy.off)
        cls.proxy.lead(NAME, cls.upstream.port)
        cls.koya = cls.mirror("data", NAME, arguments=(*ALLOWED, "--server.names", OWN_NAME),
                              environment={"HTTPS_PROXY": cls.proxy.url})
        assert add_key(cls.koya, "acme", author().armor).status == 201
        publish(cls.koya, "acme/demo", "1.0.0", cls.files)

    def client(self, name, **providers):
        client = ConfiguredClient(self.koya, "unused", self.folder / name, "--mode", "mirror",
                                  "--upstream", NAME, "--upstream", OWN_NAME)
        blocks = "".join(f'    {local} = {{\n      source  = "{source}"\n'
                         f'      version = "1.0.0"\n    }}\n'
                         for local, source in providers.items())
        client.config.joinpath("main.tf").write_text(
            f"terraform {{\n  required_providers {{\n{blocks}  }}\n}}\n")
        return client

    def place(self, client, source):
        return client.config / ".terraform/providers" / source / "1.0.0" / PLATFORM

    def test_own_pulled_and_direct(self):
        self.upstream.add("acme/demo", self.files, author())
        sources = [f"{host}/acme/demo" for host in (NAME, OWN_NAME, self.koya.address)]
        client = self.client("all", pulled=sources[0], own=sources[1], direct=sources[2])
        mark = self.koya.log_mark()
        client.succeed("init", "-no-color")
        for source in sources:
            self.assertEqual(unpacked(self.place(client, source)), OUR_BINARY)
        self.koya.log_mark()
        paths = [path for method, path in self.koya.requests(mark)]
        for host in (NAME, OWN_NAME):
            self.assertIn(f"/mirror/{host}/acme/demo/index.json", paths)
        # What is excluded from the mirror is never asked for there, and is installed directly.
        self.assertFalse([path for path in paths if f"/mirror/{self.koya.address}" in path])
        self.assertIn("/v1/providers/acme/demo/versions", paths)

        self.upstream.off()
        self.addCleanup(self.upstream.on)
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")
        client.forget(lock=True).succeed("init", "-no-color")
        self.assertEqual(unpacked(self.place(client, sources[0])), OUR_BINARY)
        asked = self.upstream.asked(self.upstream.file_path("acme/demo", f"{STEM}_{PLATFORM}.zip"))
        self.assertEqual(asked, 1)

    def test_what_the_mirror_lacks(self):
        client = self.client("lacking", none=f"{NAME}/acme/nothing")
        said = client.refuse("init", "-no-color")
        self.assertIn("acme/nothing", said)
        self.assertFalse((client.config / ".terraform.lock.hcl").exists())

    def test_a_port_is_refused_before_a_client_does(self):
        run = self.koya.cli("client-config", "--mode", "mirror", "--upstream", "127.0.0.1:8443")
        self.assertEqual(run.returncode, 1)
        self.assertIn("--mode origin", run.stderr)


if __name__ == "__main__":
    koya_client.main()
