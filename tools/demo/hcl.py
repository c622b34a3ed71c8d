"""Modules out of short descriptions: what each version of one holds, as files.

A description says of everything since which version it is there, and until which; a version's files
follow from that, the same bytes each time.
"""
import dataclasses
import textwrap

REQUIRED = object()
FIRST = "0.0.0"
LICENCE = """Copyright 2026 Kumo Works

Licensed under the Apache License, Version 2.0 (the "License"); you may not use this module except in
compliance with the License. You may obtain a copy of the License at

    https://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed under the License is
distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
"""


def order(version):
    """Of versions: 4.3.0-rc.1 comes before 4.3.0."""
    numbers, _, prerelease = version.partition("-")
    return (*map(int, numbers.split(".")), prerelease == "", prerelease)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part:
    """Something that is in the versions from `since` on, and no more in `until`."""
    since: str = FIRST
    until: str = ""

    def within(self, version):
        return order(self.since) <= order(version) and not (
            self.until and order(version) >= order(self.until))


@dataclasses.dataclass(frozen=True)
class Input(Part):
    name: str
    type: str
    text: str
    default: object = REQUIRED      # as it is written in HCL
    more: str = ""                  # further lines of the block

    def hcl(self):
        lines = [f'description = "{self.text}"', _assign("type", self.type)]
        if self.default is not REQUIRED:
            lines.append(_assign("default", self.default))
        return _block(f'variable "{self.name}"', "\n".join(lines) + _apart(self.more))


@dataclasses.dataclass(frozen=True)
class Output(Part):
    name: str
    value: str
    text: str
    more: str = ""

    def hcl(self):
        body = f'description = "{self.text}"\n{_assign("value", self.value)}'
        return _block(f'output "{self.name}"', body + ("\n" + self.more if self.more else ""))


@dataclasses.dataclass(frozen=True)
class Block(Part):
    """Anything else: `head` is `resource "aws_vpc" "this"`, `moved`, `module "network"` …"""
    head: str
    body: str

    def hcl(self):
        return _block(self.head, _dedent(self.body))


@dataclasses.dataclass(frozen=True)
class Folder:
    """A module, or a submodule of one."""
    inputs: tuple = ()
    outputs: tuple = ()
    blocks: tuple = ()
    text: str = ""

    def files(self, version, place=""):
        kinds = {"variables.tf": self.inputs, "outputs.tf": self.outputs, "main.tf": self.blocks}
        files = {}
        for name, parts in kinds.items():
            there = [part.hcl() for part in parts if part.within(version)]
            if there:
                files[place + name] = "\n".join(there)
        if place and self.text:
            files[place + "README.md"] = f"# {place.strip('/').split('/')[-1]}\n\n{self.text}\n"
        return files


@dataclasses.dataclass(frozen=True)
class Module:
    address: str
    text: str                       # one sentence
    root: Folder
    history: tuple                  # (version, what changed), the oldest first
    providers: dict = dataclasses.field(default_factory=dict)  # {name: (source, constraint)}
    client: str = ">= 1.6"
    readme: str = ""                # what follows the title and the sentence
    title: str = ""
    submodules: dict = dataclasses.field(default_factory=dict)
    examples: dict = dataclasses.field(default_factory=dict)   # {name: HCL}
    tests: str = ""
    deprecated: dict = dataclasses.field(default_factory=dict)  # {version: message}
    withdrawn: dict = dataclasses.field(default_factory=dict)   # {version: reason}

    @property
    def name(self):
        return self.address.split("/")[1]

    def files(self, version, host):
        """{name: text} of a version; `host` is where its own registry is."""
        files = {"versions.tf": self._versions(), "LICENSE": LICENCE,
                 "README.md": f"# {self.title or self.name}\n\n{self.text}\n{_apart(self.readme)}",
                 "CHANGELOG.md": self._changelog(version)}
        files |= self.root.files(version)
        for name, folder in self.submodules.items():
            files |= folder.files(version, f"modules/{name}/")
        for name, body in self.examples.items():
            files[f"examples/{name}/main.tf"] = _dedent(body) + "\n"
        if self.tests:
            files["tests/defaults.tftest.hcl"] = _dedent(self.tests) + "\n"
        return {name: text.replace("HOST", host).replace("VERSION", version)
                for name, text in files.items()}

    def _versions(self):
        needs = "\n".join(_block(f"{name} =", f'source  = "{source}"\nversion = "{constraint}"')
                          .rstrip("\n") for name, (source, constraint) in self.providers.items())
        inner = f'required_version = "{self.client}"'
        if needs:
            inner += "\n\n" + _block("required_providers", needs).rstrip("\n")
        return _block("terraform", inner)

    def _changelog(self, version):
        told = [f"## {each}\n\n- {note}\n" for each, note in reversed(self.history)
                if order(each) <= order(version)]
        return "# Changelog\n\n" + "\n".join(told)


def _dedent(text):
    return textwrap.dedent(text).strip("\n")


def _apart(text):
    return "\n\n" + _dedent(text) + "\n" if text else ""


def _block(head, body):
    body = body.rstrip("\n")
    return f"{head} {{\n{textwrap.indent(body, '  ')}\n}}\n" if body else f"{head} {{}}\n"


def _assign(name, value):
    """Values of several lines keep their own indentation."""
    return f"{name.ljust(11)} = {_dedent(value)}"
