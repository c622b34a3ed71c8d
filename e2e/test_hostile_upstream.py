"""Sixty-four hostile answers at once: the server stays small, says which bounds were reached, and
goes on.

A registry and what it points to answer with lists that take a hundred times their size, modules
of links to links, errors of 300 MiB, bytes that never end, and git repositories that explode.
"""
import concurrent.futures
import gzip
import itertools

import koya_e2e
import koya_git
import koya_hostile
from koya_e2e import tar_gz, wait_until
from koya_mirror import ALLOWED, MirrorTestCase, fetch, status
from koya_provider import check_peak
from koya_upstream import head

AT_ONCE = 64
MOST_MEGABYTES = 256
ERROR_BYTES = 300 << 20
PLAIN = tar_gz({"main.tf": b"# a module\n"})


def packed_json(body):
    packed = gzip.compress(body)

    def send(handler, _good):
        head(handler, 200, len(packed), fields={"Content-Encoding": "gzip"})
        handler.wfile.write(packed)
    return send


def large_error(handler, _good):
    """404, and 300 MiB of reasons; whoever is asked may hang up before their end."""
    head(handler, 404, ERROR_BYTES)
    block = bytes(1 << 20)
    for _ in range(ERROR_BYTES // len(block)):
        handler.wfile.write(block)


def endless(handler, _good):
    """A byte each tenth of a second, for as long as somebody listens."""
    head(handler, 200, 1 << 20)
    while not handler.upstream.closing.wait(0.1):
        handler.wfile.write(b"x")
        handler.wfile.flush()


class HostileUpstream(MirrorTestCase):
    ARGUMENTS = (*ALLOWED, "--upstream.breaker_failures", "100000", "--upstream.timeout", "4s",
                 "--cache.documents_bytes", "16MiB")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstream = cls.registry()
        cls.healthy = cls.registry()
        cls.git = koya_git.GitServer()
        cls.addClassCleanup(cls.git.off)
        cls.koya = cls.mirror("data", cls.upstream, cls.healthy)

    def module_path(self, address, rest):
        return f"/origin/{self.upstream.host}/v1/modules/{address}/{rest}"

    # Each makes number `n` of its kind, and returns the path under which clients ask for it.

    def json_list(self, n):
        address = f"json/list{n}/aws"
        size, inside = ((3 << 20, True), (3 << 20, False), (64 << 20, True))[n // 4 % 3]
        bomb = koya_hostile.json_bomb(size, inside)
        self.upstream.faults[self.upstream.module_versions_path(address)] = packed_json(bomb)
        return self.module_path(address, "versions")

    def links(self, n):
        address = f"links/m{n}/aws"
        self.upstream.add_module(address, koya_hostile.link_bomb(400 if n // 4 % 2 else 40))
        return self.module_path(address, "1.0.0/download")

    def error(self, n):
        address = f"error/m{n}/aws"
        self.upstream.add_module(address, PLAIN)
        self.upstream.faults[self.upstream.module_archive_path(address)] = large_error
        return self.module_path(address, "1.0.0/download")

    def slow(self, n):
        address = f"slow/m{n}/aws"
        self.upstream.add_module(address, PLAIN)
        path = (self.upstream.module_archive_path if n // 8 % 2 else
                self.upstream.module_download_path)(address)
        self.upstream.faults[path] = endless
        return self.module_path(address, "1.0.0/download")

    def git_repository(self, n):
        address = f"git/m{n}/aws"
        repository = self.git.repository(f"acme/m{n}.git", {
            "main.tf": b"# a module\n", "zeros.bin": bytes(200 << 20)} if n == 7 else {
            "main.tf": b"# a module\n", **{f"z{i}.bin": bytes(1 << 20) + b"%d" % i
                                           for i in range(40)}}, tag="v1")
        self.upstream.add_module(address, location=f"git::{repository.url}?ref=v1")
        return self.module_path(address, "1.0.0/download")

    def test_hostile_answers_at_once_take_little_memory(self):
        kinds = itertools.cycle((self.json_list, self.links, self.error, self.slow, self.json_list,
                                 self.links, self.error, self.git_repository))
        paths = [make(n) for n, make in zip(range(AT_ONCE), kinds)]
        self.healthy.add_module("good/one/aws", PLAIN)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            got = list(pool.map(lambda path: fetch(self.koya, path, timeout=120), paths))
        for path, each in zip(paths, got):
            if "/git/" not in path:
                self.assertNotEqual(status(each), 500, f"{path}: {each}")
        good = f"/origin/{self.healthy.host}/v1/modules/good/one/aws/1.0.0/download"
        wait_until(lambda: status(fetch(self.koya, good)) in (200, 204), "a good module", 120)

        # A host that failed so often is left alone for a while: clients ask again.
        again = [path for path in paths if "/links/" in path or "/json/" in path]

        def told():
            for path in again:
                fetch(self.koya, path, timeout=120)
            limits = {each["limit"] for each in self.koya.log_records()
                      if each["message"] == "a limit was reached"}
            return limits >= {"limits.archive_entries", "limits.archive_ratio",
                              "fixed.json_storage", "fixed.upstream_document_bytes"}
        wait_until(told, "the log names the limits", 120)
        check_peak(self, self.koya.process.pid, MOST_MEGABYTES)


if __name__ == "__main__":
    koya_e2e.main()
