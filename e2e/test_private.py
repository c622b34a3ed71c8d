"""A real client installs what is private: with its token, however it is kept, and not without.

usage: test_private.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH.
"""
import json
import urllib.parse

import koya_client
import koya_e2e
from koya_client import Client, ClientTestCase
from koya_e2e import tar_gz
from koya_provider import unsigned, write_dist

NAMES = iter(range(1000))


class PrivateClient(Client):
    """A client that has this token, kept in one of three ways; or none."""

    def __init__(self, program, koya, folder, token=None, kept="block"):
        super().__init__(program, koya, folder)
        self.token, self.kept = token, kept
        self.config_file = self.folder / "client.tfrc"
        self.config_file.write_text(self.settings())
        if kept == "helper":
            self.write_helper()

    def settings(self):
        if self.token and self.kept == "block":
            return f'credentials "{self.koya.address}" {{\n  token = "{self.token}"\n}}\n'
        if self.token and self.kept == "helper":
            return 'credentials_helper "fixed" {\n}\n'
        return ""

    def write_helper(self):
        """A program as the clients look for: terraform-credentials-NAME get HOST."""
        folder = self.home / ".terraform.d/plugins"
        folder.mkdir(parents=True)
        program = folder / "terraform-credentials-fixed"
        answer = json.dumps({"token": self.token})
        program.write_text(f"#!/bin/sh\nprintf '%s' '{answer}'\n")
        program.chmod(0o755)

    def environment(self):
        environment = super().environment()
        environment["TF_CLI_CONFIG_FILE"] = str(self.config_file)
        if self.token and self.kept == "variable":
            environment[f"TF_TOKEN_{self.koya.address}"] = self.token
        return environment

    def use(self, namespace):
        """A configuration that needs a module and a provider of the namespace."""
        koya_e2e.write_files(self.config, {"main.tf": f"""
terraform {{
  required_providers {{
    demo = {{
      source  = "{self.koya.address}/{namespace}/demo"
      version = "1.0.0"
    }}
  }}
}}
module "vpc" {{
  source  = "{self.koya.address}/{namespace}/vpc/aws"
  version = "1.0.0"
}}
"""})
        return self


class NetrcClient(PrivateClient):
    """The same with a line for Koya in a .netrc."""

    def __init__(self, program, koya, folder, password, **more):
        super().__init__(program, koya, folder, **more)
        netrc = self.home / ".netrc"
        netrc.write_text(f"machine {koya.address}\nlogin any\npassword {password}\n")
        netrc.chmod(0o600)


class PrivateTestCase(ClientTestCase):
    def private_namespace(self, visibility="private"):
        name = f"team{next(NAMES)}"
        self.koya.publish(f"{name}/vpc/aws", "1.0.0", tar_gz({"main.tf": f"# of {name}\n"}))
        dist = write_dist(self.folder / f"dist-{name}", unsigned("1.0.0"))
        self.command("publish", "provider", dist, f"{name}/demo", "1.0.0", "--sign")
        self.command("namespace", "set", name, "--visibility", visibility)
        return name

    def service_token(self, namespace, role="reader"):
        """A token of a new service account that has the role."""
        name = f"robot{next(NAMES)}"
        self.command("service", "create", name)
        if role:
            self.command("grant", "add", namespace, role, "--service", name)
        made = json.loads(self.command("token", "create", f"of-{name}", "--scope", "read",
                                       "--service", name, "--json"))
        return name, made["token"]

    def with_token(self, namespace, token, kept="block"):
        folder = self.folder / f"client-{next(NAMES)}"
        return PrivateClient(koya_client.PROGRAM, self.koya, folder, token, kept).use(namespace)


class Private(PrivateTestCase):
    def test_installs_with_a_token_however_it_is_kept(self):
        namespace = self.private_namespace()
        _, token = self.service_token(namespace)
        for kept in ("block", "variable", "helper"):
            with self.subTest(kept):
                client = self.with_token(namespace, token, kept)
                client.succeed("init", "-no-color")
                self.assertTrue(client.locked(f"{namespace}/demo"))
                # Again from its lock file, as another machine would.
                client.forget().succeed("init", "-no-color", "-lockfile=readonly")

    def test_is_refused_without_one(self):
        namespace = self.private_namespace()
        words = self.with_token(namespace, None).refuse("init", "-no-color")
        self.assertIn("not found", words.lower())
        _, other = self.service_token(namespace, role=None)
        words = self.with_token(namespace, other).refuse("init", "-no-color")
        self.assertIn("not found", words.lower())

    def test_internal_things_need_any_token(self):
        namespace = self.private_namespace("internal")
        _, token = self.service_token(namespace, role=None)
        self.with_token(namespace, token).succeed("init", "-no-color")
        self.with_token(namespace, None).refuse("init", "-no-color")

    def test_a_disabled_account_is_refused_at_once_with_its_locations(self):
        namespace = self.private_namespace()
        name, token = self.service_token(namespace)
        location = self.location(namespace, token)
        self.assertEqual(self.koya.get(location).status, 200)
        self.command("service", "disable", name)
        self.assertEqual(self.koya.get(location).status, 403)
        words = self.with_token(namespace, token).refuse("init", "-no-color")
        self.assertIn("401", words)  # the reason stands in the answer, which this client keeps
        self.command("service", "enable", name)
        self.assertEqual(self.koya.get(location).status, 200)

    def location(self, namespace, token):
        """Where the module's archive is, as this token's owner is told: path and query."""
        answer = self.koya.get(f"/v1/modules/{namespace}/vpc/aws/1.0.0/download", token=token)
        self.assertIn(answer.status, (200, 204), answer)
        parts = urllib.parse.urlsplit(answer.headers["x-terraform-get"])
        return f"{parts.path}?{parts.query}"

    def test_a_location_opens_only_what_it_was_made_for(self):
        namespace = self.private_namespace()
        _, token = self.service_token(namespace)
        location = self.location(namespace, token)
        path, _, query = location.partition("?")
        self.assertEqual(self.koya.get(location).status, 200)
        self.assertEqual(self.koya.get(path).status, 404)
        fields = urllib.parse.parse_qsl(query)
        backwards = urllib.parse.urlencode(list(reversed(fields)))
        self.assertEqual(self.koya.get(f"{path}?{backwards}").status, 200)
        sig = dict(fields)["sig"]
        for altered in (sig[:-1], sig[::-1], sig + "A", ""):
            self.assertEqual(self.koya.get(location.replace(sig, altered)).status, 403, altered)
        expires = dict(fields)["expires"]
        later = location.replace(expires, str(int(expires) + 60))
        self.assertEqual(self.koya.get(later).status, 403)
        other = self.private_namespace()
        self.assertEqual(self.koya.get(location.replace(namespace, other)).status, 403)

    def test_neither_token_nor_signature_reaches_the_log(self):
        namespace = self.private_namespace()
        _, token = self.service_token(namespace)
        self.with_token(namespace, token).succeed("init", "-no-color")
        location = self.location(namespace, token)
        self.koya.get(location + "x")
        self.koya.log_mark()
        log = self.koya.log_path.read_text()
        self.assertNotIn(token, log)
        self.assertNotIn("sig=", log)
        self.assertNotIn(dict(urllib.parse.parse_qsl(location.partition("?")[2]))["sig"], log)


class Netrc(PrivateTestCase):
    """What docs/clients.md says of a .netrc."""

    def with_netrc(self, namespace, password, **more):
        folder = self.folder / f"client-{next(NAMES)}"
        return NetrcClient(koya_client.PROGRAM, self.koya, folder, password, **more).use(namespace)

    def assert_installs(self, client):
        client.succeed("init", "-no-color")
        client.succeed("providers", "mirror", "packages")
        self.assertTrue(list(client.config.glob("packages/**/*.zip")))

    def test_public_things_install_whatever_the_password(self):
        namespace = self.private_namespace("public")
        _, token = self.service_token(namespace)
        for password in (token, "secret"):
            with self.subTest(password[:5]):
                self.assert_installs(self.with_netrc(namespace, password))

    def test_a_revoked_token_is_refused_for_public_things_too(self):
        namespace = self.private_namespace("public")
        name, token = self.service_token(namespace)
        self.command("token", "revoke", f"of-{name}")
        words = self.with_netrc(namespace, token).refuse("init", "-no-color")
        self.assertIn("401", words)

    def test_it_is_not_enough_for_private_things(self):
        namespace = self.private_namespace()
        _, token = self.service_token(namespace)
        words = self.with_netrc(namespace, token).refuse("init", "-no-color")
        self.assertIn("not found", words.lower())

    def test_private_things_install_with_a_token_besides(self):
        namespace = self.private_namespace()
        _, token = self.service_token(namespace)
        for kept in ("block", "variable"):
            for password in (token, "secret"):
                with self.subTest(kept=kept, password=password[:5]):
                    client = self.with_netrc(namespace, password, token=token, kept=kept)
                    self.assert_installs(client)


class NoStrangers(koya_e2e.Server):
    def __init__(self, data):
        super().__init__(data, "--access.anonymous", "none")


class WithoutStrangers(Private):
    """The same when strangers may not read at all, and what is public besides."""

    SERVER = NoStrangers

    def test_is_refused_without_one(self):
        namespace = self.private_namespace()
        words = self.with_token(namespace, None).refuse("init", "-no-color")
        self.assertRegex(words.lower(), "401|unauthorized|login")

    def test_a_location_opens_only_what_it_was_made_for(self):
        namespace = self.private_namespace()
        _, token = self.service_token(namespace)
        location = self.location(namespace, token)
        self.assertEqual(self.koya.get(location).status, 200)
        self.assertEqual(self.koya.get(location.partition("?")[0]).status, 401)

    def test_what_is_public_needs_a_token_and_installs_with_it(self):
        namespace = self.private_namespace("public")
        _, token = self.service_token(namespace, role=None)
        self.with_token(namespace, token).succeed("init", "-no-color")
        self.with_token(namespace, None).refuse("init", "-no-color")


if __name__ == "__main__":
    koya_client.main()
