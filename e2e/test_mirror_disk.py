"""A disk that takes no more in the middle of a fill: nothing half is kept, and the server goes on.

Once the limit is one on the size of files (RLIMIT_FSIZE), which needs no rights; once a small disk.
"""
import random
import resource

import koya_e2e
import koya_upstream
from koya_e2e import wait_until
from koya_mirror import ALLOWED, CUT, PACKAGE, MirrorTestCase, fetch, status
from koya_provider import BINARY, ZIP, author, package, release, signed, zipfile

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


class SmallDisk(MirrorTestCase):
    """A file system that is full, for packages and modules."""

    def test_nothing_is_kept_of_what_does_not_fit(self):
        upstream = self.registry()
        koya_e2e.small_disk(self, self.folder / "disk", "24m")
        koya = self.mirror("disk/data", upstream)
        upstream.add("small/demo", self.files, author())
        place = PACKAGE.path(upstream, "small/demo")
        self.assertEqual(koya.get(place).body, self.files[ZIP])
        big = release("1.0.0", author(), platforms=("linux_amd64",),
                                    padding=random.Random(1).randbytes(40 << 20))
        upstream.add("big/demo", big, author())
        upstream.add_module("big/vpc/aws", koya_e2e.tar_gz(
            {"main.tf": "", "big.bin": random.Random(2).randbytes(40 << 20)}))
        got = fetch(koya, PACKAGE.path(upstream, "big/demo"))
        self.assertIn(status(got), (CUT, 507), got)  # which one depends on how far it had come
        got = fetch(koya, f"/origin/{upstream.host}/v1/modules/big/vpc/aws/1.0.0/download")
        self.assertEqual(status(got), 507, got)
        self.assertRegex(got.errors(), r"(?i)full|space")
        wait_until(lambda: not [path for path in (koya.data / "blobs/tmp").rglob("*")
                                if path.is_file()], "what had arrived is removed")
        # What fits is still taken, and what is held is still served.
        upstream.add("other/demo", self.files, author())
        got = koya.get(PACKAGE.path(upstream, "other/demo"))
        self.assertEqual(got.body, self.files[ZIP])
        self.assertEqual(koya.get(place).body, self.files[ZIP])
        koya.stop()
        koya.start()
        self.assertEqual(koya.get(place).body, self.files[ZIP])

    def test_pulling_stops_before_publishing_runs_out_of_room(self):
        upstream = self.registry()
        koya_e2e.small_disk(self, self.folder / "kept-free", "48m")
        koya = self.mirror("kept-free/data", upstream,
                           arguments=("--mirror.min_free=50%", *ALLOWED))
        for name in ("held", "late"):
            upstream.add(f"{name}/demo", self.files, author())
        held, late = (PACKAGE.path(upstream, f"{name}/demo") for name in ("held", "late"))
        self.assertEqual(koya.get(held).body, self.files[ZIP])
        # What is published takes the room that was left to it.
        for number in range(3):
            big = koya_e2e.tar_gz({"main.tf": "", "big.bin": random.Random(number).randbytes(8 << 20)})
            koya.publish("acme/big/aws", f"1.{number}.0", big)
        got = fetch(koya, late)
        self.assertEqual(status(got), 507, got)
        self.assertIn("mirror.min_free", got.errors())
        koya.publish("acme/small/aws", "1.0.0", koya_e2e.tar_gz({"main.tf": ""}))
        self.assertEqual(koya.get(held).body, self.files[ZIP])
        wait_until(lambda: [each for each in koya.log_records()
                            if each.get("limit") == "mirror.min_free"], "the log names the limit")


if __name__ == "__main__":
    koya_e2e.main()
