"""What it costs to judge all versions of a provider by a policy, as when a list is rendered."""
import statistics
import subprocess

from servers import LOAD_CORE, ROOT

JUDGE = ROOT / "build/release/bench/judge_policy"
RULES, VERSIONS, TIMES = 50, 450, 200
GOAL = 2.0  # ms


def measure(_bench):
    """Milliseconds of CPU, one a time."""
    run = subprocess.run(["taskset", "-c", str(LOAD_CORE), JUDGE, str(RULES), str(VERSIONS), str(TIMES)],
                         capture_output=True, text=True, check=True, timeout=120)
    figures = [float(line) for line in run.stdout.split()]
    print(f"  judging {VERSIONS} versions by {RULES} rules: {words(figures)} ms", flush=True)
    return figures


def words(figures):
    low, median, high = statistics.quantiles(figures, n=4, method="inclusive")
    return f"{median:.2f}, {low:.2f}–{high:.2f} ({min(figures):.2f}–{max(figures):.2f})"


def markdown(figures):
    verdict = "holds" if statistics.median(figures) <= GOAL else "**missed**"
    return ["", "## The policy", "",
            f"Judging {VERSIONS} versions of a provider by {RULES} rules: CPU time in ms; median, quartiles "
            "(least–most).", "", "| | ms | goal |", "|---|---|---|",
            f"| {VERSIONS} versions, {RULES} rules | {words(figures)} | ≤ {GOAL:.1f}: {verdict} |"]
