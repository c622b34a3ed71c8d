"""What people do in a browser, from the first page to the last, over a registry that the demo has filled: without
scripts, but where something is copied.

Skipped, by name, without node, npm and Chromium; see koya_browser.py.
"""
import pathlib
import shutil
import tempfile
import unittest

import koya_e2e
import koya_pages
from koya_browser import LANGUAGES, browse, needs_chromium
from koya_pages import NETWORK, people

SIGNED_IN = ".acct summary"


@needs_chromium
class Journeys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.koya = koya_pages.Demo(cls.folder / "data").start()
        cls.addClassCleanup(cls.koya.__exit__)
        cls.koya.fill()

    def sign_in(self):
        return [{"open": f"{self.koya.url}/login"},
                {"fill": {"#username": people.ADMIN, "#password": self.koya.demo_password}},
                {"press": "main form button"}, {"expect": SIGNED_IN}]

    def test_finds_a_module_and_copies_its_block(self):
        pages = browse([{"open": self.koya.url}, {"fill": {"main input[name=q]": "subnets"}},
                        {"press": "main form[role=search] button"},
                        {"press": f"main a[href='{NETWORK}']"},
                        {"copy": "section:has(#use) .copy"}], scripts=True)
        found, module, copied = pages[1:]
        self.assertIn("/search?q=subnets", found["url"])
        self.assertIn("VPC, subnets, NAT and flow logs", module["text"])
        block = copied["copied"]
        self.assertTrue(block.startswith('module "network" {'), block)
        for words in ("/platform/network/aws\"", 'version = "~> 4.2"', "name ", "cidr ", "zones "):
            self.assertIn(words, block)

    def test_builds_a_block_with_the_form(self):
        form = f"{self.koya.url}{NETWORK}/4.2.0/usage"
        for scripts in (False, True):
            pages = browse([{"open": form},
                            {"fill": {"#f-name": "payments", "#f-cidr": "10.40.0.0/16", "#f-zones": "[\"a\", \"b\""}},
                            {"press": "form.form button"}, {"expect": "#p-zones"},
                            {"fill": {"#f-zones": "[\"a\", \"b\"]"}}, {"press": "form.form button"}], scripts=scripts)
            self.assertIn("10.40.0.0/16", pages[1]["text"])
            block = pages[2]["text"].split("module \"network\"")[1]
            for words in ('name = "payments"', 'cidr = "10.40.0.0/16"', 'zones = ["a", "b"]'):
                self.assertIn(words, block)

    def test_reads_what_changed_between_two_versions(self):
        pages = browse([{"open": f"{self.koya.url}{NETWORK}/3.1.1"}, {"press": ".tabs a[href$='/changes']"},
                        {"fill": {"#change-from": "3.1.1", "#change-to": "4.2.0"}},
                        {"press": "main form.row button"}])
        self.assertIn("3.x gets no fixes any more", pages[0]["text"])
        self.assertIn("from=3.1.1&to=4.2.0", pages[2]["url"])
        for words in ("single_nat", "zones", "breaking"):
            self.assertIn(words, pages[2]["text"])

    def test_reads_the_docs_of_a_provider_and_takes_its_lock_entry(self):
        pages = browse([{"open": f"{self.koya.url}/providers/kumo/inventory"},
                        {"copy": ".code:has(.cap:has-text('lock.hcl')) .copy"},
                        {"press": ".tabs a[href$='/docs']"}, {"press": "a[href$='/docs/resources/host']"}], scripts=True)
        self.assertIn("zh:", pages[1]["copied"])
        self.assertIn("h1:", pages[1]["copied"])
        self.assertIn("A host that stands in a rack", pages[3]["text"])

    def test_changes_language_and_theme_and_keeps_both(self):
        for language in LANGUAGES:
            with self.subTest(language):
                pages = browse([{"open": f"{self.koya.url}/modules"},
                                {"press": f".foot a[lang^='{language}']"},
                                {"press": ".foot button[value=dark]"},
                                {"expect": "html[data-theme=dark]"},
                                {"press": "header a[href='/providers']"},
                                {"expect": "html[data-theme=dark]"},
                                {"press": ".foot button[value=auto]"},
                                {"expect": "html[data-theme=auto]"}])
                for page in pages[1:]:
                    self.assertTrue(page["lang"].startswith(language), page)
                self.assertTrue(pages[2]["url"].startswith(f"{self.koya.url}/modules"), pages[2])

    def test_signs_in_sees_what_is_private_and_signs_out(self):
        private = f"{self.koya.url}/namespaces/finance"
        pages = browse([{"open": private}, *self.sign_in(), {"open": private}, {"unfold": SIGNED_IN},
                        {"press": "form[action='/-/sign-out'] button"}, {"open": private}])
        stranger, _, _, owner, _, again = pages
        self.assertNotIn("ledger", stranger["text"])
        self.assertIn("ledger", owner["text"])
        self.assertNotIn("ledger", again["text"])
        self.assertNotIn(people.ADMIN, again["text"])


if __name__ == "__main__":
    koya_e2e.main()
