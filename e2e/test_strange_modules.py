"""Modules that are strange inside are published like others: what cannot be read is told, with its
place, nothing takes long, and the server's memory stays bounded.
"""
import pathlib
import random
import time

import koya_e2e
from koya_e2e import tar_gz, wait_until

# Generous: sanitizers and busy machines are slow. What would be quadratic takes many times as long.
LONGEST = 120  # seconds
# MB above rest, at the worst moment: half of it is the texts, which may be 96 MB, read twice.
MOST_MEMORY = 900
MOST_LEFT = 200  # MB above rest, some seconds later


def resident(pid, what="VmRSS"):
    """In MB: now, or with VmHWM at most so far."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split(f"{what}:")[1].split()[0]) // 1024


def letters(count):
    """What packs badly, so that no archive is a bomb."""
    return random.Random(7).randbytes(count // 2).hex()


def circle():
    return {"main.tf": 'module "a" {\n  source = "./modules/a"\n}\n',
            "modules/a/main.tf": 'module "b" {\n  source = "../b"\n}\n',
            "modules/b/main.tf": 'module "a" {\n  source = "../a"\n}\n'}


class Strange(koya_e2e.SharedServerTestCase):
    def publish(self, name, files):
        """The answer, and what is inside then."""
        begin = time.monotonic()
        address = f"acme/{name}/aws"
        answer = self.koya.put_module(address, "1.0.0", tar_gz({"main.tf": "", **files}),
                                      timeout=LONGEST)
        self.assertEqual(answer.status, 201, answer)
        inside = self.koya.get(f"/api/v1/modules/{address}/1.0.0", token=self.koya.token).json()
        self.assertLess(time.monotonic() - begin, LONGEST)
        return answer.json(), inside

    def assert_warned(self, published, file, line, words):
        for each in published["warnings"]:
            if each["file"] == file and words in each["text"] and line in (None, each["line"]):
                return
        self.fail(f"no warning about {file}:{line} says {words!r}: {published['warnings'][:5]}")

    def test_a_hundred_thousand_variables(self):
        text = "".join(f'variable "v{i}" {{}}\n' for i in range(100_000))
        before = resident(self.koya.process.pid)
        published, inside = self.publish("many", {"many.tf": text})
        self.assertEqual(published["warnings"], [])
        self.assertEqual(len(inside["root"]["inputs"]), 100_000)
        self.assertEqual(inside["root"]["inputs"][-1]["line"], 100_000)
        pid = self.koya.process.pid
        self.assertLess(resident(pid, "VmHWM") - before, MOST_MEMORY)
        wait_until(lambda: resident(pid) - before < MOST_LEFT, "the memory is given back", 40)

    def test_fifty_megabytes_of_one_line(self):
        published, inside = self.publish("line", {
            "line.tf": f'variable "a" {{ default = "{letters(50_000_000)}" }}\n',
            "good.tf": 'variable "good" {}\n'})
        self.assert_warned(published, "line.tf", None, "")
        self.assertEqual([each["name"] for each in inside["root"]["inputs"]], ["good"])

    def test_ten_thousand_nested_blocks(self):
        published, inside = self.publish("deep", {"deep.tf": "a {\n" * 10_000 + "}\n" * 10_000,
                                                  "good.tf": 'variable "good" {}\n'})
        self.assert_warned(published, "deep.tf", None, "")
        self.assertEqual([each["name"] for each in inside["root"]["inputs"]], ["good"])

    def test_a_heredoc_without_an_end(self):
        published, _ = self.publish("heredoc", {"a.tf": 'variable "a" {\n  default = <<E\n  text\n'})
        self.assert_warned(published, "a.tf", None, "")

    def test_a_byte_order_mark_and_other_ends_of_lines(self):
        published, inside = self.publish("crlf", {
            "a.tf": "\ufeff".encode() + b'variable "a" {\r\n  type = string\r\n}\r\n'})
        self.assertEqual(published["warnings"], [])
        self.assertEqual(inside["root"]["inputs"][0]["type"], "string")

    def test_what_is_no_utf_8(self):
        published, _ = self.publish("bytes", {"a.tf": b'variable "a" {\n  default = "\xff\xfe"\n}\n'})
        self.assert_warned(published, "a.tf", None, "UTF-8")

    def test_json_with_a_name_twice(self):
        published, _ = self.publish("twice", {
            "a.tf.json": '{"variable": {"a": {"type": "string"}, "a": {"type": "number"}}}'})
        self.assert_warned(published, "a.tf.json", None, "")

    def test_a_type_that_is_none(self):
        published, inside = self.publish("types", {
            "a.tf": 'variable "a" {\n  type = lst(strng)\n}\n'})
        self.assert_warned(published, "a.tf", 2, "")
        self.assertEqual(inside["root"]["inputs"][0]["type"], "lst(strng)", "as it was written")

    def test_modules_that_call_each_other(self):
        published, inside = self.publish("circle", circle())
        self.assertTrue(published["warnings"])
        self.assertEqual([each["path"] for each in inside["submodules"]],
                         ["modules/a", "modules/b"])

    def test_a_readme_of_twenty_megabytes(self):
        words = letters(20_000_000)
        lines = "\n\n".join(words[at:at + 2000] for at in range(0, len(words), 2000))
        self.publish("readme", {"README.md": "# Long\n\n" + lines})
        readme = self.koya.get("/api/v1/modules/acme/readme/aws/1.0.0/readme",
                               token=self.koya.token).json()
        self.assertTrue(readme["truncated"])
        self.assertLess(len(readme["html"]), 300_000)
        self.assertTrue(readme["html"].startswith('<h2 id="user-long">'))
        self.assertIn("Long</a></h2>", readme["html"][:200])


if __name__ == "__main__":
    koya_e2e.main()
