"""The history of a run: what was asked, what was answered and which fault was there, as JSON lines.

One harness does everything, so one monotonic clock gives every line its time (`t`, seconds since the
run began). `invoke` opens an operation; `ok` (it happened), `fail` (it did not) or `info` (nobody
knows) closes it, under the same `id`. An operation that nothing closes is doubtful, too.
"""
import itertools
import json
import threading
import time


class History:
    """Written to a file as it happens; safe from any thread."""

    def __init__(self, path):
        self.path, self.begun = path, time.monotonic()
        self.file = open(path, "w", encoding="ascii", buffering=1)
        self.lock, self.numbers = threading.Lock(), itertools.count(1)

    def now(self):
        return time.monotonic() - self.begun

    def write(self, what, **more):
        with self.lock:
            self.file.write(json.dumps({"t": round(self.now(), 6), "what": what, **more}) + "\n")

    def invoke(self, op, **arguments):
        number = next(self.numbers)
        self.write("invoke", id=number, op=op, **arguments)
        return number

    def close(self):
        with self.lock:
            self.file.close()


def read(path):
    with open(path, encoding="ascii") as lines:
        return [json.loads(line) for line in lines]
