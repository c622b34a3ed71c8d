"""Signing in with Chromium, in three languages and without scripts.

$KOYA_E2E_PICTURES names a folder for pictures of the pages: each in three languages, two sizes, light
and dark. Skipped, by name, without node, npm and Chromium; see koya_browser.py.
"""
import shutil
import unittest

import koya_browser
import koya_e2e
import koya_sign_in
from koya_browser import browse, needs_chromium
from koya_e2e import wait_until
from koya_sign_in import ADMIN, PASSWORD, ReadyTestCase, SecureServer, client_login, koya_login

CREDENTIALS = {"#username": ADMIN, "#password": PASSWORD}
SUBMIT = "main form button"


@needs_chromium
class Chromium(ReadyTestCase):
    def sign_in_steps(self, url, pictures=False):
        """From the client's page to the consent, wrong password first."""
        steps = [
            {"open": url}, {"picture": "sign-in"},
            {"fill": {**CREDENTIALS, "#password": "wrong horse battery"}}, {"press": SUBMIT},
            {"expect": "[role=alert]"}, {"picture": "sign-in-refused"},
            {"fill": CREDENTIALS}, {"press": SUBMIT},
            {"expect": "button[value=allow]"}, {"picture": "consent"},
        ]
        return [step for step in steps if pictures or "picture" not in step]

    def login(self, start=koya_login):
        login = start(self.koya, koya_sign_in.new_folder(self))
        self.addCleanup(login.__exit__)
        return login

    def test_allows_in_every_language(self):
        for language in koya_browser.LANGUAGES:
            with self.subTest(language):
                login = self.login()
                pages = browse([*self.sign_in_steps(login.page(), pictures=True),
                                {"press": "button[value=allow]"}], language)
                self.assertEqual({page["lang"][:2] for page in pages[:-1]}, {language})
                self.assertTrue(pages[-1]["url"].startswith("http://localhost:"), pages[-1])
                self.assertIn("Signed in", pages[-1]["text"])
                login.finish()

    def test_denies_in_every_language(self):
        for language in koya_browser.LANGUAGES:
            with self.subTest(language):
                login = self.login()
                pages = browse([*self.sign_in_steps(login.page()),
                                {"press": "button[value=deny]"}, {"picture": "denied"}], language)
                self.assertTrue(pages[-1]["url"].startswith(self.koya.url), pages[-1])
                self.assertIn("Ctrl+C", pages[-1]["text"])
                self.assertIsNone(login.process.poll())

    @unittest.skipUnless(shutil.which("terraform"), "terraform is not on PATH")
    def test_terraform_gets_its_token(self):
        login = self.login(lambda *more: client_login("terraform", *more))
        pages = browse([*self.sign_in_steps(login.page()),
                        {"leave": "button[value=allow]", "to": "http://localhost:"}])
        self.assertIn("terraform login", pages[-1]["text"])
        token = login.finish()
        self.assertEqual(self.koya.get("/v1/modules", token=token).status, 200)

    def test_a_bad_request_is_told_before_anybody_signs_in(self):
        url = self.login().page().replace("code_challenge_method=S256",
                                          "code_challenge_method=plain")
        for language in koya_browser.LANGUAGES:
            (page,) = browse([{"open": url}, {"picture": "bad-request"}], language)
            self.assertTrue(page["url"].startswith(self.koya.url))
            self.assertIn("code_challenge_method", page["text"])

    def test_a_start_page_for_strangers_and_for_those_who_are_signed_in(self):
        for language in koya_browser.LANGUAGES:
            pages = browse([
                {"open": f"{self.koya.url}/"}, {"picture": "home"},
                {"open": f"{self.koya.url}/login"}, {"fill": CREDENTIALS}, {"press": SUBMIT},
                {"picture": "home-signed-in"}, {"unfold": ".acct summary"},
                {"press": "form[action='/-/sign-out'] button"},
                {"picture": "signed-out"}], language)
            self.assertIn(ADMIN, pages[2]["text"])
            self.assertNotIn(ADMIN, pages[3]["text"])


@needs_chromium
class FirstRun(koya_e2e.TestCase):
    def test_makes_the_first_administrator(self):
        koya = SecureServer(self.folder / "data").start()
        self.addCleanup(koya.__exit__)
        wait_until(koya.setup_file.exists, "the set-up token appears")
        page = f"{koya.url}/-/first-run"
        wrong = {"#token": "koya_x", "#username": ADMIN, "#password": PASSWORD,
                 "#password_again": PASSWORD + "?"}
        right = {**wrong, "#password_again": PASSWORD,
                 "#token": koya.setup_file.read_text().strip()}
        for language in koya_browser.LANGUAGES:
            browse([{"open": f"{koya.url}/"}, {"picture": "home-new"},
                    {"press": "main a.btn"}, {"expect": "#token"}, {"picture": "first-run"},
                    {"fill": wrong}, {"press": SUBMIT}, {"expect": "[role=alert]"},
                    {"picture": "first-run-refused"}], language)
        pages = browse([{"open": page}, {"fill": right}, {"press": SUBMIT},
                        {"expect": "#username"}, {"picture": "first-run-done"},
                        {"fill": CREDENTIALS}, {"press": SUBMIT}])
        self.assertEqual(pages[-1]["url"], f"{koya.url}/")


if __name__ == "__main__":
    koya_e2e.main()
