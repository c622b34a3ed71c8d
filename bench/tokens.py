"""What it costs to check a token: the same requests with one and without, in turns, on one server."""
import statistics

import load

CONNECTIONS = 32
LEAST_ROUNDS = 15
GOAL = 1.10


def measure(bench, path):
    """{"plain" | "TLS": ratios of CPU time, with ÷ without, one a round}"""
    rounds = 2 if bench.options.quick else max(LEAST_ROUNDS, bench.options.rounds)
    figures = {}
    for how, server in (("plain", bench.plain), ("TLS", bench.tls)):
        fields = {False: (), True: (f"Authorization: Bearer {server.token}",)}
        ratios = []
        for number in range(-1, rounds):  # round -1 warms up, and is thrown away
            costs = {}
            for with_token in (False, True) if number % 2 else (True, False):
                sample = load.requests(server, path, CONNECTIONS, bench.options.seconds,
                                       "identity", fields[with_token])
                costs[with_token] = sample.cost
            if number >= 0:
                ratios.append(costs[True] / costs[False])
        figures[how] = ratios
        print(f"  token, {how}: {words(ratios)}", flush=True)
    return figures


def words(ratios):
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return f"{median:.2f}, {low:.2f}–{high:.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def markdown(figures):
    lines = ["", "## A token", "",
             f"A 1.5 KB document, {CONNECTIONS} connections: CPU time of a request with a token ÷ "
             "without; median, quartiles (least–most).", "", "| | ratio | goal |", "|---|---|---|"]
    for how, ratios in figures.items():
        verdict = "holds" if statistics.median(ratios) <= GOAL else "**missed**"
        lines.append(f"| {how} | {words(ratios)} | ≤ {GOAL:.2f}: {verdict} |")
    return lines
