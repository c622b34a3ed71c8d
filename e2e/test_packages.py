"""The Debian and RPM packages of the release tree (tools/make-packages), its bill of materials and
its unit.

Packs a tree from $KOYA_BIN. KOYA_PORTABLE_SYSTEMS=bullseye,trixie installs, upgrades, removes and
purges the packages in those releases of Debian, which debootstrap fetches, as root (make soak).
"""
import io
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tarfile
import tempfile
import unittest

import koya_e2e
import test_portable
from koya_e2e import ROOT

TREE = None  # made once for all tests
SMALL = None  # the same with files cut short: quick to pack
UNIT = ROOT / "packaging/koya.service"
VERSION = re.search(r"project\(koya VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def setUpModule():
    global TREE, SMALL
    if os.environ.get("KOYA_SANITIZED"):
        raise unittest.SkipTest("a tree is of a plain build")
    out = pathlib.Path(tempfile.mkdtemp(prefix="koya-tree-"))
    unittest.addModuleCleanup(shutil.rmtree, out, ignore_errors=True)
    TREE = test_portable.make_tree(out)
    SMALL = out / "small" / TREE.name
    shutil.copytree(TREE, SMALL)
    for each in SMALL.rglob("*"):
        if each.is_file() and each.stat().st_size > 100_000:
            os.truncate(each, 100_000)


def make(tree, out, *options):
    subprocess.run([ROOT / "tools/make-packages", tree, out, *options], check=True,
                   stdout=subprocess.DEVNULL)
    return sorted(pathlib.Path(out).iterdir())


def output(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def needs(*programs):
    for each in programs:
        if not shutil.which(each):
            raise unittest.SkipTest(f"{each} is not on PATH")


def parts_of(package):
    """The members of a .deb, an ar archive."""
    data = package.read_bytes()
    assert data[:8] == b"!<arch>\n"
    at, parts = 8, {}
    while at < len(data):
        header = data[at:at + 60]
        assert header[58:] == b"`\n", header
        size = int(header[48:58])
        parts[header[:16].decode().strip()] = data[at + 60:at + 60 + size]
        at += 60 + size + size % 2
    return parts


class Packages(koya_e2e.TestCase):
    def test_deb_and_rpm_are_the_same_when_made_again(self):
        needs("rpmbuild")
        first = make(SMALL, self.folder / "1", "--version", "2.0.0-rc.1")
        again = make(SMALL, self.folder / "2", "--version", "2.0.0-rc.1")
        arch = TREE.name.rpartition("-")[2]
        machine = {"amd64": "x86_64", "arm64": "aarch64"}[arch]
        self.assertEqual([each.name for each in first],
                         [f"koya-2.0.0~rc.1-1.{machine}.rpm", f"koya_2.0.0~rc.1_{arch}.deb"])
        for one, other in zip(first, again):
            self.assertTrue(one.read_bytes() == other.read_bytes(), one.name)

    def test_deb_holds_the_tree_and_what_the_system_looks_for(self):
        package, = make(SMALL, self.folder, "--only", "deb")
        parts = parts_of(package)
        self.assertEqual(list(parts), ["debian-binary", "control.tar.gz", "data.tar.gz"])
        with tarfile.open(fileobj=io.BytesIO(parts["control.tar.gz"])) as control:
            texts = {each.name: control.extractfile(each).read().decode() for each in control}
        self.assertEqual(texts["./conffiles"], "/etc/koya/koya.toml\n")
        self.assertNotIn("Depends:", texts["./control"])
        self.assertIn("Recommends: ca-certificates, git\n", texts["./control"])
        for name in ("./postinst", "./prerm", "./postrm"):
            subprocess.run(["sh", "-n"], input=texts[name], text=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(parts["data.tar.gz"])) as data:
            members = {each.name: each for each in data}
            unit = data.extractfile("./lib/systemd/system/koya.service").read()
        self.assertEqual(unit, UNIT.read_bytes())
        self.assertEqual({(each.uid, each.gid) for each in members.values()}, {(0, 0)})
        for name in ("./opt/koya/bin/koya", "./opt/koya/libexec/koya", "./etc/koya"):
            self.assertEqual(members[name].mode, 0o755, name)
        self.assertEqual(members["./etc/koya/koya.toml"].mode, 0o640)
        for each in SMALL.rglob("*"):
            self.assertIn(f"./opt/koya/{each.relative_to(SMALL)}", members)
        links = {name: each.linkname for name, each in members.items() if each.issym()}
        self.assertEqual(links["./usr/bin/koya"], "/opt/koya/bin/koya")
        for name in ("./usr/share/man/man1/koya-serve.1", "./usr/share/zsh/vendor-completions/_koya",
                     "./usr/share/bash-completion/completions/koya",
                     "./usr/share/fish/vendor_completions.d/koya.fish"):
            self.assertIn(links[name].replace("/opt/", "./opt/"), members, name)

    def test_rpm_runs_where_it_is_unpacked(self):
        needs("rpmbuild", "rpm2cpio", "cpio")
        package, = make(TREE, self.folder / "made", "--only", "rpm")
        self.assertEqual(output("rpm", "-qpc", package).split(), ["/etc/koya/koya.toml"])
        requires = set(output("rpm", "-qp", "--qf", "[%{REQUIRENAME}\n]", package).split())
        self.assertEqual({each for each in requires if not each.startswith("rpmlib(")}, {"/bin/sh"})
        flags = output("rpm", "-qp", "--qf", "[%{FILENAMES} %{FILEFLAGS:fflags} %{FILEMODES:perms} "
                       "%{FILEUSERNAME}:%{FILEGROUPNAME}\n]", package).splitlines()
        self.assertIn("/etc/koya/koya.toml cn -rw-r----- root:koya", flags)
        self.assertIn("/opt/koya/libexec/koya  -rwxr-xr-x root:root", flags)
        root = self.folder / "root"
        root.mkdir()
        with subprocess.Popen(["rpm2cpio", package], stdout=subprocess.PIPE) as archive:
            subprocess.run(["cpio", "-idm", "--quiet", "--no-absolute-filenames"],
                           stdin=archive.stdout, cwd=root, check=True)
        self.assertEqual(os.readlink(root / "usr/bin/koya"), "/opt/koya/bin/koya")
        self.assertEqual(output(root / "opt/koya/bin/koya", "version"),
                         output(TREE / "bin/koya", "version"))

    def test_rejects_a_folder_that_is_no_tree(self):
        run = subprocess.run([ROOT / "tools/make-packages", self.folder, self.folder / "out"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("is not named koya-VERSION-linux-ARCH", run.stderr)


class BillOfMaterials(koya_e2e.TestCase):
    def test_names_each_package_and_its_licence(self):
        text = output(ROOT / "tools/make-sbom", TREE)
        self.assertEqual(text, output(ROOT / "tools/make-sbom", TREE))
        bill = json.loads(text)
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        self.assertEqual(bill["metadata"]["component"]["name"], "koya")
        found = {(each["name"], each["version"]): each for each in bill["components"]}
        lines = (TREE / "share/koya/packages").read_text().splitlines()
        self.assertEqual(set(found), {tuple(line.split()[:2]) for line in lines})
        for (name, version), each in found.items():
            self.assertTrue(each["purl"].startswith(f"pkg:deb/debian/{name.replace('+', '%2B')}@"),
                            each["purl"])
            self.assertNotRegex(each["purl"].partition("@")[2], r"[+:]")
            licence = next(one["value"] for one in each["properties"]
                           if one["name"] == "koya:licence")
            self.assertTrue((TREE / licence).is_file(), licence)
        references = [each["bom-ref"] for each in bill["components"]]
        self.assertEqual(len(set(references)), len(references))
        self.assertEqual(bill["dependencies"][0]["dependsOn"], references)


class Unit(koya_e2e.TestCase):
    def test_exposes_little(self):
        needs("systemd-analyze")
        run = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=25", UNIT],
                             capture_output=True, text=True)
        if "unrecognized option" in run.stderr:
            self.skipTest("this systemd-analyze knows no --offline")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_has_no_errors(self):
        needs("systemd-analyze")
        unit = self.folder / "koya.service"
        unit.write_text(UNIT.read_text().replace("/usr/bin/koya", f"{TREE}/bin/koya"))
        run = subprocess.run(["systemd-analyze", "verify", "--man=no", unit],
                             capture_output=True, text=True)
        self.assertEqual([line for line in run.stderr.splitlines() if "koya.service" in line], [])


    def test_the_manager_sees_that_it_is_ready_and_stopping(self):
        for name in (str(self.folder / "notify"), f"@koya-test-{os.getpid()}"):
            with self.subTest(name), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(name.replace("@", "\0"))
                manager.settimeout(20)
                koya = koya_e2e.Server(self.folder / "server", environment={"NOTIFY_SOCKET": name})
                self.addCleanup(koya.__exit__)
                koya.start()
                self.assertEqual(manager.recv(100), b"READY=1")
                koya.stop()
                self.assertEqual(manager.recv(100), b"STOPPING=1")
        # Its manager has gone.
        koya = koya_e2e.Server(self.folder / "server", environment={"NOTIFY_SOCKET": "/nonexistent"})
        self.addCleanup(koya.__exit__)
        koya.start()
        koya.stop()


class Release(koya_e2e.TestCase):
    """tools/make-release, on files that stand for those of make dist, make image and make deb-rpm."""

    def setUp(self):
        super().setUp()
        self.source = self.folder / "source"
        shutil.copytree(ROOT / "deploy/helm/koya", self.source / "deploy/helm/koya")
        shutil.copy(ROOT / "CMakeLists.txt", self.source)
        (self.source / "CHANGELOG.md").write_text(
            f"# Changes\n\n## {VERSION}\n\n### Added\n\n- All of it.\n\n## 0.0.1\n\n- Older.\n")
        self.out = self.folder / "dist"
        self.out.mkdir()
        tree = f"koya-{VERSION}-linux-amd64"
        for name in (f"{tree}.tar.gz", f"{tree}.debug", f"{tree}.oci.tar", f"{tree}.cdx.json",
                     f"koya_{VERSION}_amd64.deb", f"koya-{VERSION}-1.x86_64.rpm"):
            (self.out / name).write_text(name)
        (self.out / "koya-0.0.1-linux-amd64.tar.gz").write_text("of another release")

    def run_release(self, *arguments, version=None):
        return subprocess.run(
            [ROOT / "tools/make-release", version or VERSION, self.out, "--source", self.source,
             *arguments], capture_output=True, text=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1795000000"})

    def contents(self):
        return {each.name: each.read_bytes() for each in self.out.iterdir()}

    def test_names_every_file_and_is_the_same_when_made_again(self):
        run = self.run_release()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("is not signed", run.stdout)
        listed = [line.split("  ")[1] for line in (self.out / "SHA256SUMS").read_text().splitlines()]
        self.assertEqual(set(listed) | {"SHA256SUMS", "koya-0.0.1-linux-amd64.tar.gz"},
                         set(self.contents()))
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=self.out, check=True)
        notes = (self.out / f"koya-{VERSION}.md").read_text()
        self.assertEqual(notes, f"# Koya {VERSION}\n\n### Added\n\n- All of it.\n")
        with tarfile.open(self.out / f"koya-{VERSION}.tgz") as chart:
            self.assertIn("koya/Chart.yaml", chart.getnames())
        before = self.contents()
        self.assertEqual(self.run_release().returncode, 0)
        self.assertEqual(self.contents(), before)

    def test_is_signed_by_the_key_that_is_given(self):
        needs("gpg")
        home = tempfile.mkdtemp(prefix="koya-gpg-")
        self.addCleanup(shutil.rmtree, home, ignore_errors=True)
        self.addCleanup(subprocess.run, ["gpgconf", "--homedir", home, "--kill", "all"])
        gpg = ("gpg", "--batch", "--quiet", "--homedir", home)  # newer than the release's commit
        output(*gpg, "--passphrase", "", "--quick-generate-key", "release@koya.example", "ed25519")
        key = self.folder / "key.asc"
        key.write_text(output(*gpg, "--armor", "--export-secret-keys"))
        for _ in range(2):
            run = self.run_release("--key", str(key))
            self.assertEqual(run.returncode, 0, run.stderr)
            signature = (self.out / "SHA256SUMS.asc").read_bytes()
        self.run_release("--key", str(key))
        self.assertEqual((self.out / "SHA256SUMS.asc").read_bytes(), signature)
        subprocess.run(["gpg", "--batch", "--quiet", "--homedir", home, "--verify",
                        self.out / "SHA256SUMS.asc", self.out / "SHA256SUMS"], check=True,
                       stderr=subprocess.DEVNULL)
        # A signature of before does not stay beside other sums.
        self.assertEqual(self.run_release().returncode, 0)
        self.assertFalse((self.out / "SHA256SUMS.asc").exists())
        for wrong, words in (("nobody@koya.example", "cannot sign"),
                             (str(self.out / "SHA256SUMS"), "is no OpenPGP key")):
            run = self.run_release("--key", wrong)
            self.assertEqual(run.returncode, 1)
            self.assertIn(words, run.stderr)
            self.assertNotIn("Traceback", run.stderr)

    def test_rejects_what_is_not_ready(self):
        run = self.run_release(version="9.9.9")
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"CMakeLists.txt has the version {VERSION}, not 9.9.9", run.stderr)
        (self.out / f"koya_{VERSION}_amd64.deb").unlink()
        self.assertIn("run make image and make deb-rpm", self.run_release().stderr)
        (self.out / f"koya-{VERSION}-linux-amd64.tar.gz").unlink()
        self.assertIn("run make dist", self.run_release().stderr)
        (self.source / "CHANGELOG.md").write_text("## Unreleased\n\n- All of it.\n")
        for arguments in ((), ("--check",)):
            self.assertIn(f'no section "## {VERSION}"', self.run_release(*arguments).stderr)


class Systems(koya_e2e.TestCase):
    def setUp(self):
        super().setUp()
        if not test_portable.DEBIANS:
            self.skipTest("KOYA_PORTABLE_SYSTEMS names no release of Debian")
        if os.geteuid() != 0:
            self.skipTest("a system in a folder needs root, for chroot")
        needs("debootstrap", "rpmbuild")
        # The second version ships other settings, which make dpkg and rpm choose.
        newer = self.folder / "newer" / TREE.name
        shutil.copytree(TREE, newer)
        with (newer / "share/koya/koya.toml").open("a") as settings:
            settings.write("# newer\n")
        self.rpms, self.debs = [], []
        for tree, version in ((TREE, "1.0.0"), (newer, "1.1.0")):
            rpm, deb = make(tree, self.folder / version, "--version", version)
            self.rpms.append(rpm)
            self.debs.append(deb)

    def inside(self, *words):
        run = subprocess.run(["chroot", self.root, *words], capture_output=True, text=True,
                             env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
                                  "DEBIAN_FRONTEND": "noninteractive"})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def dpkg(self, *words):
        return self.inside("dpkg", "--force-confold", *words)

    def rpm(self, *words):
        run = subprocess.run(["rpm", "--root", self.root, "--dbpath", "/var/lib/rpm", "--nodeps", *words],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def owner(self, place):
        return self.inside("stat", "-c", "%U:%G %a", place).strip()

    def check_installed(self, said):
        self.assertIn("set server.url in /etc/koya/koya.toml", said)
        self.assertRegex(self.inside("koya", "version"), r"^koya \d")
        self.assertRegex(self.inside("getent", "passwd", "koya"), r":/var/lib/koya:/usr/sbin/nologin\n")
        self.assertEqual(self.owner("/var/lib/koya"), "koya:koya 750")
        self.assertEqual(self.owner("/etc/koya/koya.toml"), "root:koya 640")

    def set_url(self):
        """The settings with a URL, and a file of data."""
        settings = self.root / "etc/koya/koya.toml"
        text, count = re.subn(r"^# (url = \"https://registry)", r"\1", settings.read_text(), flags=re.M)
        self.assertEqual(count, 1)
        settings.write_text(text)
        (self.root / "var/lib/koya/data").write_text("kept")
        return settings, text

    def check_gone(self, settings):
        self.assertFalse(settings.exists())
        for each in ("opt/koya", "usr/bin/koya", "usr/share/man/man1/koya.1"):
            self.assertFalse(os.path.lexists(self.root / each), each)
        self.assertEqual((self.root / "var/lib/koya/data").read_text(), "kept")

    def use_deb(self):
        for each in self.debs:
            shutil.copy(each, self.root / "tmp")
        new = f"/tmp/{self.debs[1].name}"
        # As docs/install.md says, which needs no other package.
        self.check_installed(self.inside(
            "sh", "-c", f"cd /tmp && apt install -y --no-install-recommends ./{self.debs[0].name}"))
        self.assertEqual(self.inside("dpkg", "--verify", "koya"), "")
        wanted = self.root / "etc/systemd/system/multi-user.target.wants/koya.service"
        self.assertTrue(wanted.is_symlink())
        settings, text = self.set_url()
        said = self.dpkg("-i", new)
        self.assertNotIn("server.url", said)
        self.assertEqual(settings.read_text(), text)
        self.assertEqual(self.owner("/etc/koya/koya.toml"), "root:koya 640")
        self.assertIn("# newer", settings.with_name("koya.toml.dpkg-dist").read_text())
        settings.write_text(text + "wrong = 1\n")
        self.assertIn("unknown setting", said := self.dpkg("-i", new))
        self.assertIn("the service is left as it is", said)
        self.dpkg("-r", "koya")
        self.assertEqual(settings.read_text(), text + "wrong = 1\n")
        self.assertFalse((self.root / "opt/koya").exists())
        self.assertFalse(wanted.is_symlink())
        self.assertIn("/var/lib/koya is kept", self.dpkg("-P", "koya"))
        self.check_gone(settings)

    def use_rpm(self):
        """In the same system, though it is a Debian: its scripts need only POSIX tools."""
        self.inside("userdel", "koya")
        shutil.rmtree(self.root / "var/lib/koya")
        self.check_installed(self.rpm("-i", self.rpms[0]))
        settings, text = self.set_url()
        self.assertIn("koya.toml.rpmnew", self.rpm("-U", self.rpms[1]))
        self.assertEqual(settings.read_text(), text)
        self.assertIn("/var/lib/koya is kept", self.rpm("-e", "koya"))
        self.assertEqual(settings.with_name("koya.toml.rpmsave").read_text(), text)
        self.check_gone(settings)

    def test_install_upgrade_remove(self):
        for system in test_portable.DEBIANS:
            with self.subTest(system):
                self.root = self.folder / system
                subprocess.run(["debootstrap", "--variant=minbase", system, self.root],
                               check=True, stdout=subprocess.DEVNULL)
                self.use_deb()
                self.use_rpm()


if __name__ == "__main__":
    koya_e2e.main()
