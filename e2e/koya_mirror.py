"""What the tests of the mirror share: what clients ask it for, and what the right answers are."""
import collections
import hashlib
import http.client
import pathlib
import shutil
import ssl
import tempfile

import koya_e2e
import koya_upstream
from koya_e2e import wait_until
from koya_provider import SIGNATURE, SUMS, TWO, ZIP, good, zh
from koya_upstream import Upstream

ALLOWED = ("--upstream.allow_private_addresses", "127.0.0.1/32")
CUT = "cut"  # the connection ended before the body did

Face = collections.namedtuple("Face", "name path right")


def fetch(koya, path, method="GET", **more):
    """An answer, or CUT."""
    try:
        return koya.request(method, path, **more)
    except (http.client.HTTPException, ConnectionError, ssl.SSLError):
        return CUT


def status(got):
    return got if got == CUT else got.status


# ---- the faces: what is asked for, and what is the right answer

def mirror_path(upstream, address, file):
    return f"/mirror/{upstream.host}/{address}/{file}"


def origin_path(upstream, address, rest):
    return f"/origin/{upstream.host}/v1/providers/{address}/{rest}"


def right_index(got, files):
    assert got.json() == {"versions": {"1.0.0": {}}}, got


def right_version(got, files):
    archives = got.json()["archives"]
    assert set(archives) == set(TWO), got
    for platform, archive in archives.items():
        assert zh(files[ZIP.replace("linux_amd64", platform)]) in archive["hashes"], got


def right_versions(got, files):
    versions = got.json()["versions"]
    assert [each["version"] for each in versions] == ["1.0.0"], got
    assert {f"{one['os']}_{one['arch']}" for one in versions[0]["platforms"]} == set(TWO), got


def right_download(got, files):
    document = got.json()
    assert "zh:" + document["shasum"] == zh(files[ZIP]) and document["filename"] == ZIP, got
    assert document["signing_keys"]["gpg_public_keys"], got


def right_file(name):
    def right(got, files):
        assert got.body == files[name], f"{name}: {len(got.body)} bytes, {got}"
    return right


INDEX = Face("index.json", lambda *of: mirror_path(*of, "index.json"), right_index)
VERSION = Face("VERSION.json", lambda *of: mirror_path(*of, "1.0.0.json"), right_version)
PACKAGE = Face("zip", lambda *of: mirror_path(*of, f"1.0.0/{ZIP}"), right_file(ZIP))
VERSIONS = Face("versions", lambda *of: origin_path(*of, "versions"), right_versions)
DOWNLOAD = Face("download", lambda *of: origin_path(*of, "1.0.0/download/linux/amd64"),
                right_download)
SIGNED = [Face(name, lambda *of, name=name: mirror_path(*of, f"1.0.0/{name}"), right_file(name))
          for name in (SUMS, SIGNATURE)]
LISTS = (INDEX, VERSIONS)
RELEASES = (VERSION, DOWNLOAD, PACKAGE)
ALL = (INDEX, VERSION, VERSIONS, DOWNLOAD, PACKAGE, *SIGNED)


class MirrorTestCase(koya_e2e.TestCase):
    """Tests that share registries and a server."""

    ARGUMENTS = ALLOWED

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.files = good()

    def setUp(self):
        pass  # the folder is the class's

    @classmethod
    def registry(cls, *arguments, **more):
        upstream = Upstream(*arguments, **more)
        cls.addClassCleanup(upstream.off)
        return upstream

    @classmethod
    def mirror(cls, name, *upstreams, arguments=None, environment=None):
        """A server that may pull from those; `arguments` instead of the class's own."""
        hosts = ",".join(each if isinstance(each, str) else each.host for each in upstreams)
        own = cls.ARGUMENTS if arguments is None else arguments
        koya = koya_e2e.Server(
            cls.folder / name, "--upstream.hosts", hosts, "--mirror.negative_ttl", "1s",
            "--upstream.ca_file", koya_upstream.certificate()[1], *own,
            environment=environment)
        cls.addClassCleanup(koya.__exit__)
        return koya.start()

    def assert_all_right(self, upstream, address, faces=ALL):
        """Every face answers, and what it says is what upstream means."""
        for face in faces:
            path = face.path(upstream, address)

            def there():
                got = fetch(self.koya, path)
                answered = got != CUT and got.status == 200
                return got if answered and got.body != b'{"archives":{}}' else None

            face.right(wait_until(there, f"{path} is there again"), self.files)

    def assert_only_ours_is_kept(self, *more, koya=None):
        """The blobs are the release's files (and `more`), each whole; nothing is half done."""
        blobs = (koya or self.koya).data / "blobs"
        # Clients may have the last byte a moment before the blob has its name.
        wait_until(lambda: not [*(blobs / "tmp").rglob("*")], "nothing is half done")
        ours = {hashlib.sha256(data).hexdigest() for data in (*self.files.values(), *more)}
        paths = [path for path in blobs.rglob("*") if path.is_file()]
        kept = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in paths}
        self.assertEqual({name for name in kept if name not in ours}, set(), kept)
        for digest, path in kept.items():
            self.assertTrue("".join(path.parts).endswith(digest), path)
        self.assertTrue(kept)
