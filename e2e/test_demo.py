"""The demo registry (`make demo`): filled through the API, signed in to with the password that it tells, and left
as it is by a second run."""
import os
import re
import signal
import subprocess
import sys

import koya_e2e
from koya_e2e import KOYA, ROOT, clean_environment, wait_until
from koya_sign_in import Browser

sys.path.insert(0, str(ROOT / "tools/demo"))
import fill  # noqa: E402  (what the demo publishes)
import people  # noqa: E402
import provider  # noqa: E402

LEAST_MODULES = 12
FILL_SECONDS = 240  # of a program without optimisation


class Demo:
    """tools/run-demo --demo, as `make demo` runs it, on a free port."""

    def __init__(self, folder, name):
        self.data, self.said = folder / "data", folder / name
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(
                [str(ROOT / "tools/run-demo"), "--demo", "--listen", "127.0.0.1:0"], stdout=said,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env=clean_environment(HOME=str(folder), KOYA_BIN=str(KOYA), KOYA_DATA=str(self.data)))

    def words(self):
        return self.said.read_text(errors="replace")

    def ready(self):
        def there():
            assert self.process.poll() is None, self.words()
            return "To begin anew" in self.words()
        wait_until(there, "the demo says what to do", FILL_SECONDS)
        return self

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            assert self.process.wait(timeout=koya_e2e.STOP_SECONDS) == 0, self.words()


class FilledRegistry(koya_e2e.TestCase):
    def demo(self, name):
        demo = Demo(self.folder, name)
        self.addCleanup(demo.stop)
        return demo.ready()

    def test_is_filled_once_and_says_how_to_sign_in(self):
        demo = self.demo("first")
        url = re.search(r"Koya is running at (https://\S+)", demo.words())[1]
        name, password = re.search(r"as (\S+), the administrator, with the password (\S+)", demo.words()).groups()
        self.assertEqual(oct(os.stat(demo.data / "dev/demo.password").st_mode)[-3:], "600")
        browser = Browser(demo.data / "dev/ca.pem")
        browser.open(f"{url}/login")
        home = browser.sign_in(name, password)
        self.assertEqual(home.status, 200, home)
        self.assertIn(name, home.text)
        self.look_at(browser, url)
        stranger = Browser(demo.data / "dev/ca.pem")
        self.assertEqual(stranger.open(f"{url}/namespaces/finance").status, 404)
        self.assertEqual(browser.open(f"{url}/namespaces/finance").status, 200)
        demo.stop()
        self.assertIn("koya: stopped", demo.words())

        again = self.demo("again")
        self.assertIn("are there already", again.words())
        self.assertIn(password, again.words())

    def look_at(self, browser, url):
        self.assertGreaterEqual(len(fill.MODULES), LEAST_MODULES)
        for module in fill.MODULES:
            page = browser.open(f"{url}/modules/{module.address}/latest/versions")
            self.assertEqual(page.status, 200, page)
            for version, _ in module.history:
                self.assertIn(version, page.text)
        changes = browser.open(f"{url}/modules/platform/network/aws/4.0.0/changes?from=3.1.1&to=4.0.0")
        self.assertIn("breaking", changes.text)
        old = browser.open(f"{url}/modules/platform/network/aws/3.1.1")
        self.assertIn("3.x gets no fixes any more", old.text)
        self.assertEqual(browser.open(f"{url}/modules/platform/network/aws/3.0.0").status, 410)
        docs = browser.open(f"{url}/providers/{provider.ADDRESS}/2.3.1/docs/resources/host")
        self.assertIn("A host that stands in a rack", docs.text)
        mirrored = browser.open(f"{url}/-/mirror/packages")
        for address in provider.STRANGERS:
            self.assertIn(address.partition("/")[2], mirrored.text)


class Files(koya_e2e.TestCase):
    def test_a_version_is_the_same_bytes_each_time_and_others_are_others(self):
        seen = set()
        for module in fill.MODULES:
            for version, _ in module.history:
                archive = fill.archive_of(module.files(version, "registry.example.com"))
                self.assertEqual(archive, fill.archive_of(module.files(version, "registry.example.com")))
                seen.add(archive)
        self.assertEqual(len(seen), sum(len(module.history) for module in fill.MODULES))

    def test_nothing_that_is_asked_for_is_missing(self):
        """Grants, tokens and fetches name what is there."""
        versions = {module.address: {version for version, _ in module.history} for module in fill.MODULES}
        for _, _, modules in people.FETCHES:
            for address, fetched in modules.items():
                self.assertLessEqual(set(fetched), versions[address], address)
        for module in fill.MODULES:
            self.assertLessEqual({*module.deprecated, *module.withdrawn}, versions[module.address], module.address)
            files = module.files(module.history[-1][0], "registry.example.com")
            self.assertFalse([name for name, text in files.items() if "HOST" in text], module.address)


if __name__ == "__main__":
    koya_e2e.main()
