"""The page on agreement with Linux (docs/concepts/fidelity.md), written from the runs.

Figures, tables and pictures come from the runs that were just made; the sentences that explain what stays far off
are the people's, in `explanations.toml` beside the recorded data.
"""

import tomllib
from pathlib import Path
from typing import Any

from fairlane.fidelity import partings, replay, score, series
from fairlane.present.overlay import Panel, draw

SHOWN = [
    "single-20m-40ms-1bdp-reno",
    "single-20m-40ms-1bdp-cubic",
    "single-20m-40ms-1bdp-bbr",
    "rtt-20m-20ms-vs-120ms-1bdp-cubic",
    "pair-20m-40ms-2bdp-bbr-vs-cubic",
    "aqm-20m-40ms-fq_codel-cubic-vs-cubic",
]
"""The scenarios whose windows are drawn."""
FAR = {"goodput": 2.0, "share": 8.0, "rtt": 5.0, "retransmits": 1.5}
"""Errors beyond which a scenario wants an explanation."""
REPLAYED = [("goodput", 1), ("rtt", 1), ("retransmits", 2)]
"""Errors of runs with Linux's losses, and their digits."""

HEAD = """# Agreement with Linux

Is it my algorithm, or your TCP? The same scenarios were run by the real TCP stack of Linux {version} and by the
simulator: 20 Mbit/s, round trips of 20 to 120 ms, one flow or two, FIFO queues and AQMs, with and without random loss
([how Linux was recorded](../../calibration/linux-{version}/README.md)). This page is written by

    fairlane fidelity --out fidelity.csv --repeats {repeats} --report docs/concepts/fidelity.md

and nothing in its tables was edited. Errors: **goodput** of all flows together, in per cent; **share** of a flow, the
largest difference in points; mean smoothed **RTT**, in per cent; **retransmissions** as the factor
(ours + 20) / (Linux's + 20) or its inverse. Linux ran the scenarios with AQMs and those of a single flow once, all
others four times; the simulator runs those in which chance has a part {repeats} times more, with other random numbers
and start times, so that its own chance adds little. Averages are compared.

Linux differs from itself when a flow merely starts a little later: two of its runs against two others by 5.1 points of
share in a pair, 6.6 % of goodput and 4.1 % of RTT under random loss (medians). Nearer than that is chance.
"""

PARTINGS = """## When windows part

When the two first differ by more than {tolerance:.0%} for half a second, and what was sent once more in the second
around it: of a flow alone, whatever its algorithm, and of all scenarios of Reno, CUBIC and BBR without random loss.
"""

REPLAYS = """## Random loss, with Linux's own losses

How far a run with random loss comes is decided by which packets are lost. The recorded series tell when a packet was
sent once more; here the simulator loses packets at those times (known to 0.1 s) and at no others. Runs that overflowed
the queue as well are left out, because their retransmissions do not tell which losses were random.
"""
REPLAYED_OVER_ALL = """With these in place of those with random losses, over all {scenarios} scenarios
(median / 90th percentile):
{figures}.
"""

LEAVES_OUT = """## What the model leaves out

- **CPU time.** Hosts take no time to handle a packet; nothing is ever late because a processor was busy.
- **The host's own queue and card.** A host's link is as fast as it needs to be. TCP small queues matter under fq
  pacing only; there is no ring of a network card, no byte queue limit.
- **Middle of the network.** A link is a queue, a transmitter and a wire; switches do not share buffers, and no GRO
  merges packets on their way through a router.
- **Retransmissions** keep the bounds of what was sent first; SACK blocks for which they leave no room follow in an ACK.
- **Bulk writes** fill buffers of up to 64 KB one after the other, each marked for PSH if a write of 128 KB ends in it;
  a writer that has to wait for room sets no other marks.
- **Sockets.** No urgent data, no fast open, no zero copy; SACK is always agreed on. The application
  reads as soon as the ACK of what arrived has left.
- **Memory.** Send and receive buffers are counted as Linux counts them for packets of one page; memory pressure across
  sockets does not exist.
- **Clocks.** Timers fire exactly when the kernel's timer wheel would at the latest, never later; time stamps tick in
  milliseconds as Linux's do.
"""


def write(
    path: Path,
    folder: Path,
    results: Path,
    runs: dict[str, dict[str, Any]],
    replayed: dict[str, dict[str, Any]] | None = None,
) -> list[Path]:
    """Writes the page and its picture; returns their paths.

    `folder` holds what Linux did, `results` the figures of the simulated runs, `runs` their whole results by name, and
    `replayed` those of runs with the losses that Linux had.
    """
    rows = score.score(folder, results, only_present=True)
    repeats = sum(name.startswith("lossy-20m-100ms-0.1pct-cubic-r") for name in runs) - 3
    picture = path.parent.parent / "images" / "fidelity-windows.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    shown = [name for name in SHOWN if name in runs and series.linux(folder, name)]
    draw(picture, [Panel(name, series.linux(folder, name), series.ours(runs[name])) for name in shown])
    version = folder.name.removeprefix("linux-")
    parts = [
        HEAD.format(version=version, repeats=max(repeats, 0)),
        "## In short\n",
        _summary(rows),
        "## The windows of six scenarios\n",
        f"![Congestion windows over time, Linux and Fairlane](../images/{picture.name})\n",
        _partings(folder, runs),
        *([_replays(folder, replayed, rows)] if replayed else []),
        "## Every scenario, the worst first\n",
        _scenarios(rows),
        _explanations(rows, folder),
        LEAVES_OUT,
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")
    return [path, picture]


def _table(head: list[str], lines: list[list[str]]) -> str:
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "".join("| " + " | ".join(line) + " |\n" for line in [head, align, *lines])


def _summary(rows: list[dict[str, Any]]) -> str:
    lines = []
    for name, members in [("all", rows), *score.groups(rows).items()]:
        found = score.summarise(members)
        cells = [
            " / ".join(f"{found[key][part]:g}" for part in ("median", "p90", "worst")) if key in found else "-"
            for key in score.ERRORS
        ]
        lines.append([name, str(found["scenarios"]), *cells])
    head = ["median / 90th percentile / worst", "scenarios", "goodput, %", "share, points", "RTT, %", "retransmissions"]
    return _table(head, lines)


def _scenarios(rows: list[dict[str, Any]]) -> str:
    ordered = sorted(rows, key=lambda row: -(row["goodput"] + (row["share"] or 0) + row["rtt"]))
    lines = [
        [
            f"`{row['scenario']}`",
            f"{row['goodput']:.1f}",
            "-" if row["share"] is None else f"{row['share']:.1f}",
            f"{row['rtt']:.1f}",
            f"{row['retransmits']:.2f}",
        ]
        for row in ordered
    ]
    return _table(["scenario", "goodput, %", "share, points", "RTT, %", "retransmissions"], lines)


def _partings(folder: Path, runs: dict[str, dict[str, Any]]) -> str:
    """Of runs with random loss there is nothing to follow: their losses differ."""
    followed = {
        name: result
        for name, result in runs.items()
        if name == score.without_repeat(name) and not name.startswith("lossy-")
    }
    known = _read(folder).get("partings", {})
    lines = []
    found = partings.find(folder, followed)
    for parting in found:
        at_s = "never" if parting.at_s is None else f"{parting.at_s:g}"
        lines.append([f"`{parting.scenario}`", str(parting.flow + 1), at_s, parting.how])
    table = _table(["scenario", "flow", "at, s", "how"], lines)
    reasons = "".join(f"- {reason}\n" for reason in [*known.values(), *alone(found)])
    return "\n".join([PARTINGS.format(tolerance=series.TOLERANCE), table, reasons])


def alone(found: list[partings.Parting]) -> list[str]:
    """What became of the flows that have the link to themselves, where chance has no part."""
    flows = [one for one in found if one.scenario.startswith("single-")]
    kept = [one for one in flows if one.at_s is None]
    if not kept:
        return []
    parted = "".join(f"; `{one.scenario}` parts at {one.at_s:g} s" for one in flows if one.at_s is not None)
    keep = f"Of {len(flows)} flows that are alone on the link {len(kept)} keep Linux's window to the end"
    return [f"{keep}: the same losses at the same times{parted}."]


def _replays(folder: Path, replayed: dict[str, dict[str, Any]], rows: list[dict[str, Any]]) -> str:
    again = replay.errors(folder, replayed)
    ordered = sorted(again, key=lambda row: -row["goodput"])
    lines = [
        [f"`{row['scenario']}`", str(row["runs"]), *(f"{row[key]:.{digits}f}" for key, digits in REPLAYED)]
        for row in ordered
    ]
    names = {row["scenario"] for row in again}
    both = score.summarise([row for row in rows if row["scenario"] not in names] + again)
    figures = ", ".join(f"{key} {both[key]['median']:g} / {both[key]['p90']:g}" for key, _ in REPLAYED)
    over_all = REPLAYED_OVER_ALL.format(scenarios=both["scenarios"], figures=figures)
    head = ["scenario", "runs", "goodput, %", "RTT, %", "retransmissions"]
    return "\n".join([REPLAYS, _table(head, lines), over_all])


def _explanations(rows: list[dict[str, Any]], folder: Path) -> str:
    known = _read(folder)
    groups: dict[str, list[str]] = {}
    for row in rows:
        far = [key for key, limit in FAR.items() if row[key] is not None and row[key] > limit]
        if far:
            text = _explanation(row["scenario"], known)
            groups.setdefault(text, []).append(f"`{row['scenario']}` ({', '.join(far)})")
    limits = "goodput 2 %, share 8 points, RTT 5 %, retransmissions by a factor of 1.5"
    lines = [f"- {', '.join(sorted(names))}: {text}" for text, names in sorted(groups.items())]
    body = "\n".join(lines) if lines else "None."
    return f"## What stays far off, and why\n\nBeyond {limits}:\n\n{body}\n"


def _read(folder: Path) -> dict[str, Any]:
    path = folder / "explanations.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _explanation(scenario: str, known: dict[str, Any]) -> str:
    """What is known of a scenario, or of the group of names that it belongs to."""
    if scenario in known:
        return str(known[scenario])
    for name, text in known.items():
        if name.endswith("*") and scenario.startswith(name[:-1]):
            return str(text)
    return "not explained yet."
