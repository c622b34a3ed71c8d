"""Publishing providers, over HTTP and with the command line: drafts, races, cut-off uploads."""
import concurrent.futures
import contextlib
import hashlib
import json
import os
import sqlite3
import subprocess
import zipfile

import kill9
import koya_e2e
import koya_provider
from koya_proxy import ProxiedServer
from koya_provider import (BINARY, MANIFEST, SIGNATURE, STEM, SUMS, TWO, ZIP, Draft,
                           PublishTestCase, add_key, author, download, good, key, member, package,
                           publish, release, signed, sums_of, unsigned, versions, write_dist)
from koya_e2e import wait_until, write_files


class Drafts(PublishTestCase):
    def test_abandoned_at_each_step(self):
        address = self.namespace("steps") + "/demo"
        files = good()
        names = sorted(files)
        for count in range(len(names) + 1):
            with self.subTest(f"after {count} files"):
                draft = self.filled(address, {name: files[name] for name in names[:count]})
                self.assertEqual([each["name"] for each in draft.show().json()["files"]],
                                 names[:count])
                self.assert_nothing_there(address)
                if count in (1, 2):
                    self.commit_problems(draft)
                self.assertEqual(draft.abandon().status, 204)
                for answer in (draft.show(), draft.put(ZIP, b""), draft.commit(), draft.abandon()):
                    self.assertEqual(answer.status, 404, answer)
                    self.assertIn("no such open draft", answer.errors())
                self.assert_nothing_there(address)
        publish(self.koya, address, "1.0.0", files)
        self.assertEqual(versions(self.koya, address), {"1.0.0": sorted(TWO)})

    def test_an_upload_that_breaks_off_leaves_nothing(self):
        draft = Draft(self.koya, "broken/demo", "1.0.0")
        whole = good()[ZIP]
        self.assertEqual(draft.put(ZIP, whole).status, 200)
        before = draft.show().json()["files"]
        with contextlib.closing(self.koya.socket()) as raw:
            raw.sendall(f"PUT {draft.release_path}/drafts/{draft.id}/files/{ZIP} HTTP/1.1\r\n"
                        f"Host: {self.koya.address}\r\nAuthorization: Bearer {self.koya.token}\r\n"
                        "Content-Length: 1000000\r\n\r\n".encode() + whole * 50)
            wait_until(lambda: kill9.left_over(self.koya), "the upload has begun")
        wait_until(lambda: not kill9.left_over(self.koya), "what had arrived is thrown away")
        self.assertEqual(draft.show().json()["files"], before, "the file before it stays")

    def test_a_draft_shows_what_is_there(self):
        address = self.namespace("shown") + "/demo"
        files = good()
        draft = self.filled(address, {ZIP: files[ZIP]})
        shown = draft.show().json()
        self.assertEqual((shown["id"], shown["address"], shown["version"]),
                         (draft.id, address, "1.0.0"))
        self.assertEqual(shown["files"], [{
            "name": ZIP, "digest": "sha256:" + hashlib.sha256(files[ZIP]).hexdigest(),
            "size": len(files[ZIP]), "problems": []}])
        listed = draft.call("GET", "/drafts").json()["drafts"]
        self.assertEqual([each["id"] for each in listed], [draft.id])
        other = Draft(self.koya, address, "2.0.0")
        self.assertEqual(other.call("GET", f"/drafts/{draft.id}").status, 404,
                         "a draft belongs to one version")

    def test_an_upload_that_sums_do_not_name(self):
        address = self.namespace("unnamed") + "/demo"
        extra = f"{STEM}_freebsd_amd64.zip"
        draft = self.filled(address, good() | {extra: package({BINARY: b"x"})})
        problems = self.commit_problems(draft)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(f"{extra} was uploaded, but {SUMS} does not list it", problems[0])

    def test_files_that_sums_name_beside_the_packages(self):
        """A bill of materials, say: clients ask for their own package only."""
        address = self.namespace("listed") + "/demo"
        zips = unsigned("1.0.0", platforms=TWO)
        publish(self.koya, address, "1.0.0", signed(
            zips, author(), more_sums=sums_of({f"{STEM}_sbom.json": b"{}"})))
        self.assertIn("1.0.0", versions(self.koya, address))

    def test_protocols_stand_in_for_a_manifest_that_is_listed_but_missing(self):
        address = self.namespace("stand-in") + "/demo"
        files = good(protocols=("6.0",))
        del files[MANIFEST]
        published = publish(self.koya, address, "1.0.0", files, protocols=["6.0"])
        self.assertEqual(published["protocols"], ["6.0"])

    def test_uploads_in_parallel_in_any_order(self):
        address = self.namespace("parallel") + "/demo"
        platforms = tuple(f"{system}_{arch}" for system in ("linux", "darwin", "windows", "freebsd")
                          for arch in ("amd64", "arm64", "386", "arm"))
        files = release("1.0.0", author(), platforms=platforms, protocols=("6.0", "5.0"))
        draft = Draft(self.koya, address, "1.0.0")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda item: draft.put(*item), reversed(files.items())))
        self.assertEqual({answer.status for answer in answers}, {200})
        published = draft.commit()
        self.assertEqual(published.status, 201, published)
        document = published.json()
        self.assertEqual(document["protocols"], ["5.0", "6.0"])
        self.assertEqual([each["platform"] for each in document["packages"]], sorted(platforms))
        self.assertEqual(versions(self.koya, address), {"1.0.0": sorted(platforms)})
        self.assertEqual(document["key_fingerprint"], author().fingerprint)

    def race(self, drafts, **body):
        with concurrent.futures.ThreadPoolExecutor(len(drafts)) as pool:
            return sorted(answer.status for answer in pool.map(
                lambda draft: draft.commit(**body), drafts))

    def test_commits_that_race(self):
        namespace = self.namespace("race")
        for number in range(10):
            address = f"{namespace}/demo"
            version = f"1.{number}.0"
            same = release(version, author(), platforms=TWO)
            other = release(version, author(), platforms=TWO, padding=b"# other\n")
            drafts = [self.filled(address, files, version) for files in (same, other)]
            self.assertEqual(self.race(drafts), [201, 409])
            winner = download(self.koya, address, version, "linux_amd64")["shasum"]
            zips = [hashlib.sha256(files[winner_name]).hexdigest() for files in (same, other)
                    for winner_name in files if winner_name.endswith("linux_amd64.zip")]
            self.assertIn(winner, zips)

            version = f"2.{number}.0"
            same = release(version, author(), platforms=TWO)
            drafts = [self.filled(address, same, version) for _ in range(2)]
            self.assertEqual(self.race(drafts), [200, 201])
        self.assertEqual(len(versions(self.koya, address)), 20)

    def publish_at_once(self, address, folders):
        with concurrent.futures.ThreadPoolExecutor(len(folders)) as pool:
            return list(pool.map(lambda dist: self.koya.cli("publish", "provider", dist, address), folders))

    def test_of_publishers_with_different_files_one_is_told_success(self):
        address = f"{self.namespace('publishers')}/demo"
        for number in range(4):
            version = f"1.{number}.0"
            releases = [release(version, author(), platforms=TWO, padding=b"# %d\n" % n) for n in range(6)]
            folders = [write_dist(self.folder / f"{version}-{n}", files) for n, files in enumerate(releases)]
            runs = self.publish_at_once(address, folders)
            winners = [files for files, run in zip(releases, runs) if run.returncode == 0]
            self.assertEqual(len(winners), 1, [run.stdout + run.stderr for run in runs])
            (package,) = (data for name, data in winners[0].items() if name.endswith("linux_amd64.zip"))
            self.assertEqual(download(self.koya, address, version, "linux_amd64")["shasum"],
                             hashlib.sha256(package).hexdigest())
            for run in runs:
                if run.returncode:
                    self.assertRegex(run.stderr, "already published with other content|already published with other files")
            listed = self.koya.request("GET", f"/api/v1/providers/{address}/{version}/drafts", "",
                                       token=self.koya.token)
            self.assertEqual(listed.json()["drafts"], [], "nothing is left of those who lost")

    def test_publishers_with_the_same_files_all_succeed(self):
        address = f"{self.namespace('same')}/demo"
        for number in range(3):
            version = f"1.{number}.0"
            files = release(version, author(), platforms=TWO)
            dist = write_dist(self.folder / f"same-{version}", files)
            for run in self.publish_at_once(address, [dist] * 6):
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_first_signatures_that_race_make_one_key(self):
        drafts = [self.filled("signrace/demo", unsigned(f"1.{n}.0", platforms=TWO), f"1.{n}.0")
                  for n in range(4)]
        self.assertEqual(self.race(drafts, sign=True), [201] * 4)
        fingerprints = {download(self.koya, "signrace/demo", f"1.{n}.0", "linux_amd64")
                        ["signing_keys"]["gpg_public_keys"][0]["key_id"] for n in range(4)}
        self.assertEqual(len(fingerprints), 1)

    def test_publishing_again(self):
        address = self.namespace("again") + "/demo"
        files = good()
        publish(self.koya, address, "1.0.0", files)
        self.assertEqual(self.filled(address, files).commit().status, 200)
        answer = self.filled(address, good(padding=b"# other\n")).commit()
        self.assertEqual(answer.status, 409, answer)
        self.assertIn("never changes", answer.errors())
        publish(self.koya, address, "1.0.1+a", release("1.0.1+a", author(), platforms=TWO))
        for version in ("1.0.1", "1.0.1+b"):
            answer = self.koya.request("POST", f"/api/v1/providers/{address}/{version}/drafts", "",
                                       token=self.koya.token)
            self.assertEqual(answer.status, 409, answer)
            self.assertIn("build metadata", answer.errors())

    def test_withdrawn_is_for_good(self):
        address = self.namespace("withdrawn") + "/demo"
        files = good()
        publish(self.koya, address, "1.0.0", files)
        path = f"/api/v1/providers/{address}/1.0.0"
        for body in ("", "{}", '{"reason": ""}'):
            answer = self.koya.request("DELETE", path, body, token=self.koya.token)
            self.assertEqual(answer.status, 400, answer)
        answer = self.koya.request("DELETE", path, '{"reason": "wipes disks"}',
                                   token=self.koya.token)
        self.assertEqual(answer.status, 204, answer)
        self.assert_nothing_there(address, status=410)
        self.assertEqual(self.koya.get(f"/v1/providers/{address}/versions").status, 404)
        answer = self.koya.request("POST", f"{path}/drafts", "", token=self.koya.token)
        self.assertEqual(answer.status, 409, answer)
        self.assertIn("withdrawn (wipes disks)", answer.errors())

    def test_deprecation(self):
        address = self.namespace("deprecated") + "/demo"
        publish(self.koya, address, "1.0.0", good())

        def deprecate(message, version="1.0.0"):
            return self.koya.request("PUT", f"/api/v1/providers/{address}/{version}/deprecation",
                                     json.dumps({"message": message}), token=self.koya.token)

        def warnings_shown():
            return self.koya.get(f"/v1/providers/{address}/versions").json().get("warnings")

        self.assertFalse(warnings_shown())
        self.assertEqual(deprecate("use 2.0.0").status, 204)
        self.assertEqual(len(warnings_shown()), 1)
        self.assertIn("use 2.0.0", warnings_shown()[0])
        self.assertIn("1.0.0", warnings_shown()[0])
        for bad in ("two\nlines", "x" * 1001):
            self.assertEqual(deprecate(bad).status, 400)
        self.assertEqual(deprecate("x", "9.0.0").status, 404)
        self.assertEqual(deprecate("").status, 204)
        self.assertFalse(warnings_shown())


class CommandLine(PublishTestCase):
    def succeed(self, *arguments, **more):
        run = self.koya.cli(*arguments, **more)
        self.assertEqual(run.returncode, 0, f"{arguments}: {run.stdout}{run.stderr}")
        return run.stdout

    def refuse(self, *arguments, status=1, **more):
        run = self.koya.cli(*arguments, **more)
        self.assertEqual(run.returncode, status, f"{arguments}: {run.stdout}{run.stderr}")
        self.assertEqual(run.stdout, "", "what failed has no result to print")
        return run.stderr

    def dist(self, files=None, name="dist"):
        return write_dist(self.folder / name, files or good())

    def armor(self, made, name="key.asc"):
        path = self.folder / name
        path.write_text(made.armor)
        return path

    def test_key_commands(self):
        made, second = author(), key("nistp256")
        printed = json.loads(self.succeed("key", "add", "cli-keys", self.armor(made), "--json"))
        self.assertEqual(printed["keys"][0]["fingerprint"], made.fingerprint)
        self.assertIn(second.key_id, self.succeed("key", "add", "cli-keys", self.armor(second)))
        listed = self.succeed("key", "list", "cli-keys")
        for word in (made.key_id, second.key_id, "Ed25519", "P-256", "author@example.com"):
            self.assertIn(word, listed)
        self.assertEqual(len(json.loads(self.succeed("key", "list", "cli-keys", "--json"))["keys"]),
                         2)
        exported = self.succeed("key", "export", "cli-keys", made.key_id)
        self.assertIn("BEGIN PGP PUBLIC KEY BLOCK", exported)
        self.succeed("key", "remove", "cli-keys", made.key_id)
        self.assertIn(made.key_id, self.refuse("key", "remove", "cli-keys", made.key_id))
        secret = self.folder / "secret.asc"
        secret.write_text(made.secret)
        words = self.refuse("key", "add", "cli-keys", secret)
        self.assertIn("secret", words.lower())
        self.assertIn("none.asc", self.refuse("key", "add", "cli-keys", self.folder / "none.asc"))
        self.succeed("key", "rotate", "cli-keys")

    def test_publish_show_list(self):
        namespace = self.namespace("cli")
        files = good(protocols=("6.0",))
        printed = json.loads(self.succeed("publish", "provider", self.dist(files), "cli/demo",
                                          "--json"))
        self.assertEqual((printed["address"], printed["version"], printed["protocols"]),
                         (f"{namespace}/demo", "1.0.0", ["6.0"]))
        words = self.succeed("publish", "provider", self.dist(files), "cli/demo", "1.0.0")
        self.assertRegex(words, r"(?i)already published")
        self.assertIn("cli/demo", self.succeed("list", "providers"))
        self.assertIn("cli/demo", json.dumps(json.loads(
            self.succeed("list", "providers", "--json"))))
        shown = self.succeed("show", "provider", "cli/demo")
        for word in ("1.0.0", "linux_amd64", "darwin_arm64"):
            self.assertIn(word, shown)
        one = json.loads(self.succeed("show", "provider", "cli/demo", "1.0.0", "--json"))
        self.assertEqual(one["version"], "1.0.0")
        self.assertIn("9.0.0", self.refuse("show", "provider", "cli/demo", "9.0.0"))
        self.assertIn("cli/nothing", self.refuse("show", "provider", "cli/nothing"))

    def test_a_manifest_is_found_where_goreleaser_leaves_it(self):
        self.namespace("cli-project")
        files = good(protocols=("6.0",))
        write_files(self.folder, {"terraform-registry-manifest.json": files.pop(MANIFEST)})
        printed = json.loads(self.succeed("publish", "provider", self.dist(files),
                                          "cli-project/demo", "--json"))
        self.assertEqual(printed["protocols"], ["6.0"])

    def test_the_printed_block_names_the_source(self):
        self.namespace("cli-block")
        words = self.succeed("publish", "provider", self.dist(), "cli-block/demo")
        self.assertIn(f'source  = "{self.koya.address}/cli-block/demo"', words)

    def test_all_problems_are_printed(self):
        self.namespace("cli-bad")
        files = good()
        files[ZIP] = package({"docs/": b"", BINARY: b"x"})
        files[SIGNATURE] = key("ed25519", "stranger").sign(files[SUMS])
        words = self.refuse("publish", "provider", self.dist(files), "cli-bad/demo")
        for word in (f"{ZIP} is not the file", "zip -D", key("ed25519", "stranger").key_id):
            self.assertIn(word, words)
        self.assert_nothing_there("cli-bad/demo")

    def test_folders_that_are_refused(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn("terraform-provider-demo", self.refuse(
            "publish", "provider", empty, "cli/demo"))
        self.assertIn("nowhere", self.refuse(
            "publish", "provider", self.folder / "nowhere", "cli/demo"))
        words = self.refuse("publish", "provider", self.dist(), "cli/other")
        self.assertIn("terraform-provider-other", words)
        words = self.refuse("publish", "provider", self.dist(), "cli/demo", "2.0.0")
        self.assertIn("2.0.0", words)
        both = self.dist(good() | release("2.0.0", author(), platforms=TWO), "both")
        words = self.refuse("publish", "provider", both, "cli/demo")
        for word in ("1.0.0", "2.0.0"):
            self.assertIn(word, words)

    def test_usage(self):
        for arguments in (["publish", "provider"], ["publish", "provider", "dist"],
                          ["key"], ["key", "add", "acme"], ["deprecate", "acme/demo"],
                          ["publish", "provider", "dist", "acme/demo", "1.0.0", "more"]):
            with self.subTest(arguments):
                self.refuse(*arguments, status=2)

    def test_deprecate_and_withdraw(self):
        self.namespace("cli-end")
        self.succeed("publish", "provider", self.dist(), "cli-end/demo")
        self.succeed("deprecate", "cli-end/demo", "1.0.0", "--message", "use 2.0.0")
        self.assertIn("use 2.0.0", self.succeed("show", "provider", "cli-end/demo", "1.0.0"))
        self.succeed("withdraw", "cli-end/demo", "1.0.0", "--reason", "wipes disks",
                     "--yes")
        self.assert_nothing_there("cli-end/demo", status=410)
        words = self.refuse("publish", "provider", self.dist(), "cli-end/demo")
        self.assertIn("wipes disks", words)

    def test_sign(self):
        dist = self.dist(unsigned("1.0.0", platforms=TWO))
        words = self.refuse("publish", "provider", dist, "cli-sign/demo")
        self.assertIn("--sign", words)
        printed = json.loads(self.succeed("publish", "provider", dist, "cli-sign/demo", "--sign",
                                          "--protocols", "6.0,5.0", "--json"))
        self.assertEqual(printed["protocols"], ["5.0", "6.0"])
        again = json.loads(self.succeed("publish", "provider", dist, "cli-sign/demo", "--sign",
                                        "--protocols", "6.0,5.0", "--json"))
        self.assertEqual(again["shasums_digest"], printed["shasums_digest"])
        keys = json.loads(self.succeed("key", "list", "cli-sign", "--json"))["keys"]
        self.assertEqual([each["server_made"] for each in keys], [True])
        self.assertEqual(keys[0]["fingerprint"], printed["key_fingerprint"])


class Interrupted(koya_e2e.TestCase):
    """The command line is killed while it uploads; the next run sends what is missing."""

    def test_only_the_rest_is_sent(self):
        koya = ProxiedServer(self.folder / "data")
        self.addCleanup(koya.__exit__)
        koya.start()
        self.assertEqual(add_key(koya, "acme", author().armor).status, 201)
        platforms = ("darwin_arm64", "linux_386", "linux_amd64", "linux_arm64", "windows_amd64")
        files = release("1.0.0", author(), platforms=platforms)
        dist = write_dist(self.folder / "dist", files)
        stuck = f"{STEM}_linux_arm64.zip"
        koya.proxy.held = stuck.replace(".", r"\.")
        command = [str(koya_e2e.KOYA), "publish", "provider", str(dist), "acme/demo"]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=koya_e2e.clean_environment(HOME="/nonexistent",
                                                              **koya.dev_environment))
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        draft_path = "/api/v1/providers/acme/demo/1.0.0/drafts"

        def uploaded():
            listed = koya.request("GET", draft_path, token=koya.token).json()["drafts"]
            if not listed:
                return None
            shown = koya.request("GET", f"{draft_path}/{listed[0]['id']}", token=koya.token)
            return {each["name"] for each in shown.json()["files"]}

        # All but the one that is stuck, and what the client sends only after the packages.
        wait_until(lambda: koya.proxy.waiting and len(uploaded() or ()) >= len(platforms) - 1,
                   "the other packages are there")
        there = uploaded()
        self.assertNotIn(stuck, there)
        self.assertIsNone(run.poll(), "it is still at work")
        run.kill()
        run.wait()
        koya.proxy.held = None
        koya.proxy.release.set()

        mark = koya.log_mark()
        again = koya.cli("publish", "provider", dist, "acme/demo")
        self.assertEqual(again.returncode, 0, again.stderr)
        koya.log_mark()
        sent = {path.rpartition("/")[2] for method, path in koya.requests(mark) if method == "PUT"}
        self.assertEqual(sent, set(files) - there)
        opened = [path for method, path in koya.requests(mark)
                  if method == "POST" and path.endswith("/drafts")]
        self.assertEqual(opened, [], "the draft that was there is used")
        self.assertEqual(set(versions(koya, "acme/demo")), {"1.0.0"})


class Expiry(koya_e2e.TestCase):
    def test_a_draft_expires(self):
        koya = self.server()
        draft = Draft(koya, "acme/demo", "1.0.0")
        self.assertEqual(draft.put(ZIP, good()[ZIP]).status, 200)
        koya.stop()
        # The shortest lifetime that can be set is a minute: this one has had it.
        catalog = next(path for path in koya.data.iterdir()
                       if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3")
        with contextlib.closing(sqlite3.connect(catalog)) as database, database:
            self.assertEqual(database.execute("UPDATE draft SET expires_at = 1").rowcount, 1)
        koya.start()
        self.assertEqual(draft.call("GET", "/drafts").json()["drafts"], [])
        for answer in (draft.show(), draft.put(ZIP, b""), draft.commit(sign=True)):
            self.assertEqual(answer.status, 404, answer)
            self.assertIn("expired", answer.errors())


class Memory(koya_e2e.TestCase):
    SIZE = 60 << 20

    def test_large_uploads_in_parallel(self):
        """Four zips of 60 MB at once: what arrives is on its way to the disk, not kept."""
        koya = self.server()
        platforms = ("darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64")
        noise = os.urandom(self.SIZE)
        files = {}
        for number, each in enumerate(platforms):
            name = f"{STEM}_{each}.zip"
            with zipfile.ZipFile(self.folder / name, "w") as archive:
                kind = zipfile.ZIP_DEFLATED if number == 0 else zipfile.ZIP_STORED
                archive.writestr(member(BINARY, compression=kind), bytes([number]) + noise[1:],
                                 compresslevel=1)
            files[name] = self.folder / name
        draft = Draft(koya, "acme/demo", "1.0.0")

        def upload(item):
            name, path = item
            with open(path, "rb") as data:
                return draft.put(name, data, headers={"Content-Length": str(path.stat().st_size)},
                                 timeout=60)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(upload, files.items()))
        self.assertEqual([answer.status for answer in answers], [200] * 4, answers)
        self.assertEqual(draft.commit(sign=True).status, 201)
        koya_provider.check_peak(self, koya.process.pid, 100)
        answer = koya.get(f"/download/providers/acme/demo/1.0.0/{STEM}_linux_arm64.zip")
        self.assertEqual(hashlib.sha256(answer.body).digest(),
                         hashlib.sha256(files[f"{STEM}_linux_arm64.zip"].read_bytes()).digest())


if __name__ == "__main__":
    koya_e2e.main()
