"""Updaters and scanners read registries with code of their own: their requests, as their sources show them, replayed against
things of this server and against those that it mirrors; each field that a tool needs is asserted. `koya doctor URL --as TOOL`
finds the same.

| tool | source | what it needs |
|---|---|---|
| Dependabot | terraform/, opentofu/lib/…/registry_client.rb | services that end in a slash; versions; 204 and X-Terraform-Get; packages |
| Terragrunt 1.1 | internal/tf/getter.go, internal/tf/cache/ | X-Terraform-Get, else a document of texts; platforms; packages |
| tfupdate | tfregistry/, lock/ | /v1/…, no discovery, no token; versions; packages[].hashes[], download_url, shasum |
| updatecli | pkg/plugins/resources/terraform/registry/ | services that are paths on the host; exactly one module; no token |
| Trivy | pkg/iac/scanners/terraform/parser/resolvers/registry.go | exactly one module; 200 "location", 204 X-Terraform-Get, not relative |
| Infracost | internal/hcl/modules/registry.go | every version is one; X-Terraform-Get, not relative |
| Checkov | checkov/terraform/module_loading/loaders/registry_loader.py | a service that ends in a slash; X-Terraform-Get |
| TFLint | (reads what init installed) | nothing |
"""
import base64
import gzip
import hashlib
import json
import re
import urllib.parse

import koya_e2e
import koya_upstream
from koya_e2e import tar_gz
from koya_mirror import MirrorTestCase
from koya_provider import PLATFORM, TWO, add_key, author, publish

MODULE, PROVIDER = "acme/vpc/aws", "acme/demo"
BOTH = ("renovate", "dependabot", "terragrunt", "tflint", "tfupdate", "updatecli")
OF_MODULES = ("trivy", "infracost", "checkov")
VERSION = re.compile(r"\d+\.\d+\.\d+$")
GO = {"User-Agent": "Go-http-client/1.1", "Accept-Encoding": "gzip"}
OS_ARCH = PLATFORM.replace("_", "/")


class Updaters(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", cls.upstream)
        for version in ("1.0.0", "1.1.0"):
            archive = tar_gz({"main.tf": f"# {version}\n"})
            cls.koya.publish(MODULE, version, archive)
            cls.upstream.add_module(MODULE, archive, version)
        add_key(cls.koya, "acme", author().armor)
        publish(cls.koya, PROVIDER, "1.0.0", cls.files)
        cls.upstream.add(PROVIDER, cls.files, author(), packages=True)

    # ---- what the tools have in common

    def places(self):
        """Own things, and those behind /origin/."""
        return ("", f"/origin/{self.upstream.host}")

    def request(self, url, headers, token=None):
        """The response to a GET of a URL of this server. A redirect would be one thing more that tools do differently."""
        self.assertTrue(url.startswith(f"https://{self.koya.address}/"), url)
        answer = self.koya.get(url.removeprefix(f"https://{self.koya.address}"), headers, token)
        self.assertNotIn(answer.status, range(300, 400), url)
        if answer.headers.get("Content-Encoding") == "gzip":
            answer.body = gzip.decompress(answer.body)
        return answer

    def document(self, url, headers, token=None):
        answer = self.request(url, headers, token)
        self.assertEqual(answer.status, 200, f"{url}: {answer}")
        return answer.json()

    def services(self, place, headers, token=None):
        return self.document(f"https://{self.koya.address}{place}/.well-known/terraform.json", headers, token)

    def join(self, value):
        """As URI.join and urljoin: what is behind the last slash is replaced. tools want https, or a path on the host."""
        self.assertRegex(value, r"^(https://|/[^/])")
        self.assertTrue(value.endswith("/"), value)
        return urllib.parse.urljoin(f"https://{self.koya.address}/", value)

    def assert_module_versions(self, document):
        self.assertEqual(len(document["modules"]), 1, document)
        versions = [each["version"] for each in document["modules"][0]["versions"]]
        self.assertEqual(sorted(versions), ["1.0.0", "1.1.0"])
        self.assertTrue(all(VERSION.match(each) for each in versions))

    def assert_platforms(self, document):
        release, = document["versions"]
        self.assertEqual(release["version"], "1.0.0")
        self.assertEqual({f"{each['os']}_{each['arch']}" for each in release["platforms"]}, set(TWO))

    def assert_packages(self, document, own):
        """Own packages have both kinds of hashes; those of another registry have "zh:" at first."""
        self.assertEqual(set(document["packages"]), set(TWO))
        for package in document["packages"].values():
            kinds = {each[:3] for each in package["hashes"]}
            # Without "h1:" the server has not fetched that package yet.
            self.assertIn(kinds, ({"h1:", "zh:"},) if own else ({"zh:"}, {"h1:", "zh:"}), package)

    def assert_installs(self, location, token=None):
        """An absolute address with a checksum, whose archive comes without any credentials."""
        parts = urllib.parse.urlsplit(location)
        self.assertEqual((parts.scheme, parts.netloc), ("https", self.koya.address))
        self.assertTrue(parts.path.endswith((".tar.gz", ".zip")), location)
        query = dict(urllib.parse.parse_qsl(parts.query))
        kind, _, digest = query.pop("checksum").partition(":")
        self.assertEqual(kind, "sha256")
        rest = f"{parts.path}?{urllib.parse.urlencode(query)}" if query else parts.path
        archive = self.koya.get(rest, {**GO, **({"Authorization": token} if token else {})})
        self.assertNotIn("Content-Encoding", archive.headers)
        self.assertEqual((archive.status, hashlib.sha256(archive.body).hexdigest()), (200, digest))

    # ---- the tools

    def test_dependabot(self):
        agent = {"User-Agent": "dependabot-core/0.400 excon/1.3 ruby/3.4 (+https://github.com/dependabot/dependabot-core)"}
        for place, token in ((place, token) for place in self.places() for token in (None, self.koya.token)):
            with self.subTest(place=place, token=bool(token)):
                services = self.services(place, agent, token)
                modules, providers = self.join(services["modules.v1"]), self.join(services["providers.v1"])
                self.assert_module_versions(self.document(f"{modules}{MODULE}/versions", agent, token))
                download = self.request(f"{modules}{MODULE}/1.1.0/download", agent, token)
                self.assertEqual(download.status, 204)
                self.assert_installs(download.headers["X-Terraform-Get"])
                self.assert_platforms(self.document(f"{providers}{PROVIDER}/versions", agent, token))
                document = self.document(f"{providers}{PROVIDER}/1.0.0/download/linux/amd64", agent, token)
                self.assert_packages(document, not place)
        # Changes are found by "source", which is the repository or null, never the address.
        details = self.document(f"https://{self.koya.address}/v1/providers/{PROVIDER}/1.0.0", agent)
        self.assertRegex(details["source"] or "https://", "^https://")

    def test_terragrunt_modules(self):
        for place in self.places():
            with self.subTest(place):
                value = self.services(place, GO, self.koya.token)["modules.v1"].removesuffix("/")
                base = value if value.startswith("https://") else f"https://{self.koya.address}{value}"
                self.assert_module_versions(self.document(f"{base}/{MODULE}/versions", GO, self.koya.token))
                for version in ("1.1.0", "v1.1.0"):  # as it stands in the URL, tfr://…?version=v1.1.0
                    download = self.request(f"{base}/{MODULE}/{version}/download", GO, self.koya.token)
                    self.assertIn(download.status, (200, 204), version)
                    self.assert_installs(download.headers["X-Terraform-Get"])

    def test_terragrunt_provider_cache(self):
        for place in self.places():
            with self.subTest(place):
                value = self.services(place, GO)["providers.v1"].rstrip("/")
                base = value if value.startswith("https://") else f"https://{self.koya.address}{value}"
                self.assert_platforms(self.document(f"{base}/{PROVIDER}/versions", GO, self.koya.token))
                url = f"{base}/{PROVIDER}/1.0.0/download/{OS_ARCH}"
                self.assert_provider(self.document(url, GO, self.koya.token), not place, self.koya.token)
        name = self.upstream.host
        index = self.document(f"{self.koya.url}/mirror/{name}/{PROVIDER}/index.json", GO, self.koya.token)
        self.assertEqual(list(index["versions"]), ["1.0.0"])
        archives = self.document(f"{self.koya.url}/mirror/{name}/{PROVIDER}/1.0.0.json", GO, self.koya.token)["archives"]
        self.assertTrue(archives[PLATFORM]["url"] and archives[PLATFORM]["hashes"])

    def assert_provider(self, document, own, token=None):
        """What a download document needs so that the package and its SHA256SUMS can be had, with the token or without."""
        self.assertEqual((document["os"], document["arch"]), tuple(PLATFORM.split("_")))
        self.assertTrue(document["filename"].endswith(".zip"))
        self.assert_packages(document, own)
        package = self.request(document["download_url"], GO, token)
        self.assertEqual((package.status, hashlib.sha256(package.body).hexdigest()), (200, document["shasum"]))
        sums = self.request(document["shasums_url"], GO, token)
        self.assertIn(document["shasum"], sums.body.decode())

    def test_tfupdate(self):
        for place in self.places():  # its base URL can be set, and ends in a slash
            with self.subTest(place):
                base = f"https://{self.koya.address}{place}/"
                self.assert_module_versions(self.document(f"{base}v1/modules/{MODULE}/versions", GO))
                self.assert_platforms(self.document(f"{base}v1/providers/{PROVIDER}/versions", GO))
                url = f"{base}v1/providers/{PROVIDER}/1.0.0/download/{OS_ARCH}"
                self.assert_provider(self.document(url, GO), not place)

    def test_updatecli(self):
        services = self.services("", GO)
        base = f"https://{self.koya.address}"
        self.assert_module_versions(self.document(f"{base}{services['modules.v1']}{MODULE}/versions", GO))
        self.assert_platforms(self.document(f"{base}{services['providers.v1']}{PROVIDER}/versions", GO))

    def test_trivy(self):
        agent = {"User-Agent": "trivy/0.70.0", "Accept-Encoding": "gzip"}
        for place in self.places():
            with self.subTest(place):
                base = self.join(self.services(place, agent)["modules.v1"])
                self.assert_module_versions(self.document(f"{base}{MODULE}/versions", agent, self.koya.token))
                # The version of the module, not of terraform.
                download = self.request(f"{base}{MODULE}/1.1.0/download", {**agent, "X-Terraform-Version": "1.1.0"},
                                        self.koya.token)
                location = download.json()["location"] if download.status == 200 else download.headers["X-Terraform-Get"]
                self.assert_installs(location)

    def test_infracost(self):
        for place in self.places():
            with self.subTest(place):
                base = self.join(self.services(place, {**GO, "Accept": "application/json"}, self.koya.token)["modules.v1"])
                self.assert_module_versions(self.document(f"{base}{MODULE}/versions", GO, self.koya.token))
                download = self.request(f"{base}{MODULE}/1.1.0/download", GO, self.koya.token)
                self.assert_installs(download.headers["X-Terraform-Get"])

    def test_checkov(self):
        agent = {"User-Agent": "python-requests/2.32.5", "Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
        for place in self.places():
            with self.subTest(place):
                base = self.join(self.services(place, agent)["modules.v1"])
                self.assert_module_versions(self.document(f"{base}{MODULE}/versions", agent, self.koya.token))
                download = self.request(f"{base}{MODULE}/1.1.0/download", agent, self.koya.token)
                self.assertLess(download.status, 400)
                self.assert_installs(download.headers["X-Terraform-Get"])

    def test_an_archive_comes_whatever_a_netrc_has(self):
        download = self.request(f"{self.koya.url}/v1/modules/{MODULE}/1.1.0/download", GO)
        basic = "Basic " + base64.b64encode(b"any:secret").decode()
        self.assert_installs(download.headers["X-Terraform-Get"], basic)

    # ---- koya doctor --as

    def doctor(self, url, tool, *arguments):
        trust = {"SSL_CERT_FILE": str(koya_upstream.certificate()[1])} if url != self.koya.url else {}
        run = self.koya.cli("doctor", url, "--as", tool, *arguments, "--json", environment=trust)
        document = json.loads(run.stdout)
        self.assertEqual(run.returncode, 0 if document["healthy"] else 1)
        return document["healthy"], [each for each in document["findings"] if each["step"] == tool]

    def test_the_doctor_finds_this_server_healthy_for_every_tool(self):
        for tool in BOTH + OF_MODULES:
            things = (("--module", MODULE),) + ((("--provider", PROVIDER),) if tool in BOTH else ())
            for thing in things:
                with self.subTest(tool=tool, thing=thing):
                    healthy, findings = self.doctor(self.koya.url, tool, *thing)
                    self.assertTrue(healthy, findings)
                    self.assertTrue(findings)
                    missing = {each["message"].split('"')[1] for each in findings if each["severity"] != "ok"}
                    self.assertLessEqual(missing, {"source"})  # stated by what a CI job published

    def test_the_doctor_finds_a_broken_registry_unhealthy_for_every_tool(self):
        broken = self.registry()
        versions, bare = broken.module_versions_path(MODULE), {"versions": [{"version": "1.0.0"}]}
        download, found = broken.module_download_path(MODULE), {"location": "https://a.test/x.tar.gz"}
        for tool, kind, path, document, words in (
                ("renovate", "provider", broken.versions_path(PROVIDER), bare, "versions[].platforms[].os"),
                ("dependabot", "module", koya_upstream.DISCOVERY, {"modules.v1": "/v1/modules"}, "a slash at its end"),
                ("terragrunt", "module", download, {**found, "use_registry_credentials": False}, "is not a text"),
                ("tfupdate", "module", versions, {"modules": []}, "it has 0"),
                ("updatecli", "module", versions, {"modules": [bare, bare]}, "it has 2"),
                ("updatecli", "module", koya_upstream.DISCOVERY, {"modules.v1": broken.url("/v1/modules/")}, "wrong URL"),
                ("trivy", "module", download, {"location": "./x.tar.gz"}, "absolute location"),
                ("infracost", "module", download, found, "X-Terraform-Get"),
                ("checkov", "module", download, found, "X-Terraform-Get")):
            with self.subTest(tool=tool, words=words):
                broken.put(koya_upstream.DISCOVERY, {"modules.v1": "/v1/modules/", "providers.v1": "/v1/providers/"})
                broken.put(versions, {"modules": [bare]})
                broken.put_location(MODULE, broken.url("/x.tar.gz"))
                broken.put(path, document)
                thing = MODULE if kind == "module" else PROVIDER
                healthy, findings = self.doctor(f"https://{broken.host}", tool, f"--{kind}", thing)
                self.assertFalse(healthy)
                failures = [each for each in findings if each["severity"] == "failure"]
                self.assertTrue(any(words in each["message"] for each in failures), findings)
                self.assertTrue(all(each["fix"] for each in failures), failures)
        self.assertTrue(broken.requests)
        self.assertTrue(all("Authorization" not in fields for _, _, fields in broken.requests))


if __name__ == "__main__":
    koya_e2e.main()
