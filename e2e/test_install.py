"""A real client installs from a Koya server: what it prints, what it gets, what it asked for.

usage: test_install.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. The configurations need no provider but the one
that is built into the clients, so no other registry is asked for anything.
"""
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import koya_client
import koya_e2e
from koya_e2e import tar_gz, write_files, zip_of

CLIENT = "terraform"
DISCOVERY = ("GET", "/.well-known/terraform.json")

# Ten versions; `~> 1.2` must choose 1.3.0: not the later prereleases, not the next major version.
LABEL_VERSIONS = ("0.9.0", "1.0.0", "1.1.0", "1.2.0-beta.1", "1.2.0", "1.2.10", "1.3.0-rc.1",
                  "1.3.0", "1.4.0-alpha.2", "2.0.0")


def labels_module(version):
    return {"main.tf": f'output "labels" {{\n  value = "labels {version}"\n}}\n'}


NETWORK_MODULE = {
    "main.tf": 'output "network" {\n  value = "network"\n}\n',
    "modules/subnet/main.tf":
        'module "naming" {\n  source = "../../shared/naming"\n}\n'
        'output "subnet" {\n  value = "subnet of ${module.naming.name}"\n}\n',
    "shared/naming/main.tf": 'output "name" {\n  value = "net-1"\n}\n',
}


def stack_module(address):
    """A module that uses another one of the same registry."""
    return {
        "main.tf":
            f'module "labels" {{\n  source  = "{address}/acme/labels/null"\n'
            '  version = "1.0.0"\n}\n'
            'output "stack" {\n  value = "stack with ${module.labels.labels}"\n}\n',
    }


def three_modules(address):
    return {
        "main.tf": f"""
module "subnet" {{
  source  = "{address}/acme/network/aws//modules/subnet"
  version = "1.0.0"
}}
module "labels" {{
  source  = "{address}/acme/labels/null"
  version = "~> 1.2"
}}
module "stack" {{
  source = "{address}/acme/stack/aws"
}}
resource "terraform_data" "all" {{
  input = [module.subnet.subnet, module.labels.labels, module.stack.stack]
}}
output "all" {{
  value = terraform_data.all.output
}}
""",
    }


class Install(koya_e2e.TestCase):
    def setUp(self):
        super().setUp()
        if not shutil.which(CLIENT):
            self.skipTest(f"{CLIENT} is not on PATH")
        self.koya = self.server()
        self.config = self.folder / "config"
        self.config.mkdir()

    def run_client(self, *arguments):
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        environment = koya_e2e.clean_environment(
            HOME=str(home), SSL_CERT_FILE=str(self.koya.data / "dev/ca.pem"),
            SSL_CERT_DIR="/nonexistent", CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1",
            TF_INPUT="0", TF_CLI_CONFIG_FILE=str(self.koya.data / "dev/client.tfrc"),
        )
        return subprocess.run([CLIENT, *arguments], cwd=self.config, env=environment, text=True,
                              capture_output=True, timeout=120)

    def succeed(self, *arguments):
        run = self.run_client(*arguments)
        self.assertEqual(run.returncode, 0, f"{arguments}: {run.stdout}{run.stderr}")
        return run.stdout

    def refuse(self, *arguments):
        """What the client said, its box drawing and line breaks taken out."""
        run = self.run_client(*arguments)
        self.assertEqual(run.returncode, 1, f"{arguments}: {run.stdout}{run.stderr}")
        return re.sub(r"[\s│╷╵]+", " ", run.stdout + run.stderr)

    def output(self):
        return json.loads(self.succeed("output", "-json"))["all"]["value"]

    def requests_for(self, address, version):
        """What a client asks for to install one version of a module."""
        archive = self.koya.archive_path(address, version)
        return [
            ("GET", f"/v1/modules/{address}/versions"),
            ("GET", f"/v1/modules/{address}/{version}/download"),
            ("HEAD", archive),
            ("GET", archive),
        ]

    def assert_requests(self, since, expected):
        """Exactly these requests arrived, discovery first; the order of modules is the client's."""
        self.koya.log_mark()
        arrived = self.koya.requests(since)
        self.assertEqual(collections.Counter(arrived), collections.Counter(expected))
        if DISCOVERY in expected:
            self.assertEqual(arrived[0], DISCOVERY)

    def publish_three(self):
        for version in LABEL_VERSIONS:
            self.koya.publish("acme/labels/null", version, tar_gz(labels_module(version)))
        self.koya.publish("acme/network/aws", "1.0.0", zip_of(NETWORK_MODULE))
        self.koya.publish("acme/stack/aws", "3.1.4", tar_gz(stack_module(self.koya.address)))

    def test_three_modules_init_apply_reinit_upgrade(self):
        self.publish_three()
        write_files(self.config, three_modules(self.koya.address))
        expected = [
            DISCOVERY,
            *self.requests_for("acme/network/aws", "1.0.0"),
            *self.requests_for("acme/labels/null", "1.3.0"),
            *self.requests_for("acme/stack/aws", "3.1.4"),
            # labels 1.0.0, for the stack: the list of versions is known by then
            *self.requests_for("acme/labels/null", "1.0.0")[1:],
        ]

        mark = self.koya.log_mark()
        self.succeed("init", "-no-color")
        self.assert_requests(mark, expected)

        self.succeed("apply", "-no-color", "-auto-approve")
        self.assertEqual(self.output(),
                         ["subnet of net-1", "labels 1.3.0", "stack with labels 1.0.0"])

        mark = self.koya.log_mark()
        self.succeed("init", "-no-color")
        self.assert_requests(mark, [])

        self.koya.publish("acme/labels/null", "1.4.0", tar_gz(labels_module("1.4.0")))
        upgraded = [
            *(request for request in expected
              if "labels" not in request[1]),
            *self.requests_for("acme/labels/null", "1.4.0"),
            *self.requests_for("acme/labels/null", "1.0.0")[1:],
        ]
        mark = self.koya.log_mark()
        self.succeed("init", "-no-color", "-upgrade")
        self.assert_requests(mark, upgraded)
        self.succeed("apply", "-no-color", "-auto-approve")
        self.assertEqual(self.output()[1], "labels 1.4.0")

    def install_one(self, address, version, expression):
        write_files(self.config, {"main.tf": (
            f'module "one" {{\n  source  = "{self.koya.address}/{address}"\n'
            f'  version = "{version}"\n}}\noutput "all" {{\n  value = {expression}\n}}\n')})
        shutil.rmtree(self.config / ".terraform", ignore_errors=True)
        self.succeed("init", "-no-color")
        self.succeed("apply", "-no-color", "-auto-approve")
        return self.output()

    def test_every_kind_of_upload_installs(self):
        folder = write_files(self.folder / "module", labels_module("folder"))
        (self.folder / "m.zip").write_bytes(zip_of(labels_module("zip")))
        (self.folder / "m.tar.gz").write_bytes(tar_gz(labels_module("tar.gz")))
        (self.folder / "m.tgz").write_bytes(tar_gz(labels_module("tgz")))
        (self.folder / "w.tar.gz").write_bytes(tar_gz(labels_module("wrapped"), "labels-v1.2.3"))
        (self.folder / "w.zip").write_bytes(zip_of(labels_module("wrapped zip"), "labels-main"))
        uploads = {"folder": folder, "zip": "m.zip", "tar.gz": "m.tar.gz", "tgz": "m.tgz",
                   "wrapped": "w.tar.gz", "wrapped zip": "w.zip"}
        for number, (kind, path) in enumerate(uploads.items(), 1):
            with self.subTest(kind):
                version = f"1.0.{number}"
                run = self.koya.cli("publish", "module", self.folder / path,
                                    "acme/kinds/null", version)
                self.assertEqual(run.returncode, 0, run.stderr)
                found = self.install_one("acme/kinds/null", version, "module.one.labels")
                self.assertEqual(found, f"labels {kind}")

    def test_letter_case_of_an_address_does_not_matter(self):
        self.koya.publish("Acme/Labels/null", "1.0.0", tar_gz(labels_module("1.0.0")))
        self.assertEqual(self.install_one("aCME/labelS/null", "1.0.0", "module.one.labels"),
                         "labels 1.0.0")

    def test_a_prerelease_and_build_metadata_install_when_asked_for(self):
        for version in ("1.0.0-rc.1", "1.1.0+build.7"):
            self.koya.publish("acme/odd/null", version, tar_gz(labels_module(version)))
            self.assertEqual(self.install_one("acme/odd/null", version, "module.one.labels"),
                             f"labels {version}")

    def test_tampered_archive_is_refused_by_the_client(self):
        published = self.koya.publish("acme/labels/null", "1.0.0", tar_gz(labels_module("1.0.0")))
        digest = published["digest"].removeprefix("sha256:")
        blobs = [path for path in (self.koya.data / "blobs").rglob("*")
                 if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest]
        self.assertEqual(len(blobs), 1, "the archive lies in the data folder, once")
        data = bytearray(blobs[0].read_bytes())
        data[len(data) // 2] ^= 0x20
        os.chmod(blobs[0], 0o600)
        with open(blobs[0], "r+b") as blob:
            blob.write(data)

        write_files(self.config, {"main.tf": (
            f'module "one" {{\n  source  = "{self.koya.address}/acme/labels/null"\n'
            '  version = "1.0.0"\n}\n')})
        self.assertIn("Checksums did not match", self.refuse("init", "-no-color"))
        self.assertFalse((self.config / ".terraform/modules/one/main.tf").exists())

    def test_unknown_module_and_unknown_version(self):
        self.koya.publish("acme/labels/null", "1.0.0", tar_gz(labels_module("1.0.0")))
        block = 'module "one" {{\n  source  = "{}/{}"\n  version = "{}"\n}}\n'
        write_files(self.config, {
            "main.tf": block.format(self.koya.address, "acme/nothing/null", "1.0.0")})
        mark = self.koya.log_mark()
        self.assertIn("Module not found", self.refuse("init", "-no-color"))
        self.assert_requests(mark, [DISCOVERY, ("GET", "/v1/modules/acme/nothing/null/versions")])

        write_files(self.config, {
            "main.tf": block.format(self.koya.address, "acme/labels/null", "9.9.9")})
        mark = self.koya.log_mark()
        words = self.refuse("init", "-no-color")
        self.assertRegex(words, r"(no available version|Unresolvable module version)")
        self.assert_requests(mark, [DISCOVERY, ("GET", "/v1/modules/acme/labels/null/versions")])

    def test_direct_locations_are_for_clients_that_know_them(self):
        """OpenTofu 1.12 and later fetch at once, without a fetcher's HEAD and without credentials."""
        name, number, _ = koya_client.version_of(CLIENT)
        knows = name == "OpenTofu" and number >= (1, 12)
        self.koya = self.server("--modules.location", "direct", name="direct")
        uploads = {"1.0.0": tar_gz(labels_module("1.0.0")), "1.1.0": zip_of(labels_module("1.1.0"))}
        for version, archive in uploads.items():
            self.koya.publish("acme/labels/null", version, archive)
            mark = self.koya.log_mark()
            self.assertEqual(self.install_one("acme/labels/null", version, "module.one.labels"),
                             f"labels {version}")
            expected = [DISCOVERY, *self.requests_for("acme/labels/null", version)]
            if knows:
                expected.remove(("HEAD", self.koya.archive_path("acme/labels/null", version)))
            self.assert_requests(mark, expected)

    def test_withdrawn_version_is_not_chosen(self):
        for version in ("1.0.0", "1.1.0"):
            self.koya.publish("acme/labels/null", version, tar_gz(labels_module(version)))
        answer = self.koya.request("DELETE", "/api/v1/modules/acme/labels/null/1.1.0",
                                   json.dumps({"reason": "leaks a key"}), token=self.koya.token)
        self.assertEqual(answer.status, 204, answer)
        self.assertEqual(self.install_one("acme/labels/null", "~> 1.0", "module.one.labels"),
                         "labels 1.0.0")


if __name__ == "__main__":
    for argument in list(sys.argv[1:]):
        if argument.startswith("--client="):
            CLIENT = argument.removeprefix("--client=")
            sys.argv.remove(argument)
    koya_e2e.main()
