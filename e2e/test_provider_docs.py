"""Docs and schemas of providers: published with the command line, read by HTTP, and no hindrance to
clients.

usage: test_provider_docs.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH.
"""
import gzip
import json
import os

import koya_client
from koya_client import ClientTestCase
from koya_e2e import write_files
from koya_provider import (STEM, Draft, key, package, peak_megabytes, release, signed, unsigned,
                           write_dist)

PAGES = {
    "docs/index.md": "---\npage_title: Demo\ndescription: Clouds of tofu\n---\n"
                     "# Demo\n[a thing](resources/thing.md) [elsewhere](https://example.com/)\n",
    "docs/resources/thing.md": "---\nsubcategory: Things\n---\n# demo_thing\n"
                               "<script>alert(1)</script><a name=\"top\"></a>\n",
    "docs/data-sources/thing.md": "# demo_thing data\n",
    "docs/functions/upper.md": "# upper\n",
    "docs/guides/large.md": "a" * (1 << 20) + "b",
    "docs/guides/odd.md": "---\npage_title: Odd\nsubcategory: [1, 2\n---\n# Odd\n",
    "docs/cdktf/python/resources/thing.md": "# Thing in Python\n",
}
LEGACY = {
    "website/docs/index.html.markdown": "# Old Demo\n",
    "website/docs/r/thing.html.markdown": "---\nlayout: demo\n---\n# Old thing\n",
    "docs/DESIGN.md": "# not docs\n",
}


def schema(type_name="demo", resources=1):
    attributes = {"id": {"type": "string", "computed": True},
                  "secret": {"type": "string", "optional": True, "sensitive": True}}
    block = {"version": 1, "block": {"attributes": attributes}}
    names = [f"{type_name}_thing", *(f"{type_name}_{i}" for i in range(1, resources))]
    return json.dumps({"format_version": "1.0", "provider_schemas": {
        f"registry.example.com/acme/{type_name}": {
            "provider": {"version": 0, "block": {}},
            "resource_schemas": {name: block for name in names},
            "functions": {"upper": {"return_type": "string",
                                    "parameters": [{"name": "in", "type": "string"}]}}}}})


class ProviderDocs(ClientTestCase):
    def read(self, path, status=200):
        answer = self.koya.get("/api/v1/providers/" + path)
        self.assertEqual(answer.status, status, answer)
        return answer.json()

    def publish(self, *arguments):
        return self.koya.cli("publish", "provider", *arguments)

    def test_published_read_and_installed(self):
        address = self.namespace("inside", key("ed25519")) + "/demo"
        dist = write_dist(self.folder / "dist", release("1.0.0", key("ed25519")))
        project = self.folder / "project"
        write_files(project, {**PAGES, "schema.json": schema()})
        done = self.publish(dist, address, "--docs", project, "--schema", project / "schema.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: docs/guides/large.md: this page is left out", done.stderr)
        self.assertIn("warning: docs/guides/odd.md:3: ", done.stderr)

        listed = self.read(f"{address}/1.0.0/docs")
        self.assertEqual([(each["kind"], each["name"], each["language"], each["title"])
                          for each in listed["docs"]],
                         [("data-sources", "thing", "hcl", "demo_thing data"),
                          ("functions", "upper", "hcl", "upper"),
                          ("guides", "odd", "hcl", "Odd"),
                          ("overview", "index", "hcl", "Demo"),
                          ("resources", "thing", "hcl", "demo_thing"),
                          ("resources", "thing", "python", "Thing in Python")])
        self.assertIs(listed["signed"], False, "SHA256SUMS does not list them")
        overview = self.read(f"{address}/1.0.0/docs/overview/index")
        self.assertIn(f'href="/providers/{address}/1.0.0/docs/resources/thing"', overview["html"])
        self.assertIn("nofollow", overview["html"])
        thing = self.read(f"{address}/1.0.0/docs/resources/thing")
        self.assertEqual(thing["subcategory"], "Things")
        self.assertNotIn("<script", thing["html"])
        self.assertIn("user-top", thing["html"])
        nodes = {node["name"]: node for node in thing["schema"]["nodes"]}
        self.assertEqual(nodes["secret"], {"name": "secret", "type": "string", "flags": "os"})
        python = self.read(f"{address}/1.0.0/docs/resources/thing?language=python")
        self.assertIn("Thing in Python", python["html"])
        self.read(f"{address}/1.0.0/docs/resources/nothing", 404)
        self.read(f"{address}/9.0.0/docs", 404)
        kinds = {(each["kind"], each["name"]) for each in
                 self.read(f"{address}/1.0.0/schema")["schema"]}
        self.assertEqual(kinds, {("provider", ""), ("resource", "demo_thing"),
                                 ("function", "upper")})

        words = self.command("show", "provider", address)
        self.assertIn("docs         1 data-sources, 1 functions, 1 guides, 1 overview, 1 resources "
                      "(not signed)", words)
        self.assertIn("also in python", words)
        self.assertIn("schema       1 function, 1 provider, 1 resource (not signed)", words)
        self.assertIn("docs/guides/odd.md:3: ", words)
        self.assertIn("demo_thing data", self.command("show", "provider", address, "--docs"))

        again = self.publish(dist, address, "--docs", project)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("do not change", again.stderr)
        client = self.client(demo=(address, "1.0.0"))
        client.succeed("init", "-no-color")

    def test_a_dry_run_and_the_publish_tell_the_verdict(self):
        address = self.namespace("verdict", key("ed25519")) + "/demo"
        project = self.folder / "verdict"
        write_files(project, {"old.json": schema(resources=2), "new.json": schema()})
        old = write_dist(self.folder / "verdict-old", release("1.0.0", key("ed25519")))
        done = self.publish(old, address, "--schema", project / "old.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        new = write_dist(self.folder / "verdict-new", release("1.0.1", key("ed25519")))
        verdict = "1.0.1 should be 2.0.0 at least: users have to change something."
        dry = self.publish(new, address, "--schema", project / "new.json", "--dry-run")
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertTrue(dry.stdout.startswith(f"Can be published: {address} 1.0.1 (dry run"),
                        dry.stdout)
        self.assertIn(verdict, dry.stdout)
        self.assertIn('resource "demo_1"', dry.stdout)
        self.read(f"{address}/1.0.1", 404)
        done = self.publish(new, address, "--schema", project / "new.json", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: " + verdict, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["comparison"]["verdict"], "major")
        self.assertEqual(answer["comparison"]["from"], "1.0.0")
        self.assertIs(answer["dry_run"], False)
        again = self.publish(new, address, "--dry-run")
        self.assertIn("Already published, unchanged", again.stdout)

    def test_each_without_the_other_and_the_legacy_layout(self):
        dist = write_dist(self.folder / "dist-1", unsigned("1.0.0"))
        write_files(self.folder / "legacy", LEGACY)
        write_files(self.folder, {"schema.json": schema()})
        (self.folder / "schema.json.gz").write_bytes(gzip.compress(schema().encode()))
        self.command("publish", "provider", dist, "each/demo", "--sign", "--docs",
                     self.folder / "legacy")
        docs = self.read("each/demo/1.0.0/docs")
        self.assertEqual([(each["kind"], each["title"]) for each in docs["docs"]],
                         [("overview", "Old Demo"), ("resources", "Old thing")])
        self.assertIs(docs["signed"], True)
        self.read("each/demo/1.0.0/schema", 404)
        dist = write_dist(self.folder / "dist-2", unsigned("2.0.0"))
        self.command("publish", "provider", dist, "each/demo", "--sign", "--schema",
                     self.folder / "schema.json.gz")
        self.read("each/demo/2.0.0/docs", 404)
        self.assertIn("demo_thing", json.dumps(self.read("each/demo/2.0.0/schema")))
        client = self.client(demo=("each/demo", "2.0.0"))
        client.succeed("init", "-no-color")

    def test_signed_by_their_author(self):
        author = key("ed25519")
        address = self.namespace("named", author) + "/demo"
        docs = package({name: text.encode() for name, text in PAGES.items()})
        files = unsigned("1.0.0")
        files[f"{STEM}_docs.zip"] = docs
        files[f"{STEM}_schema.json"] = schema().encode()
        files = signed(files, author)
        other = dict(files) | {f"{STEM}_docs.zip": package({"docs/index.md": b"# Other"})}
        draft = Draft(self.koya, address, "1.0.0")
        for name, data in other.items():
            self.assertEqual(draft.put(name, data).status, 200)
        refused = draft.commit()
        self.assertEqual(refused.status, 422, refused)
        self.assertIn("_docs.zip is not the file that", refused.errors())
        self.assertEqual(draft.put(f"{STEM}_docs.zip", docs).status, 200)
        done = draft.commit()
        self.assertEqual(done.status, 201, done)
        self.assertEqual({each["file"] for each in done.json()["warnings"]},
                         {"docs/guides/large.md", "docs/guides/odd.md"})
        inside = self.read(f"{address}/1.0.0")
        self.assertIs(inside["docs"]["signed"], True)
        self.assertIs(inside["schema"]["signed"], True)
        client = self.client(demo=(address, "1.0.0"))
        client.succeed("init", "-no-color")

    def test_what_is_refused(self):
        rows = {
            "../../etc/x.md": {"../../etc/x.md": b"# A", "docs/index.md": b"# A"},
            "limits.docs_files": {f"docs/guides/{i}.md": b"" for i in range(100_000)},
            "limits.docs_bytes": {"docs/index.md": bytes(257 << 20)},
        }
        for number, (words, files) in enumerate(rows.items()):
            with self.subTest(words):
                draft = Draft(self.koya, "refused/demo", f"1.0.{number}")
                name = f"terraform-provider-demo_1.0.{number}"
                for file, data in unsigned(f"1.0.{number}").items():
                    draft.put(file, data)
                put = draft.put(f"{name}_docs.zip", package(files))
                self.assertEqual(put.status, 200, put)
                self.assertIn(words, json.dumps(put.json()["problems"]))
                answer = draft.commit(sign=True)
                self.assertEqual(answer.status, 422, answer)
                self.assertIn(words, answer.errors())

    def test_what_cannot_be_read_is_published_all_the_same(self):
        for number, data in enumerate((b"no zip", b"", package({"a.txt": b"x"}),
                                       package({"docs/index.md": b"# A"})[:-9])):
            with self.subTest(number):
                version = f"1.0.{number}"
                draft = Draft(self.koya, "unread/demo", version)
                for file, content in unsigned(version).items():
                    draft.put(file, content)
                stem = f"terraform-provider-demo_{version}"
                self.assertEqual(draft.put(f"{stem}_docs.zip", data).status, 200)
                self.assertEqual(draft.put(f"{stem}_schema.json", data).status, 200)
                answer = draft.commit(sign=True)
                self.assertEqual(answer.status, 201, answer)
                self.assertEqual({each["file"] for each in answer.json()["warnings"]},
                                 {f"{stem}_docs.zip", f"{stem}_schema.json"})
                self.read(f"unread/demo/{version}/docs", 404)

    def test_a_schema_of_200_megabytes(self):
        before = peak_megabytes(self.koya.process.pid)
        draft = Draft(self.koya, "large/demo", "1.0.0")
        for file, data in unsigned("1.0.0").items():
            draft.put(file, data)
        one = {"version": 0, "block": {"attributes": {
            f"attribute_{i}": {"type": ["list", ["object", {"a": "string", "b": "number"}]],
                               "optional": True, "description": f"What attribute {i} does. " * 3}
            for i in range(600)}}}
        text = json.dumps(one)
        count = (200 << 20) // len(text)
        resources = ",".join(f'"demo_{i}":{text}' for i in range(count))
        document = ('{"provider_schemas":{"example.com/large/demo":{"resource_schemas":{'
                    + resources + '}}}}').encode()
        self.assertGreater(len(document), 199 << 20)
        put = draft.put(f"{STEM}_schema.json", document)
        self.assertEqual(put.status, 200, put)
        # A program without optimisation takes its time.
        answer = draft.call("POST", f"/drafts/{draft.id}/commit", '{"sign": true}', timeout=400)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(answer.json()["warnings"], [])
        peak = peak_megabytes(self.koya.process.pid)
        print(f"a schema of {len(document) >> 20} MiB: {before:.0f} MiB before, "
              f"{peak:.0f} MiB at most")
        if not os.environ.get("KOYA_SANITIZED"):
            self.assertLess(peak - before, 64)
        self.assertEqual(self.read("large/demo/1.0.0")["schema"]["items"],
                         [{"kind": "resource", "count": count}])
        item = self.read(f"large/demo/1.0.0/schema/resource/demo_{count - 1}")
        self.assertEqual(len(item["nodes"]), 600)


if __name__ == "__main__":
    koya_client.main()
