"""Attestations and SBOMs: `koya publish --attach` for modules and providers, and what is served."""
import base64
import contextlib
import hashlib
import json
import subprocess
import urllib.parse

import koya_e2e
from koya_e2e import wait_until
from koya_provider import SUMS, ZIP, Draft, PublishTestCase, download, good, write_dist

SPDX = json.dumps({"spdxVersion": "SPDX-2.3", "name": "größe"}).encode()
MOST = 32


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def statement(*files):
    return json.dumps({
        "_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1",
        "subject": [{"name": "x", "digest": {"sha256": sha256(each)}} for each in files]}).encode()


def envelope(*files):
    return {"payloadType": "application/vnd.in-toto+json", "signatures": [{"sig": "eA=="}],
            "payload": base64.b64encode(statement(*files)).decode()}


def bundle(*files):
    return json.dumps({"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
                       "verificationMaterial": {}, "dsseEnvelope": envelope(*files)}).encode()


def signature(data):
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return json.dumps({"messageSignature": {
        "messageDigest": {"algorithm": "SHA2_256", "digest": digest}, "signature": "eA=="}}).encode()


def subjects(attachment):
    """The SHA-256 digests that an attestation names, as a verifier reads them."""
    document = json.loads(attachment)
    if "messageSignature" in document:
        digest = document["messageSignature"]["messageDigest"]["digest"]
        return {base64.b64decode(digest).hex()}
    payload = json.loads(base64.b64decode(document["dsseEnvelope"]["payload"]))
    return {each["digest"]["sha256"] for each in payload["subject"]}


class Attachments(PublishTestCase):
    def attach(self, address, name, data, kind="modules", version="1.0.0", token=None):
        path = f"/api/v1/{kind}/{address}/{version}/attachments/{urllib.parse.quote(name)}"
        return self.koya.request("PUT", path, data, token=token or self.koya.token)

    def fetch(self, entry, **more):
        parts = urllib.parse.urlsplit(entry["url"])
        return self.koya.get(parts.path + ("?" + parts.query if parts.query else ""), **more)

    def check_served(self, listed, files):
        """Each of `files` is listed and served byte for byte."""
        self.assertEqual([each["name"] for each in listed], sorted(files))
        for entry in listed:
            data = files[entry["name"]]
            self.assertEqual((entry["sha256"], entry["size"]), (sha256(data), len(data)))
            answer = self.fetch(entry)
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(answer.body, data)
            self.assertEqual(answer.headers["ETag"], f'"{sha256(data)}"')
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(answer.headers["Content-Type"], "application/x-ndjson"
                             if entry["name"].endswith("l") else "application/json")
            again = self.fetch(entry, headers={"If-None-Match": answer.headers["ETag"]})
            self.assertEqual(again.status, 304)

    def run_koya(self, *arguments, status=0):
        run = self.koya.cli(*arguments)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def write(self, files):
        self.folder.mkdir(exist_ok=True)
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        return [argument for name in files for argument in ("--attach", self.folder / name)]

    def test_of_a_module(self):
        archive = koya_e2e.tar_gz(koya_e2e.PLAIN_MODULE)
        (self.folder / "vpc.tar.gz").write_bytes(archive)
        files = {"vpc.tar.gz.sigstore.json": bundle(b"other", archive), "vpc.spdx.json": SPDX,
                 "vpc.intoto.jsonl": json.dumps(envelope(archive)).encode() + b"\n"}
        command = ("publish", "module", self.folder / "vpc.tar.gz", "attach/vpc/aws", "1.0.0")
        run = self.run_koya(*command, *self.write(files))
        self.assertIn("Attached vpc.spdx.json", run.stdout)
        details = self.koya.get("/v1/modules/attach/vpc/aws/1.0.0").json()
        self.check_served(details["attachments"], files)
        bundled = next(each for each in details["attachments"] if "sigstore" in each["name"])
        self.assertIn(sha256(self.koya.download("attach/vpc/aws", "1.0.0")),
                      subjects(self.fetch(bundled).body))
        shown = self.run_koya("show", "module", "attach/vpc/aws", "1.0.0")
        self.assertIn("vpc.tar.gz.sigstore.json", shown.stdout)
        shown = self.run_koya("show", "module", "attach/vpc/aws", "1.0.0", "--json")
        self.assertEqual(json.loads(shown.stdout)["attachments"], details["attachments"])
        again = self.run_koya(*command, *self.write(files))
        self.assertIn("Already attached: vpc.spdx.json", again.stdout)
        run = self.run_koya(*command, *self.write({"vpc.spdx.json": SPDX + b" "}), status=1)
        self.assertIn("attach/vpc/aws 1.0.0 is published, but vpc.spdx.json", run.stderr)
        self.assertIn("attachments never change", run.stderr)

    def test_an_archive_as_the_guide_makes_it_is_served_as_it_was_attested(self):
        koya_e2e.write_files(self.folder / "vpc", {**koya_e2e.PLAIN_MODULE, "modules/a/main.tf": "# a\n"})
        file = self.folder / "made.tar.gz"
        subprocess.run(["tar", "--format=posix", "-czf", file, "-C", self.folder / "vpc", "."], check=True)
        archive = file.read_bytes()
        self.run_koya("publish", "module", file, "attach/made/aws", "1.0.0",
                      *self.write({"made.tar.gz.sigstore.json": bundle(archive)}))
        self.assertEqual(self.koya.download("attach/made/aws", "1.0.0"), archive)

    def test_of_a_provider(self):
        address = self.namespace("attach") + "/demo"
        files = good()
        found = {f"{ZIP}.sigstore.json": bundle(files[ZIP]), "demo.cdx.json":
                 b'{"bomFormat": "CycloneDX"}', f"{SUMS}.sigstore.json": signature(files[SUMS])}
        given = {"multiple.intoto.jsonl": statement(files[ZIP]) + b"\n"}
        dist = self.folder / "dist"
        write_dist(dist, files | found)
        attach = self.write(given)
        checked = self.run_koya("publish", "provider", dist, address, "--dry-run", *attach)
        self.assertIn("Can be published", checked.stdout)
        self.assert_nothing_there(address)
        self.run_koya("publish", "provider", dist, address, *attach)
        listed = self.koya.get(f"/v1/providers/{address}/1.0.0").json()["attachments"]
        self.check_served(listed, found | given)
        self.assertEqual(download(self.koya, address, "1.0.0", "linux_amd64")["attachments"], listed)
        self.assertIn(sha256(files[ZIP]), subjects(found[f"{ZIP}.sigstore.json"]))
        self.assertIn("demo.cdx.json", self.run_koya("show", "provider", address).stdout)
        later = self.run_koya("publish", "provider", dist, address, *self.write({"late.spdx.json": SPDX}))
        self.assertIn("Attached late.spdx.json", later.stdout)
        self.check_served(self.koya.get(f"/v1/providers/{address}/1.0.0").json()["attachments"],
                          found | given | {"late.spdx.json": SPDX})

    def test_the_commit_reports_all_that_is_wrong(self):
        address = self.namespace("wrong") + "/demo"
        draft = self.filled(address, good() | {
            "a.sigstore.json": bundle(b"of another release"), "b.spdx.json": b"<html>sign in</html>",
            "c.cdx.json": SPDX})
        names = ["a.sigstore.json", "b.spdx.json", "c.cdx.json", "missing.spdx.json", "notes.txt"]
        problems = self.commit_problems(draft, attachments=names)
        for words in ("a.sigstore.json names no file of this version", "b.spdx.json is not valid JSON",
                      "c.cdx.json is no CycloneDX document", "missing.spdx.json, which was not",
                      '"notes.txt" does not'):
            self.assertTrue(any(words in each for each in problems), (words, problems))
        self.assert_nothing_there(address)
        unnamed = self.commit_problems(draft)
        self.assertEqual(len(unnamed), 3, unnamed)

    def put_100_megabytes(self, path, sent):
        """Announces them, and sends the first; more would be cut off while it is under way."""
        with contextlib.closing(self.koya.socket()) as raw:
            raw.sendall(f"PUT {path} HTTP/1.1\r\nHost: {self.koya.address}\r\n"
                        f"Authorization: Bearer {self.koya.token}\r\n"
                        f"Content-Length: {100 << 20}\r\n\r\n".encode() + b" " * sent)
            return koya_e2e.read_answer(raw)

    def test_too_large_and_too_many(self):
        address = self.namespace("much") + "/demo"
        self.koya.publish("much/vpc/aws", "1.0.0", koya_e2e.tar_gz(koya_e2e.PLAIN_MODULE))
        draft = Draft(self.koya, address, "1.0.0")
        for path, sent in (("/api/v1/modules/much/vpc/aws/1.0.0/attachments/a.spdx.json", 0),
                           (f"{draft.release_path}/drafts/{draft.id}/files/a.spdx.json", 17 << 20)):
            answer = self.put_100_megabytes(path, sent)
            self.assertEqual(answer.status, 413, answer)
            self.assertRegex(answer.errors(), r"16(\.0)? ?MiB")
        cut = b'{"spdxVersion": "SPDX-2.3", "x": "' + b"x" * (1 << 20)
        self.assertEqual(self.attach("much/vpc/aws", "a.spdx.json", cut).status, 422)
        nested = b'{"spdxVersion":"SPDX-2.3","x":' + b"[" * (1 << 20) + b"]" * (1 << 20) + b"}"
        self.assertEqual(self.attach("much/vpc/aws", "a.spdx.json", nested).status, 422)
        for number in range(MOST):
            self.assertEqual(self.attach("much/vpc/aws", f"{number}.spdx.json", SPDX).status, 201)
        answer = self.attach("much/vpc/aws", "more.spdx.json", SPDX)
        self.assertEqual(answer.status, 422, answer)
        self.assertIn("has 32 attachments", answer.errors())
        many = {f"{number}.spdx.json": SPDX for number in range(MOST + 1)}
        problems = self.commit_problems(self.filled(address, good() | many), attachments=list(many))
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("has 33 attachments", problems[0])

    def test_a_missing_one_is_found_and_comes_back_with_the_same_upload(self):
        self.koya.publish("lost/vpc/aws", "1.0.0", koya_e2e.tar_gz(koya_e2e.PLAIN_MODULE))
        sbom = SPDX + b"\n"
        self.assertEqual(self.attach("lost/vpc/aws", "a.spdx.json", sbom).status, 201)
        digest = sha256(sbom)
        blob = self.koya.data / "blobs/sha256" / digest[:2] / digest[2:]
        blob.unlink()
        run = self.run_koya("verify", status=1)
        self.assertIn("lost/vpc/aws 1.0.0", run.stdout + run.stderr)
        self.assertIn("upload the same attachment again", run.stdout + run.stderr)
        path = "/api/v1/modules/lost/vpc/aws/1.0.0/attachments/a.spdx.json"
        self.assertEqual(self.koya.get(path).status, 500)
        self.assertEqual(self.attach("lost/vpc/aws", "a.spdx.json", sbom).status, 200)
        self.assertEqual(blob.read_bytes(), sbom)
        self.assertEqual(self.koya.get(path).body, sbom)
        self.run_koya("verify")

    def test_of_a_private_namespace(self):
        address = self.namespace("hidden") + "/demo"
        files = good()
        draft = self.filled(address, files | {"a.spdx.json": SPDX})
        self.assertEqual(draft.commit(attachments=["a.spdx.json"]).status, 201)
        answer = self.koya.request("PUT", "/api/v1/namespaces/hidden", '{"visibility": "private"}',
                                   token=self.koya.token)
        self.assertEqual(answer.status, 200, answer)
        path = f"/api/v1/providers/{address}/1.0.0/attachments/a.spdx.json"
        wait_until(lambda: self.koya.get(path).status == 404, "strangers see nothing")
        document = self.koya.get(f"/v1/providers/{address}/1.0.0/download/linux/amd64",
                                 token=self.koya.token).json()
        entry, = document["attachments"]
        self.assertIn("sig=", entry["url"])
        self.assertEqual(self.fetch(entry).body, SPDX)
        withdrawn = self.koya.request("DELETE", f"/api/v1/providers/{address}/1.0.0",
                                      '{"reason": "leaks"}', token=self.koya.token)
        self.assertEqual(withdrawn.status, 204, withdrawn)
        wait_until(lambda: self.fetch(entry).status == 410, "it is withdrawn with its release")


if __name__ == "__main__":
    koya_e2e.main()
