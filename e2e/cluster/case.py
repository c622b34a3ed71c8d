"""A history sorted by what it is about, for the checker and the report: operations, faults, versions,
tokens, and when what may have been felt."""
import bisect
import collections
import dataclasses

SPREAD = 1.0  # seconds until all replicas know what one has acknowledged
# While a replica is cut off from the database, and until it has noticed that it was, it may say what
# it knew. What it says later must be marked as old.
SPREAD_IN_TROUBLE = 6.0
RECOVERY = 5.0  # seconds after a fault in which it is still felt
QUIET = 30.0  # seconds after the last fault from which on nothing may fail
NO_ROOM = 507  # said while the disk is full
NEVER = float("inf")


class Operation:
    """An invocation with what closed it, if anything did."""

    def __init__(self, opened, closed):
        self.fields = {**opened, **(closed or {})}
        self.id, self.op = opened["id"], opened["op"]
        self.begin = opened["t"]
        self.end = closed["t"] if closed else NEVER
        self.what = closed["what"] if closed else "info"
        self.status = self.fields.get("status", 0)

    def get(self, name, default=None):
        return self.fields.get(name, default)

    @property
    def happened(self):
        return self.what == "ok"

    @property
    def doubtful(self):
        return self.what == "info"


def operations(events):
    """In the order in which they began."""
    opened, closed = [], {}
    for event in events:
        if event["what"] == "invoke":
            opened.append(event)
        elif event["what"] in ("ok", "fail", "info"):
            closed[event["id"]] = event
    return [Operation(each, closed.get(each["id"])) for each in opened]


@dataclasses.dataclass
class Fault:
    kind: str
    concerns: tuple  # names of parts; what reaches the database concerns "database", too
    begin: float
    end: float = NEVER


def faults(events):
    found = {}
    for event in events:
        if event["what"] == "fault":
            if event["phase"] == "begin":
                found[event["number"]] = Fault(event["kind"], tuple(event["concerns"]), event["t"])
            elif event["phase"] == "end":
                found[event["number"]].end = event["t"]
    return list(found.values())


class Windows:
    """Spans of time, joined where they overlap."""

    def __init__(self, spans):
        self.begins, self.ends = [], []
        for begin, end in sorted(spans):
            if self.ends and begin <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.begins.append(begin)
                self.ends.append(end)

    def meet(self, begin, end):
        place = bisect.bisect_right(self.begins, end)
        return place > 0 and self.ends[place - 1] >= begin


class Item:
    """All that was ever said about one version."""

    def __init__(self, name):
        self.name = name
        self.attempts = {}  # value: {part: digest}
        self.refused = set()  # values whose every publish was refused
        self.acknowledged = []  # (end, value, operation)
        self.seen = []  # (end, replica, part, values that it may be of, id); a list names no value
        self.missed = []  # (operation, part)
        self.withdrawn_from = NEVER  # a withdrawal was invoked
        self.withdrawn_by = NEVER  # one was acknowledged

    def values_of(self, part, digest):
        """The published values whose `part` has that digest."""
        return {value for value, parts in self.attempts.items() if parts.get(part) == digest}


class Case:
    """A history, sorted by what it is about."""

    def __init__(self, events):
        self.events = events
        self.operations, self.faults = operations(events), faults(events)
        self.items, self.tokens = {}, collections.defaultdict(lambda: collections.defaultdict(list))
        self.end = next((each for each in reversed(events) if each["what"] == "end"), {})
        self.any_trouble = Windows((each.begin, each.end + QUIET) for each in self.faults)
        self.full_disk = Windows((each.begin, each.end + RECOVERY) for each in self.faults
                                 if each.kind == "disk-full")
        self.trouble = {}  # a replica's name: when a fault was between it and the database
        for each in self.operations:
            if each.op in ("publish", "withdraw"):
                self.note_writing(each)
            elif each.op.startswith("token_"):
                self.tokens[each.get("name")][each.op].append(each)
        for each in self.operations:
            if each.op == "list":
                self.note_list(each)
            elif each.op == "read":
                self.note_read(each)

    def item(self, name):
        return self.items.setdefault(name, Item(name))

    def note_writing(self, each):
        item = self.item(each.get("item"))
        if each.op == "publish":
            value = each.get("value")
            fresh = value not in item.attempts
            item.attempts[value] = each.get("parts")
            if each.what != "fail":
                item.refused.discard(value)
            elif fresh:
                item.refused.add(value)
            if each.happened:
                item.acknowledged.append((each.end, value, each))
        elif each.what != "fail":
            item.withdrawn_from = min(item.withdrawn_from, each.begin)
            if each.happened:
                item.withdrawn_by = min(item.withdrawn_by, each.end)

    def note_list(self, each):
        """A list sees some versions, and misses all others of its address."""
        if each.status not in (200, 404):
            return
        listed = set(each.get("versions") or ())
        for name in each.get("items") or ():  # all versions of the address that were ever asked for
            item = self.item(name)
            if name.rpartition("@")[2] in listed:
                item.seen.append((each.end, each.get("by"), "list", None, each))
            else:
                item.missed.append((each, "list"))

    def note_read(self, each):
        item = self.item(each.get("item"))
        if each.status in (404, 410):
            item.missed.append((each, each.get("part")))
        elif each.happened and each.get("digest"):
            values = item.values_of(each.get("part"), each.get("digest"))
            item.seen.append((each.end, each.get("by"), each.get("part"), values, each))

    # ---- what the network allows

    def in_trouble(self, each):
        """Whether a fault between that replica and the database may still be felt."""
        by = each.get("by")
        if by not in self.trouble:
            self.trouble[by] = Windows(
                (fault.begin, fault.end + RECOVERY) for fault in self.faults
                if not by or by in fault.concerns or "database" in fault.concerns)
        return self.trouble[by].meet(each.begin, each.end)

    def spread(self, each):
        if each.get("stale"):
            return NEVER  # it says itself that it is old
        return SPREAD_IN_TROUBLE if self.in_trouble(each) else SPREAD

    def without_room(self, each):
        return each.status == NO_ROOM and self.full_disk.meet(each.begin, each.end)

    def disturbed(self, each):
        """Whether any fault at all may be felt."""
        return self.any_trouble.meet(each.begin, each.end)
