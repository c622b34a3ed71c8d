#!/usr/bin/env python3
"""Says of a history whether the registry kept its promises: linear in its length, without search.

A version is a register that is written once, so whatever was acknowledged or seen of it is its value
for ever, and each read can be judged by what had been seen when it began. README.md has the
promises in words. What nobody answered ("info") may have happened, late or never.

usage: checker.py HISTORY
"""
import collections
import dataclasses
import sys

import history
from case import NEVER, RECOVERY, Case

REVOKED = 1.0
UNAVAILABLE = frozenset((502, 503, 504))
FOUND = frozenset((200, 206, 204, 304))


@dataclasses.dataclass(frozen=True)
class Violation:
    promise: str
    text: str
    t: float
    ids: tuple

    def __str__(self):
        return f"{self.promise} at {self.t:.3f} s (operations {list(self.ids)}): {self.text}"


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
    """Statuses are true: 404 is linear()'s, 410 comes after a withdrawal; 5xx of the right kind, and only where something is wrong;
    a refusal only with a reason."""
    for each in case.operations:
        if case.without_room(each):
            continue
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
    elif each.op == "read" and each.status == 410:
        if each.end < case.items[each.get("item")].withdrawn_from:
            yield Violation("honest", f"{each.get('item')} is answered 410 before it was withdrawn",
                            each.begin, (each.id,))
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
    elif each.status in (404, 410) and each.op in ("withdraw", "token_revoke"):
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
    "kill", "stop", "roll", "freeze", "freeze-database", "freeze-backend", "freeze-postmaster",
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
