"""Jobs of a CI publish without a stored token: the CI's word for who they are is enough where the
namespace trusts it, and nowhere else."""
import json

import koya_e2e
from koya_issuer import Issuer

ACME = {"repository": "acme/infra", "ref": "refs/heads/main", "sha": "0123abcd"}


class TrustedPublishing(koya_e2e.SharedServerTestCase):
    ARGUMENTS = ("--upstream.allow_private_addresses", "127.0.0.0/8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        keys = cls.shared_folder / "issuer"
        keys.mkdir()
        cls.issuer = cls.enterClassContext(Issuer(keys))

    def setUp(self):
        super().setUp()
        self.issuer.claims = dict(ACME)
        self.module = koya_e2e.write_files(self.folder / "module", koya_e2e.PLAIN_MODULE)

    def succeed(self, *arguments):
        run = self.koya.cli(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def trust(self, namespace, issuer=None):
        self.succeed("namespace", "set", namespace, "--visibility", "public")
        made = json.loads(self.succeed(
            "trust", "add", namespace, "--issuer", (issuer or self.issuer).url, "--claim",
            "repository=acme/infra", "--claim", "ref=refs/heads/main", "--json"))
        return made["id"]

    def publish(self, address, version="1.0.0", **job):
        """As a job does: what it knows of the registry is its address, and no token."""
        environment = {**self.koya.dev_environment, **job}
        del environment["KOYA_TOKEN"]
        return koya_e2e.cli("publish", "module", self.module, address, version,
                            environment=environment)

    def refuse(self, words, *arguments, **job):
        run = self.publish(*arguments, **job)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(words, run.stderr)

    def exists(self, address):
        return self.koya.get(f"/v1/modules/{address}/1.0.0").status == 200

    def test_a_job_of_github_publishes_and_its_release_says_so(self):
        self.trust("hub")
        run = self.publish("hub/vpc/aws", **self.issuer.github())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("trusted publishing", run.stderr)
        shown = self.koya.get("/v1/modules/hub/vpc/aws/1.0.0").json()
        self.assertEqual({name: shown["provenance"][name] for name in ACME}, ACME)
        tokens = json.loads(self.succeed("token", "list", "--json"))["tokens"]
        [made] = [each for each in tokens if each["namespaces"] == ["hub"]]
        self.assertEqual(made["scope"], "publish")
        self.assertTrue(made["name"].startswith("ci-"), made)
        self.assertTrue(made["expires"], made)

    def test_a_job_of_gitlab_has_its_token_at_hand(self):
        self.trust("lab")
        job = {"KOYA_ID_TOKEN": self.issuer.token(self.koya.url),
               "XDG_CACHE_HOME": str(self.folder / "cache")}
        run = self.publish("lab/vpc/aws", **job)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(self.exists("lab/vpc/aws"))
        # The job's token is good once; what it got for it is for all that the job publishes.
        self.refuse("was already used in that namespace", "lab/db/aws",
                    KOYA_ID_TOKEN=job["KOYA_ID_TOKEN"])
        run = self.publish("lab/db/aws", **job)
        self.assertEqual(run.returncode, 0, run.stderr)
        [token] = json.loads(self.succeed("trust", "tokens", "lab", "--json"))["tokens"]
        self.succeed("trust", "tokens", "lab", "--end", token["name"])
        run = self.publish("lab/dns/aws", **job)
        self.assertEqual(run.returncode, 1, run.stdout)

    def test_others_are_refused_and_nothing_is_published(self):
        trusted = self.trust("own")
        self.succeed("namespace", "set", "other", "--visibility", "public")
        for name, value in (("repository", "evil/infra"), ("ref", "refs/heads/dev")):
            self.issuer.claims = {**ACME, name: value}
            self.refuse(value, "own/vpc/aws", **self.issuer.github())
        self.issuer.claims = dict(ACME)
        self.refuse("cannot publish", "other/vpc/aws", **self.issuer.github())
        elsewhere = self.issuer.token("https://another.example")
        self.refuse("token is rejected", "own/vpc/aws", KOYA_ID_TOKEN=elsewhere)
        old = self.issuer.token(self.koya.url, iat=1000000000, nbf=1000000000, exp=1000000300)
        self.refuse("token is rejected", "own/vpc/aws", KOYA_ID_TOKEN=old)
        header, claims, signature = self.issuer.token(self.koya.url).split(".")
        self.refuse("token is rejected", "own/vpc/aws",
                    KOYA_ID_TOKEN=f"{header}.{claims}.{signature[::-1]}")
        self.succeed("trust", "remove", "own", trusted)
        self.refuse("cannot publish", "own/vpc/aws", **self.issuer.github())
        for address in ("own/vpc/aws", "other/vpc/aws"):
            self.assertFalse(self.exists(address), address)

    def test_an_issuer_that_is_down_stops_nobody_whose_keys_are_known(self):
        keys = self.folder / "down"
        keys.mkdir()
        with Issuer(keys) as issuer:
            issuer.claims = {**ACME, "ref": "refs/heads/dev"}
            self.trust("down", issuer)
            self.refuse("is rejected", "down/vpc/aws", KOYA_ID_TOKEN=issuer.token("another"))
            self.assertEqual(issuer.asked, [])
            self.refuse("refs/heads/dev", "down/vpc/aws",
                        KOYA_ID_TOKEN=issuer.token(self.koya.url))
            issuer.claims = dict(ACME)
            job = {"KOYA_ID_TOKEN": issuer.token(self.koya.url)}
        run = self.publish("down/vpc/aws", **job)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(issuer.asked, ["/.well-known/openid-configuration", "/keys"])


if __name__ == "__main__":
    koya_e2e.main()
