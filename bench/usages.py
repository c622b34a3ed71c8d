"""What it costs to count who fetches what: a kept download document of two servers, in turns, one of
which counts. Both run the same program on copies of the same data.

By a stranger, by a token with a consumer's label, and by a token over TLS.
"""
import shutil
import statistics

import load
import seed
from servers import Koya

CONNECTIONS = 32
LEAST_ROUNDS = 15
GOAL = 1.02
PATH = f"/v1/modules/{seed.FIRST}/1.0.0/download"
LABEL = "User-Agent: OpenTofu/1.12.0 (+https://opentofu.org) koya-consumer/payments-prod"


class Server(Koya):
    """One that counts, or one that does not."""

    def __init__(self, bench, tls, counts):
        name = f"usage-{'tls' if tls else 'plain'}-{'on' if counts else 'off'}"
        shutil.copytree(bench.folder / "seeded", bench.folder / name)
        super().__init__(bench.folder / name, tls=tls)
        self.arguments = [*self.arguments, f"--usage.enabled={'true' if counts else 'false'}"]
        self.counts = counts


def measure(bench):
    """{"who, plain or TLS": ratios of CPU time, counting ÷ not, one a round}"""
    figures = {}
    for tls in (False, True):
        servers = [Server(bench, tls, counts) for counts in (True, False)]
        try:
            for server in servers:
                server.start()
            for who, fields in ways(servers[0], tls):
                what = f"{who}, {'TLS' if tls else 'plain'}"
                figures[what] = compare(bench, servers, fields)
                print(f"  counting, {what}: {words(figures[what])}", flush=True)
            counted(servers)
        finally:
            for server in servers:
                server.__exit__()
    return figures


def ways(server, tls):
    """(who, the header fields that say so) of what is measured; the token is both servers'."""
    if not tls:
        yield "a stranger", ()
    yield "a token with a label", (f"Authorization: Bearer {server.token}", LABEL)


def compare(bench, servers, fields):
    ratios = []
    rounds = 2 if bench.options.quick else max(LEAST_ROUNDS, bench.options.rounds)
    for number in range(-1, rounds):  # round -1 warms up, and is thrown away
        costs = {}
        for server in servers if number % 2 else reversed(servers):
            costs[server.counts] = load.requests(
                server, PATH, CONNECTIONS, bench.options.seconds, "identity", fields).cost
        if number >= 0:
            ratios.append(costs[True] / costs[False])
    return ratios


def counted(servers):
    """Nobody measures what does not happen: one of them has counted, and one has not."""
    for server in servers:
        report = server.get(f"/api/v1/usage/modules/{seed.FIRST}", token=server.token).json()
        assert report["counted"] == server.counts, report


def words(ratios):
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return f"{median:.3f}, {low:.3f}–{high:.3f} ({min(ratios):.3f}–{max(ratios):.3f})"


def markdown(figures):
    lines = ["", "## Counting who fetches what", "",
             f"A kept download document of a server that counts ÷ of one that does not, {CONNECTIONS} "
             "connections: CPU time of a request; median, quartiles (least–most).", "",
             "| | ratio | goal |", "|---|---|---|"]
    for what, ratios in figures.items():
        verdict = "holds" if statistics.median(ratios) <= GOAL else "**missed**"
        lines.append(f"| {what} | {words(ratios)} | ≤ {GOAL:.2f}: {verdict} |")
    return lines
