"""The first run and `koya login` end to end, with a browser of the test's own.

The server is set up from its set-up token, as in production. test_client_login.py does the same
with `terraform login` and `tofu login`, and test_login_browser.py with Chromium.
"""
import json
import pathlib
import shutil
import tempfile
import time
import unittest

import koya_e2e
import koya_sign_in
import test_postgres
from koya_e2e import tar_gz, wait_until
from koya_sign_in import ADMIN, PASSWORD, Browser, ReadyTestCase, SecureServer, koya_login


class LoginTestCase(ReadyTestCase):
    def browser(self, **more):
        return Browser(self.koya.ca, **more)

    def admin_token(self):
        with koya_login(self.koya, koya_sign_in.new_folder(self), "--scope", "admin") as login:
            browser = self.browser()
            browser.open(login.page())
            browser.sign_in()
            browser.decide("allow")
            return login.finish()

    def command(self, token, *arguments, stdin=""):
        run = self.koya.koya(*arguments, token=token, stdin=stdin)
        self.assertEqual(run.returncode, 0, f"{arguments}: {run.stdout}{run.stderr}")
        return run.stdout

    def private_module(self, token, namespace):
        answer = self.koya.put_module(f"{namespace}/vpc/aws", "1.0.0",
                                      tar_gz({"main.tf": f"# of {namespace}\n"}), token=token)
        self.assertEqual(answer.status, 201, answer)
        self.command(token, "namespace", "set", namespace, "--visibility", "private")


class SetUp(koya_e2e.TestCase):
    def test_the_set_up_token_makes_one_administrator(self):
        koya = SecureServer(self.folder / "data").start()
        self.addCleanup(koya.__exit__)
        wait_until(koya.setup_file.exists, "the set-up token appears")
        token = koya.setup_file.read_text().strip()
        self.assertRegex(token, "^koya_[A-Za-z0-9_-]{49}$")
        wrong = koya.koya("setup", "--server", koya.url, "--token", token[:-1] + "?", "--user",
                          "eve", "--password-stdin", stdin=PASSWORD)
        self.assertEqual(wrong.returncode, 1, wrong.stdout)
        koya.set_up()
        wait_until(lambda: not koya.setup_file.exists(), "the used token is removed")
        again = koya.koya("setup", "--server", koya.url, "--token", token, "--user", "eve",
                          "--password-stdin", stdin=PASSWORD)
        self.assertEqual(again.returncode, 1, again.stdout)
        koya.stop()
        koya.start()
        browser = Browser(koya.ca)
        self.assertEqual(browser.open(f"{koya.url}/-/first-run").status, 404)
        self.assertNotIn(token, koya.log_path.read_text())
        self.assertNotIn(PASSWORD, koya.log_path.read_text())

    def test_the_page_makes_one_too(self):
        koya = SecureServer(self.folder / "data").start()
        self.addCleanup(koya.__exit__)
        wait_until(koya.setup_file.exists, "the set-up token appears")
        browser = Browser(koya.ca)
        browser.open(f"{koya.url}/-/first-run")
        filled = {"username": ADMIN, "password": PASSWORD, "password_again": PASSWORD}
        self.assertEqual(browser.submit("token", token="koya_x", **filled).status, 401)
        token = koya.setup_file.read_text().strip()
        self.assertEqual(browser.submit("token", token=token, **filled).status, 200)
        self.assertNotIn("token", browser.page.form("username")["fields"])
        self.assertEqual(browser.sign_in().status, 200)

    def test_a_stopped_servers_data_gives_a_password(self):
        koya = SecureServer(self.folder / "data").start()
        koya.set_up()
        koya.stop()
        other = "another horse battery staple"
        run = koya.koya("user", "password", ADMIN, "--password-stdin", "--data", koya.data,
                        stdin=other)
        self.assertEqual(run.returncode, 0, run.stderr)
        koya.start()
        self.addCleanup(koya.__exit__)
        browser = Browser(koya.ca)
        browser.open(f"{koya.url}/login")
        self.assertEqual(browser.sign_in().status, 401)
        self.assertEqual(browser.sign_in(password=other).status, 200)


class KoyaLogin(LoginTestCase):
    def test_publishes_and_signs_out(self):
        with koya_login(self.koya, koya_sign_in.new_folder(self)) as login:
            browser = self.browser()
            browser.open(login.page())
            browser.sign_in()
            self.assertEqual(browser.decide("allow").status, 200)
            token = login.finish()
            self.assertIn("its scope is publish; it expires in 90 days", login.said())
        put = self.koya.put_module("mine/vpc/aws", "1.0.0", tar_gz({"main.tf": "#\n"}),
                                   token=token)
        self.assertEqual(put.status, 201, put)
        # The kept token is found by other commands, and by a second login's check.
        listed = self.koya.koya("list", "modules", "--namespace", "mine", home=login.home,
                                KOYA_URL=self.koya.url)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        out = self.koya.koya("logout", self.koya.url, home=login.home)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("revoked and removed", out.stdout)
        self.assertEqual(self.koya.get("/v1/modules", token=token).status, 401)

    def test_a_denial_keeps_nothing(self):
        with koya_login(self.koya, koya_sign_in.new_folder(self)) as login:
            browser = self.browser()
            browser.open(login.page())
            browser.sign_in()
            self.assertEqual(browser.decide("deny").status, 200)
            self.assertIsNone(login.process.poll())

    def test_keeps_a_token_that_is_pasted(self):
        home = koya_sign_in.new_folder(self)
        bad = self.koya.koya("login", self.koya.url, "--token-stdin", stdin="koya_x", home=home)
        self.assertEqual(bad.returncode, 1, bad.stdout)
        good = self.koya.koya("login", self.koya.url, "--token-stdin", stdin=self.admin_token(),
                              home=home)
        self.assertEqual(good.returncode, 0, good.stderr)
        again = self.koya.koya("token", "list", home=home, KOYA_URL=self.koya.url)
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_sessions_are_listed_and_ended(self):
        admin = self.admin_token()
        self.command(admin, "user", "create", "ada", "--password-stdin", stdin=PASSWORD)
        browsers = [self.browser() for _ in range(2)]
        for browser in browsers:
            browser.open(f"{self.koya.url}/login")
            self.assertEqual(browser.sign_in("ada").status, 200)
        sessions = json.loads(
            self.command(admin, "session", "list", "--user", "ada", "--json"))["sessions"]
        self.assertEqual([each["method"] for each in sessions], ["password"] * 2)
        self.assertEqual(sessions[0]["user_agent"], "koya-e2e-browser")
        self.command(admin, "session", "end", sessions[0]["id"])
        self.assertIn("1 session ", self.command(admin, "session", "end", "--user", "ada"))
        for browser in browsers:
            self.assertTrue(browser.open(f"{self.koya.url}/login").form("username"))
        self.command(admin, "user", "password", "ada", "--remove")
        self.assertEqual(browsers[0].sign_in("ada").status, 401)


@unittest.skipUnless((test_postgres.POSTGRES / "postgres").exists(),
                     "PostgreSQL 15 is not installed")
class TwoServers(koya_e2e.TestCase):
    """On one database and one blob folder."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        for name in ("postgres", "blobs"):
            (cls.shared / name).mkdir()
        cls.postgres = cls.enterClassContext(test_postgres.Postgres(cls.shared / "postgres"))
        cls.one, cls.two = (cls.enterClassContext(cls.replica(name)) for name in ("one", "two"))
        # One of the two has made the token.
        wait_until(lambda: cls.one.setup_file.exists() or cls.two.setup_file.exists(),
                   "a set-up token appears")
        told = cls.one if cls.one.setup_file.exists() else cls.two
        assert not (cls.one.setup_file.exists() and cls.two.setup_file.exists())
        told.set_up()

    @classmethod
    def replica(cls, name):
        data = cls.shared / name
        data.mkdir()
        (data / "blobs").symlink_to(cls.shared / "blobs")
        return SecureServer(data, "--catalog.url", cls.postgres.url,
                            "--server.secret_file", str(cls.shared / "server.secret"))

    def login_across(self):
        """Started on one, signed in and allowed on the other, the code exchanged on the first."""
        with koya_login(self.one, koya_sign_in.new_folder(self), "--scope", "admin") as login:
            browser = Browser(self.one.ca)
            browser.open(login.page())
            browser.rewrite = lambda url: url.replace(self.one.url, self.two.url)
            browser.sign_in()
            self.assertIn(str(self.two.port), browser.page.url)
            browser.rewrite = lambda url: url.replace(self.two.url, self.one.url)
            browser.open(browser.page.url)
            consent = browser.page
            browser.rewrite = lambda url: url.replace(self.one.url, self.two.url)
            self.assertTrue(consent.form("code_challenge"))
            browser.decide("allow")
            return login.finish()

    def test_a_login_goes_from_one_to_the_other(self):
        token = self.login_across()
        for server in (self.one, self.two):
            self.assertEqual(server.get("/v1/modules", token=token).status, 200)

    def test_what_is_ended_on_one_is_refused_by_the_other_within_a_second(self):
        token = self.login_across()
        self.assertEqual(self.two.get("/v1/modules", token=token).status, 200)
        form = f"token={token}"
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        since = time.monotonic()
        self.assertEqual(self.one.request("POST", "/oauth/revoke", form, fields).status, 200)
        self.assertEqual(self.one.get("/v1/modules", token=token).status, 401)
        while self.two.get("/v1/modules", token=token).status != 401:
            self.assertLess(time.monotonic() - since, 1)

    def reader(self, admin, name):
        """A user who may read the namespace that is called as they are: their token and browser."""
        made = self.one.koya("user", "create", name, "--password-stdin", token=admin,
                             stdin=f"{PASSWORD}\n")
        self.assertEqual(made.returncode, 0, made.stderr)
        answer = self.one.put_module(f"{name}/vpc/aws", "1.0.0", tar_gz({"main.tf": "#\n"}),
                                     token=admin)
        self.assertEqual(answer.status, 201, answer)
        for arguments in (("namespace", "set", name, "--visibility", "private"),
                          ("grant", "add", name, "reader", "--user", name)):
            run = self.one.koya(*arguments, token=admin)
            self.assertEqual(run.returncode, 0, run.stderr)
        with koya_login(self.two, koya_sign_in.new_folder(self), "--scope", "read") as login:
            browser = Browser(self.two.ca)
            browser.open(login.page())
            browser.sign_in(name)
            browser.decide("allow")
            return login.finish(), browser

    def test_a_disabled_user_has_nothing_left_on_the_other_within_a_second(self):
        admin = self.login_across()
        token, browser = self.reader(admin, "eve")
        versions = "/v1/modules/eve/vpc/aws/versions"
        download = self.two.get("/v1/modules/eve/vpc/aws/1.0.0/download", token=token)
        archive = download.headers["X-Terraform-Get"].removeprefix(self.two.url)
        left = {"token": lambda: self.two.get(versions, token=token).status == 200,
                "URL": lambda: self.two.get(archive).status == 200,
                "session": lambda: "/-/sign-out" in browser.open(f"{self.two.url}/").body}
        for what, works in left.items():
            self.assertTrue(works(), what)
        answer = self.one.request("POST", "/api/v1/users/eve/disable", "{}", token=admin)
        self.assertEqual(answer.status, 200, answer)
        since = time.monotonic()
        for what, works in left.items():
            while works():
                self.assertLess(time.monotonic() - since, 1, what)


if __name__ == "__main__":
    koya_e2e.main()
