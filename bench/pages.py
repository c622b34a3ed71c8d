"""Pages: what one costs that everybody is shown, beside nginx serving the same bytes; and how long pages take at
25,000 modules.

The first is over the registry that the demo fills (tools/demo). The second is over the database that searches are
measured on (searches.py), of whose modules 2,000 hold what the demo's network module holds, README and all.
"""
import http.client
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import load
import searches
from servers import LOAD_CORE, ROOT, Koya, peak_megabytes, reset_peak, resident_megabytes

sys.path.insert(0, str(ROOT / "tools/demo"))
import fill  # noqa: E402  (what the demo publishes)
import platform_team  # noqa: E402
import provider  # noqa: E402

HOST = "koya.example.com"
NETWORK = "/modules/platform/network/aws"
# What strangers are shown: kept in memory, sent as it is.
WARM = {
    "home": "/", "a module": NETWORK, "inputs": f"{NETWORK}/4.2.0/inputs",
    "changes": f"{NETWORK}/4.2.0/changes?from=3.1.1&to=4.2.0", "a provider": "/providers/kumo/inventory",
    "docs of a provider": "/providers/kumo/inventory/2.3.1/docs/resources/host", "a search": "/search?q=subnet",
    "a list": "/modules", "mirror": "/-/mirror",
}
FIELDS = ("Accept: text/html", "Accept-Language: en")
SEARCH = "a search"
GOAL_P50, GOAL_P99 = 2.0, 15.0  # ms
GOAL_SEARCH = 30.0              # ms, p99
INSIDE = 2_000                  # modules that hold something
ASKED = 3_000                   # of all sorts together, each asked twice
VERSIONS = ("3.1.1", "4.1.1", "4.2.0")


def registry_of(koya):
    registry = fill.Registry(str(koya.program), koya.url, koya.token, koya.data / "dev/ca.pem")
    registry.address = HOST
    return registry


# ---- beside nginx

def rows(bench, row, as_distributed):
    """A row for each of WARM. `row`: makes one, of a server of ours and nginx' two."""
    data = bench.folder / "pages"
    with Koya(data, tls=True) as koya:
        fill.fill(registry_of(koya), data, say=lambda *_, **__: None)
    koya = bench.start(Koya(data, tls=False))
    koya.name = "koya"
    locations = [write(bench, koya, number, path) for number, path in enumerate(WARM.values())]
    nginx = bench.nginx("nginx", as_distributed + " gzip_static on;", locations="\n".join(locations))
    other = bench.nginx("nginx, sendfile off", "sendfile off; gzip_static on;", locations="\n".join(locations))
    for what, path in WARM.items():
        def measure(server, _, path=path):
            return load.requests(server, path, 32, bench.options.seconds, "gzip", FIELDS)
        yield row(f"page, {what}, plain", "µs CPU a request", measure, koya, nginx, [other])


def write(bench, koya, number, path):
    """What Koya answers, as a file for nginx, and the rule that finds it there."""
    fields = dict(field.split(": ") for field in FIELDS)
    page = koya.get(path, fields)
    packed = koya.get(path, {**fields, "Accept-Encoding": "gzip"})
    assert page.status == 200 and packed.headers["Content-Encoding"] == "gzip", f"{path}: {page}"
    bench.write(f"/warm/{number}", page.body)
    bench.write(f"/warm/{number}.gz", packed.body)
    place = path.partition("?")[0]
    return f"location = {place} {{ try_files /warm/{number} =404; }}"


# ---- at 25,000 modules

def large(bench):
    data = bench.folder / "pages-large"
    prepare(bench, data)
    chosen, modules = give_insides(data)
    server = Koya(data, tls=False)
    try:
        server.start()
        figures = {"modules": len(chosen), "all": modules, "started": resident_megabytes(server.pid)}
        count = ASKED // 20 if bench.options.quick else ASKED
        reset_peak(server.pid)
        figures |= run_asker(server, count, chosen)
        figures["after"], figures["peak"] = resident_megabytes(server.pid), peak_megabytes(server.pid)
        print(f"  pages at {figures['all']:,} modules: warm p50 {of_all(figures, 'again')[0]:.2f}, "
              f"p99 {of_all(figures, 'again')[1]:.2f} ms", flush=True)
        return figures
    finally:
        server.__exit__()
        shutil.rmtree(data, ignore_errors=True)


def prepare(bench, data):
    """The database that searches are measured on: a copy of `--filled DIR`, or made now."""
    if bench.options.filled:
        shutil.copytree(bench.options.filled, data)
        (data / "koya.db.lock").unlink(missing_ok=True)
        return
    modules, providers = searches.MODULES, searches.PROVIDERS
    if bench.options.quick:
        modules, providers = modules // searches.QUICK, providers // searches.QUICK
    searches.publish_first(data, searches.Module(0))
    database = searches.Database(data / "koya.db")
    database.fill(modules, providers)
    database.file.close()


def give_insides(data):
    """Publishes the demo's provider and its network module, and gives some modules what is in that. Their addresses
    and versions, and how many modules there are."""
    module = platform_team.NETWORK
    with Koya(data, tls=True) as koya, tempfile.TemporaryDirectory(prefix="koya-bench-") as folder:
        for version in VERSIONS:
            koya.publish("bench/network/aws", version, fill.archive_of(module.files(version, HOST)))
        fill.add_provider(registry_of(koya), pathlib.Path(folder))
    with sqlite3.connect(data / "koya.db", isolation_level=None) as file:
        file.execute("BEGIN")
        reader, body = file.execute("SELECT reader, body FROM module_contents WHERE module_key = ? AND version = ?",
                                    ("bench/network/aws", VERSIONS[-1])).fetchone()
        digest, size, kind = file.execute(
            "SELECT v.digest, v.size, v.archive_kind FROM module_version v JOIN module m ON m.id = v.module_id "
            "WHERE m.address_key = ? AND v.version = ?", ("bench/network/aws", VERSIONS[-1])).fetchone()
        chosen = file.execute("SELECT id, address_key, latest_version FROM module WHERE namespace LIKE 'team%' "
                              "ORDER BY id LIMIT ?", (INSIDE,)).fetchall()
        for row, address, version in chosen:
            file.execute("INSERT INTO module_contents (module_key, version, reader, size, body) VALUES (?, ?, ?, ?, ?) "
                         "ON CONFLICT DO NOTHING", (address, version, reader, len(body.encode()), body))
            file.execute("UPDATE module_version SET digest = ?, size = ?, archive_kind = ?, upload_digest = ? "
                         "WHERE module_id = ? AND version = ?", (digest, size, kind, digest, row, version))
        file.execute("COMMIT")
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        modules = file.execute("SELECT COUNT(*) FROM module").fetchone()[0]
    return [(address, version) for _, address, version in chosen], modules


def wishes(made, chosen):
    """One of each sort: (what sort, path)."""
    address, version = made.choice(chosen)
    module = f"/modules/{address}/{version}"
    word = made.choices(searches.WORDS, searches.WEIGHTS)[0]
    return [("home", "/"), ("a module", f"/modules/{address}"), ("inputs", f"{module}/inputs"),
            ("versions", f"{module}/versions"), ("a form", f"{module}/usage"), ("files", f"{module}/files"),
            ("a provider", f"/providers/{provider.ADDRESS}/{made.choice(provider.VERSIONS)}"), ("a list", "/modules"),
            ("a page of a list", f"/modules?page={made.randrange(2, 20)}"),
            ("a namespace", f"/namespaces/team{made.randrange(searches.NAMESPACES)}"),
            (SEARCH, f"/search?q={word}"), ("mirror", "/-/mirror")]


def ask(port, count, chosen, token):
    """{"first": {sort: seconds…}, "again": {…}, "own": {…}}, as JSON: what nobody was shown yet, the same once more, and
    the same for somebody, for whom each page is made."""
    made = random.Random(11)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(path, of):
        own = {"Authorization": f"Bearer {token}"} if of == "own" else {}
        begin = time.perf_counter()
        connection.request("GET", path, headers={"Accept": "text/html", "Accept-Encoding": "gzip"} | own)
        answer = connection.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - begin
        assert answer.status == 200, f"{path}: {answer.status} {body[:200]}"
        return seconds

    took = {"first": {}, "again": {}, "own": {}}
    for _ in range(count // len(wishes(made, chosen)) + 1):
        for what, path in wishes(made, chosen):
            for of, times in took.items():
                times.setdefault(what, []).append(get(path, of))
    print(json.dumps(took))


def run_asker(server, count, chosen):
    done = subprocess.run([sys.executable, "-B", __file__, str(server.port), str(count)], text=True,
                          input=json.dumps([chosen, server.token]), stdout=subprocess.PIPE, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {int(LOAD_CORE)}))
    return {"took": json.loads(done.stdout)}


def percentiles(times):
    values = [1e3 * each for each in times]
    return statistics.median(values), statistics.quantiles(values, n=100)[98], max(values)


def of_all(figures, turn):
    """Of all pages but searches, which are not kept and have a goal of their own."""
    return percentiles([each for what, times in figures["took"][turn].items() if what != SEARCH for each in times])


def markdown(figures):
    lines = ["", f"## Pages at {figures['all']:,} modules", "",
             f"One connection, client included, ms. {figures['modules']:,} of the modules hold what the demo's network module "
             "holds. First: a stranger, before anybody was shown the page, or when it is not kept any more; again: the same, right "
             "after; own: then an administrator, for whom each page is made.",
             "", "| page | asked | first: median | p99 | again: median | p99 | own: median | p99 | longest of all |",
             "|---|---|---|---|---|---|---|---|---|"]
    for what, times in figures["took"]["first"].items():
        all_of = [percentiles(figures["took"][of][what]) for of in ("first", "again", "own")]
        cells = " | ".join(f"{each[0]:.2f} | {each[1]:.2f}" for each in all_of)
        lines.append(f"| {what} | {len(times)} | {cells} | {max(each[2] for each in all_of):.2f} |")
    median, high, _ = of_all(figures, "again")
    own_median, own_high, _ = of_all(figures, "own")
    search = percentiles(figures["took"]["first"][SEARCH])[1]

    def verdict(holds):
        return "holds" if holds else "**missed**"

    return lines + ["", f"Warm, of all but searches: p50 {median:.2f} ms (goal ≤ {GOAL_P50:.0f}: {verdict(median <= GOAL_P50)}), p99 "
                    f"{high:.2f} ms (goal ≤ {GOAL_P99:.0f}: {verdict(high <= GOAL_P99)}); made for one reader: p50 "
                    f"{own_median:.2f} ms, {own_median - median:.2f} more than what is kept, which is nearly all the client's "
                    f"({verdict(own_median - median <= GOAL_P50)}), p99 {own_high:.2f} ms "
                    f"({verdict(own_high <= GOAL_P99)}). Searches: p99 "
                    f"{search:.2f} ms (goal ≤ {GOAL_SEARCH:.0f}: {verdict(search <= GOAL_SEARCH)}). Memory: "
                    f"{figures['started']:.0f} MB when started, {figures['after']:.0f} MB after, {figures['peak']:.0f} MB at most."]


if __name__ == "__main__":
    ask(int(sys.argv[1]), int(sys.argv[2]), *json.load(sys.stdin))
