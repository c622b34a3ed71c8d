"""What an administrator does on pages without the command line: people, groups, roles, why, the log, how the server is."""
import re

import koya_e2e
from koya_sign_in import PASSWORD, ReadyTestCase
from test_account_pages import Person

ADA = "ada@example.com"
ADA_PATH = "/-/admin/users/ada%40example.com"


class Administrator(Person):
    def act(self, action, **fields):
        """Sends the first form of this page that goes there, with these fields in place of its own."""
        form = next(each for each in self.page.forms
                    if each["action"] == action and "csrf" in each["fields"])
        return self.open(self.koya.url + action, {"csrf": form["fields"]["csrf"], **fields})


class AdminPages(ReadyTestCase):
    def test_a_role_through_a_group_is_explained_and_ends_with_the_user(self):
        root = Administrator(self.koya)
        root.see("/-/admin/users")
        root.act("/-/admin/users", name=ADA, password=PASSWORD, password_again=PASSWORD)
        self.assertIn("was created", root.page.text)
        root.see("/-/admin/groups")
        root.act("/-/admin/groups", name="platform")
        root.act("/-/admin/groups/platform", kind="user", member=ADA)
        self.assertIn(ADA, root.page.text)
        token = root.make_token("all", "admin", namespaces="")
        run = self.koya.koya("namespace", "set", "acme", "--visibility", "private", token=token)
        self.assertEqual(run.returncode, 0, run.stderr)
        why = f"/-/admin/grants/why?who={ADA}&may=publish&ns=acme"
        self.assertIn("No role allows it", root.see(why).text)
        root.see("/-/admin/grants")
        root.act("/-/admin/grants", ns="acme", kind="group", grantee="platform", role="publisher")
        answer = root.see(why).text
        self.assertIn("Yes, they can", answer)
        self.assertIn("platform", answer)
        ada = Administrator(self.koya, name=ADA)
        self.assertEqual(ada.see("/-/admin").status, 404)
        root.see(ADA_PATH)
        root.act(ADA_PATH, do="disable")
        self.assertIn("disabled", root.see(why).text)
        root.see(f"{ADA_PATH}/delete")
        self.assertEqual(root.act(f"{ADA_PATH}/delete", typed="ada").status, 422)
        self.assertIn("was deleted", root.act(f"{ADA_PATH}/delete", typed=ADA).text)
        log = root.see(f"/-/admin/audit?target=user:{ADA}").text
        for action in ("account.create", "account.disable", "account.delete"):
            self.assertIn(action, log)
        self.assertIn("The log is intact", root.see("/-/admin/audit/proof?walk=yes").text)
        csv = root.see("/-/admin/audit/export/audit.csv?action=account").body
        self.assertEqual(csv.splitlines()[0][:13], "id,time,kind,")
        self.assertGreaterEqual(len(csv.splitlines()), 4)

    def test_the_pages_say_how_the_server_is(self):
        root = Administrator(self.koya)
        # Of this machine's disk little may be free, which needs attention.
        self.assertRegex(root.see("/-/admin").text, "Nothing needs attention|% of the disk")
        health = root.see("/-/admin/health").text
        self.assertIn("This server is ready", health)
        told = re.search(r"koya_leases_lost_total\s+(\d+)", health)
        self.assertIsNotNone(told, health)
        self.assertIn("koya verify", root.see("/-/admin/storage").text)
        for path in ("/-/admin", "/-/admin/health", "/-/admin/storage"):
            self.assertEqual(Person(self.koya, "ja").see(path).status, 200)


if __name__ == "__main__":
    koya_e2e.main()
