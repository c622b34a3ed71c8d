"""What it costs to read what is inside a module when it is published: a module of 500 KB of
configuration, and the same bytes in files that nobody reads, in turns, by one server.

Both are unpacked, hashed and stored alike. Each is a version of a module that has some, so reading
includes the comparison with the version before.
"""
import random
import shutil
import statistics

import load
from servers import Koya

from koya_e2e import tar_gz

BYTES = 500_000
FILES = 40
LEAST_ROUNDS = 15
GOAL_READING = 20.0  # ms
GOAL_PUBLISH = 1.3
TYPES = ("string", "number", "bool", "list(string)", "map(string)",
         "object({ name = string, size = optional(number, 3), tags = map(string) })")


def configuration(made, size):
    """Variables, outputs and resources as people write them, at least so many bytes."""
    blocks, length = [], 0
    while length < size:
        name = f"{made.choice(('network', 'cluster', 'bucket', 'role'))}_{made.randrange(10**6)}"
        kind = made.choice(("variable", "output", "resource"))
        if kind == "variable":
            block = (f'# How the {name} is made.\nvariable "{name}" {{\n  description = "The {name} of this '
                     f'environment, as it is called elsewhere."\n  type        = {made.choice(TYPES)}\n'
                     f'  default     = null\n\n  validation {{\n    condition     = var.{name} == null || '
                     f'length(var.{name}) > 0\n    error_message = "It must not be empty."\n  }}\n}}\n')
        elif kind == "output":
            block = (f'output "{name}" {{\n  description = "The identifier."\n  value       = '
                     f'try(aws_{name}.this[0].id, null)\n}}\n')
        else:
            block = (f'resource "aws_{name}" "this" {{\n  for_each = {{ for k, v in var.all : k => v if '
                     f'v.enabled }}\n\n  name = "${{var.prefix}}-${{each.key}}"\n  tags = merge(var.tags, '
                     f'{{ Name = each.key }})\n\n  dynamic "rule" {{\n    for_each = each.value.rules\n'
                     f'    content {{\n      port = rule.value.port\n    }}\n  }}\n}}\n')
        blocks.append(block)
        length += len(block)
    return "\n".join(blocks).encode()


def archives(bench, number):
    """{read or not: a file}; no two rounds have the same bytes."""
    made = random.Random(500 + number)
    files = [configuration(made, BYTES // FILES) for _ in range(FILES)]
    first = f"# {number}\n".encode()
    kinds = {True: "part_{}.tf", False: "part_{}.txt"}
    out = {}
    for read, name in kinds.items():
        file = bench.folder / f"reading-{number}-{read}.tar.gz"
        content = {"main.tf": first}
        content.update({name.format(each): text for each, text in enumerate(files)})
        file.write_bytes(tar_gz(content))
        out[read] = file
    return out


def measure(bench):
    """{"cpu": ms of reading a round, "publish": elapsed time with ÷ without, a round}"""
    rounds = 2 if bench.options.quick else max(LEAST_ROUNDS, bench.options.rounds)
    folder = bench.folder / "reading"
    shutil.copytree(bench.folder / "seeded", folder)
    figures = {"cpu": [], "publish": []}
    server = Koya(folder, tls=False)
    try:
        server.start()
        for number in range(-1, rounds):  # round -1 warms up, and is thrown away
            files = archives(bench, number)
            samples = {}
            for read in (True, False) if number % 2 else (False, True):
                path = f"/api/v1/modules/bench/{'read' if read else 'unread'}/aws/{number + 2}.0.0"
                samples[read] = once(server, path, files[read])
            if number >= 0:
                figures["cpu"].append((samples[True][0] - samples[False][0]) * 1e3)
                figures["publish"].append(samples[True][1] / samples[False][1])
        was_read(server, rounds)
    finally:
        server.__exit__()
    print(f"  reading {BYTES // 1000} KB: {words(figures['cpu'])} ms; publish ÷ without: "
          f"{words(figures['publish'])}", flush=True)
    return figures


def once(server, path, file):
    """CPU seconds, seconds."""
    sample = load.upload(server, path, file, server.token)
    seconds = file.stat().st_size / 1e6 / sample.rate
    return sample.cost * file.stat().st_size / 1e9, seconds


def was_read(server, rounds):
    """Nobody measures what does not happen."""
    inside = server.get(f"/api/v1/modules/bench/read/aws/{rounds + 1}.0.0", token=server.token).json()
    assert len(inside["root"]["inputs"]) > 100 and not inside["warnings"], inside["warnings"]


def words(values):
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{median:.2f}, {low:.2f}–{high:.2f} ({min(values):.2f}–{max(values):.2f})"


def markdown(figures):
    reading, publish = statistics.median(figures["cpu"]), statistics.median(figures["publish"])
    return ["", "## Reading modules", "",
            f"A module of {BYTES // 1000} KB of configuration in {FILES} files is published, and the same bytes in "
            "files that nobody reads, in turns; median, quartiles (least–most).", "",
            "| | | goal |", "|---|---|---|",
            f"| CPU time of reading it, keeping what is inside and comparing it with the version before | "
            f"{words(figures['cpu'])} ms | ≤ {GOAL_READING:.0f} ms: "
            f"{'holds' if reading <= GOAL_READING else '**missed**'} |",
            f"| time of the publish ÷ without reading | {words(figures['publish'])} | "
            f"≤ {GOAL_PUBLISH:.1f}: {'holds' if publish <= GOAL_PUBLISH else '**missed**'} |"]
