"""The registry of golden_answers.py: the demo's, with a mirror of a fake registry, people with passwords, and content
for every route. It is the same in each run, times of publishing included.
"""
import contextlib
import hashlib
import json
import pathlib
import re
import shutil
import sqlite3
import tempfile
import urllib.parse

import koya_e2e
import koya_pages
import koya_provider
import koya_upstream
from koya_connect import ConnectProxy
from koya_e2e import wait_until
from koya_pages import fill, people
from koya_sign_in import PASSWORD, Browser

URL = f"https://{koya_pages.HOST}"
UPSTREAM, ISSUER = "registry.terraform.io", "registry.upstream.test"
READER, OWNER = "hana@kumo.example", "ben@kumo.example"
PEOPLE = {"reader": READER, "owner": OWNER, "administrator": people.ADMIN}
ROLES = ("anonymous", *PEOPLE)
SCOPES = {"reader": ("read", ""), "owner": ("admin", "platform kumo"), "administrator": ("admin", "")}
ARGUMENTS = (
    "--upstream.hosts", UPSTREAM, "--mirror.docs", "--policy.deny", "*/denied/*",
    "--upstream.allow_private_addresses", "127.0.0.1/32", "--upstream.ca_file", str(koya_upstream.certificate()[1]),
    "--mirror.freshness", "30d", "--mirror.negative_ttl", "1h", "--upstream.breaker_failures", "100000")
DOCS = {
    "overview/index": "# Demo\n[a thing](resources/thing.md)\n",
    "resources/thing": "---\nsubcategory: Things\n---\n# demo_thing\n<script>alert(1)</script>\n\nA thing.\n",
    "data-sources/thing": "# demo_thing data\n", "guides/start": "# Start\n"}
MODULE = {"main.tf": 'variable "size" {\n  type = number\n}\noutput "name" {\n  value = "net"\n}\n',
          "README.md": "# Net\n\nA net of another registry.\n"}
# Versions are a day apart, from a fixed time: versions of one second have no order. A version that is read after it was
# deprecated is no deprecated one in searches, unless this makes it one.
FIRST_DAY, DAY = 1_767_323_045, 86_400
EVEN = """
UPDATE module_version SET published_at = {first} + {day} * id + 1;
UPDATE provider_release SET published_at = {first} + {day} * id + 2;
UPDATE module SET latest_published_at = (SELECT published_at FROM module_version
  WHERE module_id = module.id AND version = latest_version);
UPDATE provider SET latest_published_at = (SELECT published_at FROM provider_release
  WHERE provider_id = provider.id AND version = latest_version);
UPDATE search_subject SET published_at = COALESCE(
  (SELECT v.published_at FROM module_version v JOIN module m ON m.id = v.module_id
    WHERE 'module:' || m.address_key = subject_key AND v.version = search_subject.version),
  (SELECT v.published_at FROM provider_release v JOIN provider p ON p.id = v.provider_id
    WHERE 'provider:' || p.address = subject_key AND v.version = search_subject.version),
  (SELECT {first} - {day} * count(*) FROM search_subject other
    WHERE other.subject_key || ' ' || other.version <= search_subject.subject_key || ' ' || search_subject.version));
UPDATE upstream_release SET seen_at = {first} + {day} * (SELECT count(*) FROM upstream_release other
  WHERE other.provider_id = upstream_release.provider_id AND other.version <= upstream_release.version);
UPDATE signing_key SET added_at = added_at - (SELECT count(*) FROM signing_key other
  WHERE other.rowid > signing_key.rowid);
UPDATE session SET created_at = created_at - (SELECT count(*) FROM session other WHERE other.rowid > session.rowid);
UPDATE search_subject SET deprecated = 1 WHERE subject_key || version IN (
  SELECT 'module:' || m.address_key || v.version FROM module_version v JOIN module m ON m.id = v.module_id
  WHERE v.deprecation <> '');
UPDATE search_entry SET deprecated = 1, words = replace(words, ' d:0 ', ' d:1 ')
  WHERE subject_id IN (SELECT id FROM search_subject WHERE deprecated = 1);
UPDATE search_entry SET published_at = (SELECT published_at FROM search_subject WHERE id = subject_id);
"""


class NamedUpstream(koya_upstream.Upstream):
    """A registry that calls itself by a name."""

    host = UPSTREAM

    def fill(self):
        files = koya_provider.release("1.0.0", koya_provider.author(), platforms=koya_provider.TWO)
        self.add("acme/demo", files, koya_provider.author())
        self.add("denied/demo", koya_provider.good(), koya_provider.author())
        self.add_docs("acme/demo", DOCS)
        for version in ("1.0.0", "1.1.0"):
            self.add_module("acme/net/aws", koya_e2e.tar_gz(MODULE), version)
        self.put("/.well-known/openid-configuration", {
            "issuer": f"https://{ISSUER}", "authorization_endpoint": f"https://{ISSUER}/authorize",
            "token_endpoint": f"https://{ISSUER}/token", "jwks_uri": f"https://{ISSUER}/keys",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"]})
        self.put("/keys", {"keys": []})
        return self


class GoldenRegistry:
    """Use as a context manager. `values` differ from run to run; their names stand for them in paths and in recorded
    answers; those of `links` stand in paths alone. `cookies` and `tokens` are those of each role."""

    def __init__(self):
        self.values, self.links, self.cookies, self.tokens = {}, {}, {}, {}
        self.ends = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as ends:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
            ends.callback(shutil.rmtree, folder, ignore_errors=True)
            self.upstream, proxy = NamedUpstream().fill(), ConnectProxy()
            ends.callback(self.upstream.off)
            ends.callback(proxy.off)
            for name in (UPSTREAM, ISSUER):
                proxy.lead(name, self.upstream.port)
            self.koya = koya_pages.Demo(folder / "data", *ARGUMENTS, environment={"HTTPS_PROXY": proxy.url}).start()
            ends.callback(self.koya.__exit__)
            self.values |= {"folder": str(folder), "address": self.koya.address, "proxy": proxy.url}
            self.koya.fill()
            self.add_people()
            self.add_rest()
            self.pull_through()
            self.koya.stop()
            self.even_out()
            self.start_as(URL)
            self.find_values()
            self.ends = ends.pop_all()
        return self

    def __exit__(self, *_):
        self.ends.close()

    def start_as(self, url):
        """On the same port, with another name than that of the port."""
        koya, reached = self.koya, {name: getattr(self.koya, name) for name in ("url", "host", "port")}
        koya.arguments = (*koya.arguments, "--url", url)
        vars(koya.start()).update(reached)

    def run(self, *arguments, **more):
        done = self.koya.cli(*arguments, **more)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def ask(self, method, path, document=None, role=None, status=(200, 201, 204)):
        """As the server's own administrator, or in a role."""
        body = None if document is None else json.dumps(document)
        answer = self.koya.request(method, path, body, token=self.tokens[role] if role else self.koya.token)
        assert answer.status in status, f"{method} {path}: {answer}"
        return answer

    # ---- content

    def add_people(self):
        self.run("user", "create", READER)
        for namespace in ("finance", "security"):
            self.run("grant", "add", namespace, "reader", "--user", READER)
        for role, name in PEOPLE.items():
            path = f"/api/v1/users/{urllib.parse.quote(name)}/password"
            self.ask("PUT", path, {"password": PASSWORD})
            browser = Browser(self.koya.data / "dev/ca.pem")
            browser.open(f"{self.koya.url}/login")
            page = browser.sign_in(name, PASSWORD)
            assert page.status == 200, page
            scope, namespaces = SCOPES[role]
            browser.open(f"{self.koya.url}/-/settings/tokens/new")
            page = browser.submit(
                "namespaces", name=f"laptop-of-{role}", scope=scope, namespaces=namespaces, ends="30d")
            assert page.status == 200, page
            self.tokens[role] = re.search(r"koya_[A-Za-z0-9_-]{20,}", page.body)[0]
            kept = browser.cookies[self.koya.host]
            self.cookies[role] = "; ".join(f"{name}={value}" for name, (value, _) in kept.items())

    def add_rest(self):
        """A draft and a sign-in provider; and every version is read."""
        self.run("inspect", "--all")
        self.run("idp", "add", "kumo", "--issuer", f"https://{ISSUER}", "--client-id", "koya")
        drafts = "/api/v1/providers/kumo/inventory/3.0.0/drafts"
        self.values["draft"] = self.ask("POST", drafts, role="owner").json()["id"]

    def pull_through(self):
        """Pulls all that the cases ask for: the first answer may differ from later ones."""
        hosted = f"{UPSTREAM}/acme"
        for path in (
                f"/mirror/{hosted}/demo/index.json", f"/mirror/{hosted}/demo/1.0.0.json",
                f"/mirror/{hosted}/demo/1.0.0/{koya_provider.ZIP}",
                f"/origin/{UPSTREAM}/v1/providers/acme/demo/versions",
                f"/origin/{UPSTREAM}/v1/providers/acme/demo/1.0.0/download/linux/amd64",
                f"/origin/{UPSTREAM}/v1/modules/acme/net/aws/versions",
                f"/origin/{UPSTREAM}/v1/modules/acme/net/aws/1.0.0/download",
                f"/api/v1/mirror/providers/{hosted}/demo/1.0.0/docs",
                *(f"/api/v1/mirror/providers/{hosted}/demo/1.0.0/docs/{page}" for page in DOCS)):
            self.ask("GET", path)
        read = f"/api/v1/mirror/modules/{hosted}/net/aws/1.0.0/inside"
        wait_until(lambda: self.koya.get(read, token=self.koya.token).status == 200, "a module is read", 60)

    def find_values(self):
        """What differs from run to run; and the audit log is chained to its end, which a job does."""
        wait_until(lambda: self.ask("GET", "/api/v1/audit?limit=1").json()["entries"][0]["chain"], "the log is chained")
        trusted = self.ask("GET", "/api/v1/namespaces/platform/trust").json()["trust"]
        self.values["trust"] = str(trusted[0]["id"])
        keys = [key["fingerprint"] for key in self.ask("GET", "/api/v1/namespaces/kumo/keys").json()["keys"]]
        for name, key in zip(("made", "added", "another"), (*keys, koya_provider.author().fingerprint), strict=True):
            self.values |= {f"fingerprint-{name}": key, f"key-{name}": key[-16:],
                            **{f"shown-{what}-{name}": " ".join(re.findall("....", digits))
                               for what, digits in (("fingerprint", key), ("key", key[-16:]))}}
        for module in fill.MODULES:  # the library that packs them decides their digests
            for version, _ in module.history:
                archive = fill.archive_of(module.files(version, koya_pages.HOST))
                name = f"{module.address}-{version}".replace("/", "-")
                self.values[f"sha256-{name}"] = hashlib.sha256(archive).hexdigest()
        page = self.koya.get("/").body.decode()
        for kind in ("css", "js", "svg"):
            self.values[kind] = re.search(rf"/-/assets/([^\"]+\.{kind})", page)[1]
        for role, token in self.tokens.items():
            self.values[f"token-of-{role}"] = token
            self.ask("GET", "/v1/modules", role=role)  # the time of its last use is noted
        wait_until(self.uses_are_noted, "the last uses are noted")
        # Not GET: it would count as a fetch, which pages show once counts are written (every minute).
        linked = self.ask("HEAD", "/v1/modules/finance/ledger/aws/1.0.1/download", role="reader", status=(204,))
        self.links["linked"] = linked.headers["X-Terraform-Get"].removeprefix(URL)

    def uses_are_noted(self):
        tokens, sessions = (self.ask("GET", f"/api/v1/{each}").json()[each] for each in ("tokens", "sessions"))
        return (all(each["last_used"] for each in tokens if each["name"].startswith("laptop-of-")) and
                all(each["last_used_at"] for each in sessions))

    def even_out(self):
        """While the server is stopped."""
        with contextlib.closing(sqlite3.connect(self.koya.data / "koya.db")) as catalog:
            catalog.executescript(EVEN.format(first=FIRST_DAY, day=DAY))
            catalog.commit()
