"""The release tree (tools/make-dist) on machines that have nothing of what it was built on.

Packs a tree from $KOYA_BIN and runs it, as root by chroot, where there is only the tree: real
clients publish, install, mirror and sign in through it. KOYA_PORTABLE_SYSTEMS=bullseye,trixie does
the same in those releases of Debian, which debootstrap fetches, and `image` in the root of the
container image, and `arm64` runs dist/'s tree for arm64 by qemu (make soak). Skipped, by name, without root.
"""
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import koya_client
import koya_e2e
from koya_e2e import KOYA, ROOT

SYSTEMS = [each for each in os.environ.get("KOYA_PORTABLE_SYSTEMS", "").split(",") if each]
DEBIANS = [each for each in SYSTEMS if each not in ("image", "arm64")]

# Each with a real client on this machine, and a server in the other root.
USES = (
    ("test_install.py", "--client=terraform", "Install.test_three_modules_init_apply_reinit_upgrade"),
    ("test_provider_install.py", "--client=terraform", "Install.test_signed_by_the_server"),
    ("test_mirror_install.py", "--client=terraform", "Origin.test_install_and_again_without_upstream"),
    ("test_client_login.py", "--client=terraform", "ClientLogin.test_who_is_signed_in_only_consents"),
    ("test_login.py", "SetUp.test_the_page_makes_one_too"),
)
# What a program may read outside its tree and its data (docs/install.md).
READ = re.compile(
    r"/(etc/(resolv\.conf|hosts|host\.conf|nsswitch\.conf|gai\.conf|passwd|group|localtime"
    r"|ld\.so\.preload)|etc/ssl/.*|etc/pki/.*|usr/lib/ssl/.*|(usr/share|etc)/zoneinfo/.*"
    r"|proc/.*|sys/.*|dev/(null|u?random|tty))$")


TREE = None  # made once for all tests


def setUpModule():
    global TREE
    if os.environ.get("KOYA_SANITIZED"):
        raise unittest.SkipTest("a tree is of a plain build")
    out = tempfile.mkdtemp(prefix="koya-tree-")
    unittest.addModuleCleanup(shutil.rmtree, out, ignore_errors=True)
    TREE = make_tree(out)


def make_tree(out):
    subprocess.run([ROOT / "tools/make-dist", KOYA, out], check=True, stdout=subprocess.DEVNULL)
    return next(pathlib.Path(out).glob("koya-*-linux-*64"))


class TreeTestCase(koya_e2e.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = TREE

    def run_tree(self, *arguments, program=None, **more):
        return subprocess.run([str(program or self.tree / "bin/koya"), *arguments],
                              capture_output=True, text=True, timeout=60, **more)


class Tree(TreeTestCase):
    """On this machine."""

    def test_is_found_wherever_it_is(self):
        moved = self.folder / "a folder, moved"
        shutil.copytree(self.tree, moved, symlinks=True)
        (self.folder / "koya").symlink_to(moved / "bin/koya")
        (self.folder / "linked").symlink_to("koya")
        version = self.run_tree("version").stdout
        self.assertRegex(version, r"^koya \d")
        for program in (moved / "bin/koya", self.folder / "koya", self.folder / "linked"):
            self.assertEqual(self.run_tree("version", program=program).stdout, version, program)
        relative = self.run_tree("version", program="./bin/koya", cwd=moved)
        self.assertEqual(relative.stdout, version)
        by_path = subprocess.run(["koya", "version"], capture_output=True, text=True, cwd="/",
                                 env={"PATH": f"{moved}/bin"})
        self.assertEqual(by_path.stdout, version)

    def test_says_what_is_missing(self):
        broken = self.folder / "broken"
        shutil.copytree(self.tree, broken)
        shutil.rmtree(broken / "lib")
        run = self.run_tree("version", program=broken / "bin/koya")
        self.assertEqual(run.returncode, 126)
        self.assertIn("is missing: unpack the whole archive again", run.stderr)
        alone = self.folder / "alone/bin/koya"
        alone.parent.mkdir(parents=True)
        shutil.copy(self.tree / "bin/koya", alone)
        run = self.run_tree("version", program=alone)
        self.assertEqual(run.returncode, 126)
        self.assertIn("link to it instead of copying it", run.stderr)
        colon = self.folder / "a:b"
        shutil.copytree(self.tree, colon)
        run = self.run_tree("version", program=colon / "bin/koya")
        self.assertEqual(run.returncode, 126)
        self.assertIn("move the tree", run.stderr)

    def test_archive_holds_the_manifest_and_nothing_else(self):
        archive = self.tree.with_name(self.tree.name + ".tar.gz")
        self.assertLess(archive.stat().st_size, 40e6)
        with tarfile.open(archive) as opened:
            members = {each.name.partition("/")[2]: each for each in opened if each.isfile()}
            self.assertEqual({each.uid for each in members.values()}, {0})
        lines = (self.tree / "share/koya/manifest").read_text().splitlines()
        listed = {name: (mode, digest)
                  for mode, digest, name in (line.split(" ", 2) for line in lines[1:])}
        self.assertEqual(set(listed) | {"share/koya/manifest"}, set(members))
        for name, (mode, digest) in listed.items():
            data = (self.tree / name).read_bytes()
            self.assertEqual(hashlib.sha256(data).hexdigest(), digest, name)
            self.assertEqual(f"{members[name].mode:o}", mode, name)
        for each in ("share/licences/glibc", "share/licences/boost1.81", "share/licences/koya",
                     "share/man/man1/koya-serve.1", "share/systemd/koya.service",
                     "share/koya/koya.toml", "share/bash-completion/completions/koya"):
            self.assertIn(each, listed)

    def test_deployments_name_settings_that_exist(self):
        known = set(re.findall(r"`(KOYA_[A-Z0-9_]+)`", (ROOT / "docs/config.md").read_text()))
        known |= {"KOYA_URL", "KOYA_DATABASE", "KOYA_IMAGE"}  # of the compose files themselves
        for file in (ROOT / "deploy/docker/Dockerfile", *(ROOT / "deploy/compose").iterdir(),
                     ROOT / "tools/make-image"):
            named = set(re.findall(r"KOYA_[A-Z0-9_]+", file.read_text()))
            self.assertEqual(named - known, set(), file)

    def test_is_the_same_when_made_again(self):
        with tempfile.TemporaryDirectory(prefix="koya-tree-") as again:
            other = make_tree(again)
            name = self.tree.name + ".tar.gz"
            self.assertEqual((self.tree.parent / name).read_bytes(),
                             (other.parent / name).read_bytes())

    def test_reads_nothing_of_this_machines_own(self):
        if not shutil.which("strace"):
            self.skipTest("strace is not on PATH")
        trace = self.folder / "trace"
        wrapper = self.folder / "koya"
        wrapper.write_text(f"#!/bin/sh\nexec strace -D -ff -v -qq -s 4096 -e trace=open,openat,execve "
                           f"-o {trace}.$$ {self.tree}/bin/koya \"$@\"\n")
        wrapper.chmod(0o755)
        environment = {**os.environ, "KOYA_BIN": str(wrapper), "TMPDIR": str(self.folder),
                       "LANG": "de_DE.UTF-8"}
        run = subprocess.run(
            [sys.executable, "-B", ROOT / "e2e/test_login.py", "KoyaLogin.test_publishes_and_signs_out"],
            env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        read, started = set(), 0
        for log in self.folder.glob("trace.*"):
            # What a child runs instead is not ours; what it would inherit is.
            ours, *programs = log.read_text().split("execve(")
            for each in programs:
                self.assertFalse("LD_LIBRARY_PATH" in each, log)
                started += each.startswith(f'"{self.tree}/lib/ld-linux')
                ours += each if each.startswith(f'"{self.tree}/') else ""
            read |= set(re.findall(r'open(?:at)?\((?:\w+, )?"([^"]*)"', ours))
        self.assertGreater(started, 1)
        self.assertIn(str(self.tree / "lib/libc.so.6"), read)
        own = (str(self.tree), str(self.folder))
        others = sorted(each for each in read if each.startswith("/") and not each.startswith(own))
        self.assertEqual([each for each in others if not READ.match(each)], [])


class HandedOut(TreeTestCase):
    """A server that runs from the tree hands it out: /-/cli/."""

    packed = None  # what the first server packed; others with the same tree use it again

    def start(self, **environment):
        data = self.folder / "server"
        if self.packed:
            shutil.copytree(self.packed, data / "clients")
        koya = koya_e2e.Server(data, program=str(self.tree / "bin/koya"), environment=environment)
        self.addCleanup(koya.__exit__)
        koya.start()
        if not self.packed:
            koya.get("/-/cli/", token=koya.token)
            HandedOut.packed = tempfile.mkdtemp(prefix="koya-clients-")
            self.addClassCleanup(shutil.rmtree, HandedOut.packed, ignore_errors=True)
            shutil.copytree(data / "clients", HandedOut.packed, dirs_exist_ok=True)
        return koya

    def install(self, koya, script, prefix, **environment):
        (self.folder / "wgetrc").write_text(f"ca_certificate = {koya.data}/dev/ca.pem\n")
        return subprocess.run(["sh", "-s"], input=script, capture_output=True, text=True, timeout=60,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"),
                                   "PREFIX": str(prefix), "TMPDIR": str(self.folder),
                                   "CURL_CA_BUNDLE": str(koya.data / "dev/ca.pem"),
                                   "WGETRC": str(self.folder / "wgetrc"), **environment})

    def test_installs_its_client(self):
        koya = self.start()
        listed = koya.get("/-/cli/").json()
        version = self.run_tree("version").stdout.split()[1]
        self.assertEqual(listed["version"], version)
        self.assertEqual([(each["os"], each["arch"]) for each in listed["platforms"]],
                         [("linux", "amd64")])
        program = listed["platforms"][0]
        archive = koya.get("/-/cli/koya-linux-amd64.tar.gz").body
        self.assertEqual(hashlib.sha256(archive).hexdigest(), program["sha256"])
        self.assertEqual(len(archive), program["size"])
        script = koya.get("/-/cli/install.sh").body.decode()
        self.assertLessEqual(script.count("\n"), 60)

        for name, environment in (("curl", {}), ("again", {}), ("wget", {"PATH": self.only("wget")})):
            with self.subTest(name):
                prefix = self.folder / "prefix"
                run = self.install(koya, script, prefix, **environment)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn(f"koya {version} is in {prefix}/bin/koya", run.stdout)
                self.assertIn("Add it to PATH", run.stdout)
                client = self.run_tree(
                    "version", "--server", koya.url, program=prefix / "bin/koya",
                    env={"PATH": os.environ["PATH"], "SSL_CERT_FILE": str(koya.data / "dev/ca.pem")})
                self.assertEqual(client.stderr, "")
                self.assertIn(f"runs koya {version}", client.stdout)
                self.assertEqual(len(list((prefix / "lib").iterdir())), 1, "nothing is left over")
        unpacked = prefix / f"lib/{self.tree.name}"
        manifest = (self.tree / "share/koya/manifest").read_text().splitlines()[1:]
        self.assertEqual({str(each.relative_to(unpacked)) for each in unpacked.rglob("*") if each.is_file()},
                         {line.split(" ", 2)[2] for line in manifest} | {"share/koya/manifest"})

        # A script of before an upgrade: it fetches the new one.
        old = script.replace(program["sha256"], "0" * 64)
        run = self.install(koya, old, self.folder / "upgraded")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue((self.folder / "upgraded/bin/koya").exists())
        # Cut off: it does nothing.
        for share in (3, 2, 1.1):
            run = self.install(koya, script[:int(len(script) / share)], self.folder / "cut")
            self.assertFalse((self.folder / "cut").exists(), share)
        # Where nothing can be written.
        (self.folder / "file").touch()
        run = self.install(koya, script, self.folder / "file")
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot be written: set PREFIX", run.stderr)
        run = self.install(koya, script, self.folder / "none", PATH=self.only())
        self.assertIn("neither curl nor wget", run.stderr)
        self.assertFalse((self.folder / "none/bin").exists())
        run = self.install(koya, script.replace("$(uname -s)-$(uname -m)", "SunOS-sparc"), prefix)
        self.assertIn("has no koya for", run.stderr)

    def test_a_mount_that_runs_nothing(self):
        if os.geteuid() != 0:
            self.skipTest("a mount needs root")
        koya = self.start()
        script = koya.get("/-/cli/install.sh").body.decode()
        prefix = self.folder / "noexec"
        prefix.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", prefix], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", prefix])
        run = self.install(koya, script, prefix)
        self.assertEqual(run.returncode, 1)
        self.assertIn("if it is mounted noexec, set PREFIX", run.stderr)
        self.assertFalse((prefix / "bin/koya").exists())

    def test_for_callers_with_a_token_only(self):
        koya = self.start(KOYA_ACCESS_ANONYMOUS="none")
        self.assertEqual(koya.get("/-/cli/install.sh").status, 401)
        script = koya.get("/-/cli/install.sh", token=koya.token).body.decode()
        run = self.install(koya, script, self.folder / "without")
        self.assertEqual(run.returncode, 1)
        self.assertIn("set KOYA_TOKEN", run.stderr)
        for name in ("curl", "wget"):
            run = self.install(koya, script, self.folder / name, KOYA_TOKEN=koya.token,
                               PATH=self.only(name))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue((self.folder / name / "bin/koya").exists())

    def only(self, *more):
        """A PATH with what every system has, and these."""
        folder = self.folder / ("path-" + "-".join(more))
        folder.mkdir(exist_ok=True)
        for name in ("sh", "uname", "mktemp", "rm", "mkdir", "mv", "ln", "tar", "gzip", "sha256sum",
                     "cut", "cat", *more):
            if not (folder / name).exists():
                (folder / name).symlink_to(shutil.which(name))
        return str(folder)


class OtherRootTestCase(TreeTestCase):
    """Tests whose server runs below `self.root`, which sees no more than /tmp of this machine."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("another root needs root, for chroot and mount")
        if not shutil.which("terraform"):
            self.skipTest("terraform is not on PATH")
        self.root = self.folder / "root"
        self.shared = self.folder / "tmp"
        self.shared.mkdir()

    def mount(self, what, where, *options):
        where.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *options, what, where], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", where])

    def enter(self):
        """A program that runs the tree below the root; the test's folders have the same path there."""
        self.mount(self.tree, self.root / "opt/koya", "--bind")
        self.mount(self.shared, self.root / str(self.shared).lstrip("/"), "--bind")
        (self.root / "dev").mkdir(exist_ok=True)
        for name in ("null", "urandom"):
            place = self.root / "dev" / name
            if not place.exists():
                place.touch()
                subprocess.run(["mount", "--bind", f"/dev/{name}", place], check=True)
                self.addCleanup(subprocess.run, ["umount", "-l", place])
        program = self.folder / "koya"
        program.write_text(f'#!/bin/sh\nexec chroot {self.root} /opt/koya/bin/koya "$@"\n')
        program.chmod(0o755)
        return program

    def use(self, program):
        environment = {**os.environ, "KOYA_BIN": str(program), "TMPDIR": str(self.shared)}
        for file, *arguments in USES:
            with self.subTest(file):
                run = subprocess.run([sys.executable, "-B", ROOT / "e2e" / file, *arguments],
                                     env=environment, capture_output=True, text=True, timeout=300)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


class EmptyRoot(OtherRootTestCase):
    def test_it_serves_with_nothing_but_its_tree(self):
        self.use(self.enter())

    def test_no_root_certificates(self):
        koya = self.server()
        run = self.run_tree("list", "modules", "--server", koya.url, "--token", koya.token,
                            program=self.enter(), env={"PATH": os.environ["PATH"]})
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("this machine has no root certificates", run.stderr)
        self.assertIn("SSL_CERT_FILE", run.stderr)

    def test_root_certificates_where_others_keep_them(self):
        program = self.enter()
        for place in ("etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/ca-bundle.pem",
                      "etc/ssl/cert.pem"):
            with self.subTest(place):
                koya = self.server(name=place.replace("/", "-"))
                file = self.root / place
                file.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(koya.data / "dev/ca.pem", file)
                run = self.run_tree("list", "modules", "--server", koya.url, "--token", koya.token,
                                    program=program, env={"PATH": os.environ["PATH"]})
                self.assertEqual(run.returncode, 0, run.stderr)
                file.unlink()


class DebianRoot(OtherRootTestCase):
    def test_it_serves_on_other_systems(self):
        if not DEBIANS:
            self.skipTest("KOYA_PORTABLE_SYSTEMS names no release of Debian")
        if not shutil.which("debootstrap"):
            self.skipTest("debootstrap is not on PATH")
        for system in DEBIANS:
            with self.subTest(system):
                self.root = self.folder / system
                subprocess.run(["debootstrap", "--variant=minbase", system, self.root],
                               check=True, stdout=subprocess.DEVNULL)
                self.use(self.enter())


class Runner(OtherRootTestCase):
    """A CI job in a bare Debian 11 takes its client from the server that it publishes to."""

    def test_publishes_from_a_tag_without_a_stored_secret(self):
        if "bullseye" not in SYSTEMS:
            self.skipTest("KOYA_PORTABLE_SYSTEMS does not name bullseye")
        if not shutil.which("debootstrap"):
            self.skipTest("debootstrap is not on PATH")
        subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates,curl",
                        "bullseye", self.root], check=True, stdout=subprocess.DEVNULL)
        self.enter()
        environment = {**os.environ, "KOYA_BIN": str(self.tree / "bin/koya"),
                       "KOYA_CI_ROOT": str(self.root), "TMPDIR": str(self.shared)}
        for name in ("github_publishes_a_module", "github_publishes_the_modules_of_a_tag",
                     "gitlab_publishes_a_module"):
            run = subprocess.run(
                [sys.executable, "-B", ROOT / "e2e/test_ci_files.py", f"CiFiles.test_{name}"],
                env=environment, capture_output=True, text=True, timeout=300)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("Ran 1 test", run.stderr)


class Arm64(TreeTestCase):
    """The tree that make dist ARCH=arm64 has made, run by qemu."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if "arm64" not in SYSTEMS:
            raise unittest.SkipTest("KOYA_PORTABLE_SYSTEMS does not name arm64")
        if not shutil.which("qemu-aarch64-static"):
            raise unittest.SkipTest("qemu-aarch64-static is not on PATH")
        cls.tree = next((ROOT / "dist").glob("koya-*-linux-arm64"))

    def program(self):
        """The program as its starter starts it: the kernel could not do that without binfmt."""
        program = self.folder / "koya"
        program.write_text(f"#!/bin/sh\nexec qemu-aarch64-static {self.tree}/lib/ld-linux-aarch64.so.1 "
                           f"--argv0 koya --library-path {self.tree}/lib {self.tree}/libexec/koya \"$@\"\n")
        program.chmod(0o755)
        return program

    def test_starts_its_loader(self):
        run = subprocess.run(["qemu-aarch64-static", "-strace", self.tree / "bin/koya", "version"],
                             capture_output=True, text=True, timeout=60)
        self.assertIn(f'execve("{self.tree}/lib/ld-linux-aarch64.so.1"', run.stderr)

    def test_is_of_the_same_version(self):
        self.assertEqual(self.run_tree("version", program=self.program()).stdout,
                         self.run_tree("version", program=TREE / "bin/koya").stdout)

    def test_serves_real_clients(self):
        if not shutil.which("terraform"):
            self.skipTest("terraform is not on PATH")
        environment = {**os.environ, "KOYA_BIN": str(self.program())}
        for file, *arguments in USES[:3]:
            with self.subTest(file):
                run = subprocess.run([sys.executable, "-B", ROOT / "e2e" / file, *arguments],
                                     env=environment, capture_output=True, text=True, timeout=300)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_is_handed_out_beside_the_servers_own(self):
        koya = koya_e2e.Server(self.folder / "server", program=str(TREE / "bin/koya"),
                               environment={"KOYA_WEB_CLIENT_TREES": str(self.tree.parent)})
        self.addCleanup(koya.__exit__)
        koya.start()
        listed = {each["arch"]: each for each in koya.get("/-/cli/").json()["platforms"]}
        self.assertEqual(set(listed), {"amd64", "arm64"})
        archive = koya.get("/-/cli/koya-linux-arm64.tar.gz").body
        self.assertEqual(hashlib.sha256(archive).hexdigest(), listed["arm64"]["sha256"])
        with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
            self.assertIn(f"{self.tree.name}/lib/ld-linux-aarch64.so.1", opened.getnames())
        script = koya.get("/-/cli/install.sh").body.decode()
        self.assertIn("Linux-aarch64 | Linux-arm64) arch=arm64 digest=" + listed["arm64"]["sha256"], script)


class Image(OtherRootTestCase):
    """The container image, without an engine: its root, read-only, as its user."""

    def image_root(self):
        if "image" not in SYSTEMS:
            self.skipTest("KOYA_PORTABLE_SYSTEMS does not name the image")
        for program in ("mmdebstrap", "umoci", "skopeo"):
            if not shutil.which(program):
                self.skipTest(f"{program} is not on PATH")
        system = self.folder / "system"
        subprocess.run(["mmdebstrap", "--variant=extract", "--include=git,ca-certificates",
                        "bookworm", system], check=True, stderr=subprocess.DEVNULL)
        archives = []
        for name in ("first", "second"):
            out = self.folder / name
            out.mkdir()
            subprocess.run([ROOT / "tools/make-image", TREE, out, "--root", system], check=True,
                           stdout=subprocess.DEVNULL)
            archives.append(next(out.glob("*.oci.tar")))
        self.assertEqual(*(hashlib.sha256(each.read_bytes()).digest() for each in archives))
        for form in ("oci-archive", "docker-archive"):
            subprocess.run(["skopeo", "inspect", f"{form}:{archives[0]}"], check=True,
                           stdout=subprocess.DEVNULL)
        layout = self.folder / "layout"
        with tarfile.open(archives[0]) as opened:
            opened.extractall(layout)
        subprocess.run(["umoci", "unpack", "--image", f"{layout}:koya:{TREE.name.split('-')[1]}",
                        self.folder / "bundle"], check=True, stdout=subprocess.DEVNULL)
        return self.folder / "bundle/rootfs"

    def enter(self):
        (self.root / str(self.shared).lstrip("/")).mkdir(parents=True)
        (self.root / "dev").mkdir()
        for name in ("null", "urandom"):
            (self.root / "dev" / name).touch()
        self.mount(self.root, self.root, "--bind", "-o", "ro")
        self.mount(self.shared, self.root / str(self.shared).lstrip("/"), "--bind")
        for name in ("null", "urandom"):
            subprocess.run(["mount", "--bind", f"/dev/{name}", self.root / "dev" / name], check=True)
            self.addCleanup(subprocess.run, ["umount", "-l", self.root / "dev" / name])
        return self.program("koya")

    def program(self, name):
        program = self.folder / name
        program.write_text(f"#!/bin/sh\nexec chroot --userspec=10001:10001 {self.root} "
                           f'/usr/bin/{name} "$@"\n')
        program.chmod(0o755)
        return program

    def test_it_serves_as_its_user_on_a_read_only_root(self):
        self.root = self.image_root()
        data = self.shared / "data"
        data.mkdir()
        os.chown(data, 10001, 10001)
        koya = koya_e2e.Server(data, program=self.enter())
        self.addCleanup(koya.__exit__)
        koya.start()
        koya.publish("acme/plain/local", "1.0.0", koya_e2e.tar_gz(koya_e2e.PLAIN_MODULE))
        client = koya_client.Client("terraform", koya, self.folder / "client")
        koya_e2e.write_files(client.config, {
            "main.tf": f'module "plain" {{\n  source  = "{koya.address}/acme/plain/local"\n'
                       f'  version = "1.0.0"\n}}\n'})
        client.succeed("init", "-no-color")
        # git speaks https with what the image has.
        run = self.run_tree("ls-remote", f"{koya.url}/nothing.git", program=self.program("git"),
                            env={"PATH": os.environ["PATH"], "HOME": "/data",
                                 "GIT_SSL_CAINFO": str(data / "dev/ca.pem"),
                                 "GIT_TERMINAL_PROMPT": "0"})
        self.assertIn("not found", run.stderr)


if __name__ == "__main__":
    koya_e2e.main()
