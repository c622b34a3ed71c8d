"""`terraform login` and `tofu login` end to end, with a browser of the test's own.

usage: test_client_login.py --client=terraform|tofu
"""
import json
import subprocess

import koya_client
import koya_e2e
import koya_sign_in
from koya_e2e import tar_gz
from koya_sign_in import client_login
from test_login import LoginTestCase


class ClientLogin(LoginTestCase):
    def login(self):
        login = client_login(koya_client.PROGRAM, self.koya, koya_sign_in.new_folder(self))
        self.addCleanup(login.__exit__)
        return login

    def init(self, home, namespace):
        config = koya_e2e.write_files(koya_sign_in.new_folder(self), {
            "main.tf": f'module "vpc" {{\n  source  = "{self.koya.address}/{namespace}/vpc/aws"\n'
                       f'  version = "1.0.0"\n}}\n'})
        return subprocess.run(
            [koya_client.PROGRAM, "init", "-no-color"], cwd=config, capture_output=True, text=True,
            timeout=60, env=koya_e2e.clean_environment(
                HOME=str(home), SSL_CERT_FILE=str(self.koya.ca), SSL_CERT_DIR="/nonexistent",
                CHECKPOINT_DISABLE="1"))

    def read_tokens(self, admin):
        """(name, end) of tokens that read only."""
        tokens = json.loads(self.command(admin, "token", "list", "--json"))["tokens"]
        return {(each["name"], each["expires"]) for each in tokens if each["scope"] == "read"}

    def test_its_token_reads_what_is_private(self):
        admin = self.admin_token()
        self.private_module(admin, "hidden")
        before = self.read_tokens(admin)
        login, browser = self.login(), self.browser()
        page = browser.open(login.page())
        self.assertEqual(page.status, 200, page)
        self.assertIn("/login?to=", page.url)
        self.assertEqual(browser.sign_in(password="wrong horse battery").status, 401)
        consent = browser.sign_in()
        self.assertIn(self.koya.address, consent.text)
        self.assertIn("no-store", consent.headers["Cache-Control"])
        self.assertIn("form-action", consent.headers["Content-Security-Policy"])
        answer = browser.decide("allow")
        self.assertTrue(answer.url.startswith("http://localhost:"), answer)
        token = login.finish()
        run = self.init(login.home, "hidden")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        other = koya_sign_in.new_folder(self)
        run = self.init(other, "hidden")
        self.assertEqual(run.returncode, 1, run.stdout)
        # It reads, and nothing more, and lasts for 90 days.
        put = self.koya.put_module("hidden/vpc/aws", "1.1.0", tar_gz({"main.tf": "#\n"}),
                                   token=token)
        self.assertEqual(put.status, 403, put)
        ((name, expires),) = self.read_tokens(admin) - before
        self.assertTrue(name.startswith("login-"), name)
        self.assertIsNotNone(expires)
        self.command(admin, "token", "revoke", name)
        self.assertEqual(self.init(login.home, "hidden").returncode, 1)

    def test_a_denial_is_told_on_the_page(self):
        login, browser = self.login(), self.browser()
        browser.open(login.page())
        browser.sign_in()
        denied = browser.decide("deny")
        self.assertEqual(denied.status, 200)
        self.assertTrue(denied.url.startswith(self.koya.url), denied)
        self.assertIn("Ctrl+C", denied.text)
        # The client knows nothing of it.
        self.assertIsNone(login.process.poll())
        self.assertFalse((login.home / ".terraform.d/credentials.tfrc.json").exists())

    def test_a_restart_between_sign_in_and_consent(self):
        login, browser = self.login(), self.browser()
        browser.open(login.page())
        consent = browser.sign_in()
        self.assertEqual(consent.status, 200, consent)
        self.koya.stop()
        self.koya.start()
        browser.decide("allow")
        token = login.finish()
        self.assertEqual(self.koya.get("/v1/modules", token=token).status, 200)

    def test_who_is_signed_in_only_consents(self):
        browser = self.browser()
        for number in range(2):
            login = self.login()
            browser.open(login.page())
            if number == 0:
                browser.sign_in()
            self.assertTrue(browser.page.form("code_challenge"))
            browser.decide("allow")
            login.finish()


if __name__ == "__main__":
    koya_client.main()
