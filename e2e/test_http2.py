"""HTTP/2: what curl and a real client get from the running product."""
import json
import os
import shutil
import subprocess
import unittest

import koya_e2e
from koya_e2e import PLAIN_MODULE, tar_gz, wait_until, write_files

ADDRESS = "http2/doc/null"
BIG = os.urandom(3 << 20)  # does not compress


class Http2(koya_e2e.SharedServerTestCase):
    ARGUMENTS = ("--server.http2",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = tar_gz({**PLAIN_MODULE, "big.bin": BIG})
        cls.koya.publish(ADDRESS, "1.0.0", cls.archive)

    def curl(self, path, *arguments, version="--http2"):
        """The body, and what curl says of the answer: "PROTOCOL STATUS"."""
        done = subprocess.run(
            ["curl", "-sS", version, "--cacert", self.koya.data / "dev/ca.pem", "-w",
             "%{stderr}%{http_version} %{http_code}", *arguments,
             f"https://{self.koya.address}{path}"],
            capture_output=True, timeout=60, check=True)
        return done.stdout, done.stderr.decode()

    def test_documents_and_archives(self):
        document, said = self.curl("/.well-known/terraform.json")
        self.assertEqual(said, "2 200")
        self.assertEqual(json.loads(document)["modules.v1"], "/v1/modules/")
        archive = self.koya.archive_path(ADDRESS, "1.0.0")
        self.assertEqual(self.curl(archive), (self.koya.get(archive).body, "2 200"))
        part, said = self.curl(archive, "-H", "Range: bytes=100-199")
        self.assertEqual((part, said), (self.koya.get(archive).body[100:200], "2 206"))
        self.assertEqual(self.curl("/nowhere")[1], "2 404")

    def test_http_1_is_served_as_before(self):
        self.assertEqual(self.curl("/.well-known/terraform.json", version="--http1.1")[1], "1.1 200")

    def test_uploads(self):
        file = self.folder / "module.tar.gz"
        file.write_bytes(self.archive)
        token = "Authorization: Bearer " + self.koya.token
        path = "/api/v1/modules/http2/upload/null/1.0.0"
        upload = ("-T", str(file), "-H", token)
        self.assertEqual(self.curl(path, *upload, "-H", "Expect: 100-continue")[1], "2 201")
        self.assertEqual(self.curl(path, *upload, "-H", "Expect:")[1], "2 200")
        self.assertEqual(self.curl(path, "-T", str(file))[1], "2 401")

    @unittest.skipUnless(shutil.which("terraform") or shutil.which("tofu"), "no client on PATH")
    def test_a_real_client_installs_a_module(self):
        client = shutil.which("terraform") or shutil.which("tofu")
        write_files(self.folder / "use", {
            "main.tf": f'module "m" {{\n  source = "{self.koya.address}/{ADDRESS}"\n'
                       '  version = "1.0.0"\n}\n'})
        environment = koya_e2e.clean_environment(
            SSL_CERT_FILE=str(self.koya.data / "dev/ca.pem"), HOME=str(self.folder))
        done = subprocess.run([client, "init", "-no-color"], cwd=self.folder / "use",
                              env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

        def protocols():
            return {record.get("protocol") for record in self.koya.log_records()
                    if record.get("message") == "request"
                    and record.get("path", "").startswith(f"/v1/modules/{ADDRESS}/")
                    and not record.get("user_agent", "").startswith(koya_e2e.OWN_AGENT)}

        wait_until(lambda: "h2" in protocols(), "the client's request in the log")
        self.assertEqual(protocols(), {"h2"})


if __name__ == "__main__":
    koya_e2e.main()
