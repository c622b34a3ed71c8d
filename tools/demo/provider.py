"""A provider of Kumo Works, and one of another registry: packages that are small and run nothing,
docs in the layout of the public registries, and a schema."""
import base64
import hashlib
import io
import json
import zipfile

ADDRESS = "kumo/inventory"
PLATFORMS = ("darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64")
VERSIONS = ("1.9.8", "2.0.0", "2.1.0", "2.2.0", "2.3.0", "2.3.1")
DEPRECATED = {"1.9.8": "Loses tags of racks that have no site; use 2.0.0 or later."}
STRANGERS = {  # of other registries, as a static mirror has them
    "registry.opentofu.org/example-cloud/compute": ("5.2.0", "5.3.0"),
    "registry.opentofu.org/example-cloud/names": ("1.4.2",),
    "registry.terraform.io/example-labs/metrics": ("0.9.0", "0.10.0"),
}


def _zip(files):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6))
            entry.create_system, entry.external_attr = 3, 0o100755 << 16
            archive.writestr(entry, data)
    return raw.getvalue()


def _noise(seed, size):
    """Bytes that do not compress, the same each time: a package of some size."""
    blocks = (hashlib.sha256(f"{seed} {number}".encode()).digest() for number in range(size // 32))
    return base64.b85encode(b"".join(blocks))


def package(name, version, platform):
    """A zip with a program that says what it is."""
    program = f"#!/bin/sh\necho {name} {version} {platform}\nexit 1\n".encode()
    suffix = ".exe" if platform.startswith("windows") else ""
    return _zip({f"terraform-provider-{name}_v{version}{suffix}":
                 program + b"# " + _noise(f"{name} {version} {platform}", 40_000) + b"\n"})


def release(version):
    """{file name: bytes}: what GoReleaser would leave in dist, unsigned: the server signs."""
    platforms = PLATFORMS if version != "1.9.8" else PLATFORMS[:3]
    return {f"terraform-provider-inventory_{version}_{platform}.zip": package("inventory", version, platform)
            for platform in platforms}


def static_mirror():
    """{file name: bytes} of a folder as `tofu providers mirror` leaves it."""
    files = {}
    for address, versions in STRANGERS.items():
        name = address.rsplit("/", 1)[1]
        for version in versions:
            for platform in ("linux_amd64", "darwin_arm64"):
                files[f"{address}/terraform-provider-{name}_{version}_{platform}.zip"] = package(
                    name, version, platform)
    return files


# ---- docs

def _page(title, group, about, text):
    front = f'page_title: "{title}"\n' + (f'subcategory: "{group}"\n' if group else "")
    return f"---\n{front}description: |-\n  {about}\n---\n\n# {title}\n\n{text.strip()}\n"


def _resource(name, group, about, arguments, example):
    rows = "\n".join(f"- `{argument}` - {text}" for argument, text in arguments.items())
    return _page(name, group, about, f"""
{about}

## Example Usage

```terraform
{example.strip()}
```

## Argument Reference

{rows}

## Attributes Reference

- `id` - The identifier in the inventory.

## Import

```shell
tofu import {name}.main 4711
```
""")


RACK = {"site": "(Required) The site's code, as `fra1`.", "name": "(Required) What is written on the rack.",
        "units": "(Optional) Height in rack units; 42 unless given.", "tags": "(Optional) Tags by name."}
HOST = {"rack_id": "(Required) The rack that it is in.", "unit": "(Required) The lowest unit that it takes.",
        "serial": "(Required) The serial number.",
        "bmc": "(Optional) How its management controller is reached; a block with `address` and `password`."}


def docs(version):
    """{path: text} below docs/."""
    pages = {
        "index.md": _page("Inventory Provider", "", "Racks, hosts and addresses of Kumo Works' own data centres.", f"""
The provider manages what stands in our data centres: [racks](resources/rack), [hosts](resources/host) and their
[addresses](resources/address).

## Example Usage

```terraform
terraform {{
  required_providers {{
    inventory = {{
      source  = "HOST/kumo/inventory"
      version = "~> {version.rsplit('.', 1)[0]}"
    }}
  }}
}}

provider "inventory" {{
  endpoint = "https://inventory.kumo.example"
}}
```

## Authentication

The token is read from `INVENTORY_TOKEN`. It is never written to the state.

~> **Note** Tokens that may only read are enough for `plan`.
"""),
        "guides/getting-started.md": _page("Getting started", "", "From nothing to the first rack.", """
1. Ask `#inventory` for a token.
2. Describe the rack, and apply.
3. Print the label: `inventory label RACK`.

```shell
export INVENTORY_TOKEN=…
tofu apply
```
"""),
        "guides/moving-to-2.md": _page("Moving to 2.0", "", "What changes between 1.x and 2.x.", """
| 1.x | 2.x |
|---|---|
| `inventory_server` | `inventory_host` |
| `rack = "A3"` | `rack_id = inventory_rack.a3.id` |
"""),
        "resources/rack.md": _resource("inventory_rack", "Data centres", "A rack in one of our data centres.", RACK, """
resource "inventory_rack" "main" {
  site = "fra1"
  name = "A3"
}"""),
        "resources/host.md": _resource("inventory_host", "Data centres", "A host that stands in a rack.", HOST, """
resource "inventory_host" "main" {
  rack_id = inventory_rack.main.id
  unit    = 12
  serial  = "KW-0042"
}"""),
        "resources/address.md": _resource(
            "inventory_address", "Network", "An address that a host has.",
            {"host_id": "(Required) The host.", "network": "(Required) The network that it is taken from."}, """
resource "inventory_address" "main" {
  host_id = inventory_host.main.id
  network = "10.0.0.0/16"
}"""),
        "data-sources/site.md": _resource("inventory_site", "Data centres", "A data centre.",
                                          {"code": "(Required) As `fra1`."}, """
data "inventory_site" "main" {
  code = "fra1"
}"""),
        "data-sources/free_units.md": _resource("inventory_free_units", "Data centres", "Where a rack has room.",
                                                {"rack_id": "(Required) The rack."}, """
data "inventory_free_units" "main" {
  rack_id = inventory_rack.main.id
}"""),
        "functions/label.md": _page("function: label", "", "The text of a host's label.", """
```terraform
output "label" {
  value = provider::inventory::label("fra1", "A3", 12)
}
```
"""),
        "cdktf/python/resources/rack.md": _resource("inventory_rack", "Data centres", "A rack.", RACK, """
Rack(self, "main", site="fra1", name="A3")"""),
    }
    if not version.startswith("2.3"):
        del pages["functions/label.md"]
    return {f"docs/{name}": text for name, text in pages.items()}


# ---- the schema

def _attribute(kind, text, **flags):
    return {"type": kind, "description": text, **flags}


def schema(version):
    """What `tofu providers schema -json` prints."""
    identifier = _attribute("string", "The identifier in the inventory.", computed=True)
    rack = {"id": identifier,
            "site": _attribute("string", "The site's code.", required=True),
            "name": _attribute("string", "What is written on the rack.", required=True),
            "units": _attribute("number", "Height in rack units.", optional=True),
            "tags": _attribute(["map", "string"], "Tags by name.", optional=True)}
    if version.startswith("1."):
        rack["row"] = _attribute("string", "The row that it is in.", required=True)
    host = {"id": identifier,
            "rack_id": _attribute("string", "The rack that it is in.", required=True),
            "unit": _attribute("number", "The lowest unit that it takes.", required=True),
            "serial": _attribute("string", "The serial number.", required=True)}
    controller = {"nesting_mode": "list", "max_items": 1, "block": {"attributes": {
        "address": _attribute("string", "Where it answers.", required=True),
        "password": _attribute("string", "Its password.", optional=True, sensitive=True)}}}
    resources = {"inventory_rack": rack, "inventory_host": host,
                 "inventory_address": {"id": identifier, "host_id": _attribute("string", "The host.", required=True),
                                       "network": _attribute("string", "The network.", required=True)}}
    if version in ("2.2.0", "2.3.0", "2.3.1"):
        host["model"] = _attribute("string", "What it is.", optional=True)
    blocks = {name: {"version": 1, "block": {"attributes": attributes}} for name, attributes in resources.items()}
    blocks["inventory_host"]["block"]["block_types"] = {"bmc": controller}
    described = {
        "provider": {"version": 0, "block": {"attributes": {
            "endpoint": _attribute("string", "Where the inventory answers.", required=True),
            "token": _attribute("string", "The token to show.", optional=True, sensitive=True)}}},
        "resource_schemas": blocks,
        "data_source_schemas": {"inventory_site": {"version": 0, "block": {"attributes": {
            "code": _attribute("string", "As fra1.", required=True), "id": identifier}}}},
    }
    if version.startswith("2.3"):
        described["functions"] = {"label": {"return_type": "string", "summary": "The text of a host's label", "parameters": [
            {"name": "site", "type": "string"}, {"name": "rack", "type": "string"}, {"name": "unit", "type": "number"}]}}
    return json.dumps({"format_version": "1.0", "provider_schemas": {"registry.example.com/kumo/inventory": described}})
