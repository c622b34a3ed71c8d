"""What is inside modules and providers is found: by the command, over HTTP, by whoever may know."""
import json
import pathlib
import urllib.parse

import koya_e2e
from koya_e2e import tar_gz, wait_until
from koya_provider import key, publish, release, add_key

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"

NETWORK = {
    "main.tf": """
# A network with private subnets in every availability zone.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "cidr_block" {
  description = "Addresses of the network, as 10.0.0.0/16."
  type        = string
}

variable "zones" {
  description = "Availability zones, 可用区."
  type        = list(string)
}

resource "aws_vpc" "main" {
  cidr_block = var.cidr_block
}

resource "aws_subnet" "private" {
  for_each = toset(var.zones)
  vpc_id   = aws_vpc.main.id
}

output "subnet_ids" {
  description = "The private subnets."
  value       = [for each in aws_subnet.private : each.id]
}
""",
    "README.md": "# Network\n\nUsed by *every* team, from [Tokyo](https://example.com) to Paris.\n",
    "modules/peering/main.tf": 'variable "peer" {\n  description = "The other network."\n}\n',
    "examples/full/main.tf": 'module "network" {\n  source = "../.."\n}\n',
}


def found(results):
    return [(hit["kind"], hit.get("address"), hit["name"]) for hit in results["hits"]]


class Search(koya_e2e.SharedServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls.koya.cli("publish", "module", EXAMPLES / "greeting", "demo/greeting/local", "1.0.0")
        assert run.returncode == 0, run.stderr
        cls.koya.publish("acme/network/aws", "1.0.0", tar_gz(NETWORK))
        cls.koya.publish("acme/network/aws", "1.1.0", tar_gz(
            {**NETWORK, "more.tf": 'variable "flow_logs" {\n  default = false\n}\n'}))
        cls.koya.publish("closed/network/aws", "1.0.0", tar_gz(NETWORK))
        run = cls.koya.cli("namespace", "set", "closed", "--visibility", "private")
        assert run.returncode == 0, run.stderr
        add_key(cls.koya, "acme", key("ed25519").armor)
        for version in ("1.0.0", "1.1.0"):
            publish(cls.koya, "acme/demo", version, release(version, key("ed25519")))
        cls.reindex()

    @classmethod
    def reindex(cls):
        run = cls.koya.cli("reindex", "--json")
        assert run.returncode == 0, run.stdout + run.stderr
        return json.loads(run.stdout)

    def get(self, text, token=None, **more):
        query = urllib.parse.urlencode({"q": text, **more})
        answer = self.koya.get(f"/api/v1/search?{query}", token=token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def test_over_http(self):
        network = "acme/network/aws"
        cases = {
            "cidr_block": [("input", network, "cidr_block")],
            "flow": [("input", network, "flow_logs")],
            "tokyo": [("module", network, "network")],
            "可用": [("input", network, "zones")],
            "peer kind:input": [("input", network, "peering/peer")],
            "full kind:example": [("example", network, "full")],
            "uses:aws_subnet kind:resource": [("resource", network, "aws_subnet.private")],
            "needs:hashicorp/aws kind:module": [("module", network, "network")],
            "greet kind:input": [("input", "demo/greeting/local", "name")],
            "demo kind:provider": [("provider", "acme/demo", "demo")],
        }
        for text, expected in cases.items():
            with self.subTest(text):
                self.assertEqual(found(self.get(text))[:len(expected)], expected)
        self.assertEqual(self.get("flow version:1.0.0")["total"], 0)
        self.assertEqual({hit["version"]: hit["newest"] for hit in self.get(
            "network kind:module version:any")["hits"]}, {"1.1.0": True, "1.0.0": False})
        self.assertTrue(self.get("subnest")["forgiven"])

    def test_documentation_is_found_and_leads_to_its_pages(self):
        answer = self.get("trusted publishing kind:guide,setting,error", limit=100)
        self.assertEqual((answer["hits"][0]["name"], answer["hits"][0]["url"]),
                         ("Trusted publishing", "/-/docs/trusted-publishing"))
        for hit in answer["hits"] + self.get("kind:setting,error", limit=100)["hits"]:
            self.assertNotIn("address", hit)
            page, _, anchor = hit["url"].partition("#")
            body = self.koya.get(page).body.decode()
            self.assertTrue(not anchor or f'id="{anchor}"' in body, hit["url"])
        run = self.koya.cli("search", "server.url", "--kind", "setting")
        self.assertEqual(run.stdout.splitlines()[0], "setting    server.url  /-/docs/config#user-server")

    def test_facets_are_totals(self):
        for text in ("network", "cidr_block", "subnet version:any", "hashicorp/aws"):
            answer = self.get(text, token=self.koya.token)
            self.assertFalse(answer["facets_cut"], text)
            for facet, word in (("namespace", "ns"), ("system", "system"), ("deprecated", "deprecated"),
                                ("kind", "kind")):
                for value, number in answer["facets"][facet].items():
                    narrowed = self.get(f"{text} {word}:{value}", token=self.koya.token)
                    self.assertEqual(narrowed["total"], number, (text, word, value))

    def test_bad_searches_say_what_is_wrong(self):
        for text in ("system:a/b", "system:", "system:a system:b","kind:thing", "deprecated:perhaps", "author:me", '"open', "version:x", "%"):
            answer = self.koya.get("/api/v1/search?q=" + urllib.parse.quote(text))
            self.assertEqual(answer.status, 400, text)
            self.assertTrue(answer.errors(), text)

    def test_strangers_neither_find_nor_count_what_is_private(self):
        for text in ("network", "cidr_block", "ns:closed", "uses:aws_vpc", "tokyo"):
            mine, theirs = self.get(text, token=self.koya.token), self.get(text)
            self.assertTrue(any(hit.get("address", "").startswith("closed/") for hit in mine["hits"]))
            self.assertFalse(any(hit.get("address", "").startswith("closed/") for hit in theirs["hits"]))
            self.assertLess(theirs["total"], mine["total"])
        self.assertEqual(set(self.get("ns:closed")["counts"].values()), {0})
        old = self.koya.get("/v1/modules/search?q=tokyo").json()["modules"]
        self.assertEqual([each["id"] for each in old], ["acme/network/aws/1.1.0"])
        old = self.koya.get("/v1/modules/search?q=tokyo", token=self.koya.token).json()["modules"]
        self.assertEqual(len(old), 2)

    def test_the_command(self):
        run = self.koya.cli("search", "private", "subnet", "--namespace", "acme")
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.splitlines()
        self.assertEqual(lines[0], "resource   aws_subnet.private  acme/network/aws 1.1.0")
        self.assertIn("           The private subnets.", lines)
        self.assertFalse([line for line in lines if "*" in line], "what is piped is plain")
        run = self.koya.cli("search", "cidr", "--kind", "input", "--limit", "1", "--json")
        answer = json.loads(run.stdout)
        self.assertEqual(answer, self.get("cidr kind:input", token=self.koya.token, limit=1))
        self.assertEqual(answer["meta"]["next_offset"], 1)
        run = self.koya.cli("search", "nowhere-to-be-found")
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertIn("no results", run.stderr)

    def test_what_is_deprecated_comes_last_and_what_is_withdrawn_is_gone(self):
        for version in ("1.0.0", "1.1.0"):
            publish(self.koya, "acme/older", version, release(version, key("ed25519"),
                                                              type_name="older"))
        self.koya.publish("acme/older/aws", "1.0.0", tar_gz(NETWORK))
        self.reindex()
        self.assertEqual(len(found(self.get("older kind:module,provider"))), 2)
        self.assertEqual(self.koya.cli("deprecate", "acme/older", "1.1.0", "--message",
                                       "Use demo.").returncode, 0)
        hits = self.get("older kind:module,provider")["hits"]
        self.assertEqual([(hit["kind"], hit["deprecated"]) for hit in hits],
                         [("module", False), ("provider", True)])
        self.assertEqual(found(self.get("older deprecated:yes")), [("provider", "acme/older", "older")])
        for address in ("acme/older/aws", "acme/older"):
            version = "1.0.0" if address.endswith("aws") else "1.1.0"
            run = self.koya.cli("withdraw", address, version, "--reason", "wrong", "--yes")
            self.assertEqual(run.returncode, 0, run.stderr)
        hits = self.get("older kind:module,provider")["hits"]
        self.assertEqual([(hit["kind"], hit["version"]) for hit in hits], [("provider", "1.0.0")])

    def test_reindexing_takes_an_administrator(self):
        made = json.loads(self.koya.cli("token", "create", "reader", "--scope", "read",
                                        "--json").stdout)
        for token, status in ((None, 401), (made["token"], 403)):
            answer = self.koya.request("POST", "/api/v1/reindex", b"{}", token=token)
            self.assertEqual(answer.status, status, answer)

    def test_what_was_published_is_found_at_once(self):
        for number in range(8):
            self.koya.publish(f"acme/atonce{number}/aws", "1.0.0", tar_gz({"main.tf": ""}))
            self.assertEqual(self.get(f"atonce{number} kind:module")["total"], 1, number)
            old = self.koya.get(f"/v1/modules/search?q=atonce{number}").json()
            self.assertEqual([each["name"] for each in old["modules"]], [f"atonce{number}"])


class Reindex(koya_e2e.TestCase):
    def test_a_stopped_servers_data_and_the_background(self):
        koya = self.server()
        koya.publish("acme/network/aws", "1.0.0", tar_gz(NETWORK))
        koya.stop()
        run = koya_e2e.cli("reindex", "--data", koya.data, "--json", home=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["indexed"], 1)
        koya.start()
        self.assertEqual(koya.get("/api/v1/search?q=cidr_block%20host:here").json()["total"], 1)
        # What the index lacks gets into it by itself.
        koya.publish("acme/other/aws", "1.0.0", tar_gz(NETWORK))
        koya.stop()
        koya.start()
        wait_until(lambda: koya.get("/api/v1/search?q=cidr_block%20host:here").json()["total"] == 2,
                   "the background has indexed it")


if __name__ == "__main__":
    koya_e2e.main()
