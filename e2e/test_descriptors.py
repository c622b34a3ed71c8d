"""A server that may have few descriptors: what takes them, and that there are some left."""
import contextlib
import os

import koya_e2e
from koya_e2e import OWN_AGENT, PLAIN_MODULE, tar_gz

LIMIT = 256


class FewDescriptors(koya_e2e.Server):
    """A server under `ulimit -n`."""

    ulimit = f"ulimit -n {LIMIT}"

    def command(self):
        return ["sh", "-c", f'{self.ulimit} && exec "$@"', "sh", *super().command()]

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class LowSoftLimit(FewDescriptors):
    ulimit = "ulimit -S -n 200"


def letter_cases(path, count):
    """Different spellings of one path: the first `count` in the order of their upper-case letters."""
    letters = [place for place, letter in enumerate(path) if letter.isalpha()]
    for number in range(count):
        spelling = list(path)
        for bit, place in enumerate(letters):
            if number >> bit & 1:
                spelling[place] = spelling[place].upper()
        yield "".join(spelling)


class Descriptors(koya_e2e.TestCase):
    def few(self, kind=FewDescriptors):
        server = kind(self.folder / "data")
        self.addCleanup(server.__exit__)
        return server.start()

    def assert_all_works(self, koya, name):
        archive = tar_gz({**PLAIN_MODULE, "name.txt": name})
        koya.publish(f"few/{name}/null", "1.0.0", archive)
        self.assertEqual(koya.download(f"few/{name}/null", "1.0.0"), archive)

    def ask_all(self, koya, method, paths):
        """All on one connection."""
        with contextlib.closing(koya.connection()) as connection:
            for path in paths:
                connection.request(method, path, headers={"User-Agent": OWN_AGENT})
                answer = connection.getresponse()
                answer.read()
                self.assertEqual(answer.status, 200, path)

    def test_one_module_in_every_letter_case_takes_one_descriptor(self):
        koya = self.few()
        koya.publish("few/spelled-in-many-ways/null", "1.0.0", tar_gz(PLAIN_MODULE))
        prefix, rest = "/download/modules/", koya.archive_path("few/spelled-in-many-ways/null", "1.0.0")
        rest = rest.removeprefix(prefix)
        self.ask_all(koya, "HEAD", [prefix + rest])
        before = koya.descriptors()
        self.ask_all(koya, "HEAD", (prefix + each for each in letter_cases(rest, 1200)))
        self.assertLessEqual(koya.descriptors(), before + 4)
        self.assert_all_works(koya, "after")
        with contextlib.ExitStack() as idle:
            for _ in range(60):
                idle.enter_context(koya.socket())
            self.assert_all_works(koya, "beside-connections")

    def test_more_archives_than_descriptors_are_downloaded(self):
        koya = self.few()
        names = [f"m{number}" for number in range(120)]
        for name in names:
            koya.publish(f"few/{name}/null", "1.0.0", tar_gz({**PLAIN_MODULE, "name.txt": name}))
        self.ask_all(koya, "GET", [koya.archive_path(f"few/{name}/null", "1.0.0")
                                   for name in names])
        self.assertLess(koya.descriptors(), LIMIT / 2)
        self.assert_all_works(koya, "after")

    def test_idle_connections_leave_descriptors_to_uploads(self):
        koya = self.few()
        with contextlib.closing(koya.connection()) as connection, contextlib.ExitStack() as idle:
            connection.request("GET", "/.well-known/terraform.json")
            self.assertEqual(connection.getresponse().read()[:1], b"{")
            for _ in range(LIMIT):
                try:
                    idle.enter_context(koya.socket())
                except OSError:
                    break  # refused: there are as many as may be
            else:
                self.fail("connections take every descriptor")
            path = "/api/v1/modules/few/beside/null/1.0.0"
            connection.request("PUT", path, tar_gz(PLAIN_MODULE),
                               {"Authorization": f"Bearer {koya.token}"})
            self.assertEqual(connection.getresponse().status, 201)
        self.assertIn("LimitNOFILE", koya.log_path.read_text())

    def test_the_soft_limit_is_raised_to_the_hard_one(self):
        koya = self.few(LowSoftLimit)
        with open(f"/proc/{koya.process.pid}/limits") as limits:
            line = next(line for line in limits if line.startswith("Max open files"))
        soft, hard = line.split()[3:5]
        self.assertEqual(soft, hard)


if __name__ == "__main__":
    koya_e2e.main()
