"""What the tests of the provider registry share: keys, releases, drafts.

Keys live in a GnuPG home of their own that ends with the process; each is made once and on demand.
A release is a dictionary of file names and bytes, as the API takes it; `write_dist` makes of it the
folder that GoReleaser leaves.
"""
import atexit
import base64
import functools
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import tempfile
import urllib.parse
import zipfile

import koya_e2e

MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "i686": "386"}
PLATFORM = "linux_" + MACHINES.get(platform.machine(), platform.machine())
FOUR_PLATFORMS = ("darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64")


def platforms_with_ours(*others):
    return tuple(sorted({PLATFORM, *others}))


# ---- keys

class Key:
    """A key in the tests' GnuPG home."""

    def __init__(self, home, fingerprint):
        self.home, self.fingerprint = home, fingerprint
        self.key_id = fingerprint[-16:]

    @property
    def armor(self):
        return gpg("--armor", "--export", self.fingerprint, home=self.home).decode()

    @property
    def secret(self):
        return gpg("--armor", "--export-secret-keys", self.fingerprint, home=self.home).decode()

    def sign(self, data, *arguments, others=()):
        """A detached signature, binary unless `arguments` say otherwise."""
        signers = [word for key in (self, *others) for word in ("--local-user", key.fingerprint)]
        return gpg(*signers, *(arguments or ("--digest-algo", "SHA512")), "--detach-sign",
                   home=self.home, stdin=data)


def gpg(*arguments, home, stdin=b""):
    done = subprocess.run(
        ["gpg", "--homedir", str(home), "--batch", "--yes", "--no-tty", "--quiet",
         "--pinentry-mode", "loopback", "--passphrase", "", *map(str, arguments)],
        input=stdin, capture_output=True, env=koya_e2e.clean_environment(HOME=str(home)))
    if done.returncode != 0:
        raise AssertionError(f"gpg {arguments}: {done.stderr.decode(errors='replace')}")
    return done.stdout


@functools.cache
def gpg_home():
    home = pathlib.Path(tempfile.mkdtemp(prefix="koya-gpg-"))
    home.chmod(0o700)

    def remove():
        subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "gpg-agent"],
                       capture_output=True)
        shutil.rmtree(home, ignore_errors=True)

    atexit.register(remove)
    return home


@functools.cache
def key(algorithm, name="author", usage="sign", expires="0", at=None):
    """The key of that description: algorithm as GnuPG calls it ("rsa4096", "ed25519", "nistp256").

    `at`: the time at which it is made ("20200101T000000").
    """
    home = gpg_home()
    user = f"Test {name} {algorithm} {usage} <{name}@example.com>"
    time = ("--faked-system-time", at) if at else ()
    gpg(*time, "--quick-generate-key", user, algorithm, usage, expires, home=home)
    listed = gpg("--with-colons", "--list-keys", "=" + user, home=home).decode()
    return Key(home, re.search(r"^fpr:+([0-9A-F]{40}):", listed, re.M)[1])


@functools.cache
def key_with_subkey(algorithm="ed25519"):
    """A key that certifies only, with a subkey that signs: what careful authors have."""
    primary = key(algorithm, "careful", "cert")
    gpg("--quick-add-key", primary.fingerprint, algorithm, "sign", "0", home=primary.home)
    return primary


@functools.cache
def revoked_key():
    made = key("ed25519", "revoked")
    certificate = made.home / f"openpgp-revocs.d/{made.fingerprint}.rev"
    # GnuPG puts a colon before the armor, so that nobody imports it by mistake.
    gpg("--import", home=made.home, stdin=certificate.read_bytes().replace(b":-----", b"-----"))
    return made


# ---- packages and releases

def script(type_name, version, platform_name):
    """Enough of a provider for everything but running it."""
    return f"#!/bin/sh\necho {type_name} {version} {platform_name}\n".encode()


def member(name, mode=0o755, compression=zipfile.ZIP_DEFLATED):
    entry = zipfile.ZipInfo("placeholder", (2026, 1, 2, 3, 4, 6))
    entry.filename = name  # past ZipInfo's own cleaning
    entry.create_system = 3
    entry.external_attr = (stat.S_IFREG | mode) << 16
    entry.compress_type = compression
    return entry


def package(files, compression=zipfile.ZIP_DEFLATED):
    """A zip of {name: bytes}, in the order given, without entries for folders."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, data in files.items():
            archive.writestr(member(name, compression=compression), data)
    return raw.getvalue()


def package_zip64(files):
    """The same with zip64 records throughout, which is what archives beyond 4 GiB have."""
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 1
    try:
        data = package(files)
    finally:
        zipfile.ZIP64_LIMIT = limit
    # The numbers in the last record, which are too large for it when an archive needs zip64.
    return data[:-14] + b"\xff" * 12 + data[-2:]


def h1(files):
    """Go's dirhash of {name: bytes}."""
    lines = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n"
                    for name in sorted(files, key=str.encode))
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


def zh(data):
    return "zh:" + hashlib.sha256(data).hexdigest()


def stem(type_name, version):
    return f"terraform-provider-{type_name}_{version}"


def sums_of(files):
    """SHA256SUMS of {name: bytes}."""
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n"
                   for name, data in sorted(files.items())).encode()


def manifest(*protocols):
    return json.dumps({"version": 1, "metadata": {"protocol_versions": protocols}}).encode()


def unsigned(version, type_name="demo", platforms=None, contents=None, padding=b""):
    """The zips of a release: {name: bytes}. `contents`: of each zip, instead of the usual."""
    zips = {}
    for each in platforms or platforms_with_ours("darwin_arm64"):
        binary = {f"terraform-provider-{type_name}_v{version}":
                  script(type_name, version, each) + padding}
        zips[f"{stem(type_name, version)}_{each}.zip"] = package(contents or binary)
    return zips


def signed(zips, author, protocols=(), more_sums=b""):
    """The zips with SHA256SUMS, its signature, and with `protocols` a manifest."""
    name = re.match(r"(terraform-provider-.+?_.+?)_", next(iter(zips)))[1]
    files = dict(zips)
    if protocols:
        files[f"{name}_manifest.json"] = manifest(*protocols)
    sums = sums_of(files) + more_sums
    return {**files, f"{name}_SHA256SUMS": sums, f"{name}_SHA256SUMS.sig": author.sign(sums)}


def release(version, author, **more):
    protocols = more.pop("protocols", ())
    return signed(unsigned(version, **more), author, protocols)


def write_dist(folder, files):
    """The folder that GoReleaser leaves, with all that lies in it besides the release's files."""
    koya_e2e.write_files(folder, files)
    zips = [name for name in files if name.endswith(".zip")]
    koya_e2e.write_files(folder, {
        "artifacts.json": json.dumps([{"name": name, "path": f"dist/{name}", "type": "Archive"}
                                      for name in zips]),
        "metadata.json": json.dumps({"project_name": "terraform-provider-demo", "tag": "v1.0.0"}),
        "config.yaml": "version: 2\nproject_name: terraform-provider-demo\n",
    })
    for name in zips:
        project, _, platform_name = name.removesuffix(".zip").split("_", 2)
        koya_e2e.write_files(folder, {f"{project}_{platform_name}_v1/{project}": "not packed"})
    return pathlib.Path(folder)


# ---- the publishing API

class Draft:
    """An open draft, spoken to over HTTP as any pipeline could."""

    def __init__(self, koya, address, version, token=None):
        self.koya, self.token = koya, token or koya.token
        self.release_path = f"/api/v1/providers/{address}/{version}"
        opened = self.call("POST", "/drafts")
        assert opened.status == 201, opened
        self.id = opened.json()["id"]

    def call(self, method, path, body=None, **more):
        return self.koya.request(method, self.release_path + path, body, token=self.token, **more)

    def put(self, name, data, **more):
        return self.call("PUT", f"/drafts/{self.id}/files/{name}", data, **more)

    def show(self):
        return self.call("GET", f"/drafts/{self.id}")

    def commit(self, **body):
        return self.call("POST", f"/drafts/{self.id}/commit", json.dumps(body) if body else "")

    def abandon(self):
        return self.call("DELETE", f"/drafts/{self.id}")


def publish(koya, address, version, files, **body):
    """Opens, uploads, commits; asserts that it is a new release, and returns the answer."""
    draft = Draft(koya, address, version)
    for name, data in files.items():
        answer = draft.put(name, data)
        assert answer.status == 200, f"{name}: {answer}"
    answer = draft.commit(**body)
    assert answer.status == 201, answer
    return answer.json()


def add_key(koya, namespace, armor, token=None):
    return koya.request("POST", f"/api/v1/namespaces/{namespace}/keys", armor,
                        token=token or koya.token)


def download(koya, address, version, platform_name=PLATFORM):
    """The download document of one platform; None when there is none, or none any more."""
    os_name, arch = platform_name.split("_")
    answer = koya.get(f"/v1/providers/{address}/{version}/download/{os_name}/{arch}")
    if answer.status in (404, 410):
        answer.errors()
        return None
    assert answer.status == 200, answer
    return answer.json()


def versions(koya, address):
    """The versions that are listed, each with its platforms; {} when the provider is unknown."""
    answer = koya.get(f"/v1/providers/{address}/versions")
    if answer.status == 404:
        return {}
    assert answer.status == 200, answer
    return {each["version"]: sorted(f"{one['os']}_{one['arch']}" for one in each["platforms"])
            for each in answer.json()["versions"]}


# ---- the release that most tests begin with

STEM = "terraform-provider-demo_1.0.0"
SUMS, SIGNATURE, MANIFEST = f"{STEM}_SHA256SUMS", f"{STEM}_SHA256SUMS.sig", f"{STEM}_manifest.json"
ZIP = f"{STEM}_linux_amd64.zip"
BINARY = "terraform-provider-demo_v1.0.0"
TWO = ("darwin_arm64", "linux_amd64")


def author():
    return key("ed25519")


def good(**more):
    return release("1.0.0", author(), platforms=TWO, **more)


def changed(**files):
    """The good release with files put in the place of others; None leaves one out."""
    names = {"sums": SUMS, "signature": SIGNATURE, "manifest": MANIFEST, "zip": ZIP}
    merged = good() | {names[name]: data for name, data in files.items()}
    return {name: data for name, data in merged.items() if data is not None}


def signed_by(other, *arguments, others=()):
    return changed(signature=other.sign(good()[SUMS], *arguments, others=others))


class PublishTestCase(koya_e2e.SharedServerTestCase):
    def namespace(self, name, *keys):
        for each in keys or (author(),):
            self.assertIn(add_key(self.koya, name, each.armor).status, (200, 201))
        return name

    def assert_nothing_there(self, address, version="1.0.0", status=404):
        """`status`: 410 of what was withdrawn."""
        self.assertNotIn(version, versions(self.koya, address))
        self.assertIsNone(download(self.koya, address, version, "linux_amd64"))
        answer = self.koya.get(f"/v1/providers/{address}/{version}")
        self.assertEqual(answer.status, status, answer)
        for name in (ZIP, SUMS, SIGNATURE):
            answer = self.koya.get(f"/download/providers/{address}/{version}/{name}")
            self.assertEqual(answer.status, status, answer)

    def filled(self, address, files, version="1.0.0"):
        draft = Draft(self.koya, address, version)
        for name, data in files.items():
            answer = draft.put(urllib.parse.quote(name), data)
            self.assertEqual(answer.status, 200, f"{name}: {answer}")
        return draft

    def commit_problems(self, draft, **body):
        answer = draft.commit(**body)
        self.assertEqual(answer.status, 422, answer)
        answer.errors()
        return answer.json()["errors"]


# ---- what a run leaves

def peak_megabytes(pid):
    """The most memory that a process has had resident so far."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.M)[1]) / 1024


def check_peak(test, pid, most):
    """Fails when the process ever had `most` MiB resident. Not for a program that sanitizers watch:
    their books take more room than what they are about."""
    peak = peak_megabytes(pid)
    print(f"peak memory: {peak:.0f} MiB")
    if not os.environ.get("KOYA_SANITIZED"):
        test.assertLess(peak, most, "VmHWM of the server, MiB")
