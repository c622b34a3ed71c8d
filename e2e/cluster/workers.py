"""Who makes the load: workers with a generator of their own each, probes at fixed moments, stampedes."""
import concurrent.futures
import functools
import random
import threading
import time

import koya_e2e
import koya_upstream
from cluster import NAMES
from operations import ACCEPTED, HOT, Thing, module_files, provider_files

PULLERS = 20


class Worker(threading.Thread):
    """Does one thing after another until the load is over."""

    def __init__(self, load, number):
        super().__init__(daemon=True, name=f"worker{number}")
        self.load, self.number = load, number
        self.randomness = random.Random(f"{load.seed}/worker/{number}")
        self.count = 0
        self.deeds = {
            self.publish_module: 10, self.publish_again: 4, self.publish_rivals: 4,
            self.publish_provider: 3, self.list_some: 18, self.document: 10, self.archive: 14,
            self.range: 5, self.hot_read: 20, self.cold_read: 8, self.withdraw: 1,
            self.token: 2, self.pull: 3, self.whole_release: 3}

    def run(self):
        while not self.load.over.is_set():
            deed, = self.randomness.choices(list(self.deeds), list(self.deeds.values()))
            try:
                deed()
            except Exception as failure:  # a broken harness must not pass for a quiet registry
                self.load.failures.append(f"{self.name}: {deed.__name__}: {failure!r}")
            self.load.over.wait(self.randomness.expovariate(6))

    def way(self):
        """Mostly the balancer, as clients do; sometimes a replica, to know whom one speaks to."""
        return self.randomness.choice(("balancer",) * 6 + NAMES)

    def fresh(self, kind):
        """A version that nobody has tried to publish. It goes on the board when it has a content."""
        self.count += 1
        name = f"m{self.count % 3}"
        address = f"w{self.number}/{name}/null" if kind == "module" else f"acme/w{self.number}{name}"
        return Thing(kind, address, f"1.{self.count}.0")

    def fill(self, thing):
        if thing.kind == "module":
            return thing.offer(module_files(self.randomness, thing.item))
        return thing.offer(provider_files(self.randomness, thing.address, thing.version))

    # ---- deeds

    def publish_module(self):
        self.publish_new("module")

    def publish_provider(self):
        self.publish_new("provider")

    def publish_new(self, kind):
        thing = self.fresh(kind)
        value = self.fill(thing)
        self.load.board.add(thing)
        way = self.way()
        status = self.load.publish(thing, value, way)
        if status in ACCEPTED and way != "balancer":
            self.load.list(kind, thing.address, way)  # at once, where it was acknowledged

    def publish_again(self):
        thing = self.load.board.some(self.randomness)
        if thing and not thing.withdrawn:
            self.load.publish(thing, thing.first_value, self.way(), again=True)

    def publish_rivals(self):
        """Two contents of one version at the same moment, by two ways."""
        thing = self.fresh("module")
        values = [self.fill(thing), self.fill(thing)]
        self.load.board.add(thing)
        ways = self.randomness.sample(NAMES, 2)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(functools.partial(self.load.publish, thing), values, ways))
        self.load.read_archive(thing, "archive", self.way())

    def list_some(self):
        if thing := self.load.board.some(self.randomness):
            self.load.list(thing.kind, thing.address, self.way())

    def document(self):
        if thing := self.load.board.some(self.randomness):
            self.load.read_document(thing, self.part_of(thing), self.way())

    def archive(self):
        if thing := self.load.board.some(self.randomness):
            self.load.read_archive(thing, self.part_of(thing), self.way())

    def range(self):
        if thing := self.load.board.some(self.randomness, "module"):
            self.load.read_range(thing, "archive", self.way(), self.randomness)

    def part_of(self, thing):
        return self.randomness.choice(sorted(thing.parts(thing.first_value)))

    def hot_read(self):
        thing = self.load.board.some(self.randomness, hot=True)
        read = self.randomness.choice((self.load.read_document, self.load.read_archive))
        read(thing, "archive", self.way(), hot=True)

    def cold_read(self):
        """What no cache can hold: nobody has asked for it before."""
        address = f"never/n{self.randomness.randrange(1 << 40)}/null"
        self.load.list("module", address, self.way(), cold=True)

    def withdraw(self):
        thing = self.load.board.some(self.randomness)
        if thing and thing.published and thing not in self.load.board.things[:HOT]:
            self.load.withdraw(thing, self.way())

    def token(self):
        """Made, used everywhere, revoked, and used again until a second has long passed."""
        self.count += 1
        name = f"w{self.number}-{self.count}"
        secret = self.load.create_token(name, self.way())
        if not secret:
            return
        for _ in range(3):
            self.load.use_token(name, secret, self.way())
        if not self.load.revoke_token(name, self.way()):
            return
        until = time.monotonic() + 2.5
        while time.monotonic() < until and not self.load.over.is_set():
            self.load.use_token(name, secret, self.way())
            self.load.over.wait(0.15)

    def whole_release(self):
        """Whoever lists a release gets all of it."""
        thing = self.load.board.some(self.randomness, "provider")
        if not thing:
            return
        way = self.way()
        self.load.list("provider", thing.address, way)
        for part in thing.parts(thing.first_value):
            if part.startswith("zip/"):
                self.load.read_document(thing, part, way)
            self.load.read_archive(thing, part, way)

    def pull(self):
        self.count += 1
        path, expected, _ = self.load.offer_upstream(
            self.randomness, f"w{self.number}p{self.count}/demo", 50_000)
        for _ in range(2):
            self.load.pull(path, expected, self.way())


class Probes(threading.Thread):
    """Asks at fixed moments, through the balancer, whatever became of what was asked before: how long
    something is missed must not depend on how many workers hang."""

    PERIODS = {"cached": 0.25, "uncached": 0.25, "write": 1.0}  # seconds
    MOST = 64  # at a time

    def __init__(self, load, name):
        super().__init__(daemon=True, name=f"probe-{name}")
        self.load, self.kind, self.count = load, name, 0
        self.randomness = random.Random(f"{load.seed}/probe/{name}")

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(self.MOST) as pool:
            while not self.load.over.wait(self.PERIODS[self.kind]):
                pool.submit(self.once)

    def once(self):
        try:
            getattr(self, self.kind)()
        except Exception as failure:  # see Worker.run
            self.load.failures.append(f"{self.name}: {failure!r}")

    def cached(self):
        thing = self.load.board.some(self.randomness, hot=True)
        self.load.read_document(thing, "archive", "balancer", probe="cached")

    def uncached(self):
        address = f"never/p{self.randomness.randrange(1 << 40)}/null"
        self.load.list("module", address, "balancer", probe="uncached")

    def write(self):
        self.count += 1
        thing = Thing("module", f"probe/m{self.count % 7}/null", f"1.{self.count}.0")
        value = thing.offer({"archive": koya_e2e.tar_gz({"main.tf": f"# {thing.item}\n"})})
        self.load.publish(self.load.board.add(thing), value, "balancer", probe="write")


class Stampedes(threading.Thread):
    """Now and then, many clients at once want what nobody has pulled yet, on all replicas. It comes
    slowly, so that whoever fetches it may be lost meanwhile."""

    PERIOD = 8.0
    PIECES, PAUSE = 16, 0.25  # seconds between them

    def __init__(self, load):
        super().__init__(daemon=True, name="stampedes")
        self.load, self.randomness = load, random.Random(f"{load.seed}/stampedes")
        self.sources = []

    def run(self):
        number = 0
        with concurrent.futures.ThreadPoolExecutor(PULLERS) as pool:
            while not self.load.over.wait(self.PERIOD):
                number += 1
                try:
                    self.once(pool, number)
                except Exception as failure:  # see Worker.run
                    self.load.failures.append(f"stampede: {failure!r}")

    def once(self, pool, number):
        path, expected, source = self.load.offer_upstream(self.randomness, f"many{number}/demo", 400_000)
        self.load.cluster.upstream.faults[source] = koya_upstream.trickle(self.PIECES, self.PAUSE)
        self.sources.append((path, source))
        ways = [NAMES[each % len(NAMES)] for each in range(PULLERS)]
        list(pool.map(lambda way: self.load.pull(path, expected, way), ways))
