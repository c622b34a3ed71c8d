"""Compares the answers of every GET route with the recorded ones (golden/): status, fields and bytes, without times,
ids and secrets. The registry is the demo's, with a mirror; requests are anonymous, a reader's, an owner's and an
administrator's.

usage: golden_answers.py [--record]

The program's route table (`koya docs api`) lists the routes; golden_cases.py has requests for each. A route without
one fails by its name. `--record` (`make golden`) records the answers again and prints the differences: look at them,
then commit.
"""
import contextlib
import difflib
import itertools
import pathlib
import re
import subprocess
import sys

import golden_cases
import koya_e2e
from golden_registry import ROLES, GoldenRegistry
from golden_text import Record, Text, lines_of

FOLDER = pathlib.Path(__file__).resolve().parent / "golden"
LANGUAGES = ("en", "ja", "zh")
MOST_LINES, MOST_SHOWN = 24, 12  # of a difference; differences
TRIES = 4  # of a page that shows how many seconds ago something was
PEOPLE = "\nWho: browsers"


def routes():
    """{pattern: whether it is for people} of the GET routes."""
    listed = subprocess.run([str(koya_e2e.KOYA), "docs", "api"], capture_output=True, text=True, check=True).stdout
    parts = [part for part in listed.split("\n## ")[1:] if part.startswith("`GET ")]
    return {part.splitlines()[0].strip("`").removeprefix("GET "): PEOPLE in part for part in parts}


class Asker:
    """Sends requests in a role and returns the text of the answers."""

    def __init__(self, registry, for_people):
        self.registry, self.for_people = registry, for_people
        self.text, self.values = Text(registry.values), {**registry.values, **registry.links}

    def filled(self, text):
        return re.sub(r"<([a-z0-9-]+)>", lambda name: self.values[name[1]], text)

    def fields(self, route, case, role, language):
        is_page = self.for_people.get(route, not case.path.startswith(("/api/", "/v1/")))
        fields = {"User-Agent": "koya-golden"}
        if is_page:
            fields |= {"Accept": "text/html", "Accept-Language": language}
        if role != "anonymous":
            fields |= ({"Cookie": self.registry.cookies[role]} if is_page else
                       {"Authorization": f"Bearer {self.registry.tokens[role]}"})
        return fields | {name: self.filled(value) for name, value in case.fields.items()}

    def ask(self, server, route, case, role, language):
        """The pieces of the answer, and of a second one to If-None-Match where there is an ETag."""
        path, fields, again = self.filled(case.path), self.fields(route, case, role, language), None
        for _ in range(TRIES):
            answer = server.request(case.method, path, headers=fields)
            if not (etag := answer.headers.get("ETag")) or answer.status != 200 or case.method != "GET":
                break
            again = server.request("GET", path, headers={**fields, "If-None-Match": etag})
            if again.status == 304:
                break
        return self.pieces(route, answer, again)

    def pieces(self, route, answer, again):
        pieces = [self.text.fields(answer), *self.text.body(route, answer, golden_cases.without_text(route, answer))]
        if again:
            pieces.append("with its ETag: " + self.text.fields(again) + ("\nand a body" if again.body else ""))
        return pieces


def questions(for_people):
    """(room, route, case, role, language) of all requests, in an order in which none changes the answer to a later
    one: pages that show refusals and fetches come first, fetches last."""
    asked = []
    for room, table in golden_cases.ROOMS.items():
        for route, cases in table.items():
            for case in cases:
                says_who = {"Authorization", "Cookie"} & set(case.fields)
                for role in ("anonymous",) if says_who else ROLES:
                    asked.append((room, route, case, role, "en"))
                if for_people.get(route, room == "refusals"):
                    asked += [(room, route, case, "anonymous" if says_who else "administrator", each)
                              for each in LANGUAGES[1:]]
    return sorted(asked, key=golden_cases.turn)


def ask_all():
    """{room: Record} of the program's answers."""
    for_people = routes()
    with GoldenRegistry() as registry:
        asker, given = Asker(registry, for_people), {}
        with registry.koya.one_connection() as server:
            for question in questions(for_people):
                given[question[0], question[1], name_of(question[2]), *question[3:]] = asker.ask(server, *question[1:])
    records = {room: Record() for room in golden_cases.ROOMS}
    for room, table in golden_cases.ROOMS.items():
        for route, case in ((route, case) for route, cases in table.items() for case in cases):
            for role, language in itertools.product(ROLES, LANGUAGES):
                key = (room, route, name_of(case), role, language)
                if key in given:
                    records[room].add(route, name_of(case), f"{role}, {language}", given[key])
    return records


def name_of(case):
    more = [case.method] if case.method != "GET" else []
    return " ".join(more + [case.path] + [f"{name}={value}" for name, value in case.fields.items()]).replace(": ", ":")


def recorded():
    return {path.stem: Record.read(path.read_text()) for path in sorted(FOLDER.glob("*.golden"))}


# ---- what differs

def difference(old, new):
    if old is None:
        return ["was not recorded"]
    if new is None:
        return ["is not asked any more"]
    before, after = ([line for piece in pieces for line in lines_of(piece)] for pieces in (old, new))
    lines = ["…" if line.startswith("@@") else line
             for line in difflib.unified_diff(before, after, lineterm="", n=1)][2:]
    return lines[:MOST_LINES] + [f"… {len(lines) - MOST_LINES} lines more"] * (len(lines) > MOST_LINES)


def differences(old, new):
    """[(route, question, [asker, …], lines)]: one entry for all askers of a question that see the same difference."""
    found = {}
    for room in {**old, **new}:
        before, after = (records.get(room, Record()).answers for records in (old, new))
        for key in {**before, **after}:
            one, other = before.get(key, {}), after.get(key, {})
            for asker in {**one, **other}:
                if one.get(asker) != other.get(asker):
                    lines = difference(one.get(asker), other.get(asker))
                    found.setdefault((*key, "\n".join(lines)), []).append(asker)
    return [(route, question, askers, lines.split("\n")) for (route, question, lines), askers in found.items()]


def words(found):
    shown = []
    for route, question, askers, lines in found[:MOST_SHOWN]:
        shown += [route, f"  {question}, asked by: {'; '.join(askers)}", *(f"    {line}" for line in lines)]
    if len(found) > MOST_SHOWN:
        rest = sorted({route for route, *_ in found[MOST_SHOWN:]})
        shown += [f"… and {len(found) - MOST_SHOWN} differences more, of:", *(f"    {route}" for route in rest)]
    return "\n".join(shown)


class GoldenAnswers(koya_e2e.TestCase):
    def test_every_route_has_a_case(self):
        known, there = {route for table in golden_cases.ROOMS.values() for route in table}, routes()
        self.assertEqual([route for route in there if route not in known], [], "add cases to golden_cases.py")
        self.assertEqual([route for route in known if route.startswith("/") and route not in there], [],
                         "no routes any more")

    def test_answers_are_those_that_were_recorded(self):
        found = differences(recorded(), ask_all())
        if found:
            self.fail(f"{len(found)} differences; where they are meant, `make golden` records them:\n{words(found)}")


def record():
    new = ask_all()
    found = differences(recorded(), new)
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.golden"):
        old.unlink()
    for room, answers in new.items():
        (FOLDER / f"{room}.golden").write_text(answers.write())
        with contextlib.suppress(KeyError):
            assert Record.read(answers.write()).answers == answers.answers, room
    print(words(found))
    print(f"golden: {len(found)} differences from what was recorded; look at them (git diff e2e/golden) and commit")


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    else:
        koya_e2e.main()
