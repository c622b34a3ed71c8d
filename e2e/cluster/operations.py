"""What can be asked of a cluster, each written down with what was answered: publish, read, withdraw,
make and revoke tokens, pull through the mirror. workers.py says who asks what."""
import concurrent.futures
import contextlib
import hashlib
import json
import random
import threading
import time

import client
import koya_e2e
import koya_provider
from cluster import NAMES

TWO = koya_provider.TWO
SIZES = (100, 3000, 60_000, 600_000)
INNER = "inner/door/null"  # of a namespace that only tokens open
HOT = 5  # modules that are read all the time: every replica has them in memory
ACCEPTED = (200, 201, 204)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def outcome(status):
    """Of something that changes the registry: 4xx is a refusal; whoever got no answer, or 5xx, does
    not know."""
    if status in ACCEPTED:
        return "ok"
    return "fail" if 400 <= status < 500 else "info"


class Thing:
    """A version that somebody tries to publish: a module or a provider's release."""

    def __init__(self, kind, address, version):
        self.kind, self.address, self.version = kind, address, version
        self.item = f"{address}@{version}"
        self.files = {}  # value: {part: bytes}
        self.published = False  # somebody acknowledged it
        self.withdrawn = False

    def offer(self, files):
        """A content to publish; its value is what makes two contents the same."""
        value = sha256(files["archive"] if self.kind == "module" else files["sums"])
        self.files[value] = files
        return value

    def parts(self, value):
        return {part: sha256(data) for part, data in self.files[value].items()
                if part != "signature"}

    @property
    def first_value(self):
        return next(iter(self.files))

    def path(self, part):
        if self.kind == "module":
            file = f"{self.address.replace('/', '-')}-{self.version}.tar.gz"
            return f"/download/modules/{self.address}/{self.version}/{file}"
        return f"/download/providers/{self.address}/{self.version}/{self.file(part)}"

    def file(self, part):
        stem = koya_provider.stem(self.address.split("/")[1], self.version)
        return {"sums": f"{stem}_SHA256SUMS", "signature": f"{stem}_SHA256SUMS.sig"}.get(
            part, f"{stem}_{part.removeprefix('zip/')}.zip")

    def document(self, part):
        """(path, what reads its digest out of a reply)."""
        if self.kind == "module":
            return (f"/v1/modules/{self.address}/{self.version}/download",
                    lambda reply: reply.headers["X-Terraform-Get"].rpartition("sha256:")[2])
        platform = part.removeprefix("zip/") if part.startswith("zip/") else "linux_amd64"
        return (f"/v1/providers/{self.address}/{self.version}/download/{platform.replace('_', '/')}",
                lambda reply: reply.json()["shasum"])


def module_files(randomness, text):
    return {"archive": koya_e2e.tar_gz({
        "main.tf": f"# {text}\n", "data.bin": randomness.randbytes(randomness.choice(SIZES))})}


def provider_files(randomness, address, version):
    type_name = address.split("/")[1]
    files = koya_provider.release(version, koya_provider.author(), type_name=type_name,
                                  platforms=TWO, padding=randomness.randbytes(2000))
    stem = koya_provider.stem(type_name, version)
    return {"sums": files[f"{stem}_SHA256SUMS"], "signature": files[f"{stem}_SHA256SUMS.sig"],
            **{f"zip/{each}": files[f"{stem}_{each}.zip"] for each in TWO}}


class Board:
    """All that was ever tried to publish; shared by all workers."""

    def __init__(self):
        self.things, self.by_address, self.lock = [], {}, threading.Lock()

    def add(self, thing):
        with self.lock:
            self.things.append(thing)
            self.by_address.setdefault(thing.address, []).append(thing)
        return thing

    def items_of(self, address):
        with self.lock:
            return [each.item for each in self.by_address.get(address, ())]

    def some(self, randomness, kind=None, hot=False):
        with self.lock:
            known = self.things[:HOT] if hot else self.things
            known = [each for each in known if kind in (None, each.kind)]
        return known[int(randomness.random() * len(known))] if known else None


class Load:
    """What all workers share."""

    def __init__(self, cluster, history, seed):
        self.cluster, self.history, self.seed = cluster, history, seed
        self.board, self.over = Board(), threading.Event()
        self.failures = []  # of the harness itself

    def client(self, way):
        return client.Client(way, *self.cluster.address_of(way))

    @contextlib.contextmanager
    def operation(self, op, way, **arguments):
        """Writes the invocation, and what `done(what, reply, **result)` says of its end. A harness that
        fails in between leaves it open: doubtful."""
        number = self.history.invoke(op, way=way, **arguments)
        asker = self.client(way)

        def done(what, reply, **result):
            if reply.error:
                result["error"] = reply.error
            if reply.stale:
                result["stale"] = True
            if reply.status >= 500:
                result["said"] = reply.body[:200].decode(errors="replace")
            self.history.write(what, id=number, status=reply.status, by=asker.by(reply), **result)

        yield asker, done

    # ---- publishing

    def publish(self, thing, value, way, **flags):
        with self.operation("publish", way, item=thing.item, value=value, parts=thing.parts(value),
                            **flags) as (asker, done):
            send = self.send_module if thing.kind == "module" else self.send_release
            reply, sure = send(asker, thing, value)
            what = outcome(reply.status) if not sure else "fail"
            digest = self.told_digest(reply) if what == "ok" else None
            done(what, reply, digest=digest)
            thing.published |= what == "ok"
        return reply.status

    @staticmethod
    def told_digest(reply):
        document = reply.json()
        return document.get("digest", document.get("shasums_digest", "")).removeprefix("sha256:")

    def send_module(self, asker, thing, value):
        """(reply, whether it surely did not happen)."""
        return asker.ask("PUT", f"/api/v1/modules/{thing.address}/{thing.version}",
                         thing.files[value]["archive"], self.cluster.token), False

    def send_release(self, asker, thing, value):
        """A draft, its files, its commit. Before the commit nothing can have been published."""
        place = f"/api/v1/providers/{thing.address}/{thing.version}/drafts"
        opened = asker.ask("POST", place, "", self.cluster.token)
        if opened.status != 201:
            return opened, True
        draft = f"{place}/{opened.json()['id']}"
        for part, data in thing.files[value].items():
            reply = asker.ask("PUT", f"{draft}/files/{thing.file(part)}", data, self.cluster.token)
            if reply.status not in ACCEPTED:
                return reply, True
        return asker.ask("POST", f"{draft}/commit", "", self.cluster.token), False

    def withdraw(self, thing, way):
        thing.withdrawn = True
        kind = "modules" if thing.kind == "module" else "providers"
        with self.operation("withdraw", way, item=thing.item) as (asker, done):
            reply = asker.ask("DELETE", f"/api/v1/{kind}/{thing.address}/{thing.version}",
                              '{"reason":"tried out"}', self.cluster.token)
            done(outcome(reply.status), reply)

    # ---- reading

    def list(self, kind, address, way, **flags):
        """One of the lists of versions; of an address that is unknown it is a miss in every cache."""
        with self.operation("list", way, address=address, items=self.board.items_of(address),
                            **flags) as (asker, done):
            reply = asker.ask("GET", f"/v1/{kind}s/{address}/versions")
            result = {}
            if reply.status == 200 and reply.whole:
                document = reply.json()
                rows = document["versions"] if kind == "provider" else \
                    document["modules"][0]["versions"]
                result["versions"] = [each["version"] for each in rows]
                if kind == "provider":
                    result["platforms"] = {
                        each["version"]: [f"{one['os']}_{one['arch']}" for one in each["platforms"]]
                        for each in rows}
            done(self.read_outcome(reply), reply, **result)

    @staticmethod
    def read_outcome(reply):
        if reply.status in (200, 204, 206) and reply.whole:
            return "ok"
        return "fail" if reply.status else "info"

    def read_document(self, thing, part, way, **flags):
        path, digest_of = thing.document(part)
        part = part if part.startswith("zip/") or thing.kind == "module" else "zip/linux_amd64"
        with self.operation("read", way, item=thing.item, part=part, kind="document",
                            **flags) as (asker, done):
            reply = asker.ask("GET", path)
            what = self.read_outcome(reply)
            done(what, reply, digest=digest_of(reply) if what == "ok" else None)

    def read_archive(self, thing, part, way, **flags):
        with self.operation("read", way, item=thing.item, part=part, kind="archive",
                            **flags) as (asker, done):
            reply = asker.ask("GET", thing.path(part))
            what = self.read_outcome(reply)
            done(what, reply, digest=reply.digest if what == "ok" else None)

    def read_range(self, thing, part, way, randomness):
        """A piece of the archive: of whichever content it is a piece, that one was seen."""
        files = dict(thing.files)
        size = len(files[thing.first_value][part])
        first = randomness.randrange(size)
        last = min(size - 1, first + randomness.randrange(1, 50_000))
        with self.operation("read", way, item=thing.item, part=part, kind="range") as (asker, done):
            reply = asker.ask("GET", thing.path(part), Range=f"bytes={first}-{last}")
            what = self.read_outcome(reply)
            digest = None
            if what == "ok":
                owners = [sha256(each[part]) for each in files.values()
                          if each[part][first:last + 1] == reply.body or reply.status == 200]
                digest = None if len(owners) > 1 else \
                    (owners or [f"not bytes {first}-{last} of anything published"])[0]
            elif reply.status == 416:
                what, reply.status = "ok", 206  # of another content, which is shorter
            done(what, reply, digest=digest)

    # ---- tokens

    def create_token(self, name, way):
        with self.operation("token_create", way, name=name) as (asker, done):
            reply = asker.ask("POST", "/api/v1/tokens", json.dumps({"name": name, "scope": "read"}),
                              self.cluster.token)
            done(outcome(reply.status), reply)
        return reply.json()["token"] if reply.status == 201 else None

    def use_token(self, name, secret, way):
        with self.operation("token_use", way, name=name) as (asker, done):
            reply = asker.ask("GET", f"/v1/modules/{INNER}/versions", None, secret)
            done(self.read_outcome(reply), reply)

    def revoke_token(self, name, way):
        with self.operation("token_revoke", way, name=name) as (asker, done):
            reply = asker.ask("DELETE", f"/api/v1/tokens/{name}", None, self.cluster.token)
            done(outcome(reply.status), reply)
        return reply.status in ACCEPTED

    # ---- the mirror

    def offer_upstream(self, randomness, address, size):
        """A provider of the scripted registry that nobody has asked for before: (path, digest, source)."""
        files = koya_provider.release("1.0.0", koya_provider.author(), platforms=("linux_amd64",),
                                      padding=randomness.randbytes(size))
        self.cluster.upstream.add(address, files, koya_provider.author())
        name = koya_provider.ZIP
        host = self.cluster.upstream.host
        return (f"/mirror/{host}/{address}/1.0.0/{name}", sha256(files[name]),
                self.cluster.upstream.file_path(address, name))

    def pull(self, path, expected, way):
        with self.operation("pull", way, path=path, expected=expected) as (asker, done):
            reply = asker.ask("GET", path, seconds=60)
            what = self.read_outcome(reply)
            done(what, reply, digest=reply.digest if what == "ok" else None)
        return what == "ok"

    # ---- the beginning

    def prepare(self):
        """What must be there before anything fails: a namespace's key, an inner namespace, hot modules
        that every replica has been asked for."""
        direct = self.client("replica1")
        answers = [
            direct.ask("POST", "/api/v1/namespaces/acme/keys", koya_provider.author().armor,
                       self.cluster.token),
            direct.ask("PUT", "/api/v1/namespaces/inner", '{"visibility":"internal"}',
                       self.cluster.token),
            direct.ask("PUT", f"/api/v1/modules/{INNER}/1.0.0", koya_e2e.tar_gz({"a.tf": "# a\n"}),
                       self.cluster.token)]
        assert all(each.status in ACCEPTED for each in answers), [each.body for each in answers]
        randomness = random.Random(f"{self.seed}/hot")
        for number in range(HOT):
            thing = self.board.add(Thing("module", f"hot/m{number}/null", "1.0.0"))
            value = thing.offer(module_files(randomness, thing.item))
            assert self.publish(thing, value, "replica1") == 201
        time.sleep(1.0)  # the promise that is tried: from here on all replicas have it
        for way in NAMES:
            for thing in self.board.things:
                self.list("module", thing.address, way)
                self.read_document(thing, "archive", way, hot=True)
                self.read_archive(thing, "archive", way, hot=True)

    # ---- the end

    def read_everything(self):
        """Each version that may be there, all its parts, by one replica or another; each list by all."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            jobs = []
            for number, thing in enumerate(list(self.board.things)):
                for part in thing.parts(thing.first_value):
                    jobs.append(pool.submit(self.read_archive, thing, part,
                                            NAMES[number % len(NAMES)], final=True))
            for address, things in list(self.board.by_address.items()):
                for way in NAMES:
                    jobs.append(pool.submit(self.list, things[0].kind, address, way, final=True))
            for job in jobs:
                job.result()
