"""What the end-to-end tests share: a Koya server as a child process, archives, and a runner.

The program under test is $KOYA_BIN (build/koya when unset). Everything a test makes lies in one
temporary folder, servers listen on free loopback ports, and only processes started here are ended.
"""
import contextlib
import copy
import gzip
import hashlib
import http.client
import io
import json
import os
import pathlib
import queue
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KOYA = pathlib.Path(os.environ.get("KOYA_BIN", ROOT / "build/koya"))
# Bounds on a test that would hang, not on how fast a server is: a disk that another test writes to
# can hold up an fsync for many seconds, and a start has some fifteen of them.
START_SECONDS = 120
STOP_SECONDS = 60  # a drain may take 10
ANSWER_SECONDS = 60
OWN_AGENT = "koya-e2e"  # requests of the tests themselves, left out of the compared list


class Answer:
    """An HTTP answer that has been read to its end."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def errors(self):
        """The sentences of an error document, joined; asserts that it is one."""
        document = self.json()
        assert self.headers.get("Content-Type", "").startswith("application/json"), self.headers
        assert document["errors"] and all(isinstance(text, str) for text in document["errors"])
        return " ".join(document["errors"])

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


def wait_until(condition, what, seconds=ANSWER_SECONDS):
    """Asks `condition` until it is true; for what another process does in its own time."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.01)
    return result


class StartFailed(Exception):
    """The server ended before it was ready; holds its exit status and all that it said."""

    def __init__(self, status, output):
        super().__init__(f"koya serve ended with {status}: {output[-2000:]}")
        self.status, self.output = status, output


def clean_environment(**more):
    """An environment without Koya's, Terraform's and TLS variables of the machine, whose disk may be nearly full.

    KOYA_SERVER_HTTP2 is passed on: all servers then offer it.
    """
    keep = ("PATH", "LANG", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "KOYA_SERVER_HTTP2")
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    return {**environment, "KOYA_MIRROR_MIN_FREE": "0%", **more}


class Server:
    """`koya serve` on a data folder. Use as a context manager, or start() and stop()."""

    def __init__(self, data, *arguments, dev=True, listen="127.0.0.1:0", environment=None,
                 program=KOYA):
        self.data, self.program = pathlib.Path(data), program
        self.arguments, self.dev, self.listen = arguments, dev, listen
        self.environment = environment or {}
        self.log_path = self.data.parent / f"{self.data.name}.log"
        self.process = self.url = self.kept = self.reserved = None
        self._sentinels = 0

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.stop()
        if self.reserved:
            self.reserved.close()

    def command(self):
        command = [str(self.program), "serve", "--data", str(self.data), "--listen", self.listen]
        return command + (["--dev"] if self.dev else []) + list(self.arguments)

    def start(self):
        if self.listen == "127.0.0.1:0":
            # Its port stays taken while it is stopped: no other program gets it before a restart.
            self.reserved = socket.socket()
            self.reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.reserved.bind(("127.0.0.1", 0))
            self.listen = f"127.0.0.1:{self.reserved.getsockname()[1]}"
        lines = queue.Queue()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                env=clean_environment(**{"HOME": str(self.data.parent), **self.environment}),
            )
        process = self.process

        def pump():
            with process.stdout:
                for line in process.stdout:
                    lines.put(line.decode().rstrip("\n"))
            lines.put(None)

        threading.Thread(target=pump, daemon=True).start()
        try:
            line = lines.get(timeout=START_SECONDS)
        except queue.Empty:
            self.kill()
            raise AssertionError(
                f"no ready line within {START_SECONDS} s: {self.log_tail()}") from None
        if line is None:
            raise StartFailed(process.wait(), self.log_path.read_text(errors="replace"))
        assert line.startswith("koya: ready "), f"first line on stdout: {line!r}"
        self.stdout = lines
        self.url = line.removeprefix("koya: ready ")
        parts = urllib.parse.urlsplit(self.url)
        self.scheme, self.host, self.port = parts.scheme, parts.hostname, parts.port
        return self

    def stop(self):
        """SIGTERM; asserts a clean end, and that stdout held nothing but the ready line, and where
        the set-up token of a server without an administrator is."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running {STOP_SECONDS} s after SIGTERM") from None
        assert status == 0, f"exit status {status} after SIGTERM: {self.log_tail()}"
        rest = self.stdout.get(timeout=ANSWER_SECONDS)
        if not self.dev and rest and rest.startswith("koya: set-up token is in "):
            assert "koya_" not in rest, rest
            rest = self.stdout.get(timeout=ANSWER_SECONDS)
        assert rest is None, f"more on stdout than there should be: {rest!r}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    # ---- what --dev leaves behind

    @property
    def dev_environment(self):
        """The variables that DIR/dev/env exports."""
        variables = {}
        for words in map(shlex.split, (self.data / "dev/env").read_text().splitlines()):
            for word in words[1:] if words[:1] == ["export"] else words:
                name, equals, value = word.partition("=")
                if equals:
                    variables[name] = value
        return variables

    @property
    def token(self):
        return (self.data / "dev/admin.token").read_text().strip()

    @property
    def address(self):
        """HOST:PORT, as it stands in a module's source."""
        return f"{self.host}:{self.port}"

    # ---- the log

    def log_tail(self, size=3000):
        return self.log_path.read_text(errors="replace")[-size:]

    def log_records(self):
        """All complete lines of the log; asserts that each is a JSON object."""
        text = self.log_path.read_text(errors="replace")
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def requests(self, since=0):
        """(method, path) of what clients asked for, in order, without the tests' own requests."""
        arrived = [record for record in self.log_records()[since:]
                   if record.get("message") == "request"
                   and not record.get("user_agent", "").startswith(OWN_AGENT)]
        # Lines that two loops wrote at almost the same moment may have changed places.
        arrived.sort(key=lambda record: record["time"])
        return [(record["method"], record["path"]) for record in arrived]

    def log_mark(self):
        """The place in the log after everything that has happened so far."""
        self._sentinel()
        # Lines of one batch may change places; whatever came before the first request is in its
        # batch or an earlier one, so it comes before the second.
        return self._sentinel()

    def _sentinel(self):
        """Asks for something, and returns the place after its line in the access log."""
        self._sentinels += 1
        agent = f"{OWN_AGENT}/sentinel-{os.getpid()}-{self._sentinels}"
        self.get("/.well-known/terraform.json", {"User-Agent": agent})

        def seen():
            for number, record in enumerate(self.log_records()):
                if record.get("user_agent") == agent:
                    return number + 1
            return 0

        return wait_until(seen, "a request appears in the access log")

    # ---- HTTP

    def tls(self):
        return ssl.create_default_context(cafile=self.data / "dev/ca.pem")

    def connection(self, timeout=ANSWER_SECONDS):
        if self.scheme == "http":
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        return http.client.HTTPSConnection(
            self.host, self.port, timeout=timeout, context=self.tls()
        )

    def request(self, method, path, body=None, headers=None, token=None, timeout=ANSWER_SECONDS):
        fields = {"User-Agent": OWN_AGENT, **(headers or {})}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        kept = contextlib.nullcontext(self.kept) if self.kept else contextlib.closing(
            self.connection(timeout))
        with kept as connection:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())

    @contextlib.contextmanager
    def one_connection(self):
        """This server, asked over one connection that is kept: for a row of requests, where a
        handshake for each would take most of the time."""
        asked = copy.copy(self)
        with contextlib.closing(self.connection()) as asked.kept:
            yield asked

    def get(self, path, headers=None, token=None):
        return self.request("GET", path, headers=headers, token=token)

    def put_module(self, address, version, archive, token=None, **more):
        path = f"/api/v1/modules/{address}/{version}"
        return self.request("PUT", path, archive, token=token or self.token, **more)

    def publish(self, address, version, archive):
        answer = self.put_module(address, version, archive)
        assert answer.status == 201, answer
        return answer.json()

    def location(self, address, version):
        """The absolute URL under which clients get a version's archive, query included."""
        answer = self.get(f"/v1/modules/{address}/{version}/download")
        assert answer.status == 204, answer
        return answer.headers["X-Terraform-Get"]

    def archive_path(self, address, version):
        return urllib.parse.urlsplit(self.location(address, version)).path

    def download(self, address, version):
        """The archive's bytes, checked against the checksum in its location."""
        parts = urllib.parse.urlsplit(self.location(address, version))
        query = urllib.parse.parse_qs(parts.query)
        kind, _, digest = query.pop("checksum")[0].partition(":")
        path = parts.path
        if query:
            path += "?" + urllib.parse.urlencode(query, doseq=True)
        answer = self.get(path)
        assert answer.status == 200, answer
        assert (kind, digest) == ("sha256", hashlib.sha256(answer.body).hexdigest())
        return answer.body

    # ---- a bare socket, for what an HTTP library would not send

    def socket(self, timeout=20):
        raw = socket.create_connection((self.host, self.port), timeout)
        if self.scheme == "http":
            return raw
        return self.tls().wrap_socket(raw, server_hostname=self.host)

    # ---- the command line

    def cli(self, *arguments, environment=None, timeout=60, **more):
        """Runs koya with the environment that DIR/dev/env sets."""
        return cli(*arguments, environment={**self.dev_environment, **(environment or {})},
                   timeout=timeout, **more)


def cli(*arguments, environment=None, timeout=60, home="/nonexistent", cwd=None, stdin=""):
    return subprocess.run(
        [str(KOYA), *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
        env=clean_environment(**{"HOME": str(home), **(environment or {})}), cwd=cwd, input=stdin,
    )


def read_answer(sock, head=False):
    """One answer from a bare socket; None when the peer closed without one."""
    answer = http.client.HTTPResponse(sock, method="HEAD" if head else "GET")
    try:
        answer.begin()
    except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLError):
        return None
    return Answer(answer.status, answer.headers, answer.read())


# ---- archives and folders of modules

PLAIN_MODULE = {"main.tf": 'output "name" {\n  value = "plain"\n}\n'}


def tar_gz(files, top=""):
    """A .tar.gz of {name: text}, the same bytes each time; `top` is a folder round it all."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name in sorted(files):
            data = files[name] if isinstance(files[name], bytes) else files[name].encode()
            member = tarfile.TarInfo(f"{top}/{name}" if top else name)
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0)


def zip_of(files, top=""):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            data = files[name] if isinstance(files[name], bytes) else files[name].encode()
            archive.writestr(zipfile.ZipInfo(f"{top}/{name}" if top else name), data)
    return raw.getvalue()


def small_disk(test, folder, size):
    """Mounts a file system of that size at `folder` until the test is over; skips without root."""
    if os.geteuid() != 0:
        test.skipTest("mounting a small disk needs root")
    folder.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
                           capture_output=True, text=True)
    if mount.returncode != 0:
        test.skipTest(f"no small disk: {mount.stderr.strip()}")
    test.addCleanup(subprocess.run, ["umount", "-l", str(folder)])


def names_in(archive):
    """The file names in a .tar.gz or .zip."""
    if archive[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            return sorted(opened.namelist())
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return sorted(member.name for member in opened if member.isfile())


def write_files(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return pathlib.Path(folder)


class TestCase(unittest.TestCase):
    """A test with a temporary folder of its own."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def server(self, *arguments, name="data", **more):
        """A running server that ends with the test."""
        server = Server(self.folder / name, *arguments, **more)
        self.addCleanup(server.__exit__)
        return server.start()


class SharedServerTestCase(TestCase):
    """Tests of one class that share one server; each uses module names of its own."""

    ARGUMENTS = ()

    @classmethod
    def setUpClass(cls):
        cls.shared_folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared_folder, ignore_errors=True)
        cls.koya = Server(cls.shared_folder / "data", *cls.ARGUMENTS).start()
        cls.addClassCleanup(cls.koya.__exit__)


SKIPPED = 77  # what ctest knows as "skipped" (SKIP_RETURN_CODE)


def main():
    """Runs the tests of the calling file; exit status 77 when every one was skipped."""
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if len(result.skipped) == result.testsRun else 0)
