"""A real client installs providers from a Koya server, and refuses what was changed on the way.

usage: test_provider_install.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH. The packages hold a shell script, which is enough
for everything but running it.
"""
import hashlib
import json
import os
import urllib.parse
import zipfile

import koya_client
import koya_provider
from koya_client import DISCOVERY, ClientTestCase, unpacked
from koya_provider import (FOUR_PLATFORMS, PLATFORM, add_key, download, h1, key, package,
                           package_zip64, platforms_with_ours, publish, release, sums_of, unsigned,
                           write_dist, zh)
from koya_proxy import ProxiedServer


class Install(ClientTestCase):
    def test_every_kind_of_key(self):
        for number, author in enumerate((key("rsa4096"), key("ed25519"), key("nistp256"),
                                         koya_provider.key_with_subkey())):
            with self.subTest(author.key_id):
                address = f"keys-{number}/demo"
                files = release("1.0.0", author, protocols=("5.0", "6.0"))
                dist = write_dist(self.folder / f"dist-{number}", files)
                armor = self.folder / f"key-{number}.asc"
                armor.write_text(author.armor)
                self.command("key", "add", f"keys-{number}", armor)
                self.command("publish", "provider", dist, address)

                mark = self.koya.log_mark()
                client = self.client(f"client-{number}", demo=(address, "1.0.0"))
                words = client.succeed("init", "-no-color")
                self.assert_requests(mark, [DISCOVERY, *self.requests_for(address, "1.0.0")])
                self.assertIn("signed", words)
                self.assert_hashes(client, address, "1.0.0", files)
                self.assertEqual(list(unpacked(client.installed(address, "1.0.0"))),
                                 ["terraform-provider-demo_v1.0.0"])

    def test_signed_by_the_server(self):
        dist = write_dist(self.folder / "dist", unsigned("1.0.0"))
        self.command("publish", "provider", dist, "server/demo", "1.0.0", "--sign",
                     "--protocols", "5.0,6.0")
        self.assertEqual(download(self.koya, "server/demo", "1.0.0")["protocols"], ["5.0", "6.0"])
        client = self.client(demo=("server/demo", "1.0.0"))
        client.succeed("init", "-no-color")
        self.assert_hashes(client, "server/demo", "1.0.0", unsigned("1.0.0"))

        exported = self.command("key", "export", "server")
        self.assertIn("BEGIN PGP PUBLIC KEY BLOCK", exported)
        document = download(self.koya, "server/demo", "1.0.0")
        home = self.folder / "gpg"
        home.mkdir(mode=0o700)
        koya_provider.gpg("--import", home=home, stdin=exported.encode())
        for name, url in (("sums", "shasums_url"), ("sig", "shasums_signature_url")):
            path = urllib.parse.urlsplit(document[url]).path
            (self.folder / name).write_bytes(self.koya.get(path).body)
        koya_provider.gpg("--verify", self.folder / "sig", self.folder / "sums", home=home)

    def test_versions_a_constraint_and_the_lock_file(self):
        author = key("ed25519")
        address = self.namespace("choice", author) + "/demo"
        for version in ("1.0.0", "1.1.0", "2.0.0", "1.2.0-rc.1"):
            publish(self.koya, address, version, release(version, author))
        client = self.client(demo=(address, "~> 1.0"))
        mark = self.koya.log_mark()
        client.succeed("init", "-no-color")
        self.assert_requests(mark, [DISCOVERY, *self.requests_for(address, "1.1.0")])
        version, hashes = client.locked(address)
        self.assertEqual(version, "1.1.0")

        mark = self.koya.log_mark()
        client.succeed("init", "-no-color")
        self.assert_requests(mark, [DISCOVERY, ("GET", f"/v1/providers/{address}/versions")])

        publish(self.koya, address, "1.3.0", release("1.3.0", author))
        client.forget()
        mark = self.koya.log_mark()
        client.succeed("init", "-no-color", "-lockfile=readonly")
        self.assert_requests(mark, [DISCOVERY, *self.requests_for(address, "1.1.0")])
        self.assertEqual(client.locked(address), ("1.1.0", hashes))
        self.assertTrue(client.installed(address, "1.1.0").exists())

        client.succeed("init", "-no-color", "-upgrade")
        self.assertEqual(client.locked(address)[0], "1.3.0")
        exact = self.client("exact", demo=(address, "1.2.0-rc.1"))
        exact.succeed("init", "-no-color")
        self.assertEqual(exact.locked(address)[0], "1.2.0-rc.1")

    def test_two_providers_in_one_configuration(self):
        author = key("nistp256")
        self.namespace("pair", author)
        publish(self.koya, "pair/demo", "1.0.0", release("1.0.0", author))
        publish(self.koya, "pair/other", "2.0.0", release("2.0.0", author, type_name="other"))
        mark = self.koya.log_mark()
        client = self.client(demo=("pair/demo", "1.0.0"), other=("pair/other", "~> 2.0"))
        client.succeed("init", "-no-color")
        # OpenTofu installs providers side by side: both may ask for discovery before one has it.
        self.assert_requests(mark, [DISCOVERY, *self.requests_for("pair/demo", "1.0.0"),
                                    *self.requests_for("pair/other", "2.0.0", "other")],
                             discoveries=(1, 2) if koya_client.PROGRAM == "tofu" else (1,))

    def test_names_are_folded_as_clients_do(self):
        author = key("ed25519")
        for spelled, namespace in (("Acme-Case", "aCME-case"), ("MÜNCHEN", "München")):
            with self.subTest(spelled):
                quoted = urllib.parse.quote(spelled)
                self.assertEqual(add_key(self.koya, quoted, author.armor).status, 201)
                publish(self.koya, f"{quoted}/Demo", "1.0.0", release("1.0.0", author))
                client = self.client(namespace, demo=(f"{namespace}/DEMO", "1.0.0"))
                client.succeed("init", "-no-color")
                self.assertEqual(client.locked(f"{spelled.lower()}/demo")[0], "1.0.0")

    def test_lock_for_four_platforms(self):
        author = key("ed25519")
        address = self.namespace("lock", author) + "/demo"
        platforms = platforms_with_ours(*FOUR_PLATFORMS)
        files = release("1.0.0", author, platforms=platforms)
        publish(self.koya, address, "1.0.0", files)
        client = self.client(demo=(address, "1.0.0"))
        client.succeed("providers", "lock", "-no-color",
                       *(f"-platform={each}" for each in FOUR_PLATFORMS))
        told = download(self.koya, address, "1.0.0")["packages"]
        self.assertEqual(set(told), set(platforms))
        version, locked = client.locked(address)
        self.assertEqual(version, "1.0.0")
        for each in FOUR_PLATFORMS:
            self.assertLessEqual(set(told[each]["hashes"]), locked, each)
            zip_file = files[f"terraform-provider-demo_1.0.0_{each}.zip"]
            self.assertEqual(told[each]["package_size"], len(zip_file))
        client.succeed("init", "-no-color", "-lockfile=readonly")
        self.assertEqual(client.locked(address), (version, locked))

    def test_providers_mirror(self):
        author = key("ed25519")
        address = self.namespace("mirrored", author) + "/demo"
        files = release("1.0.0", author, platforms=platforms_with_ours(*FOUR_PLATFORMS))
        publish(self.koya, address, "1.0.0", files)
        client = self.client(demo=(address, "1.0.0"))
        client.succeed("providers", "mirror", f"-platform={PLATFORM}", "-platform=windows_amd64",
                       self.folder / "mirror")
        mirrored = unpacked(self.folder / "mirror")
        for each in {PLATFORM, "windows_amd64"}:
            name = f"terraform-provider-demo_1.0.0_{each}.zip"
            self.assertEqual(mirrored[f"{self.koya.address}/{address}/{name}"], files[name])
        archives = json.loads(mirrored[f"{self.koya.address}/{address}/1.0.0.json"])["archives"]
        told = download(self.koya, address, "1.0.0")["packages"]
        self.assertLessEqual(set(archives[PLATFORM]["hashes"]), set(told[PLATFORM]["hashes"]))

    def test_hashes_of_every_kind_of_package(self):
        author = key("ed25519")
        address = self.namespace("hashes", author) + "/demo"
        binary = "terraform-provider-demo_v1.0.{}"
        stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
        kinds = {
            "one file": ({}, package, deflated),
            "nested folders": ({"docs/a/b/c.md": b"c", "docs/a.md": b"a", "LICENSE": b"l"},
                               package, deflated),
            # Bytewise: "Z" < "a", "a-b" < "a/b" < "a0", and beyond ASCII in UTF-8's order.
            "bytewise order": ({"b": b"1", "Z": b"2", "a0": b"3", "a/b": b"4", "a-b": b"5",
                                "é": b"6", "\uffee": b"7", "\U0001f600": b"8"}, package, deflated),
            "an empty file": ({"empty": b"", "zzz": b""}, package, deflated),
            "zip64": ({"big": os.urandom(200_000)}, package_zip64, None),
            "stored": ({"data": os.urandom(70_000)}, package, stored),
            "deflated": ({"data": os.urandom(5000).hex().encode() * 30}, package, deflated),
        }
        for number, (kind, (more, pack, compression)) in enumerate(kinds.items()):
            with self.subTest(kind):
                version = f"1.0.{number}"
                contents = {**more, binary.format(number): b"#!/bin/sh\n"}
                packed = pack(contents, compression) if compression is not None else pack(contents)
                files = koya_provider.signed(
                    {f"terraform-provider-demo_{version}_{PLATFORM}.zip": packed}, author)
                publish(self.koya, address, version, files)
                client = self.client(f"client-{number}", demo=(address, version))
                client.succeed("init", "-no-color")
                told = download(self.koya, address, version)["packages"][PLATFORM]
                self.assertEqual(set(told["hashes"]), {h1(contents), zh(packed)})
                self.assertEqual(told["package_size"], len(packed))
                self.assert_hashes(client, address, version, files)
                self.assertEqual(unpacked(client.installed(address, version)), contents)

    def test_platforms_that_share_bytes(self):
        """Such a release has no "packages", on which newer clients would stumble."""
        author = key("ed25519")
        address = self.namespace("universal", author) + "/demo"
        packed = package({"terraform-provider-demo_v1.0.0": b"#!/bin/sh\n"})
        names = [f"terraform-provider-demo_1.0.0_{each}.zip"
                 for each in platforms_with_ours("darwin_arm64", "darwin_amd64")]
        publish(self.koya, address, "1.0.0",
                koya_provider.signed({name: packed for name in names}, author))
        self.assertNotIn("packages", download(self.koya, address, "1.0.0"))
        client = self.client(demo=(address, "1.0.0"))
        client.succeed("init", "-no-color")
        self.assertEqual(client.locked(address)[0], "1.0.0")

    def test_deprecated_version_warns(self):
        author = key("ed25519")
        address = self.namespace("old", author) + "/demo"
        for version in ("1.0.0", "2.0.0"):
            publish(self.koya, address, version, release(version, author))
        words = self.client("before", demo=(address, "1.0.0")).succeed("init", "-no-color")
        self.assertNotIn("plugins of version 1", words)
        self.command("deprecate", address, "1.0.0", "--message",
                     "plugins of version 1 end in May: use 2.0.0")
        words = self.client("after", demo=(address, "1.0.0")).succeed("init", "-no-color")
        self.assertIn("plugins of version 1 end in May: use 2.0.0", words)
        self.assertIn("1.0.0", words)

    def test_withdrawn_version_is_gone(self):
        author = key("ed25519")
        address = self.namespace("gone", author) + "/demo"
        for version in ("1.0.0", "1.1.0"):
            publish(self.koya, address, version, release(version, author))
        locked = self.client("locked", demo=(address, "~> 1.0"))
        locked.succeed("init", "-no-color")
        self.command("withdraw", address, "1.1.0", "--reason", "deletes what it should create",
                     "--yes")
        fresh = self.client("fresh", demo=(address, "~> 1.0"))
        fresh.succeed("init", "-no-color")
        self.assertEqual(fresh.locked(address)[0], "1.0.0")
        words = locked.forget().refuse("init", "-no-color")
        self.assertRegex(words, r"is no longer available|no available releases match")
        answer = self.koya.get(f"/v1/providers/{address}/1.1.0/download/linux/amd64")
        self.assertEqual(answer.status, 410, answer)
        self.assertIn("deletes what it should create", answer.errors())

    def test_unknown_provider_version_and_platform(self):
        author = key("ed25519")
        address = self.namespace("some", author) + "/demo"
        publish(self.koya, address, "1.0.0",
                release("1.0.0", author, platforms=("plan9_386",)))
        words = self.client("a", demo=("some/other", "1.0.0")).refuse("init", "-no-color")
        self.assertIn("does not have a provider named", words)
        words = self.client("b", demo=(address, "9.0.0")).refuse("init", "-no-color")
        self.assertRegex(words, r"no available releases match")
        words = self.client("c", demo=(address, "1.0.0")).refuse("init", "-no-color")
        self.assertIn("does not have a package available for your current platform", words)


class KeysChange(ClientTestCase):
    """What keys come and go means for what they signed."""

    def install(self, name, address, version):
        client = self.client(name, demo=(address, version))
        client.succeed("init", "-no-color")
        self.assertEqual(client.locked(address)[0], version)

    def test_authors_rotate_their_key(self):
        first, second = key("rsa2048", "first"), key("ed25519", "second")
        address = self.namespace("rotated", first, second) + "/demo"
        publish(self.koya, address, "1.0.0", release("1.0.0", first))
        publish(self.koya, address, "1.1.0", release("1.1.0", second))
        self.command("key", "remove", "rotated", first.key_id)
        publish(self.koya, address, "1.2.0", release("1.2.0", second))
        for version in ("1.0.0", "1.1.0", "1.2.0"):
            self.install(version, address, version)
        for version, author in (("1.0.0", first), ("1.2.0", second)):
            shown = download(self.koya, address, version)["signing_keys"]["gpg_public_keys"]
            self.assertEqual(shown[0]["key_id"], author.key_id)

        dist = write_dist(self.folder / "dist", release("1.3.0", first))
        run = self.koya.cli("publish", "provider", dist, address)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn(first.key_id, run.stderr)
        self.assertIn("removed", run.stderr)
        # Adding it again is a decision that can be taken back.
        self.namespace("rotated", first)
        self.command("publish", "provider", dist, address)

    def test_server_key_is_rotated(self):
        def publish_signed(version):
            dist = write_dist(self.folder / version, unsigned(version))
            self.command("publish", "provider", dist, "server/demo", version, "--sign")
            return (download(self.koya, "server/demo", version)
                    ["signing_keys"]["gpg_public_keys"][0]["key_id"])

        before = publish_signed("1.0.0")
        self.command("key", "rotate", "server")
        after = publish_signed("1.1.0")
        self.assertNotEqual(before, after)
        for version in ("1.0.0", "1.1.0"):
            self.install(version, "server/demo", version)


def flip(data, at=-1):
    """One bit changed; `at` counts from the end when negative."""
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


class ChangedOnTheWay(ClientTestCase):
    """A proxy changes what Koya sends. The client must notice, and says how."""

    SERVER = ProxiedServer

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.author = key("ed25519")
        assert add_key(cls.koya, "acme", cls.author.armor).status == 201
        cls.files = release("1.0.0", cls.author)
        publish(cls.koya, "acme/demo", "1.0.0", cls.files)
        cls.sums = cls.files["terraform-provider-demo_1.0.0_SHA256SUMS"]

    def change(self, *changes):
        self.koya.proxy.changes = list(changes)
        self.addCleanup(setattr, self.koya.proxy, "changes", [])

    def assert_refused(self, *words):
        client = self.client(demo=("acme/demo", "1.0.0"))
        said = client.refuse("init", "-no-color")
        for word in words:
            self.assertRegex(said, word)
        self.assertIsNone(client.locked("acme/demo"))
        self.assertFalse(client.installed("acme/demo", "1.0.0").exists())

    def test_unchanged_it_installs(self):
        client = self.client(demo=("acme/demo", "1.0.0"))
        client.succeed("init", "-no-color")
        self.assertEqual(client.locked("acme/demo")[0], "1.0.0")

    def test_zip(self):
        self.change((r"\.zip$", lambda body: flip(body, len(body) // 2)))
        self.assert_refused(r"archive has incorrect checksum zh:[0-9a-f]{64} \(expected zh:")

    def test_zip_cut_short(self):
        self.change((r"\.zip$", lambda body: body[:-20]))
        self.assert_refused(r"archive has incorrect checksum|not a valid zip file|"
                            r"indicates a package of size \d+, but received a package of size \d+")

    def test_zip_and_the_hash_beside_it(self):
        evil = package({"terraform-provider-demo_v1.0.0": b"#!/bin/sh\necho evil\n"})
        ours = hashlib.sha256(self.files[f"terraform-provider-demo_1.0.0_{PLATFORM}.zip"])

        def metadata(body):
            changed = body.replace(ours.hexdigest().encode(),
                                   hashlib.sha256(evil).hexdigest().encode())
            document = json.loads(changed)
            document.pop("packages", None)
            return json.dumps(document).encode()

        self.change((r"\.zip$", lambda _: evil), (r"/download/linux/", metadata))
        self.assert_refused(r"checksum list has unexpected SHA-256 hash")

    def test_zip_hash_and_sums(self):
        """All but the signature replaced: the signature is what is left to catch it."""
        evil = package({"terraform-provider-demo_v1.0.0": b"#!/bin/sh\necho evil\n"})
        name = f"terraform-provider-demo_1.0.0_{PLATFORM}.zip"
        old, new = (hashlib.sha256(data).hexdigest().encode() for data in (self.files[name], evil))

        def metadata(body):
            document = json.loads(body.replace(old, new))
            document.pop("packages", None)
            return json.dumps(document).encode()

        self.change((r"\.zip$", lambda _: evil), (r"/download/linux/", metadata),
                    (r"SHA256SUMS$", lambda body: body.replace(old, new)))
        self.assert_refused(r"error checking signature|authentication signature")

    def test_sums(self):
        own = hashlib.sha256(self.files[f"terraform-provider-demo_1.0.0_{PLATFORM}.zip"])
        self.change((r"SHA256SUMS$", lambda body: body.replace(
            own.hexdigest().encode(), b"0" * 64)))
        self.assert_refused(r"checksum list has unexpected SHA-256 hash")

    def test_sums_of_another_platform(self):
        """The line that this client needs is as it was, yet the signature no longer fits."""
        other = next(data for name, data in self.files.items()
                     if name.endswith(".zip") and PLATFORM not in name)
        self.change((r"SHA256SUMS$", lambda body: body.replace(
            hashlib.sha256(other).hexdigest().encode(), b"0" * 64)))
        self.assert_refused(r"error checking signature: openpgp")

    def test_sums_without_the_file(self):
        self.change((r"SHA256SUMS$", lambda _: sums_of({"other.zip": b""})))
        self.assert_refused(r"checksum list has no SHA-256 hash for")

    def test_signature(self):
        self.change((r"SHA256SUMS\.sig$", flip))
        self.assert_refused(r"error checking signature: openpgp")

    def test_signature_of_somebody_else(self):
        self.change((r"SHA256SUMS\.sig$", lambda _: key("ed25519", "mallory").sign(self.sums)))
        self.assert_refused(r"authentication signature from unknown issuer")

    def test_signature_gone(self):
        self.change((r"SHA256SUMS\.sig$", lambda _: b""))
        self.assert_refused(r"authentication signature from unknown issuer|signature")

    def test_keys_of_somebody_else(self):
        other = key("ed25519", "mallory").armor

        def metadata(body):
            document = json.loads(body)
            document["signing_keys"]["gpg_public_keys"] = [
                {"key_id": "0" * 16, "ascii_armor": other}]
            return json.dumps(document).encode()

        self.change((r"/download/linux/", metadata))
        self.assert_refused(r"authentication signature from unknown issuer")


if __name__ == "__main__":
    koya_client.main()
