"""What a person does on pages without the command line: a token, a publish with it, a role, the log, a set-up."""
import contextlib
import re
import sqlite3
import urllib.parse

import koya_e2e
from koya_sign_in import PASSWORD, Browser, ReadyTestCase

ADA = "ada@example.com"
TOKEN = re.compile(r"koya_[A-Za-z0-9_-]{20,}")


class Person(Browser):
    """Somebody who is signed in with a browser."""

    def __init__(self, koya, language="en", **who):
        super().__init__(koya.ca, language)
        self.koya = koya
        self.see("/login")
        self.sign_in(**who)

    def see(self, path):
        return self.open(self.koya.url + path)

    def send(self, action, **fields):
        """Sends the form of this page that goes there."""
        (form,) = [each for each in self.page.forms if each["action"] == action]
        return self.open(urllib.parse.urljoin(self.page.url, action), {**form["fields"], **fields})

    def make_token(self, name, scope="publish", namespaces="acme"):
        self.see("/-/settings/tokens/new")
        page = self.send("/-/settings/tokens/new", name=name, scope=scope, ends="90d",
                         namespaces=namespaces)
        assert page.status == 200, page
        return TOKEN.search(page.body).group()


class AccountPages(ReadyTestCase):
    def publish(self, token, version):
        folder = self.folder / f"module-{version}"
        folder.mkdir()
        (folder / "main.tf").write_text('output "greeting" { value = "hello" }\n')
        return self.koya.koya("publish", "module", str(folder), "acme/greeting/local", version,
                              token=token)

    def test_a_token_publishes_until_it_is_revoked(self):
        root = Person(self.koya)
        token = root.make_token("journey")
        self.assertNotIn(token, root.see("/-/settings/tokens").body)
        self.assertIn("journey", root.page.text)
        run = self.publish(token, "1.0.0")
        self.assertEqual(run.returncode, 0, run.stderr)
        revoke = "/-/settings/tokens/journey/revoke"
        self.assertIn("koya token revoke journey", root.see(revoke).text)
        self.assertIn("was revoked", root.send(revoke).text)
        run = self.publish(token, "1.0.1")
        self.assertEqual(run.returncode, 1, run.stdout)

    def test_an_owner_looks_after_a_namespace(self):
        root = Person(self.koya)
        token = root.make_token("all", "admin", namespaces="")
        for arguments in (("user", "create", ADA, "--password-stdin"),
                          ("namespace", "set", "beta", "--visibility", "private")):
            run = self.koya.koya(*arguments, token=token, stdin=PASSWORD + "\n")
            self.assertEqual(run.returncode, 0, run.stderr)
        ada = Person(self.koya, "ja", name=ADA)
        self.assertEqual(ada.see("/namespaces/beta/people").status, 404)
        root.see("/namespaces/beta/people")
        root.send("/namespaces/beta/people", kind="user", grantee=ADA, role="owner")
        self.assertIn(ADA, root.page.text)
        self.assertIn("メンバーとグループ", ada.see("/namespaces/beta/people").text)
        ada.see("/namespaces/beta/settings")
        ada.send("/namespaces/beta/settings", visibility="internal", semver="warn")
        self.assertIn("保存しました", ada.page.text)
        self.assertIn("namespace.visibility", ada.see("/namespaces/beta/activity").text)

    def test_a_version_is_deprecated_and_withdrawn(self):
        root = Person(self.koya)
        token = root.make_token("versions")
        for version in ("2.0.0", "2.0.1"):
            run = self.publish(token, version)
            self.assertEqual(run.returncode, 0, run.stderr)
        module = "/modules/acme/greeting/local"
        self.assertIn(f"{module}/2.0.0/deprecate", root.see(f"{module}/latest/versions").body)
        self.assertIn(f"{module}/2.0.0/withdraw", root.see(f"{module}/2.0.0").body)
        root.see(f"{module}/2.0.0/deprecate")
        self.assertIn("is now deprecated", root.send(f"{module}/2.0.0/deprecate", message="use 2.0.1").text)
        self.assertIn("Impact", root.see(f"{module}/2.0.0/withdraw").text)
        page = root.send(f"{module}/2.0.0/withdraw", reason="says too much", typed="2.0.1")
        self.assertEqual(page.status, 422, page)
        page = root.send(f"{module}/2.0.0/withdraw", reason="says too much", typed="2.0.0")
        self.assertIn("was withdrawn", page.text)
        page = root.see(f"{module}/2.0.0")
        self.assertEqual(page.status, 410, page)
        self.assertIn("says too much", page.text)
        root.see(f"{module}/2.0.0/restore")
        self.assertIn("was restored", root.send(f"{module}/2.0.0/restore", reason="not that much").text)
        self.assertEqual(root.see(f"{module}/2.0.0").status, 200)

    def test_the_set_up_page_says_what_works(self):
        stranger = Browser(self.koya.ca)
        page = stranger.open(f"{self.koya.url}/-/setup?tool=terraform&purpose=mirror&sign_in=file")
        self.assertIn(f'"{self.koya.url}/mirror/"', page.text)
        self.assertIn("PUT-THE-TOKEN-HERE", page.text)
        self.assertIsNone(TOKEN.search(page.body))
        (check,) = re.findall(r"curl --fail (\S+)", page.text)
        self.assertEqual(stranger.open(check).status, 200)


class WhileTheDatabaseIsLocked(ReadyTestCase):
    ARGUMENTS = ("--catalog.write_timeout", "2s")

    @contextlib.contextmanager
    def locked(self):
        other = sqlite3.connect(self.shared / "data/koya.db", isolation_level=None)
        with contextlib.closing(other):
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    def test_forms_say_that_nothing_was_stored(self):
        root = Person(self.koya)
        token = root.make_token("all", "admin", namespaces="")
        run = self.koya.koya("namespace", "set", "gamma", "--visibility", "public", token=token)
        self.assertEqual(run.returncode, 0, run.stderr)
        new, settings = "/-/settings/tokens/new", "/namespaces/gamma/settings"
        wanted = {"name": "kept-name", "scope": "read", "namespaces": "gamma", "ends": "30d"}
        with self.locked():
            root.see(new)
            page = root.send(new, **wanted)
            self.assertEqual(page.status, 503, page)
            self.assertIn("nothing was stored", page.text)
            self.assertEqual(page.form("until")["fields"]["name"], "kept-name")
            self.assertTrue(page.headers["Retry-After"], page.headers)
            root.see(settings)
            page = root.send(settings, visibility="internal", semver="off")
            self.assertEqual(page.status, 503, page)
            self.assertIn("could not confirm that your input was stored", page.text)
        root.see(new)
        koya_e2e.wait_until(lambda: root.send(new, **wanted).status == 200, "a token is made")


if __name__ == "__main__":
    koya_e2e.main()
