"""What people do in a browser, from the first page to the last, over a registry that the demo has filled: without
scripts, but where something is copied.

Skipped, by name, without node, npm and Chromium; see koya_browser.py.
"""
import itertools
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import koya_e2e
import koya_pages
from koya_browser import LANGUAGES, browse, needs_chromium
from koya_pages import NETWORK, people
from koya_sign_in import ADMIN, PASSWORD, SecureServer

SIGNED_IN = ".acct summary"
REDUCED = "--reduced" in sys.argv
# (language, whether with scripts) of the visits.
VISITS = ((("en", False), ("ja", True), ("zh", False)) if REDUCED
          else tuple(itertools.product(LANGUAGES, (False, True))))


@needs_chromium
class Journeys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        koya_pages.Demo.of(cls).fill()

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
                        {"choose": {"#change-from": "3.1.1", "#change-to": "4.2.0"}},
                        {"press": "main form.row button"}])
        self.assertIn("3.x gets no fixes any more", pages[0]["text"])
        self.assertIn("from=3.1.1&to=4.2.0", pages[2]["url"])
        for words in ("single_nat", "zones", "breaking"):
            self.assertIn(words, pages[2]["text"])

    def test_reads_the_docs_of_a_provider_and_takes_its_lock_entry(self):
        pages = browse([{"open": f"{self.koya.url}/providers/kumo/inventory"},
                        {"copy": ".code:has(.cap:has-text('lock.hcl')) .copy"},
                        {"press": ".tabs a[href$='/docs']"}, {"press": "article a[href$='/docs/resources/host']"},
                        {"press": ".fold [aria-current=page] >> xpath=../following-sibling::li/a"},
                        {"press": ".pager [rel=prev]"}], scripts=True)
        self.assertIn("zh:", pages[1]["copied"])
        self.assertIn("h1:", pages[1]["copied"])
        self.assertIn("A host that stands in a rack", pages[3]["text"])
        self.assertIn("/docs/resources/rack", pages[4]["url"])
        self.assertEqual(pages[5]["url"], pages[3]["url"])

    def test_changes_language_and_theme_and_keeps_both(self):
        for language in LANGUAGES:
            with self.subTest(language):
                pages = browse([{"open": f"{self.koya.url}/modules"},
                                {"press": f".foot button[lang^='{language}']"},
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

    def test_makes_a_token_publishes_with_it_and_revokes_it(self):
        tokens = f"{self.koya.url}/-/settings/tokens"
        made = browse([*self.sign_in(), {"unfold": SIGNED_IN}, {"press": ".acct a[href='/-/settings/tokens']"},
                       {"press": "main a[href$='/tokens/new']"},
                       {"fill": {"#name": "from-the-browser", "#namespaces": "journeys"}},
                       {"choose": {"#scope": "publish", "#ends": "30d"}}, {"press": "main .card button"}])[-1]
        token = re.search(r"koya_[0-9A-Za-z_-]+", made["text"])[0]
        module = koya_e2e.write_files(self.folder / "module", koya_e2e.PLAIN_MODULE)

        def publish(address):
            return self.koya.cli("publish", "module", module, address, "1.0.0", environment={"KOYA_TOKEN": token})

        done = publish("journeys/first/null")
        self.assertEqual(done.returncode, 0, done.stderr)
        refused = publish("platform/first/null")
        self.assertEqual(refused.returncode, 1, refused.stdout)
        pages = browse([{"open": f"{self.koya.url}/modules/journeys/first/null"}, *self.sign_in(), {"open": tokens},
                        {"press": "main a[href*='from-the-browser/revoke']"}, {"press": "main .card button"},
                        {"open": tokens}, {"open": f"{self.koya.url}/-/admin/audit?action=token.revoke"}])
        self.assertIn("journeys/first/null", pages[0]["text"])
        self.assertIn("from-the-browser", pages[3]["text"])
        self.assertNotIn("from-the-browser", pages[6]["text"])
        self.assertIn("from-the-browser", pages[7]["text"])
        ended = publish("journeys/second/null")
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertRegex(ended.stderr, "does not know that token|revoked")

    def test_verifies_a_lock_file_and_corrects_one(self):
        released = self.koya.get("/v1/providers/kumo/inventory/2.3.1/download/linux/amd64").json()
        known, other = f"zh:{released['shasum']}", "zh:" + "0" * 64

        def lock(*hashes, name="kumo/inventory"):
            return (f'provider "{self.koya.address}/{name}" {{\n  version = "2.3.1"\n  hashes = [\n'
                    + "".join(f'    "{each}",\n' for each in hashes) + "  ]\n}\n")

        marked = "<<<<<<< HEAD\n" + lock(known)
        for language, differs, good in (("en", "differs", "This registry knows every hash."),
                                        ("ja", "不一致", "すべてのハッシュを確認できました。")):
            pages = browse([{"open": f"{self.koya.url}/-/mirror/explain"}, {"press": "main a[href='/-/verify']"},
                            {"picture": "verify-form"},
                            {"fill": {"#lock": marked}}, {"press": "main form button"}, {"expect": "main [role=alert]"},
                            {"picture": "verify-wrong"},
                            {"fill": {"#lock": lock(known)}}, {"press": "main form button"}, {"expect": "#report"},
                            {"fill": {"#lock": lock(known, other, "h1:other=", "x9:other")
                                      + lock(other, name="kumo/nothing")}},
                            {"press": "main form button"}, {"expect": "#report"}, {"picture": "verify-report"}],
                           language=language)
            form, wrong, right, mixed = pages[1:]
            self.assertTrue(form["lang"].startswith(language), form)
            self.assertIn("line 1", wrong["text"])
            self.assertIn(good, right["text"])
            self.assertNotIn(good, mixed["text"])
            for words in (known, other, differs, f"{self.koya.address}/kumo/nothing"):
                self.assertIn(words, mixed["text"])

    def test_every_stop_of_a_form_has_a_focus_ring(self):
        # A date has stops of its own, and the last of them is its calendar.
        pages = [f"{self.koya.url}/-/settings/tokens/new", f"{self.koya.url}/-/settings",
                 f"{self.koya.url}/-/admin/audit", f"{self.koya.url}/namespaces/data/people"]
        steps = [step for page in pages for step in ({"open": page}, {"tab": "main form:is(.form, .row)"})]
        for seen in browse([*self.sign_in(), *steps], scripts=True)[3::2]:
            self.assertGreater(len(seen["stops"]), 1, seen)
            self.assertEqual(seen["ringless"], [], seen["url"])

    def test_grants_somebody_a_role_takes_it_away_and_reads_of_it_in_the_audit(self):
        people_page, who = f"{self.koya.url}/namespaces/data/people", "fen@kumo.example"
        pages = browse([*self.sign_in(), {"open": people_page}, {"choose": {"#kind": "user", "#role": "publisher"}},
                        {"fill": {"#grantee": "nobody-of-that-name"}}, {"press": "main .card button"},
                        {"expect": "main [role=alert]"}, {"fill": {"#grantee": who}}, {"press": "main .card button"},
                        {"press": "main a[href*='fen']"}, {"press": "main .card button"},
                        {"open": f"{self.koya.url}/-/admin/audit?namespace=data"}])
        before, refused, given, asked, taken, audit = pages[2:]
        for page, is_there in ((before, False), (given, True), (taken, False)):
            self.assertEqual(who in page["text"].split("Role")[1].split("Grant a role")[0], is_there, page)
        self.assertIn("There is no such account or group.", refused["text"])
        self.assertIn(who, asked["text"])
        for words in ("grant.put", "grant.remove", who, people.ADMIN):
            self.assertIn(words, audit["text"])


@needs_chromium
class Roles(unittest.TestCase):
    """A visit for each kind of reader, in each language, with and without scripts; with --reduced, three of the six."""

    @classmethod
    def setUpClass(cls):
        koya_pages.Demo.of(cls).fill()

    def visit(self, steps, check):
        """`steps` makes the steps of a visit of its number; `check` takes its pages and its number."""
        for number, (language, scripts) in enumerate(VISITS):
            with self.subTest(language=language, scripts=scripts):
                pages = browse(steps(number), language=language, scripts=scripts)
                for page in pages:
                    if "lang" in page:
                        self.assertTrue(page["lang"].startswith(language), page)
                check(pages, number)

    def at(self, path):
        return {"open": self.koya.url + path}

    def sign_in(self):
        return [self.at("/login"), {"fill": {"#username": people.ADMIN, "#password": self.koya.demo_password}},
                {"press": "main form button"}, {"expect": SIGNED_IN}]

    def test_newcomer(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)

        def steps(number):
            self.new = SecureServer(folder / str(number)).start()
            self.addCleanup(self.new.__exit__)
            koya_e2e.wait_until(self.new.setup_file.exists, "the set-up token appears")
            return [{"open": self.new.url}, {"press": "main a[href='/-/first-run']"},
                    {"fill": {"#token": self.new.setup_file.read_text().strip(), "#name": "Kumo modules",
                              "#username": ADMIN, "#password": PASSWORD, "#password_again": PASSWORD}},
                    {"choose": {"#visibility": "private"}}, {"press": "main form button"},
                    {"fill": {"#password": PASSWORD}}, {"press": "main form button"}, {"expect": SIGNED_IN},
                    {"press": "main a[href='/-/cli/']"}, {"press": "main a[href='/-/setup']"},
                    {"choose": {"#system": "github"}}, {"press": "main form button"}]
        def check(pages, _):
            self.new.__exit__()
            home, cli, _, setup = pages[3:]
            self.assertTrue(home["title"].startswith("Kumo modules"), home)
            for words in ("Kumo modules", f"koya login {self.new.url}", "koya publish module hello demo/hello/local"):
                self.assertIn(words, home["text"])
            self.assertIn("Kumo modules", cli["title"])
            self.assertIn("actions/", setup["text"])
        self.visit(steps, check)

    def test_developer(self):
        def check(pages, _):
            _, found, module, inputs, dependencies, versions, manual, doc, after = pages
            self.assertIn("platform/network/aws", found["text"])
            self.assertIn('version = "~> 4.2"', module["text"])
            self.assertIn("cidr", inputs["text"])
            self.assertIn("hashicorp/aws", dependencies["text"])
            self.assertIn("4.2.0", versions["text"])
            self.assertIn("koya policy init --cool-down 7d", manual["text"])
            self.assertIn("rack", doc["text"])
            self.assertNotEqual(doc["url"], after["url"])
        self.visit(lambda _: [
                self.at("/"), {"fill": {"main input[name=q]": "subnets"}}, {"press": "main form[role=search] button"},
                {"press": f"main a[href='{NETWORK}']"}, {"press": ".tabs a[href$='/inputs']"},
                {"press": ".tabs a[href$='/dependencies']"}, {"press": ".tabs a[href$='/versions']"},
                self.at("/search?q=cool-down"), self.at("/providers/kumo/inventory/2.3.1/docs/resources/host"),
                {"press": "main a[rel=next]"}], check)

    def test_owner(self):
        module = koya_e2e.write_files(self.folder / "owned", koya_e2e.PLAIN_MODULE)

        def steps(number):
            done = self.koya.cli("publish", "module", module, "journeys/owned/null", f"1.{number}.0")
            self.assertEqual(done.returncode, 0, done.stderr)
            page = f"/modules/journeys/owned/null/1.{number}.0"
            return [*self.sign_in(), self.at(page), {"press": "main a[href$='/deprecate']"},
                    {"fill": {"#message": "Too old."}}, {"press": "main form.card button"},
                    self.at(page), {"press": "main a[href$='/withdraw']"},
                    {"fill": {"#reason": "A wrong default.", "#typed": f"1.{number}.0"}},
                    {"press": "main form.card button.danger"},
                    self.at(page), {"press": "main a[href$='/restore']"},
                    {"fill": {"#reason": "It was right."}}, {"press": "main form.card button"}, self.at(page),
                    self.at("/namespaces/journeys/people"), self.at("/namespaces/journeys/usage")]
        def check(pages, number):
            deprecated, withdrawn, restored = pages[5], pages[8], pages[11]
            self.assertIn("Too old.", deprecated["text"])
            self.assertIn("A wrong default.", withdrawn["text"])
            self.assertIn(f"1.{number}.0", restored["text"])
            self.assertNotIn("A wrong default.", restored["text"])
        self.visit(steps, check)

    def test_administrator(self):
        def steps(number):
            name = f"builder-{number}"
            return [*self.sign_in(), self.at("/-/admin"), self.at("/-/admin/services"),
                    {"fill": {"#name": name}}, {"press": "main .card form button"},
                    {"press": f"main button[name=disable][value='{name}']"},
                    {"press": f"main button[name=enable][value='{name}']"},
                    {"press": f"main a[href='/-/admin/services/{name}/delete']"},
                    {"fill": {"#typed": name}}, {"press": "main form.card button.danger"},
                    self.at("/-/admin/tokens?filter=never_expires"), self.at("/-/admin/grants"),
                    self.at("/namespaces"), self.at("/-/admin/storage")]
        def check(pages, number):
            made, disabled, enabled, asked, gone, tokens, grants, namespaces, _ = pages[4:]
            name = f"builder-{number}"
            for page in (made, disabled, enabled, asked):
                self.assertIn(name, page["text"])
            self.assertEqual(gone["text"].count(name), 1, "in the notice alone")
            self.assertIn("dev-admin", tokens["text"])
            self.assertIn("platform", grants["text"])
            self.assertIn("finance", namespaces["text"])
        self.visit(steps, check)

    def test_security(self):
        token = self.koya.cli("token", "create", "only-reads", "--scope", "read").stdout.strip()
        refused = self.koya.cli("publish", "module", koya_e2e.write_files(self.folder / "no", koya_e2e.PLAIN_MODULE),
                                "finance/taken/null", "1.0.0", environment={"KOYA_TOKEN": token})
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.koya.stop()  # which writes what was denied in this minute
        self.koya.start()

        def check(pages, _):
            audit, entry, why, *_, keys = pages[2:]
            self.assertIn("finance/taken", audit["text"])
            self.assertIn("finance/taken", entry["text"])
            self.assertIn("ben@kumo.example", why["text"])
            self.assertIn("kumo", keys["text"])
        self.visit(lambda _: [
            *self.sign_in(), self.at("/-/admin/audit?kind=denied"), {"press": "main tbody a"},
            self.at("/-/admin/grants/why?kind=user&who=ben@kumo.example&ns=platform&may=publish"),
            self.at("/-/mirror/policy"), self.at("/-/mirror/explain?address=hashicorp/nothing&version=9.0.0"),
            self.at("/-/verify"), self.at("/namespaces/kumo/keys")], check)


if __name__ == "__main__":
    if REDUCED:
        sys.argv.remove("--reduced")
    koya_e2e.main()
