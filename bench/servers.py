"""The servers that are compared, as child processes pinned to one core: Koya, and nginx."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "e2e"))
import koya_e2e  # noqa: E402  (the same way of starting the server as in the tests)

SERVER_CORE, LOAD_CORE = "0", "1"


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def family(pid):
    """The process and all that it started."""
    pids = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            pids += family(int(child))
    return pids


def cpu_seconds(pid):
    """Time that the process, its children and all their threads have spent on a core so far."""
    total = 0
    for each in family(pid):
        for task in pathlib.Path(f"/proc/{each}/task").iterdir():
            # Nanoseconds; /proc/PID/stat counts in ticks of 10 ms, too coarse for sendfile.
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def stolen_seconds():
    """Time that the host took from this machine's cores so far, while they had work."""
    everything = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
    return int(everything[8]) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid):
    """Memory of the process and its children; pages that they share count once."""
    total = 0
    for each in family(pid):
        for line in pathlib.Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def reset_peak(pid):
    """From now on, peak_megabytes counts anew."""
    for each in family(pid):
        pathlib.Path(f"/proc/{each}/clear_refs").write_text("5")


def peak_megabytes(pid):
    """The most that the process and its children have had resident, each by itself."""
    total = 0
    for each in family(pid):
        for line in pathlib.Path(f"/proc/{each}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                total += int(line.split()[1])
    return total / 1024


class Koya(koya_e2e.Server):
    """One loop on one core; metrics on, access log on and going to a file."""

    def __init__(self, data, tls, *more):
        arguments = ["--server.threads", "1", *more]
        if not tls:
            arguments += ["--insecure-http", "--access.default_visibility", "public",
                          "--metrics.listen", f"127.0.0.1:{free_port()}"]
        super().__init__(data, *arguments, dev=tls)
        self.name, self.tls_on = "koya", tls

    def command(self):
        return ["taskset", "-c", SERVER_CORE, *super().command()]

    def start(self):
        begin = time.monotonic()
        super().start()
        self.start_seconds = time.monotonic() - begin
        self.base = f"{'https' if self.tls_on else 'http'}://127.0.0.1:{self.port}"
        if not self.tls_on:
            self.scheme = "http"
        return self

    @property
    def pid(self):
        return self.process.pid


class SlowDiskKoya(Koya):
    """Plain HTTP, on a disk that can be slowed down."""

    def __init__(self, folder, name):
        super().__init__(folder / name, tls=False)
        library, self.delay_file = folder / "slow_disk.so", folder / "delay"
        subprocess.run(["clang-19", "-O2", "-shared", "-fPIC", "-o", library,
                        ROOT / "bench/slow_disk.c"], check=True)
        self.delay_file.write_bytes(bytes(4))
        self.environment = {"LD_PRELOAD": str(library), "BENCH_DELAY": str(self.delay_file)}

    def delay(self, microseconds):
        """From now on, each fsync and each read of a part of a file takes so much longer."""
        with open(self.delay_file, "r+b") as file:  # in place: the server has mapped it
            file.write(microseconds.to_bytes(4, "little"))


class Process:
    """A server that this started."""

    def stop(self):
        self.process.terminate()
        self.process.wait()

    @property
    def pid(self):
        return self.process.pid


class Nginx(Process):
    """Debian's nginx: one worker, no access log, an open-file cache, and further `directives`."""

    def __init__(self, name, folder, files, directives, certificate=None, locations=""):
        self.name, self.folder, self.port = name, pathlib.Path(folder), free_port()
        self.base = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        self.folder.mkdir(parents=True)
        tls = ""
        if certificate:
            tls = (f"ssl_certificate {certificate}/certificate.pem;\n"
                   f"ssl_certificate_key {certificate}/key.pem;\nssl_protocols TLSv1.2 TLSv1.3;")
        (self.folder / "nginx.conf").write_text(f"""
daemon off;
worker_processes 1;
pid {self.folder}/nginx.pid;
error_log {self.folder}/error.log;
{'user root;' if os.geteuid() == 0 else ''}
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 75s;
  open_file_cache max=1000 inactive=60s;
  open_file_cache_valid 60s;
  client_max_body_size 0;
  default_type application/json;
  types {{ application/gzip gz; application/zip zip; }}
  {directives}
  {tls}
  client_body_temp_path {self.folder}/body;
  proxy_temp_path {self.folder}/proxy;
  fastcgi_temp_path {self.folder}/fastcgi;
  uwsgi_temp_path {self.folder}/uwsgi;
  scgi_temp_path {self.folder}/scgi;
  server {{
    listen 127.0.0.1:{self.port} {'ssl http2' if certificate else ''};
    root {files};
    {locations}
    location /upload/ {{ root {self.folder}; dav_methods PUT; create_full_put_path on; }}
  }}
}}
""")

    def start(self):
        self.process = subprocess.Popen(
            ["taskset", "-c", SERVER_CORE, "nginx", "-p", str(self.folder), "-e",
             str(self.folder / "error.log"), "-c", str(self.folder / "nginx.conf")],
            stderr=subprocess.DEVNULL)
        wait_for_port(self.process, self.port, "nginx", (self.folder / "error.log").read_text)
        return self


class Floor(Process):
    """A bare C loop that serves the same files over plain HTTP: what any server costs at least."""

    def __init__(self, folder, files):
        self.name, self.port, self.folder, self.files = "C loop", free_port(), folder, files
        self.base = f"http://127.0.0.1:{self.port}"

    def start(self):
        program = self.folder / "floor"
        subprocess.run(["clang-19", "-O2", "-o", program, ROOT / "bench/floor.c"], check=True)
        self.process = subprocess.Popen(
            ["taskset", "-c", SERVER_CORE, program, str(self.port), str(self.files)])
        wait_for_port(self.process, self.port, self.name)
        return self


def wait_for_port(process, port, name, why=lambda: ""):
    def listening():
        if process.poll() is not None:
            raise RuntimeError(f"{name} ended: {why()}")
        with socket.socket() as sock:
            return sock.connect_ex(("127.0.0.1", port)) == 0

    koya_e2e.wait_until(listening, f"{name} listens")


def need_programs():
    missing = [name for name in ("nginx", "wrk", "h2load", "curl", "taskset", "openssl")
               if not shutil.which(name)]
    if missing:
        sys.exit(f"bench: not on PATH: {', '.join(missing)}; run tools/install-packages bench")
    if os.cpu_count() < 2:
        sys.exit("bench: needs two cores, one for the server and one for the load")
