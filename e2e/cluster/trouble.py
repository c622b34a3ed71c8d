"""Which faults a run has: on whom and for how long follows from the seed alone."""
import dataclasses
import random
import threading

from faults import KINDS

READY_SECONDS = 120  # others may be busy on the machine: what takes longer is a violation, too


@dataclasses.dataclass(frozen=True)
class Planned:
    number: int
    kind: str
    target: str
    seconds: float  # how long it lasts
    pause: float  # how long all is well before it

    def __str__(self):
        return f"{self.number}: {self.kind} of {self.target} for {self.seconds:.1f} s"


def plan(seed, kinds, seconds):
    """What happens in a run of that length: the same for the same seed, kinds and length. The choice
    goes round all kinds before it draws by weight, so that short runs try many."""
    randomness = random.Random(f"{seed}/faults")
    round_robin = randomness.sample(kinds, len(kinds))
    planned, spent = [], 0.0
    while kinds and spent < seconds:
        number = len(planned)
        kind = round_robin[number] if number < len(round_robin) else \
            randomness.choices(kinds, [each.weight or 1 for each in kinds])[0]
        low, high = kind.seconds
        # Short ones are likelier: what hangs for long is tried out, but must not fill the run.
        planned.append(Planned(number, kind.name, randomness.choice(list(kind.targets())),
                               low + (high - low) * randomness.random() ** 2,
                               randomness.uniform(1.0, 4.0)))
        spent += planned[-1].seconds + planned[-1].pause
    return planned


class Trouble(threading.Thread):
    """Does what was planned, one after the other, until the time is up."""

    def __init__(self, cluster, history, kinds, planned, until):
        super().__init__(daemon=True, name="trouble")
        self.cluster, self.history, self.planned, self.until = cluster, history, planned, until
        self.kinds = {each.name: each for each in kinds}
        self.failures, self.done = [], 0
        self.over = threading.Event()

    def run(self):
        for each in self.planned:
            if self.over.wait(each.pause) or self.history.now() > self.until:
                return
            try:
                self.one(each)
                self.done += 1
            except Exception as failure:
                self.failures.append(f"{each}: {failure!r}")
                self.over.set()  # what follows would be tried on half a cluster
                return

    def one(self, each):
        kind = self.kinds[each.kind]
        self.note(each, "begin", kind.concerns(each.target))
        try:
            kind.begin(each.target)
            self.over.wait(each.seconds)
        finally:
            kind.end(each.target)
            self.note(each, "mended", kind.concerns(each.target))
            self.cluster.wait_healthy(READY_SECONDS)
            self.note(each, "end", kind.concerns(each.target))

    def note(self, each, phase, concerns):
        self.history.write("fault", number=each.number, kind=each.kind, target=each.target,
                           phase=phase, concerns=list(concerns))


def available(cluster, wanted=None):
    """(the kinds that can be tried, {name: why not} of the others)."""
    every = [kind(cluster) for kind in KINDS]
    wanted = [each for each in every
              if (each.name in wanted if wanted else each.weight > 0)]
    skipped = {each.name: each.possible() for each in wanted if each.possible()}
    return [each for each in wanted if each.name not in skipped and list(each.targets())], skipped
