"""A git server, scripted: bare repositories over https on a loopback port, with what upstream's
registries have, counts and faults by path among it.

    server = koya_git.GitServer()
    repository = server.repository("acme/network.git", {"main.tf": b"", "link": Symlink("main.tf")},
                                   tag="v1.0.0")
    f"git::{repository.url}?ref=v1.0.0"

The protocol is spoken by `git http-backend`; no git configuration of this machine is read.
"""
import atexit
import collections
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

from koya_upstream import Upstream, answer

Symlink = collections.namedtuple("Symlink", "target")
Program = collections.namedtuple("Program", "data")  # a file that may be executed
Submodule = collections.namedtuple("Submodule", "url")
WHEN = "1767322984 +0000"  # of every commit, so that the same files have the same id
NO_COMMIT = "5" * 40       # what submodules point to; nobody has it


def huge(mebibytes, seed=1):
    """Bytes that no packing makes smaller."""
    return random.Random(seed).randbytes(mebibytes << 20)


def environment(folder, **more):
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull, **more}


class Repository:
    """A bare repository. `ref`s are written in full: "refs/tags/v1"."""

    def __init__(self, server, name, folder):
        self.server, self.name, self.folder = server, name, folder
        self.run("init", "--quiet", "--bare", "--initial-branch=main", str(folder), at=None)
        self.run("config", "uploadpack.allowAnySHA1InWant", "true")

    @property
    def url(self):
        """Without "git::" before it."""
        return self.server.url(f"/{self.name}")

    def run(self, *arguments, stdin=b"", at="."):
        place = [] if at is None else [f"--git-dir={self.folder}"]
        done = subprocess.run(["git", *place, *arguments], input=stdin, capture_output=True,
                              check=True, env=environment(self.folder.parent))
        return done.stdout.decode().strip()

    def commit(self, files, *refs, tag=None):
        """A commit of these files alone on "main", also under `tag` and `refs`: its id. Files are
        {path: bytes, Symlink, Program or Submodule}."""
        stream, submodules = [], []
        for path, what in files.items():
            if isinstance(what, Submodule):
                stream.append(f'M 160000 {NO_COMMIT} "{path}"\n'.encode())
                submodules.append(f'[submodule "{path}"]\n\tpath = {path}\n\turl = {what.url}\n')
                continue
            mode, data = "100644", what
            if isinstance(what, Symlink):
                mode, data = "120000", what.target.encode()
            elif isinstance(what, Program):
                mode, data = "100755", what.data
            stream.append(f'M {mode} inline "{path}"\n'.encode() + self.data(data))
        if submodules:
            stream.append(b"M 100644 inline .gitmodules\n" + self.data("".join(submodules).encode()))
        head = (f"commit refs/heads/main\ncommitter Author <author@example.com> {WHEN}\n".encode()
                + self.data(b"A change") + self.parent() + b"deleteall\n")
        self.run("fast-import", "--quiet", "--force", stdin=head + b"".join(stream))
        commit = self.run("rev-parse", "refs/heads/main")
        for ref in (*refs, *([f"refs/tags/{tag}"] if tag else [])):
            self.put_ref(ref, commit)
        return commit

    def parent(self):
        refs = self.run("for-each-ref", "refs/heads/main")
        return b"from refs/heads/main^0\n" if refs else b""

    @staticmethod
    def data(text):
        return b"data %d\n%s\n" % (len(text), text)

    def put_ref(self, ref, commit):
        """`ref` may be what `git tag` would refuse: "refs/tags/--upload-pack=x"."""
        self.run("update-ref", ref, commit)


class GitServer(Upstream):
    """https://127.0.0.1:PORT/NAME is the repository NAME. Faults go by path, as
    "/acme/network.git/info/refs" or "/acme/network.git/git-upload-pack"."""

    def __init__(self, *arguments, **more):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="koya-git-"))
        atexit.register(shutil.rmtree, self.root, True)
        super().__init__(*arguments, **more)

    def repository(self, name, files=None, tag=None):
        """A new one, called "acme/network.git"; with a first commit when there are files."""
        folder = self.root / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Repository(self, name, folder)
        if files is not None:
            made.commit(files, tag=tag)
        return made

    def serve_rest(self, handler, path, query):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if "chunked" in (handler.headers.get("Transfer-Encoding") or ""):
            body = read_chunks(handler.rfile)
        variables = environment(
            self.root, GIT_PROJECT_ROOT=str(self.root), GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path,
            QUERY_STRING=query, REQUEST_METHOD=handler.command, REMOTE_ADDR="127.0.0.1",
            CONTENT_TYPE=handler.headers.get("Content-Type") or "",
            HTTP_CONTENT_ENCODING=handler.headers.get("Content-Encoding") or "",
            GIT_PROTOCOL=handler.headers.get("Git-Protocol") or "")
        if body:
            variables["CONTENT_LENGTH"] = str(len(body))
        with subprocess.Popen(["git", "http-backend"], stdin=subprocess.PIPE, env=variables,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as backend:
            try:
                self.pass_on(handler, backend, body)
            finally:
                backend.kill()

    @staticmethod
    def pass_on(handler, backend, body):
        # It reads the whole request before it answers with more than a pipe holds.
        backend.stdin.write(body)
        backend.stdin.close()
        fields = []
        while line := backend.stdout.readline().strip():
            fields.append(line.decode().split(": ", 1))
        if not fields:
            answer(500, b"")(handler, None)
            return
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        handler.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status":
                handler.send_header(name, value)
        # git's TLS library wants to be told where the answer ends.
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while piece := backend.stdout.read(1 << 16):
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        handler.wfile.write(b"0\r\n\r\n")


def read_chunks(stream):
    body = b""
    while size := int(stream.readline().split(b";")[0], 16):
        body += stream.read(size)
        stream.readline()
    stream.readline()
    return body
