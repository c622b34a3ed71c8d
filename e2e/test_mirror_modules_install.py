"""A real client installs modules and providers of the public registry's own name, all from Koya.

usage: test_mirror_modules_install.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. The configuration names no host at all, as public
ones do; the CLI configuration is what `koya client-config` prints. The public name leads to a
scripted registry on loopback, for Koya; the client trusts Koya's certificate and no other.
"""
import json

import koya_client
import koya_git
from koya_client import Client, unpacked
from koya_connect import ConnectProxy
from koya_e2e import tar_gz, write_files
from koya_git import Symlink
from koya_mirror import ALLOWED, MirrorTestCase
from koya_provider import (BINARY, FOUR_PLATFORMS, PLATFORM, author, platforms_with_ours, release,
                           script, zh)

PUBLIC = {"terraform": "registry.terraform.io", "tofu": "registry.opentofu.org"}
PROVIDER = """
terraform {
  required_providers {
    demo = {
      source  = "acme/demo"
      version = "1.0.0"
    }
  }
}
"""
MODULES = """
module "archive" {
  source  = "acme/vpc/aws"
  version = "~> 1.0"
}

module "repository" {
  source  = "acme/network/aws"
  version = "1.0.0"
}

module "part" {
  source  = "acme/network/aws//modules/subnet"
  version = "1.0.0"
}

output "made" {
  value = [module.archive.made, module.repository.made, module.part.made]
}
"""
MADE = ["vpc 1.1.0", "network", "subnet"]


def module(value, more=""):
    return f'output "made" {{\n  value = "{value}"\n}}\n{more}'.encode()


class PublicClient(Client):
    def __init__(self, koya, folder, *configuration):
        super().__init__(koya_client.PROGRAM, koya, folder)
        run = koya.cli("client-config", "--upstream", PUBLIC[koya_client.PROGRAM])
        assert run.returncode == 0, run.stderr
        self.settings = self.folder / "client.tfrc"
        self.settings.write_text(run.stdout)
        write_files(self.config, {"main.tf": "".join(configuration)})

    def environment(self):
        return {**super().environment(), "TF_CLI_CONFIG_FILE": str(self.settings)}

    def outputs(self):
        self.succeed("apply", "-no-color", "-auto-approve")
        return json.loads(self.run("output", "-json").stdout)["made"]["value"]

    def installed_module(self, name):
        folder = json.loads((self.config / ".terraform/modules/modules.json").read_text())
        place = next(each["Dir"] for each in folder["Modules"] if each["Key"] == name)
        return unpacked(self.config / place)


class PublicName(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        name = PUBLIC[koya_client.PROGRAM]
        cls.files = release("1.0.0", author(), platforms=platforms_with_ours(*FOUR_PLATFORMS))
        cls.upstream, cls.git = cls.registry(), koya_git.GitServer()
        cls.addClassCleanup(cls.git.off)
        proxy = ConnectProxy()
        cls.addClassCleanup(proxy.off)
        proxy.lead(name, cls.upstream.port)
        cls.koya = cls.mirror("data", name, arguments=(*ALLOWED, "--policy.deny", "*/denied/*/*"),
                              environment={"HTTPS_PROXY": proxy.url, "NO_PROXY": "127.0.0.1"})
        cls.offer()

    @classmethod
    def offer(cls):
        cls.upstream.add("acme/demo", cls.files, author())
        for version in ("1.0.0", "1.1.0"):
            cls.upstream.add_module("acme/vpc/aws", tar_gz({"main.tf": module(f"vpc {version}")}),
                                    version)
        made = cls.git.repository("acme/network.git", {
            "main.tf": module("network", 'module "inner" {\n  source = "./modules/subnet"\n}\n'),
            "modules/subnet/main.tf": module("subnet"),
            "modules/linked": Symlink("subnet"),
        }, tag="v1.0.0")
        cls.upstream.add_module("acme/network/aws", location=f"git::{made.url}?ref=v1.0.0")

    def test_install_and_again_without_upstream(self):
        client = PublicClient(self.koya, self.folder / "public", PROVIDER, MODULES)
        client.succeed("init", "-no-color")
        self.assert_complete(client)
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")

        # The provider is none that could run, so what the modules do is seen without it.
        plain = PublicClient(self.koya, self.folder / "plain", MODULES)
        plain.succeed("init", "-no-color")
        self.assertEqual(plain.outputs(), MADE)

        self.upstream.off()
        self.git.off()
        self.addCleanup(self.upstream.on)
        self.addCleanup(self.git.on)
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")
        client.forget(lock=True).succeed("init", "-no-color")
        self.assert_complete(client)
        again = PublicClient(self.koya, self.folder / "again", MODULES)
        again.succeed("init", "-no-color")
        self.assertEqual(again.outputs(), MADE)

    def assert_complete(self, client):
        """The lock file knows every platform's zip; provider and modules are what upstream has."""
        lock = (client.config / ".terraform.lock.hcl").read_text()
        for name, data in self.files.items():
            if name.endswith(".zip"):
                self.assertIn(zh(data), lock)
        provider = (client.config / ".terraform/providers" / PUBLIC[koya_client.PROGRAM]
                    / "acme/demo/1.0.0" / PLATFORM)
        self.assertEqual(unpacked(provider), {BINARY: script("demo", "1.0.0", PLATFORM)})
        self.assertEqual(client.installed_module("archive"), {"main.tf": module("vpc 1.1.0")})
        self.assertEqual(set(client.installed_module("repository")),
                         {"main.tf", "modules/subnet/main.tf", "modules/linked/main.tf"})

    def refusal(self, name, address, location=None):
        """What the client says of a module that it does not get."""
        client = PublicClient(self.koya, self.folder / name)
        if location:
            self.upstream.add_module(address, location=location)
        write_files(client.config, {"main.tf": (
            f'module "wanted" {{\n  source  = "{address}"\n  version = "1.0.0"\n}}\n')})
        return client.refuse("init", "-no-color")

    def test_what_the_client_says_when_there_is_none(self):
        self.assertIn("not found", self.refusal("none", "acme/nothing/aws"))
        self.assertIn("403", self.refusal("denied", "denied/vpc/aws"))
        said = self.refusal("lost", "acme/lost/aws", f"git::{self.git.url('/lost.git')}?ref=v1")
        self.assertIn("502 Bad Gateway", said)


if __name__ == "__main__":
    koya_client.main()
