"""Searches in a large index: how long an answer takes over HTTP, and the server's memory.

25,000 modules of 15 versions and 4,500 providers with docs are written into the database of a server
that is stopped, as it would write them: one module is published and indexed by Koya, and its rows must
be what is made here of the same words. Then a mix of searches is asked, one after the other, from the
other core.
"""
import http.client
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.parse

from servers import LOAD_CORE, Koya, peak_megabytes, reset_peak, resident_megabytes

from koya_e2e import tar_gz

MODULES, VERSIONS, PROVIDERS, DOCS = 25_000, 15, 4_500, 30
LATER_READER = 1_000  # than any that there is
QUICK = 100  # a hundredth of it
NAMESPACES = 500
GOAL = 15.0  # ms
ASKED = 4_000
SYSTEMS = ("aws", "google", "azurerm", "kubernetes")
KINDS = {"module": 0, "provider": 1, "resource": 4, "input": 5, "output": 6, "doc": 7}
LEAST_SPELLING, MOST_SPELLING = 5, 32  # letters of a word that may be misspelt


def vocabulary():
    """Words as often as in a language: the first ones most."""
    made = random.Random(13)
    words = ["network", "subnet", "bucket", "cluster", "private", "public", "gateway", "storage",
             "policy", "logging", "database", "replica", "security", "address", "instance", "region"]
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
    while len(words) < 3_000:
        word = "".join(made.choice(syllables) for _ in range(made.randint(2, 4)))
        if word not in words:
            words.append(word)
    return words


WORDS = vocabulary()
WEIGHTS = [1 / (rank + 10) for rank in range(len(WORDS))]


def some(made, count):
    return made.choices(WORDS, WEIGHTS, k=count)


# ---- what Koya would write

def parts(letter, name):
    """A name's words, and the name whole beside them."""
    words = " ".join(f"{letter}:{word}" for word in name.replace("/", "_").replace(".", "_").split("_"))
    whole = f" {letter}:{name}" if any(sign in name for sign in "_/.") else ""
    return f"{words} |{whole} | "


def sentence(letter, words):
    return "".join(f"{letter}:{word} " for word in words) + "| | "


def row(subject, kind, name, title=(), text=(), uses=(), needs=()):
    """An entry's columns but those of its subject; `subject`: (kind, address, version)."""
    subject_kind, address, version = subject
    head = " " + parts("n", name)
    if kind == subject_kind:
        head += parts("n", address)
    head += sentence("t", title)
    facets = [f"k:{kind}", f"s:{address.split('/')[0]}"]
    if subject_kind == "module":
        facets.append(f"y:{address.split('/')[2]}")
    facets += [f"v:{version}", "d:0", "e:1", *(f"u:{used}" for used in uses)]
    for source in needs:
        pieces = source.split("/")
        facets += ["p:" + "/".join(pieces[at:]) for at in range(len(pieces))]
    words = head + sentence("x", text) + "".join(facet + " " for facet in facets)
    return (kind, KINDS[kind], name, name, " ".join(title), " ".join(text), head, words)


class Module:
    """One module; all of its versions hold the same."""

    def __init__(self, number):
        made = random.Random(number)
        self.name = "_".join(some(made, 2)) + f"_{number}"
        self.system = SYSTEMS[number % len(SYSTEMS)]
        self.address = f"team{number % NAMESPACES}/{self.name}/{self.system}"
        self.title = some(made, 6)
        self.text = some(made, 60)
        self.inputs = {"_".join(some(made, 2)): some(made, 6) for _ in range(4)}
        self.outputs = {"_".join(some(made, 2)): (some(made, 5), some(made, 1)) for _ in range(2)}
        self.resource = (f"{self.system}_{made.choice(WORDS)}", made.choice(WORDS))

    def files(self):
        """What it is published as."""
        inputs = "".join(f'variable "{name}" {{\n  description = "{" ".join(title)}"\n}}\n'
                         for name, title in self.inputs.items())
        outputs = "".join(
            f'output "{name}" {{\n  description = "{" ".join(title)}"\n  value = {value[0]}\n}}\n'
            for name, (title, value) in self.outputs.items())
        return {"main.tf": f'terraform {{\n  required_providers {{\n    {self.system} = {{\n      '
                           f'source = "hashicorp/{self.system}"\n    }}\n  }}\n}}\n{inputs}{outputs}'
                           f'resource "{self.resource[0]}" "{self.resource[1]}" {{}}\n',
                "README.md": " ".join(self.text) + "\n"}

    def rows(self, version):
        subject = ("module", self.address, version)
        used = [self.resource[0]]
        needed = [f"registry.opentofu.org/hashicorp/{self.system}"]
        yield row(subject, "module", self.name, self.title, self.text, used, needed)
        for name, title in self.inputs.items():
            yield row(subject, "input", name, title)
        for name, (title, value) in self.outputs.items():
            yield row(subject, "output", name, title, value)
        yield row(subject, "resource", ".".join(self.resource), uses=used, needs=needed)


class Provider:
    def __init__(self, number):
        self.made = random.Random(-number)
        self.type = f"{self.made.choice(WORDS)}{number}"
        self.address = f"team{number % NAMESPACES}/{self.type}"

    def rows(self, version):
        subject = ("provider", self.address, version)
        yield row(subject, "provider", self.type)
        for number in range(DOCS):
            name = f"resources/{self.type}_{'_'.join(some(self.made, 2))}_{number}"
            yield row(subject, "doc", name, some(self.made, 5), some(self.made, 80))


def spellings(head):
    """(piece, word) of the words of names and titles."""
    for part in head.split():
        word = part[2:]
        joined = any(sign in word for sign in "_-./")
        if LEAST_SPELLING <= len(word) <= MOST_SPELLING and not (joined or word.isdigit()):
            yield word, word
            for at in range(len(word)):
                yield word[:at] + word[at + 1:], word


# ---- writing it

class Database:
    def __init__(self, path):
        self.file = sqlite3.connect(path, isolation_level=None)
        self.file.execute("PRAGMA synchronous = OFF")
        self.file.execute("PRAGMA cache_size = -400000")
        self.known = set()

    def check(self, module):
        """What Koya wrote of a module that was published is what is written here."""
        columns = "kind, kind_order, name, name_key, title, body, head, words"
        theirs = self.file.execute(f"SELECT {columns} FROM search_entry ORDER BY id").fetchall()
        ours = list(module.rows("1.0.0"))
        for mine, its in zip(ours, theirs, strict=True):
            its = (*its[:5], its[5].strip(), *its[6:])
            assert mine == its, f"{mine}\n{its}"
        pieces = {pair for each in ours for pair in spellings(each[6])}
        theirs = set(self.file.execute("SELECT piece, word FROM search_spelling"))
        assert pieces == theirs, pieces ^ theirs

    def fill(self, modules, providers):
        at = int(time.time()) - 86_400
        self.file.execute("BEGIN")
        self.file.executemany(
            "INSERT INTO namespace (name_key, name, visibility, created_at, created_by) VALUES "
            "(?1, ?1, 'public', 1, 'bench') ON CONFLICT DO UPDATE SET visibility = 'public'",
            [(f"team{number}",) for number in range(NAMESPACES)])
        self.file.execute("UPDATE search_subject SET recorded = 1")
        for number in range(1, modules):
            self.add_module(Module(number), at + number)
            if number % 1_000 == 0:
                self.file.execute("COMMIT")
                self.file.execute("BEGIN")
        for number in range(providers):
            self.add_provider(Provider(number), at + number)
        self.file.execute("COMMIT")
        self.file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.file.execute("SELECT COUNT(*) FROM search_entry").fetchone()[0]

    def add_module(self, module, at):
        namespace = module.address.split("/")[0]
        owner = self.file.execute(
            "INSERT INTO module (address_key, name_key, namespace, name, system, version_count, "
            "latest_version, latest_published_at, latest_description, search_text, recorded) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', ?, 1)",
            (module.address, module.name, namespace, module.name, module.system, VERSIONS,
             f"1.{VERSIONS - 1}.0", at, f"{namespace}\n{module.name}\n{module.system}\n")).lastrowid
        for minor in range(VERSIONS):
            version, digest = f"1.{minor}.0", f"{owner:032x}{minor:032x}"
            self.file.execute(
                "INSERT INTO module_version (module_id, version, precedence_key, archive_kind, "
                "digest, size, upload_digest, description, published_at, published_by) VALUES "
                "(?, ?, ?, 'tar.gz', ?, 1000, ?, '', ?, 'bench')",
                (owner, version, version, digest, digest, at))
            # Read already: their archives are not there, and nobody is to look for them meanwhile.
            self.file.execute("INSERT INTO module_contents (module_key, version, reader, size, body) "
                              "VALUES (?, ?, ?, 2, '{}')", (module.address, version, LATER_READER))
            self.add_entries("module", module, version, minor == VERSIONS - 1, at)

    def add_provider(self, provider, at):
        namespace, kind = provider.address.split("/")
        owner = self.file.execute(
            "INSERT INTO provider (address, namespace, type, version_count, latest_version, "
            "latest_published_at, recorded) VALUES (?, ?, ?, 1, '1.0.0', ?, 1)",
            (provider.address, namespace, kind, at)).lastrowid
        digest = f"{owner:064x}"
        self.file.execute(
            "INSERT INTO provider_release (provider_id, version, precedence_key, protocols, "
            "platforms, sums_digest, sums_size, signature_digest, signature_size, key_fingerprint, "
            "published_at, published_by, deprecation) VALUES (?, '1.0.0', '1.0.0', '5.0\n', "
            "'linux_amd64\n', ?, 100, ?, 100, '', ?, 'bench', '')", (owner, digest, digest, at))
        self.add_entries("provider", provider, "1.0.0", True, at)

    def add_entries(self, kind, package, version, newest, at):
        namespace = package.address.split("/")[0]
        subject = self.file.execute(
            "INSERT INTO search_subject (subject_key, kind, address, version, namespace_key, "
            "published_at, newest, deprecated, recorded) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 1)",
            (f"{kind}:{package.address}", kind, package.address, version, namespace, at,
             int(newest))).lastrowid
        rows = list(package.rows(version))
        self.file.executemany(
            "INSERT INTO search_entry (subject_id, namespace_key, published_at, newest, deprecated, "
            "kind, kind_order, name, name_key, title, body, head, words) "
            "VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(subject, namespace, at, int(newest), *each) for each in rows])
        if newest:
            fresh = {pair for each in rows for pair in spellings(each[6])} - self.known
            self.known |= fresh
            self.file.executemany(
                "INSERT INTO search_spelling VALUES (?, ?) ON CONFLICT DO NOTHING", fresh)


# ---- asking

def searches(made):
    """One of each sort: (what sort, the text)."""
    one, two = some(made, 2)
    rare = made.choice(WORDS[1_000:])
    at = made.randrange(len(rare))
    return [("one word", one), ("a rare word", rare), ("two words", f"{one} {two}"),
            ("three letters", one[:3]), ("a name", f"{one}_{two}"), ("a phrase", f'"{one} {two}"'),
            ("of a kind", f"{one} kind:input,output"),
            ("of a namespace", f"{one} ns:team{made.randrange(NAMESPACES)}"),
            ("what uses", f"uses:aws_{rare}"), ("what needs", f"{one} needs:hashicorp/aws"),
            ("one version", f"{rare} version:1.3.0"), ("any version", f"{rare} version:any"),
            ("misspelt", rare[:at] + "q" + rare[at + 1:]), ("nothing", "zzyzx")]


def ask(port, count):
    """{what sort: seconds of each answer}, as JSON."""
    made = random.Random(7)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    took = {}
    for _ in range(count // len(searches(made)) + 1):
        for what, text in searches(made):
            path = "/api/v1/search?q=" + urllib.parse.quote(text)
            begin = time.perf_counter()
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
            took.setdefault(what, []).append(time.perf_counter() - begin)
            assert answer.status == 200, f"{text}: {body}"
    print(json.dumps(took))


def run_asker(port, count):
    done = subprocess.run([sys.executable, "-B", __file__, str(port), str(count)], check=True,
                          capture_output=True, text=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {int(LOAD_CORE)}))
    return json.loads(done.stdout)


def publish_first(data, module):
    """By a server with TLS, which has an administrator's token."""
    with Koya(data, tls=True) as koya:
        said = urllib.parse.urlencode({"description": " ".join(module.title)})
        answer = koya.request("PUT", f"/api/v1/modules/{module.address}/1.0.0?{said}",
                              tar_gz(module.files()), token=koya.token)
        assert answer.status == 201, answer
        done = koya.cli("reindex")
        assert done.returncode == 0, done


def measure(bench):
    data = bench.folder / "search"
    modules, providers = MODULES, PROVIDERS
    if bench.options.quick:
        modules, providers = MODULES // QUICK, PROVIDERS // QUICK
    server = Koya(data, tls=False)
    try:
        publish_first(data, Module(0))
        database = Database(data / "koya.db")
        database.check(Module(0))
        begin = time.monotonic()
        entries = database.fill(modules, providers)
        database.file.close()
        size = (data / "koya.db").stat().st_size / 1e6
        print(f"  search: {entries:,} entries, {size:,.0f} MB, made in "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        server.start()
        figures = {"modules": modules, "providers": providers, "entries": entries, "megabytes": size,
                   "started": resident_megabytes(server.pid)}
        count = ASKED // 20 if bench.options.quick else ASKED
        run_asker(server.port, count // 10)  # warms up
        reset_peak(server.pid)
        figures["took"] = run_asker(server.port, count)
        figures["after"], figures["peak"] = (resident_megabytes(server.pid),
                                             peak_megabytes(server.pid))
        print(f"  search: p99 {p99_of_all(figures):.2f} ms, {figures['after']:.0f} MB", flush=True)
        return figures
    finally:
        server.__exit__()
        shutil.rmtree(data, ignore_errors=True)


def p99_of_all(figures):
    values = [each for times in figures["took"].values() for each in times]
    return 1e3 * statistics.quantiles(values, n=100)[98]


def markdown(figures):
    lines = ["", "## Searches in a large index", "",
             f"{figures['modules']:,} modules of {VERSIONS} versions and {figures['providers']:,} "
             f"providers with {DOCS} pages of docs: {figures['entries']:,} entries on SQLite, "
             f"{figures['megabytes']:,.0f} MB. One connection, client included; ms.", "",
             "| search | asked | median | p99 | longest |", "|---|---|---|---|---|"]
    for what, times in figures["took"].items():
        values = sorted(1e3 * each for each in times)
        lines.append(f"| {what} | {len(values)} | {statistics.median(values):.2f} | "
                     f"{statistics.quantiles(values, n=100)[98]:.2f} | {values[-1]:.2f} |")
    p99 = p99_of_all(figures)
    return lines + ["", f"p99 of all {p99:.2f} ms (goal ≤ {GOAL:.0f} ms: "
                    f"{'holds' if p99 <= GOAL else '**missed**'}). Memory: "
                    f"{figures['started']:.0f} MB when started, {figures['after']:.0f} MB after the "
                    f"searches, {figures['peak']:.0f} MB at most."]


if __name__ == "__main__":
    ask(int(sys.argv[1]), int(sys.argv[2]))
