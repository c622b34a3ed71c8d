"""The processes of a cluster: PostgreSQL with a synchronous standby, replicas of Koya, HAProxy.

Each can be started, stopped, killed, frozen (SIGSTOP) and thawed, and writes its log into the run's
folder. Everything listens on loopback; who talks to whom passes through a wire (wires.py).
"""
import contextlib
import http.client
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from koya_e2e import wait_until  # noqa: E402
from ports import free_port  # noqa: E402
from test_postgres import POSTGRES  # noqa: E402

# Others may be busy on the machine: none of these is part of what is measured.
START_SECONDS, STOP_SECONDS = 120, 60
PLAIN = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def children_of(pid):
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    with contextlib.suppress(OSError):
        return [int(each) for each in path.read_text().split()]
    return []


def signal_to(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Part:
    """A process of the cluster. Subclasses say its command and when it is ready."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process, self.frozen = None, []
        self.environment, self.as_user = PLAIN, {}

    def command(self):
        raise NotImplementedError

    def ready(self):
        raise NotImplementedError

    def launch(self):
        """Starts it, and does not wait until it is ready."""
        with open(self.folder / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                [str(each) for each in self.command()], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, cwd=self.folder, env=self.environment, **self.as_user)

    def start(self):
        self.launch()
        return self.wait_ready()

    def wait_ready(self):
        wait_until(self.ready_or_gone, f"{self.name} is ready", START_SECONDS)
        return self

    def ready_or_gone(self):
        if (status := self.process.poll()) is not None:
            raise AssertionError(f"{self.name} ended with {status}: {self.log_tail()}")
        return self.ready()

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        """Asks it to end, and returns its exit status."""
        self.thaw()
        if self.runs():
            self.process.send_signal(self.polite())
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError(f"{self.name} did not end: {self.log_tail()}") from None
        return self.process.returncode if self.process else 0

    def polite(self):
        return signal.SIGTERM

    def kill(self):
        """kill -9, of its children, too: what is left when a machine goes."""
        if self.runs():
            pids = [self.process.pid, *children_of(self.process.pid)]
            signal_to(pids, signal.SIGKILL)
            self.process.wait()
        self.frozen = []

    def freeze(self, pids=None):
        """SIGSTOP: the process and its children, or only `pids`."""
        pids = list(pids or [])
        if not pids:
            signal_to([self.process.pid], signal.SIGSTOP)  # first: it starts no more children
            pids = [self.process.pid, *children_of(self.process.pid)]
        signal_to(pids, signal.SIGSTOP)
        self.frozen += pids

    def thaw(self):
        signal_to(self.frozen, signal.SIGCONT)
        self.frozen = []

    def log_tail(self, size=2000):
        with contextlib.suppress(OSError):
            return (self.folder / f"{self.name}.log").read_text(errors="replace")[-size:]
        return ""


# ---- PostgreSQL

class Node(Part):
    """A server of PostgreSQL: a primary, or a standby of another."""

    SETTINGS = """
wal_level = replica
max_wal_senders = 8
wal_keep_size = 64MB
hot_standby = on
max_connections = 100
synchronous_commit = on
wal_sender_timeout = 5s
wal_receiver_timeout = 5s
shared_buffers = 32MB
# Processes are killed here, machines are not: what the kernel has taken is as good as written.
fsync = off
"""

    def __init__(self, name, folder):
        super().__init__(name, folder)
        self.port, self.data = free_port(), self.folder / "data"
        root = os.geteuid() == 0  # PostgreSQL refuses to run as root: its package made a user
        self.user = pwd.getpwnam("postgres") if root else pwd.getpwuid(os.geteuid())
        if root:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
            self.as_user = {"user": self.user.pw_uid, "group": self.user.pw_gid}

    def run(self, program, *arguments, check=True):
        return subprocess.run([str(POSTGRES / program), *map(str, arguments)], check=check,
                              capture_output=True, text=True, cwd=self.folder, env=PLAIN,
                              timeout=START_SECONDS, **self.as_user)

    def command(self):
        return [POSTGRES / "postgres", "-D", self.data, "-p", self.port, "-k", self.folder,
                "-c", "listen_addresses=127.0.0.1"]

    def ready(self):
        return self.run("pg_isready", "-q", "-h", "127.0.0.1", "-p", self.port,
                        check=False).returncode == 0

    def polite(self):
        return signal.SIGINT  # "fast": sessions are ended, nothing is waited for

    def make_primary(self):
        self.run("initdb", "-D", self.data, "-U", "koya", "-A", "trust", "--no-sync")
        with open(self.data / "postgresql.conf", "a", encoding="ascii") as settings:
            settings.write(self.SETTINGS + "include_if_exists = 'role.conf'\n")
        return self.start()

    def make_standby_of(self, primary):
        """Copies the primary and follows it."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync",
                 "-d", f"host=127.0.0.1 port={primary.port} user=koya application_name=standby")
        self.write_role("")
        return self.start()

    def write_role(self, text):
        (self.data / "role.conf").write_text(text)

    def wait_for_standby(self, on):
        """Whether a COMMIT waits until the standby has it."""
        self.write_role("synchronous_standby_names = 'FIRST 1 (standby)'\n" if on else "")
        self.process.send_signal(signal.SIGHUP)
        wanted = "FIRST 1 (standby)" if on else ""
        wait_until(lambda: self.ask("SHOW synchronous_standby_names") == wanted,
                   f"{self.name} knows its role", START_SECONDS)

    def ask(self, statement):
        """The answer of psql, one row a line; None when the server does not answer."""
        done = self.run("psql", "-XAtq", "-h", "127.0.0.1", "-p", self.port, "-U", "koya",
                        "-d", "postgres", "-c", statement, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    def backends(self):
        """The processes that serve a client, a replica each."""
        rows = self.ask("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                        "AND pid <> pg_backend_pid() ORDER BY pid")
        return [int(each) for each in (rows or "").split()]


class Database:
    """A primary and its synchronous standby, which change places in a failover."""

    def __init__(self, folder):
        self.primary, self.standby = (Node(name, folder / name) for name in ("pg1", "pg2"))

    def start(self):
        self.primary.make_primary()
        self.follow()
        return self

    def follow(self):
        """The standby is made anew from the primary, and counts from when it has caught up."""
        self.standby.make_standby_of(self.primary)
        self.synchronous()

    def synchronous(self):
        wait_until(lambda: self.primary.ask("SELECT state FROM pg_stat_replication") == "streaming",
                   "the standby follows", START_SECONDS)
        self.primary.wait_for_standby(True)
        wait_until(lambda: self.primary.ask("SELECT sync_state FROM pg_stat_replication") == "sync",
                   "the standby is synchronous", START_SECONDS)

    def promote(self):
        """The standby takes over; nobody follows it yet. The old primary must not be reachable."""
        self.standby.run("pg_ctl", "promote", "-D", self.standby.data, "-w", "-t", START_SECONDS)
        self.primary, self.standby = self.standby, self.primary

    def stop(self):
        for node in (self.primary, self.standby):
            node.stop()


# ---- Koya

class Replica(Part):
    """`koya serve`. Plain HTTP: what ends TLS in front is the balancer's, and not tried here."""

    URL = "https://koya.test"  # what documents say; the load takes only the paths of it

    def __init__(self, name, folder, data, program, arguments, network):
        super().__init__(name, folder)
        self.host, self.inside = network.host(name), network.inside(name)
        arguments = *arguments, "--access.default_visibility", "public"
        self.program, self.arguments = program, list(arguments)  # each a name, and its value
        self.knows = lambda setting: True
        self.port, self.operations_port = free_port(), free_port()
        self.data = data
        self.data.mkdir(exist_ok=True)
        self.environment = {**PLAIN, "HOME": str(self.folder)}

    def run_by(self, program):
        """From the next start on; another version is told only what it knows."""
        self.program, self.knows = program.path, program.knows

    def told(self):
        pairs = zip(self.arguments[::2], self.arguments[1::2], strict=True)
        return [word for pair in pairs if self.knows(pair[0].removeprefix("--")) for word in pair]

    def command(self):
        return [*self.inside, self.program, "serve", "--data", self.data,
                "--listen", f"{self.host}:{self.port}", "--url", self.URL, "--insecure-http",
                "--metrics.listen", f"{self.host}:{self.operations_port}", *self.told()]

    def ready(self):
        return self.operations("/readyz")[0] == 200

    def operations(self, path):
        """(status, body) of the operators' listener; status 0: it does not answer."""
        asked = http.client.HTTPConnection(self.host, self.operations_port, timeout=5)
        with contextlib.closing(asked):
            try:
                asked.request("GET", path)
                answer = asked.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                return 0, b""

    def staged(self):
        """Files that are on their way into its store."""
        return [path for path in (self.data / "blobs/tmp").rglob("*") if path.is_file()]


# ---- HAProxy

HAPROXY = "haproxy"

CONFIGURATION = """
global
  maxconn 2000

defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  timeout queue 5s
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
  default-server inter 500ms fall 2 rise 1

frontend koya
  bind 127.0.0.1:{port}
  http-request set-header X-Forwarded-For %[src]
  http-request set-header X-Forwarded-Proto https
  http-response set-header X-Served-By %s
  use_backend strict if {{ nbsrv(strict) gt 0 }}
  default_backend lenient

backend strict
  balance roundrobin
  http-request disable-l7-retry if ! METH_GET
  option httpchk GET /readyz
{strict}

# While nobody is ready in full, those who can serve what they hold go on.
backend lenient
  balance roundrobin
  http-request disable-l7-retry if ! METH_GET
  option httpchk GET /readyz?degraded=1
{lenient}
"""


class HaProxy(Part):
    """`servers`: {name: (port, port of the operators' listener)}, as HAProxy reaches them."""

    def __init__(self, folder, servers):
        super().__init__("haproxy", folder)
        self.port = free_port()
        lines = "\n".join(f"  server {name} 127.0.0.1:{port} check port {check}"
                          for name, (port, check) in servers.items())
        (self.folder / "haproxy.cfg").write_text(
            CONFIGURATION.format(port=self.port, strict=lines, lenient=lines))

    @staticmethod
    def here():
        return shutil.which(HAPROXY, path=PLAIN["PATH"] + ":/usr/sbin")

    def command(self):
        return [self.here(), "-db", "-f", self.folder / "haproxy.cfg"]

    def ready(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5):
            return True
        return False
