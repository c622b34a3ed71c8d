"""koya import from other products: scripted servers in the shape of their documents, and a bucket's
folder; and an import that is killed at a hundred points.

Shapes: GitLab's packages API and module registry; HCP Terraform's registry-modules and
registry-providers; Artifactory's file list and Terraform repositories; Nexus' components and
Terraform repositories; Terralist's artifacts; boring-registry's storage layout.
"""
import base64
import hashlib
import json
import random
import subprocess
import time
import urllib.parse

import koya_e2e
import koya_provider
from koya_e2e import KOYA, clean_environment, tar_gz, wait_until, write_files, zip_of
from koya_provider import FOUR_PLATFORMS, author, release
from koya_upstream import DISCOVERY, MODULES, PROVIDERS, Upstream
from test_import import ImportTestCase, module


class Product(Upstream):
    """A source whose registry protocols are at `paths`: {service: path}; and lists by `pages`:
    {path: function of the query's fields}."""

    def __init__(self, paths, discovery=True):
        self.paths, self.pages = paths, {}
        super().__init__()
        del self.goods[DISCOVERY]
        if discovery:
            self.put(DISCOVERY, paths)

    def serve_rest(self, handler, path, query):
        ours = {"modules.v1": MODULES, "providers.v1": PROVIDERS}
        for service, prefix in self.paths.items():
            good = self.goods.get(ours[service] + path.removeprefix(prefix))
            if path.startswith(prefix) and good:
                self.goods[path] = good
                return self.serve(handler)
        if path in self.pages:
            body = json.dumps(self.pages[path](dict(urllib.parse.parse_qsl(query)))).encode()
            handler.send_response(200)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
            return None
        return super().serve_rest(handler, path, query)


class Products(ImportTestCase):
    def product(self, paths, **more):
        source = Product(paths, **more)
        self.addCleanup(source.off)
        return source

    def offer_release(self, source, version="1.0.0"):
        files = release(version, author(), platforms=FOUR_PLATFORMS)
        source.add("acme/demo", files, author(), version=version)
        return files

    def run_twice(self, product, source, *arguments, versions, packages, **more):
        """Assess, import, and again: at most a request a package, besides the list's pages."""
        assessed = self.report(product, source.url(""), *arguments, "--assess", **more)
        self.assertEqual((assessed["packages"], assessed["versions"], assessed["refused"]),
                         (packages, versions, []))
        done = self.report(product, source.url(""), *arguments, **more)
        self.assertEqual((done["versions"], done["refused"]), (versions, []))
        before = source.total()
        again = self.report(product, source.url(""), *arguments, **more)
        self.assertEqual((again["versions"], again["unchanged"], again["refused"]), (0, versions, []))
        self.assertLessEqual(source.total() - before, packages + 4)
        return assessed

    def test_gitlab(self):
        source = self.product({"modules.v1": "/api/v4/packages/terraform/modules/v1/"})
        entries = []
        for number in range(130):
            version = f"1.{number}.0"
            if number < 3:
                file = f"/api/v4/packages/terraform/modules/v1/kumo/vpc/aws/{version}/file"
                source.put(file, module(version))
                source.add_module("kumo/vpc/aws", None, version,
                                  location=f"{file}?token=job-token&archive=tgz")
            entries.append({"id": number, "name": f"other-{number}/aws" if number > 2 else "vpc/aws",
                            "version": version, "package_type": "terraform_module",
                            "status": "default" if number < 3 else "hidden",
                            "created_at": "2024-02-03T04:05:06.789Z"})

        def page(fields):
            self.assertEqual(fields["package_type"], "terraform_module")
            size, number = int(fields["per_page"]), int(fields["page"])
            return entries[(number - 1) * size:number * size]
        source.pages["/api/v4/groups/kumo%2Fplatform/packages"] = page
        self.run_twice("gitlab", source, "--group", "kumo/platform", "--map", "kumo/*=acme/*",
                       versions=3, packages=1)
        self.assertEqual(self.koya.get("/v1/modules/acme/vpc/aws/1.1.0").json()["published_at"],
                         "2024-02-03T04:05:06Z")
        self.koya_import("gitlab", source.url(""), "--group", "42", status=1)
        self.koya_import("gitlab", source.url(""), status=2)

    def test_hcp(self):
        source = self.product({"modules.v1": "/api/registry/v1/modules/",
                               "providers.v1": "/api/registry/v1/providers/"})
        for version in ("1.0.0", "1.1.0"):
            source.add_module("acme/vpc/aws", module(version), version)
        self.offer_release(source)
        facts = {"namespace": "acme", "registry-name": "private"}
        modules = [{"type": "registry-modules", "attributes": {
            **facts, "name": "vpc", "provider": "aws", "version-statuses": [
                {"version": "1.1.0", "status": "ok"},
                {"version": "1.0.0", "status": "revoked", "deprecation": {"reason": "use 1.1.0"}},
                {"version": "0.9.0", "status": "reg_ingress_failed"}]}},
            {"type": "registry-modules", "attributes": {
                **facts, "registry-name": "public", "name": "x", "provider": "aws"}}]

        def page(fields):
            number = int(fields["page[number]"])
            return {"data": modules[number - 1:number], "meta": {"pagination": {
                "current-page": number, "next-page": number + 1 if number < 2 else None}}}
        source.pages["/api/v2/organizations/acme/registry-modules"] = page
        source.pages["/api/v2/organizations/acme/registry-providers"] = lambda fields: {
            "data": [{"attributes": {**facts, "name": "demo"}}],
            "meta": {"pagination": {"next-page": None}}}
        self.run_twice("hcp", source, "--organization", "acme", versions=3, packages=2)
        details = self.koya.get("/v1/modules/acme/vpc/aws/1.0.0").json()
        self.assertEqual(details["warning"], "use 1.1.0")

    def test_artifactory(self):
        base = "/artifactory/api/terraform/"
        source = self.product({"modules.v1": base + "tf-modules/v1/modules/",
                               "providers.v1": base + "tf-providers/v1/providers/"}, discovery=False)
        archive = zip_of({"main.tf": b"# vpc\n"})
        source.add_module("acme/vpc/aws", archive, suffix="zip")
        files = self.offer_release(source)
        time = "2024-02-03T04:05:06.000Z"
        source.put("/artifactory/api/storage/tf-modules", {"files": [
            {"uri": "/acme/vpc/aws/1.0.0.zip", "size": len(archive), "lastModified": time,
             "sha2": hashlib.sha256(archive).hexdigest()}]})
        source.put("/artifactory/api/storage/tf-providers", {"files": [
            {"uri": f"/acme/demo/1.0.0/{name}", "size": len(data), "lastModified": time}
            for name, data in files.items()]})
        (self.folder / ".netrc").write_text("machine 127.0.0.1 login me password key\n")
        assessed = self.run_twice("artifactory", source, "--modules", "tf-modules", "--providers",
                                  "tf-providers", versions=2, packages=2)
        self.assertEqual(assessed["bytes"], len(archive) + sum(
            len(data) for name, data in files.items() if name.endswith(".zip")))
        basic = "Basic " + base64.b64encode(b"me:key").decode()
        self.assertEqual({fields.get("Authorization") for path, _, fields in source.requests
                          if "/storage/" in path}, {basic})
        # Archives, too, are asked for as clients do, with the login of ~/.netrc.
        fetched = {fields.get("Authorization") for path, _, fields in source.requests
                   if path.endswith(".zip")}
        self.assertEqual(fetched, {basic})
        # Other bytes are seen by the digest that the list states, without fetching them.
        other = zip_of({"main.tf": b"# other\n"})
        source.put("/artifactory/api/storage/tf-modules", {"files": [
            {"uri": "/acme/vpc/aws/1.0.0.zip", "sha2": hashlib.sha256(other).hexdigest()}]})
        done = self.report("artifactory", source.url(""), "--modules", "tf-modules", status=1)
        for each in (archive, other):
            self.assertIn(hashlib.sha256(each).hexdigest(), done["refused"][0]["why"])
        self.koya_import("artifactory", source.url(""), status=1)

    def test_nexus(self):
        base = "/nexus/repository/tf/v1/"
        source = self.product({"modules.v1": base + "modules/", "providers.v1": base + "providers/"},
                              discovery=False)
        archive = module("vpc")
        source.add_module("acme/vpc/aws", archive)
        self.offer_release(source)
        items = [{"format": "terraform", "group": "acme/vpc", "name": "aws", "version": "1.0.0",
                  "assets": [{"path": "v1/modules/acme/vpc/aws/1.0.0/module.tar.gz",
                              "checksum": {"sha256": hashlib.sha256(archive).hexdigest()},
                              "fileSize": len(archive)}]},
                 {"format": "terraform", "group": "acme", "name": "demo", "version": "1.0.0",
                  "assets": [{"path": "v1/providers/acme/demo/1.0.0/download/linux/amd64",
                              "fileSize": 3}]}]

        def page(fields):
            second = fields.get("continuationToken") == "next+page"
            return {"items": items[1:] if second else items[:1],
                    "continuationToken": None if second else "next+page"}
        source.pages["/nexus/service/rest/v1/components"] = page
        source.url = lambda path: f"https://{source.host}{path or '/nexus'}"
        self.run_twice("nexus", source, "--repository", "tf", versions=2, packages=2)

    def test_terralist(self):
        source = self.product({"modules.v1": "/v1/modules/", "providers.v1": "/v1/providers/"})
        source.add_module("acme/vpc/aws", module("vpc"))
        self.offer_release(source)
        source.put("/v1/api/artifacts/", [
            {"full_name": "acme/vpc/aws", "type": "module", "versions": ["1.0.0"]},
            {"full_name": "acme/demo", "type": "provider", "versions": ["1.0.0"]}])
        variable = f"TF_TOKEN_127_0_0_1:{source.port}"
        self.run_twice("terralist", source, versions=2, packages=2,
                       environment={variable: "x-api-key:KEY"})
        self.assertEqual({fields.get("Authorization") for path, _, fields in source.requests
                          if path == "/v1/api/artifacts/"}, {"Bearer x-api-key:KEY"})

    def test_boring(self):
        bucket = self.folder / "bucket"
        files = release("1.0.0", author(), platforms=FOUR_PLATFORMS)
        key = {"key_id": author().key_id, "ascii_armor": author().armor}
        write_files(bucket, {
            "modules/acme/vpc/aws/acme-vpc-aws-1.0.0.tar.gz": module("vpc"),
            "modules/acme/vpc/aws/stray.txt": b"x",
            "providers/acme/signing-keys.json": json.dumps({"gpg_public_keys": [key]}).encode(),
            **{f"providers/acme/demo/{name}": data for name, data in files.items()}})
        for _ in range(2):
            done = self.report("boring", bucket)
            self.assertEqual((done["packages"], done["versions"] + done["unchanged"],
                              done["refused"]), (2, 2, []))
        self.assertEqual(self.koya.download("acme/vpc/aws", "1.0.0"), module("vpc"))
        self.assertEqual(sorted(koya_provider.versions(self.koya, "acme/demo")["1.0.0"]),
                         sorted(FOUR_PLATFORMS))
        write_files(bucket, {"modules/acme/vpc/aws/acme-vpc-aws-1.0.0.tar.gz": module("other"),
                             "providers/old/signing-keys.json": json.dumps(key).encode(),
                             **{f"providers/old/demo/{name}": data for name, data in files.items()}})
        done = self.report("boring", bucket, status=1)
        self.assertEqual(done["versions"], 1)  # the key file's older form
        self.assertIn(hashlib.sha256(module("other")).hexdigest(), done["refused"][0]["why"])
        self.koya_import("boring", self.folder, status=1)


class Killed(ImportTestCase):
    KILLS = 100

    def test_killed_at_any_point_it_goes_on(self):
        randomness = random.Random(34)
        source = self.upstream()
        names = []
        for name in ("a", "b", "c", "d"):
            for number in range(6):
                archive = tar_gz({"main.tf": b"#\n", "more": randomness.randbytes(100_000)})
                source.add_module(f"acme/{name}/aws", archive, f"1.{number}.0")
            names.append(f"acme/{name}/aws")
        for version in ("1.0.0", "1.1.0", "1.2.0"):
            files = release(version, author(), platforms=FOUR_PLATFORMS,
                            padding=randomness.randbytes(200_000))
            source.add("acme/demo", files, author(), version=version)
        self.offer_list(source, *names, providers=("acme/demo",))
        environment = clean_environment(**{
            **self.koya.dev_environment, "HOME": str(self.folder), "SSL_CERT_FILE": self.trust()})
        command = [str(KOYA), "import", "registry", source.url("")]
        for _ in range(self.KILLS):
            run = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(randomness.uniform(0, 0.25))  # the point is what is tried, not waited for
            run.kill()
            run.wait()
        done = self.report("registry", source.url(""))
        self.assertEqual((done["versions"] + done["unchanged"], done["refused"]), (27, []))
        self.assertEqual(self.report("registry", source.url(""), "--recheck")["refused"], [])
        for name in names:
            self.assertEqual(len(self.versions(name)), 6)
        drafts = wait_until(lambda: [
            self.koya.request("GET", f"/api/v1/providers/acme/demo/{version}/drafts",
                              token=self.koya.token).json()["drafts"]
            for version in ("1.0.0", "1.1.0", "1.2.0")], "the drafts")
        self.assertEqual(drafts, [[], [], []])


if __name__ == "__main__":
    koya_e2e.main()
