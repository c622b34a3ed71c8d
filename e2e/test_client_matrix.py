"""What a real client installs, by where it has its credentials: the rows of docs/clients.md, which it prints.

usage: test_client_matrix.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. A folder before it on PATH gives another version.
"""
import json
import re

import koya_client
import koya_e2e
import koya_upstream
from koya_client import fold, version_of
from koya_connect import ConnectProxy
from koya_e2e import tar_gz, write_files
from koya_mirror import ALLOWED
from koya_provider import author, platforms_with_ours, release, unsigned, write_dist
from test_private import NAMES, PrivateClient, PrivateTestCase

UPSTREAM = "registry.upstream.test"  # without a port: clients cannot name another in a network mirror
MODULE = tar_gz({"main.tf": "# a module\n"})

# The credentials for Koya, and for the registry behind /origin/: (way, kept, what a .netrc has).
WAYS = (("nothing", "", None), ("`TF_TOKEN_…`", "variable", None), ("`credentials` block", "block", None),
        ("credentials helper", "helper", None), ("`.netrc`, token", "", "token"), ("`.netrc`, other password", "", "other"),
        ("`.netrc`, revoked token", "", "revoked"), ("`.netrc` and block", "block", "token"),
        ("`.netrc`, other password, and block", "block", "other"), ("`.netrc`, revoked token, and block", "block", "revoked"))
PLACES = ("public", "private", "`/origin/`", "`/mirror/`", "`/origin/`, internal", "`/mirror/`, internal")
INSTALLS, UNKNOWN, DENIED = "installs", "not found", "401"


class WayClient(PrivateClient):
    """A client with its credentials in one place or two."""

    def __init__(self, koya, folder, kept, token, netrc, place):
        self.place = place
        super().__init__(koya_client.PROGRAM, koya, folder, token if kept else None, kept)
        if netrc:
            file = self.home / ".netrc"
            file.write_text(f"machine {koya.address}\nlogin any\npassword {netrc}\n")
            file.chmod(0o600)

    def settings(self):
        settings = super().settings()
        if self.place.startswith("`/origin/`"):
            services = "".join(f'    "{kind}.v1" = "{self.koya.url}/origin/{UPSTREAM}/v1/{kind}/"\n'
                               for kind in ("providers", "modules"))
            settings += f'host "{UPSTREAM}" {{\n  services = {{\n{services}  }}\n}}\n'
            # For a registry behind /origin/, clients look for credentials under its own name.
            settings += settings.partition("host ")[0].replace(self.koya.address, UPSTREAM) * (self.kept == "block")
        elif self.place.startswith("`/mirror/`"):
            settings += f'provider_installation {{\n  network_mirror {{\n    url = "{self.koya.url}/mirror/"\n  }}\n}}\n'
        return settings

    def environment(self):
        environment = super().environment()
        if self.kept == "variable":
            environment["TF_TOKEN_" + UPSTREAM.replace(".", "_")] = self.token
        return environment

    def outcome(self, configuration):
        """What `init` comes to."""
        write_files(self.forget(lock=True).config, {"main.tf": configuration})
        run = self.run("init", "-no-color")
        words = fold(run.stdout + run.stderr)
        if run.returncode == 0:
            return INSTALLS
        if re.search("not found|does not have a provider named", words):
            return UNKNOWN
        return DENIED if re.search("401|requires authentication|rejected the given", words) else words


def module_of(host, namespace):
    return f'module "vpc" {{\n  source  = "{host}/{namespace}/vpc/aws"\n  version = "1.0.0"\n}}\n'


def provider_of(host, namespace, type_name="demo"):
    return (f'terraform {{\n  required_providers {{\n    {type_name} = {{\n      source  = "{host}/{namespace}/{type_name}"\n'
            '      version = "1.0.0"\n    }\n  }\n}\n')


def expected(kept, netrc, place):
    """(of a module, of a provider)"""
    closed = place == "private" or place.endswith("internal")
    if closed and not kept:
        return UNKNOWN, UNKNOWN
    # The revoked token goes to archives whose URL is not signed; OpenTofu sends no .netrc for packages.
    if netrc == "revoked" and not closed:
        return DENIED, INSTALLS if koya_client.PROGRAM == "tofu" else DENIED
    return INSTALLS, INSTALLS


class Matrix(PrivateTestCase):
    @classmethod
    def setUpClass(cls):
        cls.upstream = koya_upstream.Upstream()
        cls.addClassCleanup(cls.upstream.off)
        cls.upstream.add("acme/demo", release("1.0.0", author(), platforms=platforms_with_ours()), author())
        cls.upstream.add_module("acme/vpc/aws", MODULE)
        cls.proxy = ConnectProxy()
        cls.addClassCleanup(cls.proxy.off)
        cls.proxy.lead(UPSTREAM, cls.upstream.port)
        cls.SERVER = cls.mirroring
        super().setUpClass()
        cls.internal = cls.mirroring(cls.shared / "internal", "--access.mirror", "internal").start()
        cls.addClassCleanup(cls.internal.__exit__)

    @classmethod
    def mirroring(cls, data, *arguments):
        # The documents of the scripted registry name its port.
        hosts = f"{UPSTREAM},{cls.upstream.host}"
        return koya_e2e.Server(
            data, "--upstream.hosts", hosts, "--upstream.ca_file", koya_upstream.certificate()[1], *ALLOWED, *arguments,
            environment={"HTTPS_PROXY": cls.proxy.url, "NO_PROXY": "127.0.0.1"})

    def tokens(self, koya, namespace=None):
        """{what a .netrc may have: its password}"""
        made = {"other": "secret"}
        for word in ("token", "revoked"):
            name = f"robot{next(NAMES)}"
            for command in (("service", "create", name),
                            *([("grant", "add", namespace, "reader", "--service", name)] if namespace else [])):
                self.assertEqual(koya.cli(*command).returncode, 0, command)
            run = koya.cli("token", "create", f"of-{name}", "--scope", "read", "--service", name, "--json")
            made[word] = json.loads(run.stdout)["token"]
        self.assertEqual(koya.cli("token", "revoke", f"of-{name}").returncode, 0)
        return made

    def outcomes(self, place, way, things):
        koya, tokens, host, namespace = things
        _, kept, netrc = way
        client = WayClient(koya, self.folder / f"client-{next(NAMES)}", kept, tokens["token"], tokens.get(netrc), place)
        provider = client.outcome(provider_of(host, namespace))
        if place.startswith("`/mirror/`"):
            return (provider,)
        return client.outcome(module_of(host, namespace)), provider

    def test_each_way_and_place(self):
        public, private = self.private_namespace("public"), self.private_namespace()
        open_tokens, internal_tokens = self.tokens(self.koya, private), self.tokens(self.internal)
        things = {"public": (self.koya, open_tokens, self.koya.address, public),
                  "private": (self.koya, open_tokens, self.koya.address, private)}
        for place in PLACES[2:]:
            here = (self.internal, internal_tokens) if place.endswith("internal") else (self.koya, open_tokens)
            things[place] = (*here, UPSTREAM, "acme")
        name = " ".join([version_of(koya_client.PROGRAM)[0], version_of(koya_client.PROGRAM)[2]])
        print("\n| client | has | " + " | ".join(PLACES) + " |")
        for way in WAYS:
            row = []
            for place in PLACES:
                got = self.outcomes(place, way, things[place])
                with self.subTest(way=way[0], place=place):
                    self.assertEqual(got, expected(way[1], way[2], place)[-len(got):])
                row.append(got[0] if len(set(got)) == 1 else f"module {got[0]}, provider {got[1]}")
            print(f"| {name} | {way[0]} | " + " | ".join(row) + " |", flush=True)

    def test_a_provider_in_a_namespace_with_an_underscore(self):
        """Terraform 1.16 takes it; other clients refuse its address before they ask for anything."""
        dist = write_dist(self.folder / "dist", unsigned("1.0.0"))
        run = self.koya.cli("publish", "provider", dist, "my_team/demo", "1.0.0", "--sign")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn('reject providers of the namespace "my_team"', run.stderr)
        client = self.client("underscore")
        write_files(client.config, {"main.tf": provider_of(self.koya.address, "my_team")})
        name, number, _ = version_of(koya_client.PROGRAM)
        if name == "Terraform" and number >= (1, 16):
            client.succeed("init", "-no-color")
            self.assertTrue(client.locked("my_team/demo"))
            return
        words = client.refuse("init", "-no-color")
        self.assertIn("Invalid provider namespace", words)
        self.assertIn("letters, digits, and dashes", words)


# What Terraform 1.15 understands, and OpenTofu and earlier ones do not, or in part.
NEWEST = {
    "main.tf": 'variable "size" {\n  description = "small or large"\n  type        = string\n  const       = true\n}\n'
               'module "part" {\n  source = "./modules/${var.size}"\n}\n'
               'output "made" {\n  type  = string\n  value = module.part.made\n}\n',
    "modules/small/main.tf": 'output "made" {\n  value = "small"\n}\n',
    "all.tfquery.hcl": 'list "demo_thing" "all" {\n  provider = demo\n}\n',
}
STATE_STORE = {
    "main.tf": 'terraform {\n  required_providers {\n    demo = {\n      source = "acme/demo"\n    }\n  }\n'
               '  state_store "demo_fs" {\n    provider "demo" {}\n    path = "x"\n  }\n}\n',
}


class Newest(PrivateTestCase):
    """The language of the newest clients: published without a warning, shown, and installed."""

    def published(self, files, address):
        folder = write_files(self.folder / address.replace("/", "-"), files)
        run = self.koya.cli("publish", "module", folder, address, "1.0.0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("warning", run.stdout + run.stderr)
        self.assertEqual(self.koya.get(f"/api/v1/modules/{address}/1.0.0").json()["warnings"], [])
        return self.koya.get(f"/v1/modules/{address}/1.0.0").json()["root"]

    def test_a_module_in_it(self):
        root = self.published(NEWEST, "acme/newest/aws")
        self.assertEqual([(each["name"], each["type"], each["required"]) for each in root["inputs"]],
                         [("size", "string", True)])
        self.assertEqual([each["name"] for each in root["outputs"]], ["made"])
        client = self.client("newest")
        write_files(client.config, {"main.tf": (
            f'module "newest" {{\n  source  = "{self.koya.address}/acme/newest/aws"\n  version = "1.0.0"\n'
            '  size    = "small"\n}\noutput "made" {\n  value = module.newest.made\n}\n')})
        name, number, _ = version_of(koya_client.PROGRAM)
        if name != "Terraform" or number < (1, 15):
            self.assertIn("Unsupported argument", client.refuse("init", "-no-color"))
            return
        client.succeed("init", "-no-color")
        client.succeed("apply", "-no-color", "-auto-approve")
        self.assertEqual(json.loads(client.run("output", "-json").stdout)["made"]["value"], "small")

    def test_a_state_store_is_read(self):
        """Released clients take it as an experiment only."""
        self.published(STATE_STORE, "acme/stored/aws")

    def test_the_schema_that_the_client_prints(self):
        """Of the provider that each client has built in: no other needs to run."""
        client = self.client("schema")
        write_files(client.config, {"main.tf": 'resource "terraform_data" "any" {}\n'})
        client.succeed("init", "-no-color")
        run = client.run("providers", "schema", "-json")
        self.assertEqual(run.returncode, 0, run.stderr)
        (self.folder / "schema.json").write_text(run.stdout)
        dist = write_dist(self.folder / "dist", unsigned("1.0.0", type_name="terraform"))
        done = self.koya.cli("publish", "provider", dist, "acme/terraform", "1.0.0", "--sign",
                             "--schema", self.folder / "schema.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("warning", done.stdout + done.stderr)
        items = self.koya.get("/api/v1/providers/acme/terraform/1.0.0/schema").json()["schema"]
        found = {(each["kind"], each["name"]) for each in items}
        self.assertLessEqual({("resource", "terraform_data"), ("data_source", "terraform_remote_state")}, found)


if __name__ == "__main__":
    koya_client.main()
