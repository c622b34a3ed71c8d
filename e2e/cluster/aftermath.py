"""What is left when all is quiet: blobs, records, leases and staged files compared with each other."""
from cluster import NAMES
from koya_e2e import wait_until
from operations import sha256

# Blobs that some record names. Packages without bytes yet (held = 0) name none.
REFERENCES = """
SELECT digest FROM module_version WHERE withdrawn_at IS NULL
UNION SELECT k.digest FROM provider_package k JOIN provider_release r ON r.id = k.release_id
  WHERE r.withdrawn_at IS NULL
UNION SELECT sums_digest FROM provider_release WHERE withdrawn_at IS NULL
UNION SELECT signature_digest FROM provider_release WHERE withdrawn_at IS NULL
UNION SELECT digest FROM draft_file
UNION SELECT sums_digest FROM upstream_release WHERE sums_digest IS NOT NULL
UNION SELECT signature_digest FROM upstream_release WHERE signature_digest IS NOT NULL
UNION SELECT digest FROM held_blob
"""
LEASE_SECONDS = 10
SWEEP_SECONDS = 200


class Aftermath:
    def __init__(self, cluster, load, stampedes, history):
        self.cluster, self.load, self.history = cluster, load, history
        self.stampedes = stampedes
        # Objects whose uploads arrived after their rows were given up, which takes two seconds here
        # and a day elsewhere: a request that a fault held up for longer. Nobody ever asks for one.
        self.left_over = []

    def look(self, sweep=False):
        """Writes the `end` of the history. `sweep`: garbage is collected first, which takes minutes."""
        state = {"upstream": self.asked_upstream(), "upstream_at": self.asked_at(), "holders": self.holders(), **self.verify()}
        swept = sweep and self.sweep()
        state["clean"] = self.clean(swept)
        state["left_over"] = self.left_over
        state["swept"] = bool(swept)
        self.history.write("end", **state)

    def holders(self):
        """How many replicas fetch for themselves: all, where they do not talk to each other."""
        return 1 if self.cluster.program.knows("cluster.listen") else len(NAMES)

    def asked_upstream(self):
        return {path: self.cluster.upstream.asked(source)
                for path, source in self.stampedes.sources}

    def asked_at(self):
        """When each package was asked for, by the history's clock."""
        return {path: [round(each - self.history.begun, 3)
                       for each in self.cluster.upstream.asked_at(source)]
                for path, source in self.stampedes.sources}

    def verify(self):
        """`koya verify`: everything is read and hashed."""
        run = self.cluster.program.run(
            "verify", "--server", f"http://127.0.0.1:{self.cluster.balancer_wires['replica1'][0]}",
            environment={"KOYA_TOKEN": self.cluster.token}, timeout=600)
        return {"verify": run.returncode, "verify_says": (run.stdout + run.stderr)[-1500:]}

    # ---- what is kept, and what is needed

    def clean(self, swept):
        references = set(self.rows(REFERENCES))
        found = {"leases of the dead": self.dead_leases()}
        if self.cluster.blobs == "folder":
            kept, staged = self.folder()
            found["staged files"] = staged
            found["blobs that are missing"] = sorted(references - kept)
            found["blobs that nothing needs"] = sorted(kept - references) if swept else []
        else:
            found |= self.ledger(references, swept)
        return found

    def rows(self, statement):
        answer = self.cluster.database.primary.ask(statement)
        assert answer is not None, "the database does not answer"
        return answer.split()

    def dead_leases(self):
        """Names of leases that somebody holds who does not run: with all replicas asked to end, any."""
        held = "SELECT name FROM lease WHERE until > extract(epoch FROM clock_timestamp())"
        for replica in self.cluster.replicas.values():
            replica.stop()
        try:
            wait_until(lambda: not self.rows(held), "leases of the dead end", 2 * LEASE_SECONDS + 10)
        except AssertionError:
            return self.rows(held)
        return []

    def folder(self):
        """(digests of the blobs, staged files) of the shared folder."""
        blobs = self.cluster.disk.folder / "blobs"
        kept = {"".join(path.parts[-2:]) for path in (blobs / "sha256").glob("??/*")
                if path.is_file()}
        return kept, [path.name for path in (blobs / "tmp").rglob("*") if path.is_file()]

    def ledger(self, references, swept):
        """The ledger says which object holds a digest; it, the bucket and the records must agree."""
        rows = [each.split("|") for each in self.rows("SELECT name, digest, state FROM blob_object")]
        # A row's name is what its object's key ends with.
        objects = {key.partition("/sha256/")[2]: key for key in self.cluster.store.objects("koya")
                   if "/sha256/" in key}
        # What a bad answer made a server take for lost is as good as stored: the next one who reads it
        # from there says so. Until then it is served from caches.
        rows = [(name, digest, "stored" if state == "lost" and self.is_right(name, digest, objects)
                 else state) for name, digest, state in rows]
        stored = {digest for _, digest, state in rows if state == "stored"}
        names = {name.rpartition("sha256/")[2] for name, _, state in rows if state == "stored"}
        found = {"blobs that are missing": sorted(references - stored) + sorted(names - set(objects))}
        if swept:
            found["blobs that nothing needs"] = sorted(stored - references)
            found["rows that nobody settled"] = [
                f"{state} {name}" for name, _, state in rows if state != "stored"]
            self.left_over = sorted(set(objects) - names)
        return found

    def is_right(self, name, digest, objects):
        key = objects.get(name.rpartition("sha256/")[2])
        return bool(key) and sha256(self.cluster.store.read("koya", key)) == digest

    # ---- garbage

    def sweep(self):
        """With nobody publishing, garbage goes; from a folder by a replica with a short grace."""
        if self.cluster.blobs == "folder":
            replica = self.cluster.replicas["replica1"]
            replica.stop()
            replica.arguments += ["--blobs.gc_grace", "1s"]
            replica.start()
        try:
            return wait_until(self.collected, "garbage is collected", SWEEP_SECONDS)
        except AssertionError:
            return True  # the time is up: what is still there is garbage that stays

    def collected(self):
        references = set(self.rows(REFERENCES))
        if self.cluster.blobs == "folder":
            return self.folder()[0] <= references
        held = self.rows("SELECT digest FROM blob_object WHERE state IN ('stored', 'lost')")
        others = self.rows("SELECT name FROM blob_object WHERE state NOT IN ('stored', 'lost')")
        return set(held) <= references and not others
