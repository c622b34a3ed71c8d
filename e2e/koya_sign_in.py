"""Signing in, as people and clients do it: a server with its first administrator, a browser of a
few lines, and `terraform login` with a stub for the browser that it would open.
"""
import contextlib
import html.parser
import http.client
import json
import os
import pathlib
import shutil
import ssl
import stat
import subprocess
import tempfile
import urllib.parse

import koya_e2e
import koya_upstream
from koya_e2e import Server, wait_until

ADMIN = "root@example.com"
PASSWORD = "correct horse battery staple"
SET_UP_SECONDS = 20


class SecureServer(Server):
    """A server as in production: no --dev, its own certificate, and no administrator yet."""

    def __init__(self, data, *arguments, **more):
        both, own = koya_upstream.certificate()
        self.ca = own
        super().__init__(data, "--tls.certificate", str(own), "--tls.key", str(both), *arguments,
                         dev=False, **more)

    def tls(self):
        return ssl.create_default_context(cafile=self.ca)

    @property
    def setup_file(self):
        return self.data / "setup.token"

    def set_up(self, name=ADMIN, password=PASSWORD):
        """Makes the first administrator, as the server's output tells to."""
        wait_until(self.setup_file.exists, "the set-up token appears", SET_UP_SECONDS)
        mode = stat.S_IMODE(self.setup_file.stat().st_mode)
        assert mode == 0o600, oct(mode)
        run = self.koya("setup", "--server", self.url, "--token-stdin", "--user", name,
                        "--password-stdin", stdin=f"{self.setup_file.read_text()}{password}\n")
        assert run.returncode == 0, run.stderr
        assert f"koya login {self.url}" in run.stdout, run.stdout
        return self

    def koya(self, *arguments, stdin="", home="/nonexistent", token=None, **environment):
        """A command of koya's that knows this server's certificate."""
        environment = {"SSL_CERT_FILE": str(self.ca), **environment}
        if token:
            environment |= {"KOYA_URL": self.url, "KOYA_TOKEN": token}
        return koya_e2e.cli(*arguments, environment=environment, stdin=stdin, home=home)


# ---- a browser

class _Forms(html.parser.HTMLParser):
    """The forms of a page: where they go, and their fields; and the page's words."""

    def __init__(self, page):
        super().__init__()
        self.forms, self.words, self.title, self._open = [], [], "", []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self._open.append(tag)
        if tag == "form":
            self.forms.append({"action": attributes.get("action", ""), "fields": {}})
        if tag == "input" and self.forms and attributes.get("name"):
            self.forms[-1]["fields"][attributes["name"]] = attributes.get("value") or ""

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        self.words.append(data)


class Page:
    def __init__(self, url, status, headers, body):
        self.url, self.status, self.headers, self.body = url, status, headers, body
        parsed = _Forms(body)
        self.forms, self.text = parsed.forms, " ".join(" ".join(parsed.words).split())

    def form(self, with_field):
        (form,) = [each for each in self.forms if with_field in each["fields"]]
        return form

    def __repr__(self):
        return f"{self.status} {self.url} {self.text[:400]}"


class Browser:
    """Follows redirects, keeps cookies by host as browsers do (whatever the port), sends forms."""

    def __init__(self, ca, language="en", rewrite=lambda url: url):
        self.context = ssl.create_default_context(cafile=ca)
        self.cookies, self.language, self.rewrite = {}, language, rewrite
        self.page = None

    def open(self, url, form=None):
        for _ in range(10):
            url = self.rewrite(url)
            answer = self._send_on(url, form)
            location = answer.headers.get("Location")
            self.page = Page(url, answer.status, answer.headers, answer.body)
            if answer.status not in (301, 302, 303, 307) or not location:
                return self.page
            assert answer.status != 307 or form is None, "a form is not sent on"
            url, form = urllib.parse.urljoin(url, location), None
        raise AssertionError(f"too many redirects: {url}")

    def submit(self, with_field, **fields):
        """Sends the page's form that has that field, filled in."""
        form = self.page.form(with_field)
        url = urllib.parse.urljoin(self.page.url, form["action"])
        return self.open(url, {**form["fields"], **fields})

    def sign_in(self, name=ADMIN, password=PASSWORD):
        return self.submit("username", username=name, password=password)

    def decide(self, decision):
        return self.submit("code_challenge", decision=decision)

    def _send_on(self, url, form):
        """The client that signs in (http on loopback) may end as soon as it has its code, its
        answer to the browser unsent: terraform closes its listener at once. Whether it has the
        code is seen at the client. Nothing of the sort is let through for the registry."""
        try:
            return self._send(url, form)
        except (http.client.RemoteDisconnected, ConnectionResetError) as gone:
            parts = urllib.parse.urlsplit(url)
            if form is None and "code=" in parts.query and self._is_elsewhere(parts):
                return koya_e2e.Answer(200, {}, "")
            raise ConnectionError(f"{parts.scheme}://{parts.netloc}{parts.path}: {gone}") from gone

    def _is_elsewhere(self, parts):
        return self.page is not None and parts.netloc != urllib.parse.urlsplit(self.page.url).netloc

    def _send(self, url, form):
        parts = urllib.parse.urlsplit(url)
        # terraform listens on 127.0.0.1 alone.
        host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
        connect = (http.client.HTTPConnection(host, parts.port, timeout=30)
                   if parts.scheme == "http" else
                   http.client.HTTPSConnection(host, parts.port, timeout=30,
                                               context=self.context))
        fields = {"Accept": "text/html", "Accept-Language": self.language,
                  "User-Agent": "koya-e2e-browser"}
        kept = [f"{name}={value}"
                for name, (value, secure) in self.cookies.get(parts.hostname, {}).items()
                if parts.scheme == "https" or not secure]
        if kept:
            fields["Cookie"] = "; ".join(kept)
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            fields |= {"Content-Type": "application/x-www-form-urlencoded",
                       "Origin": f"{parts.scheme}://{parts.netloc}"}
        with contextlib.closing(connect) as connection:
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.request("POST" if form is not None else "GET", target or "/", body, fields)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            self._keep(parts.hostname, answer.headers.get_all("Set-Cookie") or [])
            return koya_e2e.Answer(answer.status, answer.headers, text)

    def _keep(self, host, fields):
        for field in fields:
            name, _, value = field.partition(";")[0].partition("=")
            kept = self.cookies.setdefault(host, {})
            attributes = field.lower()
            if "max-age=0" in attributes or "expires=thu, 01 jan 1970" in attributes:
                kept.pop(name, None)
            else:
                kept[name] = (value, "; secure" in attributes)


class ReadyTestCase(koya_e2e.TestCase):
    """A server that was set up, for all tests of a class."""

    ARGUMENTS = ()

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.koya = SecureServer(cls.shared / "data", *cls.ARGUMENTS).start()
        cls.addClassCleanup(cls.koya.__exit__)
        cls.koya.set_up()


# ---- clients that sign in

class Login:
    """A client's login, or `koya login`, under way, in a home of its own; its browser is a stub
    that notes the page's address and ends at once, since terraform waits for it."""

    def __init__(self, server, folder, command):
        self.server, self.folder = server, pathlib.Path(folder)
        self.home = self.folder / "home"
        (self.home / ".terraform.d").mkdir(parents=True)
        stubs = self.folder / "stubs"
        stubs.mkdir()
        self.noted = self.folder / "page"
        stub = stubs / "xdg-open"
        stub.write_text(f"#!/bin/sh\nprintf '%s' \"$1\" > '{self.noted}.part'\n"
                        f"mv '{self.noted}.part' '{self.noted}'\n")
        stub.chmod(0o755)
        self.output = open(self.folder / "output", "w+b")
        environment = koya_e2e.clean_environment(
            HOME=str(self.home), SSL_CERT_FILE=str(server.ca), SSL_CERT_DIR="/nonexistent",
            CHECKPOINT_DISABLE="1", DISPLAY=":nowhere")
        environment["PATH"] = f"{stubs}{os.pathsep}{environment['PATH']}"
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE,
                                        stdout=self.output, stderr=subprocess.STDOUT)
        self.process.stdin.write(b"yes\n")
        self.process.stdin.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.output.close()

    def page(self):
        """The address that the client opens."""
        def opened():
            assert self.process.poll() is None or self.noted.exists(), self.said()
            return self.noted.exists()
        wait_until(opened, "the client opens its page")
        return self.noted.read_text()

    def said(self):
        return (self.folder / "output").read_text(errors="replace")

    def finish(self):
        """Waits for its success, and returns the token that it keeps."""
        status = self.process.wait(timeout=30)
        assert status == 0, f"{status}: {self.said()}"
        kept = self.home / ".terraform.d/credentials.tfrc.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        token = json.loads(kept.read_text())["credentials"][self.server.address]["token"]
        assert token not in self.said()
        return token


def client_login(program, server, folder):
    """`terraform login` or `tofu login`."""
    return Login(server, folder, [program, "login", "-no-color", server.address])


def koya_login(server, folder, *arguments):
    return Login(server, folder, [str(koya_e2e.KOYA), "login", server.url, *arguments])


def new_folder(test):
    return pathlib.Path(tempfile.mkdtemp(dir=test.folder))
