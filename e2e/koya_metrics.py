"""What /metrics answers, and what docs/metrics.md says of it: {name: (type, names of labels)}."""
import pathlib
import re

GUIDE = pathlib.Path(__file__).resolve().parents[1] / "docs/metrics.md"
NEED_AN_EVENT = "once it has happened"


def documented():
    """All, and the names of those that may be missing."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|([^|]*)\|([^|]*)\|$",
                      GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows
    found = {name: (kind, frozenset(re.findall(r"`(\w+)`", labels)))
             for name, kind, labels, _ in rows}
    assert len(found) == len(rows), "a metric stands there twice"
    return found, {name for name, _, _, meaning in rows if NEED_AN_EVENT in meaning}


def scraped(text):
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
    found = {}
    for sample, labels in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        name = sample if sample in kinds else re.sub("_(bucket|sum|count)$", "", sample)
        names = set(re.findall(r'(\w+)="', labels)) - {"le"}
        known = found.setdefault(name, (kinds[name], frozenset(names)))
        assert known[1] == names, f"{name} has other labels elsewhere: {labels}"
    return found
