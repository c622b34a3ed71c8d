"""People sign in with a real OpenID Connect provider, and clients get their tokens.

Skipped, by name, without node and npm; the tests of pages without Chromium: see koya_browser.py.
"""
import json
import tempfile

import koya_e2e
import koya_sign_in
from koya_browser import LANGUAGES, browse, needs_chromium, needs_node
from koya_e2e import tar_gz
from koya_openid import OpenIdProvider
from koya_sign_in import Browser, ReadyTestCase, koya_login

ACCOUNTS = {
    "ada": {"preferred_username": "ada", "email": "ada@example.com", "email_verified": True,
            "groups": ["Engineering", "others"]},
    "bob": {"preferred_username": "bob", "groups": []},
    "root": {"preferred_username": "root@example.com", "groups": ["Engineering"]},
}


class OpenIdTestCase(ReadyTestCase):
    """A server with one provider, whose group "Engineering" is "platform" here."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.admin = cls.sign_in_as_root()
        cls.provider = cls.enterClassContext(OpenIdProvider(cls.koya.url, "corp", ACCOUNTS))
        cls.ask("POST", "/api/v1/groups", '{"name":"platform"}', 201)
        body = cls.provider.request(groups_claim="groups",
                                    groups=[{"theirs": "Engineering", "ours": "platform"}])
        added = cls.ask("POST", "/api/v1/idps", body, 201)
        assert added["callback"] == f"{cls.koya.url}/-/oidc/corp/callback", added
        assert "client_secret" not in added, added
        tested = cls.ask("POST", "/api/v1/idps/corp/test", "", 200)
        assert tested["ok"] and tested["enabled"], tested

    @classmethod
    def sign_in_as_root(cls):
        with koya_login(cls.koya, tempfile.mkdtemp(dir=cls.shared), "--scope", "admin") as login:
            browser = Browser(cls.koya.ca)
            browser.open(login.page())
            browser.sign_in()
            browser.decide("allow")
            return login.finish()

    @classmethod
    def ask(cls, method, path, body="", status=200):
        answer = cls.koya.request(method, path, body, token=cls.admin)
        assert answer.status == status, answer
        return answer.json() if answer.body else None

    def at_provider(self, browser, login):
        """From Koya's page to sign in, through the provider's, to wherever that leads."""
        links = [part.split('"')[0] for part in browser.page.body.split('href="')
                 if part.startswith("/-/oidc/corp/start")]
        self.assertEqual(len(links), 1, browser.page.body)
        browser.open(self.koya.url + links[0].replace("&amp;", "&"))
        self.assertTrue(browser.page.url.startswith(self.provider.issuer), browser.page)
        browser.submit("login", login=login, password="anything")
        if browser.page.url.startswith(self.provider.issuer):  # it asks for consent once
            browser.submit("prompt")
        return browser.page

    def private_module(self, namespace, **grant):
        answer = self.koya.put_module(f"{namespace}/vpc/aws", "1.0.0",
                                      tar_gz({"main.tf": "#\n"}), token=self.admin)
        self.assertEqual(answer.status, 201, answer)
        self.ask("PUT", f"/api/v1/namespaces/{namespace}", '{"visibility":"private"}', 200)
        for kind, name in grant.items():
            self.ask("PUT", f"/api/v1/namespaces/{namespace}/grants/{kind}/{name}",
                     '{"role":"reader"}', 200)
        return f"/v1/modules/{namespace}/vpc/aws/versions"

    def login(self, name):
        """A token of somebody whom the provider knows."""
        with koya_login(self.koya, koya_sign_in.new_folder(self)) as login:
            browser = Browser(self.koya.ca)
            browser.open(login.page())
            self.at_provider(browser, name)
            browser.decide("allow")
            return login.finish()


@needs_node
class OpenId(OpenIdTestCase):
    def test_its_groups_count_and_others_do_not(self):
        path = self.private_module("engineering", groups="platform")
        self.assertEqual(self.koya.get(path, token=self.login("ada")).status, 200)
        self.assertEqual(self.koya.get(path, token=self.login("bob")).status, 404)
        members = self.ask("GET", "/api/v1/groups/platform/members")["members"]
        self.assertIn({"kind": "user", "name": "ada", "source": "corp"}, members)
        users = {each["name"]: each for each in self.ask("GET", "/api/v1/users")["users"]}
        self.assertFalse(users["ada"]["admin"])
        self.assertEqual(users["ada"]["email"], "ada@example.com")
        self.assertIsNone(users["bob"]["email"])

    def test_a_name_that_is_taken_here_is_not_theirs(self):
        token = self.login("root")
        self.assertEqual(self.koya.get("/api/v1/users", token=token).status, 403)
        names = [each["name"] for each in self.ask("GET", "/api/v1/users")["users"]]
        self.assertIn("root@example.com-2", names)

    def test_sessions_say_how_they_came(self):
        browser = Browser(self.koya.ca)
        browser.open(f"{self.koya.url}/login")
        page = self.at_provider(browser, "bob")
        self.assertEqual((page.status, page.url), (200, f"{self.koya.url}/"))
        sessions = self.ask("GET", "/api/v1/sessions?user=bob")["sessions"]
        self.assertEqual({each["method"] for each in sessions}, {"oidc:corp"})

    def test_a_callback_counts_in_the_browser_that_began_and_once(self):
        browser, urls = Browser(self.koya.ca), []
        browser.rewrite = lambda url: urls.append(url) or url
        browser.open(f"{self.koya.url}/login")
        self.at_provider(browser, "ada")
        (callback,) = [url for url in urls if "/-/oidc/corp/callback" in url]
        self.assertEqual(Browser(self.koya.ca).open(callback).status, 401)
        self.assertEqual(browser.open(callback).status, 401)
        forged = Browser(self.koya.ca)
        forged.open(f"{self.koya.url}/-/oidc/corp/start")
        self.assertEqual(forged.open(
            f"{self.koya.url}/-/oidc/corp/callback?code=x&state=guess").status, 401)

    def test_a_provider_that_is_down_leaves_passwords(self):
        self.ask("POST", "/api/v1/idps", json.dumps({
            "name": "gone", "issuer": "http://127.0.0.1:9", "client_id": "koya"}), 201)
        self.addCleanup(self.ask, "DELETE", "/api/v1/idps/gone", "", 204)
        tested = self.ask("POST", "/api/v1/idps/gone/test")
        self.assertFalse(tested["ok"] or tested["enabled"], tested)
        browser = Browser(self.koya.ca)
        page = browser.open(f"{self.koya.url}/-/oidc/gone/start")
        self.assertEqual(page.status, 403, page)
        self.assertEqual(browser.sign_in().status, 200)


@needs_chromium
class OpenIdPages(OpenIdTestCase):
    def test_signs_in_in_every_language(self):
        for language in LANGUAGES:
            with koya_login(self.koya, koya_sign_in.new_folder(self)) as login:
                pages = browse([
                    {"open": login.page()}, {"picture": "sign-in-with-provider"},
                    {"press": "a[href^='/-/oidc/corp/start']"},
                    {"fill": {"input[name=login]": "ada", "input[name=password]": "x"}},
                    {"press": "button[type=submit]"}, {"press": "button[type=submit]"},
                    {"expect": "button[value=allow]"}, {"press": "button[value=allow]"}],
                    language, foreign=self.provider.issuer)
                self.assertTrue(pages[-1]["url"].startswith("http://localhost:"), pages[-1])
                login.finish()


if __name__ == "__main__":
    koya_e2e.main()
