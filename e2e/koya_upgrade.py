"""What the test of upgrades needs: the program of the last release, and a load on servers that come and
go, which keeps in mind all that was acknowledged.

The load is small and strict: whoever is asked is there to answer, so every answer but the right one is
a failure, whichever version gives it.
"""
import contextlib
import hashlib
import http.client
import itertools
import json
import os
import pathlib
import random
import subprocess
import threading
import time

import koya_e2e
import koya_provider
import koya_upstream
from koya_e2e import ROOT, wait_until

TWO = koya_provider.TWO
# Both versions promise a second; the rest is for a machine that others keep busy.
SHOWS_WITHIN_SECONDS = 30
ROUNDS_SECONDS = 400
SIZES = (100, 3000, 60_000, 400_000)


def last_release():
    """$KOYA_LAST_RELEASE, or what tools/build-last-release has built."""
    return pathlib.Path(os.environ.get("KOYA_LAST_RELEASE", ROOT / "build/last-release/koya"))


def why_no_last_release():
    """None, or why upgrades cannot be tried."""
    program = last_release()
    if "KOYA_LAST_RELEASE" in os.environ:
        return None if program.exists() else f"{program} is not there"
    commit = (ROOT / "tools/last-release").read_text().strip()
    changed = subprocess.run(["git", "diff", "--quiet", commit, "--", "src/catalog/migrations/0001_*.sql"],
                             cwd=ROOT, stderr=subprocess.DEVNULL)
    if changed.returncode == 1:  # anything else: git knows no such commit
        return (f"the commit of tools/last-release ({commit[:12]}) has another first migration than this "
                "checkout: neither program opens the other's catalog")
    built = program.with_name("commit")
    if program.exists() and built.exists() and built.read_text().strip() == commit:
        return None
    return (f"the program of the last release ({commit[:12]}) was not built: run "
            "tools/build-last-release, in a checkout that has that commit")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def right(answer, *statuses):
    assert answer.status in statuses, f"{answer.status}, not {statuses}: {answer}"
    return answer


class PatientServer(koya_e2e.Server):
    """Asks again, as clients do, when the database is too busy: who meets the steps of an upgrade on a
    slow machine waits for a table for four seconds, and is told so."""

    busy = 0

    def request(self, *arguments, **more):
        deadline = time.monotonic() + SHOWS_WITHIN_SECONDS
        while True:
            answer = super().request(*arguments, **more)
            too_busy = answer.status == 503 and b"database is too busy" in answer.body
            if not too_busy or time.monotonic() > deadline:
                return answer
            assert answer.headers["Retry-After"], answer.headers
            self.busy += 1
            time.sleep(0.5)


class Module:
    """A version of a module that was acknowledged."""

    kind = "module"

    def __init__(self, address, archive):
        self.address, self.version, self.archive = address, "1.0.0", archive

    def check(self, server):
        """What `server` gives is what was published."""
        document = right(server.get(f"/v1/modules/{self.address}/versions"), 200).json()
        listed = [each["version"] for each in document["modules"][0]["versions"]]
        assert listed == [self.version], f"{self.address}: {listed}"
        assert server.download(self.address, self.version) == self.archive, self.address


class Release:
    """A release of a provider that was acknowledged."""

    kind = "provider"

    def __init__(self, address, zips, key_id=None):
        self.address, self.version, self.zips, self.key_id = address, "1.0.0", zips, key_id

    def check(self, server):
        listed = koya_provider.versions(server, self.address)
        assert listed == {self.version: sorted(TWO)}, f"{self.address}: {listed}"
        document = koya_provider.download(server, self.address, self.version, "linux_amd64")
        (key,) = document["signing_keys"]["gpg_public_keys"]
        assert self.key_id in (None, key["key_id"]), document
        stem = koya_provider.stem(self.address.split("/")[1], self.version)
        place = f"/download/providers/{self.address}/{self.version}/"
        for name, data in self.zips.items():
            assert right(server.get(place + name), 200).body == data, name
        sums = right(server.get(f"{place}{stem}_SHA256SUMS"), 200).body
        assert sums == koya_provider.sums_of(self.zips), sums
        right(server.get(f"{place}{stem}_SHA256SUMS.sig"), 200)


class Mirrored:
    """A package of another registry that somebody got."""

    kind = "mirror"

    def __init__(self, path, data):
        self.address, self.path, self.data = path, path, data

    def check(self, server):
        assert right(server.get(self.path), 200).body == self.data, self.path


class Over(Exception):
    """The load ends."""


class Load:
    """Threads that ask the servers that are there. `admin`: a token that may do everything."""

    def __init__(self, upstream, admin, seed=None):
        seed = int.from_bytes(os.urandom(4)) if seed is None else seed
        print(f"load: seed {seed}", flush=True)
        self.upstream, self.admin, self.seed = upstream, admin, seed
        self.lock, self.over = threading.Condition(), threading.Event()
        self.servers, self.busy = [], {}
        self.kept, self.failures = [], []
        self.seen = {}  # server's name: what check_everything has found there
        self.rounds = {}  # (server's name, kind): how often it was asked for that, and was right
        self.numbers = itertools.count()
        self.threads = [threading.Thread(target=self.work, args=(kind, number), daemon=True)
                        for number, kind in enumerate((
                            self.publish_module, self.publish_provider, self.read, self.read,
                            self.use_token, self.pull, self.bring_back))]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(ROUNDS_SECONDS)

    # ---- who is there

    def admit(self, server):
        with self.lock:
            self.servers.append(server)
            self.busy[server] = 0
        return server

    def retire(self, server):
        """Nobody asks it any more, and nobody waits for an answer of it."""
        with self.lock:
            self.servers.remove(server)
            assert self.lock.wait_for(lambda: self.busy[server] == 0, ROUNDS_SECONDS)

    def stop(self, server):
        self.retire(server)
        server.stop()

    @contextlib.contextmanager
    def some(self, randomness, count=1):
        """`count` servers, in any order, which stay until the end; the same again where there are too
        few."""
        with self.lock:
            while not self.servers:
                if self.over.is_set():
                    raise Over
                self.lock.wait(0.1)
            chosen = randomness.sample(self.servers, min(count, len(self.servers)))
            for each in chosen:
                self.busy[each] += 1
        try:
            yield (chosen * count)[:count]
        finally:
            with self.lock:
                for each in chosen:
                    self.busy[each] -= 1
                self.lock.notify_all()

    # ---- the work

    def work(self, kind, number):
        randomness = random.Random(f"{self.seed}/{number}")
        try:
            while not self.over.wait(randomness.uniform(0.2, 1.0)):  # others want the machine, too
                kind(randomness)
        except Over:
            pass
        except (AssertionError, OSError, http.client.HTTPException, KeyError, ValueError) as failure:
            with self.lock:
                self.failures.append(f"{kind.__name__}: {type(failure).__name__} {failure}")

    def keep(self, thing, kind, *servers):
        with self.lock:
            self.kept.append(thing)
        self.count(kind, *servers)

    def count(self, kind, *servers):
        with self.lock:
            for each in set(servers):
                place = (each.data.name, kind)
                self.rounds[place] = self.rounds.get(place, 0) + 1

    def shows(self, thing, server):
        """What another server acknowledged is there, at the latest a moment later."""
        deadline = time.monotonic() + SHOWS_WITHIN_SECONDS
        while True:
            try:
                return thing.check(server)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    def name(self, word):
        return f"{word}{next(self.numbers)}"

    @staticmethod
    def archive(randomness, name):
        return koya_e2e.tar_gz({"main.tf": f"# {name}\n",
                                "data.bin": randomness.randbytes(randomness.choice(SIZES))})

    def publish_module(self, randomness):
        address = f"team/{self.name('m')}/aws"
        archive = self.archive(randomness, address)
        with self.some(randomness, 2) as (one, other):
            right(one.put_module(address, "1.0.0", archive, self.admin), 201)
            module = Module(address, archive)
            self.keep(module, "module", one)
            module.check(one)
            self.shows(module, other)
            right(other.put_module(address, "1.0.0", archive, self.admin), 200)
            right(other.put_module(address, "1.0.0", archive + b"x", self.admin), 409, 422)

    def publish_provider(self, randomness):
        """A draft that is opened on one, filled on another, and committed on a third."""
        name = self.name("p")
        zips = koya_provider.unsigned("1.0.0", type_name=name, platforms=TWO,
                                      padding=randomness.randbytes(2000))
        with self.some(randomness, 3) as (one, two, three):
            draft = koya_provider.Draft(one, f"vendor/{name}", "1.0.0", self.admin)
            draft.koya = two
            for file, data in zips.items():
                right(draft.put(file, data), 200)
            draft.koya = three
            right(draft.commit(sign=True), 201)
            release = Release(f"vendor/{name}", zips, self.key_id)
            self.keep(release, "provider", one, two, three)
            release.check(three)
            self.shows(release, one)

    key_id = None  # of the key with which both versions sign, once it is known

    def read(self, randomness):
        with self.lock:
            thing = randomness.choice(self.kept) if self.kept else None
        if thing:
            with self.some(randomness) as (one,):
                self.shows(thing, one)
                self.count("read", one)

    def use_token(self, randomness):
        """Made on one, good on all for what it is for, and for nothing once it is revoked."""
        name = self.name("t")
        with self.some(randomness, 3) as (one, two, three):
            made = right(one.request("POST", "/api/v1/tokens", json.dumps(
                {"name": name, "scope": "publish", "namespaces": [name]}), token=self.admin), 201)
            token = made.json()["token"]
            archive = self.archive(randomness, name)
            right(two.put_module(f"{name}/m/aws", "1.0.0", archive, token), 201)
            self.keep(Module(f"{name}/m/aws", archive), "token", one, two)
            right(three.put_module("team/m/aws", "1.0.0", archive, token), 403)
            right(three.request("DELETE", f"/api/v1/tokens/{name}", token=self.admin), 204)
            asked = f"{name}/n/aws"
            right(three.put_module(asked, "1.0.0", archive, token), 401)
            wait_until(lambda: two.put_module(asked, "9.0.0", b"", token).status == 401,
                       "a revoked token is refused", SHOWS_WITHIN_SECONDS)
            self.count("token", three)

    def pull(self, randomness):
        address = f"{self.name('u')}/demo"
        files = koya_provider.unsigned("1.0.0", platforms=("linux_amd64",),
                                       padding=randomness.randbytes(randomness.choice(SIZES)))
        ((name, data),) = files.items()
        author = koya_provider.author()
        self.upstream.add(address, koya_provider.signed(files, author), author)
        path = f"/mirror/{self.upstream.host}/{address}/1.0.0/{name}"
        with self.some(randomness, 2) as (one, other):
            thing = Mirrored(path, data)
            thing.check(one)
            self.keep(thing, "mirror", one)
            thing.check(other)

    def bring_back(self, randomness):
        """Bytes that nothing refers to any more, until somebody publishes them again: perhaps in the
        very moment in which they are collected."""
        address = f"garbage/{self.name('g')}/aws"
        archive = self.archive(randomness, address)
        with self.some(randomness, 2) as (one, other):
            right(one.put_module(address, "1.0.0", archive, self.admin), 201)
            right(other.request("DELETE", f"/api/v1/modules/{address}/1.0.0",
                                '{"reason":"garbage"}', token=self.admin), 204)
        with self.lock:
            self.thrown_away = [*self.thrown_away, archive]
            again = randomness.choice(self.thrown_away) if randomness.random() < 0.6 else None
        if not again:
            return
        address = f"again/{self.name('a')}/aws"
        with self.some(randomness) as (one,):
            right(one.put_module(address, "1.0.0", again, self.admin), 201)
            self.keep(Module(address, again), "again", one)

    thrown_away = ()

    # ---- the tests' questions

    def prepare(self, server):
        """What must be there before the load: the key that signs."""
        zips = koya_provider.unsigned("1.0.0", type_name="first", platforms=TWO)
        draft = koya_provider.Draft(server, "vendor/first", "1.0.0", self.admin)
        for file, data in zips.items():
            right(draft.put(file, data), 200)
        right(draft.commit(sign=True), 201)
        document = koya_provider.download(server, "vendor/first", "1.0.0", "linux_amd64")
        (key,) = document["signing_keys"]["gpg_public_keys"]
        self.key_id = key["key_id"]
        self.kept.append(Release("vendor/first", zips, self.key_id))
        return server

    def check_failures(self):
        with self.lock:
            assert not self.failures, "\n".join(self.failures)

    def wait_rounds(self, more=2):
        """Until each server that is there was asked for everything `more` times again."""
        with self.lock:
            wanted = {(server.data.name, kind): self.rounds.get((server.data.name, kind), 0) + more
                      for server in self.servers
                      for kind in ("module", "provider", "read", "token", "mirror", "again")}

        def done():
            self.check_failures()
            with self.lock:
                return all(self.rounds.get(place, 0) >= count for place, count in wanted.items())

        try:
            wait_until(done, "each server was asked for everything", ROUNDS_SECONDS)
        except AssertionError as failure:
            raise AssertionError(f"{failure}; asked: {self.rounds}, wanted: {wanted}") from None

    def check_everything(self, *servers, again=False):
        """All that was acknowledged so far is there, byte for byte, on each of them; returns how much that
        is. What was found under a server's name before is asked for again only if told so."""
        self.check_failures()
        with self.lock:
            kept = list(self.kept)
        for server in servers:
            seen = self.seen.setdefault(server.data.name, set())
            with server.one_connection() as asked:
                for thing in kept:
                    if again or thing not in seen:
                        self.shows(thing, asked)
                seen.update(kept)
        return len(kept)


def check_blobs(folder):
    """Every blob has the digest that is its name."""
    for path in (pathlib.Path(folder) / "sha256").rglob("*"):
        if path.is_file():
            assert sha256(path.read_bytes()) == path.parent.name + path.name, f"damaged: {path}"


def upstream_arguments(upstream):
    return ("--upstream.hosts", upstream.host, "--upstream.ca_file",
            str(koya_upstream.certificate()[1]), "--upstream.allow_private_addresses",
            "127.0.0.1/32", "--upstream.timeout", "60s", "--mirror.negative_ttl", "1s")
