"""Releases of providers that must not get in, over HTTP: each with exactly its problems told."""
import io
import os
import stat
import tarfile
import warnings
import zipfile

import koya_e2e
import koya_provider
from koya_provider import (BINARY, MANIFEST, SIGNATURE, STEM, SUMS, TWO, ZIP, Draft,
                           PublishTestCase, author, changed, good, key, manifest, member, package,
                           publish, release, signed, signed_by, unsigned, versions)
from koya_e2e import wait_until


def resigned(change):
    """A release whose SHA256SUMS was changed and then signed, so that only the change is wrong."""
    files = good()
    files[SUMS] = change(files[SUMS])
    files[SIGNATURE] = author().sign(files[SUMS])
    return files


def lines(change):
    """`change` is given the list of lines of SHA256SUMS, and returns one."""
    return resigned(lambda sums: b"".join(change(sums.splitlines(keepends=True))))


def packed(*entries):
    """A release of one zip with exactly these (name, data, mode)."""
    raw = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(raw, "w") as archive:
        warnings.simplefilter("ignore")  # zipfile warns of names that come twice
        for name, data, *mode in entries:
            entry = member(name)
            if mode:
                entry.external_attr = mode[0] << 16
            archive.writestr(entry, data)
    return one_zip(raw.getvalue())


def one_zip(data, name=ZIP):
    return signed({name: data}, author())


def named(name):
    """A release with one more file, which SHA256SUMS lists."""
    zips = unsigned("1.0.0", platforms=TWO)
    return {**signed({**zips, name: zips[ZIP]}, author())}


def with_manifest(data):
    return signed({**unsigned("1.0.0", platforms=TWO), MANIFEST: data}, author())


def encrypted():
    data = bytearray(package({BINARY: b"x"}))
    data[data.find(b"PK\3\4") + 6] |= 1
    data[data.find(b"PK\1\2") + 8] |= 1
    return bytes(data)


def tar_gz():
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo(BINARY), io.BytesIO())
    return raw.getvalue()


BIN = (BINARY, b"#!/bin/sh\n")

# name: (files, body of the commit, words of each problem). The problems are exactly these.
REFUSED = {
    # SHA256SUMS
    "a blank line": (lambda: lines(lambda all: [all[0], b"\n", all[1]]), {}, ["line 2 is blank"]),
    "a blank line at the end": (lambda: lines(lambda all: [*all, b"\n"]), {}, ["line 3 is blank"]),
    "blanks in a line": (lambda: lines(lambda all: [*all, b"  \n"]), {}, ["line 3 is blank"]),
    "a star before the name": (
        lambda: lines(lambda all: [all[0].replace(b"  ", b" *"), all[1]]), {}, ['line 1 has "*"']),
    "one space": (lambda: lines(lambda all: [all[0].replace(b"  ", b" "), all[1]]), {},
                  ["line 1 does not have exactly two spaces"]),
    "a tab": (lambda: lines(lambda all: [all[0].replace(b"  ", b"\t"), all[1]]), {},
              ["line 1 does not have exactly two spaces"]),
    "upper-case digits": (
        lambda: lines(lambda all: [all[0][:64].upper() + all[0][64:], all[1]]), {},
        ["upper-case digits"]),
    "CR LF": (lambda: resigned(lambda sums: sums.replace(b"\n", b"\r\n")), {},
              ["line 1 ends with CR LF", "line 2 ends with CR LF"]),
    "a short digest": (lambda: lines(lambda all: [all[0][1:], all[1]]), {},
                       ["line 1 begins with 63"]),
    "no line feed at the end": (lambda: resigned(lambda sums: sums[:-1]), {},
                                ["does not end with a line feed"]),
    "a byte-order mark": (lambda: resigned(lambda sums: b"\xef\xbb\xbf" + sums), {},
                          ["byte-order mark"]),
    "an empty SHA256SUMS": (lambda: resigned(lambda _: b""), {},
                            ["the document is empty", "darwin_arm64.zip was uploaded, but",
                             "linux_amd64.zip was uploaded, but"]),
    "a name twice": (lambda: lines(lambda all: [*all, all[0]]), {}, ["line 3 names"]),
    "a name with a folder": (
        lambda: lines(lambda all: [*all, b"0" * 64 + b"  dist/x.zip\n"]), {},
        ["line 3 names a file in a folder"]),
    "a name with a blank": (lambda: lines(lambda all: [*all, b"0" * 64 + b"  a b.txt\n"]), {},
                            ["line 3 has white space"]),
    "no SHA256SUMS": (lambda: changed(sums=None), {}, [f"{SUMS} is missing"]),
    # packages against SHA256SUMS
    "a listed zip is missing": (lambda: changed(zip=None), {},
                                [f"lists {ZIP}, which was not uploaded"]),
    "a zip is not listed": (
        lambda: good() | {f"{STEM}_linux_arm64.zip": package({BINARY: b"x"})}, {},
        [f"{STEM}_linux_arm64.zip was uploaded, but"]),
    "a zip is another": (lambda: changed(zip=package({BINARY: b"other"})), {},
                         [f"{ZIP} is not the file that"]),
    "no package at all": (
        lambda: {SUMS: b"0" * 64 + b"  x.txt\n", SIGNATURE: author().sign(
            b"0" * 64 + b"  x.txt\n")}, {}, ["the release has no package"]),
    "nothing uploaded": (lambda: {}, {}, ["the release has no package", f"{SUMS} is missing",
                                          f"{SIGNATURE} is missing"]),
    # file names
    "another version": (lambda: named("terraform-provider-demo_2.0.0_linux_arm64.zip"), {},
                        ['it is of the version "2.0.0"']),
    "a v before the version": (lambda: named("terraform-provider-demo_v1.0.0_linux_arm64.zip"), {},
                               ['leave out the "v"']),
    "another type": (lambda: named("terraform-provider-other_1.0.0_linux_arm64.zip"), {},
                     ['it is of the provider type "other"']),
    "an unknown architecture": (lambda: named(f"{STEM}_linux_x86_64.zip"), {},
                                ['did you mean "amd64"']),
    "an unknown system": (lambda: named(f"{STEM}_macos_arm64.zip"), {},
                          ['did you mean "darwin"']),
    "no platform": (lambda: named(f"{STEM}.zip"), {}, ["its name ends before a platform"]),
    "a universal package": (lambda: named(f"{STEM}_darwin_all.zip"), {},
                            ["once for each, as darwin_amd64"]),
    "a tar.gz": (lambda: named(f"{STEM}_linux_arm64.tar.gz"), {},
                 ["clients take packages as .zip only"]),
    "a file of something else": (lambda: good() | {"checksums.txt": b"x"}, {},
                                 ['file "checksums.txt" does not belong to acme']),
    # the signature
    "no signature": (lambda: changed(signature=None), {}, [f"{SIGNATURE} is missing"]),
    "a signature of other bytes": (lambda: changed(signature=author().sign(b"other")), {},
                                   ["is not one of these"]),
    "an unregistered key": (lambda: signed_by(key("ed25519", "stranger")), {},
                            [key("ed25519", "stranger").key_id]),
    "several signers, none registered": (
        lambda: signed_by(key("ed25519", "stranger"), others=(key("nistp256", "stranger"),)), {},
        [key("ed25519", "stranger").key_id, key("nistp256", "stranger").key_id]),
    "SHA-1": (lambda: signed_by(key("rsa2048", "weak"), "--digest-algo", "SHA1"), {}, ["SHA1"]),
    "a clear-signed text": (lambda: changed(signature=koya_provider.gpg(
        "--local-user", author().fingerprint, "--clear-sign", home=author().home,
        stdin=good()[SUMS])), {}, [SIGNATURE]),
    "a signature that is none": (lambda: changed(signature=b"not a signature at all\n"), {},
                                 [SIGNATURE]),
    "an empty signature": (lambda: changed(signature=b""), {}, [SIGNATURE]),
    "two signature files": (
        lambda: good() | {f"{SUMS}.asc": author().sign(good()[SUMS], "--armor")}, {},
        ["leave one of them out"]),
    # packages by themselves
    "no binary": (lambda: packed(("README.md", b"x")), {}, ["terraform-provider-demo"]),
    "a binary of another provider": (
        lambda: packed(("terraform-provider-other_v1.0.0", b"x")), {}, ["terraform-provider-demo"]),
    "the binary in a folder": (lambda: packed((f"bin/{BINARY}", b"x")), {}, [BINARY]),
    "two binaries": (lambda: packed(BIN, ("terraform-provider-demo_v1.0.1", b"x")), {},
                     ["terraform-provider-demo_v1.0.1"]),
    "an entry for a folder": (lambda: packed(("docs/", b""), BIN, ("docs/a.md", b"x")), {},
                              ["docs/"]),
    "a name twice in a zip": (lambda: packed(BIN, ("LICENSE", b"1"), ("LICENSE", b"2")), {},
                              ["LICENSE"]),
    "names that differ in case": (lambda: packed(BIN, ("LICENSE", b"1"), ("license", b"2")), {},
                                  ["license"]),
    "a symbolic link": (lambda: packed(BIN, ("link", b"/etc/passwd", stat.S_IFLNK | 0o777)), {},
                        ["link"]),
    "a way out": (lambda: packed(BIN, ("../evil", b"x")), {}, ["../evil"]),
    "a way out further in": (lambda: packed(BIN, ("a/../../evil", b"x")), {}, ["a/../../evil"]),
    "an absolute name": (lambda: packed(BIN, ("/etc/cron.d/x", b"x")), {}, ["/etc/cron.d/x"]),
    "a backslash": (lambda: packed(BIN, ("..\\evil", b"x")), {}, ["evil"]),
    "an encrypted zip": (lambda: one_zip(encrypted()), {}, ["encrypted"]),
    "text instead of a zip": (lambda: one_zip(b"hello, world\n" * 50), {}, [ZIP]),
    "an empty file": (lambda: one_zip(b""), {}, [ZIP]),
    "a zip without entries": (lambda: one_zip(package({})), {}, [ZIP]),
    "a tar.gz called zip": (lambda: one_zip(tar_gz()), {}, [ZIP]),
    "a zip cut short": (lambda: one_zip(package({BINARY: os.urandom(9000)})[:-30]), {}, [ZIP]),
    "a zip behind other bytes": (lambda: one_zip(b"#!/bin/sh\n" + package({BINARY: b"x"})), {},
                                 [ZIP]),
    "a bomb": (lambda: one_zip(package({BINARY: bytes(300 << 20)})), {}, [ZIP]),
    # protocol versions
    "a protocol without a minor number": (good, {"protocols": ["5"]}, ['"5" is not a protocol']),
    "a protocol of letters": (good, {"protocols": ["5.x"]}, ['"5.x" is not a protocol']),
    "a protocol with a zero before it": (good, {"protocols": ["05.0"]}, ['"05.0" is not']),
    "a manifest that is not JSON": (lambda: with_manifest(b"{"), {}, [MANIFEST]),
    "a manifest of another kind": (
        lambda: with_manifest(b'{"version": 2, "metadata": {"protocol_versions": ["5.0"]}}'), {},
        [MANIFEST]),
    "a manifest with a bad protocol": (lambda: with_manifest(manifest("six")), {},
                                       ['"six" is not a protocol']),
    "a manifest that says otherwise": (lambda: with_manifest(manifest("6.0")),
                                       {"protocols": ["5.0"]}, ["the commit says 5.0"]),
    "the manifest that GoReleaser lists, but leaves elsewhere": (
        lambda: {name: data for name, data in good(protocols=("6.0",)).items()
                 if name != MANIFEST}, {}, [f"lists {MANIFEST}, which"]),
    "a manifest that is not listed": (lambda: good() | {MANIFEST: manifest("6.0")}, {},
                                      [f"{MANIFEST} was uploaded, but"]),
    # what the server was asked to make
    "sums where the server makes them": (
        lambda: changed(signature=None), {"sign": True}, [f"{SUMS} was uploaded"]),
    "sums and signature likewise": (
        good, {"sign": True}, [f"{SUMS} was uploaded", f"{SIGNATURE} was uploaded"]),
}


class Refusals(PublishTestCase):
    def setUp(self):
        super().setUp()
        self.namespace("acme", author(), key("rsa2048", "weak"))

    def test_every_refusal(self):
        for name, (make, body, words) in REFUSED.items():
            with self.subTest(name):
                draft = self.filled("acme/demo", make())
                problems = self.commit_problems(draft, **body)
                told = "\n".join(problems)
                self.assertEqual(len(problems), len(words), told)
                for word in words:
                    self.assertTrue(any(word in problem for problem in problems),
                                    f"{word!r} is not in:\n{told}")
                for problem in problems:
                    self.assertGreater(len(problem), 30, "says what, where, and how to mend it")
                self.assert_nothing_there("acme/demo")
                self.assertEqual(draft.show().status, 200, "the draft stays, to be mended")
                self.assertEqual(draft.abandon().status, 204)

    def test_folder_entries_are_told_with_the_way_to_build_without(self):
        draft = self.filled("acme/demo", packed(("docs/", b""), BIN, ("docs/a.md", b"x")))
        self.assertIn("zip -D", "".join(self.commit_problems(draft)))

    def test_all_problems_at_once(self):
        files = good()
        del files[f"{STEM}_darwin_arm64.zip"]                      # listed, missing
        files[ZIP] = packed(("docs/", b""), ("README.md", b""))[ZIP]  # changed; two more problems
        files[f"{STEM}_linux_arm64.zip"] = package({BINARY: b"x"})   # not listed
        files[f"{STEM}_linux_x86_64.zip"] = package({BINARY: b"x"})  # no such platform; not listed
        files[MANIFEST] = manifest("six")                            # bad, and not listed
        files[SUMS] += b"\n"                                         # blank line
        files[SIGNATURE] = key("ed25519", "stranger").sign(files[SUMS])
        problems = self.commit_problems(self.filled("acme/demo", files))
        for word in ("darwin_arm64.zip, which was not uploaded", f"{ZIP} is not the file", "docs/",
                     "terraform-provider-demo", "linux_arm64.zip was uploaded, but",
                     'did you mean "amd64"', "linux_x86_64.zip was uploaded, but",
                     '"six" is not a protocol', f"{MANIFEST} was uploaded, but",
                     "line 3 is blank", key("ed25519", "stranger").key_id):
            self.assertTrue(any(word in problem for problem in problems), f"{word}: {problems}")
        self.assertGreaterEqual(len(problems), 11)
        self.assertEqual(len(problems), len(set(problems)), "nothing is told twice")
        self.assert_nothing_there("acme/demo")

    def test_the_draft_can_be_mended_and_committed(self):
        namespace = self.namespace("mended")
        files = good()
        draft = self.filled(f"{namespace}/demo", files | {ZIP: b"not a zip", "x.txt": b""})
        self.assertEqual(len(self.commit_problems(draft)), 3)
        listed = {each["name"]: each for each in draft.show().json()["files"]}
        self.assertTrue(listed[ZIP]["problems"])
        # A file that does not belong there cannot be taken out of a draft: a new one is opened.
        draft = self.filled(f"{namespace}/demo", files | {ZIP: b"not a zip"})
        self.commit_problems(draft)
        self.assertEqual(draft.put(ZIP, files[ZIP]).status, 200)
        listed = {each["name"]: each for each in draft.show().json()["files"]}
        self.assertEqual(listed[ZIP]["problems"], [])
        self.assertEqual(draft.commit().status, 201)

    def test_a_namespace_without_keys(self):
        draft = self.filled("keyless/demo", good())
        problems = self.commit_problems(draft)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("koya key add keyless", problems[0])

    def test_a_key_that_expired_since_it_was_added(self):
        brief = key("ed25519", "brief", expires="seconds=2")
        namespace = self.namespace("expiring", brief)
        files = release("1.0.0", brief, platforms=TWO)

        def expired():
            keys = self.koya.get(f"/api/v1/namespaces/{namespace}/keys",
                                 {"Authorization": f"Bearer {self.koya.token}"}).json()["keys"]
            return keys[0]["expired"]

        wait_until(expired, "the key expires")
        problems = self.commit_problems(self.filled(f"{namespace}/demo", files))
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("expired", problems[0])
        self.assertIn(brief.key_id, problems[0])

    def test_names_and_versions_that_no_draft_is_opened_for(self):
        for address, version, word in (
            ("acme/demo", "v1.0.0", "1.0.0"), ("acme/demo", "1.0", "1.0"),
            ("acme/demo", "01.0.0", "01"), ("acme/demo", "1.0.0-01", "01"),
            ("acme/demo", "0.0.0", "0.0.0"), ("acme/demo", "latest", "latest"),
            ("acme/demo", f"{2**63}.0.0", str(2**63)), ("acme/demo", f"1.{2**64}.0", str(2**64)),
            ("acme/demo", "1.0.0-" + "a" * 130, "128"),
            ("acme/terraform-provider-demo", "1.0.0", "write acme/demo"),
            ("acme/terraform-demo", "1.0.0", "write acme/demo"),
            ("acme/opentofu-provider-demo", "1.0.0", "write acme/demo"),
            ("builtin/demo", "1.0.0", "reserved"), ("search/demo", "1.0.0", "reserved"),
            ("acme/de_mo", "1.0.0", '"_"'), ("acme/de--mo", "1.0.0", '"--"'),
            ("acme/-demo", "1.0.0", "-demo"), ("acme/de.mo", "1.0.0", '"."'),
            ("xn--mnchen-3ya/demo", "1.0.0", "punycode"), ("acme/" + "d" * 64, "1.0.0", "63"),
            ("acme/de%20mo", "1.0.0", "letters, digits"),
        ):
            with self.subTest(f"{address} {version}"):
                answer = self.koya.request("POST", f"/api/v1/providers/{address}/{version}/drafts",
                                           "", token=self.koya.token)
                self.assertEqual(answer.status, 400, answer)
                self.assertIn(word, answer.errors())

    def test_the_largest_version_number(self):
        version = f"{2**63 - 1}.0.0"
        publish(self.koya, "acme/largest", version,
                release(version, author(), platforms=TWO, type_name="largest"))
        self.assertIn(version, versions(self.koya, "acme/largest"))

    def test_file_names_that_no_file_may_have(self):
        draft = Draft(self.koya, "acme/demo", "1.0.0")
        for name in ("%0A", "a%01b", "..%2Fx", "a%5Cb", "n" * 256, "%FF.zip"):
            with self.subTest(name):
                answer = draft.put(name, b"x")
                self.assertEqual(answer.status, 400, answer)
        self.assertEqual(draft.show().json()["files"], [])

    def test_bodies_of_commits_that_are_no_commits(self):
        draft = self.filled("acme/demo", good())
        for body in ("{", "[]", '"sign"', '{"sign": "yes"}', '{"protocols": "5.0"}', "x" * 100_000):
            with self.subTest(body[:20]):
                answer = draft.call("POST", f"/drafts/{draft.id}/commit", body)
                self.assertIn(answer.status, (400, 413), answer)
                answer.errors()
        self.assert_nothing_there("acme/demo")

    def test_files_larger_than_they_may_be(self):
        draft = Draft(self.koya, "acme/demo", "1.0.0")
        answer = draft.put(SUMS, b"x" * ((1 << 20) + 1))
        self.assertEqual(answer.status, 413, answer)
        self.assertEqual(draft.show().json()["files"], [])


if __name__ == "__main__":
    koya_e2e.main()
