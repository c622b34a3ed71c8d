"""Writes what a server keeps into a new folder here. Usage: KOYA_BIN=… make.py schema-N

Run once for each schema, with the last program that had it.
"""
import base64
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import koya_e2e  # noqa: E402
import koya_provider  # noqa: E402
import test_postgres  # noqa: E402

IMPORTED = "/api/v1/mirror/providers/registry.example.com/acme/other/2.0.0/linux/amd64"


def expect(status, answer):
    assert answer.status == status, answer
    return answer


def fill(koya):
    """Something of everything. Returns what the server told only once."""
    for version in ("1.0.0", "1.1.0"):
        koya.publish("Acme/vpc/aws", version, koya_e2e.tar_gz({"main.tf": f"# größe {version}\n"}))
    expect(204, koya.request("DELETE", "/api/v1/modules/acme/vpc/aws/1.1.0",
                             '{"reason":"broken"}', token=koya.token))
    zips = {version: koya_provider.unsigned(version, platforms=("linux_amd64",))
            for version in ("1.0.0", "1.1.0")}
    koya_provider.publish(koya, "acme/demo", "1.0.0", zips["1.0.0"], sign=True)
    draft = koya_provider.Draft(koya, "acme/demo", "1.1.0")
    for name, data in zips["1.1.0"].items():
        expect(200, draft.put(name, data))
    token = expect(201, koya.request("POST", "/api/v1/tokens", json.dumps(
        {"name": "ci", "scope": "publish", "namespaces": ["acme"]}), token=koya.token)).json()
    other = koya_provider.unsigned("2.0.0", "other", platforms=("linux_amd64",))
    expect(201, koya.request("PUT", IMPORTED, *other.values(), token=koya.token))
    return {"draft": draft.id, "token": token["token"]}


def main():
    target = HERE / sys.argv[1]
    target.mkdir()
    facts, blobs = {}, {}
    with tempfile.TemporaryDirectory(prefix="koya-older-") as folder:
        folder = pathlib.Path(folder)
        (folder / "postgres").mkdir()
        with test_postgres.Postgres(folder / "postgres") as postgres:
            for engine, url in (("sqlite", None), ("postgres", postgres.url)):
                (folder / engine).mkdir(exist_ok=True)
                data = folder / f"data-{engine}"
                data.mkdir()
                more = ("--catalog.url", url) if url else ()
                with koya_e2e.Server(data, "--server.secret_file", str(folder / "server.secret"),
                                     "--publish.draft_ttl", "3650d", *more) as koya:
                    facts[engine] = fill(koya)
                for path in (data / "blobs/sha256").glob("*/*"):
                    digest = path.parent.name + path.name
                    blobs[digest] = base64.b64encode(path.read_bytes()).decode()
            dump = [test_postgres.POSTGRES / "pg_dump", "--inserts", "--no-owner",
                    "--no-privileges", postgres.url]
            text = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
            # Without the commands of psql, of which older ones know fewer.
            lines = [line for line in text.splitlines() if not line.startswith("\\")]
            (target / "catalog.postgres.sql").write_text("\n".join(lines) + "\n")
        with sqlite3.connect(folder / "data-sqlite/koya.db") as database:
            mark = database.execute("PRAGMA application_id").fetchone()[0]
            lines = [f"PRAGMA application_id = {mark};", *database.iterdump()]
            (target / "catalog.sqlite.sql").write_text("\n".join(lines) + "\n")
        facts["secret"] = (folder / "server.secret").read_text()
    (target / "blobs.json").write_text(json.dumps(blobs, indent=0, sort_keys=True) + "\n")
    (target / "facts.json").write_text(json.dumps(facts, indent=2) + "\n")


if __name__ == "__main__":
    main()
