"""The kinds of faults: each begins, lasts, and is mended. trouble.py says which, on whom, for how long."""
import functools
import signal

import koya_s3
import koya_upgrade
from cluster import NAMES, Program


class Kind:
    """A kind of fault. `begin` returns what `end` needs; between them, `seconds` pass."""

    name, weight = "", 1
    seconds = (1.0, 8.0)
    concerns_database = False  # replicas may not hear of changes while it lasts

    def __init__(self, cluster):
        self.cluster, self.notes = cluster, []

    def targets(self):
        return NAMES

    def possible(self):
        """None, or why it cannot be tried here."""
        return None

    def concerns(self, target):
        return [target, "database"] if self.concerns_database else [target]

    def begin(self, target):
        raise NotImplementedError

    def end(self, target):
        raise NotImplementedError


# ---- replicas

class Kill(Kind):
    """kill -9, and a start on the same folder a moment later."""

    name, weight, seconds = "kill", 6, (0.1, 4.0)

    def begin(self, target):
        self.cluster.replicas[target].kill()

    def end(self, target):
        self.cluster.replicas[target].start()


class Stop(Kind):
    """SIGTERM: it drains, ends with 0, and comes back; what a rollout does."""

    name, weight, seconds = "stop", 2, (0.1, 2.0)

    def begin(self, target):
        status = self.cluster.replicas[target].stop()
        if status == -signal.SIGALRM:  # its own last resort, when something hangs after the drain
            self.notes.append(f"{target} needed its alarm to end after SIGTERM")
        else:
            assert status == 0, f"{target} ended with {status} after SIGTERM"

    def end(self, target):
        self.cluster.replicas[target].start()


class Roll(Kind):
    """The last release takes a replica's place on its folder and database, and gives it back."""

    name, weight, seconds = "roll", 2, (2.0, 10.0)

    @functools.cached_property
    def last_release(self):
        return Program(koya_upgrade.last_release())

    def possible(self):
        if why := koya_upgrade.why_no_last_release():
            return why
        if self.cluster.blobs != "folder":
            return "two versions are tried with a folder only"
        return None

    def begin(self, target):
        self.change(self.cluster.replicas[target], self.last_release)

    def end(self, target):
        self.change(self.cluster.replicas[target], self.cluster.program)

    @staticmethod
    def change(replica, program):
        status = replica.stop()
        assert status == 0, f"{replica.name} ended with {status} after SIGTERM"
        replica.run_by(program)
        replica.start()


class Freeze(Kind):
    """SIGSTOP: it holds its connections and leases, and says nothing; then goes on as if nothing were."""

    name, weight, seconds = "freeze", 4, (1.0, 30.0)

    def begin(self, target):
        self.cluster.replicas[target].freeze()

    def end(self, target):
        self.cluster.replicas[target].thaw()


HOUR, YEAR = 3600, 365 * 86400


class Clock(Kind):
    """The wall clock jumps, and jumps back: by an hour, or by four years."""

    name, weight, seconds = "clock", 3, (1.0, 10.0)

    def targets(self):
        return [f"{name}/{offset:+d}" for name in NAMES
                for offset in (HOUR, -HOUR, 4 * YEAR, -4 * YEAR)]

    def possible(self):
        return self.cluster.clocks.why_not

    def concerns(self, target):
        return [target.partition("/")[0], target]

    def begin(self, target):
        name, _, offset = target.partition("/")
        self.cluster.clocks.move(name, int(offset))

    def end(self, target):
        self.cluster.clocks.move(target.partition("/")[0], 0)


# ---- the database

class DatabaseKind(Kind):
    concerns_database = True

    def targets(self):
        return ("primary",)

    @property
    def database(self):
        return self.cluster.database


class FreezeDatabase(DatabaseKind):
    """SIGSTOP of PostgreSQL and all that it has started."""

    name, weight, seconds = "freeze-database", 2, (1.0, 20.0)

    def begin(self, target):
        self.database.primary.freeze()

    def end(self, target):
        self.database.primary.thaw()


class FreezeBackend(DatabaseKind):
    """SIGSTOP of one session: perhaps between the change's lock and its COMMIT."""

    name, weight, seconds = "freeze-backend", 4, (1.0, 20.0)

    def targets(self):
        return [f"session {number}" for number in range(12)]

    def concerns(self, target):
        return ["primary", "database"]

    def begin(self, target):
        pids = self.database.primary.backends()
        if pids:
            number = int(target.removeprefix("session "))
            self.database.primary.freeze([pids[number % len(pids)]])

    def end(self, target):
        self.database.primary.thaw()


class FreezePostmaster(DatabaseKind):
    """SIGSTOP of the process that takes connections: who has one goes on."""

    name, seconds = "freeze-postmaster", (1.0, 15.0)

    def begin(self, target):
        self.database.primary.freeze([self.database.primary.process.pid])

    def end(self, target):
        self.database.primary.thaw()


class RestartDatabase(DatabaseKind):
    name, weight, seconds = "restart-database", 2, (0.1, 3.0)

    def begin(self, target):
        self.database.primary.stop()

    def end(self, target):
        self.database.primary.start()
        self.database.synchronous()


class KillDatabase(DatabaseKind):
    """kill -9 of all of PostgreSQL, and a start: it recovers from its log."""

    name, weight, seconds = "kill-database", 2, (0.1, 3.0)

    def begin(self, target):
        self.database.primary.kill()

    def end(self, target):
        (self.database.primary.data / "postmaster.pid").unlink(missing_ok=True)
        self.database.primary.start()
        self.database.synchronous()


class Failover(DatabaseKind):
    """The primary hangs or dies, the standby is promoted, the old one never speaks again."""

    name, weight, seconds = "failover", 3, (0.1, 5.0)

    def targets(self):
        return ("hangs", "dies")

    def concerns(self, target):
        return ["primary", "database"]

    def begin(self, target):
        old = self.database.primary
        (old.freeze if target == "hangs" else old.kill)()
        self.database.promote()
        self.cluster.lead()

    def end(self, target):
        self.database.standby.kill()
        self.database.follow()


class StopStandby(DatabaseKind):
    """No COMMIT is acknowledged while nobody keeps the second copy."""

    name, seconds = "stop-standby", (1.0, 8.0)

    def targets(self):
        return ("standby",)

    def begin(self, target):
        self.database.standby.stop()

    def end(self, target):
        self.database.standby.start()
        self.database.synchronous()


# ---- the network

class Network(Kind):
    """What happens to all wires between a replica and one of its neighbours."""

    neighbours = ("database", "balancer", "store", "peers")

    def targets(self):
        there = self.cluster.wires_of(NAMES[0])
        return [f"{name}/{neighbour}" for name in NAMES for neighbour in self.neighbours
                if neighbour in there]

    def concerns(self, target):
        return [target.partition("/")[0], target]

    def each(self, target):
        name, _, neighbour = target.partition("/")
        return self.cluster.wires_of(name)[neighbour]

    def end(self, target):
        for wire in self.each(target):
            self.cluster.wires.heal(wire)


class Cut(Network):
    """All connections are reset; new ones are taken."""

    name, weight, seconds = "cut", 3, (0.0, 0.2)

    def begin(self, target):
        for wire in self.each(target):
            self.cluster.wires.cut(wire)


class Refuse(Network):
    """All connections are reset, and new ones refused."""

    name, weight, seconds = "refuse", 3, (0.5, 10.0)

    def begin(self, target):
        for wire in self.each(target):
            self.cluster.wires.refuse(wire)


class Partition(Network):
    """Silence both ways: nobody is told, and what was sent arrives afterwards."""

    name, weight, seconds = "partition", 5, (0.5, 20.0)
    forward, back = True, True

    def begin(self, target):
        if not self.cluster.network.drops:
            for wire in self.each(target):
                self.cluster.wires.freeze(wire, self.forward, self.back)
            return
        name, _, neighbour = target.partition("/")
        # Who asks: the replica its database and its store; the balancer and the peers the replica.
        asks = neighbour in ("database", "store")
        self.cluster.network.drop(name, neighbour, sent=self.forward if asks else self.back,
                                  received=self.back if asks else self.forward)

    def end(self, target):
        if self.cluster.network.drops:
            self.cluster.network.mend()
        else:
            super().end(target)


class AnswersLost(Partition):
    """What is asked arrives and is done; no answer comes back."""

    name, weight, forward = "answers-lost", 4, False


class QuestionsLost(Partition):
    """What is asked is lost; what was answered before still arrives."""

    name, weight, back = "questions-lost", 2, False


class Slow(Network):
    """50 to 300 ms more for every piece, either way."""

    name, weight, seconds = "slow", 3, (2.0, 10.0)

    def begin(self, target):
        for number, wire in enumerate(self.each(target)):
            self.cluster.wires.slow(wire, delay=0.05 + 0.25 * (number % 2))


class Thin(Network):
    """10 KB/s."""

    name, weight, seconds = "thin", 1, (2.0, 10.0)

    def begin(self, target):
        for wire in self.each(target):
            self.cluster.wires.slow(wire, rate=10_000)


class DiskFull(Kind):
    """Nothing more can be written where blobs, caches and staged files are, of all replicas."""

    name, weight, seconds = "disk-full", 2, (1.0, 8.0)

    def targets(self):
        return ("disk",)

    def possible(self):
        return self.cluster.disk.why_not

    def begin(self, target):
        self.cluster.disk.fill()

    def end(self, target):
        self.cluster.disk.empty()


# ---- the store

class Store(Kind):
    """The S3 server answers badly, to all; `share` of the requests for objects are met."""

    share, once = 1.0, False

    def targets(self):
        return ("store",)

    def possible(self):
        return None if self.cluster.blobs == "s3" else "blobs are kept in a folder"

    def begin(self, target):
        self.cluster.store_proxy.change(self.name.removeprefix("store-"), share=self.share,
                                        once=self.once)

    def end(self, target):
        self.cluster.store_proxy.change(None)


def store_kind(kind, words, **more):
    return type(f"Store_{kind}", (Store,), {"name": f"store-{kind}", "__doc__": words, **more})


STORE_KINDS = (
    store_kind("503", "Every other request is answered 503.", share=0.5),
    store_kind("slowdown", "503 SlowDown, to all."),
    store_kind("500", "One in three is answered 500.", share=0.33),
    store_kind("reset", "Reset after half of the bytes.", share=0.5),
    store_kind("404", "An object is not there, once.", once=True),
    store_kind("flip", "A byte is another.", share=0.5),
    store_kind("slow", "10 KB/s."),
    store_kind("silent", "No first byte.", share=0.5, seconds=(1.0, 12.0)),
    store_kind("lost", "It is done, and the answer is lost.", share=0.5))


class StoreKeys(Store):
    """The keys are refused, and mended in their file."""

    name, seconds = "store-keys", (1.0, 8.0)

    def begin(self, target):
        self.cluster.write_keys("expired", "expired")

    def end(self, target):
        self.cluster.write_keys(koya_s3.ACCESS, koya_s3.SECRET)


class Sabotage(Kind):
    """Not what a registry survives: blobs that somebody takes away behind its back. Only when it is
    asked for, to see that the harness notices."""

    name, weight, seconds = "sabotage", 0, (1.0, 2.0)

    def targets(self):
        return ("blobs",)

    def possible(self):
        return None if self.cluster.blobs == "folder" else "blobs are not kept in a folder"

    def begin(self, target):
        for path in sorted((self.cluster.disk.folder / "blobs/sha256").glob("??/*"))[::50]:
            path.unlink()

    def end(self, target):
        pass


KINDS = (Kill, Stop, Roll, Freeze, Clock, FreezeDatabase, FreezeBackend, FreezePostmaster, RestartDatabase,
         KillDatabase, Failover, StopStandby, Cut, Refuse, Partition, AnswersLost, QuestionsLost,
         Slow, Thin, DiskFull, *STORE_KINDS, StoreKeys,
         Sabotage)
