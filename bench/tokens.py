"""What it costs to know who asks: the same requests in two ways, in turns, on one server.

A document with a token and without; an archive by a capability URL, whose namespace is private, and
by a plain one.
"""
import json
import statistics
import urllib.parse

import load
from koya_e2e import PLAIN_MODULE, tar_gz

CONNECTIONS = 32
LEAST_ROUNDS = 15
GOAL = 1.10


def measure(bench, path):
    """{"what, plain or TLS": ratios of CPU time, the second way ÷ the first, one a round}"""
    figures = {}
    for how, server in (("plain", bench.plain), ("TLS", bench.tls)):
        token = (f"Authorization: Bearer {server.token}",)
        figures[f"token, {how}"] = compare(bench, server, (path, ()), (path, token))
        figures[f"capability URL, {how}"] = compare(
            bench, server, *((each, ()) for each in archives(server)))
        for what in ("token", "capability URL"):
            print(f"  {what}, {how}: {words(figures[f'{what}, {how}'])}", flush=True)
    return figures


def archives(server):
    """Of the same module, published twice: where it is public, and a location where it is private."""
    archive = tar_gz(PLAIN_MODULE)
    for namespace in ("opened", "closed"):
        server.publish(f"{namespace}/one/null", "1.0.0", archive)
    answer = server.request("PUT", "/api/v1/namespaces/closed", token=server.token,
                            body=json.dumps({"visibility": "private"}).encode())
    assert answer.status == 200, answer
    answer = server.get("/v1/modules/closed/one/null/1.0.0/download", token=server.token)
    parts = urllib.parse.urlsplit(answer.headers["x-terraform-get"])
    assert "sig=" in parts.query, parts
    return server.archive_path("opened/one/null", "1.0.0"), f"{parts.path}?{parts.query}"


def compare(bench, server, first, second):
    ratios = []
    rounds = 2 if bench.options.quick else max(LEAST_ROUNDS, bench.options.rounds)
    for number in range(-1, rounds):  # round -1 warms up, and is thrown away
        costs = {}
        for way in (first, second) if number % 2 else (second, first):
            path, fields = way
            sample = load.requests(server, path, CONNECTIONS, bench.options.seconds, "identity",
                                   fields)
            costs[way] = sample.cost
        if number >= 0:
            ratios.append(costs[second] / costs[first])
    return ratios


def words(ratios):
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return f"{median:.2f}, {low:.2f}–{high:.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def markdown(figures):
    lines = ["", "## Who asks", "",
             f"A 1.5 KB document with a token ÷ without, and an archive of 300 bytes by a capability "
             f"URL ÷ by a plain one, {CONNECTIONS} connections: CPU time of a request; median, "
             "quartiles (least–most).", "", "| | ratio | goal |", "|---|---|---|"]
    for what, ratios in figures.items():
        verdict = "holds" if statistics.median(ratios) <= GOAL else "**missed**"
        lines.append(f"| {what} | {words(ratios)} | ≤ {GOAL:.2f}: {verdict} |")
    return lines
