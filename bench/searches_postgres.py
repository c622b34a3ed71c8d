"""The searches of searches.py on PostgreSQL: the rows of its SQLite file, copied.

Koya has core 0; PostgreSQL, from Debian's package and with its settings as distributed, shares core 1
with who asks. Shown is the time until the answer, and what both take of the processor for it.
"""
import csv
import shutil
import sqlite3
import statistics
import subprocess
import time

import searches
import storage
from servers import Koya, cpu_seconds, peak_megabytes, reset_peak, resident_megabytes
from test_postgres import POSTGRES, Postgres

# What belongs to others before them.
TABLES = ("namespace", "module", "module_version", "module_contents", "provider", "provider_release",
          "search_subject", "search_entry", "search_spelling")
ASKED = 1_400
TOGETHER = 20_000  # rows


class Database:
    def __init__(self, postgres):
        self.url = postgres.url
        self.pid = postgres.process.pid  # of its processes the first

    def ask(self, text):
        """What psql prints of it: a line a row."""
        command = [POSTGRES / "psql", "-X", "-At", "-v", "ON_ERROR_STOP=1", "-q", self.url]
        return subprocess.run(command, input=text, check=True, text=True,
                              capture_output=True).stdout.strip()

    def copy_from(self, path):
        """All rows that a search looks at; the index of words is made when they are there."""
        words = self.ask("SELECT indexdef FROM pg_indexes WHERE indexdef LIKE '% USING gin %' "
                         "AND tablename = 'search_entry'").splitlines()
        assert len(words) == 2, words
        self.ask("DROP INDEX search_entry_newest_words, search_entry_older_words")
        self.ask(f"TRUNCATE {', '.join(TABLES)}, search_word CASCADE")
        file = sqlite3.connect(path)
        for table in TABLES:
            self.copy(file, table)
        file.close()
        self.ask("SET maintenance_work_mem = '1GB'; " + "; ".join(words))
        self.ask("INSERT INTO search_word SELECT DISTINCT word FROM search_entry "
                 "CROSS JOIN LATERAL unnest(string_to_array(btrim(words), ' ')) AS told (word) "
                 "WHERE word ~ '^[ntx]:[^-+./:_]+$'")
        self.ask("VACUUM ANALYZE")

    def copy(self, file, table):
        theirs = {row[1] for row in file.execute(f"PRAGMA table_info({table})")}
        columns = ", ".join(name for name in self.ask(
            f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}' AND "
            "table_schema = 'public' AND is_generated = 'NEVER'").splitlines() if name in theirs)
        command = [POSTGRES / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c",
                   f"COPY {table} ({columns}) FROM STDIN (FORMAT csv, NULL '\\N')", self.url]
        taking = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        writer = csv.writer(taking.stdin)
        rows = file.execute(f"SELECT {columns} FROM {table}")
        while some := rows.fetchmany(TOGETHER):
            writer.writerows([["\\N" if each is None else each for each in row] for row in some])
        taking.stdin.close()
        assert taking.wait() == 0, table


def filled(bench):
    """A data folder as searches.py leaves it: `--filled DIR`, or made now."""
    if bench.options.filled:
        return bench.options.filled
    data = bench.folder / "search-rows"
    searches.publish_first(data, searches.Module(0))
    file = searches.Database(data / "koya.db")
    share = searches.QUICK if bench.options.quick else 1
    file.fill(searches.MODULES // share, searches.PROVIDERS // share)
    file.file.close()
    return data


def measure(bench):
    """The figures; None where PostgreSQL is not installed, which is then said."""
    if not (POSTGRES / "postgres").exists():
        print("  search-postgres: SKIPPED, not installed: PostgreSQL 15", flush=True)
        return None
    rows = filled(bench) / "koya.db"
    place = bench.folder / "search-postgres"
    (place / "postgres").mkdir(parents=True)
    with Postgres(place / "postgres") as postgres:
        storage.with_the_load(postgres.process.pid)
        database = Database(postgres)
        server = Koya(place / "data", tls=False)
        server.arguments += ("--catalog.url", postgres.url)
        try:
            server.start()  # makes the tables
            server.stop()
            begin = time.monotonic()
            database.copy_from(rows)
            entries = int(database.ask("SELECT count(*) FROM search_entry"))
            size = int(database.ask("SELECT pg_database_size(current_database())")) / 1e6
            print(f"  search-postgres: {entries:,} entries, {size:,.0f} MB, copied in "
                  f"{time.monotonic() - begin:.0f} s", flush=True)
            return ask(bench, server, database) | {"entries": entries, "megabytes": size}
        finally:
            server.__exit__()
            shutil.rmtree(place / "data", ignore_errors=True)


def ask(bench, server, database):
    server.start()
    figures = {"started": resident_megabytes(server.pid)}
    count = ASKED // 20 if bench.options.quick else ASKED
    searches.run_asker(server.port, count // 5)  # warms up
    reset_peak(server.pid)
    before = cpu_seconds(server.pid), cpu_seconds(database.pid)
    figures["took"] = searches.run_asker(server.port, count)
    after = cpu_seconds(server.pid), cpu_seconds(database.pid)
    asked = sum(map(len, figures["took"].values()))
    figures["cpu"] = [1e3 * (now - then) / asked for then, now in zip(before, after)]
    figures["after"], figures["peak"] = resident_megabytes(server.pid), peak_megabytes(server.pid)
    print(f"  search-postgres: p99 {searches.p99_of_all(figures):.2f} ms", flush=True)
    return figures


def markdown(figures):
    lines = ["", "## Searches in a large index on PostgreSQL", "",
             f"The same {figures['entries']:,} entries, {figures['megabytes']:,.0f} MB. One connection, "
             "client included; ms.", "", "| search | asked | median | p99 | longest |",
             "|---|---|---|---|---|"]
    for what, times in figures["took"].items():
        values = sorted(1e3 * each for each in times)
        lines.append(f"| {what} | {len(values)} | {statistics.median(values):.2f} | "
                     f"{statistics.quantiles(values, n=100)[98]:.2f} | {values[-1]:.2f} |")
    p99 = searches.p99_of_all(figures)
    own, theirs = figures["cpu"]
    return lines + ["", f"p99 of all {p99:.2f} ms (goal ≤ {searches.GOAL:.0f} ms: "
                    f"{'holds' if p99 <= searches.GOAL else '**missed**'}). CPU time of a search: Koya "
                    f"{own:.2f} ms, PostgreSQL {theirs:.2f} ms. Koya's memory: {figures['started']:.0f} MB "
                    f"when started, {figures['after']:.0f} MB after, {figures['peak']:.0f} MB at most."]
