"""A TLS proxy in front of Koya, for tests of what happens to bytes on their way."""
import contextlib
import http.client
import http.server
import re
import socket
import ssl
import threading

import koya_e2e


class Proxy:
    """A TLS server in front of Koya, with Koya's own development certificate.

    `changes`: [(pattern, change)]: the body of an answer for a path that matches is replaced by
    change(body). `held`: uploads to paths that match it wait, unread, until `release` is set.
    """

    def __init__(self):
        self.changes, self.held, self.release = [], None, threading.Event()
        self.waiting = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                if proxy.held and self.command == "PUT" and re.search(proxy.held, self.path):
                    proxy.waiting.append(self.path)
                    proxy.release.wait(60)
                    self.close_connection = True
                    return
                proxy.forward(self)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def start(self, upstream_port, data):
        self.upstream_port = upstream_port
        self.trust = ssl.create_default_context(cafile=data / "dev/ca.pem")
        shown = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        shown.load_cert_chain(data / "dev/server.pem", data / "dev/server.key")
        self.server.socket = shown.wrap_socket(self.server.socket, server_side=True,
                                               do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()

    def forward(self, client):
        length = int(client.headers.get("Content-Length") or 0)
        body = client.rfile.read(length) if length else self.unchunk(client)
        fields = {name: value for name, value in client.headers.items() if name.lower() not in
                  ("accept-encoding", "connection", "transfer-encoding", "expect")}
        upstream = http.client.HTTPSConnection("127.0.0.1", self.upstream_port, timeout=60,
                                               context=self.trust)
        with contextlib.closing(upstream):
            upstream.request(client.command, client.path, body or None, fields)
            answer = upstream.getresponse()
            data = answer.read()
        size = answer.headers.get("Content-Length", "0")
        for pattern, change in self.changes:
            if answer.status == 200 and client.command == "GET" and re.search(pattern, client.path):
                data = change(data)
                size = str(len(data))
        client.send_response_only(answer.status, answer.reason)
        for name, value in answer.headers.items():
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                client.send_header(name, value)
        if answer.status != 204:
            client.send_header("Content-Length", size if client.command == "HEAD"
                               else str(len(data)))
        client.end_headers()
        client.wfile.write(data)

    @staticmethod
    def unchunk(client):
        if client.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return b""
        data = b""
        while size := int(client.rfile.readline().split(b";")[0], 16):
            data += client.rfile.read(size)
            client.rfile.readline()
        client.rfile.readline()
        return data


class ProxiedServer(koya_e2e.Server):
    """Koya behind a Proxy: its URL, and every URL that it writes, is the proxy's."""

    def __init__(self, data, *arguments, **more):
        self.proxy = Proxy()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.real_port = free.getsockname()[1]
        super().__init__(data, *arguments, "--url", f"https://127.0.0.1:{self.proxy.port}",
                         listen=f"127.0.0.1:{self.real_port}", **more)

    def start(self):
        super().start()
        self.proxy.start(self.real_port, self.data)
        return self

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        self.proxy.stop()
