"""What is inside modules: a real client installs what was compared, tried and refused.

usage: test_inside.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH.
"""
import html
import itertools
import json
import re
import urllib.parse

import koya_client
import koya_e2e
from koya_client import ClientTestCase
from koya_e2e import tar_gz, write_files

FIRST = {
    "main.tf": 'variable "cidr" {\n  type = string\n}\n\nvariable "zones" {\n'
               '  type    = number\n  default = 2\n}\n\noutput "cidr" {\n  value = var.cidr\n}\n',
    "modules/sub/main.tf": 'variable "inner" {\n  default = 1\n}\n',
}
# "cidr" is gone, the default of "zones" is another one, and an output is new.
SECOND = {
    "main.tf": 'variable "zones" {\n  type    = number\n  default = 3\n}\n\n'
               'output "zones" {\n  value = var.zones\n}\n\noutput "cidr" {\n  value = "none"\n}\n',
    "modules/sub/main.tf": FIRST["modules/sub/main.tf"],
}
# The file that has "cidr" cannot be read any more.
BROKEN = {"main.tf": FIRST["main.tf"] + 'output "bad" {\n  value =\n}\n',
          "modules/sub/main.tf": FIRST["modules/sub/main.tf"]}
NAMES = itertools.count()


class RefusingServer(koya_e2e.Server):
    def __init__(self, data):
        super().__init__(data, environment={"KOYA_PUBLISH_SEMVER": "refuse"})


class Inside(ClientTestCase):
    def setUp(self):
        super().setUp()
        self.module = f"team{next(NAMES)}/vpc/aws"

    def write(self, files, name="module"):
        folder = self.folder / name
        write_files(folder, files)
        return folder

    def koya_publish(self, files, version, *arguments):
        return self.koya.cli("publish", "module", self.write(files, f"m{next(NAMES)}"),
                             self.module, version, *arguments)

    def install(self, version, arguments=""):
        client = koya_client.Client(koya_client.PROGRAM, self.koya, self.folder / f"c{version}")
        write_files(client.config, {"main.tf": f"""
module "one" {{
  source  = "{self.koya.address}/{self.module}"
  version = "{version}"
{arguments}}}
output "zones" {{
  value = module.one.zones
}}
"""})
        client.succeed("init")
        client.succeed("apply", "-auto-approve")
        return json.loads(client.run("output", "-json").stdout)

    def diff(self, start, end):
        return self.koya.get(f"/api/v1/modules/{self.module}/diff?from={start}&to={end}")


class Compared(Inside):
    def test_a_diff_says_the_same_to_people_and_programs(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        self.koya.publish(self.module, "1.1.0", tar_gz(SECOND))
        answer = self.diff("1.0.0", "1.1.0")
        self.assertEqual(answer.status, 200, answer)
        document = answer.json()
        self.assertEqual((document["verdict"], document["given"], document["agrees"],
                          document["wanted"]), ("major", "minor", False, "2.0.0"))
        self.assertEqual([(each["kind"], each["what"], each["where"], each["severity"])
                          for each in document["changes"]],
                         [("removed", 'input "cidr"', "main.tf:1", "breaking"),
                          ("changed", 'input "zones"', "main.tf:1", "read"),
                          ("added", 'output "zones"', "main.tf:6", "compatible")])
        self.assertEqual(json.loads(self.command("diff", self.module, "1.0.0", "1.1.0", "--json")),
                         document)
        text = self.command("diff", self.module, "1.0.0", "1.1.0")
        self.assertTrue(text.startswith("1.1.0 should be 2.0.0 at least"), text)
        self.assertIn('  − removed  input "cidr"  breaking  main.tf:1\n', text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        self.assertEqual(
            self.koya.cli("diff", self.module, "1.0.0", "1.1.0", "--check").returncode, 1)
        self.assertEqual(self.install("1.1.0")["zones"]["value"], 3)

    def test_a_withdrawn_version_is_compared_no_more(self):
        for version, files in (("1.0.0", FIRST), ("2.0.0", SECOND)):
            self.koya.publish(self.module, version, tar_gz(files))
        self.assertEqual(self.diff("1.0.0", "2.0.0").status, 200)
        self.command("withdraw", self.module, "1.0.0", "--reason", "leaks", "--yes")
        gone = self.diff("1.0.0", "2.0.0")
        self.assertEqual(gone.status, 410, gone)
        self.assertIn("1.0.0", str(gone.errors()))
        self.assertIn("leaks", str(gone.errors()))
        self.assertEqual(self.diff("2.0.0", "one").status, 400)

    def test_what_is_inside_is_shown(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        inside = self.koya.get(f"/api/v1/modules/{self.module}/1.0.0").json()
        for what in ("inputs", "outputs", "resources"):
            shown = json.loads(self.command("show", "module", self.module, f"--{what}", "--json"))
            self.assertEqual(shown, {what: inside["root"][what]})
        self.assertEqual(
            self.command("show", "module", self.module, "1.0.0", "--inputs"),
            f"{self.module} 1.0.0\n  Inputs 2\n    cidr   string (required)\n"
            "    zones  number = 2\n")
        self.assertIn("inner", self.command("show", "module", self.module, "--inputs",
                                            "--submodule", "modules/sub"))

    def test_a_version_is_shown_at_a_glance(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(
            {**FIRST, "LICENSE": "SPDX-License-Identifier: MIT\n",
             "CHANGELOG.md": "## 1.0.0\n\n- The first one.\n\n## 0.9.0\n\n- Older.\n"}))
        self.command("deprecate", self.module, "1.0.0", "--message", "move to 2.0.0")
        shown = self.command("show", "module", self.module)
        self.assertIn("  deprecated   move to 2.0.0\n", shown)
        self.assertIn("  licence      LICENSE: MIT\n", shown)
        self.assertIn("  inside       2 inputs (1 required), ", shown)
        self.assertIn("  submodule    modules/sub\n", shown)
        self.assertIn("  changelog\n    - The first one.\n", shown)
        self.assertNotIn("Older", shown)
        self.assertTrue(all(len(line) <= 80 for line in shown.splitlines()), shown)

    def test_what_cannot_be_read_is_said_and_counts_for_nothing(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        each_broken = ('variable "cidr" {\n  type =\n}\n\nvariable "zones" {\n  type =\n}\n\n'
                       'output "cidr" {\n  value =\n}\n')
        run = self.koya_publish({**BROKEN, "main.tf": each_broken}, "1.0.1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("koya: warning: main.tf:2: ", run.stderr)
        document = self.diff("1.0.0", "1.0.1").json()
        self.assertEqual([(each["what"], each["where"], each["severity"])
                          for each in document["changes"]], [("main.tf", "main.tf:2", "read")])
        self.assertTrue(document["agrees"], document)
        # What does not stand in it at all is gone.
        run = self.koya_publish({**BROKEN, "main.tf": 'output "bad" {\n  value =\n}\n'}, "1.0.2")
        self.assertEqual(run.returncode, 0, run.stderr)
        document = self.diff("1.0.0", "1.0.2").json()
        self.assertIn(('input "cidr"', "breaking"),
                      [(each["what"], each["severity"]) for each in document["changes"]])
        self.assertFalse(document["agrees"], document)


class Tried(Inside):
    def test_a_dry_run_tells_all_of_it_and_keeps_nothing(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        run = self.koya_publish(SECOND, "1.1.0", "--dry-run")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.startswith(f"Can be published: {self.module} 1.1.0"), run.stdout)
        self.assertIn("1.1.0 should be 2.0.0 at least", run.stdout)
        self.assertEqual(self.koya.get(f"/v1/modules/{self.module}/1.1.0").status, 404)
        run = self.koya_publish(SECOND, "1.1.0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("koya: warning: 1.1.0 should be 2.0.0 at least", run.stderr)
        self.assertEqual(self.install("1.1.0")["zones"]["value"], 3)


class Secret(Inside):
    def test_a_file_that_seems_to_hold_secrets_is_named_until_it_is_ignored(self):
        files = {**FIRST, "terraform.tfstate": "{}", "examples/one/terraform.tfvars": "a = 1\n"}
        for run in (self.koya_publish(files, "1.0.0", "--dry-run"),
                    self.koya_publish(files, "1.0.0")):
            self.assertEqual(run.returncode, 0, run.stderr)
            said = koya_client.fold(run.stdout + run.stderr)
            self.assertIn("terraform.tfstate: it seems to contain the state", said)
            self.assertNotIn("tfvars", said)
        answer = self.koya.put_module(self.module, "1.1.0", tar_gz(files)).json()
        self.assertEqual([each["file"] for each in answer["warnings"]], ["terraform.tfstate"])
        run = self.koya_publish({**files, ".terraformignore": "*.tfstate\n"}, "1.2.0")
        self.assertNotIn("seems to contain", run.stdout + run.stderr)


class Rootless(Inside):
    """Modules that are used by their submodules alone, as collections are."""

    FILES = {
        "README.md": "# Networks\n",
        "shared/sizes.tf": 'output "size" {\n  value = 24\n}\n',
        "modules/one/main.tf": 'output "zones" {\n  value = "one"\n}\n',
        "modules/two/main.tf": 'output "zones" {\n  value = "two"\n}\n',
    }

    def linked(self):
        folder = self.write(self.FILES, f"m{next(NAMES)}")
        for name in ("one", "two"):
            (folder / "modules" / name / "sizes.tf").symlink_to("../../shared/sizes.tf")
        return folder

    def test_its_submodules_are_installed_with_copies_of_what_links_lead_to(self):
        run = self.koya.cli("publish", "module", self.linked(), self.module, "1.0.0")
        self.assertEqual(run.returncode, 0, run.stderr)
        source = f"{self.koya.address}/{self.module}"
        for name in ("one", "two"):
            self.assertIn(f"koya: modules/{name}/sizes.tf is a symbolic link", run.stderr)
            self.assertIn(f'module "{name}" {{\n  source  = "{source}//modules/{name}"', run.stdout)
        self.assertIn(f'"{source}//modules/two"',
                      self.command("show", "module", self.module, "1.0.0"))
        client = koya_client.Client(koya_client.PROGRAM, self.koya, self.folder / "client")
        write_files(client.config, {"main.tf": f"""
module "two" {{
  source  = "{source}//modules/two"
  version = "1.0.0"
}}
output "zones" {{
  value = [module.two.zones, module.two.size]
}}
"""})
        client.succeed("init")
        client.succeed("apply", "-auto-approve")
        self.assertEqual(json.loads(client.run("output", "-json").stdout)["zones"]["value"],
                         ["two", 24])

    def test_its_page_and_documents_tell_of_its_submodules(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(self.FILES, top="net-1.0.0"))
        for path in ("", "/submodules", "/submodules/one", "/versions", "/files", "/inputs",
                     "/usage", "/changes"):
            with self.subTest(path):
                answer = self.koya.get(f"/modules/{self.module}/1.0.0{path}")
                self.assertEqual(answer.status, 200, answer)
        page = self.koya.get(f"/modules/{self.module}/1.0.0").body.decode()
        self.assertIn("//modules/one", re.sub(r"<[^>]*>", "", page))
        inside = self.koya.get(f"/api/v1/modules/{self.module}/1.0.0").json()
        self.assertTrue(inside["root"]["empty"])
        self.assertEqual([each["path"] for each in inside["submodules"]],
                         ["modules/one", "modules/two"])
        self.koya.publish(self.module, "1.1.0", tar_gz({**self.FILES, "main.tf": ""}))
        self.assertEqual([(each["kind"], each["what"], each["severity"])
                          for each in self.diff("1.1.0", "1.0.0").json()["changes"]
                          if each["what"] == "root"], [("removed", "root", "breaking")])

    def test_a_link_out_of_the_folder_is_refused_before_anything_is_sent(self):
        folder = self.linked()
        (folder / "modules/one/more.tf").symlink_to("/etc/hosts")
        run = self.koya.cli("publish", "module", folder, self.module, "1.0.0")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn('"modules/one/more.tf" is a symbolic link to "/etc/hosts"', run.stderr)
        write_files(folder, {".terraformignore": "more.tf\n"})
        run = self.koya.cli("publish", "module", folder, self.module, "1.0.0")
        self.assertEqual(run.returncode, 0, run.stderr)


class Refused(Inside):
    SERVER = RefusingServer

    def test_a_number_that_does_not_say_what_changed_is_refused(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        tried = self.koya_publish(SECOND, "1.1.0", "--dry-run", "--json")
        self.assertEqual(tried.returncode, 1, tried.stdout)
        self.assertIn("2.0.0", json.loads(tried.stdout)["refusal"])
        self.assertEqual(self.koya.put_module(self.module, "1.1.0", tar_gz(SECOND)).status, 422)
        run = self.koya_publish(SECOND, "1.1.0")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("1.1.0 should be 2.0.0 at least", run.stderr)
        self.assertIn('input "cidr" (main.tf:1)', run.stderr)
        run = self.koya_publish(SECOND, "2.0.0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("2.0.0 matches the changes since 1.0.0", run.stdout)
        self.assertEqual(self.install("2.0.0")["zones"]["value"], 3)

    def test_what_cannot_be_read_refuses_nothing(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        run = self.koya_publish(BROKEN, "1.0.1")
        self.assertEqual(run.returncode, 0, run.stderr)


class Pages(Inside):
    def block_of(self, path):
        """The block to copy, as somebody copies it."""
        answer = self.koya.get(path)
        self.assertEqual(answer.status, 200, answer)
        found = re.search(r'<pre id="use-code"[^>]*>(.*?)</pre>', answer.body.decode(), re.S)
        return html.unescape(re.sub(r"<[^>]*>", "", found.group(1)))

    def use(self, block, *commands):
        client = koya_client.Client(koya_client.PROGRAM, self.koya, self.folder / f"u{next(NAMES)}")
        write_files(client.config, {"main.tf": block})
        for command in commands:
            client.succeed(*command)

    def test_the_block_of_a_page_is_formatted_and_installs(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        block = self.block_of(f"/modules/{self.module}")
        self.assertIn('cidr = "" # string', block)
        self.use(block, ["fmt", "-check", "-diff"], ["init"], ["validate"])

    def test_the_form_writes_what_was_typed(self):
        files = {"main.tf": 'variable "name" {\n  type = string\n}\nvariable "rules" {\n  type = '
                            'list(object({ port = number, note = optional(string, "x") }))\n}\n'
                            'variable "count_of" {\n  type = number\n}\n'
                            'variable "settings" {\n  type = object({ deep = object({ a = bool, '
                            'longer = string }), b = string })\n}\n'}
        self.koya.publish(self.module, "1.0.0", tar_gz(files))
        page = f"/modules/{self.module}/latest/usage"
        self.use(self.block_of(page), ["fmt", "-check", "-diff"])
        typed = urllib.parse.urlencode({
            "name": 'a "b" ${c} \\', "count_of": "max( 1,2 )+-3*4",
            "rules": "[ for k,v in { a=1 } : { port=v,note =\"${k}\" } if v>0 ]"})
        self.use(self.block_of(f"{page}?{typed}"), ["fmt", "-check", "-diff"], ["init"], ["validate"])

    def test_a_deprecated_and_a_withdrawn_version_say_so(self):
        self.koya.publish(self.module, "1.0.0", tar_gz(FIRST))
        self.koya.publish(self.module, "2.0.0", tar_gz(SECOND))
        run = self.koya.cli("deprecate", self.module, "1.0.0", "--message", "too old; use 2.0.0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Deprecated", run.stdout)
        page = f"/modules/{self.module}/1.0.0"
        self.assertIn("too old; use 2.0.0", self.koya.get(page).body.decode())
        run = self.koya.cli("deprecate", self.module, "1.0.0", "--undo")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("too old", self.koya.get(page).body.decode())
        run = self.koya.cli("withdraw", self.module, "1.0.0", "--reason", "leaks", "--yes")
        self.assertEqual(run.returncode, 0, run.stderr)
        gone = self.koya.get(page)
        self.assertEqual(gone.status, 410)
        self.assertIn("leaks", gone.body.decode())


if __name__ == "__main__":
    koya_client.main()
