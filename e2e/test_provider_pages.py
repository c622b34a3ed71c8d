"""Pages of providers: what they tell people to write works as it stands.

usage: test_provider_pages.py --client=terraform|tofu

Skipped, by name, when that client is not on PATH.
"""
import gzip
import re

import koya_client
from koya_client import ClientTestCase
from koya_e2e import write_files
from koya_provider import FOUR_PLATFORMS, key, platforms_with_ours, publish, release


def block(markdown, start):
    """The block of code that begins with these words."""
    return next(text for text in re.findall(r"```hcl\n(.*?)\n```", markdown, re.S)
                if text.startswith(start))


class ProviderPages(ClientTestCase):
    def markdown(self, path):
        answer = self.koya.get(path + ".md")
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["Content-Type"], "text/markdown; charset=utf-8")
        return answer.body.decode()

    def test_the_configuration_and_the_lock_entry_of_the_page_install(self):
        author = key("ed25519")
        address = self.namespace("pages", author) + "/demo"
        platforms = platforms_with_ours(*FOUR_PLATFORMS)
        for version in ("1.0.0", "1.1.0"):
            publish(self.koya, address, version,
                    release(version, author, platforms=platforms))
        page = self.markdown(f"/providers/{address}")
        client = self.client()
        write_files(client.config, {
            "main.tf": block(page, "terraform {") + "\n",
            ".terraform.lock.hcl": block(page, "provider ") + "\n"})
        client.succeed("init", "-no-color", "-lockfile=readonly")
        version, hashes = client.locked(address)
        self.assertEqual(version, "1.1.0")
        self.assertEqual(sum(each.startswith("zh:") for each in hashes), len(platforms))
        self.assertEqual(sum(each.startswith("h1:") for each in hashes), len(platforms))
        older = self.markdown(f"/providers/{address}/1.0.0")
        write_files(client.forget(lock=True).config, {
            "main.tf": block(older, "terraform {") + "\n",
            ".terraform.lock.hcl": block(older, "provider ") + "\n"})
        client.succeed("init", "-no-color", "-lockfile=readonly")
        self.assertEqual(client.locked(address)[0], "1.0.0")

    def test_a_page_comes_once(self):
        author = key("ed25519")
        address = self.namespace("once", author) + "/demo"
        publish(self.koya, address, "1.0.0", release("1.0.0", author))
        for path in (f"/providers/{address}", f"/providers/{address}/versions", "/-/mirror"):
            with self.subTest(path):
                page = self.koya.get(path, headers={"Accept": "text/html",
                                                    "Accept-Encoding": "gzip"})
                self.assertEqual(page.status, 200, page)
                self.assertEqual(page.headers["Content-Encoding"], "gzip")
                self.assertTrue(gzip.decompress(page.body).startswith(b"<!doctype html>"))
                self.assertLess(len(page.body), 5000)
                again = self.koya.get(path, headers={"Accept": "text/html",
                                                     "Accept-Encoding": "gzip",
                                                     "If-None-Match": page.headers["ETag"]})
                self.assertEqual(again.status, 304, again)


if __name__ == "__main__":
    koya_client.main()
