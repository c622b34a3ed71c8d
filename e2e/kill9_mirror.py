"""kill -9 while packages and modules of another registry arrive: each is held whole, or not at all.

usage: kill9_mirror.py [--rounds=100] [--seed=N]

Each round: several clients ask for packages and modules that nobody has asked for before, and that
arrive slowly, while a timer ends the server without warning; then it is started again on the same
folder, by itself, and
  - whatever a client had received to its end are the right bytes;
  - with the registry's archives failing, each is answered with the right bytes or with a 5xx: never
    with other bytes, never with a part, and never with 404;
  - nothing half-written is left in the blob store's and the scratch folder;
  - with the registry back, each is there, and is what was seen first.
At the end the data folder is compared with the catalog: every blob's bytes have its digest.
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
import urllib.parse

import koya_e2e
import koya_provider
import koya_upstream
from kill9 import check_blobs, left_over
from koya_mirror import ALLOWED
from koya_provider import ZIP, author

CLIENTS = 6
GONE = (http.client.HTTPException, ssl.SSLError, OSError)
MODULE = "vpc/aws"


class Wish:
    """Something to be mirrored: a provider's package, or a module."""

    def __init__(self, upstream, name, randomness):
        self.upstream = upstream
        padding = randomness.randbytes(randomness.choice((20_000, 300_000, 1_500_000)))
        self.is_module = randomness.random() < 0.4
        if self.is_module:
            self.data = None  # known when it was first seen: Koya packs it anew
            archive = koya_e2e.tar_gz({"main.tf": f"# {name}\n", "padding.bin": padding})
            address = f"{name}/{MODULE}"
            upstream.add_module(address, archive)
            self.source = upstream.module_archive_path(address)
            place = f"/origin/{upstream.host}/v1/modules/{address}/1.0.0"
            self.document, self.path = f"{place}/download", f"{place}/{name}-vpc-aws-1.0.0.tar.gz"
        else:
            files = koya_provider.release("1.0.0", author(), platforms=("linux_amd64",),
                                          padding=padding)
            upstream.add(f"{name}/demo", files, author())
            self.data = files[ZIP]
            self.source = upstream.file_path(f"{name}/demo", ZIP)
            place = f"/mirror/{upstream.host}/{name}/demo"
            self.document, self.path = f"{place}/1.0.0.json", f"{place}/1.0.0/{ZIP}"

    def check(self, body):
        """`body` was received whole: it must be what it was the first time."""
        self.data = self.data or body
        assert body == self.data, f"{self.path}: {len(body)} other bytes"

    def check_document(self, answer):
        """What the document says must fit what was seen."""
        if not self.is_module:
            archive = answer.json()["archives"]["linux_amd64"]
            assert koya_provider.zh(self.data) in archive["hashes"], answer
            return
        query = urllib.parse.urlsplit(answer.headers["X-Terraform-Get"]).query
        digest = "checksum=sha256:" + koya_provider.zh(self.data).removeprefix("zh:")
        assert query == digest, f"{self.path}: {query} but {digest}"


def fetch(koya, path):
    """An answer that came whole, or None."""
    try:
        return koya.request("GET", path, timeout=30)
    except GONE:
        return None


class Round:
    def __init__(self, koya, upstream, number, randomness):
        self.koya, self.upstream = koya, upstream
        self.wishes = [Wish(upstream, f"crash{number}-{each}", randomness)
                       for each in range(CLIENTS)]
        pieces = randomness.choice((2, 5, 20))
        for wish in self.wishes:
            upstream.faults[wish.source] = koya_upstream.trickle(pieces, 0.3 / pieces)
        self.failures, self.lock = [], threading.Lock()
        self.whole = 0
        self.threads = [threading.Thread(target=self.run, args=(wish,)) for wish in self.wishes]

    def run(self, wish):
        answer = fetch(self.koya, wish.path)
        if not answer:
            return
        with self.lock:
            if answer.status != 200:
                self.failures.append(f"{wish.path}: {answer}")
                return
            self.whole += 1
            try:
                wish.check(answer.body)
            except AssertionError as failure:
                self.failures.append(str(failure))

    def check(self):
        """After the restart. Returns how many were held."""
        held = 0
        for wish in self.wishes:
            self.upstream.faults[wish.source] = koya_upstream.answer(500, b"")
        for wish in self.wishes:
            answer = fetch(self.koya, wish.path)
            assert answer and answer.status in (200, 502), f"{wish.path}: {answer}"
            if answer.status == 200:
                held += 1
                wish.check(answer.body)
        for wish in self.wishes:
            del self.upstream.faults[wish.source]
            answer = koya_e2e.wait_until(lambda wish=wish: self.there(wish), wish.path, 15)
            wish.check(answer.body)
            document = fetch(self.koya, wish.document)
            assert document.status in (200, 204), document
            wish.check_document(document)
        return held

    def there(self, wish):
        answer = fetch(self.koya, wish.path)
        return answer if answer and answer.status == 200 else None


def scratch(koya):
    return [path for path in (koya.data / "scratch").rglob("*")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    options = parser.parse_args()
    print(f"kill9_mirror: {options.rounds} rounds, --seed={options.seed}", flush=True)
    randomness = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-kill9-"))
    begin = time.monotonic()
    whole = held = number = 0
    upstream = koya_upstream.Upstream()
    koya = koya_e2e.Server(
        folder / "data", "--upstream.hosts", upstream.host, "--upstream.ca_file",
        koya_upstream.certificate()[1], "--upstream.breaker_failures", "100000",
        "--mirror.negative_ttl", "1s", *ALLOWED).start()
    try:
        for number in range(1, options.rounds + 1):
            this = Round(koya, upstream, number, randomness)
            for thread in this.threads:
                thread.start()
            # The moment of death is what is being tried out: from before the first byte to the end.
            threading.Event().wait(randomness.uniform(0.02, 0.7))
            koya.kill()
            for thread in this.threads:
                thread.join()
            assert not this.failures, this.failures
            koya.start()
            assert not left_over(koya), left_over(koya)
            assert not scratch(koya), scratch(koya)
            whole += this.whole
            with koya.one_connection() as this.koya:
                held += this.check()
            if number % 20 == 0:
                print(f"  round {number}: {whole} received whole, {held} held, "
                      f"{time.monotonic() - begin:.0f} s", flush=True)
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
    print(f"kill9_mirror: {options.rounds} rounds in {time.monotonic() - begin:.0f} s: "
          f"{options.rounds * CLIENTS} begun, {whole} received whole, {held} held at the restart, "
          f"{blobs} blobs whole")


if __name__ == "__main__":
    main()
