"""Figures of a run, for each kind of fault: what was asked meanwhile, what came of it, and how long
anything was missed."""
import bisect
import collections

from case import NEVER, RECOVERY, Case

# What clients miss: reads that any replica has in memory or on disk, reads that need the database,
# and writes. Asked by operations.Probes, through the balancer, as clients ask.
CLASSES = ("cached", "uncached", "write")


def succeeded(each):
    return each.happened or (each.op == "list" and each.status == 404)


class Timeline:
    """The operations of one class, and when each was followed by a success."""

    def __init__(self, operations, name):
        self.all = [each for each in operations if each.get("probe") == name]
        good = sorted((each.begin, each.end) for each in self.all if succeeded(each))
        self.begins = [begin for begin, _ in good]
        # The earliest end of a success that began there or later.
        self.soonest, soonest = [], NEVER
        for _, end in reversed(good):
            soonest = min(soonest, end)
            self.soonest.append(soonest)
        self.soonest.reverse()

    def first_success(self, since):
        place = bisect.bisect_left(self.begins, since)
        return self.soonest[place] - since if place < len(self.begins) else None

    def longest_failure(self, begin, end):
        """From the begin of a failed operation to the next success, at most."""
        waits = [self.first_success(each.begin) for each in self.all
                 if begin <= each.begin <= end and failed(each)]
        return max((each for each in waits if each is not None), default=0.0)


def failed(each):
    """It was not answered as it should be: 5xx, or not at all. A refusal is an answer."""
    return not succeeded(each) and (each.status == 0 or each.status >= 500 or
                                    each.status in (200, 206))


class Meanwhile:
    """Counts of the operations that began in some span of time."""

    def __init__(self):
        self.operations = self.acknowledged = self.doubtful = 0
        self.failed = collections.Counter()

    def add(self, each):
        self.operations += 1
        if succeeded(each):
            self.acknowledged += 1
        elif each.op in ("publish", "withdraw", "token_create", "token_revoke") and each.doubtful:
            self.doubtful += 1
        if failed(each):
            self.failed[str(each.status or each.get("error") or "no answer")] += 1


def figures(events, violations):
    """{kind: figures} of a history, with "none" for the time without any fault."""
    case = Case(events)
    lines = {name: Timeline(case.operations, name) for name in CLASSES}
    begins = [each.begin for each in case.operations]
    found, covered = {}, set()
    for fault in case.faults:
        row = found.setdefault(fault.kind, new_row())
        until = min(fault.end + RECOVERY, begins[-1] if begins else 0)
        row["faults"] += 1
        inside = range(bisect.bisect_left(begins, fault.begin), bisect.bisect_right(begins, until))
        covered.update(inside)
        count(row, (case.operations[each] for each in inside))
        for name, line in lines.items():
            first = line.first_success(fault.begin)
            if first is not None:
                row["first_success"][name].append(round(first, 3))
            row["longest_failure"][name] = round(max(
                row["longest_failure"][name], line.longest_failure(fault.begin, until)), 3)
    take_overs(case.faults, events, found)
    row = found.setdefault("none", new_row())
    count(row, (each for number, each in enumerate(case.operations) if number not in covered))
    for each in violations:
        found[felt(case.faults, each.t)]["violations"] += 1
    return found, revocation_delay(case)


def take_overs(faults, events, found):
    """From a fault's begin to the moment when somebody else asked upstream for what was being fetched
    for all when it began."""
    ends = [each.get("upstream_at", {}) for each in events if each["what"] == "end"]
    for times in (times for end in ends for times in end.values()):
        for before, after in zip(times, times[1:]):
            during = [each for each in faults if before <= each.begin <= after]
            if during:
                found[during[-1].kind]["take_over"].append(round(after - during[-1].begin, 3))


def felt(faults, t):
    """The kind of the last fault that may have been felt then."""
    kinds = [each.kind for each in faults if each.begin <= t <= each.end + RECOVERY]
    return kinds[-1] if kinds else "none"


def new_row():
    return {"faults": 0, "operations": 0, "acknowledged": 0, "doubtful": 0, "failed": {},
            "first_success": {name: [] for name in CLASSES},
            "longest_failure": dict.fromkeys(CLASSES, 0.0), "take_over": [], "violations": 0}


def count(row, operations):
    meanwhile = Meanwhile()
    for each in operations:
        meanwhile.add(each)
    for name in ("operations", "acknowledged", "doubtful"):
        row[name] += getattr(meanwhile, name)
    row["failed"] = dict(collections.Counter(row["failed"]) + meanwhile.failed)


def revocation_delay(case):
    """How long after its acknowledged revocation a token was still accepted, at most."""
    longest = 0.0
    for uses in case.tokens.values():
        ends = [each.end for each in uses["token_revoke"] if each.happened]
        for use in uses["token_use"]:
            if ends and use.happened and use.begin > min(ends):
                longest = max(longest, use.begin - min(ends))
    return round(longest, 3)


# ---- as text

def middle(values):
    return sorted(values)[len(values) // 2] if values else None


def merge(rows):
    """Rows of several runs as one."""
    total = new_row()
    for row in rows:
        for name in ("faults", "operations", "acknowledged", "doubtful", "violations"):
            total[name] += row[name]
        total["failed"] = dict(collections.Counter(total["failed"]) + collections.Counter(row["failed"]))
        total["take_over"] += row.get("take_over", [])
        for name in CLASSES:
            total["first_success"][name] += row["first_success"][name]
            total["longest_failure"][name] = max(total["longest_failure"][name],
                                                 row["longest_failure"][name])
    return total


HEAD = ("fault", "times", "operations", "acknowledged", "in doubt", "failed", "violations")
TIMES = (*(f"{name}: first p50, max; longest failure" for name in CLASSES),
         "downloads taken over: times; p50, max")


def cells(kind, row, times=True):
    failures = ", ".join(f"{status}: {count}" for status, count in sorted(row["failed"].items()))
    line = [kind, row["faults"], row["operations"], row["acknowledged"], row["doubtful"],
            failures or "–", row["violations"]]
    for name in CLASSES if times else ():
        firsts = row["first_success"][name]
        line.append(f"{middle(firsts):.2f}, {max(firsts):.2f}; {row['longest_failure'][name]:.2f}"
                    if firsts else "–")
    if times:
        taken = row["take_over"]
        line.append(f"{len(taken)}; {middle(taken):.2f}, {max(taken):.2f}" if taken else "–")
    return [str(each) for each in line]


def table(rows, times=True):
    """{kind: row} as a Markdown table."""
    head = HEAD + (TIMES if times else ())
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for kind in sorted(rows, key=lambda each: (each == "none", each)):
        lines.append("| " + " | ".join(cells(kind, rows[kind], times)) + " |")
    return "\n".join(lines)
