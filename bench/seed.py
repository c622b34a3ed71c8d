"""Fills the catalog of a stopped server: one version is published over HTTP, then multiplied.

Rows are copied inside SQLite, with the schema's own columns, so that 100,000 versions take a second
instead of an hour; all of them refer to the one archive that was really published.
"""
import contextlib
import sqlite3

from koya_e2e import PLAIN_MODULE, Server, tar_gz

FIRST = "bench/first/null"


def publish_first(data):
    """Starts a server on a new folder, publishes the archive that all seeded versions share."""
    with Server(data) as koya:
        koya.publish(FIRST, "1.0.0", tar_gz(PLAIN_MODULE))


def multiply(data, modules):
    """Adds `modules`: {address: number of versions}."""
    catalog = next(path for path in data.iterdir()
                   if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3")
    with contextlib.closing(sqlite3.connect(catalog)) as database, database:
        row_id = database.execute("SELECT MAX(id) FROM module").fetchone()[0]
        for address, versions in modules.items():
            namespace, name, system = address.split("/")
            row_id += 1
            database.execute(
                "INSERT INTO module (id, address_key, name_key, namespace, name, system,"
                " version_count, latest_version, latest_published_at, latest_description,"
                " search_text) SELECT ?, ?, ?, ?, ?, ?, ?, ?, latest_published_at,"
                " latest_description, ? FROM module WHERE address_key = ?",
                (row_id, address, name, namespace, name, system, versions, f"1.0.{versions - 1}",
                 f"{namespace}\n{name}\n{system}\n", FIRST))
            first = database.execute("SELECT id FROM module WHERE address_key = ?",
                                     (FIRST,)).fetchone()[0]
            database.executemany(
                "INSERT INTO module_version (module_id, version, precedence_key, archive_kind,"
                " digest, size, upload_digest, description, published_at, published_by)"
                " SELECT ?, ?, ?, archive_kind, digest, size, upload_digest, description,"
                " published_at, published_by FROM module_version WHERE module_id = ?",
                ((row_id, f"1.0.{patch}", f"1.0.{patch}", first) for patch in range(versions)))
