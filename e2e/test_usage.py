"""A real client installs a module and a provider, and Koya counts who fetched what, exactly.

usage: test_usage.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. A stop writes down what was counted, so that
nobody waits for the minute to end.
"""
import itertools
import json

import koya_client
from koya_client import Client, ClientTestCase
from koya_e2e import PLAIN_MODULE, tar_gz, write_files
from koya_provider import key, publish, release

LABEL = "payments-prod"
NAMES = itertools.count()


class Consumer(Client):
    """A client of a service account, which calls itself LABEL."""

    token = None
    label = LABEL

    def environment(self):
        environment = {**super().environment(), "TF_CLI_CONFIG_FILE": str(self.folder / "tfrc")}
        (self.folder / "tfrc").write_text(
            f'credentials "{self.koya.address}" {{\n  token = "{self.token}"\n}}\n')
        if self.label:
            environment["TF_APPEND_USER_AGENT"] = f"koya-consumer/{self.label}"
        return environment

    def configure(self, module, provider, version="1.0.0"):
        host = self.koya.address
        write_files(self.config, {"main.tf": f"""
terraform {{
  required_providers {{
    demo = {{
      source  = "{host}/{provider}"
      version = "{version}"
    }}
  }}
}}
module "one" {{
  source  = "{host}/{module}"
  version = "{version}"
}}
"""})
        return self


class Usage(ClientTestCase):
    def setUp(self):
        super().setUp()
        name = self.namespace_name = f"team{next(NAMES)}"
        self.namespace(name, key("ed25519"))
        self.module, self.provider = f"{name}/vpc/aws", f"{name}/demo"
        for version in ("1.0.0", "1.1.0"):
            self.koya.publish(self.module, version, tar_gz(PLAIN_MODULE))
            publish(self.koya, self.provider, version, release(version, key("ed25519")))

    def consumer(self, name, label=LABEL):
        account = f"{self.namespace_name}-{name}"
        self.command("service", "create", account)
        made = json.loads(self.command("token", "create", f"of-{account}", "--scope", "read",
                                       "--service", account, "--json"))
        consumer = Consumer(koya_client.PROGRAM, self.koya, self.folder / name)
        consumer.token, consumer.label, consumer.name = made["token"], label, f"service:{account}"
        return consumer.configure(self.module, self.provider)

    def written(self):
        """A stop writes down what was counted."""
        self.koya.stop()
        self.koya.start()

    def usage(self, address, *arguments):
        return json.loads(self.command("usage", address, "--json", *arguments))

    def counts(self, address):
        return {row["name"]: (row["count"], row["archives"]) for row in self.usage(address)["rows"]}

    def test_what_a_client_fetches_is_counted_once(self):
        consumer = self.consumer("one")
        consumer.succeed("init", "-no-color")
        self.written()
        for address in (self.module, self.provider):
            report = self.usage(address)
            self.assertEqual(self.counts(address), {"1.0.0": (1, 1)})
            self.assertEqual((report["total"], report["consumers"], report["people"]), (1, 1, 0))
            self.assertEqual([day["count"] for day in report["days"]], [1])

        # All that the second one needs is there: it looks at versions, and fetches none.
        consumer.succeed("init", "-no-color")
        self.written()
        self.assertEqual(self.counts(self.module), {"1.0.0": (1, 1)})
        self.assertEqual(self.counts(self.provider), {"1.0.0": (1, 1)})
        consumer.forget().configure(self.module, self.provider, "1.1.0")
        consumer.succeed("init", "-no-color", "-upgrade")
        self.written()
        self.assertEqual(self.counts(self.module), {"1.0.0": (1, 1), "1.1.0": (1, 1)})
        self.assertEqual(self.counts(self.provider), {"1.0.0": (1, 1), "1.1.0": (1, 1)})

        clients = [row["name"] for row in self.usage(self.module, "--by", "client")["rows"]]
        program = {"terraform": "Terraform", "tofu": "OpenTofu"}[koya_client.PROGRAM]
        self.assertEqual(len(clients), 1)
        self.assertRegex(clients[0], rf"^{program} \d+\.\d+$")
        [row] = self.usage(self.module, "--by", "consumer")["rows"]
        self.assertEqual((row["name"], row["label"], row["principal"]), (LABEL, LABEL, consumer.name))
        details = self.koya.get(f"/v1/modules/{self.module}").json()
        self.assertEqual(details["downloads"], 2)
        self.assertEqual(self.koya.get(f"/v1/modules/{self.module}/1.1.0").json()["downloads"], 1)

    def test_who_would_miss_a_version_is_told_before_it_goes(self):
        labelled, plain = self.consumer("one"), self.consumer("two", label=None)
        labelled.succeed("init", "-no-color")
        plain.configure(self.module, self.provider, "1.1.0").succeed("init", "-no-color")
        self.written()
        words = self.command("usage", self.module, "1.0.0")
        self.assertIn("1 fetch", words)
        self.assertIn("50 % of all, by 1 consumer", words)
        self.assertIn(f"{LABEL} ({labelled.name})", words)
        for line in self.command("usage", self.module).splitlines():
            self.assertLessEqual(len(line), 80, line)

        reason = ("--reason", "deletes the wrong table")
        run = self.koya.cli("withdraw", self.module, "1.0.0", *reason, "--yes")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(LABEL, run.stderr)
        self.assertEqual(run.stdout, f"Withdrew {self.module} 1.0.0\n")
        run = self.koya.cli("deprecate", self.provider, "1.1.0", "--message", "use 2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(plain.name, run.stderr)
        # What was fetched is known of what is gone, too.
        self.assertEqual(self.counts(self.module), {"1.0.0": (1, 1), "1.1.0": (1, 1)})

        lag = json.loads(self.command("usage", "lag", self.namespace_name, "--json"))
        behind = {(row["kind"], row.get("label", row.get("principal"))): row["behind"]
                  for row in lag["rows"]}
        self.assertEqual(behind[("provider", LABEL)], 1)
        self.assertEqual(behind[("provider", plain.name)], 0)

    def test_strangers_learn_numbers_and_no_names(self):
        consumer = self.consumer("one")
        consumer.succeed("init", "-no-color")
        self.written()
        path = f"/api/v1/usage/modules/{self.module}?by=consumer"
        for token in (None, consumer.token):
            report = self.koya.get(path, token=token).json()
            self.assertEqual((report["total"], report["named"], report["rows"]), (1, False, []))
        self.command("usage", "forget", consumer.name)
        report = self.usage(self.module, "--by", "consumer")
        self.assertEqual([row["name"] for row in report["rows"]], ["anonymous"])
        self.assertEqual((report["total"], report["consumers"]), (1, 0))

    def test_what_is_no_fetch(self):
        document = f"/v1/modules/{self.module}/1.0.0/download"
        archive = self.koya.archive_path(self.module, "1.0.0")  # counts one: it reads the document
        etag = self.koya.get(archive).headers["ETag"]  # and one archive
        for method, path, fields in (
                ("HEAD", document, {}), ("HEAD", archive, {}),
                ("GET", archive, {"Range": "bytes=0-9"}), ("GET", archive, {"If-None-Match": etag}),
                ("GET", f"/v1/modules/{self.module}/versions", {}),
                ("GET", f"/v1/modules/{self.module}/7.0.0/download", {})):
            self.assertIn(self.koya.request(method, path, headers=fields).status,
                          (200, 204, 206, 304, 404))
        self.written()
        self.assertEqual(self.counts(self.module), {"1.0.0": (1, 1)})
        self.assertEqual(self.usage(self.module, "--by", "client")["rows"][0]["name"], "other")


if __name__ == "__main__":
    koya_client.main()
