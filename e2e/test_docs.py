"""The console blocks of docs/, run as they are written.

Each document is walked from top to bottom by the person it is written for, in a folder of theirs
with the files that it takes for granted. A line that needs what a test cannot have (another
company's server, a tool that is in no package) is in NOT_RUN with its reason; a line that is
neither run nor there fails.
"""
import json
import os
import pathlib
import pty
import re
import subprocess

import koya_e2e
import koya_provider
import koya_sign_in
from koya_issuer import Issuer
from test_login import LoginTestCase

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
OWNER = "ada@example.com"

NOT_RUN = {
    "an identity provider of one's own": ("koya idp",),
    "a machine with its configuration, or data without a server; both are tested on their own":
        ("koya serve --config", "koya setup", "koya user create root --admin",
         "koya admin replicas"),
    "the maker of a provider's files": ("goreleaser", "export GPG_FINGERPRINT",
                                        "read -rs GPG_PASSPHRASE"),
    "a passphrase, which GnuPG asks for": ("gpg --quick-set-expire", "gpg --quick-generate-key"),
    "signing in, which comes first (`desk`); with other programs in test_client_login.py":
        ("koya login", "koya logout", "tofu login"),
    "servers of other products; test_import.py and test_import_products.py have scripted ones": (
        "koya import", "koya client-config --for-host"),
    "a release to look at, which no other document makes": (
        "curl -sO", "gpg --import the-author", "gpg --verify"),
    "a token with the scope admin, a backup, and a stopped server; test_backup.py has them": (
        "koya admin backup", "koya admin restore", "koya admin move"),
    "a token with the scope admin, which signing in does not give": ("koya namespace set acme --publish",),
    "an administrator, or data without a server; test_operating.py runs them": (
        "koya status", "koya admin freeze", "koya admin gc", "koya admin compact", "koya verify --quick",
        "koya verify --rate"),
    "things to watch; test_notifications.py has some": ("koya watch", "koya user set", "koya user create ben --email"),
    "a lock file that init wrote; test_verify.py has one": ("koya verify --lock",),
    "a client of language models; test_mcp.py has one": (
        "claude mcp add", "curl -s https://registry.example.com/-/mcp"),
    "a provider that can describe itself": ("terraform providers schema",),
    "another machine, image or cluster; make portable has them (test_install_guide.py)": (
        "tar -xzf koya-", "koya-VERSION", "cd koya-VERSION", "BASE=", "gdb -p", "make image",
        "docker ", "skopeo ", "sudo", "kubectl ", "cp deploy/helm", "helm ",
        "curl -fsSL https://koya.example.com/-/cli/", "koya version --server",
        "gpg --verify SHA256SUMS", "sha256sum"),
    "attestations, which CI makes; test_attachments.py has some": (
        "gh attestation", "head -n 1 trusted_root", "cosign ", "koya publish module vpc.tar.gz",
        "koya publish provider dist acme/cloud 1.0.0 --attach"),
    "an example of a refusal, or of what another line has shown": (
        "koya publish provider dist acme/demo", "koya show provider acme/demo --docs"),
}


def lines_of(document):
    """The commands of a document's console blocks, continued lines joined."""
    text = (DOCS / document).read_text()
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                yield re.sub(r"\s{2,}# .*", "", line[2:]).strip()


def on_a_terminal(command, **more):
    """Runs it with a terminal to read from, on which a person says yes to each question."""
    person, terminal = pty.openpty()
    try:
        os.write(person, b"y\n")
        return subprocess.run(["bash", "-c", command], stdin=terminal, capture_output=True,
                              text=True, timeout=120, **more)
    finally:
        os.close(person)
        os.close(terminal)


def reason_not_to_run(line):
    for reason, beginnings in NOT_RUN.items():
        if line.startswith(beginnings):
            return reason
    return None


class DocsTestCase(LoginTestCase):
    ARGUMENTS = ("--upstream.allow_private_addresses", "127.0.0.0/8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.shared / "issuer"
        folder.mkdir()
        cls.issuer = cls.enterClassContext(Issuer(folder))
        cls.author = koya_provider.key("ed25519", name="docs")

    def setUp(self):
        super().setUp()
        self.admin = self.admin_token()
        if not any(each["name"] == OWNER for each in self.known("user", "list")["users"]):
            self.command(self.admin, "user", "create", OWNER, "--password-stdin",
                         stdin=koya_sign_in.PASSWORD)
        self.command(self.admin, "namespace", "set", "acme", "--visibility", "private")
        self.command(self.admin, "grant", "add", "acme", "owner", "--user", OWNER)
        self.made = {}

    def known(self, *command, token=None):
        return json.loads(self.command(token or self.admin, *command, "--json"))

    # ---- the reader's own place

    def desk(self, name, scope="publish", user=OWNER):
        """A folder, and a home in which `user` has signed in with `koya login`."""
        folder = koya_sign_in.new_folder(self)
        home = self.sign_in(folder, scope, user)
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "koya").symlink_to(koya_e2e.KOYA)
        environment = koya_e2e.clean_environment(
            HOME=str(home), SSL_CERT_FILE=str(self.koya.ca), KOYA_URL=self.koya.url)
        environment["PATH"] = f"{bin_folder}{os.pathsep}{environment['PATH']}"
        work = folder / name
        work.mkdir()
        koya_e2e.write_files(work / "vpc", koya_e2e.PLAIN_MODULE)
        for armor in ("acme.asc", "new.asc"):
            (work / armor).write_text(self.author.armor)
        return work, environment

    def sign_in(self, folder, scope, user):
        with koya_sign_in.koya_login(self.koya, folder, "--scope", scope) as login:
            browser = self.browser()
            browser.open(login.page())
            browser.sign_in(name=user)
            browser.decide("allow")
            login.finish()
            return login.home

    def filled_in(self, line):
        """What a reader puts in the place of the example's names."""
        line = re.sub(r"https://(koya|registry)\.example\.com", self.koya.url, line)
        line = line.replace("https://ci.example.com", self.issuer.url)
        line = line.replace("https://gitlab.example.com", self.issuer.url)
        if re.search(r"\b(OLD_)?KEY_ID\b", line):
            keys = self.known("key", "list", "acme")["keys"]
            line = re.sub(r"\b(OLD_)?KEY_ID\b", keys[0]["key_id"], line)
        line = line.replace("FINGERPRINT", self.author.fingerprint)
        if line.endswith(" ID"):
            line = line[:-2] + self.known("trust", "list", "acme")["trust"][0]["id"]
        if line.endswith("ci-…"):
            token = self.known("trust", "tokens", "acme")["tokens"][0]["name"]
            line = line.removesuffix("ci-…") + token
        return line

    def walk(self, document, desk):
        work, environment = desk
        ran = 0
        for line in lines_of(document):
            if reason_not_to_run(line):
                continue
            before = getattr(self, "before_" + document.split(".")[0].replace("-", "_"), None)
            if before:
                before(line, work)
            command = self.filled_in(line)
            run = on_a_terminal(command, cwd=work, env=environment)
            self.assertEqual(run.returncode, 0, f"{document}: {line}\n{run.stdout}{run.stderr}")
            ran += 1
        self.assertGreater(ran, 0, document)


class OwnersDocs(DocsTestCase):
    def before_publishing(self, line, work):
        if line.startswith("koya publish provider"):
            koya_provider.write_dist(work / "dist", koya_provider.release("1.0.0", self.author,
                                                                 type_name="cloud"))
        if line.startswith("koya withdraw"):
            self.command(self.admin, "publish", "module", work / "vpc", "acme/vpc/aws", "1.1.0")

    def test_publishing_by_an_owner(self):
        self.walk("publishing.md", self.desk("publishing"))

    def before_trusted_publishing(self, line, work):
        if line.startswith("koya show module"):
            self.command(self.admin, "publish", "module", work / "vpc", "acme/vpc/aws", "1.2.0")
        if line.endswith("--end ci-…"):
            self.job_publishes(work)

    def job_publishes(self, work):
        self.issuer.claims = {"sub": "job:acme-release", "ref": "main"}
        job = {"KOYA_URL": self.koya.url, "XDG_CACHE_HOME": str(work / "cache"),
               "KOYA_ID_TOKEN": self.issuer.token(self.koya.url)}
        run = self.koya.koya("publish", "module", work / "vpc", "acme/job/aws", "1.0.0", **job)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_trusted_publishing_by_an_owner(self):
        self.walk("trusted-publishing.md", self.desk("trusted"))

    def test_ci_by_an_owner(self):
        work, environment = self.desk("ci")
        koya_e2e.write_files(work / "infra/modules/network", koya_e2e.PLAIN_MODULE)
        self.walk("ci.md", (work, environment))

    def test_keys_by_an_owner(self):
        work, environment = self.desk("keys")
        newer = koya_provider.key("ed25519", name="docs newer")
        (work / "new.asc").write_text(newer.armor)
        self.walk("keys.md", (work, {**environment, "GNUPGHOME": str(self.author.home)}))

    def before_providers(self, line, work):
        if line == "koya show provider acme/demo":
            self.command(self.admin, "key", "add", "acme", self.armor_file(work))
            dist = koya_provider.write_dist(work / "dist", koya_provider.release(
                "1.2.3", self.author))
            self.command(self.admin, "publish", "provider", dist, "acme/demo", "1.2.3")

    def armor_file(self, work):
        file = work / "author.asc"
        file.write_text(self.author.armor)
        return file

    def test_providers_by_an_owner_with_the_admin_scope(self):
        work, environment = self.desk("providers", scope="admin")
        home = koya_provider.key("ed25519", name="providers").home
        self.walk("providers.md", (work, {**environment, "GNUPGHOME": str(home)}))

    def test_each_document_is_walked_or_not_run_for_a_reason(self):
        walked = ("publishing.md", "ci.md", "trusted-publishing.md", "keys.md", "providers.md",
                  "tokens.md", "access.md")
        run = {line for document in walked for line in lines_of(document)}
        for document in DOCS.glob("*.md"):
            for line in lines_of(document.name):
                self.assertTrue(line in run or reason_not_to_run(line), f"{document.name}: {line}")


class TokensDocs(DocsTestCase):
    def test_tokens_by_an_administrator(self):
        self.walk("tokens.md", self.desk("tokens", "admin", koya_sign_in.ADMIN))


class AccessDocs(DocsTestCase):
    def test_access_by_an_administrator(self):
        self.command(self.admin, "user", "delete", OWNER)
        self.walk("access.md", self.desk("access", "admin", koya_sign_in.ADMIN))


if __name__ == "__main__":
    koya_e2e.main()
