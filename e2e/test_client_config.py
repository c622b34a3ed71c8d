"""A real client with exactly the configuration that `koya client-config` and the pages print, and what
`/-/mirror/explain` says of what it will get.

usage: test_client_config.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. The client trusts Koya's certificate and no
other, so that not one byte can come from the registry itself.
"""
import html
import re
import types

import koya_client
import koya_e2e
import koya_pages
from koya_client import Client, unpacked
from koya_connect import ConnectProxy
from koya_e2e import tar_gz, wait_until, write_files
from koya_mirror import ALLOWED, MirrorTestCase
from koya_provider import (BINARY, FOUR_PLATFORMS, PLATFORM, STEM, add_key, author, h1,
                           platforms_with_ours, publish, release, script, unsigned, zh)

PLATFORMS = platforms_with_ours(*FOUR_PLATFORMS)
OUR_BINARY = {BINARY: script("demo", "1.0.0", PLATFORM)}
# A name without a port: clients take no other through a network mirror.
NAME = "registry.upstream.test"
OWN_NAME = "own.example.test"
IMPORTED_NAME = "imported.upstream.test"
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


class Explained(MirrorTestCase):
    """What /-/mirror/explain says of a package is what a client gets, by each way."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream = cls.registry()
        cls.proxy = ConnectProxy()
        cls.addClassCleanup(cls.proxy.off)
        cls.proxy.lead(NAME, cls.upstream.port)
        cls.koya = cls.mirror(
            "data", NAME, arguments=(*ALLOWED, "--policy.deny", "*/denied/*"),
            environment={"HTTPS_PROXY": cls.proxy.url, "NO_PROXY": "127.0.0.1"})
        cls.clients = 0

    def setUp(self):
        super().setUp()
        if not self.upstream.server:
            self.upstream.on()

    def explain(self, address, version="1.0.0"):
        answer = self.koya.get(f"/-/mirror/explain.json?address={address}&version={version}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def client(self, way):
        type(self).clients += 1
        return ConfiguredClient(self.koya, NAME, self.folder / f"explained-{self.clients}", "--mode",
                                way, "--upstream", NAME, "--upstream", IMPORTED_NAME)

    def provider(self, address, way, version="1.0.0"):
        client = self.client(way)
        client.config.joinpath("main.tf").write_text(
            'terraform {\n  required_providers {\n    demo = {\n'
            f'      source  = "{address}"\n      version = "{version}"\n    }}\n  }}\n}}\n')
        return client

    def assert_ways(self, address, version="1.0.0", **states):
        """The states are these; a way is `given` while it is available. Returns the texts."""
        explained = self.explain(address, version)
        self.assertEqual({each["way"]: each["state"] for each in explained["ways"]}, states, explained)
        self.assertEqual(explained["given"], "available" in states.values(), explained)
        return {each["way"]: each["text"] for each in explained["ways"]}

    def assert_becomes_available(self, address, *ways):
        """Clients may have the last byte a moment before it is stored."""
        wait_until(lambda: self.explain(address)["given"], f"{address} is stored")
        self.assert_ways(address, **dict.fromkeys(ways, "available"))

    def assert_installs(self, address, *ways):
        for way in ways:
            self.provider(address, way).succeed("init", "-no-color")

    def assert_refused(self, address, *ways, version="1.0.0"):
        return [self.provider(address, way, version).refuse("init", "-no-color") for way in ways]

    def test_an_import_without_a_signature_is_there_by_the_mirror_only(self):
        address = f"{IMPORTED_NAME}/acme/demo"
        write_files(self.folder / "static" / address, unsigned("1.0.0", platforms=PLATFORMS))
        run = self.koya.cli("mirror", "import", self.folder / "static")
        self.assertEqual(run.returncode, 0, run.stderr)
        texts = self.assert_ways(address, origin="blocked", mirror="available")
        self.assert_installs(address, "mirror")
        self.assert_refused(address, "origin")
        said = self.koya.get(f"/origin/{IMPORTED_NAME}/v1/providers/acme/demo/1.0.0/download/"
                             + PLATFORM.replace("_", "/"))
        self.assertEqual((said.status, said.json()["errors"]), (502, [texts["origin"]]))
        self.assertIn(PLATFORM, texts["mirror"])
        self.assert_ways(address, version="", origin="blocked", mirror="available")
        texts = self.assert_ways(address, version="2.0.0", origin="blocked", mirror="blocked")
        self.assertIn("upstream.hosts", texts["origin"])
        self.assert_refused(address, "origin", "mirror", version="2.0.0")

    def test_what_a_rule_denies_is_blocked(self):
        self.upstream.add("denied/demo", self.files, author())
        address = f"{NAME}/denied/demo"
        texts = self.assert_ways(address, origin="blocked", mirror="blocked")
        self.assert_refused(address, "origin", "mirror")
        said = self.koya.get(f"/origin/{NAME}/v1/providers/denied/demo/versions")
        self.assertEqual(said.json()["warnings"], [texts["origin"]])

    def test_what_is_allowed_becomes_available(self):
        for name, first, second in (("first", "origin", "mirror"), ("second", "mirror", "origin")):
            address = f"{NAME}/{name}/demo"
            self.upstream.add(f"{name}/demo", self.files, author())
            texts = self.assert_ways(address, origin="allowed", mirror="allowed")
            self.assertIn(NAME, texts[first])
            self.assert_installs(address, first)
            self.assert_becomes_available(address, first, second)
            self.upstream.off()
            self.assert_installs(address, first, second)
            self.upstream.on()

    def test_what_was_never_seen_is_never_said_to_be_given(self):
        address = f"{NAME}/nobody/nothing"
        self.assert_ways(address, "99.0.0", origin="allowed", mirror="allowed")
        self.assert_refused(address, "origin", "mirror", version="99.0.0")
        texts = self.assert_ways(address, "99.0.0", origin="allowed", mirror="allowed")
        self.assertIn(f"the last response of {NAME} was at", texts["origin"])
        page = self.koya.get(f"/-/mirror/explain?address={address}&version=99.0.0").body.decode()
        self.assertNotIn("Stored here", page)
        self.assertIn("clients get it only if", page)
        # What its registry lists, and not this version of it.
        self.upstream.add("listed/demo", self.files, author())
        self.assert_refused(f"{NAME}/listed/demo", "origin", version="9.9.9")
        texts = self.assert_ways(f"{NAME}/listed/demo", "9.9.9", origin="allowed", mirror="allowed")
        self.assertIn("has no 9.9.9", texts["origin"])

    def test_while_its_registry_is_away(self):
        self.upstream.add("away/demo", self.files, author())
        self.upstream.off()
        address = f"{NAME}/away/demo"
        self.assert_ways(address, origin="allowed", mirror="allowed")
        self.assert_refused(address, "origin", "mirror")
        texts = self.assert_ways(address, origin="allowed", mirror="allowed")
        for text in texts.values():
            self.assertIn(f"{NAME} has not responded since", text)

    def test_a_module(self):
        self.upstream.add_module("acme/vpc/aws", tar_gz({"main.tf": b'output "made" { value = 1 }\n'}))
        address = f"{NAME}/acme/vpc/aws"
        call = f'module "vpc" {{\n  source  = "{address}"\n  version = "1.0.0"\n}}\n'
        self.assert_ways(address, origin="allowed")
        for reachable in (True, False):
            client = self.client("origin")
            client.config.joinpath("main.tf").write_text(call)
            if not reachable:
                self.upstream.off()
            client.succeed("init", "-no-color")
            self.assert_becomes_available(address, "origin")


class Printed(koya_e2e.TestCase):
    """What the pages, the docs and the program print for clients, each as it stands: with it a client installs
    the demo's own provider."""

    OWN = "kumo/inventory"
    STRANGER = "registry.opentofu.org/example-cloud/compute"  # the demo imported it, unsigned

    @classmethod
    def setUpClass(cls):
        cls.koya = koya_pages.Demo.of(cls).fill()

    def setUp(self):
        pass  # the folder is the class's

    def client(self, name, settings):
        client = ConfiguredClient(self.koya, self.koya.address, self.folder / name)
        client.settings.write_text(settings)
        return client

    def block(self, path, block):
        """The text of a block of code on a page."""
        page = self.koya.get(path)
        self.assertEqual(page.status, 200, page)
        found = re.search(rf'<pre id="{block}"[^>]*><code[^>]*>(.*?)</code></pre>', page.body.decode(), re.S)
        self.assertTrue(found, f"{path} has no block {block}")
        return html.unescape(re.sub(r"<[^>]*>", "", found[1]))

    def config(self, *arguments):
        run = self.koya.cli("client-config", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def docs(self):
        """The blocks of docs/mirror.md that send clients to a Koya server."""
        text = self.koya.get("/-/docs/mirror").body.decode()
        blocks = [html.unescape(re.sub(r"<[^>]*>", "", each))
                  for each in re.findall(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", text, re.S)]
        blocks = [each.replace("https://koya.example.com", self.koya.url) for each in blocks
                  if "/origin/" in each or "/mirror/\"" in each]
        self.assertEqual([each.split()[0] for each in blocks], ["host", "provider_installation"])
        return blocks

    def printed(self):
        """name: (text, the way by which it sends clients for other registries' things)"""
        hosts = "hosts=registry.opentofu.org"
        first, second = self.docs()
        step = self.block(f"/-/setup?system=docker&purpose=all&{hosts}", "step")
        return {
            "start": (self.block("/", "client-mirror"), "origin"),
            "setup-own": (self.block("/-/setup?purpose=own&sign_in=file", "file"), None),
            "setup-all": (self.block(f"/-/setup?purpose=all&{hosts}", "file"), "origin"),
            "setup-terraform": (self.block("/-/setup?tool=terraform&purpose=all", "file"), None),
            "setup-docker": (step.split("<<'END'", 1)[1].split("\n", 1)[1].split("\nEND\n")[0], "origin"),
            "setup-mirror": (self.block(f"/-/setup?purpose=mirror&{hosts}", "file"), "mirror"),
            "setup-direct": (self.block(f"/-/setup?purpose=mirror&direct=yes&{hosts}", "file"), None),
            "docs-origin": (first, "origin"),
            "docs-mirror": (second, "mirror"),
            "config": (self.config(), "origin"),
            "config-mirror": (self.config("--mode", "mirror"), "mirror"),
            "config-direct": (self.config("--mode", "mirror", "--direct"), None),
        }

    def test_every_text_installs_the_registrys_own_provider(self):
        ways = {each["way"]: each["state"] for each in self.koya.get(
            f"/-/mirror/explain.json?address={self.STRANGER}&version=5.3.0").json()["ways"]}
        self.assertEqual(ways, {"origin": "blocked", "mirror": "available"})
        for name, (text, way) in self.printed().items():
            with self.subTest(name):
                # A token that is none would be refused: that place is for a real one.
                client = self.client(name, text.replace(PLACEHOLDER, self.koya.token))
                client.require(inventory=(self.OWN, "2.3.1")).succeed("init", "-no-color")
                self.assertTrue(client.installed(self.OWN, "2.3.1").is_dir())
                if "network_mirror" in text:
                    self.assertIn("include", text)
                    self.assertIn("direct {", text)
                if way:
                    client.forget(lock=True).config.joinpath("main.tf").write_text(
                        'terraform {\n  required_providers {\n    compute = {\n      source  = '
                        f'"{self.STRANGER}"\n      version = "5.3.0"\n    }}\n  }}\n}}\n')
                    init = client.succeed if ways[way] == "available" else client.refuse
                    init("init", "-no-color")

    def test_one_generator_prints_them(self):
        def code(text):
            return [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]

        printed = {name: code(text) for name, (text, _) in self.printed().items()}
        for name in ("start", "setup-all", "setup-docker", "docs-origin"):
            self.assertEqual(printed[name], printed["config"], name)
        for name in ("setup-mirror", "docs-mirror"):
            self.assertEqual(printed[name], printed["config-mirror"], name)
        self.assertEqual(printed["setup-direct"], printed["config-direct"])


if __name__ == "__main__":
    koya_client.main()
