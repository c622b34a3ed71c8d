"""The policy on releases of other registries: its revisions by the command line, the API and the page."""
import concurrent.futures
import json
import subprocess
import unittest

import koya_e2e
from koya_e2e import wait_until
from koya_mirror import ALLOWED
from koya_upstream import Upstream, certificate
from test_postgres import POSTGRES, Postgres

WAIT = """version = 1

[[rule]]
name = "cool-down"
match = ["*/*/*", "*/*/*/*"]
minimum_age = "7d"  # größer als "6d"
"""
NONE = "version = 1\n"
BAD = """version = 1
notes = "held"

[[rule]]
name = "a"
match = ["*/*"]
minimum_age = "soon"

[[rule]]
name = "a"
match = ["*/*/*"]
deny = true

[[exception]]
rules = ["b"]
match = ["*/*/*"]
versions = "1.0.0"
reason = "r"
"""


class PolicyTestCase(koya_e2e.TestCase):
    def setUp(self):
        super().setUp()
        self.koya = self.server()

    def policy(self, *arguments, status=0, **more):
        run = self.koya.cli("policy", *arguments, **more)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def set(self, text, *arguments, status=0, reason="why"):
        file = self.folder / "policy.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.policy("set", file, "--reason", reason, *arguments, status=status)

    def in_force(self):
        return self.koya.get("/api/v1/policy").json()


class Revisions(PolicyTestCase):
    def test_a_file_is_in_force_byte_for_byte(self):
        run = self.policy("show")
        self.assertEqual((run.stdout, run.stderr), ("", "koya: no policy was ever set\n"))
        for number, text in enumerate((WAIT.encode(), WAIT.replace("\n", "\r\n").encode() + b"\t \n\n# end"), 1):
            self.assertEqual(self.set(text).stdout, f"Revision {number} of the policy is in force\n")
            shown = subprocess.run([koya_e2e.KOYA, "policy", "show"], capture_output=True, timeout=60, check=True,
                                   env=koya_e2e.clean_environment(HOME="/nonexistent", **self.koya.dev_environment))
            self.assertEqual(shown.stdout, text)
        self.assertEqual(self.policy("show", "1").stdout, WAIT)
        self.assertIn("no revision 3", self.policy("show", "3", status=1).stderr)

    def test_history_and_rollback(self):
        self.set(WAIT, reason="wait a week")
        self.set(NONE, reason="stop waiting")
        run = self.policy("rollback", "1", "--reason", "it was better", "--json")
        self.assertEqual(json.loads(run.stdout), {"revision": 3})
        self.assertEqual(self.policy("show").stdout, WAIT)
        history = json.loads(self.policy("history", "--json").stdout)["revisions"]
        self.assertEqual([(each["revision"], each["reason"]) for each in history],
                         [(3, "it was better"), (2, "stop waiting"), (1, "wait a week")])
        self.assertTrue(all(each["by"] and each["at"].endswith("Z") for each in history), history)
        self.assertRegex(self.policy("history").stdout, r"(?m)^2 +20\S+Z +\S+ +stop waiting$")
        self.assertIn("no revision 9", self.policy("rollback", "9", "--reason", "r", status=1).stderr)
        entries = json.loads(self.koya.cli("audit", "list", "--action", "policy", "--json").stdout)["entries"]
        self.assertEqual([each["action"] for each in entries], ["policy.rollback", "policy.set", "policy.set"])
        page = self.koya.get("/-/mirror/policy").body.decode()
        for words in ("it was better", "stop waiting", "wait a week", "minimum_age = &quot;7d&quot;"):
            self.assertIn(words, page)

    def test_a_bad_file_prints_all_problems_and_changes_nothing(self):
        self.set(WAIT)
        run = self.set(BAD, status=1)
        places = [line.split(": ")[0].rpartition("policy.toml:")[2] for line in run.stderr.splitlines()]
        self.assertEqual(places, ["2:1", "6:10", "7:15", "10:8", "14:1", "15:10"], run.stderr)
        self.assertEqual(run.stdout, "")
        document = json.loads(self.set(BAD, "--json", status=1).stdout)
        self.assertEqual((document["code"], document["status"], len(document["problems"])), ("refused", 422, 6))
        self.assertEqual(len(document["errors"]), 6)
        for text in ("", "version = ", "{", "\xff".encode("latin-1"), "version = 1\n\x01"):
            self.set(text, status=1)
        self.assertEqual(self.in_force()["toml"], WAIT)
        self.assertEqual(self.in_force()["revision"], 1)
        self.assertIn("1 MiB", self.set("#" * (2**20 + 1), status=1).stderr)

    def test_of_two_who_change_it_at_once_one_is_told(self):
        self.set(WAIT)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = list(pool.map(lambda text: self.koya.cli("policy", "set", "-", "--reason", text, "--expect", "1",
                                                            stdin=NONE + "# " + text), ("left", "right")))
        self.assertEqual(sorted(run.returncode for run in runs), [0, 1], runs)
        [lost] = (run for run in runs if run.returncode)
        self.assertIn("revision 2, not 1", lost.stderr)
        self.assertEqual(self.in_force()["revision"], 2)
        self.set(WAIT, "--expect", "2")

    def test_init_prints_what_set_takes(self):
        text = koya_e2e.cli("policy", "init", "--cool-down", "36h").stdout
        self.assertIn('minimum_age = "36h"', text)
        self.policy("set", "-", "--reason", "wait", stdin=text)
        self.assertEqual(self.policy("show").stdout, text)
        self.assertEqual(koya_e2e.cli("policy", "init", "--cool-down", "0d").returncode, 2)
        self.assertEqual(koya_e2e.cli("policy", "init", "--cool-down", "a week").returncode, 2)

    def test_a_verdict_is_explained(self):
        question = ("explain", "registry.opentofu.org/hashicorp/aws", "6.1.1")
        self.assertIn("hashicorp/aws 6.1.1: ALLOWED\n  no policy was ever set", self.policy(*question).stdout)
        self.set(WAIT)
        verdict = json.loads(self.policy(*question, "--json", status=1).stdout)
        self.assertEqual((verdict["verdict"], verdict["clock"], verdict["seen"], verdict["pinned"], verdict["instead"]),
                         ("hold", "first-seen", None, None, ""))
        self.assertEqual([(each["rule"], each["verdict"]) for each in verdict["reasons"]], [("cool-down", "hold")])
        shown = self.policy(*question, status=1).stdout
        self.assertRegex(shown, r"(?m)^registry.opentofu.org/hashicorp/aws 6.1.1: HELD until 20\S+Z$")
        self.assertIn("revision 1 by ", shown)
        exception = shown.partition("an exception lifts it: ")[2].strip().replace(", match", "\nmatch").replace(
            ", versions", "\nversions").replace(", until", "\nuntil")
        self.set(f'{WAIT}[[exception]]\n{exception}\nreason = "a fix"\n')
        self.assertIn(": a fix", self.policy(*question).stdout)
        self.set(WAIT)
        self.policy(*question, "--at", "2100-01-01")
        self.assertEqual(self.policy("explain", "hashicorp", status=1).stdout, "")
        answer = self.koya.get(f"/api/v1/policy/explain?address={question[1]}&version=6.1.1")
        self.assertEqual(answer.json()["verdict"], "hold")

    def test_a_file_is_tested_before_it_is_set(self):
        self.set(WAIT)
        self.assertEqual(json.loads(self.policy("held", "--json").stdout), {"held": [], "more": False})
        self.assertEqual(self.policy("test", "-", stdin=NONE).stdout, "Nothing that is used would change\n")
        self.assertEqual(len(self.policy("test", "-", stdin=BAD, status=1).stderr.splitlines()), 6)
        self.assertEqual(self.in_force()["revision"], 1)

    def test_administrators_change_it(self):
        token = json.loads(self.koya.cli("token", "create", "acme-admin", "--scope", "admin", "--namespace", "acme",
                                         "--json").stdout)["token"]
        answer = self.koya.request("PUT", "/api/v1/policy?reason=r", body=NONE.encode(), token=token)
        self.assertEqual(answer.status, 403, answer)
        self.assertEqual(self.koya.request("PUT", "/api/v1/policy?reason=r", body=b"").status, 401)
        self.assertEqual(self.in_force(), {"revision": 0, "toml": "", "by": None, "at": None, "reason": None, "rules": []})


@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class TwoServers(koya_e2e.TestCase):
    """Two servers on one database."""

    def setUp(self):
        super().setUp()
        (self.folder / "postgres").mkdir()
        postgres = self.enterContext(Postgres(self.folder / "postgres"))
        self.upstream = Upstream()
        self.addCleanup(self.upstream.off)
        self.upstream.add_module("acme/vpc/aws", b"", "1.0.0")
        self.upstream.list_modules("acme/vpc/aws", "1.0.0", "2.0.0-rc1")
        self.one, self.two = [
            self.server("--catalog.url", postgres.url, "--server.secret_file", str(self.folder / "server.secret"),
                        "--upstream.hosts", self.upstream.host, "--upstream.ca_file", certificate()[1], *ALLOWED,
                        name=name) for name in ("one", "two")]

    def listed(self, server):
        got = server.get(f"/origin/{self.upstream.host}/v1/modules/acme/vpc/aws/versions")
        return [each["version"] for each in got.json()["modules"][0]["versions"]]

    def put(self, server, text, more=""):
        token = self.two.dev_environment["KOYA_TOKEN"]  # the server that started last made the valid one
        return server.request("PUT", f"/api/v1/policy?reason=r{more}", body=text.encode(), token=token)

    def test_a_revision_is_in_force_on_both(self):
        both = ["1.0.0", "2.0.0-rc1"]
        self.assertEqual([self.listed(self.one), self.listed(self.two)], [both, both])
        rule = 'version = 1\n[[rule]]\nname = "stable"\nmatch = ["*/*/*/*"]\nprereleases = "refuse"\n'
        for number, (setter, text, expected) in enumerate((
                (self.one, rule, ["1.0.0"]), (self.two, NONE, both), (self.two, rule, ["1.0.0"])), 1):
            self.assertEqual(self.put(setter, text).json(), {"revision": number})
            for server in (self.one, self.two):
                wait_until(lambda server=server: self.listed(server) == expected, "both follow the revision")
        lost = self.put(self.one, NONE, "&expect=1")
        self.assertEqual(lost.status, 409)
        self.assertIn("revision 3, not 1", lost.errors())


if __name__ == "__main__":
    koya_e2e.main()
