"""deploy/monitoring: the rules fire for what they name and for nothing else, and every metric that the rules and the
dashboard name is there from the first scrape on. Prometheus and promtool are Debian's.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import urllib.parse
import urllib.request

import koya_e2e
from koya_e2e import Server, wait_until
from test_postgres import POSTGRES, Postgres, free_port

ROOT = pathlib.Path(__file__).resolve().parents[1]
MONITORING = ROOT / "deploy/monitoring"
RULES = MONITORING / "koya.rules.yaml"
RUNBOOK = ROOT / "docs/runbook.md"
DASHBOARD = json.loads((MONITORING / "koya-dashboard.json").read_text())
VARIABLES = {"$job": ".*", "$instance": ".*"}
METRIC = re.compile(r"\b(?:koya|process)_[a-z_]+\b")


def queries():
    """Every query of the dashboard, by panel, as Grafana sends it with all servers chosen."""
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            text = target["expr"]
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            yield panel["title"], text


def named_metrics():
    text = " ".join(text for _, text in queries()) + RULES.read_text()
    return {re.sub("_bucket$", "", name) for name in METRIC.findall(text)}


def address_of(server):
    """HOST:PORT of its metrics."""
    url = urllib.parse.urlsplit(server.dev_environment["KOYA_METRICS"])
    return url.netloc or url.path


def scrape(server):
    with urllib.request.urlopen(f"http://{address_of(server)}/metrics", timeout=30) as answer:
        return answer.read().decode()


class Rules(koya_e2e.TestCase):
    def setUp(self):
        if shutil.which("promtool") is None:
            self.skipTest("promtool is not installed (Debian's package prometheus)")
        super().setUp()

    def test_they_fire_for_what_they_name(self):
        for arguments in (["check", "rules", RULES], ["test", "rules", MONITORING / "koya.rules.test.yaml"]):
            run = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=120)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_each_is_tested_and_has_its_place_in_the_runbook(self):
        alerts = re.findall(r"- alert: (\w+)", RULES.read_text())
        self.assertGreaterEqual(len(alerts), 13)
        tested = re.findall(r"alertname: (\w+)", (MONITORING / "koya.rules.test.yaml").read_text())
        self.assertEqual(sorted(alerts), sorted(tested))
        headings = re.findall(r"^### (Koya\w+)$", RUNBOOK.read_text(), re.MULTILINE)
        self.assertEqual(alerts, headings)
        links = re.findall(r"runbook: docs/runbook.md#(\w+)", RULES.read_text())
        self.assertEqual([alert.lower() for alert in alerts], links)


class Metrics(koya_e2e.TestCase):
    def assert_all_there(self, server):
        there = set(re.findall(r"^# TYPE (\w+) ", scrape(server), re.MULTILINE))
        self.assertEqual(named_metrics() - there, set())
        samples = re.findall(r"^(\w+?)(?:_bucket|_sum|_count)?(?:\{|\s)", scrape(server), re.MULTILINE)
        self.assertEqual(named_metrics() - set(samples), set(), "a type without a sample")

    def test_with_sqlite_and_a_folder(self):
        with Server(self.folder / "data") as server:
            self.assert_all_there(server)

    def test_with_postgresql(self):
        if not (POSTGRES / "postgres").exists():
            self.skipTest("PostgreSQL 15 is not installed")
        folder = self.folder / "postgres"
        folder.mkdir()
        os.chmod(self.folder, 0o755)
        with Postgres(folder) as postgres:
            url = f"postgresql://koya@127.0.0.1:{postgres.port}/postgres"
            with Server(self.folder / "data", "--catalog.url", url) as server:
                self.assert_all_there(server)


class Dashboard(koya_e2e.TestCase):
    """Every query of every panel, run by promtool against a Prometheus that scrapes a server."""

    def setUp(self):
        for tool in ("prometheus", "promtool"):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed (Debian's package prometheus)")
        super().setUp()

    def start(self, target):
        """The URL of a Prometheus that scrapes `target`."""
        config = self.folder / "prometheus.yml"
        config.write_text(json.dumps({  # JSON is YAML
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "koya", "static_configs": [{"targets": [target]}]}]}))
        address = f"127.0.0.1:{free_port()}"
        log = open(self.folder / "prometheus.log", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder / 'tsdb'}",
             f"--web.listen-address={address}", "--log.level=warn"], stdout=log, stderr=log)

        def stop():
            process.terminate()
            process.wait(timeout=60)
        self.addCleanup(stop)
        return f"http://{address}"

    def query(self, url, text):
        run = subprocess.run(["promtool", "query", "instant", url, text], capture_output=True, text=True, timeout=60)
        return run.returncode, run.stdout + run.stderr

    def test_every_query_runs(self):
        with Server(self.folder / "data") as server:
            url = self.start(address_of(server))
            server.get("/v1/modules")
            seen = "count_over_time(koya_build_info[1m]) > 2"
            wait_until(lambda: "=>" in self.query(url, seen)[1], "three scrapes")
            # These divide by what a new server has not counted yet.
            may_be_empty = {"Object store", "Caches"}
            for panel, text in queries():
                with self.subTest(panel=panel):
                    status, output = self.query(url, text)
                    self.assertEqual(status, 0, f"{text}\n{output}")
                    if panel not in may_be_empty:
                        self.assertIn("=>", output, text)
            with urllib.request.urlopen(f"{url}/api/v1/rules", timeout=30) as answer:
                rules = json.load(answer)["data"]["groups"][0]["rules"]
            self.assertEqual({rule["health"] for rule in rules} - {"unknown"}, {"ok"})
            self.assertEqual([rule["name"] for rule in rules if rule["state"] == "firing"], [])

    def test_panels_have_words_and_places(self):
        places = set()
        for panel in DASHBOARD["panels"]:
            self.assertTrue(panel["title"] and panel["description"].endswith("."), panel)
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(places & cells, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24)
            places |= cells


if __name__ == "__main__":
    koya_e2e.main()
