"""An S3 server of the tests' own: Ceph's gateway on one monitor and one store in memory.

Debian packages ceph-mon, ceph-osd, radosgw and ceph-common; `here()` says whether they are there.
Nothing is authenticated inside (`auth … = none`), everything listens on loopback.
"""
import contextlib
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import urllib.parse
import uuid

from koya_e2e import clean_environment, wait_until

ACCESS, SECRET, REGION = "koyaaccess", "koyasecret0123", "default"
START_SECONDS = 60
PROGRAMS = ("ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph-authtool", "monmaptool", "ceph")

SETTINGS = """
[global]
fsid = {fsid}
mon host = [v1:127.0.0.1:{mon}]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms bind ipv6 = false
ms bind msgr2 = false
# One copy of everything: the gateway's answers are what is wanted, not Ceph's safety.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 8589934592
mon allow pool size one = true
mon warn on pool no redundancy = false
mon max pg per osd = 4000
mon osd min up ratio = 0
mon data avail warn = 1
mon data avail crit = 0
# Pools are made one after another: a monitor that thinks for a second each takes half a minute.
paxos propose interval = 0.05
paxos min wait = 0.01
keyring = {folder}/keyring
run dir = {folder}/run
admin socket = {folder}/run/$name.asok
pid file = {folder}/run/$name.pid
log file = {folder}/log/$name.log
crash dir = {folder}
[mon]
mon data = {folder}/mon
[osd]
osd data = {folder}/osd
[client.rgw]
rgw data = {folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:{port} {tls}
rgw thread pool size = 64
# A bucket's name may stand before it: http://BUCKET.localhost:PORT/KEY.
rgw dns name = localhost
# It gives out keys that end soon.
rgw sts key = 0123456789abcdef
rgw s3 auth use sts = true
"""


PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def missing():
    """Which of the programs are not here; none: it can be started."""
    return [each for each in PROGRAMS if not shutil.which(each, path=PATH)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def delete_cache(server):
    """As an operator may while it runs; at once, since it may be writing there."""
    gone = server.data / "cache-deleted"
    (server.data / "cache").rename(gone)
    shutil.rmtree(gone, ignore_errors=True)
    shutil.rmtree(gone, ignore_errors=True)  # what was written there meanwhile


class Radosgw:
    """With `certificate`, a PEM file of a certificate and its key, also over TLS, on `tls_port`."""

    def __init__(self, folder, certificate=None):
        self.folder, self.port = pathlib.Path(folder), free_port()
        self.conf = self.folder / "ceph.conf"
        self.certificate, self.tls_port = certificate, certificate and free_port()

    def run(self, *arguments, seconds=START_SECONDS):
        done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True,
                              timeout=seconds,
                              env=clean_environment(PATH=PATH, CEPH_CONF=str(self.conf)))
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def says(self, words, *arguments):
        """Whether a command succeeds, and says that. A busy monitor refuses now and then."""
        try:
            return words in self.run(*arguments)
        except (AssertionError, subprocess.TimeoutExpired):
            return False

    def start(self):
        for name in ("mon", "osd", "run", "log", "rgw"):
            (self.folder / name).mkdir(parents=True)
        mon, fsid = free_port(), uuid.uuid4()
        tls = self.certificate and (f"ssl_endpoint=127.0.0.1:{self.tls_port} "
                                    f"ssl_certificate={self.certificate}")
        self.conf.write_text(SETTINGS.format(fsid=fsid, mon=mon, folder=self.folder,
                                             port=self.port, tls=tls or ""))
        self.start_monitor(mon, fsid)
        self.start_osd()
        self.run("radosgw", "-n", "client.rgw", "-c", self.conf)
        wait_until(self.answers, "radosgw answers", START_SECONDS)
        wait_until(self.make_user, "radosgw has a user", START_SECONDS)
        return self

    def make_user(self):
        return self.says("", "radosgw-admin", "-c", self.conf, "user", "create", "--uid=koya",
                         "--display-name=koya", "--admin", f"--access-key={ACCESS}", f"--secret-key={SECRET}")

    def start_monitor(self, port, fsid):
        keyring, monmap = self.folder / "keyring", self.folder / "monmap"
        self.run("ceph-authtool", "--create-keyring", keyring, "--gen-key", "-n", "mon.",
                 "--cap", "mon", "allow *")
        self.run("monmaptool", "--create", "--clobber", "--addv", "a", f"[v1:127.0.0.1:{port}]",
                 "--fsid", fsid, monmap)
        self.run("ceph-mon", "--mkfs", "-i", "a", "-c", self.conf, "--monmap", monmap,
                 "--keyring", keyring)
        self.run("ceph-mon", "-i", "a", "-c", self.conf)

    def start_osd(self):
        number = uuid.uuid4()
        # On a busy machine a program asks the monitor before it knows which cluster it is in, and is
        # refused ("wrong fsid"): then again.
        wait_until(lambda: self.says("", "ceph", "-c", self.conf, "osd", "new", number, "0"),
                   "the monitor takes orders", START_SECONDS)
        self.run("ceph-osd", "-i", "0", "-c", self.conf, "--mkfs", "--osd-uuid", number)
        wait_until(lambda: self.says("", "ceph-osd", "-i", "0", "-c", self.conf),
                   "the OSD starts", START_SECONDS)
        wait_until(lambda: self.says("1 up", "ceph", "-c", self.conf, "osd", "stat"),
                   "the OSD is up", START_SECONDS)

    def answers(self):
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(asked):
            asked.request("GET", "/")
            return asked.getresponse().status > 0
        return False

    def pids(self):
        return [int(path.read_text()) for path in (self.folder / "run").glob("*.pid")]

    def kill(self):
        for pid in self.pids():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    # ---- the few requests of the harness, signed (AWS signature version 4)

    def make_bucket(self, name):
        status, body = self.request("PUT", f"/{name}")
        assert status == 200, (status, body)

    def objects(self, bucket):
        """All keys of a bucket, with their sizes."""
        found, marker = {}, ""
        while True:
            query = f"marker={urllib.parse.quote(marker, safe='')}&max-keys=1000"
            status, body = self.request("GET", f"/{bucket}", query)
            assert status == 200, (status, body)
            text = body.decode()
            page = re.findall(r"<Key>([^<]+)</Key>.*?<Size>([0-9]+)</Size>", text, re.DOTALL)
            found |= {key: int(size) for key, size in page}
            if "<IsTruncated>true" not in text or not page:
                return found
            marker = page[-1][0]

    def read(self, bucket, key):
        status, body = self.request("GET", f"/{bucket}/{key}")
        assert status == 200, (status, body)
        return body

    def write(self, bucket, key, data):
        status, body = self.request("PUT", f"/{bucket}/{key}", data=data)
        assert status == 200, (status, body)

    def delete(self, bucket, key):
        status, body = self.request("DELETE", f"/{bucket}/{key}")
        assert status == 204, (status, body)

    def session_keys(self):
        """(key, secret, token) of a session that lasts an hour."""
        asked = urllib.parse.urlencode({"Action": "GetSessionToken", "DurationSeconds": 3600,
                                        "Version": "2011-06-15"}).encode()
        status, body = self.request("POST", "/", data=asked, service="sts",
                                    content_type="application/x-www-form-urlencoded")
        assert status == 200, (status, body)
        return tuple(re.search(f"<{name}>([^<]+)</{name}>", body.decode())[1]
                     for name in ("AccessKeyId", "SecretAccessKey", "SessionToken"))

    def signed(self, method, path, query="", data=b"", service="s3"):
        """The header fields of a request."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(data).hexdigest()
        fields = {"host": f"127.0.0.1:{self.port}", "x-amz-content-sha256": digest,
                  "x-amz-date": now}
        names = ";".join(sorted(fields))
        lines = "".join(f"{name}:{fields[name]}\n" for name in sorted(fields))
        canonical = f"{method}\n{path}\n{query}\n{lines}\n{names}\n{digest}"
        scope = f"{now[:8]}/{REGION}/{service}/aws4_request"
        text = (f"AWS4-HMAC-SHA256\n{now}\n{scope}\n"
                f"{hashlib.sha256(canonical.encode()).hexdigest()}")
        key = b"AWS4" + SECRET.encode()
        for part in (now[:8], REGION, service, "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        signature = hmac.digest(key, text.encode(), "sha256").hex()
        fields["Authorization"] = (f"AWS4-HMAC-SHA256 Credential={ACCESS}/{scope}, "
                                   f"SignedHeaders={names}, Signature={signature}")
        return fields

    def request(self, method, path, query="", data=b"", service="s3", content_type=None):
        fields = self.signed(method, path, query, data, service)
        fields |= {"Content-Type": content_type} if content_type else {}
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(asked):
            asked.request(method, path + ("?" + query if query else ""), data or None, fields)
            answer = asked.getresponse()
            return answer.status, answer.read()
