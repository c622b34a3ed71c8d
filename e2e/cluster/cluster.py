"""A whole cluster: three replicas behind a balancer, a database with a standby, a store, an upstream."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import subprocess

import clocks
import disk
import network
import parts
import store_proxy
import wires
import koya_connect
import koya_e2e
import koya_s3
import koya_upstream
from koya_e2e import wait_until

NAMES = ("replica1", "replica2", "replica3")
# A folder has no ledger: nothing renews bytes that a paused replica is about to name, so the grace
# must exceed every pause that is tried out. With a ledger it is as short as it gets.
GRACE = {"folder": "120s", "s3": "2s"}
COLLECT_EVERY = "2s"


class Program:
    """koya itself, and what it knows."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        settings = self.run("docs", "config").stdout
        self.settings = set(re.findall(r"^\| `([a-z_.0-9]+)` \|", settings, re.M))
        url = re.search(r"^\| `catalog\.url` \|.*$", settings, re.M)
        self.takes_several_hosts = bool(url and "several" in url[0].lower())
        digest = hashlib.sha256(self.path.read_bytes()).hexdigest()
        self.version = f"{self.run('version').stdout.strip()} ({digest[:12]})"

    def run(self, *arguments, environment=None, timeout=120):
        return subprocess.run([str(self.path), *map(str, arguments)], capture_output=True, text=True,
                              timeout=timeout, env={**parts.PLAIN, "HOME": "/nonexistent",
                                                    **(environment or {})})

    def knows(self, setting):
        return setting in self.settings


class NamedUpstream(koya_upstream.Upstream):
    """The scripted registry under a name, as its documents must say it."""

    host = "registry.upstream.test"


class Cluster:
    """Use as a context manager. `blobs`: "folder" or "s3"; `places`: "auto" or "loopback"."""

    def __init__(self, folder, program, blobs="folder", places="auto"):
        self.places = places
        self.folder, self.program, self.blobs = pathlib.Path(folder), Program(program), blobs
        self.stack = contextlib.ExitStack()
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def build(self):
        self.wires = self.stack.enter_context(wires.Wires())
        self.disk = disk.Disk(self.folder / "disk")
        self.stack.callback(self.disk.unmount)
        self.clocks = clocks.Clocks(self.folder / "clocks")
        self.network = network.make(NAMES, self.places)
        self.stack.callback(self.network.close)
        self.start_upstream()
        self.database = parts.Database(self.folder)
        self.stack.callback(self.each_killed, self.database.primary, self.database.standby)
        self.database.start()
        self.start_store()
        self.token = self.bootstrap()
        self.replicas = {name: self.replica(name) for name in NAMES}
        self.stack.callback(self.each_killed, *self.replicas.values())
        for replica in self.replicas.values():
            replica.launch()
        for replica in self.replicas.values():
            replica.wait_ready()
        self.start_balancer()

    @staticmethod
    def each_killed(*these):
        for part in these:
            part.kill()

    # ---- upstream

    def start_upstream(self):
        """On loopback; who is elsewhere reaches it by a name, through a proxy of the environment."""
        self.upstream = NamedUpstream() if self.network.drops else koya_upstream.Upstream()
        self.stack.callback(self.upstream.off)
        self.connect = koya_connect.ConnectProxy()
        self.stack.callback(self.connect.off)
        self.connect.lead(NamedUpstream.host, self.upstream.port)

    def upstream_environment(self):
        if not self.network.drops:
            return {}
        side = self.network.side("harness")
        port = self.wires.add("upstream", int(self.connect.url.rpartition(":")[2]), host=side)
        others = ",".join(self.network.side(each) for each in network.SIDES)
        return {"HTTPS_PROXY": f"http://{side}:{port}", "NO_PROXY": others}

    # ---- the store

    def start_store(self):
        self.store = None
        if self.blobs == "s3":
            self.store = koya_s3.Radosgw(self.folder / "store")
            self.stack.callback(self.store.kill)
            self.store.start()
            self.store.make_bucket("koya")
            self.store_proxy = store_proxy.StoreProxy(self.store.port)
            self.stack.callback(self.store_proxy.kill)
            self.write_keys(koya_s3.ACCESS, koya_s3.SECRET)
        else:
            (self.disk.folder / "blobs").mkdir()

    def write_keys(self, access, secret):
        """In one step: who reads the file meanwhile has the old ones or the new ones."""
        fresh = self.folder / "s3.keys.new"
        fresh.write_text(f"{access}\n{secret}\n")
        fresh.chmod(0o600)
        fresh.rename(self.folder / "s3.keys")

    def store_arguments(self, name):
        """The store through a wire of this replica's own, and then the proxy that they share."""
        if self.blobs == "folder":
            return []
        side = self.network.side("store")
        port = self.wires.add(f"{name}-store", self.store_proxy.port, host=side)
        arguments = ["--blobs.url", "s3://koya/e2e", "--blobs.s3.endpoint",
                     f"http://{side}:{port}", "--blobs.s3.region", "default",
                     "--blobs.s3.access_key_file", self.folder / "s3.keys"]
        if self.program.knows("blobs.trash_for"):
            arguments += ["--blobs.trash_for", "2s"]
        return arguments

    # ---- the replicas

    def catalog_url(self, name):
        """Through wires of this replica's own: to both servers where koya takes several hosts, else
        to the one that is primary (Cluster.lead)."""
        nodes, side = [self.database.primary, self.database.standby], self.network.side("database")
        if not self.program.takes_several_hosts:
            port = self.wires.add(f"{name}-database", nodes[0].port, host=side)
            return f"postgresql://koya@{side}:{port}/postgres"
        ports = [self.wires.add(f"{name}-database-{node.name}", node.port, host=side)
                 for node in nodes]
        hosts = ",".join(f"{side}:{port}" for port in ports)
        return f"postgresql://koya@{hosts}/postgres"

    def database_wires(self, name):
        if not self.program.takes_several_hosts:
            return [f"{name}-database"]
        return [f"{name}-database-{node}" for node in ("pg1", "pg2")]

    def lead(self):
        """Whoever does not know several hosts is led to the primary."""
        if not self.program.takes_several_hosts:
            for name in NAMES:
                self.wires.lead(f"{name}-database", self.database.primary.port)

    def shared_arguments(self):
        often = ["--blobs.gc_every", COLLECT_EVERY] if self.program.knows("blobs.gc_every") else []
        return [*often, "--server.secret_file", self.folder / "server.secret",
                "--server.trusted_proxies", self.network.networks,
                "--blobs.gc_grace", GRACE[self.blobs],
                "--upstream.hosts", self.upstream.host, "--mirror.negative_ttl", "1s",
                "--upstream.ca_file", koya_upstream.certificate()[1],
                "--upstream.allow_private_addresses", "127.0.0.1/32"]

    def replica(self, name):
        arguments = ["--catalog.url", self.catalog_url(name), *self.shared_arguments(),
                     *self.store_arguments(name)]
        replica = parts.Replica(name, self.folder / name, self.disk.folder / name,
                                self.program.path, arguments, self.network)
        replica.environment |= self.clocks.environment(name) | self.upstream_environment()
        self.share_blobs(replica.data)
        if self.program.knows("cluster.listen"):
            self.join(replica)
        return replica

    def share_blobs(self, data):
        if self.blobs == "folder":
            (data / "blobs").symlink_to(self.disk.folder / "blobs")

    def join(self, replica):
        """The listener for the other replicas, which reach it through a wire."""
        own = parts.free_port()
        side = self.network.side("peers")
        port = self.wires.add(f"{replica.name}-peers", own, host=side, to=replica.host, source=side)
        replica.arguments += ["--cluster.listen", f"{replica.host}:{own}",
                              "--cluster.address", f"{side}:{port}"]

    def bootstrap(self):
        """Migrates, makes the secret, and an administrator's token, with a server that goes again."""
        data = self.folder / "bootstrap"
        data.mkdir()
        self.share_blobs(data)
        url = f"postgresql://koya@127.0.0.1:{self.database.primary.port}/postgres"
        port = parts.free_port()
        first = koya_e2e.Server(
            data, "--catalog.url", url, "--url", parts.Replica.URL,  # a bucket remembers whose it is
            *map(str, self.shared_arguments()), *map(str, self.store_arguments("bootstrap")),
            listen=f"127.0.0.1:{port}")
        with first:
            first.host, first.port = "127.0.0.1", port
            answer = first.request("POST", "/api/v1/tokens", json.dumps(
                {"name": "harness", "scope": "admin"}), token=first.token)
            assert answer.status == 201, answer
            return answer.json()["token"]

    # ---- the balancer

    def start_balancer(self):
        """HAProxy; where it is not installed, a wire that takes turns."""
        side = self.network.side("balancer")
        ports = {name: (
            self.wires.add(f"balancer-{name}", each.port, to=each.host, source=side),
            self.wires.add(f"balancer-{name}-check", each.operations_port, to=each.host, source=side))
            for name, each in self.replicas.items()}
        self.balancer_wires = ports
        if parts.HaProxy.here():
            self.balancer = parts.HaProxy(self.folder / "haproxy", ports)
            self.stack.callback(self.balancer.kill)
            self.balancer.start()
            self.balancer_port = self.balancer.port
        else:
            self.balancer = None
            self.balancer_port = self.wires.add("balancer", *(port for port, _ in ports.values()))

    def address_of(self, way):
        """Where to connect to: a replica's name, or "balancer"."""
        if way == "balancer":
            return "127.0.0.1", self.balancer_port
        return self.replicas[way].host, self.replicas[way].port

    # ---- all is well

    def wires_of(self, name):
        """The wires of a replica, by what they lead to."""
        found = {"database": self.database_wires(name),
                 "balancer": [f"balancer-{name}", f"balancer-{name}-check"]}
        if self.blobs == "s3":
            found["store"] = [f"{name}-store"]
        if self.program.knows("cluster.listen"):
            found["peers"] = [f"{name}-peers"]
        return found

    def wait_healthy(self, seconds=120):
        for replica in self.replicas.values():
            wait_until(replica.ready_or_gone, f"{replica.name} is ready again", seconds)

    def describe(self):
        return {"program": self.program.version, "blobs": self.blobs,
                "network": self.network.says,
                "balancer": "haproxy" if self.balancer else "own",
                "database": "several hosts" if self.program.takes_several_hosts
                            else "one host, led to the primary by a proxy",
                "peers": self.program.knows("cluster.listen")}
