"""kill -9 during uploads and commits of provider releases: every release is whole, or absent.

usage: kill9_providers.py [--rounds=200] [--seed=N]

Each round: several threads register a key, upload the files of releases (two at a time) and commit
them, while a timer ends the server without warning; then it is started again on the same folder, by
itself, and
  - every release whose commit was answered 201 is there;
  - every release that is listed is there for each of its platforms, byte for byte, with its sums,
    its signature and the key; every other one is absent everywhere (not listed, all of it 404);
  - publishing the same release again succeeds, so a retrying pipeline always gets there;
  - nothing half-written is left in the blob store's temporary folder.
At the end the data folder is compared with the catalog: every blob's bytes have its digest.
"""
import argparse
import concurrent.futures
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
import koya_provider
from kill9 import check_blobs, left_over

PUBLISHERS = 3
RELEASES = 10  # made once; every publisher has a namespace of its own in each round
PLATFORMS = ("darwin_arm64", "linux_amd64")
GONE = (http.client.HTTPException, ssl.SSLError, OSError)


class ServerGone(Exception):
    pass


class Connection:
    """One kept-alive connection that says when the server is gone."""

    def __init__(self, koya):
        self.connection, self.token = koya.connection(timeout=30), koya.token

    def call(self, method, path, body=b""):
        try:
            self.connection.request(method, path, body,
                                    {"Authorization": f"Bearer {self.token}"})
            answer = self.connection.getresponse()
            return koya_e2e.Answer(answer.status, answer.headers, answer.read())
        except GONE as gone:
            raise ServerGone from gone


def make_releases(author, randomness):
    """[(version, sign, files)]: SHA256SUMS does not name a namespace, so they serve every one."""
    releases = []
    for number in range(RELEASES):
        version = f"1.{number}.0"
        padding = randomness.randbytes(randomness.choice((100, 3000, 60_000, 400_000)))
        zips = koya_provider.unsigned(version, platforms=PLATFORMS, padding=padding)
        sign = number % 3 == 2
        releases.append((version, sign, zips if sign else koya_provider.signed(zips, author)))
    return releases


def publish(connections, namespace, version, sign, files):
    """The status of the commit of a new draft with all files, sent over two connections."""
    path = f"/api/v1/providers/{namespace}/demo/{version}/drafts"
    opened = connections[0].call("POST", path)
    if opened.status != 201:
        raise AssertionError(f"draft of {namespace} {version}: {opened}")
    draft = f"{path}/{opened.json()['id']}"
    items = list(files.items())

    def upload(number):
        for name, data in items[number::2]:
            answer = connections[number].call("PUT", f"{draft}/files/{name}", data)
            if answer.status != 200:
                raise AssertionError(f"{name} of {namespace} {version}: {answer}")

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        beside = pool.submit(upload, 1)
        upload(0)
        beside.result()
    answer = connections[0].call("POST", f"{draft}/commit", '{"sign": true}' if sign else "")
    if answer.status not in (200, 201):
        raise AssertionError(f"commit of {namespace} {version}: {answer}")
    return answer.status


class Publishing:
    """What the publishers of one round sent, and what they were answered."""

    def __init__(self, koya, number, author, releases):
        self.koya, self.author, self.releases = koya, author, releases
        self.namespaces = [f"crash{number}-{thread}" for thread in range(PUBLISHERS)]
        self.lock = threading.Lock()
        self.keyed, self.sent, self.answered, self.unexpected = set(), {}, set(), []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(namespace,))
                        for namespace in self.namespaces]

    def run(self, namespace):
        try:
            connections = [Connection(self.koya) for _ in range(2)]
            answer = connections[0].call("POST", f"/api/v1/namespaces/{namespace}/keys",
                                         self.author.armor)
            if answer.status != 201:
                raise AssertionError(f"key of {namespace}: {answer}")
            with self.lock:
                self.keyed.add(namespace)
            for version, sign, files in self.releases:
                if self.over.is_set():
                    return
                with self.lock:
                    self.sent[namespace, version] = (sign, files)
                status = publish(connections, namespace, version, sign, files)
                with self.lock:
                    self.answered.add((namespace, version))
                    if status != 201:
                        self.unexpected.append((namespace, version, status))
        except ServerGone:
            return
        except AssertionError as failure:
            with self.lock:
                self.unexpected.append(str(failure))


def check_whole(connection, namespace, version, sign, files):
    base = f"/v1/providers/{namespace}/demo/{version}"
    served = f"/download/providers/{namespace}/demo/{version}"
    for each in PLATFORMS:
        answer = connection.call("GET", f"{base}/download/{each.replace('_', '/')}")
        assert answer.status == 200, f"{namespace} {version} {each}: {answer}"
        document = answer.json()
        assert document["signing_keys"]["gpg_public_keys"][0]["ascii_armor"], document
        assert set(document["packages"]) == set(PLATFORMS), document
    for name, data in files.items():
        answer = connection.call("GET", f"{served}/{name}")
        assert answer.status == 200 and answer.body == data, f"{namespace} {name}: {answer}"
    if sign:
        stem = f"{served}/{koya_provider.stem('demo', version)}_SHA256SUMS"
        answer = connection.call("GET", stem)
        assert answer.body == koya_provider.sums_of(files), f"{namespace} {version}: {answer}"
        assert connection.call("GET", f"{stem}.sig").status == 200, f"{namespace} {version}"


def check_absent(connection, namespace, version, files):
    paths = [f"/v1/providers/{namespace}/demo/{version}",
             *(f"/v1/providers/{namespace}/demo/{version}/download/{each.replace('_', '/')}"
               for each in PLATFORMS),
             *(f"/download/providers/{namespace}/demo/{version}/{name}" for name in files)]
    for path in paths:
        answer = connection.call("GET", path)
        assert answer.status == 404, f"not listed, but {path}: {answer}"


def check(koya, publishing):
    """The releases that are there after a restart; raises when one is neither whole nor absent."""
    connection = Connection(koya)
    there = set()
    for namespace in publishing.namespaces:
        listed = koya_provider.versions(koya, f"{namespace}/demo")
        for version, platforms in listed.items():
            assert (namespace, version) in publishing.sent, f"{namespace} {version} from nowhere"
            assert platforms == sorted(PLATFORMS), f"{namespace} {version}: {platforms}"
            there.add((namespace, version))
        found = connection.call("GET", f"/v1/providers/search?q={namespace}").json()["providers"]
        assert len(found) == bool(listed), f"{namespace}: {listed} but {found}"
        keys = connection.call("GET", f"/api/v1/namespaces/{namespace}/keys").json()["keys"]
        if namespace in publishing.keyed:
            assert publishing.author.key_id in {key["key_id"] for key in keys}, keys
    assert publishing.answered <= there, f"answered, but lost: {publishing.answered - there}"
    for (namespace, version), (sign, files) in publishing.sent.items():
        if (namespace, version) in there:
            check_whole(connection, namespace, version, sign, files)
        else:
            check_absent(connection, namespace, version, files)
    return there


def retry_some(koya, publishing, there, randomness):
    """A pipeline that was cut off publishes again: 200 when it had been stored, else 201."""
    connections = [Connection(koya) for _ in range(2)]
    absent = sorted(publishing.sent.keys() - there)
    for key in randomness.sample(absent, min(1, len(absent))) + randomness.sample(
            sorted(there), min(1, len(there))):
        namespace, version = key
        answer = connections[0].call("POST", f"/api/v1/namespaces/{namespace}/keys",
                                     publishing.author.armor)
        assert answer.status in (200, 201), answer
        status = publish(connections, namespace, version, *publishing.sent[key])
        expected = 200 if key in there else 201
        assert status == expected, f"{key} again: {status}, expected {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    options = parser.parse_args()
    print(f"kill9_providers: {options.rounds} rounds, --seed={options.seed}", flush=True)
    randomness = random.Random(options.seed)
    author = koya_provider.key("ed25519")
    releases = make_releases(author, randomness)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-kill9-"))
    begin = time.monotonic()
    sent = answered = kept = number = 0
    koya = koya_e2e.Server(folder / "data").start()
    try:
        for number in range(1, options.rounds + 1):
            publishing = Publishing(koya, number, author, releases)
            for thread in publishing.threads:
                thread.start()
            # The moment of death is what is being tried out: anywhere from the first handshake on.
            publishing.over.wait(randomness.uniform(0.02, 0.4))
            koya.kill()
            publishing.over.set()
            for thread in publishing.threads:
                thread.join()
            assert not publishing.unexpected, publishing.unexpected

            koya.start()
            there = check(koya, publishing)
            assert not left_over(koya), left_over(koya)
            retry_some(koya, publishing, there, randomness)
            sent += len(publishing.sent)
            answered += len(publishing.answered)
            kept += len(there)
            if number % 20 == 0:
                print(f"  round {number}: {sent} sent, {answered} answered, {kept} there, "
                      f"{time.monotonic() - begin:.0f} s", flush=True)
        blobs = check_blobs(koya)
        koya.stop()
    except BaseException:
        print(f"kill9_providers: failed in round {number} (--seed={options.seed}); the end of the "
              f"log:\n{koya.log_tail()}", file=sys.stderr)
        raise
    finally:
        if koya.process.poll() is None:
            koya.kill()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"kill9_providers: {options.rounds} rounds in {time.monotonic() - begin:.0f} s: {sent} "
          f"releases begun, {answered} answered, {kept - answered} whole though unanswered, "
          f"{sent - kept} absent, {blobs} blobs whole")


if __name__ == "__main__":
    main()
