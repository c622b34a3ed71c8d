"""`koya publish modules`: a repository of many modules, by tags and by rules, to a real server."""
import json
import subprocess

import koya_e2e
from koya_e2e import write_files

LEAF = 'output "leaf" {\n  value = "leaf"\n}\n'
RULES = '''namespace = "%s"

[[module]]
tag    = "{name}-v{version}"
folder = "modules/{name}"
module = "{name}/aws"
'''


def calls(source):
    return f'module "common" {{\n  source = "{source}"\n}}\n'


class PublishModules(koya_e2e.SharedServerTestCase):
    def setUp(self):
        super().setUp()
        self.repository = self.folder / "infra"

    def write(self, files):
        write_files(self.repository, files)

    def run_it(self, *arguments, **environment):
        return koya_e2e.cli("publish", "modules", self.repository, *arguments,
                            environment={**self.koya.dev_environment, **environment})

    def succeed(self, *arguments):
        run = self.run_it(*arguments)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def refuse(self, words, *arguments, status=1, **environment):
        run = self.run_it(*arguments, **environment)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        self.assertIn(words, run.stderr)

    def names(self, address, version):
        """The files of a package as it is served."""
        return koya_e2e.names_in(self.koya.download(address, version))

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.repository), "-c", "user.name=t",
                        "-c", "user.email=t@example.com", *arguments], check=True,
                       capture_output=True, env=koya_e2e.clean_environment(HOME="/nonexistent"))

    def test_a_tag_publishes_its_module_once(self):
        self.write({"koya.toml": RULES % "tags", "modules/vpc/main.tf": LEAF,
                    "modules/db/main.tf": LEAF})
        out = self.succeed("--tag", "vpc-v1.2.0")
        self.assertIn("Published tags/vpc/aws 1.2.0", out)
        self.assertIn(f'source  = "{self.koya.address}/tags/vpc/aws"', out)
        self.assertEqual(self.koya.get("/v1/modules/tags/vpc/aws/1.2.0").status, 200)
        self.assertEqual(self.koya.get("/v1/modules/tags/db/aws/1.2.0").status, 404)
        self.assertIn("Already published, unchanged: tags/vpc/aws 1.2.0",
                      self.succeed("--tag", "vpc-v1.2.0"))
        self.write({"modules/vpc/main.tf": LEAF + "# changed\n"})
        self.refuse("already published with other content", "--tag", "vpc-v1.2.0")
        self.refuse("already published with other content", "--version", "1.2.0")
        # The others are published all the same, and the document says both.
        self.assertEqual(self.koya.get("/v1/modules/tags/db/aws/1.2.0").status, 200)
        document = json.loads(self.run_it("--version", "1.2.0", "--json").stdout)
        self.assertEqual([each["folder"] for each in document["published"]], ["modules/db"])
        self.assertEqual([each["address"] for each in document["failed"]], ["tags/vpc/aws"])

    def test_tags_of_release_tools_need_no_rule(self):
        self.write({"modules/network/main.tf": LEAF, "terraform-gcp-lb/main.tf": LEAF})
        for number, tag in enumerate(("network-v1.%s.0", "modules/network/v1.%s.0",
                                      "network@1.%s.0")):
            out = self.succeed("--tag", tag % number, "--namespace", "tools", "--system", "aws")
            self.assertIn(f"Published tools/network/aws 1.{number}.0", out)
        self.assertIn("Published tools/lb/gcp 2.0.0", self.succeed(
            "--tag", "terraform-gcp-lb-v2.0.0", "--namespace", "tools"))
        self.refuse("pass --system", "--tag", "network-v2.0.0", "--namespace", "tools")
        self.repository = self.folder / "terraform-aws-vpc"
        self.write({"main.tf": LEAF})
        self.assertIn("Published tools/vpc/aws 1.0.0", self.succeed(
            "--tag", "v1.0.0", "--namespace", "tools"))

    def test_modules_go_with_what_they_call(self):
        self.write({"koya.toml": RULES % "with" + 'with = ["templates"]\n',
                    "templates/user.tpl": "hello", "templates/.terraformignore": "*.bak\n",
                    "templates/old.bak": "no", "modules/common/main.tf": calls("../base"),
                    "modules/vpc/main.tf": calls("../common"), "modules/base/main.tf": LEAF,
                    "modules/other/main.tf": LEAF})
        out = self.succeed("--tag", "vpc-v1.0.0")
        self.assertIn("/with/vpc/aws//modules/vpc\"", out)
        names = self.names("with/vpc/aws", "1.0.0")
        self.assertEqual(sorted(names), [
            "modules/base/main.tf", "modules/common/main.tf", "modules/vpc/main.tf",
            "templates/.terraformignore", "templates/user.tpl"])

    def test_packages_have_the_module_below_modules(self):
        self.write({"koya.toml": RULES % "below", "modules/vpc/main.tf": calls("../common"),
                    "modules/common/main.tf": LEAF, "modules/bad/main.tf": calls("../../../out"),
                    "modules/gone/main.tf": calls("../nothing")})
        document = json.loads(self.succeed("--tag", "vpc-v1.0.0", "--json"))
        [published] = document["published"]
        self.assertEqual(published["subfolder"], "modules/vpc")
        self.assertEqual(sorted(self.names("below/vpc/aws", "1.0.0")),
                         ["modules/common/main.tf", "modules/vpc/main.tf"])
        self.refuse("modules/bad/main.tf:1 calls ../../../out, which is no folder of this "
                    "repository", "--tag", "bad-v1.0.0")
        self.refuse("calls ../nothing", "--tag", "gone-v1.0.0")

    def test_only_what_changed_is_published(self):
        self.write({"koya.toml": RULES % "since", "modules/vpc/main.tf": calls("../common"),
                    "modules/common/main.tf": LEAF, "modules/db/main.tf": LEAF})
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "one")
        self.git("tag", "start")
        since = ("--version", "1.0.0", "--changed-since", "start")
        self.assertIn("Nothing to publish", self.succeed(*since))
        self.assertEqual(json.loads(self.succeed(*since, "--json")),
                         {"published": [], "failed": []})
        self.write({"modules/common/main.tf": LEAF + "# changed\n"})
        self.git("commit", "--quiet", "--all", "-m", "two")
        document = json.loads(self.succeed(*since, "--dry-run", "--json"))
        self.assertEqual([each["folder"] for each in document["published"]],
                         ["modules/common", "modules/vpc"])
        self.assertEqual(self.koya.get("/v1/modules/since/vpc/aws/1.0.0").status, 404)
        self.refuse("git cannot compare with \"never\"", "--version", "1.0.0", "--changed-since",
                    "never")
        self.refuse("git is not installed", *since, PATH=str(self.folder))

    def test_bad_input_is_refused_before_anything_is_sent(self):
        self.write({"modules/vpc/main.tf": LEAF, "a/main.tf": LEAF, "a-1.0.0/main.tf": LEAF})
        self.refuse("pass --namespace", "--tag", "vpc-v1.0.0")
        rest = ("--namespace", "bad", "--system", "aws")
        self.refuse('looked for "db" and "…/db"', "--tag", "db-v1.0.0", *rest)
        self.refuse('"a" at 1.0.0-1.0.0, and "a-1.0.0" at 1.0.0', "--tag", "a-1.0.0-1.0.0", *rest)
        self.refuse("does not end in a semantic version", "--tag", "vpc", *rest)
        self.refuse("--tag or --version", status=2)
        self.refuse("--tag", "--tag", "vpc-v1.0.0", "--version", "1.0.0", status=2)
        self.refuse("write MAJOR.MINOR.PATCH", "--version", "1.0", status=2)
        self.write({"koya.toml": 'namespace = "bad"\n[[module]\n'})
        self.refuse("koya.toml:2: this is not TOML", "--tag", "vpc-v1.0.0")
        self.write({"koya.toml": '[server]\nlisten = "x"\n'})
        self.refuse('koya.toml:1: unknown key "server"', "--tag", "vpc-v1.0.0")
        self.write({"koya.toml": RULES % "bad" + 'with = ["none"]\n'})
        self.refuse('"none", which is no folder', "--tag", "vpc-v1.0.0")
        self.repository = self.folder / "nowhere"
        self.refuse("is not a folder", "--tag", "vpc-v1.0.0", *rest)
        self.assertEqual(self.koya.get("/v1/modules/bad").json()["modules"], [])


if __name__ == "__main__":
    koya_e2e.main()
