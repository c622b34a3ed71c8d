"""The command line as people and scripts use it: statuses, words, and JSON that is only JSON."""
import json
import os
import shutil
import stat
import subprocess

import koya_e2e
from koya_e2e import PLAIN_MODULE, StartFailed, tar_gz, wait_until, write_files, zip_of


class CommandLine(koya_e2e.TestCase):
    """What needs no server."""

    def test_exit_status_of_usage_errors_is_2(self):
        for arguments in ([], ["frobnicate"], ["publish"], ["publish", "module"],
                          ["publish", "module", "."], ["list", "modules", "--no-such-flag"],
                          ["serve", "--listen"], ["token", "create"],
                          ["token", "create", "x", "--scope", "root"]):
            with self.subTest(arguments):
                run = koya_e2e.cli(*arguments)
                self.assertEqual(run.returncode, 2, run)
                self.assertTrue(run.stderr.strip(), "says what was wrong")
                self.assertEqual(run.stdout, "")

    def test_help_and_version_go_to_stdout(self):
        for arguments in (["--help"], ["version"], ["serve", "--help"], ["publish", "--help"]):
            run = koya_e2e.cli(*arguments)
            self.assertEqual((run.returncode, run.stderr), (0, ""), arguments)
            self.assertTrue(run.stdout.strip())
        self.assertIn("version", json.loads(koya_e2e.cli("version", "--json").stdout))

    def test_a_wrong_command_names_the_nearest(self):
        self.assertIn("publish", koya_e2e.cli("pubilsh").stderr)

    def test_completion_scripts_are_valid(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell):
                run = koya_e2e.cli("completion", shell)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn("publish", run.stdout)
                if shutil.which(shell):
                    check = subprocess.run([shell, "-n"], input=run.stdout, text=True,
                                           capture_output=True)
                    self.assertEqual(check.returncode, 0, check.stderr)
        self.assertEqual(koya_e2e.cli("completion", "csh").returncode, 2)

    def test_no_server_there(self):
        run = koya_e2e.cli("list", "modules", "--server", "https://127.0.0.1:1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("127.0.0.1:1", run.stderr)
        run = koya_e2e.cli("list", "modules")
        self.assertIn(run.returncode, (1, 2))
        self.assertIn("KOYA_URL", run.stderr)


class AgainstAServer(koya_e2e.SharedServerTestCase):
    """What people do with a running server."""

    def succeed(self, *arguments, **more):
        run = self.koya.cli(*arguments, **more)
        self.assertEqual(run.returncode, 0, f"{arguments}: {run.stdout}{run.stderr}")
        return run.stdout

    def refuse(self, *arguments, **more):
        run = self.koya.cli(*arguments, **more)
        self.assertEqual(run.returncode, 1, f"{arguments}: {run.stdout}{run.stderr}")
        self.assertEqual(run.stdout, "", "what failed has no result to print")
        return run.stderr

    def module(self, name="module", **files):
        return write_files(self.folder / name, {**PLAIN_MODULE, **files})

    def test_publish_show_list(self):
        printed = json.loads(self.succeed("publish", "module", self.module(),
                                          "cli/first/null", "1.0.0", "--json"))
        self.assertEqual((printed["address"], printed["version"]), ("cli/first/null", "1.0.0"))
        archive = self.koya.download("cli/first/null", "1.0.0")
        self.assertEqual(printed["size"], len(archive))
        self.assertEqual(koya_e2e.names_in(archive), ["main.tf"])

        self.succeed("publish", "module", self.module(), "cli/first/null", "1.1.0-rc.1")
        listed = self.succeed("list", "modules")
        self.assertIn("cli/first/null", listed)
        self.assertIn("cli/first/null", json.dumps(json.loads(
            self.succeed("list", "modules", "--json"))))
        shown = self.succeed("show", "module", "cli/first/null")
        self.assertIn("1.0.0", shown)
        self.assertIn("1.1.0-rc.1", shown)
        one = json.loads(self.succeed("show", "module", "cli/first/null", "1.0.0", "--json"))
        self.assertEqual(one["version"], "1.0.0")
        self.assertIn("9.0.0", self.refuse("show", "module", "cli/first/null", "9.0.0"))
        self.assertIn("cli/nothing/null", self.refuse("show", "module", "cli/nothing/null"))

    def test_the_same_folder_is_the_same_bytes(self):
        first = self.module("first", **{"b.tf": "", "sub/a.tf": "", ".terraform/x": "junk"})
        second = self.module("second", **{"sub/a.tf": "", "b.tf": "", ".git/config": "junk"})
        os.utime(second / "main.tf", (1, 1))
        os.chmod(second / "main.tf", 0o600)
        self.succeed("publish", "module", first, "cli/same/null", "1.0.0")
        self.succeed("publish", "module", second, "cli/same/null", "1.0.0")
        write_files(second, {"b.tf": "# other\n"})
        words = self.refuse("publish", "module", second, "cli/same/null", "1.0.0")
        self.assertIn("1.0.0", words)
        self.assertRegex(words, r"never changes|other bytes|another version|higher version")

    def test_terraformignore(self):
        folder = self.module(**{
            ".terraformignore": "secret.txt\nbuild/\n!build/keep.tf\n*.bak\n",
            "secret.txt": "s", "build/out.o": "o", "a.bak": "b", "docs/readme.md": "r",
            ".terraform/providers/big": "x", ".git/HEAD": "x", "terraform.tfvars": "",
        })
        self.succeed("publish", "module", folder, "cli/ignore/null", "1.0.0")
        names = koya_e2e.names_in(self.koya.download("cli/ignore/null", "1.0.0"))
        self.assertIn("docs/readme.md", names)
        for name in ("secret.txt", "build/out.o", "a.bak", ".terraform/providers/big", ".git/HEAD"):
            self.assertNotIn(name, names)

    def test_folders_that_are_refused(self):
        empty = self.folder / "empty"
        empty.mkdir()
        words = self.refuse("publish", "module", empty, "cli/bad/null", "1.0.0")
        self.assertIn(".tf", words)
        linked = self.module("linked")
        os.symlink("/etc/passwd", linked / "passwd.tf")
        words = self.refuse("publish", "module", linked, "cli/bad/null", "1.0.0")
        self.assertIn("passwd.tf", words)
        words = self.refuse("publish", "module", self.folder / "nowhere", "cli/bad/null", "1.0.0")
        self.assertIn("nowhere", words)

    def test_addresses_and_versions_that_are_refused(self):
        folder = self.module()
        for address, version, word in (
            ("cli/bad", "1.0.0", "cli/bad"), ("cli/bad/AWS", "1.0.0", "AWS"),
            ("cli/-bad/null", "1.0.0", "-bad"), ("cli/" + "n" * 65 + "/null", "1.0.0", "64"),
            ("cli/bad/null", "v1.0.0", "1.0.0"), ("cli/bad/null", "1.0", "1.0"),
            ("cli/bad/null", "01.0.0", "01"), ("cli/bad/null", "0.0.0", "0.0.0"),
            ("cli/bad/null", "1.0.0-" + "a" * 130, "128"),
        ):
            with self.subTest(f"{address} {version}"):
                run = self.koya.cli("publish", "module", folder, address, version)
                self.assertIn(run.returncode, (1, 2))
                self.assertIn(word, run.stderr)

    def test_build_metadata(self):
        folder = self.module()
        self.succeed("publish", "module", folder, "cli/build/null", "1.0.0+a")
        for version in ("1.0.0", "1.0.0+b"):
            self.assertIn("build metadata",
                          self.refuse("publish", "module", folder, "cli/build/null", version))

    def test_archives_and_files_that_are_no_archives(self):
        (self.folder / "m.zip").write_bytes(zip_of(PLAIN_MODULE))
        (self.folder / "m.tgz").write_bytes(tar_gz(PLAIN_MODULE))
        (self.folder / "cut.tar.gz").write_bytes(tar_gz(PLAIN_MODULE)[:-9])
        (self.folder / "text.zip").write_text("hello")
        self.succeed("publish", "module", self.folder / "m.zip", "cli/kind/null", "1.0.0")
        self.succeed("publish", "module", self.folder / "m.tgz", "cli/kind/null", "2.0.0")
        self.assertTrue(self.koya.archive_path("cli/kind/null", "1.0.0").endswith(".zip"))
        self.assertTrue(self.koya.archive_path("cli/kind/null", "2.0.0").endswith(".tar.gz"))
        for name in ("cut.tar.gz", "text.zip"):
            self.refuse("publish", "module", self.folder / name, "cli/kind/null", "3.0.0")

    def test_token_scopes(self):
        folder = self.module()

        def token(name, *more):
            made = json.loads(self.succeed("token", "create", name, "--json", *more))
            self.assertRegex(made["token"], r"^koya_[0-9A-Za-z_-]{43,}$")
            self.assertEqual(made["name"], name)
            return made["token"]

        def publish(secret, address, version="1.0.0"):
            return self.koya.cli("publish", "module", folder, address, version,
                                 environment={"KOYA_TOKEN": secret})

        read = token("reader", "--scope", "read")
        write = token("writer", "--scope", "publish", "--namespace", "cli-*")
        self.assertEqual(publish(write, "cli-a/scoped/null").returncode, 0)
        for secret, address, word in ((read, "cli-a/scoped/null", "publish"),
                                      (write, "other/scoped/null", "other")):
            run = publish(secret, address, "2.0.0")
            self.assertEqual(run.returncode, 1)
            self.assertIn(word, run.stderr)
        for secret, status in ((read, 403), ("koya_no", 401)):
            answer = self.koya.put_module("cli-a/x/null", "1.0.0", b"", token=secret)
            self.assertEqual(answer.status, status)
        answer = self.koya.request("PUT", "/api/v1/modules/cli-a/x/null/1.0.0", b"")
        self.assertEqual(answer.status, 401)
        self.assertIn("WWW-Authenticate", answer.headers)
        answer = self.koya.request("DELETE", "/api/v1/modules/cli-a/scoped/null/1.0.0",
                                   b'{"reason":"x"}', token=write)
        self.assertEqual(answer.status, 403)

        listed = self.succeed("token", "list", "--json")
        self.assertIn("writer", listed)
        for secret in (read, write, self.koya.token):
            self.assertNotIn(secret, listed)
        self.refuse("token", "create", "writer", "--scope", "read")
        self.succeed("token", "revoke", "writer")
        answer = self.koya.put_module("cli-a/y/null", "1.0.0", b"", token=write)
        self.assertEqual(answer.status, 401)
        self.refuse("token", "revoke", "writer")

    def test_token_rotate(self):
        def put(secret):
            return self.koya.put_module("cli-r/x/null", "1.0.0", b"", token=secret).status

        old = json.loads(self.succeed("token", "create", "turning", "--scope", "publish",
                                      "--expires", "30d", "--json"))
        self.assertNotEqual(put(old["token"]), 401)
        new = json.loads(self.succeed("token", "rotate", "turning", "--json"))
        self.assertNotEqual(new["token"], old["token"])
        self.assertEqual((new["name"], new["scope"]), ("turning", "publish"))
        self.assertEqual(put(old["token"]), 401)
        self.assertNotEqual(put(new["token"]), 401)
        printed = self.succeed("token", "rotate", "turning", "--expires", "1d").strip()
        self.assertRegex(printed, r"^koya_\S+$")
        self.assertNotEqual(put(printed), 401)
        self.assertIn("CREATED BY", self.succeed("token", "list"))
        self.assertIn("nobody", self.refuse("token", "rotate", "nobody"))
        slip = self.koya.cli("token", "list", environment={"KOYA_TOKEN": printed[:-1]})
        self.assertIn("not copied completely", slip.stderr)

    def test_expired_token_says_expired(self):
        made = json.loads(self.succeed("token", "create", "brief", "--scope", "publish",
                                       "--expires", "1s", "--json"))
        self.assertTrue(made["expires"])

        def refused():
            answer = self.koya.put_module("cli/brief/null", "1.0.0", b"x", token=made["token"])
            return answer if answer.status == 401 else None

        self.assertIn("expired", wait_until(refused, "the token expires").errors())

    def test_withdraw(self):
        folder = self.module()
        self.succeed("publish", "module", folder, "cli/gone/null", "1.0.0")
        self.succeed("withdraw", "cli/gone/null", "1.0.0", "--reason", "leaks a key", "--yes")
        words = self.refuse("publish", "module", folder, "cli/gone/null", "1.0.0")
        self.assertIn("withdrawn", words)
        gone = self.koya.get("/v1/modules/cli/gone/null/1.0.0/download")
        self.assertEqual(gone.status, 410)
        self.assertIn("leaks a key", str(gone.errors()))
        self.assertEqual(self.koya.get("/v1/modules/cli/gone/null/versions").status, 404)
        self.succeed("restore", "cli/gone/null", "1.0.0", "--reason", "it leaks nothing")
        self.assertLess(self.koya.get("/v1/modules/cli/gone/null/1.0.0/download").status, 300)

    def test_flags_beat_environment_and_credentials_of_the_clients_are_used(self):
        folder = self.module()
        words = self.refuse("publish", "module", folder, "cli/cred/null", "1.0.0",
                          environment={"KOYA_TOKEN": ""})
        self.assertIn("token", words)
        self.succeed("publish", "module", folder, "cli/cred/null", "1.0.0",
                     "--token", self.koya.token, environment={"KOYA_TOKEN": "koya_wrong"})
        ca = {"SSL_CERT_FILE": str(self.koya.data / "dev/ca.pem")}
        run = koya_e2e.cli("publish", "module", folder, "cli/cred/null", "1.0.0",
                           "--server", self.koya.url,
                           environment={**ca, f"TF_TOKEN_127_0_0_1:{self.koya.port}":
                                        self.koya.token})
        self.assertEqual(run.returncode, 0, run.stderr)
        write_files(self.folder / "home/.terraform.d", {"credentials.tfrc.json": json.dumps(
            {"credentials": {self.koya.address: {"token": self.koya.token}}})})
        run = koya_e2e.cli("publish", "module", folder, "cli/cred/null", "2.0.0",
                           "--server", self.koya.url, environment=ca, home=self.folder / "home")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_untrusted_certificate_is_named(self):
        run = koya_e2e.cli("list", "modules", "--server", self.koya.url)
        self.assertEqual(run.returncode, 1)
        self.assertIn("SSL_CERT_FILE", run.stderr)

    def test_doctor(self):
        healthy = self.koya.cli("doctor", self.koya.url)
        self.assertEqual(healthy.returncode, 0, healthy.stdout + healthy.stderr)
        json.loads(self.succeed("doctor", self.koya.url, "--json"))
        for url in ("https://127.0.0.1:1", "https://no-such-host.invalid"):
            self.assertEqual(self.koya.cli("doctor", url).returncode, 1)
        untrusted = koya_e2e.cli("doctor", self.koya.url)
        self.assertEqual(untrusted.returncode, 1)
        self.assertIn("certificate", untrusted.stdout + untrusted.stderr)


class StartingTheServer(koya_e2e.TestCase):
    def refused(self, *arguments, name="data", **more):
        with self.assertRaises(StartFailed) as caught:
            self.server(*arguments, name=name, **more)
        return caught.exception

    def test_dev_files(self):
        koya = self.server()
        dev = koya.data / "dev"
        self.assertEqual(stat.S_IMODE((dev / "admin.token").stat().st_mode), 0o600)
        variables = koya.dev_environment
        self.assertEqual(variables["KOYA_URL"], koya.url)
        self.assertEqual(variables["KOYA_TOKEN"], koya.token)
        self.assertTrue(os.path.isabs(variables["SSL_CERT_FILE"]))
        self.assertTrue(variables["KOYA_METRICS"])
        self.assertTrue((dev / "client.tfrc").exists())
        for host in ("127.0.0.1", "localhost", "::1"):
            ends = subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{koya.port}", "-CAfile",
                 str(dev / "ca.pem"), "-verify_return_error",
                 "-verify_ip" if host != "localhost" else "-verify_hostname", host],
                input="", capture_output=True, text=True, timeout=20)
            self.assertEqual(ends.returncode, 0, ends.stderr)

    def test_a_restart_keeps_everything(self):
        koya = self.server()
        token, ca = koya.token, (koya.data / "dev/ca.pem").read_bytes()
        koya.publish("acme/kept/null", "1.0.0", tar_gz(PLAIN_MODULE))
        koya.stop()
        koya.start()
        self.assertEqual((koya.token, (koya.data / "dev/ca.pem").read_bytes()), (token, ca))
        koya.download("acme/kept/null", "1.0.0")
        koya.publish("acme/kept/null", "1.1.0", tar_gz(PLAIN_MODULE))

    def test_a_second_server_on_the_same_folder_is_refused(self):
        first = self.server()
        refusal = self.refused()
        self.assertEqual(refusal.status, 1)
        self.assertIn("lock", refusal.output)
        self.assertIn(str(first.data), refusal.output)
        first.publish("acme/still/null", "1.0.0", tar_gz(PLAIN_MODULE))

    def test_a_taken_port_is_named(self):
        first = self.server()
        refusal = self.refused(name="other", listen=f"127.0.0.1:{first.port}")
        self.assertEqual(refusal.status, 1)
        self.assertIn(str(first.port), refusal.output)

    def test_a_damaged_catalog_is_left_alone(self):
        koya = self.server()
        koya.publish("acme/kept/null", "1.0.0", tar_gz(PLAIN_MODULE))
        koya.stop()
        catalogs = [path for path in koya.data.rglob("*")
                    if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3"]
        self.assertEqual(len(catalogs), 1, catalogs)
        whole = catalogs[0].read_bytes()
        for damage in (b"\0" * 100 + whole[100:], whole[: len(whole) // 2],
                       b"not a database\n" * 99, whole[:1024] + b"\xa5" * 3072 + whole[4096:]):
            with self.subTest(damage[:20]):
                catalogs[0].write_bytes(damage)
                refusal = self.refused()
                self.assertEqual(refusal.status, 1)
                self.assertIn(catalogs[0].name, refusal.output)
                self.assertEqual(catalogs[0].read_bytes(), damage)
        catalogs[0].write_bytes(whole)
        koya.start()
        koya.download("acme/kept/null", "1.0.0")

    def test_settings(self):
        config = self.folder / "koya.toml"
        for text, word in (("[server]\nlistn = 'x'\n", "listen"),
                           ("limts.module_bytes = 1\n", "limits"),
                           ("[limits]\nmodule_bytes = 'lots'\n", "module_bytes"),
                           ("[limits\n", "koya.toml")):
            with self.subTest(text):
                config.write_text(text)
                refusal = self.refused("--config", str(config))
                self.assertIn(refusal.status, (1, 2))
                self.assertIn(word, refusal.output)
        missing = self.refused("--config", str(self.folder / "no/koya.toml"))
        self.assertIn("no/koya.toml", missing.output)

        config.write_text("[limits]\nmodule_bytes = '7MiB'\nmodule_unpacked_bytes = '9MiB'\n")
        run = koya_e2e.cli("config", "show", "--sources", "--config", config,
                           environment={"KOYA_LIMITS_MODULE_BYTES": "8MiB"})
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = {line.split()[0]: line for line in run.stdout.splitlines() if line.strip()}
        self.assertIn("KOYA_LIMITS_MODULE_BYTES", lines["limits.module_bytes"])
        self.assertIn("8", lines["limits.module_bytes"])
        self.assertIn("koya.toml", lines["limits.module_unpacked_bytes"])
        self.assertIn("default", lines["limits.archive_ratio"])

    def test_without_tls_a_server_says_what_it_needs(self):
        refusal = self.refused(dev=False)
        self.assertIn(refusal.status, (1, 2))
        for word in ("tls.certificate", "--dev", "--insecure-http"):
            self.assertIn(word, refusal.output)

    def test_insecure_http_behind_a_proxy(self):
        koya = self.server("--insecure-http", "--url", "https://registry.example.com", dev=False)
        self.assertEqual(koya.url, "https://registry.example.com")

    def make_certificate(self, name):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", str(self.folder / "key.pem"),
             "-out", str(self.folder / "certificate.pem")], check=True, capture_output=True)

    def test_own_certificate_is_taken_up_when_it_changes(self):
        self.make_certificate("first")
        config = write_files(self.folder, {"koya.toml": (
            f"[tls]\ncertificate = '{self.folder}/certificate.pem'\n"
            f"key = '{self.folder}/key.pem'\n")}) / "koya.toml"
        koya = self.server("--config", str(config), dev=False)

        def served():
            ends = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{koya.port}"],
                                  input="", capture_output=True, text=True, timeout=20)
            return ends.stdout

        self.assertIn("CN = first", served())
        self.make_certificate("second")
        wait_until(lambda: "CN = second" in served(), "the new certificate is served")
        # A damaged one is not taken up: the server goes on with what it has, and says so.
        (self.folder / "certificate.pem").write_text("nonsense")
        wait_until(lambda: "certificate" in koya.log_tail(1500).lower()
                   and '"level":"' in koya.log_tail(1500), "the log tells of it")
        self.assertIn("CN = second", served())


if __name__ == "__main__":
    koya_e2e.main()
