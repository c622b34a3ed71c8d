"""What is mirrored, moved: koya mirror import and export, list, verify, prune.

Packages are served over /mirror/ from what was imported, with upstream out of reach; terraform takes
them when it is on PATH.
"""
import hashlib
import json
import pathlib
import shutil
import socket
import subprocess
import types
import unittest

import koya_e2e
import koya_upstream
from koya_client import Client, unpacked
from koya_e2e import wait_until
from koya_mirror import ALLOWED, MirrorTestCase
from koya_provider import (BINARY, PLATFORM, STEM, SIGNATURE, SUMS, author, h1, package,
                           platforms_with_ours, release, script, unsigned, zh)

# Debian puts it where not every user's PATH leads.
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
HOST = "registry.example.net"
PLATFORMS = platforms_with_ours("darwin_arm64", "windows_amd64")


def wrong_version(files, version="1.0.0"):
    """VERSION.json with hashes that are somebody else's, as old clients write it."""
    platforms = [name.removeprefix(f"{STEM}_").removesuffix(".zip") for name in files]
    return {"archives": {each: {"url": f"{STEM}_{each}.zip", "hashes": ["h1:" + "A" * 43 + "="]}
                         for each in platforms}}


def static_mirror(folder, zips, host=HOST, address="acme/demo"):
    """What "providers mirror" leaves, its hashes wrong."""
    place = pathlib.Path(folder) / host / address
    koya_e2e.write_files(place, {
        **zips, "index.json": json.dumps({"versions": {"1.0.0": {}}}),
        "1.0.0.json": json.dumps(wrong_version(zips))})
    return pathlib.Path(folder)


class MoveTestCase(MirrorTestCase):
    def run_mirror(self, koya, *arguments, status=0):
        run = koya.cli("mirror", *arguments, timeout=120)
        self.assertEqual(run.returncode, status, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def report(self, koya, *arguments, status=0):
        return json.loads(self.run_mirror(koya, *arguments, "--json", status=status).stdout)

    def archives(self, koya, host=HOST, address="acme/demo", version="1.0.0"):
        answer = koya.get(f"/mirror/{host}/{address}/{version}.json")
        self.assertEqual(answer.status, 200, answer)
        return answer.json()["archives"]

    def assert_served(self, koya, zips, host=HOST, address="acme/demo"):
        """Every zip is served byte for byte, with hashes that are its own."""
        answer = koya.get(f"/mirror/{host}/{address}/index.json")
        self.assertEqual(answer.json(), {"versions": {"1.0.0": {}}}, answer)
        archives = self.archives(koya, host, address)
        self.assertEqual(set(archives), {name[len(STEM) + 1:-4] for name in zips})
        for name, data in zips.items():
            platform = name[len(STEM) + 1:-4]
            self.assertEqual(set(archives[platform]["hashes"]),
                             {zh(data), h1({BINARY: script("demo", "1.0.0", platform)})})
            got = koya.get(f"/mirror/{host}/{address}/1.0.0/{name}")
            self.assertEqual((got.status, got.body == data), (200, True), name)


class Import(MoveTestCase):
    ARGUMENTS = ("--policy.deny", "*/denied/*")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.koya = cls.mirror("data", "registry.invalid")
        cls.zips = unsigned("1.0.0", platforms=PLATFORMS)

    def test_static_mirror(self):
        folder = static_mirror(self.folder / "static", self.zips)
        report = self.report(self.koya, "import", folder)
        self.assertEqual((report["imported"], report["problems"]), (len(self.zips), []))
        self.assert_served(self.koya, self.zips)
        again = self.report(self.koya, "import", folder)
        self.assertEqual((again["imported"], again["unchanged"]), (0, len(self.zips)))
        listed = self.report(self.koya, "list", "--provider", f"{HOST}/acme/demo")["providers"]
        self.assertEqual([(each["version"], len(each["packages"]), each["signed"])
                          for each in listed], [("1.0.0", len(self.zips), False)])
        words = self.run_mirror(self.koya, "list").stdout
        self.assertIn(f"{HOST}/acme/demo", words)
        # /origin/ lists it, and says why it cannot serve it.
        origin = f"/origin/{HOST}/v1/providers/acme/demo"
        self.assertEqual(self.koya.get(f"{origin}/versions").json()["versions"][0]["version"],
                         "1.0.0")
        refused = self.koya.get(f"{origin}/1.0.0/download/{PLATFORM.replace('_', '/')}")
        self.assertIn("signature", refused.errors())

    def test_unicode_host_and_lower_case(self):
        folder = self.folder / "unicode"
        name = f"Terraform-Provider-Demo_1.0.0-RC1_{PLATFORM}.zip"
        koya_e2e.write_files(folder / "münchen.example/acme/demo",
                             {name: self.zips[f"{STEM}_{PLATFORM}.zip"]})
        self.assertEqual(self.report(self.koya, "import", folder)["imported"], 1)
        for host in ("xn--mnchen-3ya.example", "m%C3%BCnchen.example"):
            self.assertIn(PLATFORM, self.archives(self.koya, host, version="1.0.0-rc1"))

    def test_conflict(self):
        name = f"{STEM}_{PLATFORM}.zip"
        first = {name: self.zips[name]}
        other = {name: package({BINARY: b"other"})}
        self.report(self.koya, "import", static_mirror(self.folder / "c1", first, "a.example"))
        report = self.report(self.koya, "import",
                             static_mirror(self.folder / "c2", other, "a.example"), status=1)
        self.assertEqual(report["imported"], 0)
        for data in (first[name], other[name]):
            self.assertIn(zh(data).removeprefix("zh:"), report["problems"][0])
        self.assert_served(self.koya, first, "a.example")

    def test_what_cannot_be_imported(self):
        folder = self.folder / "bad"
        place = folder / HOST / "bad/demo"
        name = f"{STEM}_{PLATFORM}.zip"
        stem = "terraform-provider-demo"
        koya_e2e.write_files(place, {
            f"1.0.0/{PLATFORM}/{BINARY}": "unpacked",
            f"{stem}_0.0.0_{PLATFORM}.zip": self.zips[name],
            f"{stem}_1.0_{PLATFORM}.zip": self.zips[name],
            f"{stem}_1.0.0_toaster_amd64.zip": self.zips[name],
            f"{stem}_1.0.0.zip": self.zips[name],
            f"terraform-provider-other_1.0.0_{PLATFORM}.zip": self.zips[name],
            f"{stem}_2.0.0_{PLATFORM}.zip": b"no zip",
            name: self.zips[name]})
        (folder / HOST / "link").symlink_to(folder / HOST / "bad")
        koya_e2e.write_files(folder, {f"{HOST}/denied/demo/{name}": self.zips[name],
                                      f"no_host/acme/demo/{name}": self.zips[name],
                                      f"127.0.0.1:{self.koya.port}/acme/demo/{name}":
                                      self.zips[name], "README.md": "a note"})
        run = self.run_mirror(self.koya, "import", folder, "--json", status=1)
        report = json.loads(run.stdout)
        self.assertEqual(report["imported"], 1, report)
        self.assertIn("symbolic link", run.stderr)
        for words in (f"1.0.0/{PLATFORM}: unpacked folders of a filesystem mirror have no zip",
                      "0.0.0", "_1.0_", "toaster", f"{stem}_1.0.0.zip", "provider-other",
                      "_2.0.0_", "*/denied/*", "no_host", "own name"):
            self.assertTrue(any(words in problem for problem in report["problems"]),
                            f"{words}: {report['problems']}")
        self.assertEqual(len(report["problems"]), 10, report["problems"])

    def test_nothing_there(self):
        run = self.run_mirror(self.koya, "import", self.folder / "nowhere", status=1)
        self.assertIn("is not a folder", run.stderr)
        (self.folder / "empty").mkdir()
        run = self.run_mirror(self.koya, "import", self.folder / "empty", status=1)
        self.assertIn("nothing to import", run.stderr)

    def test_only_administrators(self):
        folder = static_mirror(self.folder / "token", self.zips, "token.example")
        run = self.koya.cli("mirror", "import", folder, "--token", "koya_" + "x" * 43)
        self.assertEqual(run.returncode, 1)
        self.assertIn("does not know that token", run.stderr)
        # Nor one of some namespaces: told once, not for every package.
        made = self.koya.cli("token", "create", "of-acme", "--scope", "admin", "--namespace", "acme")
        run = self.koya.cli("mirror", "import", folder, "--token", made.stdout.strip(), "--verbose")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stderr.count("answered 403"), 1, run.stderr)
        self.assertEqual(self.archives(self.koya, "token.example"), {})

    def test_stopped_server(self):
        data = self.folder / "stopped"
        folder = static_mirror(self.folder / "offline", self.zips)
        run = koya_e2e.cli("mirror", "import", folder, "--data", data, home=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(f"Imported {len(self.zips)} ", run.stdout)
        run = koya_e2e.cli("mirror", "list", "--data", data, "--json", home=self.folder)
        self.assertEqual(len(json.loads(run.stdout)["providers"]), 1, run.stderr)
        with koya_e2e.Server(data) as koya:
            self.assert_served(koya, self.zips)
            run = koya_e2e.cli("mirror", "list", "--data", data, home=self.folder)
            self.assertEqual(run.returncode, 1)
            self.assertIn("another", run.stderr)


MODULE = "_modules/registry.example.net/Acme/vpc/aws"


class Export(MoveTestCase):
    """What one mirror pulled, moved to another that reaches nobody."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream = cls.registry()
        cls.upstream.add("acme/demo", cls.files, author())
        cls.koya = cls.mirror("data", cls.upstream, arguments=ALLOWED)
        cls.address = f"{cls.upstream.host}/acme/demo"
        cls.archive = koya_e2e.tar_gz(koya_e2e.PLAIN_MODULE)

    def warm(self, *names):
        for name in names or [each for each in self.files if each.endswith(".zip")]:
            answer = self.koya.get(f"/mirror/{self.address}/1.0.0/{name}")
            self.assertEqual(answer.status, 200, answer)
        wait_until(lambda: self.held() >= len(names or PLATFORMS), "what was fetched is kept")

    def held(self):
        listed = self.report(self.koya, "list")["providers"]
        return sum(each["held"] for one in listed for each in one["packages"])

    def bring_module(self, koya):
        folder = self.folder / f"module-{koya.port}"
        koya_e2e.write_files(folder / MODULE, {
            "1.0.0.tar.gz": self.archive,
            "1.0.0.json": json.dumps({"source": "git::https://git.example/vpc.git"})})
        report = self.report(koya, "import", folder)
        self.assertEqual(report["problems"], [])

    def test_there_and_back(self):
        self.warm()
        self.bring_module(self.koya)
        first, second, third = (self.folder / name for name in ("first", "second", "third"))
        report = self.report(self.koya, "export", first)
        self.assertEqual((report["written"], report["problems"]), (len(PLATFORMS) + 1, []))
        place = first / self.address
        self.assertEqual((place / "index.json").read_text(),
                         '{\n  "versions": {\n    "1.0.0": {}\n  }\n}')
        version = json.loads((place / "1.0.0.json").read_text())
        for platform in PLATFORMS:
            name = f"{STEM}_{platform}.zip"
            self.assertEqual(version["archives"][platform], {
                "hashes": [h1({BINARY: script("demo", "1.0.0", platform)}),
                           zh(self.files[name])], "url": name})
        for name in self.files:
            self.assertEqual((place / name).read_bytes(), self.files[name], name)
        self.assertEqual((first / MODULE / "1.0.0.tar.gz").read_bytes(), self.archive)
        # The same stock gives the same bytes, and what is right is not written again.
        self.report(self.koya, "export", second)
        self.assertEqual(unpacked(first), unpacked(second))
        before = {path: path.stat().st_mtime_ns for path in first.rglob("*")}
        (place / f"{STEM}_{PLATFORM}.zip").write_bytes(b"damaged")
        (first / "mine.txt").write_text("of somebody else")
        again = self.report(self.koya, "export", first)
        self.assertEqual((again["written"], again["unchanged"]), (1, len(PLATFORMS)))
        after = {path: path.stat().st_mtime_ns for path in first.rglob("*")}
        changed = {path.name for path in before if before[path] != after[path]}
        self.assertEqual(changed - {place.name, first.name}, {f"{STEM}_{PLATFORM}.zip"})
        self.assertTrue((first / "mine.txt").exists())
        (first / "mine.txt").unlink()

        other = self.mirror("other", "registry.invalid", arguments=())
        report = self.report(other, "import", first)
        self.assertEqual((report["imported"], report["problems"]), (len(PLATFORMS) + 2, []))
        self.upstream.off()
        self.addCleanup(self.upstream.on)
        self.report(other, "export", third)
        self.assertEqual(unpacked(first), unpacked(third))
        self.assert_served(other, {name: data for name, data in self.files.items()
                                   if name.endswith(".zip")}, self.upstream.host)
        self.assert_origin(other)

    def assert_origin(self, koya):
        """Its registry's own protocol, signature and all."""
        path = f"/origin/{self.upstream.host}/v1/providers/acme/demo"
        answer = koya.get(f"{path}/1.0.0/download/{PLATFORM.replace('_', '/')}")
        self.assertEqual(answer.status, 200, answer)
        document = answer.json()
        self.assertEqual(document["protocols"], ["5.0"])
        self.assertEqual(document["signing_keys"]["gpg_public_keys"][0]["ascii_armor"],
                         author().armor)
        for name in (SUMS, SIGNATURE):
            got = koya.get(f"/mirror/{self.address}/1.0.0/{name}")
            self.assertEqual(got.body, self.files[name], name)

    def test_chosen_and_fetched(self):
        folder = self.folder / "chosen"
        self.warm(f"{STEM}_{PLATFORM}.zip")
        self.report(self.koya, "export", folder, "--provider", "acme/demo", "--platform", PLATFORM)
        place = folder / self.address
        self.assertEqual({path.name for path in place.glob("*.zip")}, {f"{STEM}_{PLATFORM}.zip"})
        self.assertFalse((folder / "_modules").exists())
        self.report(self.koya, "export", folder, "--provider", "acme/demo", "--platform",
                    "windows_*", "--all-platforms")
        archives = json.loads((place / "1.0.0.json").read_text())["archives"]
        self.assertEqual(set(archives), {PLATFORM, "windows_amd64"})
        self.assertIn(h1({BINARY: script("demo", "1.0.0", "windows_amd64")}),
                      archives["windows_amd64"]["hashes"])

    def test_refused(self):
        folder = self.folder / "full"
        koya_e2e.write_files(folder, {"thesis.tex": "years of work"})
        self.warm(f"{STEM}_{PLATFORM}.zip")
        run = self.run_mirror(self.koya, "export", folder, status=1)
        self.assertIn("neither empty nor a mirror", run.stderr)
        self.assertEqual([path.name for path in folder.iterdir()], ["thesis.tex"])
        run = self.run_mirror(self.koya, "export", self.folder / "none", "--provider", "no/body",
                              status=1)
        self.assertIn("matches", run.stderr)
        self.assertFalse((self.folder / "none").exists())


class Forged(MoveTestCase):
    ARGUMENTS = ()

    def test_an_export_that_was_tampered_with(self):
        koya = self.mirror("forged", "registry.invalid")
        files = release("1.0.0", author(), platforms=PLATFORMS)
        keys = {"gpg_public_keys": [{"key_id": author().key_id, "ascii_armor": author().armor}],
                "protocols": ["5.0"]}
        good = {**files, f"{STEM}_keys.json": json.dumps(keys)}
        name = f"{STEM}_{PLATFORM}.zip"
        forged = package({BINARY: b"forged"})
        for number, (what, change, words) in enumerate((
                ("signature", {SIGNATURE: author().sign(b"something else")}, "other SHA256SUMS"),
                ("zip", {name: forged}, zh(forged).removeprefix("zh:")),
                ("extra platform", {f"{STEM}_plan9_386.zip": forged}, "lists no package"))):
            with self.subTest(what):
                folder = self.folder / f"tampered-{number}"
                koya_e2e.write_files(folder / f"forged{number}.example/acme/demo",
                                     {**good, **change})
                report = self.report(koya, "import", folder, status=1)
                self.assertTrue(any(words in each for each in report["problems"]),
                                report["problems"])
                archives = self.archives(koya, f"forged{number}.example")
                if what == "signature":
                    self.assertEqual(archives, {})
                hashes = {each for one in archives.values() for each in one["hashes"]}
                self.assertNotIn(zh(forged), hashes)


class Care(MoveTestCase):
    """verify and prune."""

    ARGUMENTS = ALLOWED

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", cls.upstream)
        cls.name = f"{STEM}_{PLATFORM}.zip"

    def pulled(self, address):
        self.upstream.add(address, self.files, author())
        path = f"/mirror/{self.upstream.host}/{address}/1.0.0/{self.name}"
        for _ in range(2):  # the second opens what is kept
            self.assertEqual(self.koya.get(path).body, self.files[self.name])
        self.provider = ("--provider", address)
        wait_until(lambda: self.report(self.koya, "verify", *self.provider)["checked"] == 2,
                   "the package is held")
        return path

    def damage(self, data):
        digest = hashlib.sha256(data).hexdigest()
        blob = self.koya.data / "blobs/sha256" / digest[:2] / digest[2:]
        with open(blob, "r+b") as file:
            file.seek(60)
            file.write(b"damage")

    def test_damage(self):
        path = self.pulled("care/demo")
        self.assertEqual(self.report(self.koya, "verify", *self.provider)["findings"], [])
        self.damage(self.files[self.name])
        run = self.run_mirror(self.koya, "verify", *self.provider, status=1)
        self.assertIn(f"care/demo 1.0.0 {PLATFORM}: damaged", run.stdout)
        # From now on what is served is right, or nothing: here it comes from upstream again.
        self.assertEqual(self.koya.get(path).body, self.files[self.name])
        wait_until(lambda: self.report(self.koya, "verify", *self.provider)["checked"] == 2,
                   "the package is held again")
        self.damage(self.files[self.name])
        self.damage(self.files[SUMS])
        report = self.report(self.koya, "verify", "--repair", *self.provider)
        self.assertEqual({(each["name"].split()[-1], each["state"], each["repaired"])
                          for each in report["findings"]},
                         {(PLATFORM, "damaged", True), ("SHA256SUMS", "damaged", True)})
        self.assertEqual(self.report(self.koya, "verify", *self.provider)["findings"], [])
        self.assertEqual(self.koya.get(path).body, self.files[self.name])

    def test_damage_that_cannot_be_mended(self):
        zips = {self.name: package({BINARY: b"imported " * 50})}
        folder = static_mirror(self.folder / "lost", zips, "lost.example")
        self.report(self.koya, "import", folder)
        self.damage(zips[self.name])
        report = self.report(self.koya, "verify", "--repair", "--provider", "lost.example/*/*",
                             status=1)
        self.assertIn("import it again", report["findings"][0]["problem"])
        self.assertEqual(self.archives(self.koya, "lost.example"), {})
        self.report(self.koya, "import", folder)
        self.assertIn(PLATFORM, self.archives(self.koya, "lost.example"))

    def test_prune(self):
        path = self.pulled("prune/demo")
        self.assertEqual(self.koya.cli("mirror", "prune").returncode, 2)
        dry = self.report(self.koya, "prune", "--dry-run", "--provider", "prune/*", "--unused",
                          "0s")
        self.assertEqual(dry["released"], [])  # used this very moment, or shared
        self.koya.cli("mirror", "prune", "--provider", "care/*")
        report = self.report(self.koya, "prune", "--provider", "prune/*", "--provider", "care/*")
        self.assertIn(f"{self.upstream.host}/prune/demo 1.0.0 {PLATFORM}", report["released"])
        self.assertEqual(self.report(self.koya, "verify", *self.provider)["checked"], 1)
        self.assertEqual(self.koya.get(path).body, self.files[self.name])  # the same comes back


class Configured(Client):
    """terraform with a CLI configuration of its own, trusting one certificate."""

    def __init__(self, host, folder, settings, trust):
        super().__init__("terraform", types.SimpleNamespace(address=host, data=folder), folder)
        self.trust = trust
        self.settings = self.folder / "client.tfrc"
        self.settings.write_text(settings)

    def environment(self):
        return {**super().environment(), "TF_CLI_CONFIG_FILE": str(self.settings),
                "SSL_CERT_FILE": str(self.trust)}


@unittest.skipUnless(shutil.which("terraform"), "terraform is not on PATH")
class Terraform(MoveTestCase):
    """A real client makes a static mirror, and installs from what became of it."""

    ARGUMENTS = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = release("1.0.0", author(), platforms=PLATFORMS)
        cls.upstream = cls.registry()
        cls.upstream.add("acme/demo", cls.files, author())
        cls.koya = cls.mirror("data", "registry.invalid")
        cls.static = cls.folder / "static"
        url = cls.upstream.url(koya_upstream.PROVIDERS)
        client = cls.client("maker", f'host "{HOST}" {{\n  services = {{ "providers.v1" = '
                                     f'"{url}" }}\n}}\n', koya_upstream.certificate()[1])
        client.succeed("providers", "mirror", *(f"-platform={each}" for each in PLATFORMS),
                       cls.static)

    @classmethod
    def client(cls, name, settings, trust):
        return Configured(HOST, cls.folder / name, settings, trust).require(
            demo=("acme/demo", "1.0.0"))

    def assert_installs(self, name, method, trust):
        settings = (f"provider_installation {{\n  {method}\n  direct {{\n"
                    f'    exclude = ["{HOST}/*/*"]\n  }}\n}}\n')
        client = self.client(name, settings, trust)
        client.succeed("init", "-no-color")
        binary = {BINARY: script("demo", "1.0.0", PLATFORM)}
        version, hashes = client.locked("acme/demo")
        self.assertEqual(version, "1.0.0")
        self.assertIn(h1(binary), hashes)
        self.assertEqual(unpacked(client.installed("acme/demo", "1.0.0")), binary)

    def exported(self):
        folder = self.folder / "export"
        if not folder.exists():
            self.report(self.koya, "import", self.static)
            koya_e2e.write_files(self.folder / "modules" / MODULE,
                                 {"1.0.0.tar.gz": koya_e2e.tar_gz(koya_e2e.PLAIN_MODULE)})
            self.report(self.koya, "import", self.folder / "modules")
            self.report(self.koya, "export", folder)
        return folder

    def test_its_mirror_imported_and_served(self):
        self.report(self.koya, "import", self.static)
        self.assert_served(self.koya, {name: data for name, data in self.files.items()
                                       if name.endswith(".zip")})
        self.assert_installs("network", f'network_mirror {{ url = "{self.koya.url}/mirror/" }}',
                             self.koya.data / "dev/ca.pem")

    def test_the_export_is_as_it_would_write_it(self):
        theirs, ours = self.static / HOST / "acme/demo", self.exported() / HOST / "acme/demo"
        self.assertEqual((theirs / "index.json").read_bytes(), (ours / "index.json").read_bytes())
        documents = [json.loads((place / "1.0.0.json").read_text()) for place in (theirs, ours)]
        for platform, archive in documents[1]["archives"].items():
            archive["hashes"] = [each for each in archive["hashes"] if each.startswith("h1:")]
            self.assertEqual(archive, documents[0]["archives"][platform])
        for path in theirs.glob("*.zip"):
            self.assertEqual(path.read_bytes(), (ours / path.name).read_bytes())

    def test_the_export_as_filesystem_mirror(self):
        self.assert_installs("files", f'filesystem_mirror {{ path = "{self.exported()}" }}',
                             self.koya.data / "dev/ca.pem")

    @unittest.skipUnless(NGINX, "nginx is not installed")
    def test_the_export_behind_nginx(self):
        folder = self.exported()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        both, own = koya_upstream.certificate()
        run = self.folder / "nginx"
        koya_e2e.write_files(run, {"nginx.conf": f"""
daemon off; master_process off; pid {run}/pid; error_log {run}/error.log;
events {{}}
http {{
  access_log off; types {{ application/json json; application/zip zip; }}
  client_body_temp_path {run}/a; proxy_temp_path {run}/b; fastcgi_temp_path {run}/c;
  uwsgi_temp_path {run}/d; scgi_temp_path {run}/e;
  server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {both}; ssl_certificate_key {both};
            root {folder}; }}
}}
"""})
        nginx = subprocess.Popen([NGINX, "-p", str(run), "-c", str(run / "nginx.conf")],
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)

        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        wait_until(answers, "nginx listens")
        self.assert_installs("nginx", f'network_mirror {{ url = "https://127.0.0.1:{port}/" }}',
                             own)


if __name__ == "__main__":
    koya_e2e.main()
