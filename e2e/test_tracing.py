"""Spans of requests whose client records a trace, as a collector of OpenTelemetry gets them."""
import collections
import contextlib
import http.server
import json
import threading
import time
import unittest

import koya_e2e
import koya_s3
from koya_e2e import tar_gz, wait_until
from koya_mirror import ALLOWED, PACKAGE, VERSION, MirrorTestCase
from koya_provider import ZIP, author

TRACE = "4bf92f3577b34da6a3ce929d0e0e47"  # and two digits more
CALLER = "00f067aa0ba902b7"


def sampled(number, flags="01"):
    return {"traceparent": f"00-{TRACE}{number:02x}-{CALLER}-{flags}"}


class Collector:
    """Receives OTLP over HTTP; `answer(handler)` decides how it responds."""

    def __init__(self):
        self.posts, self.hang = [], threading.Event()
        self.hang.set()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.hang.wait(60)
                collector.posts.append((self.path, self.headers["Content-Type"], body))
                with contextlib.suppress(OSError):  # the exporter may have given up
                    self.send_response(200)
                    self.send_header("Content-Length", "2")
                    self.end_headers()
                    self.wfile.write(b"{}")

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def off(self):
        self.hang.set()
        self.server.shutdown()
        self.server.server_close()

    def spans(self, number):
        """{name: [span]} of that trace."""
        found = collections.defaultdict(list)
        for _, _, body in list(self.posts):
            for of_resource in json.loads(body)["resourceSpans"]:
                for of_scope in of_resource["scopeSpans"]:
                    for span in of_scope["spans"]:
                        if span["traceId"] == f"{TRACE}{number:02x}":
                            found[span["name"]].append(span)
        return found

    def wait_for(self, number, *names):
        def there():
            found = self.spans(number)
            return found if all(name in found for name in names) else None
        return wait_until(there, f"the spans {names} of trace {number}")


def attributes(span):
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


class Tracing(MirrorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.collector = Collector()
        cls.addClassCleanup(cls.collector.off)
        cls.upstream = cls.registry()
        cls.upstream.add("acme/demo", cls.files, author())
        cls.koya = cls.mirror("data", cls.upstream, arguments=(
            *ALLOWED, "--observability.otlp_endpoint", f"{cls.collector.url}/"))

    def test_the_steps_of_a_request(self):
        seen = {}
        path = self.upstream.versions_path("acme/demo")

        def note(handler, good):
            seen["traceparent"] = handler.headers["traceparent"]
            handler.send_response(200)
            handler.send_header("Content-Type", good.content_type)
            handler.send_header("Content-Length", str(len(good.body)))
            handler.end_headers()
            handler.wfile.write(good.body)
        self.upstream.faults[path] = note
        got = self.koya.get(VERSION.path(self.upstream, "acme/demo"), sampled(1))
        self.assertEqual(got.status, 200, got)
        begun = time.monotonic()
        route = "GET /mirror/{hostname}/{namespace}/{type}/{file}"
        spans = self.collector.wait_for(1, "catalog read", "upstream GET", route)
        self.assertLess(time.monotonic() - begun, 5)
        request, = spans[route]
        self.assertEqual((request["parentSpanId"], request["kind"]), (CALLER, 2))
        self.assertEqual(attributes(request)["http.response.status_code"], "200")
        self.assertEqual(attributes(request)["url.path"], VERSION.path(self.upstream, "acme/demo"))
        for name in ("catalog read", "upstream GET"):
            for span in spans[name]:
                self.assertEqual(span["parentSpanId"], request["spanId"])
                self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
                self.assertEqual(span["kind"], 3)
        self.assertTrue(all(attributes(span)["db.query.summary"] for span in spans["catalog read"]))
        self.assertEqual({attributes(span)["server.address"] for span in spans["upstream GET"]},
                         {self.upstream.host})
        # The registry gets the trace, with the step that asked it.
        version, trace, caller, flags = seen["traceparent"].split("-")
        self.assertEqual((version, trace, flags), ("00", f"{TRACE}01", "01"))
        self.assertIn(caller, {span["spanId"] for span in spans["upstream GET"]})
        where, kind, _ = self.collector.posts[0]
        self.assertEqual((where, kind), ("/v1/traces", "application/json"))

    def test_only_clients_that_record_are_traced(self):
        for fields in (sampled(2, "00"), {}, {"traceparent": "00-garbage-01"}):
            got = self.koya.get("/v1/modules", fields)
            self.assertEqual(got.status, 200, got)
        self.koya.get("/v1/modules", sampled(3))
        self.koya.get("/nothing", sampled(3))
        spans = self.collector.wait_for(3, "GET /v1/modules", "GET (no route)")
        self.assertEqual({name: len(found) for name, found in spans.items()
                          if name.startswith("GET")}, {"GET /v1/modules": 1, "GET (no route)": 1})
        self.assertFalse(self.collector.spans(2))

    def test_an_upload_and_a_refusal(self):
        archive = tar_gz({"main.tf": 'output "a" {\n  value = 1\n}\n'})
        got = self.koya.put_module("acme/traced/null", "1.0.0", archive, headers=sampled(4))
        self.assertEqual(got.status, 201, got)
        spans = self.collector.wait_for(4, "catalog write")
        got = self.koya.put_module("acme/traced/null", "1.0.0", archive, headers=sampled(5),
                                   token="koya_no")
        self.assertEqual(got.status, 401, got)
        spans = self.collector.wait_for(5, "PUT /api/v1/modules/{namespace}/{name}/{system}/{version}")
        self.assertNotIn("koya_no", json.dumps(spans))

    def test_a_slow_collector_loses_spans_and_no_request(self):
        self.collector.hang.clear()
        try:
            with self.koya.one_connection() as koya:
                for _ in range(6000):
                    self.assertEqual(koya.get("/v1/modules", sampled(6)).status, 200)

            def warned():
                return [record for record in self.koya.log_records()
                        if "spans were lost" in record["message"]]
            self.assertIn("spans", wait_until(warned, "the log says so")[0])
        finally:
            self.collector.hang.set()

        def arrives():
            self.assertEqual(self.koya.get("/v1/modules", sampled(7)).status, 200)
            return self.collector.spans(7)
        wait_until(arrives, "spans arrive again, once there is room for them")


@unittest.skipIf(koya_s3.missing(), f"not installed: {', '.join(koya_s3.missing())}")
class TracingABucket(MirrorTestCase):
    def test_the_store_has_its_step(self):
        collector = Collector()
        self.addCleanup(collector.off)
        store = koya_s3.Radosgw(self.folder / "ceph")
        self.addCleanup(store.kill)
        store.start().make_bucket("koya")
        keys = self.folder / "keys"
        keys.write_text(f"{koya_s3.ACCESS}\n{koya_s3.SECRET}\n")
        upstream = self.registry()
        upstream.add("acme/demo", self.files, author())
        koya = self.mirror("data", upstream, arguments=(
            *ALLOWED, "--observability.otlp_endpoint", collector.url, "--blobs.url",
            "s3://koya/traced", "--blobs.s3.endpoint", f"http://127.0.0.1:{store.port}",
            "--blobs.s3.region", koya_s3.REGION, "--blobs.s3.access_key_file", str(keys)))
        got = koya.get(PACKAGE.path(upstream, "acme/demo"), sampled(1))
        self.assertEqual(got.body, self.files[ZIP])
        koya.publish("acme/stored/null", "1.0.0", tar_gz({"main.tf": "# one\n"}))
        koya.put_module("acme/stored/null", "1.0.1", tar_gz({"main.tf": "# two\n"}),
                        headers=sampled(2))
        spans = collector.wait_for(2, "store put", "catalog write")
        self.assertEqual(attributes(spans["store put"][0])["http.response.status_code"], "200")


if __name__ == "__main__":
    koya_e2e.main()
