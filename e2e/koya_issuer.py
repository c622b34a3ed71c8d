"""A CI that says who its jobs are: an OpenID Connect issuer, with the one address that GitHub's
runners ask for a token. Its key is made and used by the openssl command."""
import base64
import http.server
import json
import pathlib
import subprocess
import threading
import time
import urllib.parse

RUNNER = "what the runner gives to this job"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, stdin=b""):
    return subprocess.run(["openssl", *map(str, arguments)], input=stdin, check=True,
                          capture_output=True).stdout


class Issuer:
    """Use as a context manager, with a folder for its key."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.claims = {}  # of the job that asks
        self.asked = []   # paths, without queries
        self.key = self.folder / "key.pem"
        openssl("genrsa", "-out", self.key, "2048")
        modulus = openssl("rsa", "-in", self.key, "-modulus", "-noout").decode().partition("=")[2]
        self.modulus = bytes.fromhex(modulus.strip())

    def __enter__(self):
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        parts = urllib.parse.urlsplit(request.path)
        self.asked.append(parts.path)
        document = None
        if parts.path == "/.well-known/openid-configuration":
            document = {"issuer": self.url, "jwks_uri": f"{self.url}/keys",
                        "id_token_signing_alg_values_supported": ["RS256"]}
        elif parts.path == "/keys":
            document = {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "one",
                                  "n": base64url(self.modulus), "e": "AQAB"}]}
        elif parts.path == "/token" and request.headers["Authorization"] == f"Bearer {RUNNER}":
            audience = urllib.parse.parse_qs(parts.query)["audience"][0]
            document = {"value": self.token(audience)}
        request.send_response(200 if document else 404)
        body = json.dumps(document).encode()
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def token(self, audience, **more):
        """What the CI signs for a job."""
        now = int(time.time())
        claims = {"iss": self.url, "sub": "job", "aud": audience, "iat": now, "nbf": now,
                  "exp": now + 300, **self.claims, **more}
        header = {"alg": "RS256", "typ": "JWT", "kid": "one"}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        signature = openssl("dgst", "-sha256", "-sign", self.key, stdin=signed.encode())
        return f"{signed}.{base64url(signature)}"

    def github(self):
        """The variables of a job that may say who it is."""
        return {"GITHUB_ACTIONS": "true", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": RUNNER,
                "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.url}/token?api-version=2.0"}
