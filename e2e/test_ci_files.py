"""The files of ci/: their steps, run in order as a runner does, publish to a real server without a
stored secret. The issuer is scripted; install.sh, which only a release has, is a stub unless
$KOYA_BIN is one. KOYA_CI_ROOT: the steps run in that root, by chroot, which sees $TMPDIR (soak)."""
import os
import re
import shutil
import subprocess
import sys
import time

import koya_e2e
from koya_issuer import Issuer
from koya_e2e import ROOT, write_files

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(koya_e2e.SKIPPED)

JOB = {"repository": "acme/infra", "ref": "refs/tags/v1.0.0", "ref_type": "tag"}
LEAF = 'output "leaf" {\n  value = "leaf"\n}\n'
# In front of the real one: knows install.sh alone, and wants a token there.
CURL = """#!/bin/bash
set -eu
for word; do case $word in */-/cli/install.sh) wanted=1 ;; esac; done
[ -n "${wanted:-}" ] || exec "$REAL_CURL" "$@"
grep -q '^header = "Authorization: Bearer koya_' || exit 22
while [ "$1" != -o ]; do shift; done
printf 'set -eu\\nmkdir -p "$PREFIX/bin"\\nln -sf "%s" "$PREFIX/bin/koya"\\n' "$KOYA_PROGRAM" >"$2"
"""


class CiFiles(koya_e2e.SharedServerTestCase):
    ARGUMENTS = ("--upstream.allow_private_addresses", "127.0.0.0/8", "--access.anonymous", "none")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        keys = cls.shared_folder / "issuer"
        keys.mkdir()
        cls.issuer = cls.enterClassContext(Issuer(keys))
        tools = cls.shared_folder / "tools"
        tools.mkdir()
        (tools / "curl").write_text(CURL)
        (tools / "curl").chmod(0o755)
        released = cls.koya.get("/-/cli/", token=cls.koya.token).json()["platforms"]
        cls.tools = None if released else tools

    def setUp(self):
        super().setUp()
        self.issuer.claims = dict(JOB)
        self.repository = write_files(self.folder / "repository", {"main.tf": LEAF})
        self.runner = self.folder / "runner"
        self.runner.mkdir()

    def trust(self, namespace):
        for words in (("namespace", "set", namespace, "--visibility", "public"),
                      ("trust", "add", namespace, "--issuer", self.issuer.url, "--claim",
                       "repository=acme/infra", "--claim", "ref=refs/tags/*")):
            run = self.koya.cli(*words)
            self.assertEqual(run.returncode, 0, run.stderr)

    def exists(self, address, version="1.0.0"):
        return self.koya.get(f"/v1/modules/{address}/{version}", token=self.koya.token).status == 200

    def another_job(self):
        """The identity of each is good once."""
        self.issuer.claims = {**self.issuer.claims, "jti": str(time.monotonic_ns())}

    def environment(self, **more):
        """A job's: nothing of the registry's in it but the authority that signs its certificate."""
        plain = koya_e2e.clean_environment(HOME=str(self.runner), **more)
        authority = self.koya.dev_environment["SSL_CERT_FILE"]
        if self.tools is None:
            return {**plain, "SSL_CERT_FILE": authority}
        return {**plain, "PATH": f"{self.tools}:{plain['PATH']}", "KOYA_PROGRAM": str(koya_e2e.KOYA),
                "REAL_CURL": shutil.which("curl"), "SSL_CERT_FILE": authority}

    def shell(self, script, environment):
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        if "KOYA_CI_ROOT" in os.environ:
            words = ["chroot", os.environ["KOYA_CI_ROOT"], "env", "-C", self.repository, *words]
        return subprocess.run(words, cwd=self.repository, env=environment, capture_output=True,
                              text=True, timeout=120)

    def no_secret_is_left(self):
        for path in [*self.runner.rglob("*"), *self.repository.rglob("*")]:
            # The runner itself deletes what a step put out.
            installed = "-linux-" in str(path)
            if path.is_file() and not path.is_symlink() and path.name != "output" and not installed:
                self.assertFalse(re.search(r"koya_[a-z]*_?\w{16}", path.read_text()), path)

    # ---- GitHub Actions

    def github(self, permitted=True, **inputs):
        """Runs the steps until one fails: its status, the output of all, and its name."""
        self.another_job()
        action = yaml.safe_load((ROOT / "ci/github/action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        facts = {"github.ref_name": "v1.0.0"}
        for name, of in action["inputs"].items():
            self.assertTrue(name in inputs or "default" in of or of.get("required"), name)
            facts[f"inputs.{name}"] = inputs.pop(name, None) or self.filled(
                of.get("default", self.koya.url if name == "server" else ""), facts)
        self.assertEqual(inputs, {}, "unknown inputs")
        files = {f"GITHUB_{name.upper()}": self.runner / name
                 for name in ("env", "output", "step_summary")}
        job = self.environment(RUNNER_TEMP=str(self.runner), **{k: str(v) for k, v in files.items()},
                               **(self.issuer.github() if permitted else {"GITHUB_ACTIONS": "true"}))
        said = ""
        for step in action["runs"]["steps"]:
            self.assertLessEqual(set(step), {"name", "id", "shell", "env", "run"})
            self.assertNotIn("${{", step["run"], "an input in a script is a way to inject one")
            files["GITHUB_OUTPUT"].write_text("")
            values = {name: self.filled(value, facts) for name, value in step["env"].items()}
            run = self.shell(step["run"], {**job, **values})
            said += run.stdout + run.stderr
            if run.returncode != 0:
                break
            for line in files["GITHUB_OUTPUT"].read_text().splitlines():
                name, _, value = line.partition("=")
                facts[f"steps.{step.get('id')}.outputs.{name}"] = value
        return run.returncode, said, step["name"]

    def filled(self, text, facts):
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: facts[found[1]], str(text))

    def summary(self):
        return (self.runner / "step_summary").read_text()

    def test_github_publishes_a_module(self):
        self.trust("hub")
        status, said, _ = self.github(address="hub/vpc/aws")
        self.assertEqual(status, 0, said)
        self.assertTrue(self.exists("hub/vpc/aws"))
        self.assertIn(f'module "vpc" {{\n  source  = "{self.koya.address}/hub/vpc/aws"\n'
                      '  version = "1.0.0"\n}\n', self.summary())
        self.assertIn("# Published hub/vpc/aws 1.0.0", self.summary())
        masked = re.findall("::add-mask::(.*)", said)
        self.assertEqual(len(masked), 2)
        for secret in masked:
            self.assertEqual(said.count(secret), 1, "shown only to be hidden")
        self.no_secret_is_left()

    def test_github_publishes_the_modules_of_a_tag(self):
        self.trust("many")
        write_files(self.repository, {
            "koya.toml": 'namespace = "many"\n[[module]]\ntag = "{name}-v{version}"\n'
                         'folder = "modules/{name}"\n',
            "modules/vpc/main.tf": 'module "x" {\n  source = "../base"\n}\n',
            "modules/base/main.tf": LEAF})
        status, said, _ = self.github(kind="modules", tag="vpc-v1.0.0", system="aws")
        self.assertEqual(status, 0, said)
        self.assertTrue(self.exists("many/vpc/aws"))
        self.assertIn("/many/vpc/aws//modules/vpc", self.summary())
        status, said, _ = self.github(kind="modules", version="2.0.0", address="many", system="aws")
        self.assertEqual(status, 0, said)
        self.assertTrue(self.exists("many/base/aws", "2.0.0"))

    def test_github_says_why_it_fails(self):
        self.trust("own")
        first = "Exchange the job's identity for a token"
        for claims, words, inputs in (
                ({**JOB, "repository": "evil/infra"}, "evil/infra", {}),
                (JOB, "token is rejected", {"audience": "https://another.example"}),
                (JOB, "does not let this job publish in \"other\"", {"address": "other/vpc/aws"}),
                (JOB, "no namespace", {"address": "\"x/y/z"}),
                (JOB, "permissions: id-token: write", {"permitted": False})):
            with self.subTest(words):
                self.issuer.claims = claims
                status, said, step = self.github(**{"address": "own/vpc/aws", **inputs})
                self.assertEqual((status, step), (1, first), said)
                self.assertIn("::error title=Koya::", said)
                self.assertIn(words, said)
        self.issuer.claims = dict(JOB)
        status, said, step = self.github(address="own/vpc/aws", kind="modul")
        self.assertEqual((status, step), (1, "Publish"), said)
        self.assertIn("kind is module, modules or provider", said)
        status, said, step = self.github(address="own/vpc/aws", version="1.0")
        self.assertEqual((status, step), (2, "Publish"), said)
        self.assertFalse(self.exists("own/vpc/aws"))

    # ---- GitLab CI

    def gitlab(self, token=None, **inputs):
        self.another_job()
        spec, jobs = yaml.safe_load_all((ROOT / "ci/gitlab/publish.yml").read_text())
        [job] = jobs.values()
        inputs = {"server": self.koya.url, **inputs}
        known = spec["spec"]["inputs"]
        self.assertLessEqual(set(inputs), set(known))
        values = {name: inputs.get(name, (of or {}).get("default")) for name, of in known.items()}
        fill = lambda text: re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: values[found[1]], text)
        script = "\n".join(job["script"])
        self.assertNotIn("$[[", script, "an input in a script is a way to inject one")
        variables = {"CI_COMMIT_TAG": "v1.0.0"}
        for name, value in job["variables"].items():
            variables[name] = re.sub(r"\$(\w+)", lambda found: variables[found[1]], fill(value))
        for name, of in job["id_tokens"].items():
            variables[name] = token or self.issuer.token(fill(of["aud"]))
        run = self.shell(script, self.environment(TMPDIR=str(self.runner), **variables))
        return run.returncode, run.stdout + run.stderr

    def test_gitlab_publishes_a_module(self):
        self.trust("lab")
        status, said = self.gitlab(address="lab/vpc/aws")
        self.assertEqual(status, 0, said)
        self.assertTrue(self.exists("lab/vpc/aws"))
        self.assertIn(f'source  = "{self.koya.address}/lab/vpc/aws"', said)
        self.no_secret_is_left()
        status, said = self.gitlab(address="lab", kind="modules", version="3.0.0", system="aws")
        self.assertEqual(status, 1, said)
        self.assertIn("there is no module folder", said)

    def test_gitlab_says_why_it_fails(self):
        self.trust("dom")
        other = self.issuer.token("https://another.example")
        for words, inputs in (("token is rejected", {"token": other}),
                              ("publish in \"none\"", {"address": "none/vpc/aws"}),
                              ("no namespace", {"address": ""})):
            with self.subTest(words):
                status, said = self.gitlab(**{"address": "dom/vpc/aws", **inputs})
                self.assertEqual(status, 1, said)
                self.assertIn(words, said)
        self.issuer.claims = {**JOB, "ref": "refs/heads/dev"}
        status, said = self.gitlab(address="dom/vpc/aws")
        self.assertEqual(status, 1, said)
        self.assertIn("refs/heads/dev", said)
        self.assertFalse(self.exists("dom/vpc/aws"))


if __name__ == "__main__":
    koya_e2e.main()
