"""Every page of a server that the demo has filled: found by following links, as people do, and looked at in
Chromium (browser/pages.mjs).

Which pages there are is said by the program's own route table (`koya docs api`): a page that neither a link
nor `WAYS_IN` leads to is missed by name.
"""
import collections
import functools
import gzip
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import koya_e2e
from koya_browser import CHROMIUM, FOLDER
from koya_sign_in import Browser

sys.path.insert(0, str(koya_e2e.ROOT / "tools/demo"))
import fill  # noqa: E402  (what the demo publishes)
import people  # noqa: E402

THEMES = ("light", "dark")
WIDTHS = (320, 390, 1280, 1920)  # at which nothing scrolls sideways
EXAMINED = (390, 1280)           # at which axe-core looks
HOST = "koya.example.com"        # what the demo's modules name, so that they are the same bytes in each run
PER_SHAPE = 1                    # pages of one shape that are looked at
MOST_DIFFERENT = 0.001           # share of a picture's pixels
LOOK_SECONDS = 60                # for one look, on a machine that has other things to do
NETWORK = "/modules/platform/network/aws"

# What no link leads to: pages of what is not there, of what is refused, and of what somebody has to type.
WAYS_IN = (
    NETWORK, "/modules/data/postgres/aws/2.0.1/inputs", "/modules/edge/cdn/aws", "/modules/edge/waf/aws", "/modules/edge/site/aws",
    "/modules/finance/ledger/aws/1.0.1/dependencies", "/modules/platform/cluster/aws/2.0.0",
    "/search?q=subnet", "/search?q=zzyzx", "/search?q=netwrok", "/search?q=kind:nothing", "/modules?q=zzyzx",
    f"{NETWORK}/3.0.0", f"{NETWORK}/9.9.9", f"{NETWORK}/4.3.0-rc.1", "/modules/nobody/nothing/aws",
    f"{NETWORK}/4.2.0/inputs?q=zone&sort=name", f"{NETWORK}/4.2.0/inputs?q=zzyzx",
    f"{NETWORK}/4.2.0/changes?from=3.1.1&to=4.2.0", f"{NETWORK}/4.2.0/usage?name=payments&cidr=10.0.0.0%2F16",
    f"{NETWORK}/4.2.0/usage?cidr=nonsense", "/providers/kumo/nothing", "/providers/kumo/inventory/9.9.9",
    "/providers/kumo/inventory/changes?from=1.9.8&to=2.3.1", "/namespaces/nobody", "/nothing/here",
    "/-/mirror/explain?address=example-cloud/compute&version=5.3.0", "/-/mirror/explain?address=nonsense",
    f"{NETWORK}/4.2.0/withdraw", f"{NETWORK}/4.2.0/deprecate",
    "/-/mirror/packages?q=zzyzx", "/-/mirror/packages?kind=modules",
    "/providers/kumo/inventory/2.3.1/docs/cdktf/python/resources/rack",
    "/namespaces/platform/publishing", "/namespaces/kumo/keys", "/namespaces/finance/people",
    f"/-/admin/users/{people.ADMIN}", "/-/admin/users/gael@kumo.example", "/-/admin/groups/platform-team",
    "/-/admin/audit?action=zzyzx", "/-/admin/audit?since=nonsense",
    "/-/admin/grants/why?kind=user&who=ben@kumo.example&ns=platform&may=publish",
    "/-/admin/grants/why?kind=user&who=nobody&ns=finance&may=read",
    "/-/setup?tool=terraform&system=windows", "/-/setup?system=github", "/-/docs/nothing",
)
# Page routes that are seen elsewhere, and where.
ELSEWHERE = {
    "/-/first-run": "of a server without an administrator: the empty registry below",
    "/-/admin/sign-in/{name}/trial": "leads to another server: e2e_openid",
    "/-/oidc/{name}/start": "leads to another server: e2e_openid",
    "/-/oidc/{name}/callback": "the way back from another server: e2e_openid",
    "/providers/{namespace}/{type}/{version}/restore": "of a version that is withdrawn: as of a module",
    "/-/notifications/end": "a link in a mail: e2e_notifications",
    "/-/notifications/confirm": "the same",
    "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs": "needs a registry's docs API: e2e_mirror_docs",
    "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}": "the same",
    "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/{name}": "the same",
}


class Demo(koya_e2e.Server):
    """A server that the demo has filled. What was fetched is counted: it has been stopped since."""

    def fill(self):
        registry = fill.Registry(str(koya_e2e.KOYA), self.url, self.token, self.data / "dev/ca.pem")
        registry.address = HOST
        fill.fill(registry, self.data, say=lambda *_, **__: None)
        self.stop()
        return self.start()

    def fill_for_tests(self):
        """And what a demo has no use for: a sign-in provider that answers nobody, and a token of the administrator's."""
        self.fill()
        done = self.cli("idp", "add", "kumo", "--issuer", "https://login.kumo.example", "--client-id", "koya")
        assert done.returncode == 0, done.stderr
        browser = self.browser(signed_in=True)
        browser.open(f"{self.url}/-/settings/tokens/new")
        page = browser.submit("namespaces", name="laptop", scope="read", namespaces="platform", ends="30d")
        assert page.status == 200 and "koya_" in page.text, page
        return self

    @classmethod
    def of(cls, tests):
        """Started for all tests of a class, as its `koya`, and stopped after them; not filled yet."""
        tests.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        tests.addClassCleanup(shutil.rmtree, tests.folder, ignore_errors=True)
        tests.koya = cls(tests.folder / "data").start()
        tests.addClassCleanup(tests.koya.__exit__)
        return tests.koya

    @property
    def demo_password(self):
        """The administrator's."""
        return (self.data / "dev" / fill.PASSWORD_FILE).read_text().strip()

    def browser(self, language="en", signed_in=False):
        browser = Browser(self.data / "dev/ca.pem", language)
        if signed_in:
            browser.open(f"{self.url}/login")
            page = browser.sign_in(people.ADMIN, self.demo_password)
            assert page.status == 200, page
        return browser


# ---- which pages there are

def page_patterns(program=koya_e2e.KOYA):
    """Patterns of the routes that answer a GET with a page."""
    said = subprocess.run([str(program), "docs", "api"], capture_output=True, text=True, check=True).stdout
    patterns = []
    for part in said.split("\n## ")[1:]:
        method, _, pattern = part.splitlines()[0].strip("`").partition(" ")
        is_page = "\nWho: browsers" in part and not re.search(r"feed|badge|as a file", part.splitlines()[2])
        if method == "GET" and is_page:
            patterns.append(pattern)
    assert len(patterns) > 40, patterns
    return patterns


class Shapes:
    """Which route a path belongs to."""

    def __init__(self, patterns):
        self.known = sorted(((pattern, self._regex(pattern)) for pattern in patterns),
                            key=lambda each: (each[0].count("{"), "..." in each[0]))

    @staticmethod
    def _regex(pattern):
        parts = re.split(r"(\{[^}]*\})", pattern)
        return re.compile("".join(
            (".+" if part.endswith("...}") else "[^/]+") if part.startswith("{") else re.escape(part)
            for part in parts))

    def of(self, path):
        """The pattern; "" for what is no page."""
        return next((pattern for pattern, regex in self.known if regex.fullmatch(path)), "")


class _Links(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.links = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "a" and (href := dict(attributes).get("href")):
            self.links.append(href)


Page = collections.namedtuple("Page", "path status pattern")


def links_of(url, body):
    """Paths on the same server, with their queries, in order, each once."""
    origin = urllib.parse.urlsplit(url)
    found = {}
    for href in _Links(body).links:
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(url, href))
        if (parts.scheme, parts.netloc) == (origin.scheme, origin.netloc):
            query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
            if "lang" not in dict(query):
                found[parts.path + (f"?{parts.query}" if parts.query else "")] = True
    return list(found)


class Crawl:
    """Follows links, a few of each shape; `pages` are those that are looked at, `broken` led nowhere."""

    def __init__(self, server, browser, patterns, most=PER_SHAPE):
        self.server, self.browser, self.shapes, self.most = server, browser, Shapes(patterns), most
        self.pages, self.broken, self.taken = [], [], collections.Counter()

    def follow(self, *paths):
        waiting, known = collections.deque((path, "") for path in paths), set(paths)
        while waiting:
            path, origin = waiting.popleft()
            parts = urllib.parse.urlsplit(path)
            pattern = self.shapes.of(parts.path)
            keys = tuple(sorted(key for key, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)))
            if origin and "another server" in ELSEWHERE.get(pattern, ""):
                continue
            if origin:
                if self.taken[pattern, keys] >= self.most:
                    continue
                self.taken[pattern, keys] += 1
            answer = self.browser.open(self.server.url + path)
            if origin and answer.status >= 400:
                self.broken.append(f"{origin} leads to {path}, which answers {answer.status}")
            if not answer.headers.get("Content-Type", "").startswith("text/html"):
                continue
            if not any(page.path == path for page in self.pages):
                self.pages.append(Page(path, answer.status, pattern))
            for link in links_of(answer.url, answer.body):
                if link not in known:
                    known.add(link)
                    waiting.append((link, path))
        return self

    def unseen(self, patterns):
        seen = {page.pattern for page in self.pages}
        return [pattern for pattern in patterns if pattern not in seen and pattern not in ELSEWHERE]


def consent_path(server):
    """The page that a client which signs in opens."""
    login = server.get("/.well-known/terraform.json").json()["login.v1"]
    return login["authz"] + "?" + urllib.parse.urlencode({
        "client_id": login["client"], "redirect_uri": f"http://localhost:{login['ports'][0]}/login",
        "response_type": "code", "state": "x" * 40, "code_challenge": "A" * 43, "code_challenge_method": "S256"})


# ---- looking at them

def cookies_of(browser, server):
    """What a browser keeps, as Playwright wants it."""
    kept = browser.cookies.get(server.host, {})
    return [{"name": name, "value": value} for name, (value, _) in kept.items() if name not in ("lang", "theme")]


def look(looks):
    """(Chromium's version, what was seen of each). See browser/pages.mjs."""
    plan = {"chromium": CHROMIUM, "looks": looks}
    with tempfile.TemporaryDirectory(prefix="koya-chromium-") as home:
        run = subprocess.run(["node", "pages.mjs"], cwd=FOLDER, input=json.dumps(plan), text=True,
                             capture_output=True, timeout=LOOK_SECONDS * max(10, len(looks)),
                             env={"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"})
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    return answer["version"], answer["seen"]


def sizes(browser_fields, server, path):
    """(bytes of the page, bytes as they travel) for who has these cookies."""
    answer = server.get(path, {"Accept": "text/html", "Accept-Encoding": "gzip", **browser_fields})
    raw = answer.body
    if answer.headers.get("Content-Encoding") == "gzip":
        raw = gzip.decompress(raw)
    return len(raw), len(answer.body)


def fonts():
    """{font package: version} of this machine: what a picture's letters come from."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package} ${Version}\n", "fonts-*"],
                          capture_output=True, text=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return {row[1]: row[2] for row in rows if len(row) == 3 and row[0] == "ii"}


# ---- golden pictures

@functools.cache
def chromium_version():
    return look([])[0]


def write_golden(looks, out, golden, made_with, made_with_file):
    """Pictures as they are now become the ones to compare with."""
    look(looks)
    golden.mkdir(exist_ok=True)
    for old in golden.glob("*.png"):
        old.unlink()
    for picture in out.glob("*.png"):
        shutil.copy(picture, golden / picture.name)
    made_with_file.write_text(json.dumps(made_with, indent=2, sort_keys=True) + "\n")


def different(golden, out, names):
    """{name: share of pixels that are not the same} of those beyond the tolerance."""
    plan = {"chromium": CHROMIUM, "pairs": [[str(golden / f"{name}.png"), str(out / f"{name}.png")]
                                            for name in names]}
    with tempfile.TemporaryDirectory(prefix="koya-chromium-") as home:
        run = subprocess.run(["node", "pictures.mjs"], cwd=FOLDER, input=json.dumps(plan), text=True,
                             capture_output=True, timeout=LOOK_SECONDS * 5,
                             env={"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"})
    assert run.returncode == 0, run.stderr
    shares = dict(zip(names, json.loads(run.stdout)["shares"], strict=True))
    return {name: share for name, share in shares.items() if share > MOST_DIFFERENT}
