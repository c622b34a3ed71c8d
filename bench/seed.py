"""Fills the catalog of a stopped server: a version is published over HTTP, then multiplied.

Rows are copied inside SQLite, with the schema's own columns, so that 100,000 versions take a second
instead of an hour; all of them refer to the archives that were really published.
"""
import contextlib
import sqlite3

import koya_provider
from koya_e2e import PLAIN_MODULE, Server, cli, tar_gz

FIRST = "bench/first/null"
FIRST_PROVIDER = "bench/first"


def publish_first(data, platforms=()):
    """Starts a server on a new folder, publishes the archives that all seeded versions share.

    With `platforms`, a provider too, of a small package for each.
    """
    with Server(data) as koya:
        publish_on(koya, platforms)


def publish_on(koya, platforms=()):
    """The same on a running server."""
    koya.publish(FIRST, "1.0.0", tar_gz(PLAIN_MODULE))
    if platforms:
        zips = koya_provider.unsigned("1.0.0", type_name="first", platforms=platforms)
        koya_provider.publish(koya, FIRST_PROVIDER, "1.0.0", zips, sign=True)


@contextlib.contextmanager
def catalog_of(data):
    """The catalog's SQLite database, within one transaction."""
    catalog = next(path for path in data.iterdir()
                   if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3")
    with contextlib.closing(sqlite3.connect(catalog)) as database, database:
        yield database


def multiply(data, modules):
    """Adds `modules`: {address: number of versions}."""
    with catalog_of(data) as database:
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


def analyze(data):
    """Adds the contents of the seeded modules and the index, which the server would make in the background."""
    with catalog_of(data) as database:
        database.execute(
            "INSERT INTO module_contents (module_key, version, reader, body, size)"
            " SELECT address_key, v.version, c.reader, c.body, c.size FROM module"
            " JOIN module_version v ON v.module_id = module.id"
            " JOIN module_contents c ON c.module_key = ? WHERE true ON CONFLICT DO NOTHING", (FIRST,))
    done = cli("reindex", "--data", data, timeout=600)
    assert done.returncode == 0, done


def multiply_providers(data, providers):
    """Adds `providers`: {address: number of versions}, each with the first provider's platforms."""
    with catalog_of(data) as database:
        first, release = database.execute(
            "SELECT provider.id, provider_release.id FROM provider JOIN provider_release"
            " ON provider_id = provider.id WHERE address = ?", (FIRST_PROVIDER,)).fetchone()
        provider_id = database.execute("SELECT MAX(id) FROM provider").fetchone()[0]
        release_id = database.execute("SELECT MAX(id) FROM provider_release").fetchone()[0]
        for address, versions in providers.items():
            namespace, type_name = address.split("/")
            provider_id += 1
            database.execute(
                "INSERT INTO provider (id, address, namespace, type, version_count,"
                " latest_version, latest_published_at) SELECT ?, ?, ?, ?, ?, ?,"
                " latest_published_at FROM provider WHERE id = ?",
                (provider_id, address, namespace, type_name, versions, f"1.0.{versions - 1}",
                 first))
            for patch in range(versions):
                release_id += 1
                version = f"1.0.{patch}"
                database.execute(
                    "INSERT INTO provider_release (id, provider_id, version, precedence_key,"
                    " protocols, platforms, sums_digest, sums_size, signature_digest,"
                    " signature_size, key_fingerprint, published_at, published_by, deprecation)"
                    " SELECT ?, ?, ?, ?, protocols, platforms, sums_digest, sums_size,"
                    " signature_digest, signature_size, key_fingerprint, published_at,"
                    " published_by, deprecation FROM provider_release WHERE id = ?",
                    (release_id, provider_id, version, version, release))
                database.execute(
                    "INSERT INTO provider_package (release_id, os, arch, filename, digest, size,"
                    " h1) SELECT ?, os, arch, replace(filename, 'first_1.0.0', ?), digest, size,"
                    " h1 FROM provider_package WHERE release_id = ?",
                    (release_id, f"{type_name}_{version}", release))
