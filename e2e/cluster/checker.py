#!/usr/bin/env python3
"""Says of a history whether the registry kept its promises: linear in its length, without search.

A version is a register that is written once, so whatever was acknowledged or seen of it is its value
for ever, and each read can be judged by what had been seen when it began. README.md has the
promises in words. What nobody answered ("info") may have happened, late or never.

usage: checker.py HISTORY
"""
import bisect
import collections
import dataclasses
import sys

import history

SPREAD = 1.0  # seconds until all replicas know what one has acknowledged
# While a replica is cut off from the database, and until it has noticed that it was, it may say what
# it knew. What it says later must be marked as old.
SPREAD_IN_TROUBLE = 6.0
RECOVERY = 5.0  # seconds after a fault in which it is still felt
QUIET = 30.0  # seconds after the last fault from which on nothing may fail
REVOKED = 1.0
UNAVAILABLE = frozenset((502, 503, 504))
FOUND = frozenset((200, 206, 204, 304))
NEVER = float("inf")


@dataclasses.dataclass(frozen=True)
class Violation:
    promise: str
    text: str
    t: float
    ids: tuple

    def __str__(self):
        return f"{self.promise} at {self.t:.3f} s (operations {list(self.ids)}): {self.text}"


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
        if each.status == 404:
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

    def disturbed(self, each):
        """Whether any fault at all may be felt."""
        return self.any_trouble.meet(each.begin, each.end)


# ---- the promises; each yields its violations

def durable(case):
    """What was acknowledged is read, byte for byte, until somebody takes it back; at the end by all."""
    final = collections.defaultdict(list)
    for each in case.operations:
        if each.op == "read" and each.get("final"):
            final[each.get("item")].append(each)
    for item in case.items.values():
        yield from other_bytes(item)
        if item.acknowledged and item.withdrawn_from == NEVER and case.end:
            yield from lost(item, final[item.name])


def other_bytes(item):
    if not item.acknowledged:
        return
    end, value, publish = min(item.acknowledged, key=lambda each: each[0])
    for _, _, part, values, read in item.seen:
        if values is None or read.begin < end or read.end > item.withdrawn_from:
            continue
        if value not in values:
            yield Violation("durable", f"{item.name}: {part} is not of the acknowledged {value}",
                            read.begin, (publish.id, read.id))


def lost(item, reads):
    _, value, publish = item.acknowledged[0]
    for part in item.attempts[value]:
        whole = [each for each in reads if each.get("part") == part]
        if not whole:
            yield Violation("durable", f"{item.name}: nobody read {part} at the end", 0,
                            (publish.id,))
        for each in whole:
            if not (each.happened and each.get("digest")):
                yield Violation("durable", f"{item.name}: {part} is not there at the end: "
                                f"{each.status} {each.get('error', '')}", each.begin,
                                (publish.id, each.id))


def once(case):
    """Of one version there are never two contents, acknowledged or seen."""
    for item in case.items.values():
        told = {value: each.id for _, value, each in item.acknowledged}
        possible = set(told) if told else set(item.attempts) - item.refused
        first = next(iter(told.values()), 0)
        if len(told) > 1:
            yield Violation("once", f"{item.name}: acknowledged with {len(told)} contents", 0,
                            tuple(told.values()))
            continue
        for _, _, part, values, read in item.seen:
            if not values:
                continue  # a list; or bytes of nobody, which is "verified"
            kept = possible & values
            if not kept:
                yield Violation("once", f"{item.name}: {part} is of another content than before",
                                read.begin, (first, read.id))
                break
            possible, first = kept, read.id
    for each in case.operations:
        if each.op == "publish" and each.happened:
            yield from acknowledged_wrongly(case, each)


def acknowledged_wrongly(case, each):
    item = case.items[each.get("item")]
    if each.get("digest") not in (None, each.get("value")):
        yield Violation("once", f"{item.name}: acknowledged with another digest", each.begin,
                        (each.id,))
    if each.begin > item.withdrawn_by:
        yield Violation("once", f"{item.name}: published after it was withdrawn", each.begin,
                        (each.id,))


def linear(case):
    """What was acknowledged or seen is found from then on: at once there, after a second everywhere;
    and what was withdrawn is not."""
    for item in case.items.values():
        sightings = sorted([(end, each.get("by"), each.id) for end, _, each in item.acknowledged] +
                           [(end, by, read.id) for end, by, _, _, read in item.seen],
                           key=lambda each: each[0])
        for read, part in item.missed:
            if part == "list" or not seen_in_list(item, read):
                yield from flicker(case, item, sightings, read, part, "linear")
        for _, _, part, _, read in item.seen:
            if read.begin > item.withdrawn_by + case.spread(read):
                yield Violation("linear", f"{item.name}: {part} is there {read.begin - item.withdrawn_by:.3f}"
                                " s after it was withdrawn", read.begin, (read.id,))


def seen_in_list(item, read):
    return any(part == "list" and seen.end < read.begin for _, _, part, _, seen in item.seen)


def flicker(case, item, sightings, read, part, promise):
    """`read` found nothing: it must have begun before anybody could know, or be after a withdrawal."""
    if read.end > item.withdrawn_from or not sightings:
        return
    own = next((each for each in sightings if each[1] and each[1] == read.get("by")), None)
    spread = case.spread(read)
    if own and own[0] < read.begin and not case.in_trouble(read) and spread != NEVER:
        yield Violation(promise, f"{item.name}: {part} {absent(read)} at {read.get('by')}, which had "
                        f"it {read.begin - own[0]:.3f} s before", read.begin, (own[2], read.id))
    elif read.begin > sightings[0][0] + spread:
        yield Violation(promise, f"{item.name}: {part} {absent(read)} at {read.get('by')} "
                        f"{read.begin - sightings[0][0]:.3f} s after it was known", read.begin,
                        (sightings[0][2], read.id))


def absent(read):
    return "is not listed" if read.op == "list" else f"is answered {read.status}"


def whole(case):
    """Who lists a version gets its documents and all that belongs to it."""
    for item in case.items.values():
        listed = sorted((read.end, by, read.id) for end, by, part, _, read in item.seen
                        if part == "list")
        for read, part in item.missed:
            if part != "list" and seen_in_list(item, read):
                yield from flicker(case, item, listed, read, part, "whole")
    for each in case.operations:
        if each.op == "list" and each.status == 200:
            yield from incomplete(case, each)


def incomplete(case, each):
    for version, platforms in (each.get("platforms") or {}).items():
        item = case.items.get(f"{each.get('address')}@{version}")
        wanted = [sorted(part.removeprefix("zip/") for part in parts if part.startswith("zip/"))
                  for parts in (item.attempts.values() if item else ())]
        if sorted(platforms) not in wanted:
            yield Violation("whole", f"{each.get('address')} {version} is listed for {platforms}",
                            each.begin, (each.id,))


def honest(case):
    """Statuses are true: 404 is linear()'s; 5xx of the right kind, and only where something is wrong;
    a refusal only with a reason."""
    for each in case.operations:
        if each.op in ("publish", "withdraw", "token_create", "token_revoke"):
            yield from honest_writing(case, each)
        elif each.op in ("list", "read", "pull"):
            yield from honest_reading(case, each)
        elif each.op == "token_use" and each.status not in UNAVAILABLE | {0, 200, 401}:
            yield Violation("honest", f"a token is answered {each.status}", each.begin, (each.id,))
    for uses in case.tokens.values():
        yield from refused_tokens(case, uses)


def unavailable(case, each):
    """A failure for which there must be a reason."""
    if not case.disturbed(each):
        yield Violation("honest", f"{each.op} of {each.get('item') or each.get('address')}: "
                        f"{each.status} {each.get('error', '')} without any fault", each.begin,
                        (each.id,))


def honest_reading(case, each):
    if each.status in UNAVAILABLE or (each.status in FOUND | {0} and not each.happened):
        yield from unavailable(case, each)
    elif each.status not in FOUND | {404}:
        yield Violation("honest", f"{each.op} of {each.get('item') or each.get('address')}: "
                        f"{each.status}", each.begin, (each.id,))
    elif each.op == "pull" and each.status == 404:
        yield Violation("honest", f"{each.get('path')} is upstream, and answered 404", each.begin,
                        (each.id,))


def honest_writing(case, each):
    if each.status in UNAVAILABLE or each.status == 0:
        yield from unavailable(case, each)
    elif each.op == "publish" and each.status == 409:
        item = case.items[each.get("item")]
        rivals = set(item.attempts) - {each.get("value")}
        if not rivals and each.end < item.withdrawn_from:
            yield Violation("honest", f"{item.name}: refused as if there were other bytes",
                            each.begin, (each.id,))
    elif each.status == 409 and each.op != "publish":
        pass  # a name that is taken: by this very request, perhaps, when it was in doubt
    elif each.status == 404 and each.op in ("withdraw", "token_revoke"):
        pass  # of what was doubtful, or done already
    elif each.status not in (200, 201, 204):
        yield Violation("honest", f"{each.op} of {each.get('item') or each.get('name')}: "
                        f"{each.status}", each.begin, (each.id,))


def refused_tokens(case, uses):
    made = min((each.end for each in uses["token_create"] if each.happened), default=NEVER)
    revoked = min((each.begin for each in uses["token_revoke"] if each.what != "fail"), default=NEVER)
    for use in uses["token_use"]:
        if use.status == 401 and use.begin > made + case.spread(use) and use.end < revoked:
            yield Violation("honest", f"the token {use.get('name')} is refused", use.begin,
                            (use.id,))


def revoked(case):
    """A second after a revocation was acknowledged, the token opens nothing, faults or not."""
    for name, uses in case.tokens.items():
        ends = [each.end for each in uses["token_revoke"] if each.happened]
        for use in uses["token_use"]:
            if use.happened and ends and use.begin >= min(ends) + REVOKED:
                yield Violation("revoked", f"{name} was accepted by {use.get('by')} "
                                f"{use.begin - min(ends):.3f} s after it was revoked", use.begin,
                                (use.id,))


def verified(case):
    """Nobody receives a body of full length with other bytes than those that were published."""
    for each in case.operations:
        if each.op == "read" and each.happened and each.get("digest"):
            known = {parts.get(each.get("part"))
                     for parts in case.items[each.get("item")].attempts.values()}
        elif each.op == "pull" and each.happened and each.get("digest"):
            known = {each.get("expected")}
        else:
            continue
        if each.get("digest") not in known:
            yield Violation("verified", f"{each.get('item') or each.get('path')}: wrong bytes, "
                            f"{each.get('digest')}", each.begin, (each.id,))


def economical(case):
    """Upstream is asked once for each file, and once more for each holder that was lost meanwhile."""
    limit, counts = case.end.get("holders", 1), case.end.get("upstream", {})
    pulls = collections.defaultdict(list)
    for each in case.operations:
        if each.op == "pull" and each.get("path") in counts:
            pulls[each.get("path")].append(each)
    for path, count in counts.items():
        excess = sum(fault.kind in HOLDER_FAULTS and overlaps(fault, pulls[path])
                     for fault in case.faults) * limit
        if count > limit + excess:
            yield Violation("economical", f"{path} was asked for {count} times, at most "
                            f"{limit} + {excess} are explained",
                            min((each.begin for each in pulls[path]), default=0),
                            tuple(each.id for each in pulls[path][:3]))


def overlaps(fault, asked):
    """Whether the fault may have been felt between the first of these and the last one's end."""
    return bool(asked) and fault.begin <= max(each.end for each in asked) and \
        fault.end + RECOVERY >= min(each.begin for each in asked)


# Any of these may take the server away that is fetching, or make the others believe so.
HOLDER_FAULTS = frozenset((
    "kill", "stop", "freeze", "freeze-database", "freeze-backend", "freeze-postmaster",
    "restart-database", "kill-database", "failover", "stop-standby", "cut", "refuse", "partition",
    "answers-lost", "questions-lost", "slow", "thin"))


def clean(case):
    """After quiet and sweep: what is kept is what is needed, and nothing of the dead is left."""
    for what, names in case.end.get("clean", {}).items():
        if names:
            yield Violation("clean", f"{what}: {', '.join(map(str, names[:5]))}"
                            f"{' …' if len(names) > 5 else ''} ({len(names)})", 0, ())


def proved(case):
    """`koya verify` finds no damage."""
    if case.end and case.end.get("verify", 0) != 0:
        yield Violation("proved", f"koya verify: {case.end.get('verify_says', '')}", 0, ())


PROMISES = (durable, once, linear, whole, honest, revoked, verified, economical, clean, proved)


def check(events):
    """The violations, in the order of the promises."""
    case = Case(events)
    return [violation for promise in PROMISES for violation in promise(case)]


def main():
    found = check(history.read(sys.argv[1]))
    for violation in found:
        print(violation)
    print(f"{len(found)} violations")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
