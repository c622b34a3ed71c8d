"""kill -9 during concurrent publishes, again and again: every version is whole, or absent.

usage: kill9.py [--rounds=200] [--seed=N]

Each round: several threads publish over HTTP while a timer ends the server without warning; then
it is started again on the same folder, by itself, and
  - every publish that was answered 201 is there, byte for byte;
  - every other version is there byte for byte, or absent (not listed, its download 404);
  - a publish of the same bytes again succeeds, so a retrying pipeline always gets there;
  - nothing half-written is left in the blob store's temporary folder.
At the end the data folder is compared with the catalog: every blob's bytes have its digest.
"""
import argparse
import hashlib
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

PUBLISHERS = 4


class Publishing:
    """What the publishers of one round sent, and what they were answered."""

    def __init__(self, koya, round_number, randomness):
        self.koya, self.round = koya, round_number
        self.lock = threading.Lock()
        self.sent, self.answered = {}, set()
        self.unexpected = []
        self.over = threading.Event()
        self.seeds = [randomness.randrange(1 << 30) for _ in range(PUBLISHERS)]
        self.threads = [threading.Thread(target=self.publish, args=(i,)) for i in range(PUBLISHERS)]

    def publish(self, number):
        randomness = random.Random(self.seeds[number])
        connection = self.koya.connection(timeout=30)
        count = 0
        while not self.over.is_set():
            address = f"crash/module{number}/null"
            version = f"{self.round}.{count}.0"
            archive = koya_e2e.tar_gz(
                {"main.tf": f"# {address} {version}\n",
                 "data.bin": randomness.randbytes(randomness.choice((100, 3000, 60_000, 600_000)))},
                top=randomness.choice(("", "", "wrapped")))
            with self.lock:
                self.sent[address, version] = archive
            try:
                connection.request("PUT", f"/api/v1/modules/{address}/{version}", archive,
                                   {"Authorization": f"Bearer {self.koya.token}"})
                answer = connection.getresponse()
                answer.read()
            except (http.client.HTTPException, ssl.SSLError, OSError):
                return  # the server is gone
            with self.lock:
                if answer.status == 201:
                    self.answered.add((address, version))
                else:
                    self.unexpected.append((address, version, answer.status))
            count += 1


def check(koya, publishing):
    """The versions that are there after a restart; raises when one is neither whole nor absent."""
    there = set()
    listed = {}
    for address in {address for address, _ in publishing.sent}:
        answer = koya.get(f"/v1/modules/{address}/versions")
        assert answer.status in (200, 404), answer
        listed[address] = set() if answer.status == 404 else {
            each["version"] for each in answer.json()["modules"][0]["versions"]}
    for (address, version), archive in publishing.sent.items():
        if version not in listed[address]:
            assert (address, version) not in publishing.answered, f"lost: {address} {version}"
            answer = koya.get(f"/v1/modules/{address}/{version}/download")
            assert answer.status == 404, f"not listed, but served: {address} {version}: {answer}"
            continue
        served = koya.download(address, version)  # compares bytes with the checksum
        # A wrapped module is repacked: then its files are compared.
        names = koya_e2e.names_in(served)
        assert served == archive or names == ["data.bin", "main.tf"], f"{address} {version}"
        there.add((address, version))
    return there


def retry_some(koya, publishing, there, randomness):
    """A pipeline that was cut off publishes again: 200 when it had been stored, else 201."""
    for key in randomness.sample(sorted(publishing.sent), min(2, len(publishing.sent))):
        answer = koya.put_module(*key, publishing.sent[key])
        expected = 200 if key in there else 201
        assert answer.status == expected, f"{key} again: {answer}, expected {expected}"


def left_over(koya):
    return [path for path in (koya.data / "blobs/tmp").rglob("*") if path.is_file()]


def check_blobs(koya):
    blobs = 0
    for path in (koya.data / "blobs/sha256").rglob("*"):
        if path.is_file():
            blobs += 1
            digest = path.parent.name + path.name
            assert hashlib.sha256(path.read_bytes()).hexdigest() == digest, f"damaged: {path}"
    assert blobs, "no blob was found under its digest's name"
    return blobs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    options = parser.parse_args()
    print(f"kill9: {options.rounds} rounds, --seed={options.seed}", flush=True)
    randomness = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-kill9-"))
    begin = time.monotonic()
    sent = answered = kept = 0
    koya = koya_e2e.Server(folder / "data").start()
    try:
        for number in range(1, options.rounds + 1):
            publishing = Publishing(koya, number, randomness)
            for thread in publishing.threads:
                thread.start()
            # The moment of death is what is being tried out: anywhere from the first handshake on.
            publishing.over.wait(randomness.uniform(0.02, 0.5))
            koya.kill()
            publishing.over.set()
            for thread in publishing.threads:
                thread.join()
            assert not publishing.unexpected, publishing.unexpected

            koya.start()
            with koya.one_connection() as asked:
                there = check(asked, publishing)
                assert not left_over(koya), left_over(koya)
                retry_some(asked, publishing, there, randomness)
            sent += len(publishing.sent)
            answered += len(publishing.answered)
            kept += len(there)
            if number % 20 == 0:
                print(f"  round {number}: {sent} sent, {answered} answered, {kept} there, "
                      f"{time.monotonic() - begin:.0f} s", flush=True)
        blobs = check_blobs(koya)
        koya.stop()
    except BaseException:
        print(f"kill9: failed in round {number} (--seed={options.seed}); the end of the log:\n"
              f"{koya.log_tail()}", file=sys.stderr)
        raise
    finally:
        if koya.process.poll() is None:
            koya.kill()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"kill9: {options.rounds} rounds in {time.monotonic() - begin:.0f} s: {sent} publishes, "
          f"{answered} answered, {kept - answered} whole though unanswered, {sent - kept} absent, "
          f"{blobs} blobs whole")


if __name__ == "__main__":
    main()
