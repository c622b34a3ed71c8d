"""A provider that really runs, installed through Koya: the client gets its schema from it.

usage: test_provider_schema.py --client=terraform|tofu

Skipped, by name, where the machine has no client, or no real provider in any of the places where
clients keep them ($KOYA_REAL_PROVIDER names another).
"""
import json
import os
import pathlib
import re
import shutil
import zipfile

import koya_client
import koya_provider
from koya_client import ClientTestCase
from koya_provider import PLATFORM


def real_provider():
    """The smallest real provider binary in the places where clients keep them; None without one.

    $KOYA_REAL_PROVIDER names a binary, or a folder laid out as a plugin cache is.
    """
    home = pathlib.Path.home()
    named = os.environ.get("KOYA_REAL_PROVIDER")
    if named and pathlib.Path(named).is_file():
        return pathlib.Path(named)
    places = [named, os.environ.get("TF_PLUGIN_CACHE_DIR"), home / ".terraform.d/plugin-cache",
              home / ".terraform.d/plugins", home / ".local/share/terraform/plugins",
              "/usr/local/share/terraform/plugins", "/usr/share/terraform/plugins",
              *pathlib.Path("/opt").glob("*plugin*")]
    found = [path for place in places if place
             for path in pathlib.Path(place).glob(f"*/*/*/*/{PLATFORM}/terraform-provider-*")
             if path.is_file() and path.stat().st_size > 1 << 20]
    return min(found, key=lambda path: path.stat().st_size, default=None)


class RealProvider(ClientTestCase):
    def test_schema_of_a_registry_installed_provider(self):
        binary = real_provider()
        if binary is None:
            self.skipTest("no real provider on this machine: neither $KOYA_REAL_PROVIDER nor a "
                          "plugin cache holds one")
        type_name, version = re.match(r"terraform-provider-([a-z0-9-]+)_v(\d+\.\d+\.\d+)",
                                      binary.name).groups()
        dist = self.folder / "dist"
        dist.mkdir()
        name = f"{koya_provider.stem(type_name, version)}_{PLATFORM}.zip"
        with zipfile.ZipFile(dist / name, "w") as archive:
            with open(binary, "rb") as data, archive.open(
                    koya_provider.member(binary.name, compression=zipfile.ZIP_STORED), "w",
                    force_zip64=True) as packed:
                shutil.copyfileobj(data, packed, 1 << 20)
        self.command("publish", "provider", dist, f"real/{type_name}", version, "--sign")
        client = self.client(**{type_name: (f"real/{type_name}", version)})
        client.succeed("init", "-no-color")
        document = client.run("providers", "schema", "-json", timeout=300)
        self.assertEqual(document.returncode, 0, document.stderr)
        schemas = json.loads(document.stdout)["provider_schemas"]
        self.assertIn("resource_schemas", schemas[f"{self.koya.address}/real/{type_name}"])


if __name__ == "__main__":
    koya_client.main()
