"""kill -9 in the middle of a fill: what was half fetched is never served and never kept.

usage: kill9_mirror.py [--rounds=100] [--seed=N]

Each round: a scripted registry sends a part of a package and waits; several clients read what has
arrived; the server is ended without warning, at some moment of that, and started again on the same
folder, by itself. Then
  - no client had more than a part, and none of them a wrong byte;
  - nothing half-written is left in the blob store's temporary folder, and no blob that is not whole;
  - while the registry is away, the package is answered with an error, never with bytes;
  - when it is back, the package comes whole, and is then served with the registry switched off.
At the end the data folder is looked through: every blob's bytes have its digest.
"""
import argparse
import http.client
import os
import pathlib
import random
import shutil
import ssl
import sys
import tempfile
import threading
import time

import koya_e2e
import koya_upstream
from kill9 import check_blobs, left_over
from koya_e2e import wait_until
from koya_mirror import ALLOWED, DOWNLOAD, PACKAGE, VERSION
from koya_provider import ZIP, TWO, author, release
from koya_upstream import Upstream

CLIENTS = 3
GONE = (http.client.HTTPException, ssl.SSLError, OSError)


class Reader(threading.Thread):
    """A client that takes what comes, to its end or the server's."""

    def __init__(self, koya, path):
        super().__init__(daemon=True)
        self.connection, self.path = koya.connection(timeout=30), path
        self.status, self.body, self.whole = None, b"", False
        self.start()

    def run(self):
        try:
            self.connection.request("GET", self.path)
            answer = self.connection.getresponse()
            self.status = answer.status
            size = int(answer.headers["Content-Length"])
            while piece := answer.read1(65536):
                self.body += piece
            self.whole = answer.status == 200 and len(self.body) == size
        except GONE:
            pass


class Round:
    def __init__(self, number, koya, upstream, files, randomness):
        self.koya, self.upstream, self.data = koya, upstream, files[ZIP]
        self.address = f"crash{number}/demo"
        upstream.add(self.address, files, author())
        self.theirs = upstream.file_path(self.address, ZIP)
        self.ours = PACKAGE.path(upstream, self.address)
        self.share, self.pause = randomness.uniform(0.0, 0.99), randomness.uniform(0.0, 0.05)
        self.known = randomness.random() < 0.7  # the documents are there before the package is

    def die(self):
        if self.known:
            answer = self.koya.get(VERSION.path(self.upstream, self.address))
            assert answer.status == 200, answer
        gate = threading.Event()
        self.upstream.faults[self.theirs] = koya_upstream.held(gate, self.share)
        readers = [Reader(self.koya, self.ours) for _ in range(CLIENTS)]
        wait_until(lambda: self.upstream.asked(self.theirs), "the package is asked for")
        time.sleep(self.pause)  # the moment of death is what is being tried out
        self.koya.kill()
        gate.set()
        for reader in readers:
            reader.join(60)
            assert not reader.whole, f"{self.address}: a client got it all"
            if reader.status == 200:
                assert self.data.startswith(reader.body), f"{self.address}: wrong bytes"
                assert len(reader.body) < len(self.data)
        del self.upstream.faults[self.theirs]
        return sum(len(reader.body) > 0 for reader in readers)

    def check(self):
        assert not left_over(self.koya), left_over(self.koya)
        self.upstream.off()
        try:
            answer = self.koya.get(self.ours)
            assert answer.status in (502, 503, 504), f"served without its registry: {answer}"
        finally:
            self.upstream.on()

        def whole():
            answer = self.koya.get(self.ours)
            assert answer.status != 200 or answer.body == self.data, f"{self.address}: {answer}"
            return answer.status == 200
        wait_until(whole, f"{self.address} is there", 20)

    def check_kept(self):
        """Held for good: after all rounds, with the registry switched off."""
        answer = self.koya.get(self.ours)
        assert answer.status == 200 and answer.body == self.data, f"{self.address}: {answer}"
        answer = self.koya.get(DOWNLOAD.path(self.upstream, self.address))
        assert answer.status == 200, f"{self.address}: {answer}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    options = parser.parse_args()
    print(f"kill9_mirror: {options.rounds} rounds, --seed={options.seed}", flush=True)
    randomness = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-kill9-"))
    begin = time.monotonic()
    upstream = Upstream()
    koya = koya_e2e.Server(
        folder / "data", "--upstream.hosts", upstream.host, "--upstream.ca_file",
        koya_upstream.certificate()[1], "--mirror.negative_ttl", "1s",
        "--upstream.breaker_failures", "100000", *ALLOWED).start()
    rounds, partial, number = [], 0, 0
    try:
        for number in range(1, options.rounds + 1):
            # Its own bytes in each round: nothing is there already by another name.
            padding = randomness.randbytes(randomness.choice((200, 20_000, 400_000, 3_000_000)))
            files = release("1.0.0", author(), platforms=TWO, padding=padding)
            rounds.append(Round(number, koya, upstream, files, randomness))
            partial += rounds[-1].die()
            koya.start()
            rounds[-1].check()
            if number % 20 == 0:
                print(f"  round {number}: {partial} clients had a part, "
                      f"{time.monotonic() - begin:.0f} s", flush=True)
        upstream.off()
        for each in rounds:
            each.check_kept()
        blobs = check_blobs(koya)
        koya.stop()
    except BaseException:
        print(f"kill9_mirror: failed in round {number} (--seed={options.seed}); the end of the "
              f"log:\n{koya.log_tail()}", file=sys.stderr)
        raise
    finally:
        if koya.process.poll() is None:
            koya.kill()
        upstream.off()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"kill9_mirror: {options.rounds} rounds in {time.monotonic() - begin:.0f} s: {partial} "
          f"clients had a part of a package, none a whole one; {blobs} blobs whole")


if __name__ == "__main__":
    main()
