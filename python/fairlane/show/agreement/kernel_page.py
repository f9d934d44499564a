"""The part of the page on agreement about several kernels (docs/concepts/fidelity.md)."""

from pathlib import Path

from fairlane.show.agreement.markdown import table
from fairlane.study.linux import kernels, score
from fairlane.study.linux.explanations import explain
from fairlane.study.linux.kernels import DEVIATIONS, GUEST_NS, REPEATS, TARGETS, Row

HEAD = """## Several kernels, up to 300 Mbit/s, all algorithms

Debian's kernels ran the [experiments of calibration/kernels](../../calibration/kernels/README.md) in virtual time: 50,
100 and 300 Mbit/s, RTTs of 1 to 200 ms, one to eight flows, every bundled algorithm alone and with CUBIC, AQMs with
parameters, ECN, DCTCP and applications with pauses. `fairlane fidelity --truth calibration/kernels --scenarios`
compares the simulator with these recordings, with `hosts.kernel` set to each release. The simulator runs every scenario
{repeats} times with starts of up to 10 ms later, and with {guest_us:g} us more in each round trip, which is what the
guest's instructions take; the kernel ran it as often as the file repeats it, which is once for most and four times for
applications with pauses. Medians, 90th percentiles and worst errors:
"""
FAR = """Errors of more than {goodput:g} % of goodput, {share:g} points of share or {rtt:g} % of RTT that are also more
than {deviations:g} standard deviations of the random variation of the simulator's own runs:
"""
BETWEEN = """### How kernels differ from each other

Scenarios in which a release differs from the next one by more than these limits. Flows that compete vary at random, and
each kernel ran most of them once, so that only what repeats in several scenarios is a property of the release.
"""


def section(folder: Path, linux: dict[str, list[Row]], found: dict[str, list[Row]]) -> str:
    """The text. `linux` are the recordings by release, `found` the errors of the simulator."""
    head = ["Linux", "experiment", "scenarios", "goodput, %", "share, points", "RTT, %", "retransmissions"]
    lines = [line for release, rows in found.items() for line in kernels.summary(release, rows)]
    parts = [
        HEAD.format(repeats=REPEATS, guest_us=GUEST_NS / 1000),
        table(head, lines),
        FAR.format(deviations=DEVIATIONS, **TARGETS),
        _far(folder, found),
        BETWEEN,
        _between(linux),
    ]
    return "\n".join(parts)


def _far(folder: Path, found: dict[str, list[Row]]) -> str:
    groups: dict[str, dict[str, list[str]]] = {}
    for release, rows in found.items():
        for row in kernels.ordered(rows):
            if row["far"]:
                text = explain(folder, f"{release} {row['scenario']}", row["scenario"])
                errors = ", ".join(f"{key} {row[key]:.1f}" for key in row["far"])
                groups.setdefault(text, {}).setdefault(row["scenario"], []).append(f"{release}: {errors}")
    if not groups:
        return "None.\n"
    lines = []
    for text, scenarios in groups.items():
        named = "; ".join(f"`{name}` ({'; '.join(errors)})" for name, errors in scenarios.items())
        lines.append(f"- {named}: {text}\n")
    return "".join(lines)


def _between(linux: dict[str, list[Row]]) -> str:
    rows = [
        row
        for row in kernels.between(linux)
        if any(row[key] is not None and row[key] > limit for key, limit in TARGETS.items())
    ]
    rows.sort(key=lambda row: (row["older"], -(row["goodput"] + (row["share"] or 0) + row["rtt"])))
    lines = [[f"{row['older']}, {row['newer']}", f"`{row['scenario']}`", *kernels.cells(row)] for row in rows]
    head = ["Linux", "scenario", *(f"{key}" for key in score.ERRORS)]
    return table(head, lines) if lines else "None.\n"
