"""A disk that takes no more in the middle of a fill: nothing half is kept, and the server goes on.

The limit is one on the size of files (RLIMIT_FSIZE), which needs no rights and no disk of its own.
"""
import resource

import koya_e2e
import koya_upstream
from koya_e2e import wait_until
from koya_mirror import ALLOWED, CUT, PACKAGE, MirrorTestCase, fetch, status
from koya_provider import BINARY, ZIP, author, package, signed, zipfile

BIG, LIMIT = 24 << 20, 8 << 20


class LimitedServer(koya_e2e.Server):
    """A server for which a file that grows too large is a failure, and not the end."""

    def command(self):
        return ["sh", "-c", 'trap "" XFSZ; exec "$@"', "sh", *super().command()]

    def limit(self, size):
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE,
                         (size, resource.RLIM_INFINITY))


class FullDisk(MirrorTestCase):
    def test_in_the_middle_of_a_fill(self):
        upstream = self.registry()
        content = bytes(range(256)) * (BIG // 256)
        big = signed({ZIP: package({BINARY: content}, zipfile.ZIP_STORED)}, author())
        upstream.add("big/demo", big, author())
        upstream.add("small/demo", self.files, author())
        koya = LimitedServer(self.folder / "data", "--upstream.hosts", upstream.host,
                             "--upstream.ca_file", koya_upstream.certificate()[1], *ALLOWED)
        self.addCleanup(koya.__exit__)
        self.koya = koya.start()
        koya.limit(LIMIT)
        ours = PACKAGE.path(upstream, "big/demo")
        for _ in range(3):
            self.assertIn(status(fetch(koya, ours)), (CUT, 500, 502, 507))
            self.assert_room_is_given_back()
        # The server goes on, and what is small enough comes.
        self.assert_all_right(upstream, "small/demo")
        self.assert_only_ours_is_kept(*(data for name, data in big.items() if name != ZIP))
        koya.limit(resource.RLIM_INFINITY)
        got = wait_until(lambda: fetch(koya, ours), "an answer")
        self.assertEqual((status(got), len(got.body)), (200, len(big[ZIP])))
        self.assertEqual(got.body, big[ZIP])
        self.assert_only_ours_is_kept(*big.values())

    def assert_room_is_given_back(self):
        staging = self.koya.data / "blobs/tmp"
        wait_until(lambda: not [path for path in staging.rglob("*") if path.is_file()],
                   "nothing half is left")


if __name__ == "__main__":
    koya_e2e.main()
