"""koya import: how long a registry of 1,000 module versions and 100 releases takes, and what a
second run asks for.

usage: bench/moving_in.py [--modules=200] [--versions=5] [--releases=100] [--platforms=6]

A scripted registry on loopback with TLS, and a new Koya as the target, both on this machine.
"""
import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
# pylint: disable=wrong-import-position
import koya_provider
import koya_upstream
from koya_e2e import Server, tar_gz
from koya_upstream import Upstream

PLATFORMS = ("linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64",
             "freebsd_amd64", "linux_arm", "windows_arm64")


def offer(source, wanted):
    """Returns the number of modules and providers."""
    modules = [f"acme/m{number}/aws" for number in range(wanted.modules)]
    for address in modules:
        for version in range(wanted.versions):
            source.add_module(address, tar_gz({"main.tf": f"# {address} {version}\n".encode(),
                                               "data": os.urandom(10_000)}), f"1.{version}.0")
    providers = [f"acme/p{number}" for number in range(max(wanted.releases // 10, 1))]
    for number in range(wanted.releases):
        address, version = providers[number % len(providers)], f"1.{number // len(providers)}.0"
        files = koya_provider.release(version, koya_provider.author(), padding=os.urandom(100_000),
                                      type_name=address.split("/")[1],
                                      platforms=PLATFORMS[:wanted.platforms])
        source.add(address, files, koya_provider.author(), version=version)
    source.put("/v1/modules", {"modules": [
        dict(zip(("namespace", "name", "provider"), each.split("/"))) for each in modules]})
    source.put("/v1/providers", {"providers": [
        dict(zip(("namespace", "name"), each.split("/"))) for each in providers]})
    return len(modules) + len(providers)


def measure(koya, source, trusted):
    """(seconds, report, requests of the source)"""
    before, started = collections.Counter(source.counts), time.monotonic()
    run = koya.cli("import", "registry", source.url(""), "--json", timeout=3600,
                   environment={"SSL_CERT_FILE": str(trusted)})
    assert run.returncode == 0, run.stdout + run.stderr[-3000:]
    return time.monotonic() - started, json.loads(run.stdout), source.counts - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, number in (("modules", 200), ("versions", 5), ("releases", 100), ("platforms", 6)):
        parser.add_argument(f"--{name}", type=int, default=number)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="koya-bench-") as folder:
        source = Upstream()
        packages = offer(source, wanted)
        with Server(pathlib.Path(folder) / "data") as koya:
            trusted = pathlib.Path(folder) / "trusted.pem"
            trusted.write_text((koya.data / "dev/ca.pem").read_text() +
                               koya_upstream.certificate()[1].read_text())
            for name in ("first", "second"):
                seconds, report, asked = measure(koya, source, trusted)
                print(f"{name} run: {seconds:.1f} s, {report['versions']} imported, "
                      f"{report['unchanged']} there, {report['bytes'] / 1e6:.0f} MB, "
                      f"{sum(asked.values())} requests for {packages} modules and providers")
        source.off()


if __name__ == "__main__":
    main()
