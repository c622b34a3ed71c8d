"""A real client, terraform or tofu, that installs providers from a Koya server.

Files that use it are run with --client=terraform|tofu, or with both, as in --client=tofu,terraform
(both unless given): the first that is on PATH is taken. They are skipped, by name, when none is.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import koya_e2e
import koya_provider
from koya_provider import PLATFORM, add_key, download, zh

PROGRAM = "terraform"
DISCOVERY = ("GET", "/.well-known/terraform.json")
OS_ARCH = PLATFORM.replace("_", "/")


class Client:
    """terraform or tofu in a folder of its own, trusting `koya`."""

    def __init__(self, program, koya, folder):
        self.program, self.koya, self.folder = program, koya, pathlib.Path(folder)
        self.config = self.folder / "config"
        self.home = self.folder / "home"
        self.config.mkdir(parents=True)
        self.home.mkdir()

    def environment(self):
        return koya_e2e.clean_environment(
            HOME=str(self.home), SSL_CERT_FILE=str(self.koya.data / "dev/ca.pem"),
            SSL_CERT_DIR="/nonexistent", CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1",
            TF_INPUT="0", TF_CLI_CONFIG_FILE=str(self.koya.data / "dev/client.tfrc"))

    def run(self, *arguments, timeout=120):
        return subprocess.run([self.program, *map(str, arguments)], cwd=self.config, text=True,
                              env=self.environment(), capture_output=True, timeout=timeout)

    def succeed(self, *arguments, **more):
        """Its output, white space and box drawing folded to single blanks."""
        run = self.run(*arguments, **more)
        assert run.returncode == 0, f"{arguments}: {run.stdout}{run.stderr}"
        return fold(run.stdout + run.stderr)

    def refuse(self, *arguments, **more):
        run = self.run(*arguments, **more)
        assert run.returncode == 1, f"{arguments}: {run.returncode} {run.stdout}{run.stderr}"
        return fold(run.stdout + run.stderr)

    def require(self, **providers):
        """Writes a configuration: local name = (address, constraint)."""
        blocks = "".join(
            f'    {name} = {{\n      source  = "{self.koya.address}/{address}"\n'
            f'      version = "{constraint}"\n    }}\n'
            for name, (address, constraint) in providers.items())
        koya_e2e.write_files(self.config, {
            "main.tf": f"terraform {{\n  required_providers {{\n{blocks}  }}\n}}\n"})
        return self

    def forget(self, lock=False):
        """Removes what init installed, and the lock file if told so."""
        shutil.rmtree(self.config / ".terraform", ignore_errors=True)
        if lock:
            (self.config / ".terraform.lock.hcl").unlink(missing_ok=True)
        return self

    def locked(self, address):
        """(version, hashes) in the lock file; None when the provider is not in it."""
        path = self.config / ".terraform.lock.hcl"
        text = path.read_text() if path.exists() else ""
        block = re.search(r'provider "%s/%s" \{(.*?)\n\}' % (
            re.escape(self.koya.address), re.escape(address)), text, re.S)
        if not block:
            return None
        return (re.search(r'version\s*=\s*"(.*?)"', block[1])[1],
                set(re.findall(r'"((?:h1|zh):.*?)"', block[1])))

    def installed(self, address, version, platform_name=PLATFORM):
        """The folder into which init unpacked a package."""
        return (self.config / ".terraform/providers" / self.koya.address / address / version
                / platform_name)


def version_of(program):
    """(name, (major, minor), version in full)"""
    words = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout
    name, version = re.search(r"^(Terraform|OpenTofu) v(\S+)", words, re.MULTILINE).groups()
    return name, tuple(map(int, version.split(".")[:2])), version


def fold(text):
    return re.sub(r"[\s│╷╵]+", " ", text)


def unpacked(folder):
    """{name: bytes} of all files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}


class ClientTestCase(koya_e2e.TestCase):
    """Tests that share a server; each uses a namespace of its own."""

    SERVER = koya_e2e.Server

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.koya = cls.SERVER(cls.shared / "data").start()
        cls.addClassCleanup(cls.koya.__exit__)

    def client(self, name="client", **providers):
        return Client(PROGRAM, self.koya, self.folder / name).require(**providers)

    def namespace(self, name, *authors):
        for author in authors:
            answer = add_key(self.koya, name, author.armor)
            self.assertIn(answer.status, (200, 201), answer)
        return name

    def command(self, *arguments):
        run = self.koya.cli(*arguments)
        self.assertEqual(run.returncode, 0, f"{arguments}: {run.stdout}{run.stderr}")
        return run.stdout

    def requests_for(self, address, version, type_name="demo"):
        """What a client asks for to install one version."""
        stem = koya_provider.stem(type_name, version)
        files = f"/download/providers/{address}/{version}/{stem}"
        return [
            ("GET", f"/v1/providers/{address}/versions"),
            ("GET", f"/v1/providers/{address}/{version}/download/{OS_ARCH}"),
            ("GET", f"{files}_SHA256SUMS"),
            ("GET", f"{files}_SHA256SUMS.sig"),
            ("HEAD", f"{files}_{PLATFORM}.zip"),
            ("GET", f"{files}_{PLATFORM}.zip"),
        ]

    def assert_requests(self, since, expected, discoveries=(1,)):
        """Exactly these requests arrived, discovery first, and as often as `discoveries` allows."""
        self.koya.log_mark()
        arrived = self.koya.requests(since)
        if all(method != "HEAD" for method, _ in arrived):  # newer clients do without it
            expected = [each for each in expected if each[0] != "HEAD"]
        self.assertEqual(arrived[0], DISCOVERY)
        self.assertIn(arrived.count(DISCOVERY), discoveries)
        arrived, expected = (collections.Counter(each) for each in (arrived, expected))
        arrived[DISCOVERY] = expected[DISCOVERY] = 1
        self.assertEqual(arrived, expected)

    def assert_hashes(self, client, address, version, files):
        """The lock file has the h1 that Koya computed, and the zh of all that SHA256SUMS names."""
        document = download(self.koya, address, version)
        own = set(document["packages"][PLATFORM]["hashes"])
        locked_version, locked = client.locked(address)
        self.assertEqual(locked_version, version)
        zips = [data for name, data in files.items() if name.endswith((".zip", "_manifest.json"))]
        self.assertEqual({each for each in locked if each.startswith("zh:")},
                         {zh(data) for data in zips})
        self.assertEqual({each for each in locked if each.startswith("h1:")},
                         {each for each in own if each.startswith("h1:")})


def main():
    """Reads --client, skips when there is none, and runs the tests of the calling file."""
    global PROGRAM
    wanted = ["terraform", "tofu"]
    for argument in list(sys.argv[1:]):
        if argument.startswith("--client="):
            wanted = argument.removeprefix("--client=").split(",")
            sys.argv.remove(argument)
    PROGRAM = next(filter(shutil.which, wanted), None)
    if not PROGRAM:
        print(f"skipped: not on PATH: {' or '.join(wanted)}")
        sys.exit(koya_e2e.SKIPPED)
    print(f"the client is {PROGRAM}", flush=True)
    koya_e2e.main()
