"""koya import: modules and providers of another registry become this one's own.

usage: test_import.py --client=terraform|tofu (both unless given: the first that is on PATH)
"""
import base64
import hashlib
import json
import pathlib
import signal
import subprocess

import koya_client
import koya_provider
import koya_upstream
from koya_client import Client
from koya_e2e import KOYA, TestCase, clean_environment, tar_gz, wait_until, zip_of
from koya_provider import PLATFORM, add_key, author, platforms_with_ours, release, zh
from koya_upstream import Upstream, answer, truncated

MODULE = 'output "made" {\n  value = "%s"\n}\n'


def module(text):
    return tar_gz({"main.tf": (MODULE % text).encode()})


class ImportTestCase(TestCase):
    """A target, `koya`, and commands that trust it and every source."""

    def setUp(self):
        super().setUp()
        self.koya = self.server(name="target")

    def trust(self, *files):
        """A file with the certificates of the target and of these sources."""
        bundle = self.folder / "trusted.pem"
        own = [self.koya.data / "dev/ca.pem", koya_upstream.certificate()[1]]
        bundle.write_text("".join(pathlib.Path(each).read_text() for each in (*own, *files)))
        return str(bundle)

    def koya_import(self, *arguments, trusted=(), status=0, environment=None, **more):
        run = self.koya.cli("import", *arguments, home=self.folder, environment={
            "SSL_CERT_FILE": self.trust(*trusted), **(environment or {})}, **more)
        self.assertEqual(run.returncode, status, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def report(self, *arguments, **more):
        return json.loads(self.koya_import(*arguments, "--json", **more).stdout)

    def versions(self, address):
        got = self.koya.get(f"/v1/modules/{address}/versions")
        if got.status == 404:
            return []
        return sorted(each["version"] for each in got.json()["modules"][0]["versions"])

    def upstream(self):
        source = Upstream()
        self.addCleanup(source.off)
        return source

    def offer_list(self, source, *modules, providers=()):
        """The list API, in one page."""
        source.put("/v1/modules", {"meta": {"limit": 100}, "modules": [
            dict(zip(("namespace", "name", "provider"), each.split("/"))) for each in modules]})
        source.put("/v1/providers", {"meta": {"limit": 100}, "providers": [
            dict(zip(("namespace", "name"), each.split("/"))) for each in providers]})


class TwoKoyas(ImportTestCase):
    def setUp(self):
        super().setUp()
        self.old = self.server(name="old")
        self.files = release("1.0.0", author(), platforms=platforms_with_ours("darwin_arm64"))
        self.assertIn(add_key(self.old, "acme", author().armor).status, (200, 201))
        koya_provider.publish(self.old, "acme/demo", "1.0.0", self.files)
        for version in ("1.0.0", "1.1.0", "2.0.0-rc.1"):
            self.old.publish("acme/vpc/aws", version, module(version))
        self.old.publish("acme/net/aws", "0.1.0", zip_of({"main.tf": b"# net\n"}))
        self.trusted = (self.old.data / "dev/ca.pem",)

    def run_import(self, *arguments, **more):
        return self.report("registry", self.old.url, *arguments, trusted=self.trusted, **more)

    def test_bytes_times_and_signatures_are_the_same(self):
        assessed = self.run_import("--assess")
        self.assertEqual((assessed["packages"], assessed["versions"], assessed["refused"],
                          assessed["clashes"]), (3, 5, [], []))
        self.assertEqual(self.versions("acme/vpc/aws"), [])
        done = self.run_import()
        self.assertEqual((done["versions"], done["unchanged"], done["refused"]), (5, 0, []))
        for version in ("1.0.0", "1.1.0", "2.0.0-rc.1"):
            self.assertEqual(self.koya.download("acme/vpc/aws", version),
                             self.old.download("acme/vpc/aws", version))
        theirs, ours = (koya_provider.download(each, "acme/demo", "1.0.0")
                        for each in (self.old, self.koya))
        self.assertEqual(theirs["shasum"], ours["shasum"])
        self.assertEqual(theirs["packages"], ours["packages"])
        details = [each.get("/v1/modules/acme/vpc/aws/1.0.0").json() for each in (self.old, self.koya)]
        self.assertEqual(details[0]["published_at"], details[1]["published_at"])
        self.assertEqual(details[1]["provenance"]["imported_from"],
                         f"{self.old.address}/acme/vpc/aws")
        digest = hashlib.sha256(self.old.download("acme/vpc/aws", "1.0.0")).hexdigest()
        self.assertEqual(self.koya.get("/v1/modules/acme/vpc/aws").json()["imported"]["1.0.0"],
                         f"sha256:{digest}")

    def test_second_run_asks_once_for_each_package(self):
        self.run_import()
        before = self.old.log_mark()
        done = self.run_import()
        self.assertEqual((done["versions"], done["unchanged"], done["refused"]), (0, 5, []))
        self.old.log_mark()
        asked = [path for _, path in self.old.requests(before) if path.endswith("/versions")]
        self.assertEqual(len(asked), 3, asked)
        rest = [path for _, path in self.old.requests(before) if not path.endswith("/versions")]
        self.assertLessEqual(set(rest), {"/.well-known/terraform.json", "/v1/modules", "/v1/providers"})
        again = self.run_import("--recheck")
        self.assertEqual((again["versions"], again["unchanged"], again["refused"]), (0, 5, []))

    def test_keys_only_verify_unless_trusted(self):
        self.run_import()
        keys = self.koya.get("/api/v1/namespaces/acme/keys", token=self.koya.token).json()["keys"]
        self.assertEqual([(each["key_id"], bool(each["removed"])) for each in keys],
                         [(author().key_id, True)])
        files = release("1.1.0", author(), platforms=platforms_with_ours())
        draft = koya_provider.Draft(self.koya, "acme/demo", "1.1.0")
        for name, data in files.items():
            draft.put(name, data)
        self.assertEqual(draft.commit().status, 422)
        self.run_import("--trust-keys", "--map", "acme/demo=other/demo", "--recheck")
        keys = self.koya.get("/api/v1/namespaces/other/keys", token=self.koya.token).json()["keys"]
        self.assertEqual([bool(each["removed"]) for each in keys], [False])

    def test_locks_and_sources_hold_when_the_name_moves(self):
        client = Client(koya_client.PROGRAM, self.old, self.folder / "client")
        client.environment = lambda: {  # the token is that of the server behind the name
            **Client.environment(client), "SSL_CERT_FILE": self.trust(*self.trusted)}
        (client.config / "main.tf").write_text(
            f'terraform {{\n  required_providers {{\n    demo = {{\n'
            f'      source = "{self.old.address}/acme/demo"\n    }}\n  }}\n}}\n\n'
            f'module "vpc" {{\n  source  = "{self.old.address}/acme/vpc/aws"\n  version = "1.1.0"\n}}\n')
        client.succeed("init", "-no-color")
        lock = (client.config / ".terraform.lock.hcl").read_bytes()
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")
        self.run_import()
        self.old.stop()
        self.old.reserved.close()
        self.koya.stop()
        self.koya.listen = self.old.listen
        self.koya.start()
        client.koya = self.koya
        client.forget().succeed("init", "-no-color", "-lockfile=readonly")
        self.assertEqual((client.config / ".terraform.lock.hcl").read_bytes(), lock)

    def test_another_name_leads_here(self):
        self.run_import()
        client = Client(koya_client.PROGRAM, self.koya, self.folder / "client")
        settings = self.folder / "moved.tfrc"
        settings.write_text(self.koya.cli("client-config", "--for-host", "old.registry.test").stdout)
        client.environment = lambda: {**Client.environment(client),
                                      "TF_CLI_CONFIG_FILE": str(settings)}
        (client.config / "main.tf").write_text(
            'module "vpc" {\n  source  = "old.registry.test/acme/vpc/aws"\n  version = "1.1.0"\n}\n\n'
            'terraform {\n  required_providers {\n    demo = {\n'
            '      source = "old.registry.test/acme/demo"\n    }\n  }\n}\n')
        client.succeed("init", "-no-color")
        self.assertIn('provider "old.registry.test/acme/demo"',
                      (client.config / ".terraform.lock.hcl").read_text())

    def test_rights(self):
        for scope, namespace, status in (("publish", "acme", 1), ("admin", "other", 1),
                                         ("admin", "acme", 0)):
            run = self.koya.cli("token", "create", f"{scope}-{namespace}", "--scope", scope,
                                "--namespace", namespace, "--json")
            token = json.loads(run.stdout)["token"]
            self.koya_import("registry", self.old.url, "--token", token, trusted=self.trusted,
                             status=status)
            self.assertEqual(self.versions("acme/vpc/aws") != [], status == 0)

    def test_files_say_what_comes(self):
        config = self.folder / "config"
        config.mkdir()
        (config / "main.tf").write_text(
            f'module "net" {{\n  source  = "{self.old.address}/acme/net/aws"\n  version = "0.1.0"\n}}\n')
        done = self.run_import("--config", config)
        self.assertEqual((done["packages"], done["versions"]), (1, 1))
        names = self.folder / "names"
        names.write_text("# ours\nacme/vpc/aws 1.1.0\n\nacme/nothing/aws\n")
        done = self.run_import("--list", names, status=1)
        self.assertEqual((done["packages"], done["versions"]), (2, 1))
        self.assertIn("not visible to this token", done["refused"][0]["why"])
        self.assertEqual(self.versions("acme/vpc/aws"), ["1.1.0"])
        names.write_text("acme/vpc/aws 1.1.0 more\n")
        self.assertIn("names:1: ", self.koya_import("registry", self.old.url, "--list", names,
                                                    trusted=self.trusted, status=1).stderr)
        lock = self.folder / "lock.hcl"
        lock.write_text(f'provider "{self.old.address}/acme/demo" {{\n  version = "1.0.0"\n  hashes = '
                        f'["{zh(next(iter(self.files.values())))}"]\n}}\n')
        self.assertEqual(self.run_import("--lock", lock)["versions"], 1)


class BadSources(ImportTestCase):
    def test_names_that_cannot_come_are_refused_and_the_rest_comes(self):
        source = self.upstream()
        source.add_module("acme/vpc/aws", module("good"))
        source.put_location("acme/vpc/aws", source.url("/none"), "1.0.1")
        source.list_modules("acme/vpc/aws", "1.0.0", "v1.1", "1.2.0+a", "1.2.0+b")
        source.add_module("Acme/net/aws", module("one"))
        source.add_module("acme/net/aws", module("two"))
        source.add_module("mirror/x/aws", module("three"))
        self.offer_list(source, "acme/vpc/aws", "Acme/net/aws", "acme/net/aws", "mirror/x/aws",
                        "acme/hidden/aws")
        for arguments in (("--assess",), ()):
            done = self.report("registry", source.url(""), *arguments, status=1)
            self.assertEqual(done["versions"], 1)
            refused = {(each["address"], each.get("version")): each["why"] for each in done["refused"]}
            self.assertEqual(sorted(refused, key=str), sorted([
                ("Acme/net/aws", None), ("acme/net/aws", None), ("acme/vpc/aws", "1.2.0+a"),
                ("acme/vpc/aws", "1.2.0+b"), ("acme/vpc/aws", "v1.1"), ("mirror/x/aws", None),
                ("acme/hidden/aws", None)], key=str))
            self.assertIn("1.2.0+a and 1.2.0+b", refused["acme/vpc/aws", "1.2.0+a"])
            self.assertIn("Acme/net/aws and acme/net/aws", refused["acme/net/aws", None])
            self.assertIn("not visible to this token", refused["acme/hidden/aws", None])
            self.assertEqual(len(done["clashes"]), 1)
        self.assertEqual(self.versions("acme/vpc/aws"), ["1.0.0"])

    def test_other_bytes_the_second_time(self):
        source = self.upstream()
        source.add_module("acme/vpc/aws", module("first"))
        source.add_module("acme/vpc/aws", module("other"), "1.1.0")
        self.offer_list(source, "acme/vpc/aws")
        self.report("registry", source.url(""))
        first = self.koya.download("acme/vpc/aws", "1.0.0")
        source.put(source.module_archive_path("acme/vpc/aws"), module("second"))
        self.report("registry", source.url(""))
        done = self.report("registry", source.url(""), "--recheck", status=1)
        self.assertEqual((done["unchanged"], len(done["refused"])), (1, 1))
        for each in (first, module("second")):
            self.assertIn(hashlib.sha256(each).hexdigest(), done["refused"][0]["why"])
        self.assertEqual(self.koya.download("acme/vpc/aws", "1.0.0"), first)

    def test_lists_that_cannot_be_read(self):
        source = self.upstream()
        self.offer_list(source)
        endless = {"meta": {"next_offset": 1}, "modules": [
            {"namespace": "a", "name": "b", "provider": "c"}]}
        for document, words in (
                (b"<!doctype html><title>Sign in</title>", "HTML"), (b"{}", '"modules"'),
                (b'{"modules": [', "JSON"), (json.dumps(endless).encode(), "never ends")):
            source.put("/v1/modules", document, "text/html" if document[:1] == b"<" else
                       "application/json")
            run = self.koya_import("registry", source.url(""), status=1)
            self.assertIn(words, run.stderr)
        del source.goods["/v1/modules"]
        self.assertIn("--list", self.koya_import("registry", source.url(""), status=1).stderr)
        source.put("/.well-known/terraform.json", {})
        self.assertIn("no registry", self.koya_import("registry", source.url(""), status=1).stderr)
        self.assertIn("https://HOST", self.koya_import("registry", "http://x.test", status=1).stderr)

    def test_wait_is_obeyed(self):
        source = self.upstream()
        source.add_module("acme/vpc/aws", module("good"))
        self.offer_list(source, "acme/vpc/aws")
        busy = answer(429, b"{}", Retry_After="1")
        path = source.module_versions_path("acme/vpc/aws")

        def three_times(handler, good):
            if source.asked(path) > 3:
                source.faults.pop(path, None)
            busy(handler, good)
        source.faults[path] = three_times
        self.assertEqual(self.report("registry", source.url(""))["versions"], 1)
        times = source.asked_at(path)
        self.assertTrue(all(b - a >= 0.9 for a, b in zip(times, times[1:])), times)

    def test_source_that_dies_in_the_middle(self):
        source = self.upstream()
        for version in ("1.0.0", "1.1.0", "1.2.0"):
            source.add_module("acme/vpc/aws", module(version), version)
        self.offer_list(source, "acme/vpc/aws")
        source.faults[source.module_archive_path("acme/vpc/aws", "1.1.0")] = truncated
        done = self.report("registry", source.url(""), status=1)
        self.assertEqual([each["version"] for each in done["refused"]], ["1.1.0"])
        self.assertEqual(self.versions("acme/vpc/aws"), ["1.0.0", "1.2.0"])
        source.faults.clear()
        self.assertEqual(self.report("registry", source.url(""))["versions"], 1)
        address = self.koya.url.removeprefix("https://")
        self.koya.stop()
        self.assertIn(address, self.koya_import("registry", source.url(""), status=1).stderr)
        self.koya.start()
        source.off()
        self.assertIn(source.host, self.koya_import("registry", f"https://{source.host}",
                                                    status=1).stderr)

    def test_watch_goes_on_until_a_signal(self):
        source = self.upstream()
        source.add_module("acme/vpc/aws", module("1.0.0"))
        self.offer_list(source, "acme/vpc/aws")
        watch = subprocess.Popen(
            [str(KOYA), "import", "registry", source.url(""), "--watch", "1s"],
            env=clean_environment(**{**self.koya.dev_environment, "HOME": str(self.folder),
                                     "SSL_CERT_FILE": self.trust()}),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: self.versions("acme/vpc/aws") == ["1.0.0"], "the first version")
            source.add_module("acme/vpc/aws", module("1.1.0"), "1.1.0")
            wait_until(lambda: "1.1.0" in self.versions("acme/vpc/aws"), "the second version")
            self.assertIsNone(watch.poll())
        finally:
            watch.terminate()
            self.assertEqual(watch.wait(), -signal.SIGTERM)

    def test_unfit_releases_are_left(self):
        source = self.upstream()
        good = release("1.0.0", author(), platforms=platforms_with_ours())
        source.add("acme/demo", good, author())
        bad = release("1.1.0", author(), platforms=platforms_with_ours())
        source.add("acme/demo", bad, author(), version="1.1.0")
        sums = next(name for name in bad if name.endswith("SHA256SUMS"))
        source.put(source.file_path("acme/demo", sums + ".sig"), b"not a signature")
        changed = release("1.2.0", author(), platforms=platforms_with_ours())
        source.add("acme/demo", changed, author(), version="1.2.0")
        zip_name = next(name for name in changed if name.endswith(f"{PLATFORM}.zip"))
        source.put(source.file_path("acme/demo", zip_name), b"other bytes")
        self.offer_list(source, providers=("acme/demo",))
        done = self.report("registry", source.url(""), status=1)
        self.assertEqual(done["versions"], 1, done)
        self.assertEqual([each["version"] for each in done["refused"]], ["1.1.0", "1.2.0"])
        self.assertEqual(list(koya_provider.versions(self.koya, "acme/demo")), ["1.0.0"])

    def test_semver_does_not_judge_and_secrets_do(self):
        self.koya.stop()
        self.koya.arguments = ("--publish.semver", "refuse", "--publish.secrets", "refuse")
        self.koya.start()
        source = self.upstream()
        source.add_module("acme/vpc/aws", tar_gz({"main.tf": b'variable "a" {\n  default = 1\n}\n'}))
        source.add_module("acme/vpc/aws", tar_gz({"main.tf": b'variable "b" {}\n'}), "1.0.1")
        source.add_module("acme/vpc/aws", tar_gz({"main.tf": b"# x\n", "terraform.tfstate":
                                                  b'{"version": 4}'}), "1.0.2")
        self.offer_list(source, "acme/vpc/aws")
        done = self.report("registry", source.url(""), status=1)
        self.assertEqual(self.versions("acme/vpc/aws"), ["1.0.0", "1.0.1"])
        self.assertIn("publish.secrets", done["refused"][0]["why"])

    def test_namespaces_that_take_ci_only_refuse(self):
        source = self.upstream()
        source.add_module("acme/vpc/aws", module("good"))
        self.offer_list(source, "acme/vpc/aws")
        self.koya.publish("acme/other/aws", "1.0.0", module("other"))
        run = self.koya.cli("namespace", "set", "acme", "--publish", "ci-only")
        self.assertEqual(run.returncode, 0, run.stderr)
        done = self.report("registry", source.url(""), status=1)
        self.assertIn("CI", done["refused"][0]["why"])
        done = self.report("registry", source.url(""), "--break-glass", "moving in")
        self.assertEqual(done["versions"], 1)

    def test_tokens_come_from_the_usual_places(self):
        source = self.upstream()
        source.add_module("acme/vpc/aws", module("good"))
        self.offer_list(source, "acme/vpc/aws")
        (self.folder / ".netrc").write_text("machine 127.0.0.1\n  login me password from-netrc\n")
        self.report("registry", source.url(""))
        variable = f"TF_TOKEN_127_0_0_1:{source.port}"
        self.report("registry", source.url(""), "--recheck", environment={variable: "from-variable"})
        (self.folder / ".tofurc").write_text(
            f'credentials "127.0.0.1:{source.port}" {{\n  token = "from-file"\n}}\n')
        self.report("registry", source.url(""), "--recheck")
        sent = {fields.get("Authorization") for path, _, fields in source.requests
                if path.startswith("/v1/modules")}
        self.assertEqual(sent, {"Bearer from-netrc", "Bearer from-variable", "Bearer from-file"})
        archives = {fields.get("Authorization") for path, _, fields in source.requests
                    if path.startswith("/packages/")}
        # Tokens stay with the documents; archives get the login of ~/.netrc, as from clients.
        basic = base64.b64encode(b"me:from-netrc").decode()
        self.assertEqual(archives, {f"Basic {basic}"})


if __name__ == "__main__":
    koya_client.main()
