"""SIGTERM in the middle of everything that waits for somebody else: a clean end, and nothing is left.

Each test brings the server into a state that would last for minutes, and sees by the other side's
counts that it is there. Server.stop() asserts the exit status and the time.
"""
import contextlib
import json
import pathlib
import socket
import threading

import koya_e2e
import koya_git
from koya_e2e import tar_gz, wait_until
from koya_mirror import ALLOWED, INDEX, PACKAGE, MirrorTestCase, fetch
from koya_provider import ZIP, author
from koya_upstream import hang, hang_within, trickle

DRAIN_SECONDS = 1
FILES = {"main.tf": b'output "made" {\n  value = "upstream"\n}\n'}


class Stop(MirrorTestCase):
    ARGUMENTS = (*ALLOWED, "--timeouts.drain", f"{DRAIN_SECONDS}s", "--upstream.timeout", "30s")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()

    def setUp(self):
        self.koya = self.mirror(self.id().rsplit(".", 1)[1], self.upstream)

    def ask(self, path, **more):
        """Asks without waiting for the answer, which may never come."""
        def run():
            with contextlib.suppress(OSError):
                fetch(self.koya, path, **more)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 30)

    def assert_stops_clean(self):
        self.koya.stop()
        data = pathlib.Path(self.koya.data)
        self.assertEqual([*(data / "scratch").rglob("*")], [])
        self.assertEqual([*(data / "blobs/tmp").rglob("*")], [])
        # Lines of one batch may change places in the log; their times say what came last.
        last = max(self.koya.log_records(), key=lambda record: record["time"])
        self.assertEqual(last["message"], "stopped", last)

    def test_while_a_document_is_waited_for(self):
        path = self.upstream.versions_path("slow/demo")
        self.upstream.faults[path] = hang
        self.ask(INDEX.path(self.upstream, "slow/demo"))
        wait_until(lambda: self.upstream.asked(path), "upstream is asked")
        self.assert_stops_clean()

    def test_while_a_package_arrives(self):
        self.upstream.add("fill/demo", self.files, author())
        path = self.upstream.file_path("fill/demo", ZIP)
        self.upstream.faults[path] = hang_within
        self.ask(PACKAGE.path(self.upstream, "fill/demo"))
        wait_until(lambda: self.upstream.asked(path), "the package is asked for")
        wait_until(lambda: [*(self.koya.data / "blobs/tmp").iterdir()], "it arrives")
        self.assert_stops_clean()

    def test_while_a_package_arrives_for_nobody(self):
        self.upstream.add("left/demo", self.files, author())
        path = self.upstream.file_path("left/demo", ZIP)
        self.upstream.faults[path] = hang_within
        with contextlib.closing(self.koya.connection()) as connection:
            connection.request("GET", PACKAGE.path(self.upstream, "left/demo"))
            wait_until(lambda: self.upstream.asked(path), "the package is asked for")
        self.assert_stops_clean()

    def test_while_a_module_trickles(self):
        archive = tar_gz({**FILES, "data.bin": koya_git.huge(1)})
        self.upstream.add_module("slow/vpc/aws", archive)
        path = self.upstream.module_archive_path("slow/vpc/aws")
        self.upstream.faults[path] = trickle(1000, 1)
        self.ask(f"/origin/{self.upstream.host}/v1/modules/slow/vpc/aws/1.0.0/download")
        wait_until(lambda: self.upstream.asked(path), "the archive is asked for")
        self.assert_stops_clean()

    def test_while_git_is_at_work(self):
        git = koya_git.GitServer()
        self.addCleanup(git.off)
        made = git.repository("acme/vpc.git", FILES, tag="v1.0.0")
        self.upstream.add_module("git/vpc/aws", location=f"git::{made.url}?ref=v1.0.0")
        path = "/acme/vpc.git/git-upload-pack"
        git.faults[path] = hang
        self.ask(f"/origin/{self.upstream.host}/v1/modules/git/vpc/aws/1.0.0/download")
        wait_until(lambda: git.asked(path), "git asks for the repository")
        self.assert_stops_clean()

    def test_while_a_sign_in_provider_is_asked(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        silent.settimeout(30)
        made = self.koya.request("POST", "/api/v1/idps", json.dumps({
            "name": "silent", "issuer": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "client_id": "koya"}), token=self.koya.token)
        self.assertEqual(made.status, 201, made)
        self.ask("/api/v1/idps/silent/test", method="POST", token=self.koya.token)
        asked, _ = silent.accept()
        self.addCleanup(asked.close)
        self.assert_stops_clean()

    def test_while_an_upload_arrives(self):
        archive = tar_gz({**FILES, "data.bin": koya_git.huge(1)})
        head = (f"PUT /api/v1/modules/acme/vpc/aws/1.0.0 HTTP/1.1\r\nHost: {self.koya.address}\r\n"
                f"Authorization: Bearer {self.koya.token}\r\nContent-Length: {len(archive)}\r\n\r\n")
        with self.koya.socket() as connection:
            connection.sendall(head.encode() + archive[:-1000])
            wait_until(lambda: [*(self.koya.data / "blobs/tmp").iterdir()], "it is being staged")
            self.assert_stops_clean()


if __name__ == "__main__":
    koya_e2e.main()
