"""Where the replicas are: each in a network namespace of its own, where the machine lets us make some;
else all on loopback, with nothing but proxies between them.

In namespaces a partition is what it is elsewhere: packets are lost, one way or both, and nobody is
told. The namespace in the middle routes between the replicas' and the machine's, and drops what goes
from one address to another. What a replica talks to (its database, the store, the balancer, its peers)
is reached at an address of its own each, so that each can be lost alone.
"""
import contextlib
import os
import random
import shutil
import subprocess

# The last number of the machine's addresses, one for each neighbour of a replica.
SIDES = {"harness": 2, "database": 3, "store": 4, "balancer": 5, "peers": 6}


class Loopback:
    """One host, and no packets that could be lost."""

    says = "one host, proxies between all parts"
    drops = False
    networks = "127.0.0.1/32"

    def host(self, _name):
        """Where a replica listens."""
        return "127.0.0.1"

    def side(self, _neighbour):
        """Where a replica finds that neighbour, and whence it is asked by it."""
        return "127.0.0.1"

    def inside(self, _name):
        """What a command begins with that is to run where the replica is."""
        return []

    def close(self):
        pass


class Namespaces:
    says = "a network namespace for each replica, proxies between all parts"
    drops = True

    def __init__(self, names):
        self.names, self.lost = list(names), []
        self.prefix = f"koya{os.getpid() % 100_000}"
        self.net = f"10.{self.free_number()}"
        self.networks = f"127.0.0.1/32,{self.net}.0.0/16"
        try:
            self.make_middle()
            for number, name in enumerate(self.names, 1):
                self.make_place(number, name)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def free_number():
        routes = ip("route").stdout
        return random.SystemRandom().choice(
            [each for each in range(100, 250) if f"10.{each}." not in routes])

    @property
    def middle(self):
        return f"{self.prefix}m"

    def place(self, name):
        return f"{self.prefix}{name}"

    def host(self, name):
        return f"{self.net}.{self.names.index(name) + 1}.2"

    def side(self, neighbour):
        return f"{self.net}.0.{SIDES[neighbour]}"

    def inside(self, name):
        return ["ip", "netns", "exec", self.place(name)]

    def make_middle(self):
        outer = f"{self.prefix}o"
        ip("netns", "add", self.middle)
        ip("netns", "exec", self.middle, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
        ip("link", "add", outer, "type", "veth", "peer", "name", "outer0", "netns", self.middle)
        for number in SIDES.values():
            ip("addr", "add", f"{self.net}.0.{number}/24", "dev", outer)
        ip("link", "set", outer, "up")
        ip("-n", self.middle, "addr", "add", f"{self.net}.0.1/24", "dev", "outer0")
        ip("-n", self.middle, "link", "set", "outer0", "up")
        ip("route", "add", f"{self.net}.0.0/16", "via", f"{self.net}.0.1")

    def make_place(self, number, name):
        place, link = self.place(name), f"place{number}"
        ip("netns", "add", place)
        ip("-n", self.middle, "link", "add", link, "type", "veth", "peer", "name", "eth0",
           "netns", place)
        ip("-n", self.middle, "addr", "add", f"{self.net}.{number}.1/24", "dev", link)
        ip("-n", self.middle, "link", "set", link, "up")
        ip("-n", place, "addr", "add", f"{self.net}.{number}.2/24", "dev", "eth0")
        for each in ("lo", "eth0"):
            ip("-n", place, "link", "set", each, "up")
        ip("-n", place, "route", "add", "default", "via", f"{self.net}.{number}.1")

    def drop(self, name, neighbour, sent, received):
        """Loses what the replica sends to that neighbour, what it receives from it, or both."""
        here, there = self.host(name), self.side(neighbour)
        for lost, source, target in ((sent, here, there), (received, there, here)):
            if lost:
                rule = ("from", source, "to", target, "blackhole")
                ip("-n", self.middle, "rule", "add", *rule)
                self.lost.append(rule)

    def mend(self):
        while self.lost:
            ip("-n", self.middle, "rule", "del", *self.lost.pop())

    def close(self):
        """Removes what was made; with a namespace go its links, and their routes."""
        for each in (*map(self.place, self.names), self.middle):
            with contextlib.suppress(subprocess.CalledProcessError):
                ip("netns", "del", each)
        with contextlib.suppress(subprocess.CalledProcessError):
            ip("link", "del", f"{self.prefix}o")


def ip(*arguments):
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True, timeout=30)


def make(names, wanted="auto"):
    """Namespaces where they can be made, and were not declined."""
    program = shutil.which("ip")
    if wanted == "loopback" or os.geteuid() != 0 or not program:
        return Loopback()
    try:
        return Namespaces(names)
    except (subprocess.SubprocessError, OSError):
        return Loopback()
