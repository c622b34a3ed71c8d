#!/usr/bin/env python3
"""Fills a running Koya with what a company would have in it: modules and a provider with several versions,
some deprecated, docs, packages of other registries, people, groups, roles, tokens, and who fetches what.

usage: fill.py [--koya build/koya] [--data DIR]

Asks the server that KOYA_URL names, with KOYA_TOKEN, which may do everything; SSL_CERT_FILE says whom to trust.
Everything goes through the program's commands and the HTTP API, as people do it; nothing is fetched from
elsewhere, and nothing is left running. The administrator's password, made here, is kept below DIR, for whom
started the server alone. The same versions hold the same bytes each time: a second run changes nothing.
"""
import argparse
import base64
import contextlib
import http.client
import gzip
import io
import json
import os
import pathlib
import secrets
import ssl
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse

import people
import platform_team
import provider
import teams

MODULES = platform_team.MODULES + teams.MODULES
PASSWORD_FILE = "demo.password"


def archive_of(files):
    """A .tar.gz of {name: text}, the same bytes each time."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            data = files[name].encode()
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0)


def write(folder, files):
    for name, data in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())


class Registry:
    def __init__(self, koya, url, token, authority=None):
        """`authority`: the file of the certificates to trust; else what SSL_CERT_FILE names."""
        self.koya, self.url, self.token = koya, url, token
        self.environment = {"SSL_CERT_FILE": str(authority)} if authority else {}
        parts = urllib.parse.urlsplit(url)
        self.address = parts.netloc
        kind = http.client.HTTPConnection if parts.scheme == "http" else http.client.HTTPSConnection
        more = {} if parts.scheme == "http" else {"context": ssl.create_default_context(cafile=authority)}
        self.connection = kind(parts.hostname, parts.port, timeout=60, **more)

    def run(self, *arguments, said=""):
        """A command of koya's; what it printed."""
        done = subprocess.run([self.koya, *arguments], input=said, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **self.environment, "KOYA_URL": self.url, "KOYA_TOKEN": self.token})
        if done.returncode != 0:
            sys.exit(f"demo: koya {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def ask(self, method, path, body=None, token=None, agent="koya-demo", good=(200, 201, 204)):
        self.connection.request(method, path, body, {"Authorization": f"Bearer {token or self.token}",
                                                     "User-Agent": agent})
        answer = self.connection.getresponse()
        text = answer.read()
        if good and answer.status not in good:
            sys.exit(f"demo: {method} {path}: {answer.status} {text[:500].decode(errors='replace')}")
        return answer.status


# ---- what is in the registry

def add_modules(registry):
    for module in MODULES:
        for version, _ in module.history:
            path = f"/api/v1/modules/{module.address}/{version}?" + urllib.parse.urlencode({"description": module.text})
            registry.ask("PUT", path, archive_of(module.files(version, registry.address)))
        for version, message in module.deprecated.items():
            registry.run("deprecate", module.address, version, "--message", message)
        for version, reason in module.withdrawn.items():
            registry.run("withdraw", module.address, version, "--reason", reason, "--yes")


def add_provider(registry, folder):
    for version in provider.VERSIONS:
        dist, project = folder / f"dist-{version}", folder / f"project-{version}"
        write(dist, provider.release(version))
        write(project, {name: text.replace("HOST", registry.address)
                        for name, text in provider.docs(version).items()})
        write(project, {"schema.json": provider.schema(version)})
        registry.run("publish", "provider", str(dist), provider.ADDRESS, version, "--sign", "--protocols", "6.0",
                     "--docs", str(project), "--schema", str(project / "schema.json"))
    for version, message in provider.DEPRECATED.items():
        registry.run("deprecate", provider.ADDRESS, version, "--message", message)
    registry.run("key", "add", provider.ADDRESS.split("/")[0], str(pathlib.Path(__file__).parent / "releases.asc"))
    write(folder / "mirror", provider.static_mirror())
    registry.run("mirror", "import", str(folder / "mirror"))


# ---- who may do what

def add_people(registry, password):
    registry.run("user", "create", people.ADMIN, "--admin", "--password-stdin", said=password + "\n")
    for name in people.USERS:
        registry.run("user", "create", name)
    for name in people.SERVICES:
        registry.run("service", "create", name)
    for group, members in people.GROUPS.items():
        registry.run("group", "create", group)
        for member in members:
            registry.run("group", "add", group, "--user", member)
    registry.run("user", "disable", "gael@kumo.example")


def add_grants(registry):
    """Of namespaces that are there: something was published in them."""
    for name, visibility in people.NAMESPACES.items():
        title, description = people.NAMESPACE_WORDS[name]
        registry.run("namespace", "set", name, "--visibility", visibility, "--title", title, "--description", description)
    for namespace, role, kind, who in people.GRANTS:
        registry.run("grant", "add", namespace, role, f"--{kind}", who)
    registry.run("trust", "add", "platform", "--github", "kumo-works/terraform-modules", "--ref", "refs/tags/v*")


def add_fetches(registry):
    """Tokens of service accounts, and what they have fetched."""
    tokens = {}
    for name, scope, namespaces, days, service in people.TOKENS:
        limits = [word for each in namespaces for word in ("--namespace", each)]
        ends = ["--expires", days] if days else []
        said = registry.run("token", "create", name, "--scope", scope, "--service", service, "--json", *limits, *ends)
        tokens[name] = json.loads(said)["token"]
    for name, label, modules in people.FETCHES:
        for address, versions in modules.items():
            for version, times in versions.items():
                for _ in range(times):
                    registry.ask("GET", f"/v1/modules/{address}/{version}/download", token=tokens[name],
                                 agent=f"OpenTofu/1.10.6 koya-consumer/{label}")
    for version, times in {"2.3.1": 12, "2.2.0": 4, "1.9.8": 1}.items():
        for _ in range(times):
            registry.ask("GET", f"/v1/providers/{provider.ADDRESS}/{version}/download/linux/amd64",
                         token=tokens["payments"], agent="OpenTofu/1.10.6 koya-consumer/payments-prod")


def is_filled(registry):
    path = f"/v1/modules/{MODULES[0].address}/versions"
    return registry.ask("GET", path, good=None) == 200


def keep_password(data):
    """A new one, for whom started the server alone."""
    path = data / "dev" / PASSWORD_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(base64.b32encode(secrets.token_bytes(10)).decode().lower() + "\n")
    return path.read_text().strip()


def fill(registry, data, say=print):
    if is_filled(registry):
        say("The demo's modules are there already.")
        return
    with tempfile.TemporaryDirectory(prefix="koya-demo-") as folder, contextlib.closing(registry.connection):
        say("Filling the registry: people …", flush=True)
        add_people(registry, keep_password(data))
        say("  a provider, and packages of other registries …", flush=True)
        add_provider(registry, pathlib.Path(folder))
        say(f"  {len(MODULES)} modules …", flush=True)
        add_modules(registry)
        add_grants(registry)
        add_fetches(registry)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--koya", default="build/koya")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("koya-data"))
    options = parser.parse_args()
    missing = [name for name in ("KOYA_URL", "KOYA_TOKEN") if not os.environ.get(name)]
    if missing:
        sys.exit(f"demo: {' and '.join(missing)} not set; run: . {options.data}/dev/env")
    fill(Registry(options.koya, os.environ["KOYA_URL"], os.environ["KOYA_TOKEN"]), options.data)


if __name__ == "__main__":
    main()
