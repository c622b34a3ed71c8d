"""Archives that must be refused, over HTTP, against the running product.

Each is 422 with a sentence that names what and where; nothing is stored; the server goes on.
"""
import gzip
import io
import struct
import tarfile
import zipfile

import koya_e2e
from koya_e2e import PLAIN_MODULE, tar_gz, wait_until, zip_of

TF = b'output "x" {\n  value = 1\n}\n'


def tar_of(*members):
    """(name, type, data or link target) …: a .tar.gz of exactly these members."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            if kind == tarfile.REGTYPE:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            else:
                member.linkname = content
                archive.addfile(member)
    return gzip.compress(raw.getvalue(), mtime=0)


def file(name, data=TF):
    return (name, tarfile.REGTYPE, data)


def zip_members(*members, attributes=0):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo("placeholder")
            info.filename = name  # past ZipInfo's own cleaning
            info.create_system = 3
            info.external_attr = attributes << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return raw.getvalue()


def encrypted_zip():
    """A zip whose entry says that it is encrypted."""
    data = bytearray(zip_of(PLAIN_MODULE))
    local, central = data.find(b"PK\3\4"), data.find(b"PK\1\2")
    struct.pack_into("<H", data, local + 6, 1)
    struct.pack_into("<H", data, central + 8, 1)
    return bytes(data)


def gzip_bomb():
    """2 GiB of zeros in one file of a .tar.gz of some 2 MiB, made without holding it."""
    size = 2 << 30
    member = tarfile.TarInfo("zeros.tf")
    member.size = size
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=9, mtime=0) as out:
        out.write(member.tobuf(tarfile.GNU_FORMAT))
        block = bytes(8 << 20)
        for _ in range(size // len(block)):
            out.write(block)
        out.write(bytes(1024))
    return raw.getvalue()


REFUSED = {
    "empty body": (b"", ""),
    "text": (b"hello, world\n" * 50, ""),
    "gzip of text": (gzip.compress(b"hello, world\n" * 50), ""),
    "empty tar": (gzip.compress(bytes(10240)), ""),
    "empty zip": (zip_of({}), ""),
    "no .tf at the root": (tar_gz({"README.md": "x", "examples/a/main.tf": "x"}), ".tf"),
    "no .tf below modules": (tar_gz({"README.md": "x", "modules/a/main.txt": "x"}), "modules"),
    "no .tf at the root of a zip": (zip_of({"README.md": "x", "docs/main.txt": "x"}), ".tf"),
    "truncated tar.gz": (tar_gz({"main.tf": TF * 99})[:-20], ""),
    "truncated inside": (gzip.compress(gzip.decompress(tar_gz({"main.tf": TF * 99}))[:700]), ""),
    "truncated zip": (zip_of({"main.tf": TF * 99})[:-30], ""),
    "absolute path": (tar_of(file("main.tf"), file("/etc/cron.d/x")), "/etc/cron.d/x"),
    "absolute path in a zip": (zip_members(("main.tf", TF), ("/etc/x", b"")), "/etc/x"),
    "dot-dot": (tar_of(file("main.tf"), file("../x.tf")), "../x.tf"),
    "dot-dot within": (tar_of(file("main.tf"), file("a/../../x.tf")), "a/../../x.tf"),
    "dot-dot in a zip": (zip_members(("main.tf", TF), ("a/../../x", b"")), "a/../../x"),
    "backslash": (tar_of(file("main.tf"), file("a\\b.tf")), "b.tf"),
    "backslash in a zip": (zip_members(("main.tf", TF), ("..\\b.tf", b"")), "b.tf"),
    "symlink": (tar_of(file("main.tf"), ("l.tf", tarfile.SYMTYPE, "main.tf")),
                "koya publish module"),
    "symlink in a zip": (zip_members(("main.tf", b"/etc/passwd"), attributes=0o120777), "main.tf"),
    "hard link": (tar_of(file("main.tf"), ("h.tf", tarfile.LNKTYPE, "main.tf")), "h.tf"),
    "device": (tar_of(file("main.tf"), ("null", tarfile.CHRTYPE, "")), "null"),
    "fifo": (tar_of(file("main.tf"), ("pipe", tarfile.FIFOTYPE, "")), "pipe"),
    "duplicate": (tar_of(file("main.tf"), file("a.tf"), file("a.tf", b"# 2\n")), "a.tf"),
    "duplicate in a zip": (zip_members(("main.tf", TF), ("a.tf", b""), ("a.tf", b"#")), "a.tf"),
    "differ in case": (tar_of(file("main.tf"), file("Main.tf")), "Main.tf"),
    "differ in case in a zip": (zip_members(("main.tf", TF), ("MAIN.tf", TF)), "MAIN.tf"),
    "encrypted zip": (encrypted_zip(), "encrypted"),
    "zip after other bytes": (b"#!/bin/sh\n" + zip_of(PLAIN_MODULE), ""),
    "too many entries": (tar_of(file("main.tf"), *(file(f"f{i}", b"") for i in range(50_001))),
                         "50"),
}


class BadArchives(koya_e2e.SharedServerTestCase):
    def stored_files(self):
        return sorted(path for path in (self.koya.data / "blobs").rglob("*") if path.is_file())

    def assert_refused(self, archive, word):
        before = self.stored_files()
        answer = self.koya.put_module("bad/archive/null", "1.0.0", archive, timeout=120)
        self.assertEqual(answer.status, 422, answer)
        sentence = answer.errors()
        self.assertGreater(len(sentence), 20, sentence)
        self.assertIn(word, sentence)
        self.assertEqual(self.koya.get("/v1/modules/bad/archive/null/versions").status, 404)
        # Its file is removed by another thread than the one that answers.
        wait_until(lambda: self.stored_files() == before, "a refused upload leaves nothing behind")

    def test_refused(self):
        for name, (archive, word) in REFUSED.items():
            with self.subTest(name):
                self.assert_refused(archive, word)

    def test_bomb_is_refused_early(self):
        bomb = gzip_bomb()
        mark = self.koya.log_mark()
        self.assert_refused(bomb, "")
        self.koya.log_mark()
        record = next(record for record in self.koya.log_records()[mark:]
                      if record.get("method") == "PUT")
        # Unpacking all of it takes several seconds; refusing it takes some milliseconds.
        self.assertLess(record["duration_us"], 3_000_000)

    def test_accepted_beside_them(self):
        for number, archive in enumerate((
            tar_of(file("./main.tf"), ("./sub", tarfile.DIRTYPE, ""), file("./sub/a.tf")),
            tar_gz({"main.tf.json": "{}"}),
            tar_gz({"main.tofu": ""}),
            zip_members(("main.tf", TF), ("sub/", b""), ("sub/ä.tf", b"")),
            tar_gz({"main.tf": TF, "n" * 150 + "/" + "m" * 90 + ".tf": TF}),
        )):
            answer = self.koya.put_module("good/archive/null", f"1.0.{number}", archive)
            self.assertEqual(answer.status, 201, answer)
            self.koya.download("good/archive/null", f"1.0.{number}")

    def test_wrapped_modules_are_repacked_the_same_way_each_time(self):
        files = {"main.tf": TF, "modules/a/main.tf": TF}
        digests = set()
        for version, archive in (("1.0.0", tar_gz(files, "vpc-1.0.0")),
                                 ("1.0.1", zip_of(files, "terraform-aws-vpc"))):
            published = self.koya.publish("good/wrapped/null", version, archive)
            served = self.koya.download("good/wrapped/null", version)
            self.assertEqual(koya_e2e.names_in(served), ["main.tf", "modules/a/main.tf"])
            self.assertEqual(published["size"], len(served))
            digests.add(published["digest"])
            again = self.koya.put_module("good/wrapped/null", version, archive)
            self.assertEqual(again.status, 200, "known by the uploaded bytes")
        self.assertEqual(len(digests), 1, "one content, one digest")


if __name__ == "__main__":
    koya_e2e.main()
