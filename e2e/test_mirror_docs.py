"""Docs of mirrored providers: from the docs APIs of both public registries, kept, and served on when
these are away."""
import hashlib
import json

import koya_e2e
from koya_connect import ConnectProxy
from koya_mirror import ALLOWED, MirrorTestCase
from koya_upstream import answer, drop

TERRAFORM, OPENTOFU, API = "registry.terraform.io", "registry.opentofu.org", "api.opentofu.org"
REGISTRIES = (TERRAFORM, OPENTOFU)
PAGES = {
    "overview/index": "# Demo\n[a thing](resources/thing.md), [nothing](resources/nothing.md)\n",
    "resources/thing": "---\nsubcategory: Things\n---\n# demo_thing\n"
                       "<script>alert(1)</script><img src=x onerror=alert(2)>"
                       "\n\n[go](javascript:alert(3))\n",
    "data-sources/thing": "# demo_thing data\n",
    "guides/start": "# Start\n",
}


class MirrorDocs(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream, cls.proxy = cls.registry(), ConnectProxy()
        cls.addClassCleanup(cls.proxy.off)
        for name in (*REGISTRIES, API):
            cls.proxy.lead(name, cls.upstream.port)
        cls.environment = {"HTTPS_PROXY": cls.proxy.url, "NO_PROXY": "127.0.0.1"}
        cls.koya = cls.server("data", "--mirror.docs", "--limits.docs_files", "50",
                              "--upstream.breaker_failures", "100000")

    @classmethod
    def server(cls, name, *arguments, hosts=REGISTRIES):
        return cls.mirror(name, *hosts, arguments=(*ALLOWED, *arguments),
                          environment=cls.environment)

    def setUp(self):
        self.upstream.faults.clear()
        self.addCleanup(self.upstream.faults.clear)

    def path(self, registry, address, rest="", version="1.0.0"):
        return f"/api/v1/mirror/providers/{registry}/{address}/{version}/docs{rest}"

    def read(self, registry, address, rest="", status=200, koya=None, version="1.0.0"):
        got = (koya or self.koya).get(self.path(registry, address, rest, version))
        self.assertEqual(got.status, status, got)
        return got

    def test_listed_read_and_kept(self):
        places = self.upstream.add_docs("good/demo", PAGES, number="21")
        for number, registry in enumerate(REGISTRIES):
            with self.subTest(registry):
                listed = self.read(registry, "good/demo").json()
                self.assertEqual([(each["kind"], each["name"], each["language"])
                                  for each in listed["docs"]],
                                 [("data-sources", "thing", "hcl"), ("guides", "start", "hcl"),
                                  ("overview", "index", "hcl"), ("resources", "thing", "hcl")])
                self.assertIs(listed["signed"], False)
                overview = self.read(registry, "good/demo", "/overview/index").json()
                self.assertIn(f'href="/-/mirror/providers/{registry}/good/demo/1.0.0/docs/resources/'
                              'thing"', overview["html"])
                self.assertNotIn("nothing.md", overview["html"])
                thing = self.read(registry, "good/demo", "/resources/thing").json()
                self.assertEqual((thing["title"], thing["subcategory"], thing["schema"]),
                                 ("demo_thing", "Things", None))
                for bad in ("<script", "onerror", "javascript:"):
                    self.assertNotIn(bad, thing["html"])
                self.read(registry, "good/demo", "/resources/nothing", 404)
                self.read(registry, "good/demo", version="9.0.0", status=404)
                place = places["resources/thing"][number]
                self.read(registry, "good/demo", "/resources/thing?language=hcl")
                self.assertEqual(self.upstream.asked(place), 1, "asked once for everybody")
        self.assertEqual(
            set(self.proxy.asked), {f"{TERRAFORM}:443", f"{API}:443"},
            "docs of OpenTofu's registry are asked for at its API alone")

        words = self.koya.cli("show", "provider", f"{OPENTOFU}/good/demo", "1.0.0", "--docs")
        self.assertEqual(words.returncode, 0, words.stderr)
        self.assertIn("data-sources\n  thing ", words.stdout)
        verdict = self.koya.cli("show", "provider", f"{OPENTOFU}/good/demo", "1.0.0")
        self.assertEqual(verdict.returncode, 0, verdict.stderr)
        self.assertIn(f"{OPENTOFU}/good/demo 1.0.0: ALLOWED", verdict.stdout)

    def test_served_while_upstream_is_away(self):
        self.upstream.add_docs("away/demo", PAGES, number="41")
        for registry in REGISTRIES:
            self.read(registry, "away/demo", "/resources/thing")
        self.upstream.off()
        self.addCleanup(self.upstream.on)
        self.koya.stop()
        self.koya.start()
        for registry in REGISTRIES:
            thing = self.read(registry, "away/demo", "/resources/thing").json()
            self.assertEqual(thing["title"], "demo_thing")
            self.assertEqual(len(self.read(registry, "away/demo").json()["docs"]), 4)
            for rest, address in (("/guides/start", "away/demo"), ("", "other/demo")):
                got = self.koya.get(self.path(registry, address, rest))
                self.assertIn(got.status, (502, 503), got)

    def test_damaged_pages_come_back(self):
        pages = {"guides/damaged": "# Damaged\n", "guides/lost": "# Lost\n"}
        places = self.upstream.add_docs("broken/demo", pages, number="31")
        koya = self.server("broken", "--mirror.docs")
        blobs = {}
        for page, text in pages.items():
            self.read(TERRAFORM, "broken/demo", "/" + page, koya=koya)
            digest = hashlib.sha256(text.encode()).hexdigest()
            blobs[page], = (path for path in (koya.data / "blobs").rglob("*")
                            if path.is_file() and "".join(path.parts).endswith(digest))
        koya.stop()
        blobs["guides/damaged"].chmod(0o600)
        blobs["guides/damaged"].write_text("# Changed\n")
        blobs["guides/lost"].unlink()
        koya.start()
        for page, text in pages.items():
            got = self.read(TERRAFORM, "broken/demo", "/" + page, koya=koya).json()
            self.assertEqual(got["title"], text[2:-1])
            self.assertEqual(self.upstream.asked(places[page][0]), 2)
            self.assertEqual(blobs[page].read_text(), text, "mended by who has the bytes")

    def test_upstream_failures_are_never_not_found(self):
        places = self.upstream.add_docs("bad/demo", PAGES)
        lists = {TERRAFORM: ("/v2/providers/bad/demo", "/v2/provider-versions/11"),
                 OPENTOFU: (self.upstream.docs_folder("bad/demo") + "index.json",)}
        giant = json.dumps({"docs": {"guides": [{"name": f"a{at}"} for at in range(51)]},
                            "included": [{"type": "provider-docs", "id": str(at), "attributes":
                                          {"category": "guides", "slug": f"a{at}"}}
                                         for at in range(51)]}).encode()
        fine_elsewhere = "/v2/providers/bad/demo"  # a list of versions may be long
        for registry, paths in lists.items():
            for path in paths:
                for name, fault in (("500", answer(500)), ("html", answer(body=b"<html>")),
                                    ("dropped", drop), ("endless", answer(body=b" " * (17 << 20))),
                                    ("giant", answer(body=giant)),
                                    ("elsewhere", answer(302, Location="https://example.test/"))):
                    if name == "giant" and path == fine_elsewhere:
                        continue
                    with self.subTest(f"{path} {name}"):
                        self.upstream.faults = {path: fault}
                        got = self.read(registry, "bad/demo", status=502)
                        if name == "giant":
                            self.assertIn("limits.docs_files", got.errors())
            self.upstream.faults.clear()
        self.assertNotIn("example.test:443", self.proxy.asked)
        for number, registry in enumerate(REGISTRIES):
            self.read(registry, "bad/demo")
            self.upstream.faults[places["guides/start"][number]] = answer(500)
            self.read(registry, "bad/demo", "/guides/start", 502)
            self.upstream.faults[places["guides/start"][number]] = answer(404)
            self.read(registry, "bad/demo", "/guides/start", 404)
            large = json.dumps({"data": {"attributes": {"content": "a" * ((1 << 20) + 1)}}})
            self.upstream.faults[places["data-sources/thing"][number]] = answer(body=large.encode())
            self.read(registry, "bad/demo", "/data-sources/thing", 502)

    def test_off_unless_asked_for(self):
        self.upstream.add_docs("off/demo", PAGES, number="51")
        koya = self.server("off")
        before = len(self.proxy.asked)
        for registry in REGISTRIES:
            got = self.read(registry, "off/demo", status=404, koya=koya)
            self.assertIn("mirror.docs is off", got.errors())
            self.read(registry, "off/demo", "/overview/index", 404, koya)
        self.assertEqual(self.proxy.asked[before:], [], "no host is added")

    def test_policy_and_hosts(self):
        self.upstream.add_docs("off/demo", PAGES, number="51")
        koya = self.server("policy", "--mirror.docs", "--policy.deny", "*/denied/*",
                           "--access.mirror", "internal", hosts=(OPENTOFU,))
        before = len(self.proxy.asked)
        self.read(OPENTOFU, "off/demo", status=404, koya=koya)
        token = koya.token
        self.read_as(koya, token, OPENTOFU, "denied/demo", 403)
        got = self.read_as(koya, token, TERRAFORM, "off/demo", 404)
        self.assertIn("upstream.hosts", got.errors())
        got = self.read_as(koya, token, "registry.upstream.test", "off/demo", 404)
        self.assertIn("no docs API that Koya knows", got.errors())
        self.assertEqual(self.proxy.asked[before:], [])
        self.read_as(koya, token, OPENTOFU, "off/demo", 200)

    def read_as(self, koya, token, registry, address, status):
        got = koya.get(self.path(registry, address), token=token)
        self.assertEqual(got.status, status, got)
        return got


if __name__ == "__main__":
    koya_e2e.main()
