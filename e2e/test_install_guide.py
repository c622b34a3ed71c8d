"""The commands of docs/install.md, run as they are written, on a release made from $KOYA_BIN.

Part of `make portable`. The image and the Compose file run in podman, in a network of the test's own; they are
skipped, by name, where podman cannot run containers. A line that needs another machine or a cluster is in
NOT_RUN with its reason; a line that is neither run nor there fails.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import koya_e2e
import koya_upstream
import test_docs
import test_packages
import test_portable
from koya_e2e import ROOT

VERSION = test_packages.VERSION
NAME = f"koya-{VERSION}-linux-amd64"
UNPACK = ("tar -xzf", "koya-VERSION")
DEBUG = ("cd koya-VERSION", "BASE=", "gdb -p")
VERIFY = ("gpg --verify", "sha256sum")
IMAGE = ("docker load", "skopeo copy", "docker run")
NOT_RUN = {
    "test_portable.py runs it against a server (HandedOut)": (
        "curl -fsSL https://koya.example.com/-/cli/", "koya version --server"),
    "the module's set-up makes the image with the same tool": ("make image",),
    "test_packages.py installs them in other systems": ("sudo apt", "sudo dnf"),
    "it needs a running systemd; test_packages.py starts the unit's program": ("sudoedit", "sudo systemctl"),
    "it needs a cluster; test_helm.py looks at the chart": (
        "kubectl", "helm", "cp deploy/helm", "koya setup"),
}

OUT = None  # the release, made once for all tests


def setUpModule():
    global OUT
    if "image" not in test_portable.SYSTEMS:
        raise unittest.SkipTest("KOYA_PORTABLE_SYSTEMS does not name the image")
    test_packages.needs("gpg", "mmdebstrap", "rpmbuild")
    OUT = pathlib.Path(tempfile.mkdtemp(prefix="koya-release-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT, ignore_errors=True)
    test_portable.make_tree(OUT)
    for tool, out in (("make-image", OUT), ("make-packages", OUT), ("make-sbom", OUT / f"{NAME}.cdx.json")):
        subprocess.run([ROOT / "tools" / tool, OUT / NAME, out], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def lines(*beginnings):
    """The guide's lines that begin so, of this release."""
    found = [line.replace("VERSION", VERSION) for line in test_docs.lines_of("install.md")
             if line.startswith(beginnings)]
    assert len(found) >= len(beginnings), beginnings
    return found


class GuideTestCase(koya_e2e.TestCase):
    def shell(self, *commands, **environment):
        run = subprocess.run(["bash", "-ec", "\n".join(commands)], cwd=self.folder,
                             capture_output=True, text=True, timeout=300,
                             env={**os.environ, **environment})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout + run.stderr


class Guide(GuideTestCase):
    def test_each_line_is_run_or_has_a_reason(self):
        known = (*UNPACK, *DEBUG, *VERIFY, *IMAGE, *(each for many in NOT_RUN.values() for each in many))
        for line in test_docs.lines_of("install.md"):
            self.assertTrue(line.startswith(known), line)

    def test_the_archive_serves_and_can_be_debugged(self):
        for each in (f"{NAME}.tar.gz", f"{NAME}.debug"):
            (self.folder / each).symlink_to(OUT / each)
        unpack, serve = lines(*UNPACK)
        self.shell(unpack)
        server = subprocess.Popen(["bash", "-c", f"exec {serve}"], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  env=koya_e2e.clean_environment(KOYA_SERVER_LISTEN="127.0.0.1:0"))
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.assertIn("koya: ready https://", server.stdout.readline())
        test_packages.needs("gdb")
        enter, base, debug = (each.replace("PID", str(server.pid)) for each in lines(*DEBUG))
        said = self.shell(enter, base, f"yes | {debug} -batch -ex 'info symbol main' -ex 'info threads'")
        self.assertRegex(said, r"main in section \.text")

    def test_a_release_is_verified(self):
        home = tempfile.mkdtemp(prefix="koya-gpg-")
        self.addCleanup(shutil.rmtree, home, ignore_errors=True)
        self.addCleanup(subprocess.run, ["gpgconf", "--homedir", home, "--kill", "all"])
        source = self.folder / "source"
        shutil.copytree(ROOT / "deploy/helm/koya", source / "deploy/helm/koya")
        shutil.copy(ROOT / "CMakeLists.txt", source)
        (source / "CHANGELOG.md").write_text(f"## {VERSION}\n\n- All of it.\n")
        self.shell("gpg --batch --quiet --passphrase '' --quick-generate-key release@koya.example ed25519",
                   "gpg --armor --export-secret-keys > key.asc",
                   f"{ROOT}/tools/make-release {VERSION} {OUT} --key key.asc --source {source}",
                   f"cd {OUT}", *lines(*VERIFY), GNUPGHOME=home)


class Engine(GuideTestCase):
    """The image and the Compose file, in podman."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("a network of its own needs root")
        test_packages.needs("podman", "podman-compose", "skopeo", "ip")
        (self.folder / "dist").symlink_to(OUT)
        docker = self.folder / "bin/docker"
        docker.parent.mkdir()
        docker.write_text('#!/bin/sh\ncase $1 in\n'
                          '  run) shift; exec podman run --cgroups=disabled "$@" ;;\n'
                          '  compose) shift\n'
                          '    exec podman-compose --podman-run-args=--cgroups=disabled "$@" ;;\n'
                          'esac\nexec podman "$@"\n')
        docker.chmod(0o755)
        (self.folder / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\nrunroot = "{self.folder}/run"\ngraphroot = "{self.folder}/graph"\n')
        (self.folder / "containers.conf").write_text(
            '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=512:512"]\n')
        self.load, self.copy, self.run_image = lines(*IMAGE)
        run = self.in_engine(self.load, f"docker run --rm koya:{VERSION} version")
        if run.returncode:
            self.skipTest("podman cannot run containers here: " + run.stderr.strip().splitlines()[-1])
        self.assertIn(f"koya {VERSION}", run.stdout)

    def in_engine(self, *commands):
        """Runs them where `docker` is podman, whose storage, mounts and network end with them."""
        script = self.folder / "script"
        # crun refuses machines that have both kinds of control groups.
        script.write_text("\n".join((
            "set -e", "umount -l /sys/fs/cgroup/unified 2>/dev/null || true", "ip link set lo up",
            "mkdir -p /run/netns", "mount -t tmpfs tmpfs /run/netns", *commands)))
        return subprocess.run(
            ["unshare", "--mount", "--net", "bash", script], cwd=self.folder, capture_output=True,
            text=True, timeout=300,
            env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                 "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
                 "CONTAINERS_CONF": str(self.folder / "containers.conf")})

    def succeed(self, *commands):
        run = self.in_engine(*commands)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def test_the_image_serves(self):
        for more in ("", "--read-only --cap-drop all"):
            with self.subTest(more):
                serve = self.run_image.replace("--rm", f"--rm --detach --name koya {more}")
                said = self.succeed(
                    f"trap 'docker rm -f koya' EXIT; {serve}",
                    "curl -sk --retry 30 --retry-connrefused --retry-delay 1 "
                    "https://127.0.0.1:8443/.well-known/terraform.json",
                    "docker exec koya git --version", "docker exec koya sh 2>&1 || true")
                self.assertIn("modules.v1", said)
                self.assertIn("git version", said)
                self.assertIn("not found", said)

    def test_the_image_goes_to_another_registry(self):
        self.succeed(self.copy.replace(f"docker://HOST/koya:{VERSION}", f"dir:{self.folder}/copied"))
        self.assertTrue((self.folder / "copied/manifest.json").exists())

    def test_the_compose_file_of_one_server(self):
        certificate, authority = koya_upstream.certificate()
        pem = pathlib.Path(certificate).read_text()
        tls = self.folder / "tls"
        tls.mkdir()
        (tls / "fullchain.pem").write_text(pem)
        (tls / "key.pem").write_text(pem)
        shutil.copy(ROOT / "deploy/compose/single.yaml", self.folder)
        first = (self.folder / "single.yaml").read_text().splitlines()
        export, up, token = (line.removeprefix("#   ").replace("VERSION", VERSION)
                             for line in first if line.startswith("#   "))
        said = self.succeed(
            export.replace("https://registry.example.com", "https://127.0.0.1"),
            f"trap 'docker compose -f single.yaml down' EXIT; {up}",
            f"export SSL_CERT_FILE={authority}",
            "curl -s --cacert $SSL_CERT_FILE --retry 30 --retry-connrefused --retry-delay 1 "
            "https://127.0.0.1/.well-known/terraform.json",
            # The server writes the token once it serves.
            f"for _ in $(seq 50); do TOKEN=$({token.replace(' exec ', ' exec -T ')} "
            "| grep -oE '^koya_[A-Za-z0-9_-]{20,}') && break; sleep 0.2; done",
            f"echo 'correct horse battery' | {koya_e2e.KOYA} setup --server https://127.0.0.1 --user ada "
            '--token "$TOKEN" --password-stdin')
        self.assertIn("modules.v1", said)
        self.assertIn("ada", said)


if __name__ == "__main__":
    koya_e2e.main()
