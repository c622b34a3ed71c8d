"""Whether passwords keep anybody waiting: latency of other requests while fifty people sign in at once.

Paced requests for a document on a few connections, from the other core, with and without people who
sign in over and over; each has an address of its own, as behind a proxy, and always gives the right password.
"""
import contextlib
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

from servers import LOAD_CORE, Koya

from koya_e2e import PLAIN_MODULE, tar_gz

PEOPLE = 50
PASSWORD = "correct horse battery staple"
CONNECTIONS = 4
PAUSE = 0.002  # seconds between two requests of a connection
SETTLE = 1  # seconds until all of the crowd are at it
LEAST_ROUNDS = 15
GOAL = 1.5


class Server(Koya):
    """Takes the addresses of the clients from whoever is on this machine."""

    def __init__(self, data):
        super().__init__(data, tls=False)
        self.arguments = [*self.arguments, "--server.trusted_proxies", "127.0.0.1/32"]


def add_people(server):
    for number in range(PEOPLE):
        answer = server.request("POST", "/api/v1/users", token=server.token,
                                body=json.dumps({"name": f"person{number}"}).encode())
        assert answer.status == 201, answer
        answer = server.request("PUT", f"/api/v1/users/person{number}/password",
                                token=server.token, body=json.dumps({"password": PASSWORD}).encode())
        assert answer.status == 204, answer


def sign_in(port, number):
    """One person, once: the page, then the form."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        forwarded = {"X-Forwarded-For": f"10.0.{number // 250}.{number % 250 + 1}",
                     "X-Forwarded-Proto": "https"}
        connection.request("GET", "/login", headers=forwarded)
        page = connection.getresponse()
        csrf = re.search(r'name="csrf" value="([^"]+)"', page.read().decode()).group(1)
        cookies = "; ".join(value.partition(";")[0] for name, value in page.getheaders()
                            if name.lower() == "set-cookie")
        form = urllib.parse.urlencode({"username": f"person{number}", "password": PASSWORD,
                                       "csrf": csrf, "to": "/"})
        connection.request("POST", "/login", form, {
            **forwarded, "Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        answer.read()
        return answer.status


def crowd(port):
    """PEOPLE who sign in over and over, until there is nothing more to read; tells what they got."""
    stopping, statuses = threading.Event(), []

    def go_on(number):
        while not stopping.is_set():
            statuses.append(sign_in(port, number))

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(PEOPLE)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stopping.set()
    for thread in threads:
        thread.join()
    print(json.dumps(statuses))


class Crowd:
    """The crowd in a process of its own, which only runs when whoever measures does not: on one core
    with it, neither its threads nor its turns may add to what is measured."""

    def __init__(self, port):
        self.port, self.statuses = port, []

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, str(self.port)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        os.sched_setaffinity(self.process.pid, {int(LOAD_CORE)})
        os.sched_setscheduler(self.process.pid, os.SCHED_IDLE, os.sched_param(0))
        time.sleep(SETTLE)
        return self

    def __exit__(self, *_):
        self.statuses = json.loads(self.process.communicate(timeout=120)[0])


def latencies(port, path, seconds):
    """Of paced requests, in seconds."""
    results, end = [], time.monotonic() + seconds

    def ask():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with contextlib.closing(connection):
            while time.monotonic() < end:
                begin = time.perf_counter()
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                results.append(time.perf_counter() - begin)
                assert answer.status == 200, answer.status
                time.sleep(PAUSE)

    threads = [threading.Thread(target=ask) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def p99(values):
    return statistics.quantiles(values, n=100)[98]


def measure(bench, path):
    """p99 of a document's requests with the crowd ÷ without, one a round, and what the crowd did."""
    data = bench.folder / "sign-ins"
    shutil.copytree(bench.folder / "seeded", data)
    server = Server(data).start()
    try:
        add_people(server)
        server.publish("acme/vpc/aws", "1.0.0", tar_gz(PLAIN_MODULE))
        rounds = 2 if bench.options.quick else max(LEAST_ROUNDS, bench.options.rounds)
        figures = {"ratios": [], "alone": [], "crowded": [], "signed_in": 0, "refused": 0}
        for number in range(-1, rounds):  # round -1 warms up, and is thrown away
            figures_of_round(server, path, bench.options.seconds, number, figures)
        return figures
    finally:
        server.stop()


def figures_of_round(server, path, seconds, number, figures):
    found = {}
    for crowded in (False, True) if number % 2 else (True, False):
        with Crowd(server.port) if crowded else contextlib.nullcontext() as crowd:
            found[crowded] = p99(latencies(server.port, path, seconds))
        if crowded and number >= 0:
            figures["signed_in"] += crowd.statuses.count(303)
            figures["refused"] += len(crowd.statuses) - crowd.statuses.count(303)
    if number >= 0:
        figures["alone"].append(found[False])
        figures["crowded"].append(found[True])
        figures["ratios"].append(found[True] / found[False])


def markdown(figures):
    ratios = figures["ratios"]
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    verdict = "holds" if median <= GOAL else "**missed**"
    return ["", "## Passwords beside other requests", "",
            f"p99 of paced requests for a document on {CONNECTIONS} connections, without and with "
            f"{PEOPLE} people who sign in over and over ({figures['signed_in']} times in all, "
            f"{figures['refused']} refused); median of the rounds.", "",
            "| alone | with sign-ins | ratio: median, quartiles (least–most) | goal |",
            "|---|---|---|---|",
            f"| {1e3 * statistics.median(figures['alone']):.2f} ms | "
            f"{1e3 * statistics.median(figures['crowded']):.2f} ms | {median:.2f}, "
            f"{low:.2f}–{high:.2f} ({min(ratios):.2f}–{max(ratios):.2f}) | ≤ {GOAL}: {verdict} |"]


if __name__ == "__main__":
    crowd(int(sys.argv[1]))
