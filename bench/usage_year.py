"""What it takes to say who fetches what, of a year of counts: 25,000 modules, 2,000 consumers that fetch twelve modules
a day each. What is older than 90 days (usage.keep_detail) was folded into months, as a server does.

The rows are written into the database of a stopped server. Half of what is fetched is of the 100 modules that everybody
takes. Asked with one connection by an administrator, who is told names.
"""
import http.client
import random
import shutil
import statistics
import time

import seed
from servers import Koya, peak_megabytes, resident_megabytes

MODULES, VERSIONS, CONSUMERS, A_DAY = 25_000, 4, 2_000, 12
DETAIL, YEAR, SECONDS_OF_DAY = 90, 365, 86_400
POPULAR, NAMESPACES = 100, 500
CLIENTS = (10_113, 20_112)  # OpenTofu 1.12, Terraform 1.11 (domain/usage_agent.h)
GOAL = 50.0                 # ms


def address_of(number):
    return f"team{number % NAMESPACES}/module_{number}/aws"


def published(modules):
    """Those that are there as modules, too: what is asked for. The others are counts alone."""
    return [number for number in range(modules) if number < POPULAR or number % NAMESPACES < 4]


def fill(data, modules):
    """What the server would have written; the sums of each item agree with its days."""
    made, today = random.Random(3), int(time.time()) // SECONDS_OF_DAY
    consumers = CONSUMERS * modules // MODULES
    days, months, items = {}, {}, {}

    def count(day, consumer):
        number = made.randrange(POPULAR) if made.random() < 0.5 else made.randrange(modules)
        # Most take the newest version, some are behind.
        version = min(int(made.expovariate(1.2)), VERSIONS - 1)
        item, client = 1 + number * VERSIONS + version, CLIENTS[consumer % 2]
        if today - day < DETAIL:
            key = (item, day, 1 + consumer, 1 + CONSUMERS + consumer, client)
            days[key] = days.get(key, 0) + 1
        else:
            key = (item, first_of_month(day), client)
            months[key] = months.get(key, 0) + 1
        total, last = items.get(item, (0, 0))
        items[item] = (total + 1, max(last, day))

    for day in range(today - YEAR + 1, today + 1):
        for consumer in range(consumers):
            for _ in range(A_DAY):
                count(day, consumer)
    with seed.catalog_of(data) as database:
        database.executemany("INSERT INTO usage_name (id, kind, name, last_day) VALUES (?, ?, ?, ?)", (
            (1 + kind * CONSUMERS + each, 1 + kind, f"{('service:deploy', 'pipeline')[kind]}-{each}", today)
            for kind in range(2) for each in range(consumers)))
        database.executemany(
            "INSERT INTO usage_item (id, kind, address, version, namespace, fetches, archives, last_day) "
            "VALUES (?, 1, ?, ?, ?, ?, 0, ?)",
            ((item, address_of((item - 1) // VERSIONS), f"1.0.{VERSIONS - 1 - (item - 1) % VERSIONS}",
              address_of((item - 1) // VERSIONS).split("/")[0], *sums) for item, sums in sorted(items.items())))
        database.executemany("INSERT INTO usage_day VALUES (?, ?, ?, ?, ?, ?, 0)",
                             ((*key, fetches) for key, fetches in sorted(days.items())))
        database.executemany("INSERT INTO usage_month VALUES (?, ?, ?, ?, 0)",
                             ((*key, fetches) for key, fetches in sorted(months.items())))
    return {"days": len(days), "months": len(months)}


def first_of_month(day):
    at = time.gmtime(day * SECONDS_OF_DAY)
    return day - at.tm_mday + 1


def questions(made, modules):
    popular, some = address_of(made.randrange(POPULAR)), address_of(made.choice(published(modules)[POPULAR:]))
    usage = "/api/v1/usage"
    return {"a module, 30 days": f"{usage}/modules/{some}",
            "a module, a year": f"{usage}/modules/{some}?days=365",
            "one that everybody takes, 30 days": f"{usage}/modules/{popular}",
            "the same by consumer, a year": f"{usage}/modules/{popular}?days=365&by=consumer",
            "who uses it, how far behind, and its dependents": f"{usage}/modules/{popular}/used-by",
            "who would miss a version": f"{usage}/impact/{popular}/1.0.2",
            "how far behind a namespace's consumers are": f"{usage}/lag?namespace={some.split('/')[0]}",
            "what nobody fetches": f"{usage}/unused?days=180"}


def measure(bench):
    """{"rows": …, "took": {question: seconds…}, "started", "after", "peak"}"""
    modules = MODULES // 20 if bench.options.quick else MODULES
    data = bench.folder / "usage-year"
    shutil.copytree(bench.folder / "seeded", data)
    seed.multiply(data, {address_of(number): VERSIONS for number in published(modules)})
    figures = {"rows": fill(data, modules), "modules": modules, "took": {}}
    made, server = random.Random(5), Koya(data, tls=False)
    try:
        server.start()
        figures["started"] = resident_megabytes(server.pid)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        for _ in range(10 if bench.options.quick else 100):
            for what, path in questions(made, modules).items():
                begin = time.perf_counter()
                connection.request("GET", path, headers={"Authorization": f"Bearer {server.token}"})
                answer = connection.getresponse()
                body = answer.read()
                figures["took"].setdefault(what, []).append(time.perf_counter() - begin)
                assert answer.status == 200, f"{path}: {answer.status} {body[:200]}"
        figures["after"], figures["peak"] = resident_megabytes(server.pid), peak_megabytes(server.pid)
    finally:
        server.__exit__()
        shutil.rmtree(data, ignore_errors=True)
    for what, took in figures["took"].items():
        print(f"  {what}: {1e3 * statistics.median(took):.2f} ms", flush=True)
    return figures


def markdown(figures):
    rows = figures["rows"]
    lines = ["", "## A year of counts", "",
             f"{figures['modules']:,} modules; {rows['days']:,} sums of days, {rows['months']:,} of months, on SQLite. One connection, "
             "the client's own time included, ms.", "", "| asked | median | p99 | goal |", "|---|---|---|---|"]
    for what, took in figures["took"].items():
        median, high = 1e3 * statistics.median(took), 1e3 * statistics.quantiles(took, n=100)[98]
        verdict = "holds" if high <= GOAL else "**missed**"
        lines.append(f"| {what} | {median:.2f} | {high:.2f} | ≤ {GOAL:.0f}: {verdict} |")
    return lines + ["", f"Memory: {figures['started']:.0f} MB when started, {figures['after']:.0f} MB after, "
                        f"{figures['peak']:.0f} MB at most."]
