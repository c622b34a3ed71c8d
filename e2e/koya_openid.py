"""A real OpenID Connect provider, npm's oidc-provider, as a child process: see
browser/provider.mjs."""
import json
import subprocess

import koya_browser
import test_postgres

CLIENT = "koya"
SECRET = "a secret of the provider's & koya's"


class OpenIdProvider:
    """Use as a context manager; `koya_url`: the server whose people it signs in."""

    def __init__(self, koya_url, name, accounts):
        self.koya_url, self.name, self.accounts = koya_url, name, accounts
        self.port = test_postgres.free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(
            ["node", "provider.mjs"], cwd=koya_browser.FOLDER, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.process.stdin.write(json.dumps({
            "port": self.port, "client_id": CLIENT, "client_secret": SECRET,
            "redirect_uris": [f"{self.koya_url}/-/oidc/{self.name}/callback"],
            "accounts": self.accounts}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        while line and line != "ready\n":  # its advice about keys for production
            line = self.process.stdout.readline()
        assert line, f"the provider ended with {self.process.wait()}"
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def request(self, **more):
        """What makes it a provider of koya's: the body of POST /api/v1/idps."""
        return json.dumps({"name": self.name, "issuer": self.issuer, "client_id": CLIENT,
                           "client_secret": SECRET, **more})
