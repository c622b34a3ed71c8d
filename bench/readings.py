"""What it costs to read what is inside a module, and what that adds to a publish.

A folder with 500 KB of configuration is read by read_module, which calls the reader as a publish does.
Then modules of 500 and of 60 KB are
published beside the same bytes in files that nobody reads, in turns, to one server: both are
unpacked, hashed and stored alike. Each is a version of a module that has some, so reading
includes the comparison with the version before: one block in ten is another then, and, to see
what the worst costs, all are. What comes into the search index comes after the
answer; each answer is waited for until it has, so that no publish pays for the one before.
Then the files of each version are compared with those of the version before.
"""
import itertools
import random
import shutil
import statistics
import subprocess
import time

import load
from servers import LOAD_CORE, ROOT, Koya, cpu_seconds

from koya_e2e import KOYA, clean_environment, tar_gz, wait_until

BYTES = 500_000
READER = ROOT / "build/release/bench/read_module"
SIZES = {"500 KB": (BYTES, 40), "60 KB": (60_000, 8)}  # bytes, files
CHANGED = {"": 0.05, ", all of it changed": 1}  # of its blocks; those of the version before are back
LEAST_ROUNDS = 15
GOAL_READING = 20.0  # ms
GOAL_PUBLISH = 1.3
GOAL_DIFF = 30.0  # ms
TYPES = ("string", "number", "bool", "list(string)", "map(string)",
         "object({ name = string, size = optional(number, 3), tags = map(string) })")


def block(made):
    """A variable, an output or a resource as people write them."""
    name = f"{made.choice(('network', 'cluster', 'bucket', 'role'))}_{made.randrange(10**9)}"
    kind = made.choice(("variable", "output", "resource"))
    if kind == "variable":
        return (f'# How the {name} is made.\nvariable "{name}" {{\n  description = "The {name} of this '
                f'environment, as it is called elsewhere."\n  type        = {made.choice(TYPES)}\n'
                f'  default     = null\n\n  validation {{\n    condition     = var.{name} == null || '
                f'length(var.{name}) > 0\n    error_message = "It must not be empty."\n  }}\n}}\n')
    if kind == "output":
        return (f'output "{name}" {{\n  description = "The identifier."\n  value       = '
                f'try(aws_{name}.this[0].id, null)\n}}\n')
    return (f'resource "aws_{name}" "this" {{\n  for_each = {{ for k, v in var.all : k => v if '
            f'v.enabled }}\n\n  name = "${{var.prefix}}-${{each.key}}"\n  tags = merge(var.tags, '
            f'{{ Name = each.key }})\n\n  dynamic "rule" {{\n    for_each = each.value.rules\n'
            f'    content {{\n      port = rule.value.port\n    }}\n  }}\n}}\n')


def configuration(made, size):
    """Blocks, at least so many bytes."""
    blocks, length = [], 0
    while length < size:
        blocks.append(block(made))
        length += len(blocks[-1])
    return blocks


def modules(number, size, changed=1):
    """{read or not: {name: bytes}}; no two rounds have the same bytes. `changed`: the share of its
    blocks that are its own; those of the round before are as they are in all others again."""
    length, files = SIZES[size]
    made, other = random.Random(size), random.Random(f"{number} {size}")
    texts = []
    for _ in range(files):
        blocks = [block(other) if other.random() < changed else each
                  for each in configuration(made, length // files)]
        texts.append("\n".join(blocks).encode())
    first = {"main.tf": f"# {number}\n".encode()}
    kinds = {True: "part_{}.tf", False: "part_{}.txt"}
    return {read: first | {name.format(each): text for each, text in enumerate(texts)}
            for read, name in kinds.items()}


def readings(bench, rounds):
    """CPU time of reading, ms a round: the median of some readings of one folder."""
    out = []
    for number in range(rounds):
        folder = bench.folder / f"read-{number}"
        folder.mkdir()
        for name, content in modules(number, "500 KB")[True].items():
            (folder / name).write_bytes(content)
        done = subprocess.run(["taskset", "-c", LOAD_CORE, READER, str(folder), "12"], check=True,
                              capture_output=True, text=True)
        out.append(statistics.median(float(line) for line in done.stdout.split()[2:]))
        shutil.rmtree(folder)
    return out


def publishes(bench, server, size, changed, rounds):
    """{"cpu": ms of a publish with less without, "publish": elapsed time with ÷ without}, a round"""
    figures = {"cpu": [], "publish": []}
    name = f"{size.replace(' ', '').lower()}_{int(changed * 100)}"
    for number in range(-1, rounds):  # round -1 warms up, and is thrown away
        samples, both = {}, modules(number, size, changed)
        for read in (True, False) if number % 2 else (False, True):
            file = bench.folder / f"reading-{name}-{number}-{read}.tar.gz"
            file.write_bytes(tar_gz(both[read]))
            address = f"bench/{'read' if read else 'unread'}_{name}/aws"
            samples[read] = once(server, address, f"{number + 2}.0.0", file)
            file.unlink()
        if number >= 0:
            figures["cpu"].append((samples[True][0] - samples[False][0]) * 1e3)
            figures["publish"].append(samples[True][1] / samples[False][1])
    was_read(server, f"bench/read_{name}/aws/{rounds + 1}.0.0")
    return figures


def source_diffs(server, size, changed, rounds):
    """CPU time of the server for what differs between the files of two versions, ms, of each pair."""
    address, out = f"bench/read_{size.replace(' ', '').lower()}_{int(changed * 100)}/aws", []
    for number in range(1, rounds + 1):
        begin = cpu_seconds(server.pid)
        answer = server.get(f"/api/v1/modules/{address}/diff/source?from={number}.0.0&to={number + 1}.0.0",
                            token=server.token)
        out.append(1e3 * (cpu_seconds(server.pid) - begin))
        assert answer.status == 200 and answer.json()["files"], answer
    return out


def command(bench, server, address, version, files):
    """Seconds that `koya publish` takes, which is what whoever publishes waits for."""
    folder = bench.folder / "command"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    environment = clean_environment(KOYA_URL=server.base, KOYA_TOKEN=server.token)
    begin = time.perf_counter()
    done = subprocess.run(["taskset", "-c", LOAD_CORE, str(KOYA), "publish", "module", str(folder), address,
                           version], env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder)
    is_found(server, address, version)
    return seconds


def commands(bench, server, size, changed, rounds):
    """Elapsed time of `koya publish` with reading ÷ without, a round."""
    out = []
    name = f"{size.replace(' ', '').lower()}_{int(changed * 100)}_command"
    for number in range(-1, rounds):
        took, both = {}, modules(number, size, changed)
        for read in (True, False) if number % 2 else (False, True):
            took[read] = command(bench, server, f"bench/{'read' if read else 'unread'}_{name}/aws",
                                 f"{number + 2}.0.0", both[read])
        if number >= 0:
            out.append(took[True] / took[False])
    return out


def measure(bench):
    """{"reading": ms, a round; "500 KB": see publishes(); "500 KB, all of it changed": …}"""
    rounds = 2 if bench.options.quick else max(LEAST_ROUNDS, bench.options.rounds)
    folder = bench.folder / "reading"
    shutil.copytree(bench.folder / "seeded", folder)
    figures = {"reading": readings(bench, rounds)}
    print(f"  reading 500 KB: {words(figures['reading'])} ms", flush=True)
    server = Koya(folder, tls=False)
    try:
        server.start()
        for size, (what, changed) in itertools.product(SIZES, CHANGED.items()):
            of = figures[size + what] = publishes(bench, server, size, changed, rounds)
            of["diff"] = source_diffs(server, size, changed, rounds)
            of["command"] = commands(bench, server, size, changed, rounds)
            print(f"  publish {size}{what} ÷ without reading: {words(of['publish'])}; the command: "
                  f"{words(of['command'])}; source diff {words(of['diff'])} ms", flush=True)
    finally:
        server.__exit__()
    return figures


def once(server, address, version, file):
    """CPU seconds, seconds, until the answer."""
    sample = load.upload(server, f"/api/v1/modules/{address}/{version}", file, server.token)
    seconds = file.stat().st_size / 1e6 / sample.rate
    is_found(server, address, version)
    return sample.cost * file.stat().st_size / 1e9, seconds


def is_found(server, address, version):
    """Waits for the index, which would be at work beside the next publish."""
    name = address.split("/")[1]
    question = f"/api/v1/search?q={name}+kind:module+version:{version}"
    wait_until(lambda: any(hit["address"] == address for hit in server.get(
        question, token=server.token).json()["hits"]), f"{address} {version} is found", 30)


def was_read(server, path):
    """Nobody measures what does not happen."""
    inside = server.get(f"/api/v1/modules/{path}", token=server.token).json()
    assert len(inside["root"]["inputs"]) > 20 and not inside["warnings"], inside["warnings"]


def words(values):
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{median:.2f}, {low:.2f}–{high:.2f} ({min(values):.2f}–{max(values):.2f})"


def verdict(values, goal):
    return "holds" if statistics.median(values) <= goal else "**missed**"


def markdown(figures):
    lines = ["", "## Reading modules", "",
             "The reader by itself, of 500 KB of configuration in 40 files; then "
             "modules are published, and the same bytes in files that nobody reads, in turns; median, "
             "quartiles (least–most).", "", "| | | goal |", "|---|---|---|",
             f"| CPU time of reading 500 KB | {words(figures['reading'])} ms | ≤ {GOAL_READING:.0f} ms: "
             f"{verdict(figures['reading'], GOAL_READING)} |"]
    for size, of in figures.items():
        if size == "reading":
            continue
        lines += [f"| publish of {size}: time until the answer ÷ without reading | {words(of['publish'])} | "
                  f"≤ {GOAL_PUBLISH:.1f}: {verdict(of['publish'], GOAL_PUBLISH)} |",
                  f"| `koya publish` of {size}: time it takes ÷ without reading | {words(of['command'])} | "
                  f"≤ {GOAL_PUBLISH:.1f}: {verdict(of['command'], GOAL_PUBLISH)} |",
                  f"| source diff of two versions of {size}: CPU time | {words(of['diff'])} ms | "
                  f"≤ {GOAL_DIFF:.0f} ms: {verdict(of['diff'], GOAL_DIFF)} |",
                  f"| publish of {size}: CPU time more than without (reading, keeping, comparing) | "
                  f"{words(of['cpu'])} ms | |"]
    return lines
