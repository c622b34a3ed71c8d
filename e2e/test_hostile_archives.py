"""Archives that clients' readers see otherwise than most: refused, or unpacked as inspected.

usage: test_hostile_archives.py [--client=terraform|tofu]
"""
import gzip
import io
import tarfile

import koya_client
import koya_hostile
from koya_client import ClientTestCase
from koya_e2e import tar_gz, write_files
from koya_provider import BINARY, SIGNATURE, SUMS, ZIP, Draft, author, signed, versions

FILES = {"main.tf": b'output "who" {\n  value = "inspected"\n}\n',
         "d" * 60 + "/" + "e" * 60 + ".tf": b"# a long name\n", "run.sh": b"#!/bin/sh\n"}


def tar_in(format_, **headers):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=format_, pax_headers=headers) as archive:
        for name, data in FILES.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), 1.5
            member.mode = 0o755 if name.endswith(".sh") else 0o644
            archive.addfile(member, io.BytesIO(data))
    return raw.getvalue()


TAKEN = {
    "plain": tar_gz(FILES),
    "pax": gzip.compress(tar_in(tarfile.PAX_FORMAT)),
    "gnu": gzip.compress(tar_in(tarfile.GNU_FORMAT)),
    "comment": gzip.compress(tar_in(tarfile.PAX_FORMAT, comment="c0ffee")),
    "members": b"".join(gzip.compress(part) for part in (
        tar_in(tarfile.USTAR_FORMAT)[:700], tar_in(tarfile.USTAR_FORMAT)[700:])),
}


class HostileArchives(ClientTestCase):
    def test_modules_that_hide_something_are_refused(self):
        for name, make in koya_hostile.MODULES.items():
            with self.subTest(name):
                got = self.koya.put_module(f"hostile/{name}/aws", "1.0.0", make())
                self.assertEqual(got.status, 422, got)
                listed = self.koya.get(f"/v1/modules/hostile/{name}/aws/versions")
                self.assertEqual(listed.status, 404, listed)

    def test_a_provider_that_hides_a_program_is_refused(self):
        self.namespace("hidden", author())
        files = signed({ZIP: koya_hostile.zip_provider(BINARY)}, author())
        draft = Draft(self.koya, "hidden/demo", "1.0.0")
        for name in (SUMS, SIGNATURE, ZIP):
            draft.put(name, files[name])
        got = draft.commit()
        self.assertEqual(got.status, 422, got)
        self.assertEqual(versions(self.koya, "hidden/demo"), {})

    def test_what_is_not_plain_is_unpacked_as_it_was_inspected(self):
        client = self.client()
        blocks = ""
        for name, archive in TAKEN.items():
            got = self.koya.put_module(f"taken/{name}/aws", "1.0.0", archive)
            self.assertEqual(got.status, 201, got)
            self.assertEqual(got.json()["repacked"], name not in ("plain", "pax"), name)
            # The same bytes again are the same upload, whatever is served of them.
            self.assertEqual(
                self.koya.put_module(f"taken/{name}/aws", "1.0.0", archive).status, 200)
            blocks += (f'module "{name}" {{\n  source  = "{self.koya.address}/taken/{name}/aws"\n'
                       '  version = "1.0.0"\n}\n')
        write_files(client.config, {"main.tf": blocks})
        client.succeed("init", "-no-color")
        for name in TAKEN:
            folder = client.config / ".terraform/modules" / name
            self.assertEqual(koya_client.unpacked(folder), FILES, name)


if __name__ == "__main__":
    koya_client.main()
