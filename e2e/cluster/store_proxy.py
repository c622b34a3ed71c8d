#!/usr/bin/env python3
"""What stands before the S3 server: passes everything on, until it is told to answer badly.

A process of its own (this file as a program), told what to do by JSON lines on its standard input;
`StoreProxy` is the harness's side. A mood is {"kind": …, "share": 0…1}: that part of the requests is
treated so, the others pass.
"""
import contextlib
import http.client
import http.server
import json
import pathlib
import random
import socket
import struct
import subprocess
import sys
import threading

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close with RST
HOLD_SECONDS = 120
HOP = ("connection", "keep-alive", "transfer-encoding", "expect", "content-length")

ERRORS = {  # kind: (status, code)
    "503": (503, "ServiceUnavailable"), "slowdown": (503, "SlowDown"), "500": (500, "InternalError")}


class State:
    """The mood, and the dice that say whom it meets."""

    def __init__(self, port):
        self.port, self.lock = port, threading.Lock()
        self.calm = threading.Event()
        self.change(None)

    def change(self, kind, share=1.0, once=False, seed=0):
        with self.lock:
            self.kind, self.share, self.once = kind, share, once
            self.dice = random.Random(seed)
        (self.calm.clear if kind else self.calm.set)()

    def met(self, method, path):
        """What happens to this request: a kind, or None. Only objects are treated badly."""
        with self.lock:
            kind = self.kind
            reads_only = kind in ("404", "flip", "reset", "slow")
            if not kind or "/sha256/" not in path or (reads_only and method != "GET"):
                return None
            if self.dice.random() >= self.share:
                return None
            if self.once:
                self.kind = None
            return kind


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, timeout = "HTTP/1.1", HOLD_SECONDS
    state = None

    def log_message(self, *_):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind = self.state.met(self.command, self.path)
        if kind in ERRORS:
            self.refuse(*ERRORS[kind])
        elif kind == "404":
            self.refuse(404, "NoSuchKey")
        elif kind == "silent":
            self.state.calm.wait(HOLD_SECONDS)
            self.close_connection = True
        else:
            self.pass_on(kind, body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

    def refuse(self, status, code):
        text = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{code}</Message></Error>"
        self.send_response_only(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def pass_on(self, kind, body):
        store = http.client.HTTPConnection("127.0.0.1", self.state.port, timeout=HOLD_SECONDS)
        with contextlib.closing(store):
            store.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in HOP:
                    store.putheader(name, value)
            if body or self.command in ("PUT", "POST"):
                store.putheader("Content-Length", str(len(body)))
            store.endheaders(body or None)
            answer = store.getresponse()
            data = answer.read()
        if kind == "lost":  # it was done, and nobody hears of it
            self.reset()
            return
        self.send_head(answer, len(data))
        self.send_body(kind, data)

    def send_head(self, answer, size):
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.headers.items():
            if name.lower() not in HOP:
                self.send_header(name, value)
        told = answer.headers.get("Content-Length") if self.command == "HEAD" else str(size)
        if answer.status != 204:
            self.send_header("Content-Length", told or "0")
        self.end_headers()

    def send_body(self, kind, data):
        if kind == "flip" and data:
            place = len(data) // 2
            data = data[:place] + bytes([data[place] ^ 1]) + data[place + 1:]
        if kind == "reset":
            self.wfile.write(data[:len(data) // 2])
            self.reset()
        elif kind == "slow":
            for begin in range(0, len(data), 1024):
                self.wfile.write(data[begin:begin + 1024])
                self.state.calm.wait(0.1)
        else:
            self.wfile.write(data)

    def reset(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.connection.close()


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 256

    def handle_error(self, *_):
        pass  # one side has left


def run(port):
    Handler.state = State(port)
    server = Listener(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    for line in sys.stdin:
        Handler.state.change(**json.loads(line))
        print("done", flush=True)


# ---- the harness's side

class StoreProxy:
    def __init__(self, port):
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(pathlib.Path(__file__).resolve()), str(port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def change(self, kind, **more):
        self.process.stdin.write(json.dumps({"kind": kind, **more}) + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


if __name__ == "__main__":
    run(int(sys.argv[1]))
