"""How much one token or one address may ask for: a running server with limits, and two of them that
share a database."""
import json
import unittest
import urllib.request

import koya_e2e
from koya_e2e import tar_gz, wait_until
from test_postgres import POSTGRES, TwoServers

VERSIONS = "/v1/modules/acme/vpc/aws/versions"
DISCOVERY = "/.well-known/terraform.json"
NOISE = bytes(range(256)) * 400
# The servers tell each other every two seconds.
KNOWN_WITHIN_SECONDS = 15


def token_named(server, name, token):
    answer = server.request("POST", "/api/v1/tokens", json.dumps({"name": name, "scope": "read"}),
                            token=token)
    return answer.json()["token"]


class Limits(koya_e2e.TestCase):
    def check_refused(self, answer, limit):
        self.assertEqual(answer.status, 429, answer)
        self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        self.assertIn(limit, answer.errors())

    def statuses(self, server, path, times, token=None):
        with server.one_connection() as asked:
            answers = [asked.get(path, token=token) for _ in range(times)]
        return answers, [answer.status for answer in answers]

    def test_nobody_is_limited_unless_it_is_said(self):
        koya = self.server()
        _, statuses = self.statuses(koya, DISCOVERY, 300)
        self.assertEqual(set(statuses), {200})

    def test_requests_of_a_token_and_of_an_address(self):
        koya = self.server("--limits.token_requests", "20", "--limits.address_requests", "5")
        koya.publish("acme/vpc/aws", "1.0.0", tar_gz({"main.tf": ""}))
        answers, statuses = self.statuses(koya, DISCOVERY, 50)
        self.assertEqual(set(statuses[:5]), {200})
        self.assertIn(429, statuses)
        self.check_refused(answers[statuses.index(429)], "limits.address_requests")
        # Whoever has a token is not kept from asking by those who have none, nor by other tokens.
        first, second = (token_named(koya, name, koya.token) for name in ("first", "second"))
        answers, statuses = self.statuses(koya, VERSIONS, 200, token=first)
        self.assertEqual(set(statuses[:20]), {200})
        self.assertIn(429, statuses)
        self.check_refused(answers[statuses.index(429)], "limits.token_requests")
        self.assertEqual(koya.get(VERSIONS, token=second).status, 200)
        wait_until(lambda: koya.get(VERSIONS, token=first).status == 200, "it may ask again")
        with urllib.request.urlopen(koya.dev_environment["KOYA_METRICS"] + "/metrics") as metrics:
            text = metrics.read().decode()
        for limit in ("limits.token_requests", "limits.address_requests"):
            self.assertIn(f'koya_limit_reached_total{{limit="{limit}"}}', text)

    def test_bytes_of_a_day_are_those_that_were_sent_and_outlive_a_restart(self):
        arguments = ("--limits.address_bytes_per_day", "300KiB")
        koya = self.server(*arguments)
        koya.publish("acme/vpc/aws", "1.0.0", tar_gz({"main.tf": "", "noise": NOISE}))
        # The archive is packed: what counts is what is sent. A HEAD has no body.
        path = koya.archive_path("acme/vpc/aws", "1.0.0")
        size = len(koya.get(path).body)
        for _ in range(5):
            self.assertEqual(koya.request("HEAD", path).status, 200)
        allowed = 300 * 1024 // size
        _, statuses = self.statuses(koya, path, allowed + 10)
        self.assertEqual(set(statuses[:allowed - 3]), {200})
        self.assertEqual(statuses[-1], 429)
        answer = koya.get(VERSIONS)
        self.check_refused(answer, "limits.address_bytes_per_day")
        self.assertLessEqual(int(answer.headers["retry-after"]), 86400)
        self.assertEqual(koya.get(VERSIONS, token=koya.token).status, 200)
        koya.stop()
        koya.start()
        wait_until(lambda: koya.get(VERSIONS).status == 429, "the day goes on",
                   KNOWN_WITHIN_SECONDS)


@unittest.skipUnless((POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class SharedLimits(TwoServers):
    ARGUMENTS = ("--limits.token_bytes_per_day", "64KiB")

    def test_what_one_server_sent_counts_on_the_other(self):
        token = token_named(self.one, "shared", self.two.token)
        self.publish(self.one, "acme/vpc/aws", "1.0.0", self.two.token)
        self.assertEqual(self.two.get(VERSIONS, token=token).status, 200)
        with self.one.one_connection() as asked:
            for _ in range(5000):
                if asked.get(VERSIONS, token=token).status == 429:
                    break
        wait_until(lambda: self.two.get(VERSIONS, token=token).status == 429,
                   "the other server knows", KNOWN_WITHIN_SECONDS)


if __name__ == "__main__":
    koya_e2e.main()
