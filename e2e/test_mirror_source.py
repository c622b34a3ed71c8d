"""Koya that pulls providers from a network mirror (upstream.network_mirror): a static one, and
another Koya."""
import json

import koya_e2e
from koya_mirror import ALLOWED, MirrorTestCase, fetch, status
from koya_provider import SUMS, TWO, ZIP, author, h1, package, script, zh

NAME = "registry.upstream.test"  # nothing leads there: only the mirror is ever asked
PLACE = f"/static/{NAME}/acme"


class NetworkMirror(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", NAME, arguments=(
            *ALLOWED, "--upstream.network_mirror", cls.upstream.url("/static/"),
            "--upstream.tokens", f"{cls.upstream.host}=secret-of-the-mirror"))

    def offer(self, type_name, archives, version="1.0.0"):
        """{platform: (zip, hashes)} as a static mirror has them."""
        place = f"{PLACE}/{type_name}"
        self.upstream.put(f"{place}/index.json", {"versions": {version: {}}})
        self.upstream.put(f"{place}/{version}.json", {"archives": {
            platform: {"url": f"{platform}.zip", **({"hashes": hashes} if hashes else {})}
            for platform, (_, hashes) in archives.items()}})
        for platform, (data, _) in archives.items():
            self.upstream.put(f"{place}/{platform}.zip", data)

    @staticmethod
    def package(platform, type_name="demo"):
        binary = {f"terraform-provider-{type_name}_v1.0.0": script(type_name, "1.0.0", platform)}
        data = package(binary)
        return data, [h1(binary), zh(data)]

    def path(self, type_name, file):
        return f"/mirror/{NAME}/acme/{type_name}/{file}"

    def test_every_platform_at_once_and_again_without_it(self):
        packages = {platform: self.package(platform) for platform in TWO}
        self.offer("demo", packages)
        self.assertEqual(self.koya.get(self.path("demo", "index.json")).json(),
                         {"versions": {"1.0.0": {}}})
        archives = self.koya.get(self.path("demo", "1.0.0.json")).json()["archives"]
        self.assertEqual({each: set(archive["hashes"]) for each, archive in archives.items()},
                         {each: set(hashes) for each, (_, hashes) in packages.items()})
        for platform, (data, _) in packages.items():
            path = archives[platform]["url"].removeprefix(self.koya.url)
            self.assertEqual(self.koya.get(path).body, data)
        sent = [fields.get("Authorization") for path, _, fields in self.upstream.requests
                if path.startswith(PLACE)]
        self.assertEqual({each for each in sent if each}, {"Bearer secret-of-the-mirror"})
        self.assertTrue(all("Authorization" not in fields for path, _, fields
                            in self.upstream.requests if path.endswith(".zip")))
        self.upstream.off()
        self.addCleanup(self.upstream.on)
        for platform, (data, _) in packages.items():
            path = archives[platform]["url"].removeprefix(self.koya.url)
            self.assertEqual(self.koya.get(path).body, data)

    def test_no_signature_no_origin(self):
        self.offer("unsigned", {TWO[0]: self.package(TWO[0], "unsigned")})
        os_arch = TWO[0].replace("_", "/")
        got = self.koya.get(
            f"/origin/{NAME}/v1/providers/acme/unsigned/1.0.0/download/{os_arch}")
        self.assertEqual(got.status, 502)
        self.assertIn("only /mirror/ can serve it", got.errors())

    def test_hashes_that_will_not_do(self):
        data, (of_files, of_zip) = self.package("linux_amd64", "odd")
        for number, (hashes, words) in enumerate((
                ([of_files], "koya mirror import"), ([], "koya mirror import"),
                (["h9:x"], "no hash that clients know"), (["zh:short"], "64 hexadecimal"),
                ([of_zip, "nonsense"], "has no scheme"))):
            with self.subTest(hashes=hashes):
                self.offer(f"odd{number}", {"linux_amd64": (data, hashes)})
                got = self.koya.get(self.path(f"odd{number}", "1.0.0.json"))
                self.assertEqual(got.status, 502, got)
                self.assertIn(words, got.errors())

    def test_other_bytes_are_cut_off_and_never_kept(self):
        data, hashes = self.package("linux_amd64", "wrong")
        self.offer("wrong", {"linux_amd64": (data[:-1] + b"\1", hashes)})
        archives = self.koya.get(self.path("wrong", "1.0.0.json")).json()["archives"]
        path = archives["linux_amd64"]["url"].removeprefix(self.koya.url)
        self.assertNotEqual(status(fetch(self.koya, path)), 200)
        self.offer("wrong", {"linux_amd64": (data, hashes)})
        self.assertEqual(self.koya.get(path).body, data)

    def test_a_platform_that_it_lacks(self):
        self.offer("lacking", {"darwin_arm64": self.package("darwin_arm64", "lacking")})
        archives = self.koya.get(self.path("lacking", "1.0.0.json")).json()["archives"]
        self.assertEqual(set(archives), {"darwin_arm64"})
        self.assertEqual(self.koya.get(self.path("nothing", "index.json")).status, 404)
        self.assertEqual(self.koya.get(self.path("lacking", "9.0.0.json")).json(), {"archives": {}})


class Tokens(MirrorTestCase):
    """Where a registry's token is looked for, and who gets to see it."""

    def sent(self, upstream):
        """{path: Authorization} of everything that was asked."""
        return {path: fields.get("Authorization") for path, _, fields in upstream.requests}

    def run_with(self, name, *arguments, environment=None):
        upstream = self.registry()
        upstream.add("acme/demo", self.files, author())
        archive = koya_e2e.tar_gz({"main.tf": b""})
        upstream.add_module("acme/vpc/aws", archive)
        arguments = [word.replace("HOST", upstream.host) for word in arguments]
        named = {key.replace("HOST", upstream.host.replace(".", "_")): value
                 for key, value in (environment or {}).items()}
        koya = self.mirror(name, upstream, arguments=(*ALLOWED, *arguments), environment=named)
        self.assertEqual(koya.get(f"/mirror/{upstream.host}/acme/demo/index.json").status, 200)
        self.assertEqual(koya.get(f"/mirror/{upstream.host}/acme/demo/1.0.0/{ZIP}").body,
                         self.files[ZIP])
        place = f"/origin/{upstream.host}/v1/modules/acme/vpc/aws/1.0.0/download"
        self.assertEqual(koya.get(place).status, 204)
        return upstream, self.sent(upstream)

    def assert_sent(self, upstream, sent, token):
        for path in (upstream.versions_path("acme/demo"), upstream.download_path("acme/demo"),
                     upstream.module_download_path("acme/vpc/aws")):
            self.assertEqual(sent[path], f"Bearer {token}", path)
        for path in (upstream.file_path("acme/demo", ZIP), upstream.file_path("acme/demo", SUMS),
                     upstream.module_archive_path("acme/vpc/aws")):
            self.assertIsNone(sent[path], path)

    def test_settings_go_before_variables(self):
        upstream, sent = self.run_with("settings", "--upstream.tokens", "HOST=of-the-settings",
                                       environment={"TF_TOKEN_HOST": "of-a-variable"})
        self.assert_sent(upstream, sent, "of-the-settings")

    def test_a_variable(self):
        upstream, sent = self.run_with("variable", environment={"TF_TOKEN_HOST": "of-a-variable"})
        self.assert_sent(upstream, sent, "of-a-variable")

    def test_a_helper(self):
        helper = self.folder / "helper"
        helper.write_text('#!/bin/sh\n[ "$1 $2" = "--role get" ] && '
                          'echo "{\\"token\\":\\"of-the-helper-for-$3\\"}"\n')
        helper.chmod(0o755)
        upstream, sent = self.run_with("helped", "--upstream.credentials_helper",
                                       f"{helper} --role")
        self.assert_sent(upstream, sent, f"of-the-helper-for-{upstream.host}")


class OfAnotherKoya(MirrorTestCase):
    """A server in a branch office, say, that pulls from the one in the head office."""

    def test_through_two(self):
        upstream = self.registry()
        upstream.add("acme/demo", self.files, author())
        first = self.mirror("first", upstream)
        authority = self.folder / "authorities.pem"
        authority.write_bytes((first.data / "dev/ca.pem").read_bytes())
        second = koya_e2e.Server(
            self.folder / "second", "--upstream.hosts", upstream.host,
            "--upstream.network_mirror", f"{first.url}/mirror/", "--upstream.ca_file", authority,
            *ALLOWED).start()
        self.addCleanup(second.__exit__)
        place = f"/mirror/{upstream.host}/acme/demo"
        archives = second.get(f"{place}/1.0.0.json").json()["archives"]
        self.assertEqual(set(archives), set(TWO))
        path = archives["linux_amd64"]["url"].removeprefix(second.url)
        self.assertEqual(second.get(path).body, self.files[ZIP])
        first.stop()
        upstream.off()
        self.addCleanup(upstream.on)
        self.assertEqual(second.get(path).body, self.files[ZIP])
        self.assertEqual(json.loads(second.get(f"{place}/index.json").body), {"versions": {"1.0.0": {}}})


if __name__ == "__main__":
    koya_e2e.main()
