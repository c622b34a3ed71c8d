"""Keys of namespaces over HTTP, who may do what, and what readers get of a release."""
import hashlib
import json
import os
import urllib.parse

import koya_e2e
import koya_provider
from koya_provider import (BINARY, MANIFEST, SIGNATURE, STEM, SUMS, TWO, ZIP, Draft,
                           PublishTestCase, add_key, author, changed, download, good, key, publish,
                           release, signed_by, unsigned)


class Keys(PublishTestCase):
    def keys(self, namespace):
        answer = self.koya.request("GET", f"/api/v1/namespaces/{namespace}/keys",
                                   token=self.koya.token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json()["keys"]

    def test_what_is_shown_of_a_key(self):
        made = key("rsa2048", "shown", expires="2y")
        answer = add_key(self.koya, "keys-shown", made.armor)
        self.assertEqual(answer.status, 201, answer)
        (shown,) = answer.json()["keys"]
        self.assertEqual((shown["key_id"], shown["fingerprint"], shown["algorithm"]),
                         (made.key_id, made.fingerprint, "RSA 2048"))
        self.assertEqual(shown["user_ids"], ["Test shown rsa2048 sign <shown@example.com>"])
        self.assertTrue(shown["expires"])
        self.assertFalse(shown["expired"] or shown["removed"] or shown["server_made"])
        self.assertEqual([each["key_id"] for each in self.keys("keys-shown")], [made.key_id])

    def test_two_keys_in_one_armor(self):
        first, second = key("ed25519", "first"), key("nistp256", "second")
        both = koya_provider.gpg("--armor", "--export", first.fingerprint, second.fingerprint,
                                 home=first.home).decode()
        self.assertEqual(both.count("BEGIN PGP"), 1)
        for namespace, text in (("one-armor", both), ("two-armors", first.armor + second.armor),
                                ("with-words", f"Our keys:\n\n{both}\nBye.\n")):
            with self.subTest(namespace):
                answer = add_key(self.koya, namespace, text)
                self.assertEqual(answer.status, 201, answer)
                self.assertEqual({each["key_id"] for each in self.keys(namespace)},
                                 {first.key_id, second.key_id})
                for number, each in enumerate((first, second)):
                    publish(self.koya, f"{namespace}/demo", f"1.{number}.0",
                            release(f"1.{number}.0", each, platforms=TWO))
                    shown = download(self.koya, f"{namespace}/demo", f"1.{number}.0",
                                     "linux_amd64")["signing_keys"]["gpg_public_keys"]
                    self.assertEqual(shown[0]["key_id"], each.key_id, "the signer comes first")

    def test_several_signers(self):
        first, second = key("ed25519", "first"), key("nistp256", "second")
        for number, signer in enumerate((first, second)):
            namespace = self.namespace(f"signers-{number}", signer)
            publish(self.koya, f"{namespace}/demo", "1.0.0",
                    signed_by(first, "--digest-algo", "SHA512", others=(second,)))

    def test_signatures_that_are_accepted(self):
        subkey = koya_provider.key_with_subkey()
        namespace = self.namespace("accepted", author(), subkey, key("rsa4096"), key("nistp256"))
        sums = good()[SUMS]
        rows = {
            "armored, as .asc": changed(signature=None) | {
                f"{SUMS}.asc": author().sign(sums, "--armor")},
            "armored, as .sig": changed(signature=author().sign(sums, "--armor")),
            "SHA-256": signed_by(key("rsa4096"), "--digest-algo", "SHA256"),
            "P-256": signed_by(key("nistp256")),
            "a subkey": signed_by(subkey),
        }
        for number, (name, files) in enumerate(rows.items()):
            with self.subTest(name):
                address = f"{namespace}-{number}/demo"
                self.namespace(f"{namespace}-{number}", author(), subkey, key("rsa4096"),
                               key("nistp256"))
                publish(self.koya, address, "1.0.0", files)
                served = self.koya.get(f"/download/providers/{address}/1.0.0/{SIGNATURE}")
                self.assertEqual(served.status, 200)
                self.assertTrue(served.body[0] & 0x80, "binary, as clients need it")
                given = self.koya.get(f"/download/providers/{address}/1.0.0/{SUMS}")
                self.assertEqual(given.body, sums)

    def test_secret_key_is_refused_and_not_stored(self):
        made = key("ed25519", "leaky")
        mixed = author().armor + made.secret
        for text in (made.secret, mixed, "please add my key\n" + made.secret):
            answer = add_key(self.koya, "leaky", text)
            self.assertEqual(answer.status, 400, answer)
            self.assertIn("secret", answer.errors().lower())
            self.assertNotIn(made.secret.splitlines()[3], answer.body.decode())
        self.assertEqual(self.keys("leaky"), [])
        # Neither its armor's lines nor its bytes lie anywhere in the data folder, nor in the log.
        body = [line for line in made.secret.splitlines()
                if line and not line.startswith(("-", "Comment", "Version", "="))]
        raw = koya_provider.gpg("--export-secret-keys", made.fingerprint, home=made.home)
        needles = [line.encode() for line in body] + [raw[i:i + 24] for i in range(64, 160, 24)]
        searched = 0
        for path in [self.koya.log_path, *self.koya.data.rglob("*")]:
            if path.is_file():
                data, searched = path.read_bytes(), searched + 1
                for needle in needles:
                    self.assertNotIn(needle, data, path)
        self.assertGreater(searched, 3)

    def test_keys_that_are_refused(self):
        expired = key("rsa2048", "expired", expires="1d", at="20200101T000000")
        whole = author().armor
        cut = whole[: len(whole) // 2] + "\n-----END PGP PUBLIC KEY BLOCK-----\n"
        for name, text, word in (
            ("nothing", "", ""), ("words", "here is my key", ""), ("cut short", cut, ""),
            ("a signature", author().sign(b"x", "--armor").decode(), ""),
            ("bytes", os.urandom(400), ""), ("too long", "x" * (300 << 10), ""),
            ("expired", expired.armor, "expired"),
            ("revoked", koya_provider.revoked_key().armor, "revoked"),
            ("certifies only", key("ed25519", "certifier", "cert").armor, "sign"),
            ("brainpool", key("brainpoolP256r1").armor, "clients"),
        ):
            with self.subTest(name):
                answer = add_key(self.koya, "refused-keys", text)
                self.assertIn(answer.status, (400, 413, 422), answer)
                self.assertGreater(len(answer.errors()), 30)
                self.assertIn(word, answer.errors())
        self.assertEqual(self.keys("refused-keys"), [])

    def test_one_bad_key_keeps_the_others_out(self):
        answer = add_key(self.koya, "all-or-none",
                         author().armor + koya_provider.revoked_key().armor)
        self.assertEqual(answer.status, 400, answer)
        self.assertEqual(self.keys("all-or-none"), [])

    def test_removing(self):
        made = author()
        namespace = self.namespace("removing", made)
        publish(self.koya, f"{namespace}/demo", "1.0.0", good())
        path = f"/api/v1/namespaces/{namespace}/keys"
        for key_id, status in (("0000000000000000", 404), ("xyz", 400), (made.key_id.lower(), 204),
                               (made.key_id, 404)):
            answer = self.koya.request("DELETE", f"{path}/{key_id}", token=self.koya.token)
            self.assertEqual(answer.status, status, answer)
        self.assertTrue(self.keys(namespace)[0]["removed"])
        shown = download(self.koya, f"{namespace}/demo", "1.0.0", "linux_amd64")
        self.assertEqual(shown["signing_keys"]["gpg_public_keys"][0]["key_id"], made.key_id)
        draft = self.filled(f"{namespace}/demo", release("1.1.0", made, platforms=TWO), "1.1.0")
        problems = self.commit_problems(draft)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(f"the key {made.key_id} was removed", problems[0])

    def test_who_may_do_what(self):
        def token(name, *more):
            run = self.koya.cli("token", "create", name, "--json", *more)
            self.assertEqual(run.returncode, 0, run.stderr)
            return json.loads(run.stdout)["token"]

        reader = token("reader", "--scope", "read")
        writer = token("writer", "--scope", "publish", "--namespace", "rights")
        other = token("other", "--scope", "publish", "--namespace", "elsewhere")
        namespace = self.namespace("rights")
        for secret, status in ((None, 401), ("koya_no", 401), (reader, 403), (writer, 403)):
            answer = self.koya.request("POST", f"/api/v1/namespaces/{namespace}/keys",
                                       author().armor, token=secret)
            self.assertEqual(answer.status, status, answer)
            answer = self.koya.request("POST", f"/api/v1/namespaces/{namespace}/keys/rotate", "",
                                       token=secret)
            self.assertEqual(answer.status, status, answer)
        drafts = f"/api/v1/providers/{namespace}/demo/1.0.0/drafts"
        for secret, status in ((None, 401), (reader, 403), (other, 403)):
            self.assertEqual(self.koya.request("POST", drafts, "", token=secret).status, status)
        draft = Draft(self.koya, f"{namespace}/demo", "1.0.0", writer)
        for name, data in good().items():
            self.assertEqual(draft.put(name, data).status, 200)
        stolen = f"{drafts}/{draft.id}"
        for secret in (reader, other):
            for method, path in (("GET", stolen), ("POST", f"{stolen}/commit"),
                                 ("DELETE", stolen), ("PUT", f"{stolen}/files/{ZIP}")):
                answer = self.koya.request(method, path, "", token=secret)
                self.assertIn(answer.status, (403, 404), f"{method} {path}: {answer}")
        self.assertEqual(draft.commit().status, 201)
        # Where authors sign, a publish token is not enough to have the server sign instead.
        draft = Draft(self.koya, f"{namespace}/demo", "2.0.0", writer)
        for name, data in unsigned("2.0.0", platforms=TWO).items():
            self.assertEqual(draft.put(name, data).status, 200)
        answer = draft.commit(sign=True)
        self.assertEqual(answer.status, 403, answer)
        self.assertIn(f"koya key rotate {namespace}", answer.errors())
        rotate = f"/api/v1/namespaces/{namespace}/keys/rotate"
        self.assertEqual(self.koya.request("POST", rotate, "", token=self.koya.token).status, 201)
        self.assertEqual(draft.commit(sign=True).status, 201)
        answer = self.koya.request("DELETE", f"/api/v1/providers/{namespace}/demo/1.0.0",
                                   '{"reason": "x"}', token=writer)
        self.assertEqual(answer.status, 403, answer)


class ServerSecret(koya_e2e.TestCase):
    def publish(self, koya, version):
        draft = Draft(koya, "acme/demo", version, koya.token)
        for name, data in unsigned(version, platforms=TWO).items():
            self.assertEqual(draft.put(name, data).status, 200)
        return draft.commit(sign=True)

    def keys(self, koya):
        return [each["key_id"] for each in koya.get("/api/v1/namespaces/acme/keys").json()["keys"]]

    def started(self, secret, previous=None):
        more = ("--server.secret_previous", previous) if previous else ()
        return self.server("--server.secret", secret, *more)

    def test_it_is_replaced_without_losing_a_key(self):
        old, new = "the secret of the first year", "the secret of the second year"
        koya = self.started(old)
        self.assertEqual(self.publish(koya, "1.0.0").status, 201)
        keys = self.keys(koya)
        koya.stop()

        with self.assertRaises(koya_e2e.StartFailed) as refused:
            self.started(new)
        self.assertEqual(refused.exception.status, 1)
        self.assertIn("server.secret_previous", refused.exception.output)

        koya = self.started(new, previous=old)
        self.assertEqual(self.publish(koya, "1.2.0").status, 201)
        done = koya.cli("admin", "reseal", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"renewed": 1, "current": 0, "lost": []})
        for secret in (old, new):
            self.assertNotIn(secret, koya.log_path.read_text())
        koya.stop()

        koya = self.started(new)
        self.assertEqual(self.publish(koya, "1.3.0").status, 201)
        self.assertEqual(self.keys(koya), keys)

    def test_it_is_lost_and_what_it_sealed_stays_shut(self):
        lost, new = "the secret that is lost", "the secret after it"
        koya = self.started(lost)
        self.assertEqual(self.publish(koya, "1.0.0").status, 201)
        koya.stop()

        done = koya_e2e.cli("admin", "forget-secret", "--data", koya.data, home=self.folder,
                            environment={"KOYA_SERVER_SECRET": new})
        self.assertEqual(done.returncode, 0, done.stderr)
        koya = self.started(new)
        answer = self.publish(koya, "1.1.0")
        self.assertEqual(answer.status, 500, answer)
        self.assertIn("server.secret_previous", answer.errors())
        told = koya.cli("admin", "reseal")
        self.assertEqual(told.returncode, 1)
        self.assertIn("acme/", told.stderr)
        self.assertEqual(koya.cli("key", "rotate", "acme").returncode, 0)
        self.assertEqual(self.publish(koya, "1.2.0").status, 201)


class Reading(PublishTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        assert add_key(cls.koya, "acme", author().armor).status == 201
        cls.files = good(protocols=("5.0", "6.0"))
        publish(cls.koya, "acme/demo", "1.0.0", cls.files)
        publish(cls.koya, "acme/demo", "1.1.0-rc.1",
                release("1.1.0-rc.1", author(), platforms=TWO))

    def test_discovery(self):
        document = self.koya.get("/.well-known/terraform.json").json()
        self.assertEqual(document["providers.v1"], "/v1/providers/")

    def test_unknown_is_404_never_403(self):
        for path in ("acme/nothing/versions", "nobody/demo/versions", "acme/nothing",
                     "nobody/demo/1.0.0/download/linux/amd64", "acme/demo/9.0.0",
                     "acme/demo/9.0.0/download/linux/amd64", "acme/demo/not-a-version",
                     "acme/demo/1.0.0/download/windows/amd64",
                     "acme/demo/1.0.0/download/beos/amd64", "acme/demo/1.0.0/download/linux",
                     "terraform-provider-x/demo/versions", "acme/de_mo/versions"):
            for fields in ({}, {"Authorization": f"Bearer {self.koya.token}"}):
                with self.subTest(path):
                    answer = self.koya.get(f"/v1/providers/{path}", fields)
                    self.assertEqual(answer.status, 404, answer)
                    answer.errors()
        for name in (MANIFEST, "x.zip", f"{STEM}_windows_amd64.zip", "..%2fkoya.db"):
            answer = self.koya.get(f"/download/providers/acme/demo/1.0.0/{name}")
            self.assertIn(answer.status, (400, 404), answer)

    def test_the_download_document(self):
        document = download(self.koya, "acme/demo", "1.0.0", "linux_amd64")
        base = f"{self.koya.url}/download/providers/acme/demo/1.0.0"
        digest = hashlib.sha256(self.files[ZIP]).hexdigest()
        self.assertEqual(
            {name: document[name] for name in ("protocols", "os", "arch", "filename",
                                               "download_url", "shasums_url",
                                               "shasums_signature_url", "shasum")},
            {"protocols": ["5.0", "6.0"], "os": "linux", "arch": "amd64", "filename": ZIP,
             "download_url": f"{base}/{ZIP}", "shasums_url": f"{base}/{SUMS}",
             "shasums_signature_url": f"{base}/{SIGNATURE}", "shasum": digest})
        (shown,) = document["signing_keys"]["gpg_public_keys"]
        self.assertEqual(shown["key_id"], author().key_id)
        self.assertIn("BEGIN PGP PUBLIC KEY BLOCK", shown["ascii_armor"])
        self.assertEqual(set(document["packages"]), set(TWO))
        for each in TWO:
            told = document["packages"][each]
            data = self.files[f"{STEM}_{each}.zip"]
            contents = {BINARY: koya_provider.script("demo", "1.0.0", each)}
            self.assertEqual(told["package_size"], len(data))
            self.assertEqual(set(told["hashes"]),
                             {koya_provider.zh(data), koya_provider.h1(contents)})

    def test_files_byte_for_byte(self):
        for name, kind in ((ZIP, "application/zip"), (SUMS, "text/plain"),
                           (SIGNATURE, "application/")):
            with self.subTest(name):
                path = f"/download/providers/acme/demo/1.0.0/{name}"
                data = self.files[name]
                whole = self.koya.get(path)
                self.assertEqual((whole.status, whole.body), (200, data))
                self.assertTrue(whole.headers["Content-Type"].startswith(kind), whole.headers)
                self.assertEqual(whole.headers["Content-Length"], str(len(data)))
                self.assertEqual(whole.headers["Accept-Ranges"], "bytes")
                head = self.koya.request("HEAD", path)
                self.assertEqual((head.status, head.body), (200, b""))
                for field in ("Content-Length", "ETag", "Content-Type"):
                    self.assertEqual(head.headers[field], whole.headers[field])
                part = self.koya.get(path, {"Range": "bytes=3-9"})
                self.assertEqual((part.status, part.body), (206, data[3:10]))
                self.assertEqual(part.headers["Content-Range"], f"bytes 3-9/{len(data)}")
                last = self.koya.get(path, {"Range": "bytes=-5"})
                self.assertEqual((last.status, last.body), (206, data[-5:]))
                beyond = self.koya.get(path, {"Range": f"bytes={len(data)}-"})
                self.assertEqual(beyond.status, 416)
                same = self.koya.get(path, {"If-None-Match": whole.headers["ETag"]})
                self.assertEqual((same.status, same.body), (304, b""))
                fresh = self.koya.get(path, {"Range": "bytes=0-0", "If-Range": '"other"'})
                self.assertEqual((fresh.status, fresh.body), (200, data))
                self.assertNotIn("Content-Encoding", self.koya.get(
                    path, {"Accept-Encoding": "gzip"}).headers)
                self.assertEqual(self.koya.request("PUT", path, b"x").status, 405)

    def test_lists_and_details(self):
        latest = self.koya.get("/v1/providers/acme/demo").json()
        self.assertEqual((latest["namespace"], latest["name"], latest["version"]),
                         ("acme", "demo", "1.0.0"))
        self.assertEqual(latest["versions"], ["1.1.0-rc.1", "1.0.0"])
        one = self.koya.get("/v1/providers/acme/demo/1.1.0-rc.1").json()
        self.assertEqual(one["version"], "1.1.0-rc.1")
        for path in ("", "?limit=1", "/search?q=demo", "/search?q=ACME"):
            listed = self.koya.get(f"/v1/providers{path}").json()
            self.assertEqual([(each["namespace"], each["name"]) for each in listed["providers"]],
                             [("acme", "demo")], path)
        self.assertEqual(self.koya.get("/v1/providers/search?q=zzz").json()["providers"], [])
        listed = self.koya.get("/v1/providers/ACME").json()
        self.assertEqual(len(listed["providers"]), 1)

    def test_names_are_folded(self):
        for path in ("Acme/Demo/versions", "ACME/DEMO/1.0.0/download/linux/amd64"):
            self.assertEqual(self.koya.get(f"/v1/providers/{path}").status, 200, path)
        quoted = urllib.parse.quote("MÜNCHEN")
        self.namespace(quoted)
        publish(self.koya, f"{quoted}/Demo", "1.0.0", good())
        # The letter as one character, and as a letter with a mark: the same name.
        for spelled in ("münchen", "MÜNCHEN", "mu\u0308nchen"):
            answer = self.koya.get(f"/v1/providers/{urllib.parse.quote(spelled)}/demo/versions")
            self.assertEqual(answer.status, 200, spelled)
            self.assertEqual(answer.json()["id"], "münchen/demo")
        answer = self.filled(f"{urllib.parse.quote('münchen')}/demo", good()).commit()
        self.assertEqual(answer.status, 200, "the same provider under another spelling")


if __name__ == "__main__":
    koya_e2e.main()
