"""A catalogue of two million objects: how long a start takes, what a page of the collector costs.

Rows are made inside PostgreSQL: packages of other registries with their documents, modules, and one
object in a thousand that nothing needs any more. None of their bytes are in the bucket: neither a
start nor the marking of garbage looks at any. The same is done with a hundredth of it first, since
what is asked for is that nothing grows. Koya has core 0, PostgreSQL and the S3 server core 1.
"""
import contextlib
import re
import statistics
import subprocess
import time

import storage
import test_postgres
from koya_e2e import wait_until
from servers import Koya, cpu_seconds, peak_megabytes, reset_peak, resident_megabytes

SIZES = (20_000, 2_000_000)  # objects, about
STARTS = 5
PAGE = 1000
GOALS = {"start": 1.0, "page": 50.0, "memory": 4.0}  # seconds, ms, MB more than the small one

# Of 1,000 objects 675 are packages, 135 + 1 documents, 187 archives of modules; one is garbage.
# Each digest is made of what it is, so that both sides of a reference say the same.
SEED = """
CREATE FUNCTION pg_temp.d(what text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT encode(sha256(what::bytea), 'hex') $$;
INSERT INTO upstream_provider (provider_key, host, namespace, type)
  SELECT 'registry.example.com/bench/p' || n, 'registry.example.com', 'bench', 'p' || n
  FROM generate_series(1, {objects} / 400) n;
INSERT INTO upstream_release (provider_id, version, protocols, sums_digest, sums_size,
    signature_digest, signature_size, keys, fit_for_origin, seen_at)
  SELECT id, '1.0.' || n, E'5.0\\n', pg_temp.d('sums ' || id || ' ' || n), 5000,
    pg_temp.d('signature ' || id || ' ' || n), 566, '', 0, {old}
  FROM upstream_provider, generate_series(1, 27) n;
INSERT INTO upstream_package (release_id, os, arch, filename, digest, size, hashes, held)
  SELECT id, 'linux', 'arch' || n, 'p_' || n || '.zip', pg_temp.d('package ' || id || ' ' || n),
    40000000, '', 1
  FROM upstream_release, generate_series(1, 10) n;
INSERT INTO held_blob (digest, size, used_at) SELECT digest, size, {old} FROM upstream_package;
INSERT INTO module (address_key, name_key, namespace, name, system, version_count, latest_version,
    latest_published_at, latest_description, search_text)
  SELECT 'bench/m' || n || '/null', 'm' || n, 'bench', 'm' || n, 'null', 10, '1.0.9', {old}, '',
    E'bench\\nm' || n || E'\\nnull\\n'
  FROM generate_series(1, {objects} / 54) n;
INSERT INTO module_version (module_id, version, precedence_key, archive_kind, digest, size,
    upload_digest, description, published_at, published_by)
  SELECT id, '1.0.' || n, '1.0.' || n, 'tar.gz', pg_temp.d('module ' || id || ' ' || n), 20000,
    pg_temp.d('module ' || id || ' ' || n), '', {old}, 'bench'
  FROM module, generate_series(0, 9) n;
INSERT INTO blob_object (name, digest, size, state, at)
  SELECT 'sha256/' || left(digest, 2) || '/' || substr(digest, 3) || '/' || left(md5(digest), 22),
    digest, size, 'stored', {old}
  FROM (SELECT digest, size FROM upstream_package
        UNION ALL SELECT sums_digest, sums_size FROM upstream_release
        UNION ALL SELECT signature_digest, signature_size FROM upstream_release
        UNION ALL SELECT digest, size FROM module_version
        UNION ALL SELECT pg_temp.d('garbage ' || n), 1000
          FROM generate_series(1, {objects} / 1000) n) AS all_of_them;
"""
OLD = "extract(epoch FROM now())::bigint - 7 * 86400"
# What PostgreSQL says of each statement: "duration: 1.234 ms  execute s_1: SELECT element …".
DURATION = re.compile(r"duration: ([0-9.]+) ms  (?:parse|bind|execute) [^:]*: (.*)")
OF_A_PAGE = {"list": "SELECT name, digest, size FROM (SELECT", "ask": "SELECT element FROM",
             "lock": "SELECT name, digest, size FROM blob_object WHERE state = ",
             "mark": "UPDATE blob_object SET state = 'leaving'"}


class Catalogue:
    """One database of so many objects, and Koya on it."""

    def __init__(self, folder, objects, bucket, ending):
        (folder / "postgres").mkdir(parents=True)
        self.postgres = ending.enter_context(test_postgres.Postgres(folder / "postgres"))
        storage.with_the_load(self.postgres.process.pid)
        self.log = folder / "postgres/postgres.log"
        self.koya = Koya(folder / "data", tls=False)
        self.koya.arguments += (*bucket, "--catalog.url", self.postgres.url)
        self.koya.start()  # makes the tables
        self.koya.stop()
        begin = time.monotonic()
        # Each in a transaction of its own, so that the collector's questions see fresh statistics.
        self.ask(SEED.format(objects=objects, old=OLD))
        self.ask("VACUUM ANALYZE")
        self.objects = int(self.ask("SELECT count(*) FROM blob_object"))
        print(f"  catalogue: {self.objects:,} objects, made in {time.monotonic() - begin:.0f} s",
              flush=True)

    def ask(self, text):
        command = [test_postgres.POSTGRES / "psql", "-X", "-At", "-v", "ON_ERROR_STOP=1", "-q",
                   self.postgres.url]
        return subprocess.run(command, input=text, check=True, text=True,
                              capture_output=True).stdout.strip()

    def start_times(self):
        times = []
        for _ in range(STARTS):
            times.append(self.koya.start().start_seconds)
            self.koya.stop()
        return times

    def collect(self):
        """Runs the collector once: what its pages cost the database, and Koya."""
        self.ask("ALTER SYSTEM SET log_min_duration_statement = 0")
        self.ask("SELECT pg_reload_conf()")
        self.koya.arguments += ("--blobs.gc_every", "1s")
        said = self.log.stat().st_size
        self.koya.start()
        started = resident_megabytes(self.koya.pid)
        reset_peak(self.koya.pid)
        before, begin = cpu_seconds(self.koya.pid), time.monotonic()
        wait_until(lambda: "garbage collected" in self.koya.log_tail(), "the garbage is marked", 600)
        took, cpu = time.monotonic() - begin, cpu_seconds(self.koya.pid) - before
        peak = peak_megabytes(self.koya.pid)
        self.koya.stop()
        pages, statements = self.durations(said)
        leaving = int(self.ask("SELECT count(*) FROM blob_object WHERE state = 'leaving'"))
        return {"pages": pages, "marked": leaving, "seconds": took, "koya_ms": 1000 * cpu / pages,
                "started_megabytes": started, "peak_megabytes": peak,
                "statements": statements}

    def durations(self, said):
        """How many pages, and {part of a page: (milliseconds a page, the longest statement)}."""
        found = {name: [] for name in OF_A_PAGE}
        with open(self.log, encoding="utf-8", errors="replace") as log:
            log.seek(said)
            for line in log:
                told = DURATION.search(line)
                for name, words in OF_A_PAGE.items():
                    if told and told[2].startswith(words):
                        found[name].append(float(told[1]))
        pages = self.objects // PAGE + 1
        return pages, {name: (sum(each) / pages, max(each, default=0))
                       for name, each in found.items()}


def run(bench):
    if storage.lacks("catalogue", postgres=True):
        return None
    rows = []
    for objects in SIZES:
        with contextlib.ExitStack() as ending:
            folder = bench.folder / f"catalogue-{objects}"
            store, bucket = storage.start_store(folder)
            ending.callback(store.kill)
            catalogue = Catalogue(folder, objects, bucket, ending)
            row = {"objects": catalogue.objects, "start": statistics.median(
                catalogue.start_times())} | catalogue.collect()
            print(f"  catalogue: {row}", flush=True)
            rows.append(row)
    return {"rows": rows}


def page_ms(row):
    return row["koya_ms"] + sum(mean for mean, _ in row["statements"].values())


def markdown(figures):
    rows = figures["rows"]
    lines = ["", "## A catalogue of two million objects", "",
             "On PostgreSQL and a bucket. A page is 1,000 objects that the collector looks at: what "
             "PostgreSQL says it took for the statements of one, and the time that Koya's threads "
             "spent. One object in a thousand is garbage.", "",
             "| objects | start | pages | a page: list + ask + lock + mark, Koya | longest "
             "statement | the whole collection | memory, started | peak |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        parts = " + ".join(f"{mean:.2f}" for mean, _ in row["statements"].values())
        longest = max(most for _, most in row["statements"].values())
        lines.append(f"| {row['objects']:,} | {1000 * row['start']:.0f} ms | {row['pages']:,} | "
                     f"{parts}, {row['koya_ms']:.2f}: {page_ms(row):.1f} ms | {longest:.1f} ms | "
                     f"{row['seconds']:.1f} s | {row['started_megabytes']:.1f} MB | "
                     f"{row['peak_megabytes']:.1f} MB |")
    small, large = rows[0], rows[-1]
    more = ((large["peak_megabytes"] - large["started_megabytes"])
            - (small["peak_megabytes"] - small["started_megabytes"]))
    verdict = {True: "holds", False: "**missed**"}
    return lines + ["", f"Start ≤ {GOALS['start']:.0f} s: {verdict[large['start'] <= GOALS['start']]}"
                    f"; a page ≤ {GOALS['page']:.0f} ms: {verdict[page_ms(large) <= GOALS['page']]}; "
                    f"memory flat (a collection needs at most {GOALS['memory']:.0f} MB more than in "
                    f"the small one): {verdict[more <= GOALS['memory']]}."]
