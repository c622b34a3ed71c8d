"""Another registry, scripted: https on a loopback port, with a fault for any path that is told one.

A fault is a function of (handler, good answer): it sends that answer in some bad way, or another.
Every request is counted by its path.
"""
import atexit
import collections
import functools
import http.server
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time

import koya_provider

DISCOVERY = "/.well-known/terraform.json"
PROVIDERS = "/v1/providers/"
MODULES = "/v1/modules/"
# Names that tests lead here through a proxy (koya_connect.py), the public registries' among them.
NAMES = ("localhost", "registry.upstream.test", "registry.terraform.io", "registry.opentofu.org",
         "api.opentofu.org")
HANG_SECONDS = 30  # longer than anybody waits; every hang ends when the upstream is closed
Good = collections.namedtuple("Good", "body content_type status fields", defaults=(200, None))


@functools.cache
def certificate():
    """(certificate and key, certificate) for the loopback addresses, made once."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-upstream-"))
    atexit.register(shutil.rmtree, folder, True)
    both, own = folder / "both.pem", folder / "own.pem"
    names = "subjectAltName=" + ",".join((
        *(f"DNS:{name}" for name in NAMES), "IP:127.0.0.1", "IP:127.0.0.2", "IP:0.0.0.0"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "30", "-subj", "/CN=koya e2e upstream", "-addext", names,
         "-keyout", str(both), "-out", str(own)], check=True, capture_output=True)
    both.write_text(both.read_text() + own.read_text())
    return both, own


# ---- faults

def head(handler, status, length, content_type="application/json", fields=None):
    handler.send_response(status)
    if content_type:
        handler.send_header("Content-Type", content_type)
    handler.send_header("Content-Length", str(length))
    for name, value in (fields or {}).items():
        handler.send_header(name, value)
    handler.end_headers()


def answer(status=200, body=b"{}", content_type="application/json", **fields):
    """That answer instead: a field's name is written with _ for -."""
    named = {name.replace("_", "-"): value for name, value in fields.items()}

    def send(handler, _good):
        head(handler, status, len(body), content_type, named)
        handler.wfile.write(body)
    return send


def redirect(location):
    return answer(302, b"", Location=location)


def redirect_to_itself(handler, good):
    redirect(handler.path)(handler, good)


def drop(handler, _good):
    """Closes without a word."""
    handler.upstream.cut(handler)


def hang(handler, _good):
    handler.upstream.closing.wait(HANG_SECONDS)
    handler.close_connection = True


def hang_within(handler, good):
    head(handler, 200, len(good.body), good.content_type)
    handler.wfile.write(good.body[:len(good.body) // 2])
    handler.upstream.closing.wait(HANG_SECONDS)
    handler.close_connection = True


def truncated(handler, good):
    head(handler, 200, len(good.body), good.content_type)
    handler.wfile.write(good.body[:len(good.body) // 2])
    handler.upstream.cut(handler)


def longer(handler, good):
    """More bytes than Content-Length says."""
    head(handler, 200, len(good.body), good.content_type)
    handler.wfile.write(good.body + b"and more" * 100)
    handler.upstream.cut(handler)


def extended(handler, good):
    """More bytes than every document says, and a Content-Length that fits them."""
    head(handler, 200, len(good.body) + 800, good.content_type)
    handler.wfile.write(good.body + b"and more" * 100)


def flipped(handler, good):
    """One byte is another, the last one."""
    head(handler, 200, len(good.body), good.content_type)
    handler.wfile.write(good.body[:-1] + bytes([good.body[-1] ^ 1]))


def trickle(pieces, pause):
    """In so many pieces, each `pause` seconds after the one before."""
    def send(handler, good):
        head(handler, 200, len(good.body), good.content_type)
        size = -(-len(good.body) // pieces)
        for begin in range(0, len(good.body), size):
            handler.wfile.write(good.body[begin:begin + size])
            handler.wfile.flush()
            if handler.upstream.closing.wait(pause):
                return
    return send


def held(gate, share=0.5):
    """Sends a part, and the rest when `gate` (an Event) is set."""
    def send(handler, good):
        head(handler, 200, len(good.body), good.content_type)
        part = int(len(good.body) * share)
        handler.wfile.write(good.body[:part])
        handler.wfile.flush()
        gate.wait(HANG_SECONDS)
        handler.wfile.write(good.body[part:])
    return send


# ---- the registry

class Upstream:
    """A registry on a loopback port. Without `shake_hands`, connections are taken and never spoken
    to."""

    def __init__(self, address="127.0.0.1", shake_hands=True):
        self.address, self.port, self.shake_hands = address, 0, shake_hands
        self.goods, self.faults = {}, {}
        self.counts, self.connections = collections.Counter(), 0
        self.requests = []  # (path, query, {field: value}), in the order they came
        self.times = {}  # {path: when it was asked for, by the monotonic clock}
        self.listed = collections.defaultdict(list)
        self.listed_modules = collections.defaultdict(list)
        self.lock = threading.Lock()
        self.server = None
        self.put(DISCOVERY, {"modules.v1": MODULES, "providers.v1": PROVIDERS})
        self.on()

    # ---- on and off, on the same port

    def on(self):
        upstream = self
        self.closing, self.open = threading.Event(), set()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate()[0])

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version, timeout = "HTTP/1.1", HANG_SECONDS

            def setup(self):
                self.upstream = upstream
                super().setup()

            def log_message(self, *_):
                pass

            def do_GET(self):
                upstream.serve(self)

            do_POST = do_GET

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 128

            def finish_request(self, request, client_address):
                with upstream.lock:
                    upstream.connections += 1
                    upstream.open.add(request)
                try:
                    upstream.talk(request, context, client_address, self)
                except OSError:
                    pass  # the other side has left
                finally:
                    with upstream.lock:
                        upstream.open.discard(request)

            def handle_error(self, *_):
                pass

        self.handler = Handler
        self.server = Listener((self.address, self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.accept, args=(self.server,), daemon=True).start()
        return self

    def accept(self, server):
        """Takes connections until the listening socket is shut."""
        while not self.closing.is_set():
            try:
                server.process_request(*server.get_request())
            except OSError:
                return

    def talk(self, request, context, client_address, server):
        if not self.shake_hands:
            self.closing.wait(HANG_SECONDS)
            return
        request.settimeout(HANG_SECONDS)
        with context.wrap_socket(request, server_side=True, suppress_ragged_eofs=True) as secure:
            with self.lock:
                self.open.add(secure)
            try:
                self.handler(secure, client_address, server)
            finally:
                with self.lock:
                    self.open.discard(secure)

    def off(self):
        """Refuses connections from now on, and ends those that are open."""
        if not self.server:
            return
        self.closing.set()
        self.server.socket.shutdown(socket.SHUT_RDWR)
        self.server.server_close()
        self.server = None
        with self.lock:
            for connection in self.open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def cut(self, handler):
        """Ends the connection in the middle of whatever it is."""
        handler.close_connection = True
        handler.wfile.flush()
        try:
            handler.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    # ---- what it says

    @property
    def host(self):
        return f"{self.address}:{self.port}"

    def url(self, path):
        return f"https://{self.host}{path}"

    def put(self, path, document, content_type=None, status=200, fields=None):
        if not isinstance(document, bytes):
            document, content_type = json.dumps(document).encode(), "application/json"
        content_type = content_type or "application/octet-stream"
        self.goods[path] = Good(document, content_type, status, fields)

    def serve(self, handler):
        path, _, query = handler.path.partition("?")
        with self.lock:
            self.counts[path] += 1
            self.times.setdefault(path, []).append(time.monotonic())
            self.requests.append((path, query, dict(handler.headers.items())))
        good, fault = self.goods.get(path), self.faults.get(path)
        if fault:
            fault(handler, good)
        elif good:
            head(handler, good.status, len(good.body), good.content_type, good.fields)
            handler.wfile.write(good.body)
        else:
            self.serve_rest(handler, path, query)

    def serve_rest(self, handler, _path, _query):
        """What nothing was put at."""
        answer(404, b'{"errors":["Not Found"]}')(handler, None)

    # ---- providers

    def versions_path(self, address):
        return f"{PROVIDERS}{address}/versions"

    def download_path(self, address, version="1.0.0", platform="linux_amd64"):
        return f"{PROVIDERS}{address}/{version}/download/{platform.replace('_', '/')}"

    def file_path(self, address, name):
        return f"/files/{address}/{name}"

    def add(self, address, files, *keys, version="1.0.0", packages=False, **changes):
        """Offers a release: {name: bytes} as koya_provider makes them. `changes`: of every download
        document."""
        stem = koya_provider.stem(address.split("/")[1], version)
        platforms = [name.removeprefix(stem + "_").removesuffix(".zip")
                     for name in files if name.endswith(".zip")]
        for name, data in files.items():
            self.put(self.file_path(address, name), data)
        for platform in platforms:
            document = self.document(address, stem, platform, files, keys)
            if packages:
                document["packages"] = {
                    each: {"hashes": [koya_provider.zh(files[f"{stem}_{each}.zip"])],
                           "package_size": len(files[f"{stem}_{each}.zip"])}
                    for each in platforms}
            self.put(self.download_path(address, version, platform), {**document, **changes})
        self.listed[address].append({
            "version": version, "protocols": ["5.0"],
            "platforms": [dict(zip(("os", "arch"), each.split("_"))) for each in platforms]})
        self.put(self.versions_path(address), {"versions": self.listed[address]})
        return files

    def document(self, address, stem, platform, files, keys):
        name = f"{stem}_{platform}.zip"
        os_name, arch = platform.split("_")
        urls = {field: self.url(self.file_path(address, file)) for field, file in (
            ("download_url", name), ("shasums_url", f"{stem}_SHA256SUMS"),
            ("shasums_signature_url", f"{stem}_SHA256SUMS.sig"))}
        return {"protocols": ["5.0"], "os": os_name, "arch": arch, "filename": name, **urls,
                "shasum": koya_provider.zh(files[name]).removeprefix("zh:"),
                "signing_keys": {"gpg_public_keys": [
                    {"key_id": key.key_id, "ascii_armor": key.armor} for key in keys]}}

    # ---- modules

    def module_versions_path(self, address):
        return f"{MODULES}{address}/versions"

    def module_download_path(self, address, version="1.0.0"):
        return f"{MODULES}{address}/{version}/download"

    def module_archive_path(self, address, version="1.0.0", suffix="tar.gz"):
        return f"/packages/{address}/{version}.{suffix}"

    def add_module(self, address, archive=None, version="1.0.0", *, suffix="tar.gz",
                   location=None, more="", as_json=False):
        """Offers a version "NS/NAME/SYSTEM". Its location is `location`, a go-getter address of any
        form, else the URL of `archive` (bytes, put at module_archive_path with `suffix`) with `more`
        behind it ("//sub?checksum=…"). It is said with 204 and X-Terraform-Get; with `as_json`, with
        200 and {"location": …}. Returns the location."""
        if archive is not None:
            path = self.module_archive_path(address, version, suffix)
            self.put(path, archive)
            location = location or self.url(path) + more
        self.put_location(address, location, version, as_json=as_json)
        self.list_modules(address, *self.listed_modules[address], version)
        return location

    def put_location(self, address, location, version="1.0.0", *, as_json=False):
        """What the download document of a version says, whether it is listed or not."""
        path = self.module_download_path(address, version)
        if as_json:
            self.put(path, {"location": location})
        else:
            self.put(path, b"", status=204, fields={"X-Terraform-Get": location})

    def list_modules(self, address, *versions, discovered=None):
        """Which versions the list has: any text, in this order. `discovered`: release times by version."""
        self.listed_modules[address] = list(versions)
        times = discovered or {}
        self.put(self.module_versions_path(address), {"modules": [{"source": address, "versions": [
            {"version": each, **({"discovered": times[each]} if each in times else {})}
            for each in versions]}]})

    # ---- docs of providers

    def add_docs(self, address, pages, version="1.0.0", number="11"):
        """Offers docs {"resources/thing": text} by both families of APIs. Returns the places of each
        page: below /v2/, and among the files."""
        records, lists, places = [], {"index": None}, {}
        for at, (page, text) in enumerate(pages.items(), 1):
            kind, name = page.split("/")
            record = f"/v2/provider-docs/{number}{at}"
            said = {"category": kind, "slug": name, "language": "hcl", "title": name,
                    "subcategory": "", "truncated": False}
            records.append({"type": "provider-docs", "id": f"{number}{at}", "attributes": said})
            self.put(record, {"data": {**records[-1], "attributes": {**said, "content": text}}})
            item = {"name": name, "title": name, "description": f"About {name}"}
            folder = {"data-sources": "datasources"}.get(kind, kind) + "/"
            if kind == "overview":
                lists["index"], folder = item, ""
            else:
                lists.setdefault(folder[:-1], []).append(item)
            file = f"{self.docs_folder(address, version)}{folder}{name}.md"
            self.put(file, text.encode(), "text/markdown")
            places[page] = record, file
        self.put(f"/v2/providers/{address}", {"data": {"id": "1"}, "included": [
            {"type": "provider-versions", "id": number, "attributes": {"version": version}}]})
        self.put(f"/v2/provider-versions/{number}", {"data": {"id": number}, "included": records})
        self.put(f"{self.docs_folder(address, version)}index.json",
                 {"id": f"v{version}", "docs": lists, "cdktf_docs": {}})
        return places

    def docs_folder(self, address, version="1.0.0"):
        return f"/registry/docs/providers/{address}/v{version}/"

    # ---- what was asked

    def asked(self, path):
        with self.lock:
            return self.counts[path]

    def asked_at(self, path):
        with self.lock:
            return list(self.times.get(path, ()))

    def total(self):
        """Requests so far, but for details of versions: those come in the background, at any time."""
        def is_details(path):
            return path.startswith((PROVIDERS, MODULES)) and path.rpartition("/")[2][:1].isdigit()
        with self.lock:
            return sum(count for path, count in self.counts.items() if not is_details(path))
